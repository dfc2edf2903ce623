"""The shape of a coup that went by the book: some rules answer alike wherever it is the same.

Most coups are opened, bet on, called, dealt by the tableau, called again, settled to the last unit
as is due, and closed, one step after the other. Of such a coup the rules named here see nothing
but its shape: which kinds of facts it has, which kinds of settlement were due, and what else is
named below; and of its shoe nothing but the `Setting`. What they answer to the first coup of a
shape they answer to every other in that setting, be it of another shoe; so they are asked once.
Where a coup has no shape, each rule looks at it closely.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from domain import facts as f
from domain.shoe import Shoe

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
    "commission-was-collected-and-not-owed",
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
    "dealt-card-was-burned-without-a-ruling",
    "card-was-drawn-for-a-coup-that-was-over",
    "no-bet-hand-was-not-played-out",
    "card-was-not-given-to-banker",
    "card-changed-hands-without-a-ruling",
    "coup-was-voided-without-a-reason",
    "shoe-ended-in-the-middle-of-a-coup",
    "coup-went-on-after-a-shuffler-fault",
    "coup-was-dealt-after-the-last",
))  # fmt: skip
"""Codes of the rules to which a shape says all."""


class Shape(Struct, frozen=True, gc=False):
    """What the rules see of a coup that went by the book.

    ``kinds`` are those of its facts, ``due`` those of settlement that were due to its bets;
    ``free`` tells whether it was a free hand, ``late`` whether it came after the last coup,
    ``within`` whether every bet was made on record, has a limit and keeps it, with what else its
    patron has on the wager where limits are a patron's. ``held`` tells whether the pack may
    hold bets that a tie left in the coup before, or there are none in this one.

    ``balanced`` tells whether Player and Banker bets differ by no more than the pack lets them,
    ``seated`` whether the bets name their seats, and no more patrons bet on one than the pack
    lets them; both hold where it says nothing of it. ``winners`` says whether they were paid
    plainly in their turn: empty where the pack asks none of them. ``shown`` tells whether the cards
    that are dealt face down were turned before they were called.
    """

    kinds: frozenset[type]
    due: frozenset[str]
    free: bool
    late: bool
    within: bool
    held: bool
    balanced: bool
    seated: bool
    winners: Literal["", "few", "in-turn", "closely"]
    shown: bool


class Setting(NamedTuple):
    """What of a shoe the rules see beside a coup that has a shape.

    ``named`` tells whether the record names the pack; ``ended`` and ``cut_card`` whether the shoe
    ended, and the cut card showed; ``ruled`` whether irregularities were noted of no coup by name.
    """

    pack_text: str
    named: bool
    ended: bool
    cut_card: bool
    ruled: bool


class Answered(NamedTuple):
    """What a shape says, by the places of the rules among those of its game.

    ``reasons`` say why rules do not apply; ``others`` look at each coup of the shape. What is
    left is clean.
    """

    reasons: tuple[tuple[int, str], ...]
    others: tuple[int, ...]


def _ruled(shoe: Shoe) -> bool:
    """Tell whether an irregularity was noted of no coup by name: it may be of one all the same.

    A coup that has a shape has none of its own; one that names another coup is that one's.
    """
    return any(getattr(event.fact, "coup", None) is None for event in shoe.irregularities)


ASKED_BY_SHOE: Final[dict[str, Callable[[Shoe], bool]]] = {
    "ruling-was-not-carried-out": _ruled,
}
"""Rules that look at coups where something in the shoe asks it of them; else they are by shape."""

ASKED_BY_SHAPE: Final[dict[str, Callable[[Shape], bool]]] = {
    "bet-was-outside-the-limits": lambda shape: not shape.within,
    "patrons-bets-together-were-above-the-limit": lambda shape: not shape.within,
    "accepted-bet-was-cut-down": lambda shape: not shape.within,
    "excess-over-the-limit-was-not-returned": lambda shape: not shape.within,
    "bet-was-carried-that-no-tie-left": lambda shape: f.BetCarried in shape.kinds,
    "held-bet-was-taken-up": lambda shape: shape.held,
    "table-differential-was-exceeded": lambda shape: not shape.balanced,
    "too-many-patrons-bet-on-a-seat": lambda shape: not shape.seated,
    "coup-was-decided-with-its-cards-face-down": lambda shape: not shape.shown,
    "winner-was-paid-out-of-turn": lambda shape: shape.winners == "closely",
}
"""Rules that look at coups of some shapes; of others the shape says all."""


def by_shape(shoe: Shoe) -> frozenset[str]:
    """Return the rules to which a shape may say all, in this shoe; none, where no coup has a shape.

    No coup has one where the order of the facts is not known.
    """
    pack = shoe.pack
    if pack is None or pack.game != "punto-banco":
        return frozenset()
    versions = [event.version for event in shoe.history]
    if shoe.order is not None or shoe.scope != "whole" or versions != sorted(versions):
        return frozenset()
    by_shoe = [code for code, asks in ASKED_BY_SHOE.items() if not asks(shoe)]
    return BY_SHAPE.union(by_shoe, ASKED_BY_SHAPE)


def setting_of(shoe: Shoe) -> Setting:
    """Return what of a shoe the rules see beside its coups, where `by_shape` has rules for it."""
    return Setting(
        shoe.pack_text,
        getattr(shoe.loaded.fact, "pack_named", True) if shoe.loaded is not None else True,
        shoe.ended is not None,
        shoe.cut_card is not None,
        _ruled(shoe),
    )


@lru_cache(maxsize=64)
def answered_in(setting: Setting) -> dict[Shape, Answered]:  # noqa: ARG001 - the key of the cache
    """Return what was answered so far to the shapes of a setting; more is written into it."""
    return {}


def looks_closely(code: str, shape: Shape) -> bool:
    """Tell whether a rule looks at each coup of a shape, though to others the shape says all."""
    asks = ASKED_BY_SHAPE.get(code)
    return asks is not None and asks(shape)
