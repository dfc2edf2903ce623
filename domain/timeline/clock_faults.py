"""Detect clocks that stood still: equal times for events of different moments.

A device may properly report several events with one time: the bets of one scan, or a close and the
next opening. Its clock stood still if the course of play (`sabot.domain.timeline.expected_order`)
puts another device's event between two of these events, and that event is later by more than the
tolerance. Example: cards of two coups with one time, and a call between them ten seconds later.

Some events cannot share a time: two cards, since they leave the shoe one by one, and whatever else
the device reports one by one. For these, any later event that belongs before the last of them is
enough.

A clock that stood still is slow: its events happened at the reported time or later. So an event
that seems too late is too late, and for one that seems too early the order is unknown. The clock
stays slow until it leaps forward by as long as it stood.

Two cases cannot be detected. One is a single event from a clock that stood still. The other is
several events that the device may report with one time, without another device's event between
them. Both look like events that came too early.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
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
_USUAL: Final = 8
"""The least ratio of pairs with different times to pairs with equal times.

Above this ratio a device is assumed to report such events one by one.
"""
_RIGHT: Final = 10
"""The greatest error of a leap that corrects a slow clock, as 1/n of its lag."""
_PLACE = itemgetter(0)
_COMMISSION: Final = (ev.CommissionMarked, ev.CommissionCollected)
_MOMENTS: Final = 8
_EVENTS: Final = 48
"""The number of events needed to judge the unit of a clock.

``_MOMENTS`` is the number of distinct times needed. A few times may be whole units by chance.
"""

_Kind = tuple[type, type, bool]
"""Types of two consecutive events of a device, and whether of one coup."""
_CARDS: Final[_Kind] = (ev.CardDrawn, ev.CardDrawn, True)


class FrozenClockEvidence(NamedTuple):
    """Two events with one time, and another device's event that belongs between them.

    ``between`` is None if the two are cards of two coups, from a device that reports cards one by
    one.
    """

    before: RecordedEvent
    after: RecordedEvent
    between: RecordedEvent | None


class FrozenClock(NamedTuple):
    """Events of one device with one time, some of which happened later.

    ``first`` and ``last`` are their positions among the device's own events. ``passed_us`` is the
    shortest possible time that the clock stood still, in microseconds. ``proof`` is None if the
    clock's unit is too coarse for a proof: a clock of whole minutes need not have stood still.
    """

    first: int
    last: int
    passed_us: int
    proof: FrozenClockEvidence | None


def frozen_clocks_of(
    devices: Mapping[str, Sequence[RecordedEvent]], tolerance_us: int
) -> dict[str, list[FrozenClock]]:
    """Find where the clocks of devices stood still.

    Args:
        devices: the events of each device, in order of sequence number.
        tolerance_us: how far two clocks may differ, in microseconds.

    Cost: one pass over the events if no device has two events with one time.
    """
    alike = {device: runs for device, own in devices.items() if (runs := _runs(own))}
    if not alike:
        return {}
    placed = {device: placed_in(own) for device, own in devices.items()}
    found: dict[str, list[FrozenClock]] = {}
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
        clock = _Clock(devices[device], placed[device], others, tolerance_us)
        stops = [stop for run in runs if (stop := clock.stop(*run)) is not None]
        if stops:
            found[device] = stops
    return found


def slow_by(events: Sequence[RecordedEvent], stops: Sequence[FrozenClock]) -> set[int]:
    """Return the positions of events recorded while a stopped clock was still slow."""
    slow: set[int] = set()
    for stop in stops:
        slow.update(range(stop.first, stop.last + 1))
        said, by = events[stop.last].at_us or 0, stop.passed_us
        for place in range(stop.last + 1, len(events)):
            at = events[place].at_us
            if at is None:
                continue
            if at - said >= by - by // _RIGHT:
                break
            slow.add(place)
            said, by = at, by + max(0, said - at)
    return slow


def unit_of(own: Sequence[RecordedEvent]) -> int:
    """Return the unit in which a clock counts, in microseconds; at most a day."""
    told = gcd(*(event.at_us for event in own if event.at_us is not None))
    return next(unit for unit in _UNITS if told % unit == 0)


def counted_in(devices: Mapping[str, Sequence[RecordedEvent]], tolerance_us: int) -> dict[str, int]:
    """Return the unit of each clock that counts too coarsely, in microseconds.

    A unit is too coarse if it exceeds both the tolerance and the finest unit of all devices. If all
    clocks count whole seconds, a later second is a later time.
    """
    if len(devices) <= 1:
        return {}
    units = {device: unit_of(own) for device, own in devices.items()}
    finest = max(tolerance_us, min(units.values()))
    return {
        device: unit
        for device, unit in units.items()
        if unit > finest
        and len(devices[device]) >= _EVENTS
        and len({event.at_us for event in devices[device]}) >= _MOMENTS
    }


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


def _pairs(own: Sequence[RecordedEvent]) -> dict[_Kind, tuple[int, int]]:
    """Count consecutive events of each kind with equal times and with different times."""
    found: dict[_Kind, tuple[int, int]] = {}
    for before, after in pairwise(own):
        coups = (getattr(event.payload, "coup", None) for event in (before, after))
        kind = type(before.payload), type(after.payload), next(coups) == next(coups)
        alike, apart = found.get(kind, (0, 0))
        same = before.at_us == after.at_us
        found[kind] = (alike + same, apart + (not same))
    return found


class _Clock:
    """The clock of one device, compared with the events of the others."""

    def __init__(
        self,
        own: Sequence[RecordedEvent],
        placed: Sequence[Step | None],
        others: Sequence[Step],
        tolerance_us: int,
    ) -> None:
        self._own, self._placed, self._others = own, placed, others
        self._tolerance = tolerance_us
        self._unit = unit_of(own)
        self._pairs = _pairs(own)

    def stop(self, first: int, last: int) -> FrozenClock | None:
        """Return the stop of the clock during a run of events, if there was one."""
        at = self._own[first].at_us
        alike = [each for each in self._placed[first : last + 1] if each is not None]
        if at is None or not alike:
            return None
        before, after = min(alike, key=_PLACE), max(alike, key=_PLACE)
        between = self._later(before.place + 1, after.place, at)
        if not between and self._is_odd(first, last, alike):
            between = self._later(begin_of(coup_of(after.place) - 1), after.place, at)
        if not between:
            return self._of_two_coups(first, last, alike)
        passed = self._passed(between, at)
        proof = self._proof(self._own[first : last + 1], alike, between, at)
        return FrozenClock(first, last, passed, proof)

    def _is_odd(self, first: int, last: int, alike: Sequence[Step]) -> bool:
        """Return whether the device normally gives such events different times.

        Cards are reported one by one if the clock's unit is within the tolerance. For other events,
        the rest of the shoe shows what the device does.
        """
        cards = sum(type(each.event.payload) is ev.CardDrawn for each in alike)
        if cards > 1 and self._unit <= self._tolerance:
            return True
        here = _pairs(self._own[first : last + 1])
        if any(self._tells_apart(kind, count) for kind, (count, _) in here.items()):
            return True
        seldom = all(self._pairs[kind][0] == count for kind, (count, _) in here.items())
        same, apart = (sum(counts) for counts in zip(*self._pairs.values(), strict=True))
        return seldom and apart >= _USUAL * max(1, same - (last - first))

    def _tells_apart(self, kind: _Kind, here: int) -> bool:
        """Return whether nearly all such pairs of events outside a run have different times."""
        alike, apart = self._pairs.get(kind, (0, 0))
        return apart >= _USUAL * max(1, alike - here)

    def _later(self, least: int, most: int, at: int) -> list[Step]:
        """Return the events of other devices that certainly happened after a time.

        Args:
            least: only events from this place of the expected order on.
            most: only events before this place of the expected order.
            at: the time, in microseconds since 1970. A clock may be wrong by the tolerance.
        """
        low = bisect_left(self._others, least, key=_PLACE)
        high = bisect_left(self._others, most, lo=low, key=_PLACE)
        surely = at + self._tolerance
        return [
            each
            for each in self._others[low:high]
            if each.event.at_us is not None and each.event.at_us > surely
        ]

    def _passed(self, between: Sequence[Step], at: int) -> int:
        """Return the shortest possible time that the clock stood still, in microseconds.

        It is computed from events of other devices that belong to the last place before the clock
        went on.
        """
        last = [each for each in between if each.place == between[-1].place]
        return min(each.event.at_us or 0 for each in last) - at - self._tolerance

    def _proof(
        self, run: Sequence[RecordedEvent], alike: Sequence[Step], between: Sequence[Step], at: int
    ) -> FrozenClockEvidence | None:
        """Return the first evidence that the clock stood still.

        None if the clock's unit is too coarse.
        """
        surely = at + self._tolerance + self._unit
        shown = next((each for each in between if (each.event.at_us or 0) > surely), None)
        if shown is None:
            return None
        behind = [each.event for each in alike if each.place > shown.place]
        after = next((event for event in behind if event is not run[0]), behind[0])
        before = run[0] if after is not run[0] else run[1]
        return FrozenClockEvidence(before, after, shown.event)

    def _of_two_coups(self, first: int, last: int, alike: Sequence[Step]) -> FrozenClock | None:
        """Return the stop of a clock that gave one time to cards of two coups.

        None if the device does not normally give each card its own time.
        """
        cards = [each for each in alike if type(each.event.payload) is ev.CardDrawn]
        coups = [coup_of(each.place) for each in cards]
        after = next((n for n, coup in enumerate(coups) if coup != coups[0]), None)
        here = _pairs([each.event for each in cards]).get(_CARDS, (0, 0))
        if after is None or not self._tells_apart(_CARDS, here[0]):
            return None
        return FrozenClock(
            first, last, 0, FrozenClockEvidence(cards[0].event, cards[after].event, None)
        )
