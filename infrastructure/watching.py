"""The audit of a log that grows: what is found is told as its facts arrive."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final

from domain.audit import Finding
from domain.audit.engine import InDoubt
from domain.audit.floor import Floor
from domain.audit.live import LiveAudit
from domain.audit.live_floor import LiveFloor
from domain.errors import UntrustedLog
from domain.event import Event
from infrastructure.auditing import CARDS_PREFIX, SHOE_PREFIX, TABLE_PREFIX, load_shoe
from infrastructure.log import EventLog

SHOES_IN_MEMORY: Final = 2000
"""How many shoes in play are kept at hand; one that was let go is read again when it is dealt."""

_STREAM: Final = attrgetter("stream")


class Watch:
    """Follows the shoes of a log from an index on, and tells each finding once."""

    def __init__(  # noqa: PLR0913 - all by name
        self,
        log: EventLog,
        after: int,
        *,
        shoes: Collection[str] = (),
        told: Collection[str] = (),
        floor: Floor | None = None,
        doubt: Callable[[str, InDoubt], object] | None = None,
        shoes_in_memory: int = SHOES_IN_MEMORY,
    ) -> None:
        """Begin behind an index.

        Args:
            log: what to follow.
            after: what stands up to this index has been judged.
            shoes: only these shoes; all, where none is named.
            told: fingerprints of what was found in it.
            floor: batches, tables and shoes as they are there, to be followed together.
            doubt: is called with the stream and what cannot be judged of it, since
                an order is doubtful; once. What stood before the index was told by who judged it.
            shoes_in_memory: how many shoes are kept at hand.
        """
        self._log = log
        self._after = after
        self._only = frozenset(SHOE_PREFIX + shoe for shoe in shoes)
        self._told = set(told)
        self._floor = LiveFloor(floor) if floor is not None else None
        self._doubt = doubt
        self._most = shoes_in_memory
        self._live: OrderedDict[str, LiveAudit] = OrderedDict()

    def follow(self, *, stop: threading.Event | None = None) -> Iterator[list[Finding]]:
        """Yield what is found anew after each batch of facts, as the log grows.

        Raises:
            UntrustedLog: a fact is missing, or is not one of ours.
        """
        for events in self._log.follow(self._after, stop=stop):
            found = self.take(events)
            if found:
                yield found

    def take(self, events: list[Event]) -> list[Finding]:
        """Take in the log's next events; return what is found anew."""
        found: list[Finding] = []
        shoes = [event for event in events if self._is_watched(event.stream)]
        for stream, own in groupby(sorted(shoes, key=_STREAM), key=_STREAM):
            live = self._shoe(stream, list(own))
            new = [each for each in live.findings() if each.fingerprint not in self._told]
            self._told.update(each.fingerprint for each in new)
            found += new
            if self._doubt is not None:
                for each in live.in_doubt:
                    self._doubt(stream, each)
        found += self._beyond(events)
        self._put_away()
        return found

    def _beyond(self, events: list[Event]) -> list[Finding]:
        """Take in what happened to batches and at tables; return what is found anew of them."""
        floor = self._floor
        if floor is None:
            return []
        for event in events:
            if event.stream.startswith((CARDS_PREFIX, TABLE_PREFIX)):
                _check_next(event, floor.version(event.stream))
                floor.add(event)
        new = [each for each in floor.findings() if each.fingerprint not in self._told]
        self._told.update(each.fingerprint for each in new)
        return new

    def _is_watched(self, stream: str) -> bool:
        return stream in self._only if self._only else stream.startswith(SHOE_PREFIX)

    def _shoe(self, stream: str, events: list[Event]) -> LiveAudit:
        """Return a shoe with these facts in it."""
        live = self._live.get(stream)
        if live is None:
            until = events[0].index - 1
            live = self._live[stream] = LiveAudit(load_shoe(self._log, stream, until=until))
            if self._doubt is not None:
                live.know_doubts()
        self._live.move_to_end(stream)
        for event in events:
            _check_next(event, live.shoe.version)
            live.add(event)
        if self._floor is not None:
            self._floor.see(live.shoe, events)
        return live

    def _put_away(self) -> None:
        """Let go of shoes that have ended, and of those not dealt for longest."""
        for stream in [stream for stream, live in self._live.items() if live.over]:
            del self._live[stream]
        while len(self._live) > self._most:
            self._live.popitem(last=False)


def _check_next(event: Event, version: int) -> None:
    """Hold an event against the version that its stream is at.

    Raises:
        UntrustedLog: it is not the next.
    """
    if event.version != version + 1:
        raise UntrustedLog(
            f"{event.stream}: version {version + 1} is missing, version {event.version} stands "
            f"in its place (event {event.index})"
        )
