"""Events of games in which patrons hold the bank and make choices.

They concern the bank, claims on it, and decisions. They are part of the closed list in
`sabot.domain.events`.

Sources: WIKIPEDIA_BACCARAT_CHEMIN_DE_FER, WIKIPEDIA_BACCARAT_BANQUE, ARRETE_2007_ART_58 to
ARRETE_2007_ART_62 (`sabot.domain.rules.sources`).
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

from sabot.domain.events.base import EventBase as _Event
from sabot.domain.values.scalars import Amount, Day, Hand, Name, Number
from sabot.domain.values.scalars import Part as _Part

# -- The bank ---------------------------------------------------------------------------------


class BankBid(_Event, frozen=True, tag="bank-bid"):
    """A patron bid for the bank at an auction. ``amount`` is the bid."""

    by: Name
    amount: Amount


class BankListed(_Event, frozen=True, tag="bank-listed"):
    """A patron was listed as a candidate for the bank.

    The bank goes to the listed patrons in order, or is awarded by lot among them.
    """

    by: Name


class FundsProven(_Event, frozen=True, tag="funds-proven"):
    """A patron deposited funds to cover possible losses as banker.

    ``held_at`` is where the deposit is held: the house's cash desk, or a bank that the house
    accepts (arrêté of 14 May 2007, art. 61).
    """

    by: Name
    amount: Amount
    held_at: Name | None = None


class SessionCalled(_Event, frozen=True, tag="session-called"):
    """The house announced the session and the shoe that begin now, or continue.

    ``day`` is the house's day of play. Sessions of a day and shoes of a session are numbered from 1
    (arrêté of 14 May 2007, art. 61).
    """

    day: Day
    session: Number
    shoe: Number


class BankPosted(_Event, frozen=True, tag="bank-posted"):
    """A banker posted a bank of this amount. It replaces any earlier bank."""

    by: Name
    amount: Amount


class BankRaised(_Event, frozen=True, tag="bank-raised"):
    """The banker added this amount to the bank."""

    by: Name
    amount: Amount
    coup: Number | None = None


class BankWithdrawn(_Event, frozen=True, tag="bank-withdrawn"):
    """The banker withdrew this amount from the bank."""

    by: Name
    amount: Amount


class BankCalled(_Event, frozen=True, tag="bank-called"):
    """The croupier announced the bank's amount for this coup."""

    coup: Number
    amount: Amount


class BankUnlimited(_Event, frozen=True, tag="bank-unlimited"):
    """The banker accepted stakes without limit from now on."""

    by: Name
    coup: Number | None = None


# -- Claims on the bank -----------------------------------------------------------------------


class BancoCalled(_Event, frozen=True, tag="banco-called"):
    """A patron called banco, against the whole bank.

    ``suivi`` marks a banco that follows the patron's own lost banco of the previous coup. With two
    tableaux, ``on`` is the tableau whose hand the patron plays, or both (à cheval).
    """

    coup: Number
    patron: Name
    suivi: bool = False
    on: Literal["right", "left", "both"] | None = None


class ExcessReturned(_Event, frozen=True, tag="excess-returned"):
    """The uncovered part of a bet was returned."""

    coup: Number
    bet: Number
    amount: Amount


# -- The hands --------------------------------------------------------------------------------


class HandGiven(_Event, frozen=True, tag="hand-given"):
    """A patron was given a hand to play for all patrons who staked on it."""

    coup: Number
    hand: Hand
    to: Name


class ChoiceMade(_Event, frozen=True, tag="choice-made"):
    """A card was requested for a hand, or the hand stood."""

    coup: Number
    hand: Hand
    choice: Literal["draw", "stand"]
    by: Name | None = None
    seat: Number | None = None


class CardRejected(_Event, frozen=True, tag="card-rejected"):
    """A patron rejected the card just drawn to their hand. It was discarded."""

    coup: Number
    hand: Hand
    seat: Number | None = None


class HandTotal(_Part, frozen=True):
    """The announced total of one hand. A total over nine is a bust."""

    hand: Hand
    total: Annotated[int, Meta(ge=0, le=999)]
    seat: Number | None = None


class HandsCalled(_Event, frozen=True, tag="hands-called"):
    """The croupier announced the final totals of several hands.

    Used in games with other hands than Player and Banker.
    """

    coup: Number
    totals: tuple[HandTotal, ...]


# -- The house --------------------------------------------------------------------------------


class LevyAnnounced(_Event, frozen=True, tag="levy-announced"):
    """The croupier announced the levy on a coup and set its amount apart."""

    coup: Number
    amount: Amount


class TicketsDetached(_Event, frozen=True, tag="tickets-detached"):
    """The croupier detached levy tickets of this value.

    ``tickets`` are their serial numbers.
    """

    coup: Number
    amount: Amount
    tickets: tuple[Name, ...] = ()


class LevyTaken(_Event, frozen=True, tag="levy-taken"):
    """The house put its levy into its box.

    ``ticket`` is the serial number of the detached ticket, if no event `TicketsDetached` records
    it.
    """

    coup: Number
    amount: Amount
    ticket: Name | None = None


class TicketsTorn(_Event, frozen=True, tag="tickets-torn"):
    """The tickets of a coup's levy were torn up."""

    coup: Number


LEVY: Final = (LevyAnnounced, TicketsDetached, LevyTaken, TicketsTorn)
"""The steps of a levy."""

BankEvent = (
    BankBid
    | BankListed
    | FundsProven
    | SessionCalled
    | BankPosted
    | BankRaised
    | BankWithdrawn
    | BankCalled
    | BankUnlimited
    | BancoCalled
    | ExcessReturned
    | HandGiven
    | ChoiceMade
    | CardRejected
    | HandsCalled
    | LevyAnnounced
    | TicketsDetached
    | LevyTaken
    | TicketsTorn
)
