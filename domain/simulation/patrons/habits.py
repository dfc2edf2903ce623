"""Habits of simulated patrons who use public information only.

A habit is a pure object. Given the `Spot` (public history and its own bankroll) and its own random
source, it returns the stakes. A spot contains no card that is still in the shoe, except a cheat's
information under ``knows``.
"""

import random
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal, get_args

from msgspec import Struct

from sabot.domain.events import Outcome, RequestMade

Stakes = Mapping[str, int]
"""Amounts in minor units, by wager; empty to sit out."""
Side = Literal["player", "banker", "random"]
SIDES: Final[tuple[str, ...]] = get_args(Side)
NOTHING: Final[Stakes] = {}
Moment = Literal["third", "result"]
"""Moments for a late bet: before a third card with four open, or at the call of the result."""
_EVEN_CHANCE: Final = 0.5
_TIE_SHARE: Final = 0.75
_OTHER: Final = {"player": "banker", "banker": "player"}


class Ask(Struct, frozen=True):
    """A patron's request, and whether it is granted."""

    kind: Literal["turn-card", "keep-decks", "shuffler", "dealer", "seat", "guest", "other"]
    detail: str = ""
    granted: bool = True

    def made_by(self, patron: str, coup: int | None) -> RequestMade:
        """Return the event of the request."""
        return RequestMade(patron, self.kind, self.granted, self.detail, coup)


class Played(Struct, frozen=True, gc=False):
    """A past coup in which a patron bet. ``net`` is the win after commission."""

    coup: int
    stakes: Stakes
    net: int


class OnFelt(Struct, frozen=True, gc=False):
    """A bet on the layout, which everyone can see."""

    patron: str
    wager: str
    amount: int


class Spot(Struct):
    """What a patron knows when betting.

    Amounts are in minor units. ``outcomes`` are those of this shoe's coups. ``unseen`` counts the
    unseen cards by point value 0 to 9. ``mine`` are the coups of this shoe on which the patron has
    bet. ``knows`` is the information of a cheat's channel, and None for everyone else.
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
    """Return the given side, or a random one if the side is to be random."""
    return ("player", "banker")[rng.random() < _EVEN_CHANCE] if side == "random" else side


class Habit(Struct, frozen=True, kw_only=True):
    """A patron's way of playing. ``unit`` is the usual stake, in minor units."""

    unit: int = 2500

    rides: ClassVar[bool] = True
    """Whether a bet left by a tie stays without further thought."""
    waits: ClassVar[bool] = False
    """Whether the patron bets after the others."""

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Return the stakes on this coup."""
        raise NotImplementedError

    def asks(self, spot: Spot, rng: random.Random) -> tuple[Ask, ...]:  # noqa: ARG002
        """Return the requests before this coup; none by default."""
        return ()

    def late(
        self,
        moment: Moment,  # noqa: ARG002
        wins: str,  # noqa: ARG002
        stakes: Stakes,  # noqa: ARG002
        rng: random.Random,  # noqa: ARG002
    ) -> Stakes | None:
        """Return the stakes that the patron wants after the call. None for no change.

        ``wins`` is the wager that wins, as far as the patron knows.
        """
        return None


class Flat(Habit, frozen=True, kw_only=True):
    """The same stake every coup. The side is fixed or random."""

    side: Side = "banker"

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002
        """Stake the unit."""
        return {side_of(self.side, rng): self.unit}


class Trend(Habit, frozen=True, kw_only=True):
    """Bets on the side that won last, or against it."""

    follows: bool = True

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake the unit on the last winner, or against it.

        Before there is a winner, the side is random.
        """
        last = _last_winner(spot) or side_of("random", rng)
        return {last if self.follows else _OTHER[last]: self.unit}


class Martingale(Habit, frozen=True, kw_only=True):
    """Doubles after each loss until a win, up to the table's maximum."""

    side: Side = "banker"

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake twice the last loss.

        After a win, or past the table's maximum, stake the unit again.
        """
        last = spot.mine[-1] if spot.mine else None
        stake = self.unit
        if last is not None:
            main = sum(amount for wager, amount in last.stakes.items() if wager in _OTHER)
            stake = 2 * main if last.net < 0 else main if last.net == 0 else self.unit
        if not 0 < stake <= spot.maximum or stake > spot.bankroll:
            stake = self.unit
        return {side_of(self.side, rng): stake}


class TieLover(Habit, frozen=True, kw_only=True):
    """A main bet, with a tie bet on most coups."""

    side: Side = "player"

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake on the side, and on the tie three times in four."""
        stakes = {side_of(self.side, rng): self.unit}
        if "tie" in spot.offered and rng.random() < _TIE_SHARE:
            stakes["tie"] = max(spot.minimum, self.unit // 5)
        return stakes


class SideBettor(Habit, frozen=True, kw_only=True):
    """A main bet, with one of the table's side bets every coup."""

    side: Side = "random"

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake on Player or Banker, and a random side bet."""
        stakes = {side_of(self.side, rng): self.unit}
        beside = sorted(spot.offered - {"player", "banker", "tie"}) or ["tie"]
        stakes[rng.choice(beside)] = max(spot.minimum, self.unit // 5)
        return stakes


class Dawdler(Habit, frozen=True, kw_only=True):
    """Sometimes changes sides at random after the call.

    Four cards are open then. This breaks the rules, but uses no hidden knowledge. ``share`` is the
    share of coups with such a change.
    """

    share: float = 0.2

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002
        """Stake the unit on a random side."""
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
    """Counts the cards that favour each main bet.

    The patron bets Player if there are more high cards among the unseen ones than usual, else
    Banker. This is legal, and worth almost nothing. The stake grows with the count.
    """

    spread: int = 4

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002
        """Stake on the side that the count favours."""
        # nine values count more than 0; four of them are high
        excess = 9 * sum(spot.unseen[6:]) - 4 * sum(spot.unseen[1:])
        times = min(self.spread, 1 + abs(excess) // 20)
        return {"player" if excess > 0 else "banker": times * self.unit}


class Copycat(Habit, frozen=True, kw_only=True):
    """Copies the main bet of a named patron, or of the largest bettor of the coup."""

    of: str = ""

    waits: ClassVar[bool] = True
    rides: ClassVar[bool] = False

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002
        """Stake the unit on the copied main bet, or nothing if there is none."""
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
