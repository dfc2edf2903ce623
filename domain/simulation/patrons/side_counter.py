"""A counter of side bets: legal, and by what everybody has seen.

He carries a count in his head: what each card that is gone does to a wager's expectation. A
main bet never pays a counter; some side bets do.
"""

import random
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from sabot.domain.simulation.patrons.habits import Habit, Side, Spot, Stakes, side_of


class Count(Struct, frozen=True):
    """A wager's expectation off the top, and what one card gone of eight decks does to it.

    In millionths of the stake; ``gone`` by point value 0 to 9. Exact figures of this program's
    odds, rounded, at the pays that the shipped packs give; a test computes them again.
    """

    start: int
    gone: tuple[int, ...]

    def expectation(self, unseen: Sequence[int]) -> float:
        """Estimate what a unit staked brings, from the cards unseen by point value.

        The estimate is linear in the shares of the values, as a count in the head is.
        """
        left = sum(unseen)
        if not left:
            return self.start / 1e6
        shift = sum(
            tag * (many / left - share)
            for tag, many, share in zip(self.gone, unseen, _SHARES, strict=True)
        )
        return (self.start - 415 * shift) / 1e6


# Of the cards of whole decks, 4 in 13 count ten and 1 in 13 each other value.
_SHARES: Final = (4 / 13, *(1 / 13 for _ in range(9)))

COUNTS: Final[dict[str, Count]] = {
    "tie": Count(-143596, (513, 129, -239, -214, -292, -264, -1160, -1091, 654, 426)),
    "dragon-7": Count(-76113, (863, 498, -896, -1076, -2680, -2635, -3242, -3584, 5378, 4785)),
    "panda-8": Count(-101876, (1208, 1322, 1444, -2861, -2536, -2655, -892, -914, -2241, 4502)),
    "super-6": Count(-299772, (-596, -312, -181, -419, 134, 204, -4527, 3137, 2442, 1906)),
    "lucky-6": Count(-166836, (-607, -324, -284, -936, -249, -147, -5151, 3697, 3238, 2584)),
}
"""Wagers that he can count."""


class SideCounter(Habit, frozen=True, kw_only=True):
    """A flat main bet, and side bets only while his count says that they pay.

    ``wager`` is the one that he counts; empty: every one that the table offers and he knows.
    ``margin`` is the expectation that he asks for, in units of the stake.
    """

    side: Side = "banker"
    wager: str = ""
    margin: float = 0.0

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake the unit on the side, and as much on every wager whose count is good."""
        stakes = {side_of(self.side, rng): self.unit}
        for wager, count in COUNTS.items():
            wanted = self.wager in ("", wager) and wager in spot.offered
            if wanted and count.expectation(spot.unseen) > self.margin:
                stakes[wager] = self.unit
        return stakes
