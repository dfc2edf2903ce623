"""What was won, beside what an honest patron could expect: the money test that everybody knows.

Each coup's bet on a side is held against its exact mean and variance, given the cards that nobody
had seen and the pack's own pays: an honest patron who staked the same amounts on the same sides.
The z that comes of it is a model (the sum of many coups is taken for normal), for comparison with
the tests that need no thousand bets.
"""

from functools import lru_cache
from typing import Final

from msgspec import Struct

from domain.protection.evidence import Evidence
from domain.protection.expectations import Valuer, valuer_for
from domain.protection.mixture import Stake
from domain.rulepack import parse_pack

SIDES: Final = ("player", "banker")
_PLAIN: Final = frozenset(("player-wins", "banker-wins", "tie"))


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


class Terms(Struct):
    """How a pack settles a side: its valuer, and whether the outcome alone decides."""

    valuer: Valuer
    plain: bool
    on_outcome: list[float]

    def moments(self, evidence: Evidence) -> tuple[float, float]:
        """Return the mean and the mean square of what a unit brings, given what is unseen."""
        if self.plain:
            ways = evidence.outcome[0]
            pays = self.on_outcome
        else:
            ways, pays = self.valuer.ways(evidence.coup.unseen), self.valuer.pays
        total = sum(ways)
        shares = [many / total for many in ways]
        return (
            sum(pay * share for pay, share in zip(pays, shares, strict=True)),
            sum(pay * pay * share for pay, share in zip(pays, shares, strict=True)),
        )

    def won(self, evidence: Evidence) -> float | None:
        """Return what a unit brought, by the tableau; None where that cannot be told."""
        if self.plain:
            return None if evidence.came is None else self.on_outcome[evidence.came]
        result = evidence.coup.result
        return None if result is None else self.valuer.brings(result)


@lru_cache(maxsize=256)
def terms_of(pack_text: str, side: int) -> Terms | None:
    """Return a pack's terms for Player (0) or Banker (1); None where it does not offer them."""
    valuer = valuer_for(pack_text, SIDES[side])
    wager = parse_pack(pack_text).wager(SIDES[side])
    if valuer is None or wager is None:
        return None
    plain = all(line.on in _PLAIN for line in wager.lines)
    found = []
    for name in ("player-wins", "banker-wins", "tie"):
        lines = [
            pay for line, pay in zip(wager.lines, valuer.pays, strict=False) if line.on == name
        ]
        found.append(lines[0] if lines else valuer.pays[-1])
    return Terms(valuer, plain, found)


def add_bet(rate: WinRate, terms: Terms, stake: Stake, evidence: Evidence) -> float | None:
    """Count a bet on a side; return what a unit of it won, None where it cannot be told."""
    if len(evidence.outcome) != 1 or evidence.coup.voided:
        return None
    won = terms.won(evidence)
    if won is None:
        return None
    mean, square = terms.moments(evidence)
    rate.bets += 1
    rate.staked += stake.main
    rate.won += won * stake.main
    rate.expected += mean * stake.main
    rate.variance += (square - mean**2) * stake.main**2
    return won
