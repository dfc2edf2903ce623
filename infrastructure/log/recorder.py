"""The recorder of the log, with the interfaces of the eventsourcing library.

A stored event's topic is the name of the event and its state the payload; a topic is never resolved
to code. `Recorder.record` also takes data that the library's stored events lack: the clocks, the
actor, and the identities that make a retry safe.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from time import sleep
from typing import Any, Final, TypeVar, cast
from uuid import UUID

import sqlalchemy as sa
from eventsourcing.persistence import (
    ApplicationRecorder,
    InfrastructureFactory,
    InfrastructureFactoryError,
    IntegrityError,
    Notification,
    ProcessRecorder,
    StoredEvent,
    Subscription,
    Tracking,
    TrackingRecorder,
)
from eventsourcing.utils import Environment, EnvType, resolve_topic
from sqlalchemy.engine import Connection

from sabot.domain.events.envelope import AppendResult
from sabot.domain.values.errors import VersionConflict
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.schema import log_event, log_head, rm_tracking
from sabot.infrastructure.evidence.checkpoint_writer import CheckpointWriter
from sabot.infrastructure.log.append import (
    Clock,
    WriterTurn,
    append,
    append_at_once,
    explained,
    utc_us,
)
from sabot.infrastructure.log.codec import Row
from sabot.infrastructure.log.idempotency import record_again


class Recorder(ProcessRecorder):
    """Records events of the log, and the positions of followers, for eventsourcing.

    Args:
        database: the log's database.
        originator: converts a stream's name for a stored event: ``str``, or ``UUID`` for an
        application with such aggregate names.
        clock: the log's clock.
        checkpoints: signs what is recorded; None signs nothing.
    """

    def __init__(
        self,
        database: Database,
        *,
        originator: Callable[[str], UUID | str] = str,
        clock: Clock = utc_us,
        checkpoints: CheckpointWriter | None = None,
    ) -> None:
        self.database = database
        self._checkpoints = checkpoints
        self._originator = originator
        self._clock = clock

    def record(
        self, rows: Sequence[Row], expected: Mapping[str, int], now: int | None = None
    ) -> list[AppendResult]:
        """Record events in one transaction, or acknowledge recorded ones again.

        ``now`` replaces the time of the log's clock.

        Raises:
            VersionConflict: a stream of ``expected`` is at another version.
            ContentConflict: an identity is recorded with other content.
            UntrustedLog: the log refuses a new event.
        """
        clock = self._clock if now is None else lambda: now
        stored: Sequence[tuple[object, ...]] = ()
        try:
            if self.database.is_sqlite:
                with self.database.writing() as connection:
                    receipts, stored = append(connection, rows, expected, clock)
                    if self._checkpoints:
                        self._checkpoints.appended(stored, _names(rows), connection)
            else:
                receipts = append_at_once(self.database, rows, expected, clock)
        except (sa.exc.IntegrityError, VersionConflict) as error:
            # Most likely a retry; these are rare, so they are detected only after a failure.
            if all(row.event_id is None and row.seq is None for row in rows):
                raise explained(error) from error
            receipts, stored = record_again(self.database, rows, expected, clock), ()
        if self._checkpoints:
            self._checkpoints.committed(_names(rows), receipts[0].index, stored)
        return receipts

    def insert_events(
        self,
        stored_events: Sequence[StoredEvent],
        **kwargs: Any,  # noqa: ANN401 - the interface's
    ) -> Sequence[int] | None:
        """Record events with their versions, and a follower's position with them.

        Raises:
            IntegrityError: the log already has a version, or the follower has already passed the
                position.
        """
        tracking: Tracking | None = kwargs.get("tracking")
        rows = [
            Row(
                None, str(e.originator_id), e.topic, None, "", "", None, e.state.decode(),
                e.originator_version,
            )
            for e in stored_events
        ]  # fmt: skip
        receipts: list[AppendResult] = []
        stored: Sequence[tuple[object, ...]] = ()
        with _integrity(), self.database.writing() as connection:
            if rows:
                turn = WriterTurn(connection, {row.stream for row in rows})
                receipts, stored = turn.write(rows, self._clock), turn.written
                if self._checkpoints and stored:
                    self._checkpoints.appended(stored, _names(rows), connection)
            if tracking is not None:
                _track(connection, tracking)
        if self._checkpoints and receipts:
            self._checkpoints.committed(_names(rows), receipts[0].index, stored)
        return [receipt.index for receipt in receipts]

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Return events of a stream, by version."""
        e = log_event.c
        query = sa.select(e.stream, e.version, e.name, e.payload)
        query = query.where(e.stream == str(originator_id)).limit(limit)
        query = query.order_by(e.version.desc() if desc else e.version)
        if gt is not None:
            query = query.where(e.version > gt)
        if lte is not None:
            query = query.where(e.version <= lte)
        with self.database.reading() as connection:
            found = connection.execute(query).all()
        return [StoredEvent(self._originator(s), v, n, p.encode()) for s, v, n, p in found]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Return the log's events from an index on, in the order of the log.

        Args:
            start: the index of the first event; None begins at the first event of the log.
            limit: the maximum number of events.
            stop: the index of the last event; None has no such bound.
            topics: the kinds of event to return; empty for all.
            inclusive_of_start: whether ``start`` itself is returned.
        """
        e = log_event.c
        query = sa.select(e.stream, e.version, e.name, e.payload, e.id)
        query = query.order_by(e.id).limit(limit)
        if start is not None:
            query = query.where(e.id >= start if inclusive_of_start else e.id > start)
        if stop is not None:
            query = query.where(e.id <= stop)
        if topics:
            query = query.where(e.name.in_(topics))
        with self.database.reading() as connection:
            found = connection.execute(query).all()
        return [Notification(self._originator(s), v, n, p.encode(), i) for s, v, n, p, i in found]

    def max_notification_id(self) -> int | None:
        """Return the index of the last event, or None."""
        with self.database.reading() as connection:
            return connection.execute(sa.select(log_head.c.last_id)).scalar_one() or None

    def subscribe(
        self, gt: int | None = None, topics: Sequence[str] = ()
    ) -> Subscription[ApplicationRecorder]:
        """Return a subscription to the log, beginning after an index."""
        return LogSubscription(self, gt, topics)

    def insert_tracking(self, tracking: Tracking) -> None:
        """Record the position of a follower.

        Raises:
            IntegrityError: the follower has already reached or passed that position.
        """
        with _integrity(), self.database.writing() as connection:
            _track(connection, tracking)

    def max_tracking_id(self, application_name: str) -> int | None:
        """Return the position of a follower. None if it is unknown."""
        query = sa.select(rm_tracking.c.last_id).where(rm_tracking.c.follower == application_name)
        with self.database.reading() as connection:
            return connection.execute(query).scalar()


def _names(rows: Sequence[Row]) -> list[str]:
    return [row.name for row in rows]


@contextmanager
def _integrity() -> Iterator[None]:
    """Translate errors of refused rows to the exception that eventsourcing expects."""
    try:
        yield
    except sa.exc.IntegrityError as error:
        raise IntegrityError(str(error.orig)) from error
    except VersionConflict as error:
        raise IntegrityError(str(error)) from error


_TRACK: Final = sa.text(
    "INSERT INTO rm_tracking (follower, last_id) VALUES (:follower, :last_id)"
    " ON CONFLICT (follower) DO UPDATE SET last_id = excluded.last_id"
    " WHERE rm_tracking.last_id < excluded.last_id RETURNING last_id"
)


def _track(connection: Connection, tracking: Tracking) -> None:
    position = {"follower": tracking.application_name, "last_id": tracking.notification_id}
    if connection.execute(_TRACK, position).first() is None:
        raise IntegrityError(f"{tracking.application_name} is past {tracking.notification_id}")


class AggregateRecorder(Recorder):
    """A recorder for callers that do not need indexes."""

    def insert_events(
        self,
        stored_events: Sequence[StoredEvent],
        **kwargs: Any,  # noqa: ANN401 - the interface's
    ) -> Sequence[int] | None:
        """Record events with their versions."""
        super().insert_events(stored_events, **kwargs)
        return None


class LogSubscription(Subscription[ApplicationRecorder]):
    """An endless sequence of notifications, until it is stopped.

    A `ProjectionRunner` reads it in one thread, and stops and closes it in others.
    """

    BATCH = 500
    POLL_SECONDS = 0.05

    def __init__(self, recorder: Recorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._notifications = self._follow()
        self._reading = Lock()

    def _follow(self) -> Generator[Notification, None, None]:
        position = self._last_notification_id or 0
        while not self._has_been_stopped:
            found = self._recorder.select_notifications(
                position, self.BATCH, topics=self._topics, inclusive_of_start=False
            )
            for notification in found:
                position = notification.id
                yield notification
            if not found:
                sleep(self.POLL_SECONDS)

    def __next__(self) -> Notification:
        """Wait for the next notification."""
        with self._reading:
            if self._has_been_stopped:
                self._notifications.close()
            return next(self._notifications)

    def __exit__(self, *args: object, **kwargs: object) -> None:
        """Stop, and release the database."""
        super().__exit__(*args, **kwargs)
        with self._reading:  # a reader in another thread ends after one more poll
            self._notifications.close()


T = TypeVar("T", bound=TrackingRecorder)


class Factory(InfrastructureFactory[Recorder]):
    """The factory that eventsourcing finds by ``PERSISTENCE_MODULE`` (this module).

    It reads ``SABOT_DATABASE_URL`` and ``ORIGINATOR_ID_TYPE`` (``text`` or ``uuid``) from the
    environment. Streams are short, so there are no snapshots.
    """

    DATABASE_URL = "SABOT_DATABASE_URL"
    ORIGINATOR_ID_TYPE = "ORIGINATOR_ID_TYPE"

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        kinds: dict[str | None, Callable[[str], UUID | str]] = {"text": str, "uuid": UUID}
        kind = self.env.get(self.ORIGINATOR_ID_TYPE, "text")
        if kind not in kinds:
            raise InfrastructureFactoryError(f"ORIGINATOR_ID_TYPE is text or uuid, not {kind!r}")
        self._originator = kinds[kind]
        self.database = Database.open(self.env.get(self.DATABASE_URL))
        self._checkpoints = CheckpointWriter(self.database)

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        """Return a recorder of the log's events. Snapshots are not supported."""
        if purpose != "events":
            raise InfrastructureFactoryError(f"the log keeps events, no {purpose}")
        return AggregateRecorder(
            self.database, originator=self._originator, checkpoints=self._checkpoints
        )

    def application_recorder(self) -> Recorder:
        """Return the log's recorder."""
        return Recorder(self.database, originator=self._originator, checkpoints=self._checkpoints)

    def tracking_recorder(self, tracking_recorder_class: type[T] | None = None) -> T:
        """Return the log's recorder, or one of a derived class."""
        kind: type = tracking_recorder_class or Recorder
        topic = self.env.get(self.TRACKING_RECORDER_TOPIC)
        if tracking_recorder_class is None and topic:
            kind = resolve_topic(topic)  # from the environment, never from the log
        if not issubclass(kind, Recorder):
            raise InfrastructureFactoryError(f"{kind.__name__} does not record in this log")
        return cast("T", kind(self.database, originator=self._originator))

    def process_recorder(self) -> Recorder:
        """Return the log's recorder."""
        return Recorder(self.database, originator=self._originator, checkpoints=self._checkpoints)

    def close(self) -> None:
        """Write the last checkpoint if one is due. Close every connection."""
        self._checkpoints.close()
        self.database.close()
