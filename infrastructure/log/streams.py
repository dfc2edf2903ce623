"""The streams of the log."""

import sys
from typing import Final

from msgspec import Struct


class StreamInfo(Struct, frozen=True):
    """A stream of the log: its version, and index and clocks of its first and last event."""

    stream: str
    version: int
    first_index: int
    last_index: int
    first_at_us: int | None
    last_at_us: int | None
    first_recorded_us: int
    last_recorded_us: int


def after_prefix(prefix: str) -> str:
    """Return the first name, in the order of bytes, after all names with a prefix.

    >>> after_prefix("shoe/")
    'shoe0'
    """
    last = ord(prefix[-1]) + 1
    if last > sys.maxunicode:
        return after_prefix(prefix[:-1])
    return prefix[:-1] + chr(_AFTER_SURROGATES if last == _SURROGATES else last)


# the range of code points that are no characters of a name
_SURROGATES, _AFTER_SURROGATES = 0xD800, 0xE000


_SPANS: Final = """
    span (stream, low, high) AS (
      SELECT stream,
             (SELECT min(version) FROM log_event e WHERE e.stream = name.stream),
             (SELECT max(version) FROM log_event e WHERE e.stream = name.stream)
      FROM name WHERE stream IS NOT NULL
    )
    SELECT span.stream, last.version, first.id, last.id, first.at_us, last.at_us,
           first.recorded_us, last.recorded_us
    FROM span
    JOIN log_event first ON first.stream = span.stream AND first.version = span.low
    JOIN log_event last ON last.stream = span.stream AND last.version = span.high
    ORDER BY first.id
"""

# Jump from one name to the next along the index, since streams are few and events many.
_STREAMS: Final = """
    WITH RECURSIVE name (stream) AS (
      SELECT min(stream) FROM log_event{0}
      UNION ALL
      SELECT (SELECT min(stream) FROM log_event WHERE stream > name.stream{1})
      FROM name WHERE name.stream IS NOT NULL
    ),
"""

STREAMS: Final = _STREAMS.format("", "") + _SPANS
"""All streams, in the order of their first events."""

STREAMS_BETWEEN: Final = (
    _STREAMS.format(" WHERE stream >= ? AND stream < ?", " AND stream < ?") + _SPANS
)
"""The streams from a name up to another. The last name comes twice."""

ONE_STREAM: Final = (
    "WITH name (stream) AS (SELECT min(stream) FROM log_event WHERE stream = ?)," + _SPANS  # noqa: S608 - constants
)
"""The stream of a name."""
