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
from typing import Final, NamedTuple

from domain import facts as f
from domain.audit.rule import as_due, total_of_two
from domain.cards import VALUE
from domain.coup import Bet, Coup
from domain.facts import Limit
from domain.procedure import last_coup, limit_on
from domain.result import Result, result_of
from domain.rulepack import RulePack
from domain.settlement import Cashier
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


class Shape(NamedTuple):
    """What the rules see of a coup that went by the book.

    ``kinds`` are those of its facts, ``due`` those of settlement that were due to its bets;
    ``free`` tells whether it was a free hand, ``late`` whether it came after the last coup,
    ``within`` whether every bet was made on record, has a limit and keeps it, with what else its
    patron has on the wager where limits are a patron's.
    """

    kinds: frozenset[type]
    due: frozenset[str]
    free: bool
    late: bool
    within: bool


class Setting(NamedTuple):
    """What of a shoe the rules see beside a coup that has a shape.

    ``named`` tells whether the record names the pack; ``ended`` and ``cut_card`` whether the shoe
    ended, and the cut card showed.
    """

    pack_text: str
    named: bool
    ended: bool
    cut_card: bool


class Answered(NamedTuple):
    """What a shape says, by the places of the rules among those of its game.

    ``reasons`` say why rules do not apply; ``others`` look at each coup of the shape. What is
    left is clean.
    """

    reasons: tuple[tuple[int, str], ...]
    others: tuple[int, ...]


ASKED_BY_PACK: Final[dict[str, Callable[[RulePack], bool]]] = {
    "winner-was-paid-out-of-turn": lambda pack: pack.settling.winners is not None,
    "table-differential-was-exceeded": lambda pack: pack.limits.differential is not None,
    "too-many-patrons-bet-on-a-seat": lambda pack: pack.table.per_seat is not None,
    "held-bet-was-taken-up": lambda pack: pack.tie.bets_stay and not pack.tie.withdrawable,
}
"""Rules that look at coups only where the pack asks it of them; else they are by shape, too."""

ASKED_BY_SHAPE: Final[dict[str, Callable[[Shape], bool]]] = {
    "bet-was-outside-the-limits": lambda shape: not shape.within,
    "patrons-bets-together-were-above-the-limit": lambda shape: not shape.within,
    "accepted-bet-was-cut-down": lambda shape: not shape.within,
    "excess-over-the-limit-was-not-returned": lambda shape: not shape.within,
    "bet-was-carried-that-no-tie-left": lambda shape: f.BetCarried in shape.kinds,
}
"""Rules that look at coups of some shapes; of others the shape says all."""

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
    """Return the rules to which a shape may say all, in this shoe; none, where no coup has a shape.

    No coup has one where the order of the facts is not known.
    """
    pack = shoe.pack
    if pack is None or pack.game != "punto-banco":
        return frozenset()
    versions = [event.version for event in shoe.history]
    if shoe.order is not None or shoe.scope != "whole" or versions != sorted(versions):
        return frozenset()
    asked = [code for code, asks in ASKED_BY_PACK.items() if not asks(pack)]
    return BY_SHAPE.union(asked, ASKED_BY_SHAPE)


def setting_of(shoe: Shoe) -> Setting:
    """Return what of a shoe the rules see beside its coups, where `by_shape` has rules for it."""
    return Setting(
        shoe.pack_text,
        getattr(shoe.loaded.fact, "pack_named", True) if shoe.loaded is not None else True,
        shoe.ended is not None,
        shoe.cut_card is not None,
    )


@lru_cache(maxsize=64)
def answered_in(setting: Setting) -> dict[Shape, Answered]:  # noqa: ARG001 - the key of the cache
    """Return what was answered so far to the shapes of a setting; more is written into it."""
    return {}


def looks_closely(code: str, shape: Shape) -> bool:
    """Tell whether a rule looks at each coup of a shape, though to others the shape says all."""
    asks = ASKED_BY_SHAPE.get(code)
    return asks is not None and asks(shape)


class Shapes:
    """Tells the shapes of a shoe's coups, where `by_shape` has rules for them."""

    def __init__(self, shoe: Shoe, cashier: Cashier | None) -> None:
        self._shoe, self._cashier = shoe, cashier
        self._last = last_coup(shoe)
        self._per_patron = shoe.pack is not None and shoe.pack.limits.per == "patron"
        self._limits: tuple[Limit, ...] = ()
        self._on_wager: dict[str, Limit | None] = {}

    def of(self, coup: Coup) -> Shape | None:
        """Return the shape of a coup that went by the book; None where it did not."""
        if coup.strays or coup.banked is not None:
            return None
        kinds = _by_the_book(tuple([type(event.fact) for event in coup.events]))
        if kinds is None:
            return None
        totals = total_of_two(coup.player), total_of_two(coup.banker)
        if not _dealt(coup, *totals):
            return None
        result = result_of(coup.player, coup.banker)
        due = self._settled(coup, result)
        if due is None or not _called(coup, totals, result):
            return None
        late = self._last is not None and coup.number > self._last
        return Shape(kinds, due, coup.free, late, self._within(coup))

    def _settled(self, coup: Coup, result: Result) -> frozenset[str] | None:
        """Return the kinds of settlement that were due, if all was settled so, by one fact each."""
        if self._cashier is None:
            return None
        due_to = self._cashier.due
        dues = [(bet, due_to(bet.wager, result, bet.amount)) for bet in coup.bets.values()]
        kinds = as_due(dues)
        if dues and not kinds:
            return None
        for bet, due in dues:
            if due is None or len(bet.moves) != 1 or type(bet.moves[0].fact) is not _MOVE[due.kind]:
                return None
        return kinds

    def _within(self, coup: Coup) -> bool:
        """Tell whether all bets keep limits that are on record."""
        bets = coup.bets.values()
        for bet in bets:
            limit = self._limit_on(bet)
            if limit is None or not limit.minimum <= bet.amount + bet.returned <= limit.maximum:
                return False
            if bet.carried and bet.staked is bet.placed:
                return False
        return not self._per_patron or len({(bet.patron, bet.wager) for bet in bets}) == len(bets)

    def _limit_on(self, bet: Bet) -> Limit | None:
        if bet.limits is not self._limits:
            # limits stand for many coups: each is looked up once
            self._limits, self._on_wager = bet.limits, {}
        if bet.wager not in self._on_wager:
            self._on_wager[bet.wager] = limit_on(bet.wager, bet.limits, self._shoe.pack)
        return self._on_wager[bet.wager]


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


def _dealt(coup: Coup, punto: int, banco: int) -> bool:
    """Tell whether the cards went face down and in order to the hands that were due them."""
    cards = [event.fact for event in coup.cards]
    thirds = _HANDS.get(tuple([card.hand for card in cards]))  # type: ignore[union-attr]
    if thirds is None or True in [card.face_up for card in cards]:  # type: ignore[union-attr]
        return False
    third = VALUE[coup.player[2]] if thirds[0] else None
    return thirds == (punto_draws(punto, banco), banco_draws(punto, banco, third))


def _called(coup: Coup, totals: tuple[int, int], result: Result) -> bool:
    """Tell whether all that was called is right."""
    for event in coup.calls:
        call = event.fact
        if type(call) is f.TotalsCalled:
            if (call.player, call.banker) != totals:
                return False
        elif type(call) is not f.ResultCalled or (
            (call.player, call.banker, call.outcome)
            != (result.player, result.banker, result.outcome)
        ):
            return False
    return True
