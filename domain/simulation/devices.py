"""The table's clock, and the devices that report a simulated shoe.

`TableClock` gives plausible seconds between events, for about 72 coups an hour. `as_told`
distributes a shoe's events to a card reader, a chip reader and the dealer's terminal, each with its
own clock and sequence numbers. The log receives them in order of arrival, which differs from the
order in which they happened.

Source of the pace: Wizard of Odds (72 coups an hour at big and mini tables).
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


class Device(Struct, frozen=True):
    """A device that reports events, with a clock error and a transmission delay.

    ``tells`` are the kinds of events that it reports. If it is empty, the device reports all events
    that no other device reports. Times are in microseconds; ``delay_us`` is the minimum and maximum
    delay.
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
"""Three devices with clocks 170 ms apart; chip events may arrive three seconds late."""


def as_told(
    events: Iterable[RecordedEvent], rng: random.Random, devices: Sequence[Device] = DEVICES
) -> list[RecordedEvent]:
    """Return a shoe's events as the devices report them.

    They are in order of arrival at the log.

    Args:
        events: the events in the order in which they happened, each with its true time.
        rng: random source of the delays.
        devices: the devices; the last one without ``tells`` reports all other events.
    """
    sent: list[tuple[int, RecordedEvent]] = []
    numbers = dict.fromkeys((device.name for device in devices), 0)
    for event in events:
        device = _who(devices, event.payload)
        numbers[device.name] += 1
        moment = event.recorded_us if event.at_us is None else event.at_us
        reported = replace(
            event, device=device.name, seq=numbers[device.name], at_us=moment + device.clock_us
        )
        sent.append((moment + rng.randint(*device.delay_us), reported))
    sent.sort(key=lambda arrival: arrival[0])
    return [
        replace(event, index=place, version=place, position=place, recorded_us=arrived)
        for place, (arrived, event) in enumerate(sent, 1)
    ]


def _who(devices: Sequence[Device], payload: ev.Event) -> Device:
    named = (device for device in devices if type(payload) in device.tells)
    others = (device for device in reversed(devices) if not device.tells)
    return next(named, None) or next(others)
