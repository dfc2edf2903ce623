"""Points in time that a user can name.

They are events of the log, or times on the table's clock.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from msgspec import Struct

from sabot.domain.events import MAX_INT
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.errors import BadInput, shortened

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_INDEX: Final = re.compile(r"#?([0-9]{1,16})", re.ASCII)
# datetime.fromisoformat accepts a trailing NUL, and since Python 3.14 the hour 24
_TIME: Final = re.compile(r"(?!.*[Tt ]24)[0-9TtWZz:+\-., ]+", re.ASCII)
_CLOCK: Final = re.compile(
    r"(?!24)[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?", re.ASCII
)
DAY_US: Final = 86_400_000_000
"""The microseconds of a day."""
_NEXT_STEP: Final = (
    "write an event as 123, or a time as 2026-01-01T20:00:00Z (a time without Z or an "
    "offset is in the chosen zone, UTC by default)"
)


class Index(Struct, frozen=True, gc=False):
    """The moment just after the event with this log index was recorded."""

    index: int

    def __str__(self) -> str:
        return f"#{self.index}"


class Time(Struct, frozen=True, gc=False):
    """A time on the table's clock, in microseconds (UTC)."""

    us: int

    def __str__(self) -> str:
        return format_time(self.us)


PointInTime = Index | Time


def parse_moment(
    text: str, latest_us: Callable[[], int | None] = lambda: None, zone: tzinfo = UTC
) -> PointInTime:
    """Parse a point in time: ``#123``, ``123`` or an ISO 8601 time.

    A time without an offset is in ``zone``; a date alone is midnight. Digits alone are an event's
    index. A time without a date is its most recent occurrence up to ``latest_us()``, the latest
    time on record.

    Raises:
        BadInput: the text is neither an event nor a time, or a time lacks its date.

    >>> parse_moment("#12"), parse_moment("1970-01-01T01:00+01:00")
    (Index(index=12), Time(us=0))
    >>> str(parse_moment("23:30", lambda: 86_400_000_000))
    '1970-01-01T23:30:00Z'
    """
    written = text.strip()
    number = _INDEX.fullmatch(written)
    if number is not None:
        index = int(number[1])
        if not 1 <= index <= MAX_INT:
            raise BadInput(f"{_shown(text)} is not an event: the first is #1; {_NEXT_STEP}")
        return Index(index)
    if _CLOCK.fullmatch(written):
        latest = latest_us()
        if latest is None:
            raise BadInput(f"{_shown(text)} needs its date here; {_NEXT_STEP}")
        return Time(_last_at(written, text, latest, zone))
    return Time(_us(written if _TIME.fullmatch(written) else "", text, zone))


def parse_event(text: str) -> int:
    """Parse the index of an event: ``#123`` or ``123``.

    Raises:
        BadInput: the text is no such index.
    """
    number = _INDEX.fullmatch(text.strip())
    if number is None or not 1 <= int(number[1]) <= MAX_INT:
        raise BadInput(f"{_shown(text)} is not an event; write an event as 123 or #123, from #1 on")
    return int(number[1])


def is_clock(text: str) -> bool:
    """Return whether a text is a time without a date, such as ``21:15``."""
    return _CLOCK.fullmatch(text.strip()) is not None


def _last_at(clock: str, text: str, latest: int, zone: tzinfo) -> int:
    """Return the latest time with this time of day that is not after ``latest``."""
    # the day of the record: a zone may have another offset on another day
    day = (_EPOCH + timedelta(microseconds=latest)).astimezone(zone).date()
    some_day = _us(f"{day.isoformat()}T{clock}", text, zone)
    return latest - (latest - some_day) % DAY_US


def _us(written: str, text: str, zone: tzinfo) -> int:
    try:
        time = datetime.fromisoformat(written)
    except ValueError as error:
        raise BadInput(
            f"{_shown(text)} is neither an event nor a time; {_NEXT_STEP}; a time of day is "
            "written as 21:15"
        ) from error
    if time.tzinfo is None:
        time = time.replace(tzinfo=zone)
    return (time - _EPOCH) // timedelta(microseconds=1)


def format_time(us: int) -> str:
    """Format a clock as ISO 8601 in UTC.

    Trailing zeros are omitted.

    >>> format_time(0), format_time(1_500_000) ('1970-01-01T00:00:00Z', '1970-01-01T00:00:01.5Z')
    """
    seconds, fraction = divmod(us, 1_000_000)
    try:
        whole = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    except OverflowError:  # a clock in the year 10000 can still be shown
        return f"{seconds}.{fraction:06d}s"
    # strftime does not pad years below 1000 on every platform
    whole = whole.rjust(19, "0")
    return f"{whole}.{fraction:06d}".rstrip("0").rstrip(".") + "Z"


def with_table_times(events: Iterable[RecordedEvent]) -> Iterator[tuple[RecordedEvent, int]]:
    """Yield each event with its time on the table's clock.

    An event without a table clock takes the last one before it in the stream, or else the log's
    clock.
    """
    last: int | None = None
    for event in events:
        if event.at_us is not None:
            last = event.at_us
        yield event, event.recorded_us if last is None else last


def events_until(
    events: Iterable[RecordedEvent], moment: PointInTime | None
) -> list[RecordedEvent]:
    """Return the events that happened up to a moment.

    Events at the moment itself are included. An index selects the events with this index or a lower
    one. A time selects the events whose table time is at or before it. So an event that was
    recorded late counts from the time when it happened, and a correction from the time when it was
    made. A wrong clock affects only its own event.
    """
    match moment:
        case None:
            return list(events)
        case Index(index=index):
            return [event for event in events if event.index <= index]
        case Time(us=us):
            return [event for event, clock in with_table_times(events) if clock <= us]


def _shown(text: str) -> str:
    return repr(shortened(text))
