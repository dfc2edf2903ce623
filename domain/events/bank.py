"""Facts of the games where people choose: the bank, its claims, and what each hand decided.

Like all events they are past tense, never refused, and their tags are permanent; they are joined to
the closed list in `sabot.domain.events`. Sources of what a table can show:
WIKIPEDIA_CHEMIN_DE_FER, WIKIPEDIA_BANQUE, FR_58 to FR_62 (`sabot.domain.rules.sources`).
"""

from typing import Annotated, Literal

from msgspec import Meta

from sabot.domain.events.base import EventBase as _Event
from sabot.domain.values.scalars import Amount, Day, Hand, Name, Number
from sabot.domain.values.scalars import Part as _Part

# -- The bank ---------------------------------------------------------------------------------


class BankBid(_Event, frozen=True, tag="bank-bid"):
    """A patron bid for the bank, at an auction: so much he would put up."""

    by: Name
    amount: Amount


class BankListed(_Event, frozen=True, tag="bank-listed"):
    """A patron put his name down for the bank: on the list, or among those who draw lots."""

    by: Name


class FundsProven(_Event, frozen=True, tag="funds-proven"):
    """A patron proved that he can pay what he may lose as banker, by a deposit of so much.

    ``held_at`` is where it lies: the house's cash desk, or a bank that the house accepts
    (arrêté of 14 May 2007, art. 61).
    """

    by: Name
    amount: Amount
    held_at: Name | None = None


class SessionCalled(_Event, frozen=True, tag="session-called"):
    """The house called which session of the day begins, or goes on, with this shoe of it.

    ``day`` is the day of play as the house counts it; sessions of a day and shoes of a session
    are numbered from 1 (arrêté of 14 May 2007, art. 61).
    """

    day: Day
    session: Number
    shoe: Number


class BankPosted(_Event, frozen=True, tag="bank-posted"):
    """A banker put chips up as his bank; what lay there before was another's bank."""

    by: Name
    amount: Amount


class BankRaised(_Event, frozen=True, tag="bank-raised"):
    """The banker added so much to his bank."""

    by: Name
    amount: Amount
    coup: Number | None = None


class BankWithdrawn(_Event, frozen=True, tag="bank-withdrawn"):
    """The banker took so much out of his bank, or all of it."""

    by: Name
    amount: Amount


class BankCalled(_Event, frozen=True, tag="bank-called"):
    """The croupier announced what lies in the bank for this coup."""

    coup: Number
    amount: Amount


class BankUnlimited(_Event, frozen=True, tag="bank-unlimited"):
    """The banker accepted all stakes, whatever they come to; his bank has no limit from now on."""

    by: Name
    coup: Number | None = None


# -- Claims on the bank -----------------------------------------------------------------------


class BancoCalled(_Event, frozen=True, tag="banco-called"):
    """A patron claimed to go bank: to play against the whole of it alone.

    ``suivi`` follows his own banco that he lost in the coup before. At two tableaux ``on`` is
    the tableau whose hand he plays, or both (à cheval).
    """

    coup: Number
    patron: Name
    suivi: bool = False
    on: Literal["right", "left", "both"] | None = None


class ExcessReturned(_Event, frozen=True, tag="excess-returned"):
    """So much of a bet went back to its patron, since the bank does not cover it."""

    coup: Number
    bet: Number
    amount: Amount


# -- The hands --------------------------------------------------------------------------------


class HandGiven(_Event, frozen=True, tag="hand-given"):
    """A patron plays a hand, for all who staked on it."""

    coup: Number
    hand: Hand
    to: Name


class ChoiceMade(_Event, frozen=True, tag="choice-made"):
    """Somebody asked for a card to a hand, or stood."""

    coup: Number
    hand: Hand
    choice: Literal["draw", "stand"]
    by: Name | None = None
    seat: Number | None = None


class CardRejected(_Event, frozen=True, tag="card-rejected"):
    """A patron rejected the card that his hand had just drawn; it went to the discards."""

    coup: Number
    hand: Hand
    seat: Number | None = None


class HandTotal(_Part, frozen=True):
    """The total that was announced for a hand; one over nine is a bust."""

    hand: Hand
    total: Annotated[int, Meta(ge=0, le=999)]
    seat: Number | None = None


class HandsCalled(_Event, frozen=True, tag="hands-called"):
    """The croupier announced the final totals, where there are other hands than two."""

    coup: Number
    totals: tuple[HandTotal, ...]


# -- The house --------------------------------------------------------------------------------


class LevyAnnounced(_Event, frozen=True, tag="levy-announced"):
    """The croupier announced the levy on a coup, and set so much apart."""

    coup: Number
    amount: Amount


class TicketsDetached(_Event, frozen=True, tag="tickets-detached"):
    """He detached tickets worth so much from their books; ``tickets`` are their serials."""

    coup: Number
    amount: Amount
    tickets: tuple[Name, ...] = ()


class LevyTaken(_Event, frozen=True, tag="levy-taken"):
    """The house took its levy out of the bank, into its box.

    ``ticket`` is the serial of the ticket drawn, where the record does not tell of it by itself.
    """

    coup: Number
    amount: Amount
    ticket: Name | None = None


class TicketsTorn(_Event, frozen=True, tag="tickets-torn"):
    """The tickets of a coup's levy, which had lain on the table, were torn."""

    coup: Number


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
