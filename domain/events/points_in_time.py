"""A moment of the past that people can name: a line of the log, or a time on the table's clock."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct

from sabot.domain.events import MAX_INT
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.errors import BadInput

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_INDEX: Final = re.compile(r"#?([0-9]{1,16})", re.ASCII)
# Python's own reader lets a NUL at the end pass
_TIME: Final = re.compile(r"[0-9TtWZz:+\-., ]+", re.ASCII)
_CLOCK: Final = re.compile(
    r"[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?", re.ASCII
)
_DAY_US: Final = 86_400_000_000
_NEXT_STEP: Final = (
    "write an event as #123, or a time as 2026-01-01T20:00:00Z (UTC unless it names another zone)"
)


class Index(Struct, frozen=True, gc=False):
    """The moment just after the event of that index was written."""

    index: int

    def __str__(self) -> str:
        return f"#{self.index}"


class Time(Struct, frozen=True, gc=False):
    """A time on the table's clock, in microseconds since 1970 (UTC)."""

    us: int

    def __str__(self) -> str:
        return format_time(self.us)


PointInTime = Index | Time


def parse_moment(text: str, latest_us: Callable[[], int | None] = lambda: None) -> PointInTime:
    """Read a moment as people write it: ``#123``, ``123``, or a time of ISO 8601.

    A time without a zone is UTC; a date alone is its midnight. Digits alone are always an event.
    A time without a date is the last such time that the record has reached, which
    ``latest_us`` tells, where anything does.

    Raises:
        BadInput: it is none of these.

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
            raise BadInput(f"{_shown(text)} is no event: the first is #1; {_NEXT_STEP}")
        return Index(index)
    if _CLOCK.fullmatch(written):
        latest = latest_us()
        if latest is None:
            raise BadInput(f"{_shown(text)} needs its date here; {_NEXT_STEP}")
        return Time(_last_at(written, text, latest))
    return Time(_us(written if _TIME.fullmatch(written) else "", text))


def _last_at(clock: str, text: str, latest: int) -> int:
    """Return the last time of that clock that is not after the latest."""
    some_day = _us(f"1970-01-01T{clock}", text)
    return latest - (latest - some_day) % _DAY_US


def _us(written: str, text: str) -> int:
    try:
        time = datetime.fromisoformat(written)
    except ValueError as error:
        raise BadInput(f"{_shown(text)} is neither an event nor a time; {_NEXT_STEP}") from error
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return (time - _EPOCH) // timedelta(microseconds=1)


def format_time(us: int) -> str:
    """Write a clock of the log as ISO 8601 in UTC, as fine as it is and no finer.

    >>> iso(0), iso(1_500_000)
    ('1970-01-01T00:00:00Z', '1970-01-01T00:00:01.5Z')
    """
    seconds, fraction = divmod(us, 1_000_000)
    try:
        whole = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S")
    except OverflowError:  # a clock that says the year 10000 is an event like another
        return f"{seconds}.{fraction:06d}s"
    # strftime does not pad years below 1000 on every platform
    whole = whole.rjust(19, "0")
    return f"{whole}.{fraction:06d}".rstrip("0").rstrip(".") + "Z"


def with_table_times(events: Iterable[RecordedEvent]) -> Iterator[tuple[RecordedEvent, int]]:
    """Give each event of a stream the time at which the table stood when it happened.

    That is the table's clock where the event has one; else the last clock that the stream gave
    before it, since an event never precedes the one before; else the log's own clock.
    """
    last: int | None = None
    for event in events:
        if event.at_us is not None:
            last = event.at_us
        yield event, event.recorded_us if last is None else last


def events_until(
    events: Iterable[RecordedEvent], moment: PointInTime | None
) -> list[RecordedEvent]:
    """Return what had happened in a stream by a moment, that moment included.

    An index cuts the stream; a time picks the events that the table's clock puts at or before
    it. So an event that reached the log late counts from when it happened, a correction from
    when it was made, and one clock that went wrong hides nothing but its own event.
    """
    match moment:
        case None:
            return list(events)
        case Index(index=index):
            return [event for event in events if event.index <= index]
        case Time(us=us):
            return [event for event, clock in with_table_times(events) if clock <= us]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")  # noqa: PLR2004 - enough to know it by
