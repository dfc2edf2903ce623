"""A simulated patron who legally counts cards for side bets.

Only public information is used. A count tracks how each card that leaves the shoe changes a wager's
expectation. Counting never pays for a main bet; it does for some side bets.
"""

import random
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from sabot.domain.simulation.patrons.habits import Habit, Side, Spot, Stakes, side_of


class Count(Struct, frozen=True):
    """A wager's expectation and the effect of removed cards.

    ``start`` is for eight full decks, ``gone`` for one card removed. Both are in millionths of the
    stake; ``gone`` is by point value 0 to 9. They are exact odds of this program, rounded, at the
    payouts of the shipped packs. A test recomputes them.
    """

    start: int
    gone: tuple[int, ...]

    def expectation(self, unseen: Sequence[int]) -> float:
        """Estimate the expectation per unit from the unseen cards.

        The estimate is linear in the shares of the values, like a count kept mentally.
        """
        left = sum(unseen)
        if not left:
            return self.start / 1e6
        shift = sum(
            tag * (many / left - share)
            for tag, many, share in zip(self.gone, unseen, _SHARES, strict=True)
        )
        return (self.start - 415 * shift) / 1e6


# Of the cards of full decks, 4 in 13 are ten-valued and 1 in 13 has each other value.
_SHARES: Final = (4 / 13, *(1 / 13 for _ in range(9)))

COUNTS: Final[dict[str, Count]] = {
    "tie": Count(-143596, (513, 129, -239, -214, -292, -264, -1160, -1091, 654, 426)),
    "dragon-7": Count(-76113, (863, 498, -896, -1076, -2680, -2635, -3242, -3584, 5378, 4785)),
    "panda-8": Count(-101876, (1208, 1322, 1444, -2861, -2536, -2655, -892, -914, -2241, 4502)),
    "super-6": Count(-299772, (-596, -312, -181, -419, 134, 204, -4527, 3137, 2442, 1906)),
    "lucky-6": Count(-166836, (-607, -324, -284, -936, -249, -147, -5151, 3697, 3238, 2584)),
}
"""Wagers with a count."""


class SideCounter(Habit, frozen=True, kw_only=True):
    """A flat main bet, with side bets when favourable.

    ``wager`` is the wager counted; empty for every offered wager with a count. ``margin`` is the
    minimum expectation, per unit staked.
    """

    side: Side = "banker"
    wager: str = ""
    margin: float = 0.0

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake on the side and on every favourable side bet. Each stake is the unit."""
        stakes = {side_of(self.side, rng): self.unit}
        for wager, count in COUNTS.items():
            wanted = self.wager in ("", wager) and wager in spot.offered
            if wanted and count.expectation(spot.unseen) > self.margin:
                stakes[wager] = self.unit
        return stakes
