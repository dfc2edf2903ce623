"""What the record of its table says of a shoe where its own says nothing: limits, and who dealt.

A table (``table/T1``) and the shoes dealt at it are told in streams of their own. What a shoe's
own record says holds from the moment it says it; before, and where it never does, that of its table
holds, as it stood when an event of the shoe came about.

Of two events the clocks tell which came first, where they lie further apart than the tolerance that
the pack states (`sabot.domain.timeline.ordering`; one device has one clock, and its numbers tell).
Where the pack states none, the clocks and the order of the log have to tell the same. Events
without a clock came as the log has them; where one of two has a clock, the log's own clock has to
settle it. All else is not known: then everything that may have stood is returned, and whoever
judges by it judges only where it comes to the same.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, TypeVar

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.intervals import ValueHistory, span_of
from sabot.domain.timeline.ordering import Span

T = TypeVar("T")

_NEVER: Final = -(2**62)
_NONE: Final[tuple[tuple[ev.Limit, ...], ...]] = ((),)


def limits_in_force(shoe: Shoe, event: RecordedEvent) -> tuple[tuple[ev.Limit, ...], ...]:
    """Return the limits that the table's record tells of, as an event of the shoe came about.

    Two or more where nobody knows which; one without limits where none are told of.
    """
    told = shoe.at_table.limit_history if shoe.at_table is not None else None
    if told is None or not told.events:
        return _NONE
    places = _standing(shoe, told, event)
    return tuple(dict.fromkeys([told.values[place - 1] if place else () for place in places]))


def limits_throughout(shoe: Shoe) -> tuple[ev.Limit, ...] | None:
    """Return the limits of the table where the same stood all the while; None where not so.

    Nothing where the shoe's own record tells of limits from its loading on.
    """
    if shoe.at_table is None or not shoe.history:
        return ()
    told = shoe.at_table.limit_history
    if not told.events or (tells_limits(shoe) and not shoe.limits_changed):
        return ()
    before, after = _all_the_while(shoe, told)
    if before != after:
        return None
    return told.values[before - 1] if before else ()


def limits_set(shoe: Shoe) -> list[RecordedEvent]:
    """Return the events of the table that set limits by which the shoe was dealt, in their order.

    None where the shoe's own record tells of limits; the last before its first event, and those
    that surely came while it was dealt.
    """
    if shoe.at_table is None or not shoe.history or tells_limits(shoe):
        return []
    told = shoe.at_table.limit_history
    first = _standing(shoe, told, shoe.history[0])
    found = [told.events[place - 1] for place in first if place and len(first) == 1]
    return found + limits_changed(shoe)


def limits_changed(shoe: Shoe) -> list[RecordedEvent]:
    """Return the events of the table that surely changed limits while the shoe was dealt.

    None where the shoe's own record tells of limits.
    """
    if shoe.at_table is None or not shoe.history or tells_limits(shoe):
        return []
    told = shoe.at_table.limit_history
    before, after = _all_the_while(shoe, told)
    first, last = shoe.history[0], shoe.history[-1]
    return [
        each
        for each in told.events[before:after]
        if _before(shoe, each, first) is False and _before(shoe, each, last)
    ]


def tells_limits(shoe: Shoe, by: RecordedEvent | None = None) -> bool:
    """Tell whether the shoe's own record tells of limits, at all or before one of its events."""
    if shoe.loaded is not None and shoe.loaded.payload.limits:
        return True
    changes = shoe.limits_changed
    return bool(changes) and (by is None or changes[0].position < by.position)


def crew_when(shoe: Shoe, event: RecordedEvent, posts: Sequence[str]) -> str | None:
    """Return who stood at the first of these posts that was taken, by the table's record.

    Of an event of the shoe, or of the table itself. None where nobody did, or nobody knows.
    """
    table = shoe.at_table
    if table is None:
        return None
    told = table.crew_history
    if event.stream == table.stream:
        place = bisect_right(told.events, event.position, key=lambda each: each.position)
        places = [place]
    else:
        places = _standing(shoe, told, event)
    crews = [told.values[place - 1] if place else {} for place in places]
    there = {next(filter(None, map(crew.get, posts)), None) for crew in crews}
    return there.pop() if len(there) == 1 else None


def _standing(shoe: Shoe, told: ValueHistory[T], event: RecordedEvent) -> list[int]:
    """Return which events may have been the last before an event of the shoe, counted from 1.

    0 is none of them.
    """
    before, after = _places(shoe, told, _span(shoe, event), event, event)
    last = [before]
    for place in range(before, after):
        came = _before(shoe, told.events[place], event)
        if came:
            last = []
        if came is not False:
            last.append(place + 1)
    return last


def _all_the_while(shoe: Shoe, told: ValueHistory[T]) -> tuple[int, int]:
    """Return how many events surely came before the whole shoe, and from which on all after it."""
    if len({event.at_us is None for event in shoe.history}) > 1:
        return 0, len(told.events)
    spans = [_span(shoe, event) for event in shoe.history]
    span = Span(min(each.earliest for each in spans), max(each.latest for each in spans))
    return _places(shoe, told, span, shoe.history[0], shoe.history[-1])


def _places(
    shoe: Shoe, told: ValueHistory[T], span: Span, first: RecordedEvent, last: RecordedEvent
) -> tuple[int, int]:
    """Count the events surely before some of the shoe, and those up to the surely later."""
    if span.earliest == _NEVER and not told.clocks:
        return told.by_log(first.index, last.index)
    tolerance = _tolerance(shoe)
    before, after = told.by_clock(span, tolerance or 0)
    if tolerance is None or told.clocks != len(told.events):
        least, most = told.by_log(first.index, last.index)
        before, after = min(before, least), max(after, most)
    return before, after


def _before(shoe: Shoe, told: RecordedEvent, event: RecordedEvent) -> bool | None:
    """Tell whether an event of the table came before one of the shoe; None where nobody knows."""
    if told.device == event.device and told.seq is not None and event.seq is not None:
        return told.seq < event.seq
    as_it_came = told.index < event.index
    if told.at_us is None and event.at_us is None:
        return as_it_came
    if told.at_us is None or event.at_us is None:
        return _by_the_log(told, event)
    tolerance = 0 if told.device == event.device else _tolerance(shoe)
    first, second = span_of(told), _span(shoe, event)
    if first.latest + (tolerance or 0) < second.earliest:
        return True if tolerance is not None or as_it_came else None
    if second.latest + (tolerance or 0) < first.earliest:
        return False if tolerance is not None or not as_it_came else None
    # one clock that shows the same for two events leaves them as they came
    return None if tolerance else as_it_came


def _by_the_log(told: RecordedEvent, event: RecordedEvent) -> bool | None:
    """Tell the same where one of the two has no clock: it came no later than the log had it."""
    if event.at_us is None:
        return False if told.at_us is not None and event.recorded_us < told.at_us else None
    if told.recorded_us < event.at_us:
        return True
    return False if event.index < told.index else None


def _span(shoe: Shoe, event: RecordedEvent) -> Span:
    """Tell when an event of the shoe came about, as well as its devices let it be known."""
    known = shoe.order.spans.get(event.position) if shoe.order is not None else None
    if known is not None:
        return known
    if event.at_us is None:
        return Span(_NEVER, event.recorded_us)
    return Span(event.at_us, event.at_us)


def _tolerance(shoe: Shoe) -> int | None:
    """Return by how much two clocks may differ, in microseconds; None where the pack is silent."""
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    return clocks.tolerance_us if clocks is not None else None
