"""Values in force at a table between events: its limits and its crew.

Events are kept in the order of the log, which may differ from the order in which they happened. A
query returns which events certainly came before a moment, which certainly came after it, and which
must be compared one by one. It does not read the whole history.
"""

from bisect import bisect_left, bisect_right
from typing import Generic, TypeVar

from msgspec import Struct

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.timeline.ordering import Span

T = TypeVar("T")


def span_of(event: RecordedEvent) -> Span:
    """Return the earliest and latest time of a table event, from its clocks.

    If the device's clock is ahead of the log's, either may be right. An event without a clock gets
    the time at which the log recorded it, because it happened no later. A caller that needs more
    precision checks for the missing clock.
    """
    at = event.recorded_us if event.at_us is None else event.at_us
    return Span(min(at, event.recorded_us), at)


class ValueHistory(Struct, Generic[T]):
    """Events in the order of the log, each with the value in force after it.

    ``latest`` is the running maximum of clock times from the first event on. ``earliest`` is the
    minimum over an event and all later ones. Both never decrease. ``clocks`` counts the events that
    have a clock.
    """

    events: list[RecordedEvent] = []
    values: list[T] = []
    indexes: list[int] = []
    latest: list[int] = []
    earliest: list[int] = []
    clocks: int = 0

    def add(self, event: RecordedEvent, stands: T) -> None:
        """Append the next event and the value in force from it on."""
        span = span_of(event)
        for place in range(len(self.earliest) - 1, -1, -1):
            if self.earliest[place] <= span.earliest:
                break
            self.earliest[place] = span.earliest
        self.earliest.append(span.earliest)
        self.latest.append(max(span.latest, self.latest[-1]) if self.latest else span.latest)
        self.events.append(event)
        self.indexes.append(event.index)
        self.values.append(stands)
        self.clocks += event.at_us is not None

    def by_clock(self, span: Span, tolerance_us: int) -> tuple[int, int]:
        """Return how many events certainly came before an interval, and the first after it.

        The second number is a place in the list: all events from there on are certainly after the
        interval.
        """
        before = bisect_left(self.latest, span.earliest - tolerance_us)
        after = bisect_right(self.earliest, span.latest + tolerance_us)
        return before, max(before, after)

    def by_log(self, first: int, last: int) -> tuple[int, int]:
        """Return the same two numbers as `by_clock`, for a range of log indexes."""
        return bisect_left(self.indexes, first), bisect_right(self.indexes, last)
