"""A patron's win compared with an honest patron's expectation.

Each bet on a side is compared with its exact mean and variance, given the unseen cards and the
pack's payouts, for an honest patron with the same stakes on the same sides. The resulting z score
is a model: it assumes that the sum over many coups is normal. It serves for comparison with the
tests that need far fewer bets.
"""

from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.bet_signals import Stake
from sabot.domain.protection.e_process.coup_evidence import Evidence
from sabot.domain.protection.money.wager_values import Valuer

SIDES: Final = ("player", "banker")


class WinRate(Struct):
    """A patron's win on sides, and its expectation, in minor units.

    ``staked`` is the total staked on a side, ``variance`` the sum of the exact variances.
    """

    staked: int = 0
    bets: int = 0
    won: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    @property
    def z(self) -> float:
        """Standard deviations above the expected win."""
        return (self.won - self.expected) / self.variance**0.5 if self.variance else 0.0


def add_bet(rate: WinRate, valuer: Valuer, stake: Stake, evidence: Evidence) -> float | None:
    """Add a bet on a side. Return its net win per unit, or None if it is unknown."""
    result = evidence.coup.result
    if len(evidence.outcome) != 1 or evidence.coup.voided or result is None:
        return None
    ways = valuer.ways(evidence.coup.unseen)
    total = sum(ways)
    mean = sum(pay * many for pay, many in zip(valuer.pays, ways, strict=True)) / total
    square = sum(pay * pay * many for pay, many in zip(valuer.pays, ways, strict=True)) / total
    won = valuer.brings(result)
    rate.bets += 1
    rate.staked += stake.main
    rate.won += won * stake.main
    rate.expected += mean * stake.main
    rate.variance += (square - mean**2) * stake.main**2
    return won
