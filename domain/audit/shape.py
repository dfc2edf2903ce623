"""The shape of a coup that went by the book: some rules answer alike wherever it is the same.

Most coups are opened, bet on, called, dealt, settled to the last unit as is due, and closed, one
step after the other. Of such a coup the rules named in `BY_SHAPE` see nothing but its shape: which
kinds of facts it has, and which kinds of settlement were due. What they answer to the first coup
of a shape they answer to every other of the same shoe; so they are asked once. Where a coup has
no shape, each rule looks at it closely.
"""

from functools import lru_cache
from typing import Final

from domain import facts as f
from domain.audit.rule import CoupView
from domain.shoe import Shoe

BY_SHAPE: Final = frozenset((
    "winning-bet-was-paid-wrong",
    "losing-bet-was-not-taken",
    "pushed-bet-was-moved",
    "commission-was-wrong",
    "bet-was-never-settled",
    "voided-bet-was-settled",
    "winner-was-paid-before-losers-were-taken",
    "bet-was-settled-before-the-result",
    "card-was-drawn-before-no-more-bets",
    "bet-was-placed-late",
    "bet-was-changed-late",
    "wager-is-not-offered",
    "free-hand-took-a-bet",
    "coup-was-closed-on-too-few-cards",
    "ruling-was-not-carried-out",
    "coup-was-voided-without-a-reason",
    "shoe-ended-in-the-middle-of-a-coup",
    "coup-went-on-after-a-shuffler-fault",
))  # fmt: skip
"""Codes of the rules to which a shape says all."""

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


def may_have_shapes(shoe: Shoe) -> bool:
    """Tell whether coups of a shoe may have a shape: its facts stand in a known order."""
    if shoe.order is not None or shoe.scope != "whole":
        return False
    versions = [event.version for event in shoe.history]
    return versions == sorted(versions)


def shape_of(view: CoupView) -> Shape | None:
    """Return the shape of a coup that went by the book; None where it did not."""
    coup = view.coup
    if not view.dealt or view.open or coup.strays or coup.banked is not None:
        return None
    if len(view.dues) != len(coup.bets):
        return None
    kinds = _by_the_book(tuple([type(event.fact) for event in coup.events]))
    if kinds is None or (coup.bets and not view.as_due):
        return None
    for bet, due in view.dues:
        # settled to the unit, so by its due; and by one fact of its own kind
        if due is None or len(bet.moves) != 1 or type(bet.moves[0].fact) is not _MOVE[due.kind]:
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
    return frozenset(kinds)
