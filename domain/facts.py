"""The closed list of facts: what a table can show, right or wrong.

A fact is past tense and immutable. Its tag is permanent and becomes the event's name; a fact
that changes shape gets a new tag, the old shape moves to `domain.legacy` with its upcaster.
Nothing here says what is allowed: `decide` refuses, `audit` reports.
"""

from typing import Annotated, Literal

from msgspec import Meta

from domain.auditfacts import AuditFact
from domain.bankfacts import BankFact
from domain.bankfacts import Hand as Hand
from domain.cards import Card
from domain.custodyfacts import OnlyCustodyFact

# ruff: noqa: PLC0414 - what facts are made of is known by this module's name
from domain.factbase import MAX_INT as MAX_INT
from domain.factbase import Amount as Amount
from domain.factbase import Count as Count
from domain.factbase import Digest as Digest
from domain.factbase import FactBase as _Fact
from domain.factbase import Name as Name
from domain.factbase import Number as Number
from domain.factbase import Part as _Part
from domain.factbase import Total as Total
from domain.factbase import Words as Words

Outcome = Literal["P", "B", "T"]
Irregularity = Literal[
    "wrong-draw",
    "card-exposed",
    "card-face-up",
    "card-off-the-table",
    "misdeal",
    "too-few-cards",
    "shuffler-fault",
    "late-bet",
    "wrong-payment",
    "wrong-call",
    "abandoned-bet",
    "other",
]
Ruling = Literal[
    "none", "void", "play-on", "burn-card", "restore-card", "return-bets", "stand", "other"
]
EndOfShoe = Literal["cut-card", "withdrawn", "fault", "too-few-cards", "closing"]
Post = Literal["dealer", "caller", "payer-1", "payer-2", "supervisor"]


class Limit(_Part, frozen=True):
    """The least and most that a table takes on a wager (None: on any wager without its own)."""

    minimum: Amount
    maximum: Amount
    wager: Name | None = None


class Crew(_Part, frozen=True):
    """Who stands at a post."""

    post: Post
    person: Name


class Seat(_Part, frozen=True):
    """Who sits where; seats are numbered from the dealer's right, counter-clockwise."""

    seat: Number
    patron: Name


# -- The shoe before the first coup ---------------------------------------------------------


class ShoeLoaded(_Fact, frozen=True, tag="shoe-loaded"):
    """Decks went into a shoe at a table, under a rule pack whose whole text is kept here.

    ``scope`` says what the record claims to hold: ``whole`` is everything that happened, so
    that what is absent did not happen; ``coups`` is coups alone (another's record), so that
    nothing follows from what is absent. ``pack_named`` is False where the record named no
    rules and the classic ones were taken. ``sabot`` is the number on the dealing shoe itself.
    """

    decks: Annotated[int, Meta(ge=1, le=100)]
    pack: Annotated[str, Meta(max_length=40_000)]
    pack_sha256: Digest
    table: Name | None = None
    scope: Literal["whole", "coups"] = "whole"
    pack_named: bool = True
    batch: Name | None = None
    backs: tuple[Name, ...] = ()
    limits: tuple[Limit, ...] = ()
    crew: tuple[Crew, ...] = ()
    seats: tuple[Seat, ...] = ()
    sabot: Name | None = None


class CardsInspected(_Fact, frozen=True, tag="cards-inspected"):
    """Somebody looked the cards over, faces and backs, or let a machine do it.

    ``model``, ``serial`` and ``receipt`` are what the machine printed.
    """

    by: Name
    found: Words = ""
    model: Name | None = None
    serial: Name | None = None
    receipt: Name | None = None


class ShoeShuffled(_Fact, frozen=True, tag="shoe-shuffled"):
    """The cards were shuffled by hand, or by a machine of that serial."""

    by: Name
    method: Literal["hand", "machine", "continuous"] = "hand"
    serial: Name | None = None
    turned: bool | None = None


class OrderCommitted(_Fact, frozen=True, tag="order-committed"):
    """The salted hash of the order of the cards in the shoe, which nobody has seen.

    SHA-256 over ``salt`` (hex), a newline, and the cards separated by spaces, first to leave
    first. `OrderOpened` shows salt and order once the shoe has ended.
    """

    sha256: Digest
    cards: Count


class ShoeCut(_Fact, frozen=True, tag="shoe-cut"):
    """Somebody cut the cards, so many from the front."""

    by: Name
    depth: Count | None = None


class StopCardPlaced(_Fact, frozen=True, tag="stop-card-placed"):
    """The cut card went into the shoe with so many cards behind it."""

    behind: Count


class CardBurned(_Fact, frozen=True, tag="card-burned"):
    """A card left the shoe for the discards without being dealt; a face-down one shows no face."""

    card: Card | None = None
    place: Number | None = None
    reason: Literal["opening", "relief", "ruling", "fault", "other"] = "opening"
    coup: Number | None = None


# -- People at the table --------------------------------------------------------------------


class ShoeOffered(_Fact, frozen=True, tag="shoe-offered"):
    """The shoe was offered to a patron, who may hold and deal it.

    ``amount`` is the bank that he has to match to take it over.
    """

    to: Name
    amount: Amount | None = None


class ShoeTaken(_Fact, frozen=True, tag="shoe-taken"):
    """A patron (or the dealer) took the shoe and deals from now on."""

    by: Name


class ShoeRefused(_Fact, frozen=True, tag="shoe-refused"):
    """A patron let the shoe go by."""

    by: Name


class ShoePassed(_Fact, frozen=True, tag="shoe-passed"):
    """The holder gave the shoe up; ``pack-ended``: the cards were dealt out."""

    by: Name
    reason: Literal["lost", "chosen", "ruling", "left", "pack-ended"] = "lost"


class PatronSeated(_Fact, frozen=True, tag="patron-seated"):
    """A patron sat down."""

    seat: Number
    patron: Name


class PatronLeft(_Fact, frozen=True, tag="patron-left"):
    """A patron left the table."""

    patron: Name


class CrewChanged(_Fact, frozen=True, tag="crew-changed"):
    """Somebody took a post, or left it empty."""

    post: Post
    person: Name | None


class LimitsChanged(_Fact, frozen=True, tag="limits-changed"):
    """The table's limits from now on; they replace all limits before."""

    limits: tuple[Limit, ...]
    displayed: bool | None = None


class RequestMade(_Fact, frozen=True, tag="request-made"):
    """A patron asked for something that prepares the cards: evidence, long before any bet."""

    patron: Name
    kind: Literal[
        "turn-card", "keep-decks", "shuffler", "dealer", "seat", "guest", "free-hand", "other"
    ]
    granted: bool | None = None
    detail: Words = ""
    coup: Number | None = None


# -- A coup ---------------------------------------------------------------------------------


class CoupOpened(_Fact, frozen=True, tag="coup-opened"):
    """Bets may be placed. A free hand is dealt without bets."""

    coup: Number
    free: bool = False


class BetPlaced(_Fact, frozen=True, tag="bet-placed"):
    """Chips lie on a wager. ``bet`` numbers the bets of a coup from 1."""

    coup: Number
    bet: Number
    patron: Name
    wager: Name
    amount: Amount
    seat: Number | None = None


class BetChanged(_Fact, frozen=True, tag="bet-changed"):
    """A bet stands at another amount now."""

    coup: Number
    bet: Number
    amount: Amount


class BetWithdrawn(_Fact, frozen=True, tag="bet-withdrawn"):
    """A bet was taken back by its patron."""

    coup: Number
    bet: Number


class BetCarried(_Fact, frozen=True, tag="bet-carried"):
    """A bet that a tie had pushed stays on the felt for this coup."""

    coup: Number
    bet: Number
    patron: Name
    wager: Name
    amount: Amount
    seat: Number | None = None


class NoMoreBets(_Fact, frozen=True, tag="no-more-bets"):
    """The dealer called no more bets ("rien ne va plus")."""

    coup: Number


class CardDrawn(_Fact, frozen=True, tag="card-drawn"):
    """A card left the shoe for a hand.

    ``place`` counts the cards that left the shoe, burns included, from 1. ``back`` is the way
    the back lay when it left, where a device or an observer gives it; ``face_up`` marks a card
    that lay face up in the shoe. ``seat`` tells whose hand it is where patrons have their own.
    """

    coup: Number
    hand: Hand
    card: Card
    place: Number | None = None
    back: Literal["straight", "turned"] | None = None
    face_up: bool = False
    seat: Number | None = None


class CardTurned(_Fact, frozen=True, tag="card-turned"):
    """A card dealt face down was shown; ``nth`` is its place in the hand, from 1."""

    coup: Number
    hand: Hand
    nth: Number
    seat: Number | None = None


class TotalsCalled(_Fact, frozen=True, tag="totals-called"):
    """The dealer announced the totals of the first two cards."""

    coup: Number
    player: Total
    banker: Total


class ResultCalled(_Fact, frozen=True, tag="result-called"):
    """The dealer announced the final totals and the outcome, or what of them was announced."""

    coup: Number
    player: Total | None = None
    banker: Total | None = None
    outcome: Outcome | None = None


class BetTaken(_Fact, frozen=True, tag="bet-taken"):
    """The house took chips from a bet."""

    coup: Number
    bet: Number
    amount: Amount


class BetPaid(_Fact, frozen=True, tag="bet-paid"):
    """The house paid chips to a bet, beside the stake, which stays the patron's.

    ``after_commission`` marks a record that gives what was won after the commission due, even
    if that was collected later.
    """

    coup: Number
    bet: Number
    amount: Amount
    after_commission: bool = False


class BetPushed(_Fact, frozen=True, tag="bet-pushed"):
    """A bet was neither taken nor paid."""

    coup: Number
    bet: Number


class CommissionMarked(_Fact, frozen=True, tag="commission-marked"):
    """Commission on a winning bet was marked, to be collected later."""

    coup: Number
    bet: Number
    amount: Amount


class CommissionCollected(_Fact, frozen=True, tag="commission-collected"):
    """Commission was collected from a patron: at once (with its bet), or what was marked."""

    patron: Name
    amount: Amount
    coup: Number | None = None
    bet: Number | None = None


class CoupClosed(_Fact, frozen=True, tag="coup-closed"):
    """The coup is over: cards cleared, bets settled."""

    coup: Number


class CoupVoided(_Fact, frozen=True, tag="coup-voided"):
    """The coup does not count; bets go back."""

    coup: Number
    reason: Words = ""
    by: Name | None = None


class BetAbandoned(_Fact, frozen=True, tag="bet-abandoned"):
    """A settled bet lies on the felt, stake and winnings, and nobody is there to take it up."""

    coup: Number
    bet: Number
    by: Name | None = None


class ShufflerFailed(_Fact, frozen=True, tag="shuffler-failed"):
    """The shuffling machine stopped or went wrong; ``fault`` is what it showed.

    ``disadvantage`` tells whether somebody at the table was worse off by it, where that was
    judged.
    """

    serial: Name | None = None
    fault: Words = ""
    coup: Number | None = None
    disadvantage: bool | None = None


class IrregularityNoted(_Fact, frozen=True, tag="irregularity-noted"):
    """Something went wrong, and somebody ruled on it."""

    kind: Irregularity
    ruling: Ruling = "none"
    coup: Number | None = None
    by: Name | None = None
    detail: Words = ""


# -- The end of the shoe --------------------------------------------------------------------


class CutCardReached(_Fact, frozen=True, tag="cut-card-reached"):
    """The cut card came to the mouth of the shoe; ``drawn`` cards had left the shoe before."""

    drawn: Count | None = None
    coup: Number | None = None


class LastCoupCalled(_Fact, frozen=True, tag="last-coup-called"):
    """The dealer announced that this coup, or the next, is the last of the shoe."""

    coup: Number | None = None


class OrderOpened(_Fact, frozen=True, tag="order-opened"):
    """The order that `OrderCommitted` had bound, with its salt."""

    salt: Annotated[str, Meta(pattern="^([0-9a-f]{2}){16,64}$", max_length=128)]
    order: tuple[Card, ...]


class ShoeEnded(_Fact, frozen=True, tag="shoe-ended"):
    """The shoe was taken out of play; ``left`` cards remained, ``counted`` of all were counted.

    ``faces`` lists the remaining cards, where somebody counted them by face.
    """

    left: Count | None = None
    counted: Count | None = None
    faces: tuple[Card, ...] = ()
    reason: EndOfShoe = "cut-card"


# -- The table ------------------------------------------------------------------------------


class TableOpened(_Fact, frozen=True, tag="table-opened"):
    """A table opened with chips in its tray."""

    inventory: Amount
    game: Name | None = None
    currency: Name | None = None
    crew: tuple[Crew, ...] = ()
    limits: tuple[Limit, ...] = ()


class RulePackAdopted(_Fact, frozen=True, tag="rule-pack-adopted"):
    """From now on shoes at this table are dealt by this pack."""

    pack: Name
    version: Name
    pack_sha256: Digest
    approved_by: Name | None = None


class ChipsBought(_Fact, frozen=True, tag="chips-bought"):
    """A patron bought chips for money, which went into the drop box."""

    patron: Name
    amount: Amount


class TableFilled(_Fact, frozen=True, tag="table-filled"):
    """Chips came to the tray from the cage."""

    amount: Amount
    slip: Name | None = None


class CreditSent(_Fact, frozen=True, tag="credit-sent"):
    """Chips went from the tray to the cage."""

    amount: Amount
    slip: Name | None = None


class DropCounted(_Fact, frozen=True, tag="drop-counted"):
    """The drop box was opened and counted."""

    amount: Amount
    by: Name | None = None


class AbandonedKept(_Fact, frozen=True, tag="abandoned-kept"):
    """What a bet that nobody took up came to was put by for its owner, under a slip."""

    slip: Name
    amount: Amount
    shoe: Name
    coup: Number
    bet: Number
    by: Name | None = None


class AbandonedClaimed(_Fact, frozen=True, tag="abandoned-claimed"):
    """The owner of abandoned money was found, and got it."""

    slip: Name
    amount: Amount
    to: Name
    by: Name | None = None


class TableClosed(_Fact, frozen=True, tag="table-closed"):
    """The table closed with chips in its tray."""

    inventory: Amount


# -- Any stream -----------------------------------------------------------------------------


class FactCorrected(_Fact, frozen=True, tag="fact-corrected"):
    """An earlier fact of this stream was recorded wrongly; the earlier one stays in the log.

    ``version`` names it. ``instead`` is what really happened, or None where nothing did.
    """

    version: Number
    reason: Words
    by: Name | None = None
    instead: "ShoeFact | TableFact | CardsFact | None" = None


ShoeFact = (
    ShoeLoaded
    | CardsInspected
    | ShoeShuffled
    | OrderCommitted
    | ShoeCut
    | StopCardPlaced
    | CardBurned
    | ShoeOffered
    | ShoeTaken
    | ShoeRefused
    | ShoePassed
    | PatronSeated
    | PatronLeft
    | CrewChanged
    | LimitsChanged
    | RequestMade
    | CoupOpened
    | BetPlaced
    | BetChanged
    | BetWithdrawn
    | BetCarried
    | NoMoreBets
    | CardDrawn
    | CardTurned
    | TotalsCalled
    | ResultCalled
    | BetTaken
    | BetPaid
    | BetPushed
    | CommissionMarked
    | CommissionCollected
    | CoupClosed
    | CoupVoided
    | BetAbandoned
    | ShufflerFailed
    | IrregularityNoted
    | CutCardReached
    | LastCoupCalled
    | OrderOpened
    | ShoeEnded
    | BankFact
    | FactCorrected
)

TableFact = (
    TableOpened
    | RulePackAdopted
    | CrewChanged
    | LimitsChanged
    | ChipsBought
    | TableFilled
    | CreditSent
    | DropCounted
    | AbandonedKept
    | AbandonedClaimed
    | TableClosed
    | FactCorrected
)

CardsFact = OnlyCustodyFact | CardsInspected | FactCorrected

Fact = ShoeFact | TableFact | CardsFact | AuditFact


def name_of(fact: Fact) -> str:
    """Return the event name of a fact: its permanent tag."""
    return str(fact.__struct_config__.tag)
