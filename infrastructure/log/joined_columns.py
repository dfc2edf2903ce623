"""Read the events of a stream as one row of joined columns.

The drivers take longer to make the values of a row than the database takes to join them, and one
text of payloads is decoded faster than each payload alone.
"""

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, Final, NamedTuple, cast

import msgspec

from sabot.domain.events import Event
from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.log.codec import NAMES, UNREADABLE

SEPARATOR: Final = "\x1f"
"""The separator of joined texts. Texts that contain it are read row by row."""

# The index gives the order: SQLite before 3.44 cannot order what it joins. In that order the last
# version shows whether one is missing, unless the first is below 1.
_JOINED_BY_SQLITE: Final = """
    SELECT count(*), group_concat(payload, '\n'), group_concat(name), group_concat(id),
           CASE WHEN (SELECT min(version) FROM log_event WHERE stream = ?1) > 0
             THEN (SELECT max(version) FROM log_event WHERE stream = ?1 AND version <= ?3)
             ELSE 0 END,
           group_concat(ifnull(at_us, 'null')), group_concat(recorded_us),
           group_concat(ifnull(seq, 'null')), group_concat(actor, '{separator}'),
           group_concat(device, '{separator}'), group_concat(event_id, '{separator}')
    FROM log_event INDEXED BY sqlite_autoindex_log_event_1
    WHERE stream = ?1 AND version >= ?2 AND version <= ?3
""".replace("{separator}", SEPARATOR)

# PostgreSQL stores the rows of an append in any order, so they are sorted before they are joined.
_JOINED_BY_POSTGRESQL: Final = """
    SELECT count(*), string_agg(payload, '\n'), string_agg(name, ','),
           string_agg(id::text, ','),
           CASE WHEN min(version) > 0 THEN max(version) ELSE 0 END,
           string_agg(coalesce(at_us::text, 'null'), ','), string_agg(recorded_us::text, ','),
           string_agg(coalesce(seq::text, 'null'), ','),
           string_agg(actor, '{separator}'), string_agg(device, '{separator}'),
           string_agg(event_id, '{separator}')
    FROM (SELECT id, version, name, at_us, recorded_us, seq, actor, device, event_id, payload
          FROM log_event WHERE stream = ? AND version >= ? AND version <= ?
          ORDER BY version) AS events
""".replace("{separator}", SEPARATOR)

JOINED: Final = {True: _JOINED_BY_SQLITE, False: _JOINED_BY_POSTGRESQL}
"""The query for a stream and its versions from one up to another, by "is SQLite"."""

_decode_lines: Final[Callable[[str], list[Any]]] = msgspec.json.Decoder(
    cast("Any", Event)
).decode_lines
_decode_numbers: Final = msgspec.json.Decoder(list[Any]).decode


class Columns(NamedTuple):
    """The columns of some events of one stream.

    Each holds the values of all events: payloads as lines, names and numbers separated by commas
    (``null`` for none), other texts by `SEPARATOR`. ``last_version`` is 0 if the first version is
    below 1. ``event_ids`` is None if no event has one.
    """

    number: int
    payloads: str
    names: str
    indexes: str
    last_version: int
    at: str
    recorded: str
    seqs: str
    actors: str
    devices: str
    event_ids: str | None


def decode_columns(stream: str, after: int, columns: Columns) -> list[RecordedEvent] | None:
    """Decode events of one stream from its columns.

    Return None unless every event has a current shape, their versions follow ``after`` without a
    gap and their indexes increase. If the result is None, the events have to be read row by row,
    which shows the error.
    """
    number = columns.number
    joined = (columns.indexes, columns.at, columns.recorded, columns.seqs)
    try:
        decoded = _events(columns)
        indexes, at, recorded, seqs = [_decode_numbers(f"[{text}]") for text in joined]
    except UNREADABLE:
        return None
    if decoded is None or not (
        number == len(decoded) == len(indexes) == len(at) == len(recorded) == len(seqs)
        # versions are unique, so these are as many as there can be
        and columns.last_version == after + number
        and indexes == sorted(indexes)
    ):
        return None
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


def _events(columns: Columns) -> list[Event] | None:
    """Decode the payloads. Return None unless each is one event of the type that is its name."""
    if columns.payloads.count("\n") != columns.number - 1:
        return None  # a payload of several lines may hold several events
    decoded: list[Event] = _decode_lines(columns.payloads)
    names = ",".join(map(NAMES.__getitem__, map(type, decoded)))
    return decoded if columns.names == names else None


def _texts(joined: str, number: int) -> Iterable[str] | None:
    """Split texts that `SEPARATOR` separates. Return None if there are not so many."""
    if joined.count(SEPARATOR) != number - 1:
        return None
    first = joined.partition(SEPARATOR)[0]
    # most shoes are recorded by one device
    if joined == SEPARATOR.join([first] * number):
        return repeat(first)
    return joined.split(SEPARATOR)
