"""Events of a table: opening, closing, chips and the adopted rule pack."""

from sabot.domain.events.base import EventBase
from sabot.domain.events.people import Crew, Limit
from sabot.domain.values.scalars import Amount, Day, Digest, Name, Number


class TableOpened(EventBase, frozen=True, tag="table-opened"):
    """A table opened with this chip inventory in its tray."""

    inventory: Amount
    game: Name | None = None
    currency: Name | None = None
    crew: tuple[Crew, ...] = ()
    limits: tuple[Limit, ...] = ()


class RulePackAdopted(EventBase, frozen=True, tag="rule-pack-adopted"):
    """The table adopted a rule pack for all shoes from now on.

    ``authority`` is the outside body that approved it and ``approval`` the number of the approval.
    ``noticed`` is the day on which the authority was notified of its use.
    """

    pack: Name
    version: Name
    pack_sha256: Digest
    approved_by: Name | None = None
    authority: Name | None = None
    approval: Name | None = None
    noticed: Day | None = None


class ChipsBought(EventBase, frozen=True, tag="chips-bought"):
    """A patron bought chips. The money went into the drop box."""

    patron: Name
    amount: Amount


class TableFilled(EventBase, frozen=True, tag="table-filled"):
    """A fill: chips came from the cage to the tray."""

    amount: Amount
    slip: Name | None = None


class CreditSent(EventBase, frozen=True, tag="credit-sent"):
    """A credit: chips went from the tray to the cage."""

    amount: Amount
    slip: Name | None = None


class DropCounted(EventBase, frozen=True, tag="drop-counted"):
    """The drop box was opened and counted."""

    amount: Amount
    by: Name | None = None


class AbandonedKept(EventBase, frozen=True, tag="abandoned-kept"):
    """The stake and winnings of an abandoned bet were set aside under a numbered slip."""

    slip: Name
    amount: Amount
    shoe: Name
    coup: Number
    bet: Number
    by: Name | None = None


class AbandonedClaimed(EventBase, frozen=True, tag="abandoned-claimed"):
    """The owner of an abandoned bet was found and paid."""

    slip: Name
    amount: Amount
    to: Name
    by: Name | None = None


class TableClosed(EventBase, frozen=True, tag="table-closed"):
    """The table closed with this chip inventory in its tray."""

    inventory: Amount
