"""The audit of a growing log: it reports new findings, and findings that no longer apply."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final

from sabot.domain import events as ev
from sabot.domain.audit import Finding
from sabot.domain.audit.floor_view import Floor
from sabot.domain.audit.live import FindingChange, LiveAudit, LiveFloor
from sabot.domain.audit.rulebook import FLOOR_RULES
from sabot.domain.audit.verdicts import InDoubt
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.audits.audit_run import CARDS_PREFIX, SHOE_PREFIX, load_shoe
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_records import TABLE_PREFIX, Tables

SHOES_IN_MEMORY: Final = 2000
"""Number of shoes in play kept in memory; a shoe that was dropped is read again when dealt."""

_OF_THE_FLOOR: Final = frozenset(rule.code for rule in FLOOR_RULES)

_OF_ITS_SHOES: Final = (
    ev.TableOpened, ev.TableClosed, ev.CrewChanged, ev.LimitsChanged, ev.EventCorrected,
)  # fmt: skip
"""Events of a table that affect the audit of shoes dealt there."""

_STREAM: Final = attrgetter("stream")


class AuditFollower:
    """Follows a log's shoes and yields changes of findings."""

    def __init__(  # noqa: PLR0913 - all by name
        self,
        log: EventLog,
        after: int,
        *,
        shoes: Collection[str] = (),
        told: Collection[Finding] = (),
        floor: Floor | None = None,
        doubt: Callable[[str, InDoubt], object] | None = None,
        shoes_in_memory: int = SHOES_IN_MEMORY,
    ) -> None:
        """Begin after an index.

        Args:
            log: the log to follow.
            after: events up to this index have already been audited.
            shoes: only these shoes; by default all.
            told: the findings up to that index.
            floor: batches, tables and shoes at that index, which are audited together.
            doubt: a function called once with a stream and each item that cannot be judged because
                an order of events is in doubt. Items before the index are not repeated.
            shoes_in_memory: the number of shoes kept in memory.
        """
        self._log = log
        self._after = after
        self._only = frozenset(SHOE_PREFIX + shoe for shoe in shoes)
        self._told: dict[str, list[Finding]] = {}
        beyond: list[Finding] = []
        for finding in told:
            of_floor = finding.code in _OF_THE_FLOOR
            (beyond if of_floor else self._told.setdefault(finding.stream, [])).append(finding)
        self._floor = LiveFloor(floor, beyond) if floor is not None else None
        self._doubt = doubt
        self._most = shoes_in_memory
        self._live: OrderedDict[str, LiveAudit] = OrderedDict()
        self._tables = Tables(log, after)

    def follow(self, *, stop: threading.Event | None = None) -> Iterator[list[FindingChange]]:
        """Yield the changes of findings as the log grows.

        There is one list for each batch of events with changes.

        Raises:
            UntrustedLog: an event is missing, or was not written by Sabot.
        """
        for events in self._log.follow(self._after, stop=stop):
            news = self.take(events)
            if news:
                yield news

    def take(self, events: list[RecordedEvent]) -> list[FindingChange]:
        """Process the log's next events; return the changes of findings."""
        news: list[FindingChange] = []
        shoes: dict[str, list[RecordedEvent]] = {each: [] for each in self._at_tables(events)}
        own = sorted((each for each in events if self._is_watched(each.stream)), key=_STREAM)
        for stream, theirs in groupby(own, key=_STREAM):
            shoes[stream] = list(theirs)
            self._shoe(stream, shoes[stream])
        for stream, new in shoes.items():
            live = self._live[stream]
            news += live.changes()
            if self._floor is not None and new:
                self._floor.note_shoe(live.shoe, new, live.standing.findings)
            if self._doubt is not None:
                for each in live.in_doubt:
                    self._doubt(stream, each)
        news += self._beyond(events)
        self._put_away()
        return news

    def _at_tables(self, events: list[RecordedEvent]) -> list[str]:
        """Process events of tables, and return the shoes in play whose audit they may change."""
        self._tables.until = events[-1].index if events else self._tables.until
        changed = set()
        for event in events:
            if event.stream.startswith(TABLE_PREFIX):
                self._tables.add(event)
                if isinstance(event.payload, _OF_ITS_SHOES):
                    changed.add(event.stream.removeprefix(TABLE_PREFIX))
        there = [stream for stream, live in self._live.items() if live.shoe.table in changed]
        for stream in there:
            live = self._live[stream]
            live.see_table(self._tables.of(live.shoe.table))
        return there

    def _beyond(self, events: list[RecordedEvent]) -> list[FindingChange]:
        """Process events of batches and tables, and return the changes of their findings."""
        floor = self._floor
        if floor is None:
            return []
        for event in events:
            if event.stream.startswith((CARDS_PREFIX, TABLE_PREFIX)):
                _check_next(event, floor.version(event.stream))
                floor.add(event)
        return floor.changes()

    def _is_watched(self, stream: str) -> bool:
        return stream in self._only if self._only else stream.startswith(SHOE_PREFIX)

    def _shoe(self, stream: str, events: list[RecordedEvent]) -> LiveAudit:
        """Return the audit of a shoe after applying these events."""
        live = self._live.get(stream)
        if live is None:
            until = events[0].index - 1
            findings = self._told.pop(stream, ())
            live = LiveAudit(
                load_shoe(self._log, stream, until=until, tables=self._tables), findings
            )
            self._live[stream] = live
            if self._doubt is not None:
                live.know_doubts()
        self._live.move_to_end(stream)
        for event in events:
            _check_next(event, live.shoe.version)
            live.add(event)
        live.shoe.at_table = self._tables.of(live.shoe.table)
        return live

    def _put_away(self) -> None:
        """Remove shoes that have ended, and those least recently dealt, from memory."""
        gone = [stream for stream, live in self._live.items() if live.is_over]
        rest = len(self._live) - len(gone)
        gone += [stream for stream in self._live if stream not in gone][: max(0, rest - self._most)]
        for stream in gone:
            self._told[stream] = self._live.pop(stream).standing.findings


def _check_next(event: RecordedEvent, version: int) -> None:
    """Check that an event follows the last of its stream.

    Raises:
        UntrustedLog: the event is not the next one.
    """
    if event.version != version + 1:
        raise UntrustedLog(
            f"{event.stream}: version {version + 1} is missing, version {event.version} stands "
            f"in its place (event {event.index})"
        )
