"""Append to the log, with one writer at a time.

A writer has a turn: it locks the log until it commits, and knows the last index and the versions of
the streams to be written. So commits are in the order of indexes.
"""

import getpass
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from time import time_ns
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sabot.domain.events.envelope import AppendResult
from sabot.domain.values.errors import UntrustedLog, VersionConflict
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.engines import driver_of
from sabot.infrastructure.log.codec import Row

Clock = Callable[[], int]
"""Microseconds since 1970 (UTC)."""


def utc_us() -> int:
    """Return the computer's clock."""
    return time_ns() // 1000


@cache
def system_login() -> str:
    """Return the operating system's user of this process. Environment variables are ignored."""
    try:
        import pwd  # noqa: PLC0415 - not on every system
    except ImportError:
        return getpass.getuser()
    user = os.geteuid()
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"uid {user}"


_TURN: Final = {
    "sqlite": "SELECT last_id, value, (SELECT max(version) FROM log_event WHERE stream = value)"
    " FROM log_head, json_each(?)",
    "postgresql": "SELECT last_id, stream, version FROM log_turn(%s::jsonb)",
}
_INSERT: Final = (
    "INSERT INTO log_event (id, event_id, stream, version, name, at_us, recorded_us, actor, device,"
    " seq, payload, stored_us, login, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_APPEND: Final = "SELECT head, versions FROM log_append(%b::jsonb)"

NO_HEAD: Final = (
    "the log has lost its head, the row with the number of its events; "
    "somebody removed it: compare the log with an export or a backup"
)

_encode: Final = msgspec.json.Encoder().encode


def check_versions(found: Mapping[str, int], expected: Mapping[str, int]) -> None:
    """Check that streams still have the versions on which the caller based a decision.

    Raises:
        VersionConflict: a stream has grown since.
    """
    for stream, version in expected.items():
        if found[stream] != version:
            raise VersionConflict(
                f"{stream} is at version {found[stream]}, and this was decided at version "
                f"{version}; read the stream again and decide again"
            )


class _Batch(msgspec.Struct, gc=False):
    """The argument of ``log_append``, described in the migration that makes it."""

    streams: list[str]
    expected: list[int]
    now: int
    events: list[tuple[object, ...]]


class WriterTurn:
    """A writer's turn: it holds the lock of the log until the transaction ends.

    Attributes:
        last_id: the index of the log's last event.
        versions: the versions of the requested streams.
        written: the rows of `write` as they are stored, if that is known.

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
        self.written: list[tuple[object, ...]] = []
        self.last_id: int = found[0][0]
        self.versions: dict[str, int] = {stream: version or 0 for _, stream, version in found}

    def write(self, rows: Sequence[Row], clock: Clock) -> list[AppendResult]:
        """Insert rows in order. The database moves the head of the log at the same time."""
        if not rows:
            return []
        if self._on_server and not self._inserts(rows):
            self._check_given(rows)
            return _on_server(partial(_execute, self._connection), rows, {}, clock())
        now, login, number, versions = clock(), system_login(), self.last_id, self.versions
        receipts: list[AppendResult] = []
        values: list[tuple[object, ...]] = []
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
                row.actor, row.device, row.seq, row.payload, now, login, row.source,
            ))  # fmt: skip
        insert = _INSERT.replace("?", "%s") if self._on_server else _INSERT
        driver_of(self._connection).cursor().executemany(insert, values)
        self.written = [] if self._on_server else values
        return receipts

    def _inserts(self, rows: Sequence[Row]) -> bool:
        """Return whether rows are inserted directly, by the owner of the table.

        An application of the eventsourcing library can then also store events that are not Sabot's.
        """
        if all(row.version is None for row in rows):
            return False
        right = "SELECT has_table_privilege('log_event', 'INSERT')"
        return bool(driver_of(self._connection).execute(right).fetchone()[0])

    def _check_given(self, rows: Sequence[Row]) -> None:
        """Check that given versions are the next ones of their streams.

        Raises:
            VersionConflict: a version is not the next one.
        """
        due = dict(self.versions)
        for row in rows:
            due[row.stream] += 1
            if row.version not in {None, due[row.stream]}:
                raise VersionConflict(
                    f"{row.stream} goes on with version {due[row.stream]}, not {row.version}"
                )


class Appended(NamedTuple):
    """Appended events: their acknowledgements, and the stored rows if they are known."""

    receipts: list[AppendResult]
    stored: list[tuple[object, ...]]


def append(
    connection: Connection, rows: Sequence[Row], expected: Mapping[str, int], clock: Clock
) -> Appended:
    """Lock the log, check the expected versions, and insert rows.

    Raises:
        VersionConflict: a stream has grown.
    """
    if connection.dialect.name == "postgresql":
        return Appended(_on_server(partial(_execute, connection), rows, expected, clock()), [])
    turn = WriterTurn(connection, {row.stream for row in rows} | expected.keys())
    check_versions(turn.versions, expected)
    return Appended(turn.write(rows, clock), turn.written)


def append_at_once(
    database: Database, rows: Sequence[Row], expected: Mapping[str, int], clock: Clock
) -> list[AppendResult]:
    """Append on PostgreSQL, in a statement that is a transaction.

    Raises:
        VersionConflict: a stream has grown.
        UntrustedLog: the log has lost its head.
    """
    return _on_server(database.call, rows, expected, clock())


def _execute(connection: Connection, query: str, values: tuple[object, ...]) -> tuple[Any, ...]:
    row: tuple[Any, ...] = driver_of(connection).execute(query, values).fetchone()
    return row


def _on_server(
    call: Callable[[str, tuple[object, ...]], tuple[Any, ...]],
    rows: Sequence[Row],
    expected: Mapping[str, int],
    now: int,
) -> list[AppendResult]:
    """Append in a single statement.

    The server gets one JSON text: the streams, and each row with the place of its stream in them.
    """
    places = {stream: place for place, stream in enumerate(expected, 1)}
    events: list[tuple[object, ...]] = []
    for row in rows:
        place = places.setdefault(row.stream, len(places) + 1)
        event = (
            place, row.event_id, row.name, row.at_us, row.recorded_us,
            row.actor, row.device, row.seq, row.payload,
        )  # fmt: skip
        events.append(event if row.source is None else (*event, row.source))
    batch = _Batch(list(places), list(expected.values()), now, events)
    head, found = call(_APPEND, (_encode(batch).decode(),))
    if found is None:
        raise UntrustedLog(NO_HEAD)
    versions = dict(zip(places, found, strict=True))
    if head is None:
        check_versions(versions, expected)
    receipts = []
    for index, row in enumerate(rows, head + 1):
        version = versions[row.stream] = versions[row.stream] + 1
        receipts.append(AppendResult(index, row.stream, version))
    return receipts


def explained(error: Exception) -> Exception:
    """Return an error for rows that the database refused for an unknown reason."""
    if not isinstance(error, sa.exc.IntegrityError):
        return error
    return UntrustedLog(
        f"the log refused a new event: {str(error.orig).splitlines()[0]}; "
        "its head, indexes or versions do not match: verify it before going on"
    )
