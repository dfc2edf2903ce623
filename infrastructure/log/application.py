"""The log as an application of the eventsourcing library.

It serves the library's subscriptions and runners. Its events are those of the log, in the log's
order and with the log's indexes as notification IDs. The topic of an event is its stored name
(``card-drawn``). Topics are looked up in the closed list of events and are never imported.
"""

from dataclasses import dataclass
from typing import cast

from eventsourcing.application import Application
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import (
    InfrastructureFactory,
    JSONTranscoder,
    Mapper,
    Notification,
    StoredEvent,
    TrackingRecorder,
)
from eventsourcing.utils import Environment

from sabot.domain.events import Event
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.codec import Decoder, StoredRow, row_of
from sabot.infrastructure.log.recorder import Factory


@dataclass(frozen=True)
class LogEvent:
    """An event as applications of eventsourcing see it.

    ``originator_id`` is its stream and ``originator_version`` its version there, from 1. Clocks,
    actor and device are not included; ``log.read(stream)`` returns them.
    """

    originator_id: str
    originator_version: int
    payload: Event


class LogMapper(Mapper[str]):
    """Converts stored events to `LogEvent` and back. It uses the closed list of events."""

    def __init__(self) -> None:
        super().__init__(JSONTranscoder())
        self._decode = Decoder()

    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredEvent:
        """Encode an event.

        Raises:
            BadInput: the log cannot store it.
        """
        assert isinstance(domain_event, LogEvent)
        row = row_of(NewEvent(domain_event.originator_id, domain_event.payload))
        version = domain_event.originator_version
        return StoredEvent(row.stream, version, row.name, row.payload.encode())

    def to_domain_event(self, stored_event: StoredEvent) -> LogEvent:
        """Decode an event, upcasting a former shape.

        Raises:
            UntrustedLog: its topic is not an event of Sabot, or does not fit its state.
        """
        index = stored_event.id if isinstance(stored_event, Notification) else 0
        stream, version = str(stored_event.originator_id), stored_event.originator_version
        state = stored_event.state.decode(errors="replace")
        row = StoredRow(
            index, None, stream, version, stored_event.topic, None, 0, "", "", None, state
        )
        (event,) = self._decode([row])
        return LogEvent(stream, version, event.payload)


class LogApplication(Application[str]):
    """The log as an application, for `ApplicationSubscription` and `ProjectionRunner`.

    The environment variable ``SABOT_DATABASE_URL``, or the same key of ``env``, names the log, as
    for the command line. ``PERSISTENCE_MODULE`` is not read. So it can be used to say where a
    projection keeps its view.

    >>> with LogApplication(env={"SABOT_DATABASE_URL": "sqlite://"}) as application: ...
    application.recorder.max_notification_id()
    """

    name = "Sabot"

    def construct_factory(self, env: Environment) -> InfrastructureFactory[TrackingRecorder]:
        """Return the factory of the log's recorders."""
        return cast("InfrastructureFactory[TrackingRecorder]", Factory(env))

    def construct_mapper(self) -> LogMapper:
        """Return the mapper of the log's events."""
        return LogMapper()
