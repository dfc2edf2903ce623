"""What was won, beside what an honest patron could expect: the money test that everybody knows.

Each coup's bet on a side is held against its exact mean and variance, given the cards that nobody
had seen and the pack's own pays: an honest patron who staked the same amounts on the same sides.
The z that comes of it is a model (the sum of many coups is taken for normal), for comparison with
the tests that need no thousand bets.
"""

from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.bet_signals import Stake
from sabot.domain.protection.e_process.coup_evidence import Evidence
from sabot.domain.protection.money.wager_values import Valuer

SIDES: Final = ("player", "banker")


class WinRate(Struct):
    """What a patron won of bets on a side, and what was to be expected, in minor units.

    ``staked`` is what he had on a side, ``variance`` the sum of the exact variances.
    """

    staked: int = 0
    bets: int = 0
    won: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    @property
    def z(self) -> float:
        """Deviations above the expected win."""
        return (self.won - self.expected) / self.variance**0.5 if self.variance else 0.0


def add_bet(rate: WinRate, valuer: Valuer, stake: Stake, evidence: Evidence) -> float | None:
    """Count a bet on a side; return what a unit of it won, None where it cannot be told."""
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
