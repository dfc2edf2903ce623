"""The table order of a shoe's events, derived from the clocks of several devices.

A card reader, a chip reader and the dealer's terminal report events of one table. Each device
numbers its own events and has its own clock, and its events reach the log with a delay. So events
of one device are ordered by its sequence numbers. Events of two devices are ordered by their clocks
if these differ by more than the rule pack's tolerance. Within the tolerance the order is unknown:
the events keep the log order, and checks ask `Order.why_unknown`.

A clock is trusted until it jumps or stands still (`sabot.domain.timeline.clock_faults`). From then
on, to the end of the shoe, an event of its device happened between its neighbours from the same
device, and before the log recorded it. No event is later than its entry in the log. If an
event's clock is later than its entry in the log by more than the tolerance, either clock may be
wrong. All times of the device's clock may then be too late by that amount (`spans_of`).

Without a tolerance in the pack, the sequence numbers still order the events of one device. An event
that arrived late comes before the first of the device's later events. Other events keep the log
order. If the clocks of two devices contradict that order, it is in doubt.
"""

from collections.abc import Collection, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.events import CardDrawn, CoupClosed, EventCorrected
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.pack_sections import Clocks
from sabot.domain.timeline.clock_faults import (
    StoppedClock,
    coarse_clocks,
    jumped_from,
    stopped_clocks,
)

_MS: Final = 1000
_NEVER: Final = -(2**62)
_FOREVER: Final = 2**62
_MOVED_ALONE: Final = 8
"""The most devices of which each is moved alone. A table has three or four."""


class Span(NamedTuple):
    """The earliest and latest time of an event, in microseconds since 1970."""

    earliest: int
    latest: int


class Order(Struct, frozen=True, gc=False):
    """The valid events of a shoe, in table order.

    ``events`` have positions in this order, so the lower position is the earlier event; events that
    changed places have exchanged positions. ``as_recorded`` is True if no event changed places, and
    no card was recorded after another device closed its coup (`_behind_a_close`). ``spans`` maps a
    position to the time of its event. ``stopped`` holds the clocks that stood still, if the pack
    states a tolerance. ``tolerance_us`` is in microseconds, None if the pack states none.
    """

    events: list[RecordedEvent]
    spans: dict[int, Span]
    as_recorded: bool
    tolerance_us: int | None = None
    stopped: dict[str, StoppedClock] = {}

    def others(self) -> "list[Order]":
        """Return other orders that the clocks allow.

        In each, the events of some devices come as early as they can, or as late as they can. The
        list is empty if the order of all events is known. Cost: the number of events times the
        number of devices, for each order.
        """
        told: dict[str, list[RecordedEvent]] = {}
        for event in self.events:
            told.setdefault(event.device, []).append(event)
        seen = {tuple(event.index for event in self.events)}
        found = []
        for devices in _groups(list(told)):
            for last in (False, True):
                events = self._taken_in_turn(told, devices, last=last)
                indexes = tuple(event.index for event in events)
                if indexes not in seen:
                    seen.add(indexes)
                    found.append(self._reordered(events))
        return found

    def _taken_in_turn(
        self, told: dict[str, list[RecordedEvent]], devices: Collection[str], *, last: bool
    ) -> list[RecordedEvent]:
        """Merge the events of all devices, those of some devices first or last where possible."""
        queues = {device: list(reversed(own)) for device, own in told.items()}
        events: list[RecordedEvent] = []
        while queues:
            heads = [queue[-1] for queue in queues.values()]
            heads.sort(key=lambda head: ((head.device in devices) == last, head.position))
            chosen = next(head for head in heads if self._may_come_first(head, heads))
            events.append(queues[chosen.device].pop())
            if not queues[chosen.device]:
                del queues[chosen.device]
        return events

    def _may_come_first(self, event: RecordedEvent, others: list[RecordedEvent]) -> bool:
        return all(
            event.position <= other.position or self.why_unknown(event, other) is not None
            for other in others
        )

    def _reordered(self, events: list[RecordedEvent]) -> "Order":
        """Return an order of these events with their positions exchanged."""
        spans: dict[int, Span] = {}
        moved = []
        for event, place in zip(events, self.events, strict=True):
            if event.position in self.spans:
                spans[place.position] = self.spans[event.position]
            moved.append(_at(event, place.position))
        return replace(self, events=moved, spans=spans, as_recorded=False)

    def why_unknown(self, one: RecordedEvent, other: RecordedEvent) -> str | None:
        """Return why the order of two events is unknown. None if it is known."""
        if one.device == other.device:
            return None
        if self.tolerance_us is None:
            return self._by_coming(one, other)
        first, second = self.spans.get(one.position), self.spans.get(other.position)
        if first is None or second is None:
            return None
        tolerance = self.tolerance_us
        if first.latest + tolerance < second.earliest or second.latest + tolerance < first.earliest:
            return None
        return (
            f"{_why((one, first), (other, second))}, two devices, tolerance {tolerance // _MS} ms"
        )

    def _by_coming(self, one: RecordedEvent, other: RecordedEvent) -> str | None:
        if one.at_us is None or other.at_us is None or one.at_us == other.at_us:
            return None
        if (one.at_us < other.at_us) == (one.position < other.position):
            return None
        apart = abs(one.at_us - other.at_us) // _MS
        return (
            f"the clocks, {apart} ms apart, contradict the order of the log, "
            "and the pack states no tolerance"
        )


def _groups(devices: list[str]) -> list[set[str]]:
    """Return the groups of devices whose events are moved together.

    Up to eight devices are moved one by one. If there are more, they are numbered, and there is one
    group for each binary digit: the devices whose number has a 1 there. So for any two devices, at
    least one group holds one of them and not the other.
    """
    if len(devices) <= _MOVED_ALONE:
        return [{device} for device in devices]
    digits = range((len(devices) - 1).bit_length())
    return [{each for n, each in enumerate(devices) if n >> digit & 1} for digit in digits]


def _at(event: RecordedEvent, position: int) -> RecordedEvent:
    """Return an event with a position. It is the same event if it has it already."""
    return event if event.position == position else replace(event, position=position)


def _why(one: tuple[RecordedEvent, Span], other: tuple[RecordedEvent, Span]) -> str:
    """Return text for what is known about the times of two events of unknown order."""
    open_ended = [(event.at_us, span) for event, span in (one, other) if event.at_us != span.latest]
    if open_ended:
        coarse = all(at == span.earliest for at, span in open_ended)
        return "one of the clocks counts too coarsely" if coarse else "one gave no usable clock"
    first, second = one[1], other[1]
    if first.earliest == first.latest and second.earliest == second.latest:
        return f"{abs(first.earliest - second.earliest) // _MS} ms apart"
    return "one of the clocks is ahead of the log's"


def _is_in_order_of_one_device(history: list[RecordedEvent]) -> bool:
    """Return whether one device reported all events, in order of sequence number."""
    names = [event.device for event in history]
    if names.count(names[0] if names else "") < len(names):
        return False
    numbers = [event.seq for event in history if event.seq is not None]
    return numbers == sorted(numbers)


def order_of(history: list[RecordedEvent], clocks: Clocks | None) -> Order | None:
    """Derive the table order of a shoe's events, if it differs from the log order.

    None if one device reported all events in order of sequence number.

    Args:
        history: the events in log order, including corrected events and their corrections.
        clocks: the rule pack's section on device clocks.

    Cost: one pass over the events if one device reported them all; else the number of events times
    the number of devices.
    """
    if _is_in_order_of_one_device(history):
        return None
    told = [
        event for event in apply_corrections(history) if type(event.payload) is not EventCorrected
    ]
    if clocks is None:
        return _as_numbered(told)
    devices = by_device(told)
    stopped = stopped_clocks(devices, clocks.tolerance_us)
    units = coarse_clocks(devices, clocks.tolerance_us)
    queues = []
    for device, own in devices.items():
        stop = stopped.get(device)
        first = None if stop is None else stop.first
        queues.append(_Queue(own, spans_of(own, clocks, first, units.get(device, 0))))
    merged = list(_merged(queues, clocks.tolerance_us))
    events, spans = [], {}
    # assign the existing positions to the events in their new order
    for (event, span), place in zip(merged, told, strict=True):
        position = place.position
        events.append(_at(event, position))
        spans[position] = span
    as_recorded = all(event is place for (event, _), place in zip(merged, told, strict=True))
    as_recorded = as_recorded and not _behind_a_close(told)
    return Order(events, spans, as_recorded, clocks.tolerance_us, stopped)


def _as_numbered(told: list[RecordedEvent]) -> Order:
    """Return the log order, with the events of each device in order of sequence number.

    An event that was logged after a higher-numbered event of its device is moved to just before it.
    """
    places: list[tuple[int, RecordedEvent]] = []
    for own in by_device(told).values():
        latest = own[-1].position
        for event in reversed(own):
            latest = min(latest, event.position)
            places.append((latest, event))
    # at one place, the later event of a device was added first
    places.reverse()
    places.sort(key=itemgetter(0))
    events = [_at(event, place.position) for (_, event), place in zip(places, told, strict=True)]
    as_recorded = all(event is place for event, place in zip(events, told, strict=True))
    return Order(events, {}, as_recorded)


def _behind_a_close(told: list[RecordedEvent]) -> bool:
    """Return whether a card was recorded after another device closed the coup.

    For such a card the true order of card and close matters, since a card drawn after the close is
    in no hand.
    """
    closed: dict[int, str] = {}
    for event in told:
        payload = event.payload
        if type(payload) is CoupClosed:
            closed.setdefault(payload.coup, event.device)
        elif type(payload) is CardDrawn and closed.get(payload.coup, event.device) != event.device:
            return True
    return False


def by_device(events: Sequence[RecordedEvent]) -> dict[str, list[RecordedEvent]]:
    """Return each device's events in order of sequence number.

    An event without a number keeps its place among the numbered ones.
    """
    devices: dict[str, list[RecordedEvent]] = {}
    for event in events:
        devices.setdefault(event.device, []).append(event)
    return {device: _numbered(own) for device, own in devices.items()}


def _numbered(events: list[RecordedEvent]) -> list[RecordedEvent]:
    numbered = [event for event in events if event.seq is not None]
    numbers = [event.seq or 0 for event in numbered]
    if numbers == sorted(numbers):
        return events
    in_order = iter(sorted(numbered, key=lambda event: event.seq or 0))
    return [event if event.seq is None else next(in_order) for event in events]


def clock_is_trusted(event: RecordedEvent, before_us: int, jump_us: int) -> bool:
    """Return whether an event's clock did not jump.

    ``before_us`` is the previous time of its device, ``jump_us`` the smallest difference that
    counts as a jump, both in microseconds.
    """
    at = event.at_us
    return at is not None and before_us - jump_us <= at <= event.recorded_us + jump_us


def spans_of(
    events: Sequence[RecordedEvent],
    clocks: Clocks,
    stopped_from: int | None = None,
    unit_us: int = 0,
) -> list[Span]:
    """Return the earliest and latest time of each event of one device.

    The events are in order of sequence number. ``stopped_from`` is the position of the first event
    from a clock that stood still. ``unit_us`` is the clock's unit in microseconds if it is too
    coarse, else 0; every event may be later by that much. No event is later than its entry in the
    log. If the clock is ahead of the log by more than the tolerance, every event may be earlier by
    that amount. Neither bound decreases from one event to the next.
    """
    faults = (stopped_from, jumped_from(events, clocks.jump_us))
    until = min((each for each in faults if each is not None), default=len(events))
    times = [event.at_us if place < until else None for place, event in enumerate(events)]
    ahead = _ahead(events, times, clocks.tolerance_us)
    told: list[int] = []
    last = _NEVER
    for at in times:
        last = last if at is None else max(last, at)
        told.append(last)
    spans: list[Span] = []
    after = _FOREVER
    for event, least, at in zip(reversed(events), reversed(told), reversed(times), strict=True):
        latest = min(after, event.recorded_us, _FOREVER if at is None else least + unit_us)
        after = max(least, latest)
        spans.append(Span(least - ahead, after))
    spans.reverse()
    return spans


def _ahead(events: Sequence[RecordedEvent], times: Sequence[int | None], tolerance_us: int) -> int:
    """Return how far a clock was ahead of the log's, in microseconds; 0 if within the tolerance."""
    leads = (
        at - event.recorded_us for event, at in zip(events, times, strict=True) if at is not None
    )
    most = max(leads, default=0)
    return most if most > tolerance_us else 0


class _Queue:
    """The remaining events of one device in a merge."""

    __slots__ = ("events", "head", "spans")

    def __init__(self, events: list[RecordedEvent], spans: list[Span]) -> None:
        self.events, self.spans, self.head = events, spans, 0

    @property
    def span(self) -> Span:
        return self.spans[self.head]

    @property
    def position(self) -> int:
        return self.events[self.head].position

    def take(self) -> tuple[RecordedEvent, Span]:
        taken = self.events[self.head], self.spans[self.head]
        self.head += 1
        return taken


def _merged(queues: list[_Queue], tolerance_us: int) -> "list[tuple[RecordedEvent, Span]]":
    """Merge the events of several devices, in log order unless the clocks show another.

    An event at the front of a queue is a candidate if no other front event certainly came before
    it. The candidate that the log recorded first is next. There is always a candidate: the front
    event whose interval of possible times ends first.
    """
    merged: list[tuple[RecordedEvent, Span]] = []
    while queues:
        surely = min(queue.span.latest for queue in queues) + tolerance_us
        chosen = min(
            (queue for queue in queues if queue.span.earliest <= surely),
            key=lambda queue: queue.position,
        )
        merged.append(chosen.take())
        if chosen.head == len(chosen.events):
            queues.remove(chosen)
    return merged
