"""The event log: append-only, without gaps, in one order for all readers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from types import TracebackType
from typing import Final, Self

from sqlalchemy.engine import Engine

from sabot.domain.events.envelope import AppendResult, NewEvent, RecordedEvent
from sabot.domain.events.review import ISOLATED_STREAM, CheckpointSetAside, EventIsolated
from sabot.domain.events.upcasting import LEGACY, Legacy
from sabot.domain.values.errors import BadInput, Unavailable
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.evidence.checkpoint_writer import CheckpointWriter
from sabot.infrastructure.evidence.set_aside import false_checkpoint, set_own_aside
from sabot.infrastructure.log.append import Clock, system_login, utc_us
from sabot.infrastructure.log.bulk_append import BulkAppend
from sabot.infrastructure.log.codec import StoredRow, row_again, row_of, row_sha256
from sabot.infrastructure.log.reader import LogReader
from sabot.infrastructure.log.recorder import Recorder

_ANALYZED_SHARE: Final = 10
"""If a load adds at least one event in so many, the server's statistics are made anew."""


class EventLog(LogReader):
    """The log of events.

    Open it with `open`, and close it with `close` or use a ``with`` statement. Several threads may
    share it.

    Attributes:
        checkpoints: writes the signed checkpoints of what is appended.
    """

    def __init__(
        self, database: Database, *, clock: Clock = utc_us, legacy: Mapping[str, Legacy] = LEGACY
    ) -> None:
        super().__init__(database, legacy=legacy)
        self._views = database
        self._prepare_views: Callable[[], None] | None = None
        self._clock = clock
        self.checkpoints = CheckpointWriter(database, clock=clock)
        self._recorder = Recorder(database, clock=clock, checkpoints=self.checkpoints)

    @classmethod
    def open(
        cls,
        url: str | None = None,
        *,
        clock: Clock = utc_us,
        read_only: bool = False,
        create: bool = True,
        legacy: Mapping[str, Legacy] = LEGACY,
    ) -> Self:
        """Open the log. Create it if there is none and ``create`` allows it.

        Args:
            url: a path (a SQLite file) or ``postgresql://…``; None means the environment variable
            ``SABOT_DATABASE_URL``, or else ``./sabot.db``.
            clock: the log's clock, in microseconds since 1970 (UTC).
            read_only: refuse to write, and to create a log.
            create: create the log if there is none.
            legacy: former shapes of events.

        Raises:
            BadInput: the log cannot be opened, or belongs to a newer program.
        """
        database = Database.open(url, read_only=read_only, create=create)
        return cls(database, clock=clock, legacy=legacy)

    def close(self, *, after_error: bool = False) -> None:
        """Write the last checkpoint if one is due. Close every connection.

        Args:
            after_error: do not wait long for a server, because it failed or the process is to end.
                The next process that has the key then writes the checkpoint.
        """
        try:
            if after_error:
                with self.database.hurrying() as seconds:
                    self.checkpoints.close(seconds)
            else:
                self.checkpoints.close()
        finally:
            self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(after_error=isinstance(error, Unavailable | KeyboardInterrupt))

    @property
    def engine(self) -> Engine:
        """The database engine for read models; `Database.writing` begins their writes."""
        return self.database.engine

    @property
    def views(self) -> Database:
        """The database of the summary tables: the log's own, unless they are stored elsewhere."""
        if self._prepare_views is not None:
            prepare, self._prepare_views = self._prepare_views, None
            prepare()
        return self._views

    def login(self) -> str:
        """Return the login that the store adds to events of this process.

        On PostgreSQL it is the login of the session, on SQLite the operating system's user.
        """
        if self.database.is_sqlite:
            return system_login()
        return str(self.database.fetch("SELECT session_user")[0][0])

    def keep_views(self, database: Database) -> None:
        """Store the summary tables in a separate database."""
        self._views = database

    def prepare_views(self, prepare: Callable[[], None]) -> None:
        """Call a function before the summary tables are used for the first time."""
        self._prepare_views = prepare

    def append(
        self,
        drafts: Sequence[NewEvent],
        *,
        expected: Mapping[str, int] | None = None,
        now: int | None = None,
    ) -> list[AppendResult]:
        """Record events in one transaction: all of them, or none.

        An event that the log already has (by event id, or device and sequence) is acknowledged
        again, with its index.

        Args:
            drafts: the events in order, of any number of streams.
            expected: the version of each stream on which a decision was based. Without it, events
            are recorded regardless of other writes.
            now: the time of recording, in place of the log's clock.

        Raises:
            VersionConflict: a stream of ``expected`` has grown since.
            ContentConflict: an identity is in the log with other content.
            BadInput: a draft is not a valid event.
            Unavailable: the database failed; retrying is safe.
            UntrustedLog: the log refuses a new event.
        """
        rows = [row_of(draft) for draft in drafts]
        return self._recorder.record(rows, expected or {}, now) if rows else []

    def isolate(self, index: int, *, by: str, note: str) -> AppendResult:
        """Record that a stored event cannot be read, so that readers skip it.

        Raises:
            BadInput: this program can read the event, or a name or reason is missing.
            NotFound: there is no such event.
        """
        row = self.stored(index)
        if not by.strip() or not note.strip():
            raise BadInput("give your name and the reason: --by NAME --note TEXT")
        if index in self.isolated():
            raise BadInput(f"event {index} is isolated already")
        if self._can_be_read(row):
            raise BadInput(
                f"event {index} can be read ({row.name} in {row.stream}), so it is not isolated; "
                "record a correction instead"
            )
        payload = EventIsolated(index, row_sha256(row), by, note)
        (receipt,) = self.append([NewEvent(ISOLATED_STREAM, payload, actor=by)])
        return receipt

    def set_aside(self, size: int, *, by: str, note: str) -> AppendResult:
        """Record that a checkpoint is false or unsigned, so that verification no longer uses it.

        The candidates are the checkpoints stored in the database and the last one that this machine
        signed.

        Raises:
            NotFound: there is no checkpoint of this size.
            BadInput: the checkpoint matches the log, or a name or reason is missing.
        """
        if not by.strip() or not note.strip():
            raise BadInput("give your name and the reason: --by NAME --note TEXT")
        digest = false_checkpoint(self.database, self.origin, size)
        payload = CheckpointSetAside(size, digest, by, note)
        (receipt,) = self.append([NewEvent(ISOLATED_STREAM, payload, actor=by)])
        set_own_aside(self.database, self.origin, digest)
        return receipt

    def load(
        self,
        batches: Iterable[Sequence[NewEvent]],
        *,
        expected: Mapping[str, int] | None = None,
    ) -> int:
        """Record very many events, all or none, without blocking other writers.

        They are staged first and moved into the log in one short transaction, so they become
        visible together.

        Returns:
            the number of new events.

        Raises:
            VersionConflict, ContentConflict, BadInput, Unavailable: as `append`.
        """
        with BulkAppend(self.database) as stage:
            for draft in chain.from_iterable(batches):
                stage.put(row_of(draft))
            added = stage.move(expected or {}, self._clock)
        self._loaded(added)
        return added

    def import_events(
        self, events: Iterable[RecordedEvent | StoredRow], *, origin: str | None = None
    ) -> int:
        """Record events of another log.

        Versions, clocks and identities of the events are kept. Events that this log already has are
        skipped. The store adds its own clock and login to each.

        Args:
            events: events, or stored rows, whose payloads are kept even in a former shape.
            origin: the log that they come from; it is kept as the source of each stored row.

        Returns:
            the number of new events.

        Raises:
            ContentConflict: the log has another event at the same place or with the same identity.
            BadInput: versions of a stream are missing.
            UntrustedLog: a row was not written by Sabot.
        """
        with BulkAppend(self.database) as stage:
            for event in events:
                if isinstance(event, StoredRow):
                    self._decode((event,))
                    stage.put(row_again(event, origin=origin or "?"))
                else:
                    stage.put(row_of(event))
            added = stage.move({}, self._clock)
        self._loaded(added)
        return added

    def restore(self, rows: Iterable[StoredRow], *, origin: str) -> int:
        """Restore a whole log into an empty one.

        Everything is kept: indexes, versions, clocks, logins, the log's name and isolated events.
        On PostgreSQL only the owner of the tables may do this.

        Args:
            rows: the stored rows of the log, from the first to the last.
            origin: the name of that log.

        Returns:
            the number of events.

        Raises:
            BadInput: this log is not empty, or an event is missing.
        """
        with BulkAppend(self.database) as stage:
            for number, row in enumerate(rows, 1):
                if row.id != number:
                    raise BadInput(f"event {number} is missing; restore the export of a whole log")
                stage.put(row_again(row))
            added = stage.restore(origin)
        self._loaded(added)
        return added

    def _loaded(self, added: int) -> None:
        """Write the checkpoint for events that were appended in bulk."""
        if added:
            head = self.head()
            if added * _ANALYZED_SHARE >= head:
                self.database.analyze()
            self.checkpoints.committed((), head - added + 1)
            self.checkpoints.try_write()
