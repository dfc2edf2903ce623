"""A patron's win compared with an honest patron's expectation.

Each bet on Player or Banker is compared with its exact mean and variance, given the unseen cards
and the pack's payouts, for an honest patron with the same stakes on the same sides. The resulting z
score is a model: it assumes that the sum over many coups is normal. It serves for comparison with
the tests that need far fewer bets.
"""

from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.bet_signals import Stake
from sabot.domain.protection.e_process.coup_evidence import Evidence
from sabot.domain.protection.e_process.next_card_chances import Counts
from sabot.domain.protection.money.wager_values import Valuer
from sabot.domain.protection.observation.unseen_cards import full_shoe_counts
from sabot.domain.values.scalars import Outcome

SIDES: Final = ("player", "banker")
NO_TOTALS: Final = "the record has the outcome alone, and the wager pays by totals"
MISSING: Final = "cards that may have been seen are not on record"
VOIDED: Final = "the coup was voided"
NO_RESULT: Final = "the cards on record do not determine the result"


class WinRate(Struct):
    """A patron's win on Player and Banker, and the expected win, in minor units.

    ``staked`` is the total staked on Player or Banker, ``variance`` the sum of the exact variances.
    ``left_out`` counts, by reason, the bets on them that cannot be compared.
    """

    staked: int = 0
    bets: int = 0
    won: float = 0.0
    expected: float = 0.0
    variance: float = 0.0
    left_out: dict[str, int] = {}

    def leave_out(self, why: str) -> None:
        """Count a bet on Player or Banker that cannot be compared, with the reason."""
        self.left_out[why] = self.left_out.get(why, 0) + 1

    @property
    def z(self) -> float:
        """The win less its expectation, in standard deviations."""
        return (self.won - self.expected) / self.variance**0.5 if self.variance else 0.0


def add_bet(rate: WinRate, valuer: Valuer, stake: Stake, evidence: Evidence) -> float | None:
    """Add a bet on Player or Banker. Return its net win per unit, or None if it is unknown."""
    result = evidence.coup.result
    if len(evidence.outcome) != 1 or evidence.coup.voided or result is None:
        rate.leave_out(_why_not(evidence))
        return None
    won = valuer.brings(result)
    _add(rate, valuer, stake, evidence.coup.unseen, won)
    return won


def _why_not(evidence: Evidence) -> str:
    if evidence.coup.voided:
        return VOIDED
    return NO_RESULT if len(evidence.outcome) == 1 else MISSING


def add_bet_on_outcome(
    rate: WinRate, valuer: Valuer, stake: Stake, decks: int, outcome: Outcome
) -> bool:
    """Add a bet on Player or Banker in a coup for which only the outcome is on record.

    No card was seen, so the unseen cards are those of the whole shoe. Return False, without adding,
    for a wager that depends on more than the outcome.
    """
    won = valuer.brings_by_outcome(outcome)
    if won is None:
        rate.leave_out(NO_TOTALS)
        return False
    _add(rate, valuer, stake, full_shoe_counts(decks), won)
    return True


def _add(rate: WinRate, valuer: Valuer, stake: Stake, unseen: Counts, won: float) -> None:
    ways = valuer.ways(unseen)
    total = sum(ways)
    mean = sum(pay * many for pay, many in zip(valuer.pays, ways, strict=True)) / total
    square = sum(pay * pay * many for pay, many in zip(valuer.pays, ways, strict=True)) / total
    rate.bets += 1
    rate.staked += stake.main
    rate.won += won * stake.main
    rate.expected += mean * stake.main
    rate.variance += (square - mean**2) * stake.main**2
