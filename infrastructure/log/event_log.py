"""The log of events: append-only, gap-less, one order for all readers."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import TracebackType
from typing import Self

from sqlalchemy.engine import Engine

from sabot.domain.events.envelope import AppendResult, NewEvent, RecordedEvent
from sabot.domain.events.upcasting import LEGACY, Legacy
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.log.append import Clock, utc_us
from sabot.infrastructure.log.bulk_append import BulkAppend
from sabot.infrastructure.log.codec import StoredRow, row_again, row_of
from sabot.infrastructure.log.reader import LogReader
from sabot.infrastructure.log.recorder import Recorder


class EventLog(LogReader):
    """Facts in, events out.

    `open` it, and close it or use it as a context manager. Threads may share it.
    """

    def __init__(
        self, database: Database, *, clock: Clock = utc_us, legacy: Mapping[str, Legacy] = LEGACY
    ) -> None:
        super().__init__(database, legacy=legacy)
        self._clock = clock
        self._recorder = Recorder(database, clock=clock)

    @classmethod
    def open(
        cls,
        url: str | None = None,
        *,
        clock: Clock = utc_us,
        read_only: bool = False,
        legacy: Mapping[str, Legacy] = LEGACY,
    ) -> Self:
        """Open the log, and make it where there is none.

        Args:
            url: a path (a SQLite file) or ``postgresql://…``; None asks the environment
                (``SABOT_DATABASE_URL``) and then means ``./sabot.db``.
            clock: the log's clock, in microseconds since 1970 (UTC).
            read_only: refuse to write, and to make a log.
            legacy: earlier shapes of events.

        Raises:
            BadInput: it cannot be opened, or belongs to a newer program.
        """
        return cls(Database.open(url, read_only=read_only), clock=clock, legacy=legacy)

    def close(self) -> None:
        """Close every connection."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def engine(self) -> Engine:
        """The database, for read models beside the log; `Database.writing` begins their writes."""
        return self.database.engine

    def append(
        self, drafts: Sequence[NewEvent], *, expected: Mapping[str, int] | None = None
    ) -> list[AppendResult]:
        """Record events in one transaction: all of them, or none.

        A draft that the log has already (by event id, or device and sequence) is acknowledged
        again, at its place.

        Args:
            drafts: the events, in their order; of as many streams as one likes.
            expected: for each stream that a decision rests on, the version it had. What rests
                on nothing is recorded whatever else was written.

        Raises:
            VersionConflict: such a stream has grown since.
            ContentConflict: an identity is in the log with other content.
            BadInput: a draft that cannot be an event.
            Unavailable: the database failed; a retry is harmless.
            UntrustedLog: the log does not take an event that is new to it.
        """
        rows = [row_of(draft) for draft in drafts]
        return self._recorder.record(rows, expected or {}) if rows else []

    def load(
        self,
        batches: Iterable[Sequence[NewEvent]],
        *,
        expected: Mapping[str, int] | None = None,
    ) -> int:
        """Record very many events, all of them or none, without holding up other writers.

        They are staged first and moved into the log in one short transaction. Nobody sees any
        of them before.

        Returns:
            how many of them are new to the log.

        Raises:
            VersionConflict, ContentConflict, BadInput, Unavailable: as `append`.
        """
        with BulkAppend(self.database) as stage:
            for draft in chain.from_iterable(batches):
                stage.put(row_of(draft))
            return stage.move(expected or {}, self._clock)

    def restore(
        self, events: Iterable[RecordedEvent | StoredRow], *, origin: str | None = None
    ) -> int:
        """Record an export of a log again: versions, clocks and identities are kept.

        What the log holds already is passed over. An empty log takes the export's origin, where
        it begins with the first event of its log and has no gap; the indexes are then the same.

        Args:
            events: events, or rows as they were stored, whose payloads stay what they are
                however old their shapes.
            origin: the log that they come from.

        Returns:
            how many of them are new to the log.

        Raises:
            ContentConflict: the log has another event at such a place.
            BadInput: versions of a stream are missing.
            UntrustedLog: a row is not of this program.
        """
        whole = True
        with BulkAppend(self.database) as stage:
            for number, event in enumerate(events, 1):
                if isinstance(event, StoredRow):
                    self._decode((event,))
                    whole = whole and event.id == number
                    stage.put(row_again(event))
                else:
                    whole = whole and event.index == number
                    stage.put(row_of(event))
            return stage.move({}, self._clock, origin=origin if whole else None)
