"""A table's clock: plausible seconds between facts, about 72 coups an hour.

Source of the pace: field-facts.md 5 (72 coups an hour at big and mini tables).
"""

import random
from typing import Final

from domain import facts as f

COUP_S: Final = 50
"""Seconds from one opening of a coup to the next: 72 an hour."""
BETTING_S: Final = 20
"""Seconds that the felt stays open for bets."""
_SECOND_US: Final = 1_000_000

# Seconds before a fact, at least and at most; what is not named takes one to two.
_PAUSE: Final[dict[type, tuple[float, float]]] = {
    f.CardsInspected: (60.0, 120.0),
    f.ShoeShuffled: (240.0, 420.0),
    f.ShoeCut: (10.0, 25.0),
    f.OrderCommitted: (1.0, 2.0),
    f.StopCardPlaced: (5.0, 10.0),
    f.CardBurned: (0.8, 1.6),
    f.ShoeOffered: (0.2, 0.6),
    f.ShoeTaken: (0.4, 1.0),
    f.ShoeRefused: (0.4, 1.0),
    f.ShoePassed: (0.3, 0.8),
    f.BetPlaced: (0.5, 2.5),
    f.BetChanged: (0.5, 1.5),
    f.BetWithdrawn: (0.5, 1.5),
    f.BetCarried: (0.1, 0.3),
    f.CardDrawn: (1.2, 2.2),
    f.CardTurned: (0.8, 2.0),
    f.TotalsCalled: (0.5, 1.0),
    f.ResultCalled: (0.5, 1.0),
    f.BetTaken: (0.3, 0.8),
    f.BetPushed: (0.1, 0.4),
    f.BetPaid: (0.8, 1.6),
    f.CommissionMarked: (0.4, 0.9),
    f.CommissionCollected: (0.5, 1.2),
    f.CoupClosed: (1.0, 2.0),
    f.CutCardReached: (0.2, 0.5),
    f.LastCoupCalled: (0.5, 1.5),
    f.ShoeEnded: (60.0, 180.0),
    f.OrderOpened: (1.0, 3.0),
}
_DEFAULT: Final = (1.0, 2.0)


class TableClock:
    """Gives each fact of a table its moment; it never goes back, and never stands still.

    ``out_us`` is how far the clock that the table's device shows is out.
    """

    def __init__(self, start_us: int, rng: random.Random) -> None:
        """Start at ``start_us``, in microseconds since 1970 (UTC)."""
        self.now_us = start_us
        self.out_us = 0
        self._random = rng.random
        self._opened_us = start_us
        self._next_coup_us = 0

    def tick(self, fact: f.Fact) -> int:
        """Let the time pass that comes before a fact, and return the moment, in microseconds."""
        kind = type(fact)
        least, most = _PAUSE.get(kind, _DEFAULT)
        pause = int((least + (most - least) * self._random()) * _SECOND_US)
        now = self.now_us + pause
        if kind is f.CoupOpened:
            # the pace is the table's: a quick coup waits, a slow one eats into the pause
            now = max(now, self._next_coup_us)
            self._opened_us = now
            self._next_coup_us = now + int(COUP_S * _SECOND_US * (0.8 + 0.4 * self._random()))
        elif kind is f.NoMoreBets:
            betting = int(BETTING_S * _SECOND_US * (0.8 + 0.4 * self._random()))
            now = max(now, self._opened_us + betting)
        self.now_us = now
        return now
