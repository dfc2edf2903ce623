"""A bet that from some coup of the shoe on the outcomes are known.

Whoever films the cards as the cut card goes through them knows nothing until that stretch of the
shoe is dealt, and then nearly every outcome (field-facts.md 4: "cutters", a lull and then a
streak). The change point is unknown, so all of them are bet on at once: before each coup a
twentieth of what still waits joins the bets on a streak, which believe in fixed accuracies.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain.protection.learner import Number, factor, odds_between

ACCURACIES: Final = (Fraction(4, 5), Fraction(19, 20))
WAKES: Final = Fraction(1, 20)


class StreakReader(Struct):
    """What waits, and what bets on each accuracy; together 1.

    ``wakes`` is the share that joins before each coup, ``rights`` are the accuracies.
    """

    waits: float
    bets: list[float]
    wakes: float
    rights: list[float]

    def bet(
        self, number: Number, worlds: Sequence[Sequence[int]], signal: int, came: int | None
    ) -> float:
        """Return the factor of this coup; arguments as of `learner.SideReader`."""
        unit = number(Fraction(1))
        waits, awake = self._woken()
        won = []
        for held, right in zip(awake, self.rights, strict=True):
            likely = [unit - right] * 2
            likely[signal] = right
            factors = [
                min((factor(world[:2], likely, side) for world in worlds), default=unit)
                for side in (0, 1)
            ]
            if came is None:
                won.append(held * min(unit, *factors))
            else:
                won.append(held * (unit if came > 1 else factors[came]))
        return self._share_out(waits, won)

    def least(self) -> float:
        """Take the least that the factor of this coup can be, whatever is signalled and comes."""
        waits, awake = self._woken()
        won = [
            held * odds_between([right, 1 - right])
            for held, right in zip(awake, self.rights, strict=True)
        ]
        return self._share_out(waits, won)

    def _woken(self) -> tuple[float, list[float]]:
        """Let a part of what waits join the bets; return what waits still, and what is bet."""
        woken = self.waits * self.wakes
        return self.waits - woken, [held + woken / len(self.bets) for held in self.bets]

    def _share_out(self, waits: float, won: list[float]) -> float:
        total = waits + sum(won)
        self.waits = waits / total
        self.bets = [each / total for each in won]
        return total


def streak_reader(number: Number) -> StreakReader:
    """Return a reader at the beginning of a shoe."""
    rights = [number(right) for right in ACCURACIES]
    return StreakReader(
        number(Fraction(1)), [number(Fraction(0))] * len(rights), number(WAKES), rights
    )
