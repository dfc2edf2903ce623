"""Clocks that stood still: events of one device at one instant, which cannot be of one moment.

A device may lawfully tell several events at one instant: the bets of one scan, a close and the next
opening. Its clock stood still where the course of play (`sabot.domain.timeline.expected_order`)
puts an event of another device between two of them that came later than that by more than the
tolerance: cards of two coups, and a call ten seconds on that stands between them. Two cards are no
matter of one instant either, since they leave a shoe one by one, nor what the device else tells one
by one: then an event that stands before the last of them is enough.

A clock that stood still is slow: its events came at the instant that it told, or later. So what
they show to have come too late stands, and what they show to have come too early is unknown. It is
slow until it leaps forward by as long as it stood.

What cannot be known: one event of a clock that stood still, and several that the device tells at
one instant anyway, if none of others stands between them. They look like events that came too
early.
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
"""What clocks count in, in microseconds: whole days, hours, minutes, seconds and their parts."""
_USUAL: Final = 8
"""A device tells a pair of events one by one if it does so this many times as often as not."""
_RIGHT: Final = 10
"""A clock that was slow is set right again if it leaps by all of it but this part, or more."""
_PLACE = itemgetter(0)
_COMMISSION: Final = (ev.CommissionMarked, ev.CommissionCollected)
_MOMENTS: Final = 8
_EVENTS: Final = 48
"""How many moments of a clock, and events, show in what it counts: a few may be whole by chance."""

_Kind = tuple[type, type, bool]
"""What two events are that a device told one after the other, and whether of one coup."""
_CARDS: Final[_Kind] = (ev.CardDrawn, ev.CardDrawn, True)


class FrozenClockEvidence(NamedTuple):
    """Two events of one instant that are of two, and what another device told in between.

    ``between`` is None where they are cards of two coups, of a device that tells cards one by one.
    """

    before: RecordedEvent
    after: RecordedEvent
    between: RecordedEvent | None


class FrozenClock(NamedTuple):
    """Facts of one device at one instant, some of which came later.

    ``first`` and ``last`` are their places among the device's own events, ``passed_us`` is how long
    the clock stood at least. ``proof`` is None where it tells no smaller times than that: a clock
    of whole minutes need not have stood still.
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
        devices: the events of each, in the order of its numbers.
        tolerance_us: how far two clocks may lie apart.

    Cost: a look at each event where no two of a device are of one instant.
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
                # commission may be marked among the settlements, and collected long after
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
    """Return the places of events recorded by a clock that stood still and was not set right."""
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
    """Return what a clock counts in, in microseconds, by what it told: whole days at most."""
    told = gcd(*(event.at_us for event in own if event.at_us is not None))
    return next(unit for unit in _UNITS if told % unit == 0)


def counted_in(devices: Mapping[str, Sequence[RecordedEvent]], tolerance_us: int) -> dict[str, int]:
    """Tell in what the clocks count that count in more than the tolerance, and than the finest.

    In microseconds. Where all clocks count whole seconds, a second later is later.
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
    """Return the places of the first and the last of events that stand together at one instant."""
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
    """Count the neighbours of each kind that are of one instant, and those that are not."""
    found: dict[_Kind, tuple[int, int]] = {}
    for before, after in pairwise(own):
        coups = (getattr(event.payload, "coup", None) for event in (before, after))
        kind = type(before.payload), type(after.payload), next(coups) == next(coups)
        alike, apart = found.get(kind, (0, 0))
        same = before.at_us == after.at_us
        found[kind] = (alike + same, apart + (not same))
    return found


class _Clock:
    """The clock of one device, held against what the others told."""

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
        """Tell whether the clock stood still for the events from one place to another."""
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
        """Tell whether it is not this device's way to tell such events at one instant.

        Cards are told one by one, if the clock tells smaller times than the tolerance; of all else
        it is known by what the device does elsewhere in the shoe.
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
        """Tell whether the device tells nearly all such pairs one by one, but those of one run."""
        alike, apart = self._pairs.get(kind, (0, 0))
        return apart >= _USUAL * max(1, alike - here)

    def _later(self, least: int, most: int, at: int) -> list[Step]:
        """Return what others told that belongs at such places (not at the last) and came later."""
        low = bisect_left(self._others, least, key=_PLACE)
        high = bisect_left(self._others, most, lo=low, key=_PLACE)
        surely = at + self._tolerance
        return [
            each
            for each in self._others[low:high]
            if each.event.at_us is not None and each.event.at_us > surely
        ]

    def _passed(self, between: Sequence[Step], at: int) -> int:
        """Return how long the clock stood at least, by what came last before it went on."""
        last = [each for each in between if each.place == between[-1].place]
        return min(each.event.at_us or 0 for each in last) - at - self._tolerance

    def _proof(
        self, run: Sequence[RecordedEvent], alike: Sequence[Step], between: Sequence[Step], at: int
    ) -> FrozenClockEvidence | None:
        """Return the first of what shows that the clock stood still; None where it is coarse."""
        surely = at + self._tolerance + self._unit
        shown = next((each for each in between if (each.event.at_us or 0) > surely), None)
        if shown is None:
            return None
        behind = [each.event for each in alike if each.place > shown.place]
        after = next((event for event in behind if event is not run[0]), behind[0])
        before = run[0] if after is not run[0] else run[1]
        return FrozenClockEvidence(before, after, shown.event)

    def _of_two_coups(self, first: int, last: int, alike: Sequence[Step]) -> FrozenClock | None:
        """Tell whether a clock that tells each card its time has cards of two coups at one."""
        cards = [each for each in alike if type(each.event.payload) is ev.CardDrawn]
        coups = [coup_of(each.place) for each in cards]
        after = next((n for n, coup in enumerate(coups) if coup != coups[0]), None)
        here = _pairs([each.event for each in cards]).get(_CARDS, (0, 0))
        if after is None or not self._tells_apart(_CARDS, here[0]):
            return None
        return FrozenClock(
            first, last, 0, FrozenClockEvidence(cards[0].event, cards[after].event, None)
        )
