"""The shape of a coup that went by the book: some rules answer alike wherever it is the same.

Most coups are opened, bet on, called, dealt by the tableau, called again, settled to the last unit
as is due, and closed, one step after the other. Of such a coup the rules named here see nothing
but its shape: which kinds of facts it has, and which kinds of settlement were due. What they
answer to the first coup of a shape they answer to every other of the same shoe; so they are asked
once. Where a coup has no shape, each rule looks at it closely.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from domain import facts as f
from domain.audit.rule import CoupView
from domain.rulepack import RulePack
from domain.shoe import Shoe
from domain.tableau import banco_draws, punto_draws

BY_SHAPE: Final = frozenset((
    "punto-drew-against-tableau",
    "punto-stood-against-tableau",
    "banco-drew-against-tableau",
    "banco-stood-against-tableau",
    "hand-took-a-fourth-card",
    "two-card-totals-were-miscalled",
    "final-totals-were-miscalled",
    "outcome-was-miscalled",
    "call-came-before-its-cards",
    "winning-bet-was-paid-wrong",
    "losing-bet-was-not-taken",
    "pushed-bet-was-moved",
    "commission-was-wrong",
    "bet-was-never-settled",
    "voided-bet-was-settled",
    "winner-was-paid-before-losers-were-taken",
    "bet-was-settled-before-the-result",
    "bet-was-settled-after-the-close",
    "cards-were-cleared-before-the-bets-were-settled",
    "discards-were-not-covered",
    "card-was-drawn-before-no-more-bets",
    "bet-was-placed-late",
    "bet-was-changed-late",
    "wager-is-not-offered",
    "free-hand-took-a-bet",
    "cards-were-dealt-out-of-order",
    "coup-was-closed-on-too-few-cards",
    "face-up-card-was-passed-over",
    "wrong-draw-was-passed-over",
    "ruling-was-not-carried-out",
    "dealt-card-was-burned-without-a-ruling",
    "card-was-drawn-for-a-coup-that-was-over",
    "no-bet-hand-was-not-played-out",
    "card-was-not-given-to-banker",
    "card-changed-hands-without-a-ruling",
    "coup-was-voided-without-a-reason",
    "shoe-ended-in-the-middle-of-a-coup",
    "coup-went-on-after-a-shuffler-fault",
))  # fmt: skip
"""Codes of the rules to which a shape says all."""

ASKED_BY_PACK: Final[dict[str, Callable[[RulePack], bool]]] = {
    "winner-was-paid-out-of-turn": lambda pack: pack.settling.winners is not None,
    "table-differential-was-exceeded": lambda pack: pack.limits.differential is not None,
    "patrons-bets-together-were-above-the-limit": lambda pack: pack.limits.per == "patron",
    "accepted-bet-was-cut-down": lambda pack: pack.limits.accepted == "in-full",
    "excess-over-the-limit-was-not-returned": lambda pack: pack.limits.accepted == "capped",
    "too-many-patrons-bet-on-a-seat": lambda pack: pack.table.per_seat is not None,
    "held-bet-was-taken-up": lambda pack: pack.tie.bets_stay and not pack.tie.withdrawable,
}
"""Rules that look at coups only where the pack asks it of them; else they are by shape, too."""

Shape = tuple[frozenset[type], frozenset[str], bool]
"""The kinds of facts, the kinds of settlement that were due, and whether it was a free hand."""

_STAGES: Final[dict[type, int]] = {
    f.CoupOpened: 0,
    f.BetPlaced: 1,
    f.BetCarried: 1,
    f.NoMoreBets: 2,
    f.CardDrawn: 3,
    f.CardTurned: 3,
    f.TotalsCalled: 3,
    f.ResultCalled: 4,
    f.BetTaken: 5,
    f.BetPushed: 5,
    f.BetPaid: 6,
    f.CommissionMarked: 6,
    f.CommissionCollected: 6,
    f.CoupClosed: 7,
}
_ONCE: Final = (f.CoupOpened, f.NoMoreBets, f.ResultCalled, f.CoupClosed)
_MOVE: Final[dict[str, type]] = {"take": f.BetTaken, "push": f.BetPushed, "pay": f.BetPaid}
_FOUR: Final[tuple[f.Hand, ...]] = ("player", "banker", "player", "banker")
_HANDS: Final = {
    (*_FOUR, *("player",) * punto, *("banker",) * banco): (punto, banco)
    for punto in (False, True)
    for banco in (False, True)
}
"""The hands to which a coup's cards go, with whether punto and banco took a third."""


def by_shape(shoe: Shoe) -> frozenset[str]:
    """Return the rules to which a shape says all, in this shoe; none, where no coup has a shape.

    No coup has one where the order of the facts is not known.
    """
    pack = shoe.pack
    if pack is None or pack.game != "punto-banco":
        return frozenset()
    versions = [event.version for event in shoe.history]
    if shoe.order is not None or shoe.scope != "whole" or versions != sorted(versions):
        return frozenset()
    return BY_SHAPE.union(code for code, asks in ASKED_BY_PACK.items() if not asks(pack))


def shape_of(view: CoupView) -> Shape | None:
    """Return the shape of a coup that went by the book; None where it did not."""
    coup = view.coup
    if not view.dealt or view.open or coup.strays or coup.banked is not None:
        return None
    kinds = _by_the_book(tuple([type(event.fact) for event in coup.events]))
    if kinds is None or not _settled(view) or not _dealt(view) or not _called(view):
        return None
    return kinds, view.as_due, coup.free


@lru_cache(maxsize=4096)
def _by_the_book(kinds: tuple[type, ...]) -> frozenset[type] | None:
    """Return which kinds of facts there are, if they came step after step."""
    stages = [_STAGES.get(kind, -1) for kind in kinds]
    if stages != sorted(stages) or -1 in stages[:1]:
        return None
    if any(kinds.count(kind) != 1 for kind in _ONCE):
        return None
    if f.TotalsCalled in kinds:
        before = kinds[: kinds.index(f.TotalsCalled)]
        if before.count(f.CardDrawn) < len(_FOUR):
            return None
    return frozenset(kinds)


def _settled(view: CoupView) -> bool:
    """Tell whether every bet was settled to the unit as is due, by one fact of that kind."""
    if len(view.dues) != len(view.coup.bets) or (view.dues and not view.as_due):
        return False
    for bet, due in view.dues:
        if due is None or len(bet.moves) != 1 or type(bet.moves[0].fact) is not _MOVE[due.kind]:
            return False
    return True


def _dealt(view: CoupView) -> bool:
    """Tell whether the cards went face down and in order to the hands that were due them."""
    cards = [event.fact for event in view.coup.cards]
    thirds = _HANDS.get(tuple([card.hand for card in cards]))  # type: ignore[union-attr]
    punto, banco = view.punto, view.banco
    due = punto_draws(punto, banco), banco_draws(punto, banco, view.third)
    return thirds == due and True not in [card.face_up for card in cards]  # type: ignore[union-attr]


def _called(view: CoupView) -> bool:
    """Tell whether all that was called is right."""
    result = view.result
    for event in view.coup.calls:
        call = event.fact
        if type(call) is f.ResultCalled:
            if (call.player, call.banker, call.outcome) != (
                result.player,
                result.banker,
                result.outcome,
            ):
                return False
        elif type(call) is not f.TotalsCalled or (
            (call.player, call.banker) != (view.punto, view.banco)
        ):
            return False
    return True
