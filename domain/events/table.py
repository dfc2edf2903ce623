"""Facts of a table: its opening and closing, its chips, the rule pack that it plays by."""

from sabot.domain.events.base import EventBase
from sabot.domain.events.people import Crew, Limit
from sabot.domain.values.scalars import Amount, Day, Digest, Name, Number


class TableOpened(EventBase, frozen=True, tag="table-opened"):
    """A table opened with chips in its tray."""

    inventory: Amount
    game: Name | None = None
    currency: Name | None = None
    crew: tuple[Crew, ...] = ()
    limits: tuple[Limit, ...] = ()


class RulePackAdopted(EventBase, frozen=True, tag="rule-pack-adopted"):
    """From now on shoes at this table are dealt by this pack.

    ``authority`` is who approved it outside the house, ``approval`` the number of that approval;
    ``noticed`` the day on which the authority was told that it would be used.
    """

    pack: Name
    version: Name
    pack_sha256: Digest
    approved_by: Name | None = None
    authority: Name | None = None
    approval: Name | None = None
    noticed: Day | None = None


class ChipsBought(EventBase, frozen=True, tag="chips-bought"):
    """A patron bought chips for money, which went into the drop box."""

    patron: Name
    amount: Amount


class TableFilled(EventBase, frozen=True, tag="table-filled"):
    """Chips came to the tray from the cage."""

    amount: Amount
    slip: Name | None = None


class CreditSent(EventBase, frozen=True, tag="credit-sent"):
    """Chips went from the tray to the cage."""

    amount: Amount
    slip: Name | None = None


class DropCounted(EventBase, frozen=True, tag="drop-counted"):
    """The drop box was opened and counted."""

    amount: Amount
    by: Name | None = None


class AbandonedKept(EventBase, frozen=True, tag="abandoned-kept"):
    """What a bet that nobody took up came to was put by for its owner, under a slip."""

    slip: Name
    amount: Amount
    shoe: Name
    coup: Number
    bet: Number
    by: Name | None = None


class AbandonedClaimed(EventBase, frozen=True, tag="abandoned-claimed"):
    """The owner of abandoned money was found, and got it."""

    slip: Name
    amount: Amount
    to: Name
    by: Name | None = None


class TableClosed(EventBase, frozen=True, tag="table-closed"):
    """The table closed with chips in its tray."""

    inventory: Amount
