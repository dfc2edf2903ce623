"""Limits and crew of a shoe, read from the record of its table.

A table (``table/T1``) and the shoes dealt there have separate streams. If the shoe's own record has
given limits or crew by then, they apply. Otherwise those of the table's record at the time of the
shoe's event apply.

If the pack states a clock tolerance, the clocks order two events that are further apart than that
(`sabot.domain.timeline.ordering`). Events of one device are ordered by its sequence numbers and its
clock. If the pack states no tolerance, the clocks and the log order must agree. Two events without
a clock keep their log order. If only one of two events has a clock, its time is compared with the
time at which the log recorded the other.

If the order remains unknown, all possible values are returned. A rule then gives an answer only if
it is the same for all of these values.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, TypeVar, get_args

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.intervals import ValueHistory, span_of
from sabot.domain.timeline.ordering import Span

T = TypeVar("T")

POSTS: Final[tuple[ev.Post, ...]] = get_args(ev.Post)
_NEVER: Final = -(2**62)
_NONE: Final[tuple[tuple[ev.Limit, ...], ...]] = ((),)


def limits_in_force(shoe: Shoe, event: RecordedEvent) -> tuple[tuple[ev.Limit, ...], ...]:
    """Return the limits that the table's record gives at an event of the shoe.

    Several limits are returned if the order of events is unknown. Without a recorded limit, the
    only value is an empty one.
    """
    told = shoe.at_table.limit_history if shoe.at_table is not None else None
    if told is None or not told.events:
        return _NONE
    places = _standing(shoe, told, event)
    return tuple(dict.fromkeys([told.values[place - 1] if place else () for place in places]))


def limits_throughout(shoe: Shoe) -> tuple[ev.Limit, ...] | None:
    """Return the table's limits if they did not change during the shoe, else None.

    Empty if the shoe's own record gives limits from its loading on.
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
    """Return the table's events that set limits for the shoe, in order.

    These are the last one before the first event of the shoe, and those certainly during the shoe.
    """
    if shoe.at_table is None or not shoe.history:
        return []
    told = shoe.at_table.limit_history
    first = _standing(shoe, told, shoe.history[0])
    found = [told.events[place - 1] for place in first if place and len(first) == 1]
    return found + _set_during(shoe, told)


def limits_changed(shoe: Shoe) -> list[RecordedEvent]:
    """Return the table's events that surely changed limits while the shoe was dealt.

    Empty if the shoe's own record states limits.
    """
    if shoe.at_table is None or not shoe.history or tells_limits(shoe):
        return []
    return _set_during(shoe, shoe.at_table.limit_history)


def _set_during(shoe: Shoe, told: ValueHistory[T]) -> list[RecordedEvent]:
    """Return the events of a table's record that are certainly between a shoe's first and last."""
    before, after = _all_the_while(shoe, told)
    first, last = shoe.history[0], shoe.history[-1]
    return [
        each
        for each in told.events[before:after]
        if _before(shoe, each, first) is False and _before(shoe, each, last)
    ]


def tells_limits(shoe: Shoe, by: RecordedEvent | None = None) -> bool:
    """Return whether the shoe's own record gives limits, at all or before an event."""
    if shoe.loaded is not None and shoe.loaded.payload.limits:
        return True
    changes = shoe.limits_changed
    return bool(changes) and (by is None or changes[0].position < by.position)


def crew_at(shoe: Shoe, event: RecordedEvent) -> dict[ev.Post, str]:
    """Return the persons on duty at an event of the shoe, by post.

    If the shoe's record has not named the person at a post by then, the record of its table is
    used.
    """
    told: dict[ev.Post, str | None] = {post: crew_when(shoe, event, (post,)) for post in POSTS}
    if shoe.loaded is not None and shoe.loaded.position < event.position:
        told |= {crew.post: crew.person for crew in shoe.loaded.payload.crew}
    for change in shoe.crew_changes:
        if change.position < event.position:
            told[change.payload.post] = change.payload.person
    return {post: person for post, person in told.items() if person is not None}


def crew_when(shoe: Shoe, event: RecordedEvent, posts: Sequence[str]) -> str | None:
    """Return the person at the first occupied post, according to the table's record.

    The event is one of the shoe or of the table. None if no post was occupied or the answer is
    unknown.
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


def crew_emptied(shoe: Shoe, event: RecordedEvent) -> RecordedEvent[ev.CrewChanged] | None:
    """Return the last change before an event of the shoe, if every post was surely empty then.

    The change is one of the shoe's record, or else of the record of its table. None if a person may
    have been at a post, or if no change of the crew emptied it.
    """
    if crew_at(shoe, event):
        return None
    emptied = [change for change in shoe.crew_changes if change.position < event.position]
    told = shoe.at_table.crew_history if shoe.at_table is not None else None
    if told is not None and told.events:
        places = _standing(shoe, told, event)
        if any(place and told.values[place - 1] for place in places):
            return None
        if len(places) == 1 and places[0]:
            emptied = emptied or [*events_of(ev.CrewChanged, told.events[: places[0]][-1:])]
    return emptied[-1] if emptied else None


def _standing(shoe: Shoe, told: ValueHistory[T], event: RecordedEvent) -> list[int]:
    """Return which events of the table may be the last one before an event of the shoe.

    They are numbers counted from 1; 0 means that there may be none before.
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
    """Return two counts of the table's events, as seen from the whole shoe.

    The first counts those certainly before the shoe, the second those that are not certainly after
    it.
    """
    if len({event.at_us is None for event in shoe.history}) > 1:
        return 0, len(told.events)
    spans = [_span(shoe, event) for event in shoe.history]
    span = Span(min(each.earliest for each in spans), max(each.latest for each in spans))
    return _places(shoe, told, span, shoe.history[0], shoe.history[-1])


def _places(
    shoe: Shoe, told: ValueHistory[T], span: Span, first: RecordedEvent, last: RecordedEvent
) -> tuple[int, int]:
    """Return two counts of events, as seen from an interval of time.

    The first counts those certainly before it, the second those that are not certainly after it.
    """
    if span.earliest == _NEVER and not told.clocks:
        return told.by_log(first.index, last.index)
    tolerance = _tolerance(shoe)
    before, after = told.by_clock(span, tolerance or 0)
    if tolerance is None or told.clocks != len(told.events):
        least, most = told.by_log(first.index, last.index)
        before, after = min(before, least), max(after, most)
    return before, after


def _before(shoe: Shoe, told: RecordedEvent, event: RecordedEvent) -> bool | None:
    """Return whether an event of the table came before one of the shoe. None if unknown."""
    if told.device == event.device and told.seq is not None and event.seq is not None:
        return told.seq < event.seq
    if told.at_us is None and event.at_us is None:
        return told.index < event.index
    if told.at_us is None or event.at_us is None:
        return _by_the_log(told, event)
    return _by_the_clocks(shoe, told, event)


def _by_the_clocks(shoe: Shoe, told: RecordedEvent, event: RecordedEvent) -> bool | None:
    """Return whether an event of the table came before one of the shoe, by their times."""
    as_it_came = told.index < event.index
    tolerance = 0 if told.device == event.device else _tolerance(shoe)
    first, second = span_of(told), _span(shoe, event)
    if first.latest + (tolerance or 0) < second.earliest:
        return True if tolerance is not None or as_it_came else None
    if second.latest + (tolerance or 0) < first.earliest:
        return False if tolerance is not None or not as_it_came else None
    # two events with equal times on one clock keep their log order
    return None if tolerance else as_it_came


def _by_the_log(told: RecordedEvent, event: RecordedEvent) -> bool | None:
    """Return whether the table's event came first, where only one of two events has a clock.

    An event cannot have happened after the log recorded it. None if the order is unknown.
    """
    if event.at_us is None:
        return False if told.at_us is not None and event.recorded_us < told.at_us else None
    if told.recorded_us < event.at_us:
        return True
    return False if event.index < told.index else None


def _span(shoe: Shoe, event: RecordedEvent) -> Span:
    """Return the interval in which an event of the shoe happened, as far as its devices show."""
    known = shoe.order.spans.get(event.position) if shoe.order is not None else None
    if known is not None:
        return known
    if event.at_us is None:
        return Span(_NEVER, event.recorded_us)
    return Span(event.at_us, event.at_us)


def _tolerance(shoe: Shoe) -> int | None:
    """Return the clock tolerance in microseconds. Return None if the pack states none."""
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    return clocks.tolerance_us if clocks is not None else None
