"""The order of a shoe's events at the table, worked out from the clocks of those who told them.

A card reader, a chip reader and the dealer's terminal tell of one table. Each numbers its own
events, has a clock of its own, and its events take their time on the way to the log. So the events
of one device stand in the order of its numbers, and those of two in the order of their clocks,
where these lie further apart than the tolerance that the rule pack states. Within it nobody can
know which came first: they stand as they came, and whoever rests a verdict on it asks
`Order.doubt`.

A clock is believed unless it jumped: back behind the device's own earlier event, or ahead of the
clock of the log, or forward for a while (`_kept`). An event whose clock is not believed happened
between its neighbours of the same device, and before the log had it. Where a clock stood still
(`sabot.domain.timeline.clock_faults`) the same holds, but that an event came no earlier than it
said. No event is later than the log had it: where a clock is so caught ahead by more than the
tolerance, nobody knows which of the two is wrong, and all that it told may have come earlier by as
much (`spans_of`).

Where a pack states no tolerance the numbers of a device tell the order of its own events all the
same: an event that arrived late stands before the first of those that its device told later. Else
events stand as they came, and where two devices' clocks tell another order, it is doubtful.
"""

from collections.abc import Collection, Sequence
from itertools import islice, takewhile
from operator import itemgetter
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.events import CardDrawn, CoupClosed, EventCorrected
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.pack_sections import Clocks
from sabot.domain.timeline.clock_faults import FrozenClock, counted_in, frozen_clocks_of, slow_by

_MS: Final = 1000
_NEVER: Final = -(2**62)
_FOREVER: Final = 2**62
_LEAP: Final = 20
"""A clock is back where it was if it is off by no more than this part of its leap."""
_NO_CLOCK: Final = "gave no clock that can be believed"
_RIGHT: Final = 10
"""A clock that was slow is set right again if it leaps by all of it but this part, or more."""


class Span(NamedTuple):
    """When an event happened, at the earliest and at the latest, in microseconds since 1970."""

    earliest: int
    latest: int


class Order(Struct, frozen=True, gc=False):
    """The events of a shoe that hold, in their order at the table.

    ``events`` have their positions by it: events that changed places have exchanged them, so that
    of two events the lower position is the earlier. ``as_recorded`` says that none did, and that
    what they come to rests on no order of two devices (`_behind_a_close`). ``spans`` tell, by
    position, when each happened. ``stops`` are where clocks stood still, of a pack that states how
    far they may be out. ``tolerance_us`` is None where the pack states none.
    """

    events: list[RecordedEvent]
    spans: dict[int, Span]
    as_recorded: bool
    tolerance_us: int | None = None
    stops: dict[str, list[FrozenClock]] = {}

    def why_unknown(self, one: RecordedEvent, other: RecordedEvent) -> str | None:
        """Say why nobody knows which of two events came first; None where it is known."""
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
            f"by two clocks, {apart} ms apart, they came to the log the wrong way round, "
            "and the pack states no tolerance"
        )


def _why(one: tuple[RecordedEvent, Span], other: tuple[RecordedEvent, Span]) -> str:
    """Say what is known of when two events happened, whose order is not."""
    open_ended = [(event.at_us, span) for event, span in (one, other) if event.at_us != span.latest]
    if open_ended:
        slow = all(at == span.earliest for at, span in open_ended)
        said = "by a clock that stood still or counts too coarsely" if slow else _NO_CLOCK
        return f"one {said}"
    first, second = one[1], other[1]
    if first.earliest == first.latest and second.earliest == second.latest:
        return f"{abs(first.earliest - second.earliest) // _MS} ms apart"
    return "one by a clock that the log caught ahead of its own"


def order_of(history: list[RecordedEvent], clocks: Clocks | None) -> Order | None:
    """Work out the order of a shoe's events; None where they came as one device numbered them.

    Args:
        history: its events as they came, the corrected ones and the corrections among them.
        clocks: what the pack says of the devices' clocks.

    Cost: a look at each event where one device told them all; else linear in the events, times
    the devices.
    """
    names = [event.device for event in history]
    if names.count(names[0] if names else "") == len(names):
        # one device told them all
        numbers = [event.seq for event in history if event.seq is not None]
        if numbers == sorted(numbers):
            return None
    told = [
        event for event in apply_corrections(history) if type(event.payload) is not EventCorrected
    ]
    if clocks is None:
        return _as_numbered(told)
    devices = by_device(told)
    stops = frozen_clocks_of(devices, clocks.tolerance_us)
    units = counted_in(devices, clocks.tolerance_us)
    queues = [
        _Queue(
            own, spans_of(own, clocks, slow_by(own, stops.get(device, ())), units.get(device, 0))
        )
        for device, own in devices.items()
    ]
    merged = list(_merged(queues, clocks.tolerance_us))
    events, spans = [], {}
    # the places that there are, taken by the events in their order
    for (event, span), place in zip(merged, told, strict=True):
        position = place.position
        events.append(event if event.position == position else replace(event, position=position))
        spans[position] = span
    as_recorded = all(event is place for (event, _), place in zip(merged, told, strict=True))
    as_recorded = as_recorded and not _behind_a_close(told)
    return Order(events, spans, as_recorded, clocks.tolerance_us, stops)


def _as_numbered(told: list[RecordedEvent]) -> Order:
    """Order events as they came, but those of one device as it numbered them.

    An event came about no later than any that its device told after it reached the log.
    """
    places: list[tuple[int, RecordedEvent]] = []
    for own in by_device(told).values():
        latest = own[-1].position
        for event in reversed(own):
            latest = min(latest, event.position)
            places.append((latest, event))
    # of those at one place, the later of a device was put there first
    places.reverse()
    places.sort(key=itemgetter(0))
    events = [
        event if event.position == place.position else replace(event, position=place.position)
        for (_, event), place in zip(places, told, strict=True)
    ]
    as_recorded = all(event is place for event, place in zip(events, told, strict=True))
    return Order(events, {}, as_recorded)


def _behind_a_close(told: list[RecordedEvent]) -> bool:
    """Tell whether a card was told of a coup that another device had told was closed.

    Whether it surely came behind the close, and is in no hand, only the order of both can tell.
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
    """Return each device's own events, in the order of its numbers.

    An event without a number keeps its place among those that have one.
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
    """Tell whether a fact's clock did not jump; ``before_us`` is what its device said last."""
    at = event.at_us
    return at is not None and before_us - jump_us <= at <= event.recorded_us + jump_us


def spans_of(
    events: Sequence[RecordedEvent], clocks: Clocks, slow: Collection[int] = (), counts_us: int = 0
) -> list[Span]:
    """Tell when each event of one device happened; the events in the order of its numbers.

    ``slow`` are places of events that a clock told which had stood still: they may have come later;
    so may all, by what the clock counts in (``counts_us``), where that is too much. No event is
    later than the log had it. Where the log so caught the clock ahead by more than the tolerance,
    all that it told may have come as much earlier. Neither the earliest nor the latest ever goes
    back from an event to the next.
    """
    sure = _kept(events, clocks.jump_us)
    ahead = _ahead(events, sure, clocks.tolerance_us)
    told: list[int] = []
    last = _NEVER
    for event, known in zip(events, sure, strict=True):
        if known and event.at_us is not None:
            last = max(last, event.at_us)
        told.append(last)
    spans: list[Span] = []
    after = _FOREVER
    exact = [known and place not in slow for place, known in enumerate(sure)] if slow else sure
    for event, least, known in zip(reversed(events), reversed(told), reversed(exact), strict=True):
        latest = min(after, event.recorded_us, least + counts_us if known else _FOREVER)
        after = max(least, latest)
        spans.append(Span(least - ahead, after))
    spans.reverse()
    return spans


def _ahead(events: Sequence[RecordedEvent], sure: Sequence[bool], tolerance_us: int) -> int:
    """Return by how much a clock was ahead of the log's; 0: by no more than the tolerance."""
    leads = (
        event.at_us - event.recorded_us
        for event, known in zip(events, sure, strict=True)
        if known and event.at_us is not None
    )
    most = max(leads, default=0)
    return most if most > tolerance_us else 0


def _kept(events: Sequence[RecordedEvent], jump_us: int) -> list[bool]:
    """Tell of each event of one device whether its clock is believed.

    A clock that goes back is slow from then on, until it leaps forward by as much. But where it had
    leapt forward before, it may have been wrong at the leap: then neither side is believed. If it
    comes back to where it was, and stays so longer, the leap alone was wrong.
    """
    clocks = [
        event.at_us if clock_is_trusted(event, event.at_us or 0, jump_us) else None
        for event in events
    ]
    kept = [at is not None for at in clocks]
    trusted: list[tuple[int, int]] = []
    slow, said = 0, _NEVER
    for place, at in enumerate(clocks):
        if at is None:
            continue
        if slow and at - said < slow - slow // _RIGHT:
            kept[place], slow, said = False, slow + max(0, said - at), at
            continue
        slow = 0
        ahead = _ahead_of(at + jump_us, trusted)
        if not ahead:
            trusted.append((at, place))
            continue
        top = trusted[-1][0]
        before = trusted[-ahead - 1][0] if ahead < len(trusted) else _NEVER
        leap = trusted[-ahead][0] - before
        if leap > jump_us:
            for _, wrong in trusted[-ahead:]:
                kept[wrong] = False
            del trusted[-ahead:]
            if _LEAP * (at - before) <= leap and _stays(clocks[place:], top - jump_us, ahead):
                trusted.append((at, place))
                continue
        kept[place], slow, said = False, top - at, at
    return kept


def _ahead_of(clock: int, trusted: list[tuple[int, int]]) -> int:
    """Count the last of the events so far whose clocks are ahead of one."""
    return next(
        (n for n, (at, _) in enumerate(reversed(trusted)) if at <= clock),
        len(trusted),
    )


def _stays(clocks: Sequence[int | None], top: int, longer_than: int) -> bool:
    """Tell whether more events than so many follow whose clocks are behind what it said before."""
    told = (at for at in clocks if at is not None)
    return sum(1 for _ in takewhile(lambda at: at < top, islice(told, longer_than + 1))) > (
        longer_than
    )


class _Queue:
    """The events of one device that wait for their places."""

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
    """Put events of several devices in one order: as they came, but where the clocks tell another.

    Of the events that head their queues, one that no other surely precedes is next: the one that
    came first. There always is one, since who surely precedes has the earlier end of its span.
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
