"""A shoe as a card reader, a chip reader and the dealer's terminal report it.

Each device has its own clock and sequence numbers. The log receives the events in order of arrival,
which differs from the order in which they happened.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent


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
