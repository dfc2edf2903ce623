"""Detect clocks that jumped, stood still or count too coarsely.

A clock that jumped or stood still is not used from the first event whose time is in doubt to the
end of the shoe. The order of the device's events and those of other devices is then unknown. Its
sequence numbers still order its own events.

A clock jumped if it went back, or was ahead of the log's clock, by more than the rule pack allows.
A clock stood still if events of different moments have one time.

A device may properly report several events with one time: the bets of one scan, or a close and the
next opening. Its clock stood still if the course of play (`sabot.domain.timeline.expected_order`)
puts another device's event between two of these events, and that event is later by more than the
tolerance. If the device reports its events one by one, any later event of another device that
belongs before the last of them is enough. All devices report cards one by one, since cards leave
the shoe so, and cards of two coups never have one time.

Two cases cannot be detected. One is a single event from a clock that stood still. The other is
several events that the device may report with one time, without another device's event between
them. Both look like events that came too early.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import gcd
from operator import itemgetter
from typing import Final, NamedTuple

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.timeline.expected_order import Step, begin_of, coup_of, placed_in

_UNITS: Final = (
    86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 100_000, 10_000, 1_000, 1,
)  # fmt: skip
"""Units in which clocks count, in microseconds: day, hour, minute, second and fractions."""
_PLACE = itemgetter(0)
_COMMISSION: Final = (ev.CommissionMarked, ev.CommissionCollected)
_SELDOM: Final = 8
"""A device reports one by one if fewer than one of so many events has the time of the one before.
"""
_MOMENTS: Final = 8
_EVENTS: Final = 48
"""The number of events needed to judge the unit of a clock.

``_MOMENTS`` is the number of distinct times needed. A few times may be whole units by chance.
"""


class StoppedClock(NamedTuple):
    """A clock that stood still, shown by two of its events with one time.

    ``first`` is the position, among the device's own events, of the first event with this time.
    ``between`` is another device's later event that belongs before ``after``. It is None if the two
    are cards of two coups.
    """

    first: int
    before: RecordedEvent
    after: RecordedEvent
    between: RecordedEvent | None


def stopped_clocks(
    devices: Mapping[str, Sequence[RecordedEvent]], tolerance_us: int
) -> dict[str, StoppedClock]:
    """Find the devices whose clock stood still, and where it did so first.

    Args:
        devices: the events of each device, in order of sequence number.
        tolerance_us: how far two clocks may differ, in microseconds.

    Cost: one pass over the events if no device has two events with one time.
    """
    alike = {device: runs for device, own in devices.items() if (runs := _runs(own))}
    if not alike:
        return {}
    placed = {device: placed_in(own) for device, own in devices.items()}
    found: dict[str, StoppedClock] = {}
    for device, runs in alike.items():
        others = sorted(
            (
                each
                for other, own in placed.items()
                if other != device
                for each in own
                # commission may be marked during settlement and collected long afterwards
                if each is not None and type(each.event.payload) not in _COMMISSION
            ),
            key=_PLACE,
        )
        unit = _unit_of(devices[device])
        seldom = _SELDOM * sum(last - first for first, last in runs) < len(devices[device])
        clock = _Clock(placed[device], others, tolerance_us, unit, seldom)
        stopped = next(filter(None, (clock.stop(*run) for run in runs)), None)
        if stopped is not None:
            found[device] = stopped
    return found


def jumped_from(own: Sequence[RecordedEvent], jump_us: int) -> int | None:
    """Return the position of the first event whose time a jump makes doubtful.

    Where the clock went back, the events with later times before it are in doubt too: the clock may
    have jumped forward before them. None if the clock did not jump.
    """
    latest: list[tuple[int, int]] = []
    for place, event in enumerate(own):
        at = event.at_us
        if at is None:
            continue
        if at > event.recorded_us + jump_us:
            return place
        if latest and at < latest[-1][0] - jump_us:
            return next(first for later, first in latest if later > at + jump_us)
        if not latest or at > latest[-1][0]:
            latest.append((at, place))
    return None


def coarse_clocks(
    devices: Mapping[str, Sequence[RecordedEvent]], tolerance_us: int
) -> dict[str, int]:
    """Return the unit of each clock that counts too coarsely, in microseconds.

    A unit is too coarse if it exceeds both the tolerance and the finest unit of all devices. If all
    clocks count whole seconds, a later second is a later time.
    """
    if len(devices) <= 1:
        return {}
    units = {device: _unit_of(own) for device, own in devices.items()}
    finest = max(tolerance_us, min(units.values()))
    return {
        device: unit
        for device, unit in units.items()
        if unit > finest
        and len(devices[device]) >= _EVENTS
        and len({event.at_us for event in devices[device]}) >= _MOMENTS
    }


def _unit_of(own: Sequence[RecordedEvent]) -> int:
    """Return the unit in which a clock counts, in microseconds; at most a day."""
    told = gcd(*(event.at_us for event in own if event.at_us is not None))
    return next(unit for unit in _UNITS if told % unit == 0)


def _runs(own: Sequence[RecordedEvent]) -> list[tuple[int, int]]:
    """Return the first and last positions of each run of consecutive events with one time."""
    told = [event.at_us for event in own]
    if len(set(told)) == len(told):
        return []
    runs: list[tuple[int, int]] = []
    place = 0
    for at, alike in groupby(told):
        behind = place + sum(1 for _ in alike)
        if at is not None and behind - place > 1:
            runs.append((place, behind - 1))
        place = behind
    return runs


class _Clock(NamedTuple):
    """The clock of one device, compared with the events of the others."""

    own: Sequence[Step | None]
    others: Sequence[Step]
    tolerance_us: int
    unit_us: int
    seldom: bool
    """Events seldom have the time of the one before."""

    def stop(self, first: int, last: int) -> StoppedClock | None:
        """Return the evidence that the clock stood still during a run of events, if any."""
        alike = [each for each in self.own[first : last + 1] if each is not None]
        cards = [each for each in alike if type(each.event.payload) is ev.CardDrawn]
        one_by_one = self.unit_us <= self.tolerance_us and (self.seldom or len(cards) > 1)
        found = self._between(first, alike, one_by_one) if alike else None
        if found is None and one_by_one and first > 0:
            return _of_two_coups(first, cards)
        return found

    def _between(self, first: int, alike: Sequence[Step], one_by_one: bool) -> StoppedClock | None:
        """Return the evidence of another device's later event that belongs before one of these."""
        before, latest = min(alike, key=_PLACE), max(alike, key=_PLACE)
        least = begin_of(coup_of(latest.place) - 1) if one_by_one else before.place + 1
        between = self._later(least, latest.place, before.event.at_us or 0)
        if between is None:
            return None
        after = next(each for each in alike if each.place > between.place)
        before = next(each for each in alike if each is not after)
        return StoppedClock(first, before.event, after.event, between.event)

    def _later(self, least: int, most: int, at: int) -> Step | None:
        """Return the first event of another device that certainly happened after a time.

        Args:
            least: only events from this place of the expected order on.
            most: only events before this place of the expected order.
            at: the time, in microseconds since 1970. A clock may be wrong by the tolerance.
        """
        low = bisect_left(self.others, least, key=_PLACE)
        high = bisect_left(self.others, most, lo=low, key=_PLACE)
        surely = at + self.tolerance_us + self.unit_us
        return next(
            (each for each in self.others[low:high] if (each.event.at_us or surely) > surely), None
        )


def _of_two_coups(first: int, cards: Sequence[Step]) -> StoppedClock | None:
    """Return the evidence that cards with one time are of two coups, if they are."""
    coup = coup_of(cards[0].place) if cards else 0
    later = next((card for card in cards if coup_of(card.place) != coup), None)
    return None if later is None else StoppedClock(first, cards[0].event, later.event, None)
