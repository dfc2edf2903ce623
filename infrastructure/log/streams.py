"""The streams of the log."""

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


# Jump from one name to the next along the index, since streams are few and events many.
STREAMS: Final = """
    WITH RECURSIVE name (stream) AS (
      SELECT min(stream) FROM log_event WHERE stream >= ? AND stream < ?
      UNION ALL
      SELECT (SELECT min(stream) FROM log_event WHERE stream > name.stream AND stream < ?)
      FROM name WHERE name.stream IS NOT NULL
    ),
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
"""The streams between two names, in the order of their first events. The last name comes twice."""
