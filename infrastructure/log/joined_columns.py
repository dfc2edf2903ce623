"""Read the events of a stream as one row of joined columns.

The drivers take longer to make the values of a row than the database takes to join them, and one
text of payloads is decoded faster than each payload alone.
"""

import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple, cast

import msgspec

from sabot.domain.events import Event
from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.log.codec import NAMES, UNREADABLE

SEPARATOR: Final = "\x1f"
"""The separator of joined texts. Texts that contain it are read row by row."""

_NONE: Final = -(2**62)
"""Stands for a missing number in the bytes of PostgreSQL."""
_TEXTS: Final = 4
"""The number of texts of numbers from SQLite."""

# The index gives the order: SQLite before 3.44 cannot order what it joins. In that order the last
# version shows whether one is missing, unless the first is below 1. Event ids are joined only where
# there is one: most shoes have none.
_JOINED_BY_SQLITE: Final = """
    SELECT count(*), group_concat(payload, '\n'), group_concat(name),
           CASE WHEN (SELECT min(version) FROM log_event WHERE stream = ?1) > 0
             THEN (SELECT max(version) FROM log_event WHERE stream = ?1 AND version <= ?3)
             ELSE 0 END,
           group_concat(actor, '{separator}'), group_concat(device, '{separator}'),
           CASE WHEN count(event_id) > 0
             THEN (SELECT group_concat(event_id, '{separator}')
                   FROM log_event INDEXED BY sqlite_autoindex_log_event_1
                   WHERE stream = ?1 AND version >= ?2 AND version <= ?3) END,
           group_concat(id), group_concat(recorded_us),
           group_concat(ifnull(at_us, 'null')), group_concat(ifnull(seq, 'null'))
    FROM log_event INDEXED BY sqlite_autoindex_log_event_1
    WHERE stream = ?1 AND version >= ?2 AND version <= ?3
""".replace("{separator}", SEPARATOR)

# PostgreSQL stores the rows of an append in any order, so they are sorted before they are joined.
# It sends numbers as eight bytes each, which cost less than digits on both sides.
_JOINED_BY_POSTGRESQL: Final = """
    SELECT count(*), string_agg(payload, '\n'), string_agg(name, ','),
           CASE WHEN min(version) > 0 THEN max(version) ELSE 0 END,
           string_agg(actor, '{separator}'), string_agg(device, '{separator}'),
           string_agg(event_id, '{separator}'),
           string_agg(int8send(id) || int8send(recorded_us) || int8send(coalesce(at_us, {none}))
                      || int8send(coalesce(seq, {none})), ''),
           count(at_us), count(seq)
    FROM (SELECT id, version, name, at_us, recorded_us, seq, actor, device, event_id, payload
          FROM log_event WHERE stream = ? AND version >= ? AND version <= ?
          ORDER BY version) AS events
""".replace("{separator}", SEPARATOR).replace("{none}", str(_NONE))

JOINED: Final = {True: _JOINED_BY_SQLITE, False: _JOINED_BY_POSTGRESQL}
"""The query for a stream and its versions from one up to another, by "is SQLite"."""

_decode_lines: Final[Callable[[str], list[Any]]] = msgspec.json.Decoder(
    cast("Any", Event)
).decode_lines
_decode_numbers: Final = msgspec.json.Decoder(list[Any]).decode


class Columns(NamedTuple):
    """The columns of some events of one stream.

    Each holds the values of all events: payloads as lines, names separated by commas, other texts
    by `SEPARATOR`. ``last_version`` is 0 if the first version is below 1. ``event_ids`` is None if
    no event has one. ``numbers`` are the index, the two times and the sequence number of the
    events: four texts from SQLite (``null`` for none). From PostgreSQL they are bytes, with the
    counts of times of the table and of sequence numbers.
    """

    number: int
    payloads: str
    names: str
    last_version: int
    actors: str
    devices: str
    event_ids: str | None
    numbers: tuple[Any, ...]


def columns_of(row: tuple[Any, ...]) -> Columns:
    """Return the columns from a row of a `JOINED` query."""
    return Columns._make([*row[:7], row[7:]])


def decode_columns(stream: str, after: int, columns: Columns) -> list[RecordedEvent] | None:
    """Decode events of one stream from its columns.

    Return None unless every event has a current shape, their versions follow ``after`` without a
    gap and their indexes increase. If the result is None, the events have to be read row by row,
    which shows the error.
    """
    number = columns.number
    try:
        decoded = _events(columns)
        numbers = _numbers(columns)
    except UNREADABLE:
        return None
    if (
        decoded is None
        or numbers is None
        or not (
            all(number == len(values) for values in (decoded, *numbers))
            # versions are unique, so these are as many as there can be
            and columns.last_version == after + number
            and numbers[0] == sorted(numbers[0])
        )
    ):
        return None
    indexes, recorded, at, seqs = numbers
    actors, devices = _texts(columns.actors, number), _texts(columns.devices, number)
    ids = repeat(None) if columns.event_ids is None else _texts(columns.event_ids, number)
    if actors is None or devices is None or ids is None:
        return None
    versions = range(after + 1, after + 1 + number)
    return list(
        map(
            RecordedEvent, indexes, repeat(stream), versions, at, recorded, actors, devices, seqs,
            decoded, ids, versions,
        )
    )  # fmt: skip


def _numbers(columns: Columns) -> list[Sequence[Any]] | None:
    """Return the indexes, times of the log, times of the table and sequence numbers.

    Return None if the bytes of the numbers do not fit their counts.
    """
    if len(columns.numbers) == _TEXTS:
        return [_decode_numbers(f"[{text}]") for text in columns.numbers]
    joined, timed, numbered = columns.numbers
    values = array("q", joined)
    if sys.byteorder == "little":
        values.byteswap()
    indexes, recorded, at, seqs = [values[column::4].tolist() for column in range(4)]
    counts = (columns.number - timed, columns.number - numbered)
    if counts != (at.count(_NONE), seqs.count(_NONE)):
        return None
    return [indexes, recorded, _or_none(at, counts[0]), _or_none(seqs, counts[1])]


def _or_none(values: list[int], missing: int) -> Sequence[int | None]:
    return [None if value == _NONE else value for value in values] if missing else values


def _events(columns: Columns) -> list[Event] | None:
    """Decode the payloads. Return None unless each is one event of the type that is its name."""
    if columns.payloads.count("\n") != columns.number - 1:
        return None  # a payload of several lines may hold several events
    decoded: list[Event] = _decode_lines(columns.payloads)
    names = ",".join(map(NAMES.__getitem__, map(type, decoded)))
    return decoded if columns.names == names else None


def _texts(joined: str, number: int) -> Iterable[str] | None:
    """Split texts that `SEPARATOR` separates. Return None if their number is another."""
    first = joined.partition(SEPARATOR)[0]
    # most shoes are recorded by one device
    if joined == ((first + SEPARATOR) * number)[:-1]:
        return repeat(first)
    texts = joined.split(SEPARATOR)
    return texts if len(texts) == number else None
