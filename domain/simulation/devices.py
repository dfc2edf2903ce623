"""A table's clock: plausible seconds between events, about 72 coups an hour.

Source of the pace: Wizard of Odds (72 coups an hour at big and mini tables).

A shoe as several devices tell it: each by its own clock and number, and each in its own time.

The croupier deals as one who sees everything at once. Here a card reader, a chip reader and the
dealer's terminal each tell the events that they see: the log gets them in the order in which they
arrive, which is not that in which they happened.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent

COUP_S: Final = 50
"""Seconds from one opening of a coup to the next: 72 an hour."""
BETTING_S: Final = 20
"""Seconds that the felt stays open for bets."""
_SECOND_US: Final = 1_000_000

# Seconds before an event, at least and at most; what is not named takes one to two.
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
    """Gives each event of a table its moment; it never goes back, and never stands still.

    ``out_us`` is how far the clock that the table's device shows is out.
    """

    def __init__(self, start_us: int, rng: random.Random) -> None:
        """Start at ``start_us``, in microseconds since 1970 (UTC)."""
        self.now_us = start_us
        self.out_us = 0
        self._random = rng.random
        self._opened_us = start_us
        self._next_coup_us = 0

    def tick(self, payload: ev.Event) -> int:
        """Let the time pass that comes before an event, and return the moment, in microseconds."""
        kind = type(payload)
        least, most = _PAUSE.get(kind, _DEFAULT)
        pause = int((least + (most - least) * self._random()) * _SECOND_US)
        now = self.now_us + pause
        if kind is ev.CoupOpened:
            # the pace is the table's: a quick coup waits, a slow one eats into the pause
            now = max(now, self._next_coup_us)
            self._opened_us = now
            self._next_coup_us = now + int(COUP_S * _SECOND_US * (0.8 + 0.4 * self._random()))
        elif kind is ev.NoMoreBets:
            betting = int(BETTING_S * _SECOND_US * (0.8 + 0.4 * self._random()))
            now = max(now, self._opened_us + betting)
        self.now_us = now
        return now


class Device(Struct, frozen=True):
    """What a device tells, how far its clock is out, and how long its events are on their way.

    ``tells`` are kinds of events; none: whatever no other device tells. Times in microseconds;
    an event takes ``delay_us`` at least and at most.
    """

    name: str
    tells: tuple[type, ...] = ()
    clock_us: int = 0
    delay_us: tuple[int, int] = (0, 0)


_CARDS: Final = (ev.CardDrawn, ev.CardBurned, ev.CutCardReached)
_CHIPS: Final = (
    ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn, ev.BetTaken, ev.BetPaid,
    ev.BetPushed,
)  # fmt: skip

DEVICES: Final = (
    Device("card-reader", _CARDS, 90_000, (5_000, 60_000)),
    Device("chip-reader", _CHIPS, -80_000, (200_000, 3_000_000)),
    Device("terminal", (), 0, (50_000, 1_500_000)),
)
"""Three devices whose clocks lie 170 ms apart; events on chips may be three seconds late."""


def as_told(
    events: Iterable[RecordedEvent], rng: random.Random, devices: Sequence[Device] = DEVICES
) -> list[RecordedEvent]:
    """Return a shoe's events as the devices tell them, in the order in which the log gets them.

    Args:
        events: the events in the order in which they happened, each with its true moment.
        rng: how long each is on its way.
        devices: who tells what; the last that tells whatever no other does.
    """
    sent: list[tuple[int, RecordedEvent]] = []
    numbers = dict.fromkeys((device.name for device in devices), 0)
    for event in events:
        device = _who(devices, event.payload)
        numbers[device.name] += 1
        moment = event.recorded_us if event.at_us is None else event.at_us
        told = replace(
            event, device=device.name, seq=numbers[device.name], at_us=moment + device.clock_us
        )
        sent.append((moment + rng.randint(*device.delay_us), told))
    sent.sort(key=lambda arrival: arrival[0])
    return [
        replace(event, index=place, version=place, position=place, recorded_us=arrived)
        for place, (arrived, event) in enumerate(sent, 1)
    ]


def _who(devices: Sequence[Device], payload: ev.Event) -> Device:
    named = (device for device in devices if type(payload) in device.tells)
    others = (device for device in reversed(devices) if not device.tells)
    return next(named, None) or next(others)
