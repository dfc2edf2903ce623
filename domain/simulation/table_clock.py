"""The clock of a simulated table.

It gives plausible seconds between events, for about 72 coups an hour.

Source of the pace: Wizard of Odds (72 coups an hour at big and mini tables).
"""

import random
from typing import Final

from sabot.domain import events as ev

COUP_S: Final = 50
"""Seconds from one opening of a coup to the next: 72 an hour."""
BETTING_S: Final = 20
"""Seconds for which bets are accepted."""
_SECOND_US: Final = 1_000_000

# Minimum and maximum seconds before an event; other events take one to two.
_PAUSE: Final[dict[type, tuple[float, float]]] = {
    ev.CardsInspected: (60.0, 120.0),
    ev.ShoeShuffled: (240.0, 420.0),
    ev.ShoeCut: (10.0, 25.0),
    ev.OrderCommitted: (1.0, 2.0),
    ev.StopCardPlaced: (5.0, 10.0),
    ev.CardBurned: (0.8, 1.6),
    ev.ShoeOffered: (0.2, 0.6),
    ev.ShoeTaken: (0.4, 1.0),
    ev.ShoeRefused: (0.4, 1.0),
    ev.ShoePassed: (0.3, 0.8),
    ev.BetPlaced: (0.5, 2.5),
    ev.BetChanged: (0.5, 1.5),
    ev.BetWithdrawn: (0.5, 1.5),
    ev.BetCarried: (0.1, 0.3),
    ev.CardDrawn: (1.2, 2.2),
    ev.CardTurned: (0.8, 2.0),
    ev.TotalsCalled: (0.5, 1.0),
    ev.ResultCalled: (0.5, 1.0),
    ev.BetTaken: (0.3, 0.8),
    ev.BetPushed: (0.1, 0.4),
    ev.BetPaid: (0.8, 1.6),
    ev.CommissionMarked: (0.4, 0.9),
    ev.CommissionCollected: (0.5, 1.2),
    ev.CoupClosed: (1.0, 2.0),
    ev.CutCardReached: (0.2, 0.5),
    ev.LastCoupCalled: (0.5, 1.5),
    ev.ShoeEnded: (60.0, 180.0),
    ev.OrderOpened: (1.0, 3.0),
}
_DEFAULT: Final = (1.0, 2.0)


class TableClock:
    """Gives each event of a table its time.

    Each time is later than the one before. ``out_us`` is the error of the clock of the table's
    device, in microseconds.
    """

    def __init__(self, start_us: int, rng: random.Random) -> None:
        """Start at ``start_us``, in microseconds since 1970 (UTC)."""
        self.now_us = start_us
        self.out_us = 0
        self._random = rng.random
        self._opened_us = start_us
        self._next_coup_us = 0

    def tick(self, payload: ev.Event) -> int:
        """Advance to the time of an event and return it, in microseconds."""
        kind = type(payload)
        least, most = _PAUSE.get(kind, _DEFAULT)
        pause = int((least + (most - least) * self._random()) * _SECOND_US)
        now = self.now_us + pause
        if kind is ev.CoupOpened:
            # the pace is fixed: a quick coup waits, a slow one shortens the pause
            now = max(now, self._next_coup_us)
            self._opened_us = now
            self._next_coup_us = now + int(COUP_S * _SECOND_US * (0.8 + 0.4 * self._random()))
        elif kind is ev.NoMoreBets:
            betting = int(BETTING_S * _SECOND_US * (0.8 + 0.4 * self._random()))
            now = max(now, self._opened_us + betting)
        self.now_us = now
        return now
