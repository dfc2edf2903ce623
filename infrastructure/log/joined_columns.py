"""Read the events of a stream as one row of joined columns.

The drivers take longer to make the values of a row than the database takes to join them, and one
text of payloads is decoded faster than each payload alone.
"""

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, Final, NamedTuple, cast

import msgspec

from sabot.domain.events import Event, EventCorrected
from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.log.codec import NAMES, UNREADABLE

SEPARATOR: Final = "\x1f"
"""The separator of joined texts. Texts that contain it are read row by row."""

_BETWEEN: Final = "\ntrue\n"
"""The separator of joined payloads on SQLite, as a line of its own.

No value in a payload can contain such a line. So each payload is one event if they alternate with
``true``.
"""

# The index gives the order: SQLite before 3.44 cannot order what it joins. In that order the last
# version shows whether one is missing, unless the first is below 1.
_JOINED_BY_SQLITE: Final = """
    SELECT count(*), group_concat(payload, '{between}'), group_concat(name), group_concat(id),
           CASE WHEN (SELECT min(version) FROM log_event WHERE stream = ?1) > 0
             THEN (SELECT max(version) FROM log_event WHERE stream = ?1 AND version <= ?3)
             ELSE 0 END,
           group_concat(ifnull(at_us, 'null')), group_concat(recorded_us),
           group_concat(ifnull(seq, 'null')), group_concat(actor, '{separator}'),
           group_concat(device, '{separator}'), group_concat(event_id, '{separator}')
    FROM log_event INDEXED BY sqlite_autoindex_log_event_1
    WHERE stream = ?1 AND version >= ?2 AND version <= ?3
""".replace("{separator}", SEPARATOR).replace("{between}", _BETWEEN)

# PostgreSQL stores the rows of an append in any order, so they are sorted before they are joined.
# The name is put in front of each payload: a decoder that meets the type of an event first reads
# the rest once, and refuses another type later in the payload.
_JOINED_BY_POSTGRESQL: Final = """
    SELECT count(*), string_agg('{"type":"' || name || '",' || right(payload, -1), '\n'), NULL,
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
    cast("Any", Event | bool)
).decode_lines
_NAMES: Final[dict[type, str]] = {**NAMES, bool: ""}
_decode_numbers: Final = msgspec.json.Decoder(list[Any]).decode


class Columns(NamedTuple):
    """The columns of some events of one stream.

    Each holds the values of all events: payloads as lines, names and numbers separated by commas
    (``null`` for none), other texts by `SEPARATOR`. Either a line ``true`` stands between two
    payloads, or ``names`` is None and each payload begins with its name as its type.
    ``last_version`` is 0 if the first version is below 1. ``event_ids`` is None if no event has
    one.
    """

    number: int
    payloads: str
    names: str | None
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
    lines = _decode_lines(columns.payloads)
    if columns.names is None:
        # the type in front, that of the payload, and those of events that corrections hold
        types = sum(map(_types_in, filter(_is_correction, lines))) + 2 * len(lines)
        return lines if columns.payloads.count(_TYPE) == types else None
    decoded: list[Event] = lines[::2]
    names = ",".join(map(_NAMES.__getitem__, map(type, decoded)))
    alternate = lines[1::2] == [True] * (columns.number - 1)
    return decoded if alternate and columns.names == names else None


_TYPE: Final = '"type":"'
"""What stands before the type of an event. In a text its quotation marks would be escaped."""


def _is_correction(line: object) -> bool:
    return type(line) is EventCorrected


def _types_in(correction: EventCorrected) -> int:
    """Return how many events a correction holds."""
    held, inner = 0, correction.instead
    while inner is not None:
        held, inner = held + 1, inner.instead if isinstance(inner, EventCorrected) else None
    return held


def _texts(joined: str, number: int) -> Iterable[str] | None:
    """Split texts that `SEPARATOR` separates. Return None if there are not so many."""
    if joined.count(SEPARATOR) != number - 1:
        return None
    first = joined.partition(SEPARATOR)[0]
    # most shoes are recorded by one device
    if joined == SEPARATOR.join([first] * number):
        return repeat(first)
    return joined.split(SEPARATOR)
