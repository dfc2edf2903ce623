"""What lasts at a table from one event to the next: its limits, its crew.

Events stand in the order of their record. That is not always the order in which they came about, so
whoever asks what stood at a moment is told which events surely came before it, which surely after,
and which are to be looked at one by one: without going through all that a table has seen.
"""

from bisect import bisect_left, bisect_right
from typing import Generic, TypeVar

from msgspec import Struct

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.timeline.ordering import Span

T = TypeVar("T")


def span_of(event: RecordedEvent) -> Span:
    """Tell when an event of a table came about, at the earliest and at the latest, by its clocks.

    A clock that the log caught ahead of its own may have been right, or the log's. An event without
    a clock came no later than the log had it; it is taken to have come then, and whoever looks at
    it more closely asks for its clock.
    """
    at = event.recorded_us if event.at_us is None else event.at_us
    return Span(min(at, event.recorded_us), at)


class ValueHistory(Struct, Generic[T]):
    """Facts in the order of their record, and what stood from each of them on.

    ``latest`` is the latest clock among an event and those before it, ``earliest`` the earliest
    among an event and those behind it: both rise. ``clocks`` tells how many of the events have a
    clock.
    """

    events: list[RecordedEvent] = []
    values: list[T] = []
    indexes: list[int] = []
    latest: list[int] = []
    earliest: list[int] = []
    clocks: int = 0

    def add(self, event: RecordedEvent, stands: T) -> None:
        """Take the next event, and what stands from it on."""
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
        """Return how many events come surely before a span, and the place of the first of those.

        The second is the place from which on all come surely after it.
        """
        before = bisect_left(self.latest, span.earliest - tolerance_us)
        after = bisect_right(self.earliest, span.latest + tolerance_us)
        return before, max(before, after)

    def by_log(self, first: int, last: int) -> tuple[int, int]:
        """Return the same, by the indexes of the log, of what stands between two of them."""
        return bisect_left(self.indexes, first), bisect_right(self.indexes, last)
