"""Append to the log, one writer at a time.

A writer takes a turn: it locks the log until it commits, and knows the last index and the versions
of the streams to be written. So commits are in the order of indexes.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from time import time_ns
from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sabot.domain.events.envelope import AppendResult
from sabot.domain.values.errors import UntrustedLog, VersionConflict
from sabot.infrastructure.database.engines import driver_of
from sabot.infrastructure.log.codec import Row

Clock = Callable[[], int]
"""Microseconds since 1970 (UTC)."""


def utc_us() -> int:
    """Return the computer's clock."""
    return time_ns() // 1000


_TURN: Final = {
    "sqlite": "SELECT last_id, value, (SELECT max(version) FROM log_event WHERE stream = value)"
    " FROM log_head, json_each(?)",
    "postgresql": "SELECT last_id, stream, version FROM log_turn(%s::jsonb)",
}
_INSERT: Final = "INSERT INTO log_event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_APPEND: Final = (
    "SELECT head, versions FROM log_append(%s::jsonb, %s::text[], %s::bigint[], %s::bigint)"
)

NO_HEAD: Final = (
    "the log has lost its head, the row that says how long it is; somebody took it out: compare "
    "the log with an export or a backup"
)

_encode: Final = msgspec.json.Encoder().encode


def check_versions(found: Mapping[str, int], expected: Mapping[str, int]) -> None:
    """Check that streams are still at their expected versions.

    The caller based a decision on these versions.

    Raises:
        VersionConflict: a stream has grown since.
    """
    for stream, version in expected.items():
        if found[stream] != version:
            raise VersionConflict(
                f"{stream} is at version {found[stream]}, and this was decided at version "
                f"{version}; read it again and decide anew"
            )


class WriterTurn:
    """A writer's turn: it holds the lock of the log until the transaction ends.

    Attributes:
        last_id: the index of the log's last event.
        versions: the versions of the requested streams.

    Raises:
        UntrustedLog: the log has lost its head.
    """

    def __init__(self, connection: Connection, streams: Collection[str]) -> None:
        self._connection = connection
        self._on_server = connection.dialect.name == "postgresql"
        names = (_encode(list(streams)).decode(),)
        turn = _TURN[connection.dialect.name]
        found = driver_of(connection).execute(turn, names).fetchall()
        if not found:
            raise UntrustedLog(NO_HEAD)
        self.last_id: int = found[0][0]
        self.versions: dict[str, int] = {stream: version or 0 for _, stream, version in found}

    def write(self, rows: Sequence[Row], clock: Clock) -> list[AppendResult]:
        """Insert rows in their order. The database moves the head with them."""
        if not rows:
            return []
        if self._on_server:
            return _on_server(self._connection, rows, {}, clock(), self.versions)
        now, number, versions = clock(), self.last_id, self.versions
        receipts, values = [], []
        for row in rows:
            number += 1
            stream, version = row.stream, row.version
            if version is None:
                version = versions[stream] + 1
            versions[stream] = version
            receipts.append(AppendResult(number, stream, version))
            values.append((
                number, row.event_id, stream, version, row.name, row.at_us,
                now if row.recorded_us is None else row.recorded_us,
                row.actor, row.device, row.seq, row.payload,
            ))  # fmt: skip
        driver_of(self._connection).executemany(_INSERT, values).close()
        return receipts


def append(
    connection: Connection, rows: Sequence[Row], expected: Mapping[str, int], clock: Clock
) -> list[AppendResult]:
    """Take a writer's turn, check the expected versions, and insert rows.

    Raises:
        VersionConflict: a stream has grown.
    """
    if connection.dialect.name == "postgresql":
        return _on_server(connection, rows, expected, clock(), {})
    turn = WriterTurn(connection, {row.stream for row in rows} | expected.keys())
    check_versions(turn.versions, expected)
    return turn.write(rows, clock)


def _on_server(
    connection: Connection,
    rows: Sequence[Row],
    expected: Mapping[str, int],
    now: int,
    versions: Mapping[str, int],
) -> list[AppendResult]:
    """Append in a single statement.

    The server gets the rows as a JSON array, each with the place of its stream in a list and its
    number among the new rows of the stream. ``versions`` are needed for rows with a given version.
    """
    places = {stream: place for place, stream in enumerate(expected, 1)}
    numbers, values = dict.fromkeys(expected, 0), []
    for row in rows:
        stream = row.stream
        place = places.setdefault(stream, len(places) + 1)
        number = numbers.get(stream, 0) + 1
        if row.version is not None:
            number = row.version - versions[stream]
        numbers[stream] = number
        values.append((
            place, number, row.event_id, row.name, row.at_us, row.recorded_us,
            row.actor, row.device, row.seq, row.payload,
        ))  # fmt: skip
    sent = (_encode(values).decode(), list(places), list(expected.values()), now)
    head, found = driver_of(connection).execute(_APPEND, sent).fetchone()
    if head is None:
        check_versions(dict(zip(places, found, strict=True)), expected)
    return [
        AppendResult(index, row.stream, found[sent_row[0] - 1] + sent_row[1])
        for index, (row, sent_row) in enumerate(zip(rows, values, strict=True), head + 1)
    ]


def explained(error: Exception) -> Exception:
    """Return an error for rows that the database refused without a known cause."""
    if not isinstance(error, sa.exc.IntegrityError):
        return error
    return UntrustedLog(
        f"the log refused a new event: {str(error.orig).splitlines()[0]}; "
        "its head, indexes or versions do not fit together: verify it before going on"
    )
