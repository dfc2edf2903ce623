"""Events of a coup: bets, cards, calls, payments and irregularities."""

from typing import Literal

from sabot.domain.events.base import EventBase
from sabot.domain.values.cards import Card
from sabot.domain.values.scalars import (
    Amount,
    Hand,
    Irregularity,
    Name,
    Number,
    Outcome,
    Ruling,
    Total,
    Words,
)


class CoupOpened(EventBase, frozen=True, tag="coup-opened"):
    """A coup began and bets may be placed. A free hand is dealt without bets."""

    coup: Number
    free: bool = False


class BetPlaced(EventBase, frozen=True, tag="bet-placed"):
    """A patron placed a bet. ``bet`` numbers the bets of a coup from 1."""

    coup: Number
    bet: Number
    patron: Name
    wager: Name
    amount: Amount
    seat: Number | None = None


class BetChanged(EventBase, frozen=True, tag="bet-changed"):
    """A bet was raised or lowered to this amount."""

    coup: Number
    bet: Number
    amount: Amount


class BetWithdrawn(EventBase, frozen=True, tag="bet-withdrawn"):
    """A patron withdrew a bet."""

    coup: Number
    bet: Number


class BetCarried(EventBase, frozen=True, tag="bet-carried"):
    """A bet pushed by a tie stayed for this coup."""

    coup: Number
    bet: Number
    patron: Name
    wager: Name
    amount: Amount
    seat: Number | None = None


class NoMoreBets(EventBase, frozen=True, tag="no-more-bets"):
    """The dealer called no more bets ("rien ne va plus")."""

    coup: Number


class CardDrawn(EventBase, frozen=True, tag="card-drawn"):
    """A card was drawn from the shoe to a hand.

    ``place`` counts the cards that left the shoe from 1, burned cards included. ``back`` is the
    orientation of the card's back as it left the shoe, if a device or an observer reports it.
    ``face_up`` marks a card that was face up in the shoe. ``seat`` identifies the hand in games in
    which each patron has a hand.
    """

    coup: Number
    hand: Hand
    card: Card
    place: Number | None = None
    back: Literal["straight", "turned"] | None = None
    face_up: bool = False
    seat: Number | None = None


class CardTurned(EventBase, frozen=True, tag="card-turned"):
    """A card dealt face down was turned. ``nth`` is its place in the hand, from 1."""

    coup: Number
    hand: Hand
    nth: Number
    seat: Number | None = None


class TotalsCalled(EventBase, frozen=True, tag="totals-called"):
    """The dealer announced the totals of the first two cards."""

    coup: Number
    player: Total
    banker: Total


class ResultCalled(EventBase, frozen=True, tag="result-called"):
    """The dealer announced the final totals and the outcome. Each of these may be missing."""

    coup: Number
    player: Total | None = None
    banker: Total | None = None
    outcome: Outcome | None = None


class CardReassigned(EventBase, frozen=True, tag="card-reassigned"):
    """A ruling moved the last card of one hand to the other hand."""

    coup: Number
    hand: Literal["player", "banker"]
    to: Literal["player", "banker"]
    by: Name | None = None


class BetTaken(EventBase, frozen=True, tag="bet-taken"):
    """The house took chips from a bet."""

    coup: Number
    bet: Number
    amount: Amount


class BetPaid(EventBase, frozen=True, tag="bet-paid"):
    """The house paid a bet.

    The amount does not include the stake. ``after_commission`` marks an amount net of the
    commission due, even if the commission was collected later.
    """

    coup: Number
    bet: Number
    amount: Amount
    after_commission: bool = False


class BetPushed(EventBase, frozen=True, tag="bet-pushed"):
    """A bet was neither taken nor paid."""

    coup: Number
    bet: Number


class CommissionMarked(EventBase, frozen=True, tag="commission-marked"):
    """Commission on a winning bet was marked for later."""

    coup: Number
    bet: Number
    amount: Amount


class CommissionCollected(EventBase, frozen=True, tag="commission-collected"):
    """Marked or immediate commission was collected from a patron.

    ``bet`` is given if the commission was collected with its bet.
    """

    patron: Name
    amount: Amount
    coup: Number | None = None
    bet: Number | None = None


class CardsCleared(EventBase, frozen=True, tag="cards-cleared"):
    """The cards of the coup went to the discards.

    ``covered`` is whether the cards are hidden from view there. Without this event, the cards count
    as cleared when the coup is closed.
    """

    coup: Number
    covered: bool | None = None


class CoupClosed(EventBase, frozen=True, tag="coup-closed"):
    """The coup ended: cards cleared, bets settled."""

    coup: Number


class CoupVoided(EventBase, frozen=True, tag="coup-voided"):
    """The coup was declared void; its bets are returned."""

    coup: Number
    reason: Words = ""
    by: Name | None = None


class BetAbandoned(EventBase, frozen=True, tag="bet-abandoned"):
    """A settled bet was left on the layout. Nobody took the stake and winnings."""

    coup: Number
    bet: Number
    by: Name | None = None


class ShufflerFailed(EventBase, frozen=True, tag="shuffler-failed"):
    """The shuffling machine failed; ``fault`` is the fault it displayed.

    ``disadvantage`` is the ruling on whether the failure disadvantaged a patron or the house, if
    there was one.
    """

    serial: Name | None = None
    fault: Words = ""
    coup: Number | None = None
    disadvantage: bool | None = None


class IrregularityNoted(EventBase, frozen=True, tag="irregularity-noted"):
    """An irregularity was noted, with the ruling on it."""

    kind: Irregularity
    ruling: Ruling = "none"
    coup: Number | None = None
    by: Name | None = None
    detail: Words = ""
