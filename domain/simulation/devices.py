"""A shoe as several devices tell it: each by its own clock and number, and each in its own time.

The croupier deals as one who sees everything at once. Here a card reader, a chip reader and the
dealer's terminal each tell the facts that they see: the log gets them in the order in which they
arrive, which is not that in which they happened.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import facts as f
from domain.event import Event


class Device(Struct, frozen=True):
    """What a device tells, how far its clock is out, and how long its facts are on their way.

    ``tells`` are kinds of facts; none: whatever no other device tells. Times in microseconds;
    a fact takes ``delay_us`` at least and at most.
    """

    name: str
    tells: tuple[type, ...] = ()
    clock_us: int = 0
    delay_us: tuple[int, int] = (0, 0)


_CARDS: Final = (f.CardDrawn, f.CardBurned, f.CutCardReached)
_CHIPS: Final = (
    f.BetPlaced, f.BetCarried, f.BetChanged, f.BetWithdrawn, f.BetTaken, f.BetPaid, f.BetPushed,
)  # fmt: skip

DEVICES: Final = (
    Device("card-reader", _CARDS, 90_000, (5_000, 60_000)),
    Device("chip-reader", _CHIPS, -80_000, (200_000, 3_000_000)),
    Device("terminal", (), 0, (50_000, 1_500_000)),
)
"""Three devices whose clocks lie 170 ms apart; facts on chips may be three seconds late."""


def as_told(
    events: Iterable[Event], rng: random.Random, devices: Sequence[Device] = DEVICES
) -> list[Event]:
    """Return a shoe's facts as the devices tell them, in the order in which the log gets them.

    Args:
        events: the facts in the order in which they happened, each with its true moment.
        rng: how long each is on its way.
        devices: who tells what; the last that tells whatever no other does.
    """
    sent: list[tuple[int, Event]] = []
    numbers = dict.fromkeys((device.name for device in devices), 0)
    for event in events:
        device = _who(devices, event.fact)
        numbers[device.name] += 1
        moment = event.recorded_us if event.at_us is None else event.at_us
        told = replace(
            event, device=device.name, seq=numbers[device.name], at_us=moment + device.clock_us
        )
        sent.append((moment + rng.randint(*device.delay_us), told))
    sent.sort(key=lambda arrival: arrival[0])
    return [
        replace(event, index=place, version=place, recorded_us=arrived)
        for place, (arrived, event) in enumerate(sent, 1)
    ]


def _who(devices: Sequence[Device], fact: f.Fact) -> Device:
    named = (device for device in devices if type(fact) in device.tells)
    others = (device for device in reversed(devices) if not device.tells)
    return next(named, None) or next(others)
