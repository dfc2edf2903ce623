"""Read the log by stream or by index, and follow it."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from time import sleep
from typing import Any, Final

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.review import ISOLATED_STREAM, EventIsolated
from sabot.domain.events.upcasting import LEGACY, Legacy
from sabot.domain.values.errors import NewerEvent, NotFound, Unavailable, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.pages import Rows, pages
from sabot.infrastructure.database.schema import LOADING_NAMES, LOADINGS
from sabot.infrastructure.log.append import NO_HEAD
from sabot.infrastructure.log.codec import (
    EVENT_COLUMNS,
    Decoder,
    StoredRow,
    row_sha256,
)
from sabot.infrastructure.log.column_types import check_types, keeps_types
from sabot.infrastructure.log.gaps import check_order, check_whole
from sabot.infrastructure.log.joined_columns import JOINED, columns_of, decode_columns
from sabot.infrastructure.log.streams import (
    ONE_STREAM,
    STREAMS,
    STREAMS_BETWEEN,
    StreamInfo,
    after_prefix,
)

POLL_SECONDS: Final = 0.05
BATCH: Final = 5000
_NAMES_AT_ONCE: Final = 500
"""Names in one query: SQLite takes no more than some thousand values."""


class LogReader:
    """Reads events from the log.

    Every reading method detects missing events.

    Args:
        database: the log's database.
        legacy: former shapes of events.
    """

    def __init__(self, database: Database, *, legacy: Mapping[str, Legacy] = LEGACY) -> None:
        self.database = database
        self._legacy = legacy

    @cached_property
    def _typed(self) -> bool:
        return keeps_types(self.database)

    @cached_property
    def _decode(self) -> Decoder:
        return Decoder(self._legacy, typed=self._typed)

    @property
    def origin(self) -> str:
        """The unique name of this log."""
        return str(self._of_head("origin"))

    def head(self) -> int:
        """Return the index of the last event, or 0 for an empty log.

        Raises:
            UntrustedLog: the row with the head of the log is missing.
        """
        return _number(self._of_head("last_id"))

    def _of_head(self, column: str) -> Any:  # noqa: ANN401 - as the column is
        found = self.database.fetch(f"SELECT {column} FROM log_head")  # noqa: S608 - our own word
        if not found:
            raise UntrustedLog(NO_HEAD)
        return found[0][0]

    def check(self) -> None:
        """Check that indexes have no gap up to the head.

        This also detects a truncated log. The database counts the events, which takes about ten
        nanoseconds per event.

        Raises:
            UntrustedLog: events are missing.
        """
        self._check_types()
        if self.database.is_sqlite:  # of which a table may have been dropped
            self.database.fetch("SELECT max(size) FROM evidence_checkpoint")
        found = self.database.fetch(
            "SELECT (SELECT count(*) FROM log_event), (SELECT min(id) FROM log_event),"
            " (SELECT max(id) FROM log_event), last_id FROM log_head"
        )
        if not found:
            raise UntrustedLog(NO_HEAD)
        count, first, last, head = found[0]
        if (count, 1 if first is None else first, last or 0) != (head, 1, head):
            raise UntrustedLog(
                f"events are missing: the log has {count}, from index {first or 0} to {last or 0}, "
                f"but its head says {head}; somebody removed some: compare the log with an export "
                "or a backup"
            )

    def check_ends(self) -> None:
        """Check that the log begins with event 1 and ends at its head.

        The database gives each event the next index and moves the head with it, so the head states
        the number of events. So a truncated log is detected without counting its events, in
        constant time. `check` counts them.

        Raises:
            UntrustedLog: events are missing.
        """
        self._check_types()
        found = self.database.fetch(
            "SELECT (SELECT min(id) FROM log_event), (SELECT max(id) FROM log_event), last_id"
            " FROM log_head"
        )
        if not found:
            raise UntrustedLog(NO_HEAD)
        first, last, head = found[0]
        if (1 if first is None else first, last or 0) != (1, head):
            self.check()  # says what is missing

    def _check_types(self) -> None:
        if not self._typed:
            check_types(self.database, self.isolated)

    def version(self, stream: str) -> int:
        """Return the version of a stream's last event, or 0 if the stream has none."""
        query = "SELECT max(version) FROM log_event WHERE stream = ?"
        return _number(self.database.fetch(query, (stream,))[0][0])

    def versions(self, streams: Collection[str]) -> dict[str, int]:
        """Return the version of each of these streams that has an event."""
        names = sorted(streams)
        found: dict[str, int] = {}
        for start in range(0, len(names), _NAMES_AT_ONCE):
            some = names[start : start + _NAMES_AT_ONCE]
            marks = ", ".join("?" * len(some))
            query = (
                "SELECT stream, max(version) FROM log_event"  # noqa: S608 - only marks are put in
                f" WHERE stream IN ({marks}) GROUP BY stream"
            )
            found.update(self.database.fetch(query, some))
        return found

    def check_streams(self, streams: Collection[str]) -> None:
        """Check that no event of these streams is missing or out of order.

        The database answers from an index, which takes about a microsecond per event.

        Raises:
            UntrustedLog: an event is missing, out of order, or not written by Sabot.
        """
        for stream in sorted(streams):
            rows = self.database.fetch(_VERSIONS, (stream,))
            indexes = [index for index, _ in rows]
            whole = [version for _, version in rows] == list(range(1, len(rows) + 1))
            if not whole or any(one >= two for one, two in pairwise(indexes)):
                self.read(stream)  # raises, unless an isolated event explains it

    def read(self, stream: str, *, after: int = 0, until: int | None = None) -> list[RecordedEvent]:
        """Return the events of a stream.

        Their versions are above ``after``, up to ``until``.

        Raises:
            UntrustedLog: one of them is missing, out of order, or not written by Sabot.
        """
        # without a bound, versions that Sabot never gives are read too, and found
        first = after + 1 if after > 0 else -_MOST - 1
        values = (stream, first, _MOST if until is None else until)
        if joined := self._read_joined(stream, after, values):
            return joined
        rows = self.database.fetch(_READ, values)
        try:
            events = self._decode.of_stream(stream, rows)
            check_whole(stream, after, [event.version for event in events])
        except (UntrustedLog, NewerEvent):
            isolated = self.isolated()
            if isolated.keys().isdisjoint(row[0] for row in rows):
                raise
            fit = [row for row in rows if row[0] not in isolated]
            events = self._decode.of_stream(stream, fit)
            # what follows an isolated event counts on from its version
            due = after
            for row in rows:
                if row[0] not in isolated:
                    check_whole(stream, due, [row[2]])
                due = max(due, row[2])
        check_order(stream, [event.index for event in events])
        return events

    def _read_joined(
        self, stream: str, after: int, values: Sequence[object]
    ) -> list[RecordedEvent] | None:
        """Read events of a stream as one row.

        Return None if there is no event, or if the rows have to be read one by one.
        """
        if not self._typed:
            return None
        try:
            columns = columns_of(self.database.fetch(JOINED[self.database.is_sqlite], values)[0])
        except (Unavailable, UntrustedLog):
            return None
        return decode_columns(stream, after, columns) if columns.number else None

    def isolated(self) -> dict[int, EventIsolated]:
        """Return the isolated events by index, without those of `false_isolations`."""
        return self._isolations()[0]

    def false_isolations(self) -> dict[int, EventIsolated]:
        """Return isolations without effect, by the index of the event that states each.

        The event that it names can be read, is not in the log, or was changed since. Readers ignore
        it, so that nobody can hide an event or stop a verb with it.
        """
        return self._isolations()[1]

    def _isolations(self) -> tuple[dict[int, EventIsolated], dict[int, EventIsolated]]:
        """Return isolated events by their index, and false isolations by their own."""
        stated = [
            (event.index, event.payload)
            for event in self._readable(ISOLATED_STREAM)
            if isinstance(event.payload, EventIsolated)
        ]
        named = self._stored_rows({isolated.index for _, isolated in stated})
        isolated: dict[int, EventIsolated] = {}
        false: dict[int, EventIsolated] = {}
        for place, payload in stated:
            row = named.get(payload.index)
            if row is None or row_sha256(row) != payload.row_sha256 or self._can_be_read(row):
                false[place] = payload
            else:
                isolated[payload.index] = payload
        return isolated, false

    def _readable(self, stream: str) -> list[RecordedEvent]:
        """Return the events of a stream that can be read: the others may be isolated as well."""
        rows = self.database.fetch(_READ, (stream, -_MOST - 1, _MOST))
        events: list[RecordedEvent] = []
        for row in rows:
            with suppress(UntrustedLog, NewerEvent):
                events += self._decode.of_stream(stream, [row])
        return events

    def _stored_rows(self, indexes: Collection[int]) -> dict[int, StoredRow]:
        """Return stored events by index, those that the log has."""
        wanted, found = sorted(indexes), dict[int, StoredRow]()
        for start in range(0, len(wanted), _NAMES_AT_ONCE):
            some = wanted[start : start + _NAMES_AT_ONCE]
            query = _STORED.replace("= ?", f"IN ({', '.join('?' * len(some))})")
            found |= {row[0]: StoredRow(*row) for row in self.database.fetch(query, some)}
        return found

    def _can_be_read(self, row: StoredRow) -> bool:
        """Return whether a row is an event and its version is the next one of its stream."""
        try:
            self._decode((row,))
            return self.version_before(row) == row.version - 1
        except (UntrustedLog, NewerEvent):
            return False

    def check_rows(self, rows: Sequence[StoredRow]) -> None:
        """Check that stored rows are events.

        Raises:
            UntrustedLog: a row was not written by Sabot.
            NewerEvent: it was written by a newer version.
        """
        self._decode(rows)

    def version_before(self, row: StoredRow) -> int:
        """Return the version of the event before one in its stream, or 0 for the first."""
        query = "SELECT max(version) FROM log_event WHERE stream = ? AND version < ?"
        return _number(self.database.fetch(query, (row.stream, row.version))[0][0])

    def stored(self, index: int) -> StoredRow:
        """Return an event as it is stored.

        Raises:
            NotFound: the log has no such event.
        """
        rows = self.database.fetch(_STORED, (index,))
        if not rows:
            raise NotFound(f"there is no event {index} in the log; `sabot log` shows what there is")
        return StoredRow(*rows[0])

    def scan(  # noqa: PLR0913 - all by name
        self,
        *,
        after: int = 0,
        until: int | None = None,
        streams: Sequence[str] | None = None,
        prefix: str | None = None,
        names: Sequence[str] | None = None,
        batch: int = BATCH,
    ) -> Iterator[list[RecordedEvent]]:
        """Yield the log's events by index, in batches.

        The last event is ``until``, or the current head of the log.

        Args:
            after: begin after this index.
            until: end with this index.
            streams: only events of these streams.
            prefix: only events of streams with this prefix.
            names: only events of these kinds.
            batch: maximum number of events read at once.

        Raises:
            UntrustedLog: an event is missing, or was not written by Sabot.
        """
        until = self._last(until)
        conditions, values = _conditions(streams, names, prefix)
        isolated = self.isolated()
        query = _SCAN.format(conditions)
        for rows in pages(
            lambda behind: self.database.fetch(query, (behind, until, *values, batch)), after, batch
        ):
            if not conditions:
                check_whole("the log", after, [row[0] for row in rows])
            after = rows[-1][0]
            if events := self._decode([row for row in rows if row[0] not in isolated]):
                yield events
        if not conditions and after < until:
            check_whole("the log", after, [until + 1])

    def _last(self, until: int | None) -> int:
        """Return the index ``until``, but at most the head of the log."""
        head = self.head()
        return head if until is None else min(until, head)

    def scan_back(
        self,
        *,
        after: int = 0,
        until: int | None = None,
        streams: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        batch: int = BATCH,
    ) -> Iterator[list[RecordedEvent]]:
        """Yield the log's events in batches, last batch first.

        The events of a batch are in the order of the log. The arguments are those of `scan`.

        Raises:
            UntrustedLog: an event is missing, or was not written by Sabot.
        """
        until = self._last(until)
        conditions, values = _conditions(streams, names)
        isolated = self.isolated()
        query = _SCAN_BACK.format(conditions)

        def read(before: int) -> Rows:
            return self.database.fetch(query, (after, before - 1, *values, batch))

        for rows in pages(read, until + 1, batch, back=True):
            rows.reverse()
            if not conditions:
                check_whole("the log", rows[0][0] - 1, [*(row[0] for row in rows), until + 1])
            until = rows[0][0] - 1
            if events := self._decode([row for row in rows if row[0] not in isolated]):
                yield events
        if not conditions and after < until:
            check_whole("the log", after, [until + 1])

    def follow(
        self,
        after: int,
        *,
        poll_seconds: float = POLL_SECONDS,
        stop: threading.Event | None = None,
        batch: int = BATCH,
    ) -> Iterator[list[RecordedEvent]]:
        """Yield the log's events by index, as it grows.

        The iteration ends once ``stop`` is set. Every event is yielded exactly once, whichever
        process writes it. The log is read again every ``poll_seconds``. A notification of the
        server would be faster by some milliseconds, but an append fails if their queue is full.

        Raises:
            UntrustedLog: as `scan`, or a file of a SQLite log was removed, renamed or replaced, so
            that later events could not be seen.
        """
        while stop is None or not stop.is_set():
            for events in self.scan(after=after, batch=batch):
                yield events
                after = events[-1].index
                if stop is not None and stop.is_set():
                    return
            sleep(poll_seconds)
            self.database.check_files()

    def count_numbers(self, device: str, first: int, last: int, *, until: int) -> int:
        """Count a device's events in a range of sequence numbers.

        The range includes ``first`` and ``last``. Events of any stream count, up to the index
        ``until``.
        """
        return int(self.database.fetch(_NUMBERS, (device, first, last, until))[0][0])

    def stream(self, stream: str) -> StreamInfo | None:
        """Return a stream. None if the log has no event of it."""
        found = self.database.fetch(ONE_STREAM, (stream,))
        return StreamInfo(*found[0]) if found else None

    def latest_stream(self, prefix: str) -> str | None:
        """Return the stream with a prefix that has the newest event, or None.

        The log is read from its end, only as far as needed.
        """

        def read(before: int) -> Rows:
            return self.database.fetch(_NAMES_BACK, (before - 1, _NAMES_AT_ONCE))

        for rows in pages(read, self.head() + 1, _NAMES_AT_ONCE, back=True):
            for _, stream in rows:
                if stream.startswith(prefix):
                    return str(stream)
        return None

    def streams(self, prefix: str = "") -> list[StreamInfo]:
        """Return the streams with a prefix, in the order of their first events."""
        if not prefix:
            return [StreamInfo(*row) for row in self.database.fetch(STREAMS)]
        end = after_prefix(prefix)
        found = self.database.fetch(STREAMS_BETWEEN, (prefix, end, end))
        return [StreamInfo(*row) for row in found]


def _number(found: object) -> int:
    """Return an index or a version, or 0 if there is none.

    Raises:
        UntrustedLog: the database has another value there.
    """
    if found is not None and type(found) is not int:
        raise UntrustedLog(
            f"the log has {str(found)[:40]!r} in place of a number; somebody changed it: compare "
            "the log with an export or a backup"
        )
    return found or 0


def _conditions(
    streams: Sequence[str] | None, names: Sequence[str] | None, prefix: str | None = None
) -> tuple[str, list[object]]:
    """Return a scan's conditions in SQL, with their values. None sets no condition."""
    conditions, values = "", list[object]()
    for column, among in (("stream", streams), ("name", names)):
        if among is not None:
            conditions += f" AND {column} IN ({', '.join('?' * len(among)) or 'NULL'})"
            values += among
    if names is not None and LOADING_NAMES.issuperset(names):
        conditions += f" AND {LOADINGS}"
    if prefix:
        conditions += " AND stream >= ? AND stream < ?"
        values += (prefix, after_prefix(prefix))
    return conditions, values


_MOST: Final = 2**63 - 1
"""The greatest integer of both databases."""

_COLUMNS: Final = ", ".join(EVENT_COLUMNS)
_OF_STREAM: Final = ", ".join(column for column in EVENT_COLUMNS if column != "stream")
_READ: Final = (
    f"SELECT {_OF_STREAM} FROM log_event"  # noqa: S608 - constants
    " WHERE stream = ? AND version >= ? AND version <= ? ORDER BY version"
)
_VERSIONS: Final = "SELECT id, version FROM log_event WHERE stream = ? ORDER BY version"
_STORED: Final = f"SELECT {', '.join(StoredRow._fields)} FROM log_event WHERE id = ?"  # noqa: S608
_SCAN: Final = f"SELECT {_COLUMNS} FROM log_event WHERE id > ? AND id <= ?{{}} ORDER BY id LIMIT ?"  # noqa: S608
_SCAN_BACK: Final = _SCAN.replace("ORDER BY id", "ORDER BY id DESC")

_NAMES_BACK: Final = "SELECT id, stream FROM log_event WHERE id <= ? ORDER BY id DESC LIMIT ?"

_NUMBERS: Final = (
    "SELECT count(*) FROM log_event WHERE device = ? AND seq >= ? AND seq <= ? AND id <= ?"
)
