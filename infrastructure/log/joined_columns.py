"""Read the events of a stream from SQLite as one row of joined columns.

SQLite's driver takes longer to make the values of a row than the database takes to join them, and
one text of payloads is decoded faster than each payload alone.
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

# The index gives the order: SQLite before 3.44 cannot order what it joins.
JOINED: Final = """
    SELECT count(*), group_concat(payload, '\n'), group_concat(name), group_concat(id),
           sum(version), group_concat(ifnull(at_us, 'null')), group_concat(recorded_us),
           group_concat(ifnull(seq, 'null')), group_concat(actor, '{separator}'),
           group_concat(device, '{separator}'), group_concat(event_id, '{separator}')
    FROM log_event INDEXED BY sqlite_autoindex_log_event_1
    WHERE stream = ? AND version > ? AND version <= ?
""".replace("{separator}", SEPARATOR)

_decode_lines: Final[Callable[[str], list[Event]]] = msgspec.json.Decoder(
    cast("Any", Event)
).decode_lines
_decode_numbers: Final = msgspec.json.Decoder(list[Any]).decode


class Columns(NamedTuple):
    """The columns of some events of one stream, in the order of their versions.

    Each holds the values of all events: payloads separated by line breaks, names and numbers by
    commas (``null`` for none), other texts by `SEPARATOR`. ``versions`` is the sum of the versions.
    ``event_ids`` is None if no event has one.
    """

    number: int
    payloads: str
    names: str
    indexes: str
    versions: int
    at: str
    recorded: str
    seqs: str
    actors: str
    devices: str
    event_ids: str | None


def decode_columns(stream: str, after: int, columns: Columns) -> list[RecordedEvent] | None:
    """Decode events of one stream from its columns.

    Return None unless every event has a current shape, their versions follow ``after`` without a
    gap and their indexes increase. They are then to be read row by row, which tells what is wrong.
    """
    number = columns.number
    joined = (columns.indexes, columns.at, columns.recorded, columns.seqs)
    try:
        decoded = _decode_lines(columns.payloads)
        indexes, at, recorded, seqs = [_decode_numbers(f"[{text}]") for text in joined]
    except UNREADABLE:
        return None
    if not (
        number == len(decoded) == len(indexes) == len(at) == len(recorded) == len(seqs)
        # no payload has a line break, and each line is an object: each payload is one event
        and columns.payloads.count("\n") == columns.payloads.count("}\n{") == number - 1
        and columns.names == ",".join(map(NAMES.__getitem__, map(type, decoded)))
        # versions are unique, so no others have this sum
        and columns.versions == number * after + number * (number + 1) // 2
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


def _texts(joined: str, number: int) -> Iterable[str] | None:
    """Split texts that `SEPARATOR` separates. Return None if there are not so many."""
    if joined.count(SEPARATOR) != number - 1:
        return None
    first = joined.partition(SEPARATOR)[0]
    # most shoes are recorded by one device
    if joined == SEPARATOR.join([first] * number):
        return repeat(first)
    return joined.split(SEPARATOR)
