"""Habits of patrons who play by what anybody at the table can see.

A habit is a pure object: it is shown the `Spot` (the public history, its own bankroll) and a
random source of its own, and says what it stakes. No card that is still in the shoe is in a
spot; only what a cheat's own channel told him is, under ``knows``.
"""

import random
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal, get_args

from msgspec import Struct

from sabot.domain.events import Outcome, RequestMade

Stakes = Mapping[str, int]
"""Amounts in minor units, by wager; empty is sitting out."""
Side = Literal["player", "banker", "random"]
SIDES: Final[tuple[str, ...]] = get_args(Side)
NOTHING: Final[Stakes] = {}
Moment = Literal["third", "result"]
"""When a bet is too late: before a third card while four lie open, or as the result is called."""
_OTHER: Final = {"player": "banker", "banker": "player"}


class Ask(Struct, frozen=True):
    """A request that a patron makes of the table, and whether it is granted."""

    kind: Literal["turn-card", "keep-decks", "shuffler", "dealer", "seat", "guest", "other"]
    detail: str = ""
    granted: bool = True

    def made_by(self, patron: str, coup: int | None) -> RequestMade:
        """Return the event."""
        return RequestMade(patron, self.kind, self.granted, self.detail, coup)


class Played(Struct, frozen=True, gc=False):
    """A coup as its patron remembers it: what he staked, and his net after commission."""

    coup: int
    stakes: Stakes
    net: int


class OnFelt(Struct, frozen=True, gc=False):
    """A bet that lies on the felt for all to see."""

    patron: str
    wager: str
    amount: int


class Spot(Struct):
    """What a patron could know at the moment when he bets; amounts in minor units.

    ``outcomes`` are those of this shoe's coups. ``unseen`` counts, by point value 0 to 9, the
    cards whose face nobody has seen. ``mine`` are this patron's own coups of this shoe, those
    that he bet on. ``knows`` is what a cheat's channel told him, and None for everybody else.
    """

    coup: int
    outcomes: Sequence[Outcome]
    unseen: Sequence[int]
    bankroll: int
    won: int
    minimum: int
    maximum: int
    offered: frozenset[str]
    felt: Sequence[OnFelt]
    mine: Sequence[Played]
    knows: object = None


def side_of(side: Side, rng: random.Random) -> str:
    """Return the side itself, or either by whim."""
    return ("player", "banker")[rng.random() < 0.5] if side == "random" else side  # noqa: PLR2004


class Habit(Struct, frozen=True, kw_only=True):
    """How a patron plays. ``unit`` is his usual stake, in minor units."""

    unit: int = 2500

    rides: ClassVar[bool] = True
    """Whether he lets a bet stand that a tie left on the felt, and thinks no further."""
    waits: ClassVar[bool] = False
    """Whether he bets after the others."""

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Say what he stakes on this coup."""
        raise NotImplementedError

    def asks(self, spot: Spot, rng: random.Random) -> tuple[Ask, ...]:  # noqa: ARG002
        """Say what he requests before this coup; nothing, for most."""
        return ()

    def late(
        self,
        moment: Moment,  # noqa: ARG002
        wins: str,  # noqa: ARG002
        stakes: Stakes,  # noqa: ARG002
        rng: random.Random,  # noqa: ARG002
    ) -> Stakes | None:
        """Say what shall lie on the felt after the call, given what does; None: let it stand.

        ``wins`` is the wager that wins, as far as he knows.
        """
        return None


class Flat(Habit, frozen=True, kw_only=True):
    """The same stake every coup, on one side or on either by whim."""

    side: Side = "banker"

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002
        """Stake the unit."""
        return {side_of(self.side, rng): self.unit}


class Trend(Habit, frozen=True, kw_only=True):
    """Bets on the side that won last, or against it."""

    follows: bool = True

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake the unit on, or against, the last winner; on a whim before there is one."""
        last = _last_winner(spot) or side_of("random", rng)
        return {last if self.follows else _OTHER[last]: self.unit}


class Martingale(Habit, frozen=True, kw_only=True):
    """Doubles after each loss until a win, or until the table's maximum stops him."""

    side: Side = "banker"

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake twice what was lost last; the unit again after a win, or past the maximum."""
        last = spot.mine[-1] if spot.mine else None
        stake = self.unit
        if last is not None:
            main = sum(amount for wager, amount in last.stakes.items() if wager in _OTHER)
            stake = 2 * main if last.net < 0 else main if last.net == 0 else self.unit
        if not 0 < stake <= spot.maximum or stake > spot.bankroll:
            stake = self.unit
        return {side_of(self.side, rng): stake}


class TieLover(Habit, frozen=True, kw_only=True):
    """A main bet, and a hope for the tie beside it on most coups."""

    side: Side = "player"

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake on the side, and on the tie three times in four."""
        stakes = {side_of(self.side, rng): self.unit}
        if "tie" in spot.offered and rng.random() < 0.75:  # noqa: PLR2004
            stakes["tie"] = max(spot.minimum, self.unit // 5)
        return stakes


class SideBettor(Habit, frozen=True, kw_only=True):
    """A main bet, and every coup one of the side bets that the table offers."""

    side: Side = "random"

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake on a side and on a side bet chosen by whim."""
        stakes = {side_of(self.side, rng): self.unit}
        beside = sorted(spot.offered - {"player", "banker", "tie"}) or ["tie"]
        stakes[rng.choice(beside)] = max(spot.minimum, self.unit // 5)
        return stakes


class Dawdler(Habit, frozen=True, kw_only=True):
    """Changes sides by whim once the call is made and four cards lie open, now and then.

    Against the rules, but by no knowledge. ``share`` is the share of coups at which he does.
    """

    share: float = 0.2

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002
        """Stake the unit on a whim."""
        return {side_of("random", rng): self.unit}

    def late(
        self,
        moment: Moment,
        wins: str,  # noqa: ARG002
        stakes: Stakes,
        rng: random.Random,
    ) -> Stakes | None:
        """Move the stake to the other side."""
        if moment != "third" or rng.random() >= self.share:
            return None
        return {_OTHER[wager]: amount for wager, amount in stakes.items() if wager in _OTHER}


class MainCounter(Habit, frozen=True, kw_only=True):
    """Counts the main bets: Player while more high cards than usual are unseen, else Banker.

    Legal, and worth almost nothing. He stakes more the further the count is out.
    """

    spread: int = 4

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002
        """Stake on the side that the count speaks for."""
        # nine values count above ten; four of them are high
        excess = 9 * sum(spot.unseen[6:]) - 4 * sum(spot.unseen[1:])
        times = min(self.spread, 1 + abs(excess) // 20)
        return {"player" if excess > 0 else "banker": times * self.unit}


class Copycat(Habit, frozen=True, kw_only=True):
    """Bets beside another: the patron named, or whoever staked most this coup."""

    of: str = ""

    waits: ClassVar[bool] = True
    rides: ClassVar[bool] = False

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002
        """Stake the unit on the main bet that he copies; sit out where there is none."""
        main = [bet for bet in spot.felt if bet.wager in _OTHER]
        if self.of:
            main = [bet for bet in main if bet.patron == self.of]
        if not main:
            return NOTHING
        return {max(main, key=lambda bet: bet.amount).wager: self.unit}


def _last_winner(spot: Spot) -> str | None:
    for outcome in reversed(spot.outcomes):
        if outcome != "T":
            return "player" if outcome == "P" else "banker"
    return None
