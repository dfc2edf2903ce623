"""Facts of a coup: bets, cards, calls, payments, and what went wrong."""

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
    """Bets may be placed. A free hand is dealt without bets."""

    coup: Number
    free: bool = False


class BetPlaced(EventBase, frozen=True, tag="bet-placed"):
    """Chips lie on a wager. ``bet`` numbers the bets of a coup from 1."""

    coup: Number
    bet: Number
    patron: Name
    wager: Name
    amount: Amount
    seat: Number | None = None


class BetChanged(EventBase, frozen=True, tag="bet-changed"):
    """A bet stands at another amount now."""

    coup: Number
    bet: Number
    amount: Amount


class BetWithdrawn(EventBase, frozen=True, tag="bet-withdrawn"):
    """A bet was taken back by its patron."""

    coup: Number
    bet: Number


class BetCarried(EventBase, frozen=True, tag="bet-carried"):
    """A bet that a tie had pushed stays on the felt for this coup."""

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


class CardTurned(EventBase, frozen=True, tag="card-turned"):
    """A card dealt face down was shown; ``nth`` is its place in the hand, from 1."""

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
    """The dealer announced the final totals and the outcome, or what of them was announced."""

    coup: Number
    player: Total | None = None
    banker: Total | None = None
    outcome: Outcome | None = None


class CardReassigned(EventBase, frozen=True, tag="card-reassigned"):
    """The last card of a hand was given to the other, by a ruling."""

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
    """The house paid chips to a bet, beside the stake, which stays the patron's.

    ``after_commission`` marks a record that gives what was won after the commission due, even
    if that was collected later.
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
    """Commission on a winning bet was marked, to be collected later."""

    coup: Number
    bet: Number
    amount: Amount


class CommissionCollected(EventBase, frozen=True, tag="commission-collected"):
    """Commission was collected from a patron: at once (with its bet), or what was marked."""

    patron: Name
    amount: Amount
    coup: Number | None = None
    bet: Number | None = None


class CardsCleared(EventBase, frozen=True, tag="cards-cleared"):
    """The coup's cards went to the discards; ``covered`` tells whether nobody can see them there.

    Where no such event is recorded they were cleared when the coup was closed.
    """

    coup: Number
    covered: bool | None = None


class CoupClosed(EventBase, frozen=True, tag="coup-closed"):
    """The coup is over: cards cleared, bets settled."""

    coup: Number


class CoupVoided(EventBase, frozen=True, tag="coup-voided"):
    """The coup does not count; bets go back."""

    coup: Number
    reason: Words = ""
    by: Name | None = None


class BetAbandoned(EventBase, frozen=True, tag="bet-abandoned"):
    """A settled bet lies on the felt, stake and winnings, and nobody is there to take it up."""

    coup: Number
    bet: Number
    by: Name | None = None


class ShufflerFailed(EventBase, frozen=True, tag="shuffler-failed"):
    """The shuffling machine stopped or went wrong; ``fault`` is what it showed.

    ``disadvantage`` tells whether somebody at the table was worse off by it, where that was
    judged.
    """

    serial: Name | None = None
    fault: Words = ""
    coup: Number | None = None
    disadvantage: bool | None = None


class IrregularityNoted(EventBase, frozen=True, tag="irregularity-noted"):
    """Something went wrong, and somebody ruled on it."""

    kind: Irregularity
    ruling: Ruling = "none"
    coup: Number | None = None
    by: Name | None = None
    detail: Words = ""
