"""What the ways in ask of the log before they write."""

from collections.abc import Collection, Sequence
from typing import Final

import sqlalchemy as sa

from sabot.domain.events.envelope import AppendResult, NewEvent, RecordedEvent
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.log.event_log import EventLog

_AT_ONCE: Final = 500


class LogHeads:
    """A log, with the versions of many streams at once."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def heads(self, streams: Collection[str]) -> dict[str, int]:
        """Return the last version of each of the streams that exists."""
        names = sorted(streams)
        e = log_event.c
        query = sa.select(e.stream, sa.func.max(e.version)).group_by(e.stream)
        found: dict[str, int] = {}
        with self._log.database.reading() as connection:
            for start in range(0, len(names), _AT_ONCE):
                some = query.where(e.stream.in_(names[start : start + _AT_ONCE]))
                found.update((stream, version) for stream, version in connection.execute(some))
        return found

    def read(self, stream: str) -> list[RecordedEvent]:
        """Return all events of a stream."""
        return self._log.read(stream)

    def append(self, drafts: Sequence[NewEvent]) -> list[AppendResult]:
        """Append the drafts in one commit; return once they are durable."""
        return self._log.append(drafts)
