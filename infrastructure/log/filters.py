"""Filters for the log's events."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

import sqlalchemy as sa
from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import Index, PointInTime, Time
from sabot.domain.values.errors import BadInput
from sabot.domain.values.suggestions import did_you_mean
from sabot.infrastructure.log.codec import NAMES
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.people import PATRON_KEYS, check_patron
from sabot.infrastructure.log.table_shoes import shoes_at
from sabot.infrastructure.projections.queries import reading_views
from sabot.infrastructure.projections.views_schema import rm_bet

_NAMES: Final = frozenset(NAMES.values())
_OF_BETS: Final = [NAMES[kind] for kind in (ev.BetPlaced, ev.BetCarried, ev.EventCorrected)]
"""The kinds of events that say whose a bet is."""


class EventFilter(Struct, frozen=True):
    """A filter for events.

    None or empty conditions do not restrict it. ``table`` selects the table's own stream and those
    of shoes loaded there. ``patron`` selects events that name a patron, and those of the patron's
    bets. ``after`` is exclusive, ``until`` inclusive.
    """

    streams: frozenset[str] = frozenset()
    table: str | None = None
    names: frozenset[str] = frozenset()
    patron: str | None = None
    coup: int | None = None
    after: PointInTime | None = None
    until: PointInTime | None = None


def check_names(names: Iterable[str]) -> frozenset[str]:
    """Check the names of events.

    Raises:
        BadInput: there is no event of this name; the message suggests a similar one.
    """
    for name in names:
        if name not in _NAMES:
            hint = did_you_mean(name, _NAMES, f"the kinds are {', '.join(sorted(_NAMES))}")
            raise BadInput(f"there is no event {name!r}; {hint}")
    return frozenset(names)


class Selector:
    """Applies a filter to events in log order."""

    def __init__(self, log: EventLog, selection: EventFilter) -> None:
        """Take the filter.

        The shoes of a table are read first, so that it can begin at any index.
        """
        self._log, self._selection = log, selection
        self._clocks: dict[str, int] = {}
        self._at_table: set[str] = set()
        self._bets: set[tuple[str, int, int]] = set()
        self._bets_read: set[str] = set()
        if selection.table is not None:
            shoes = shoes_at(log, selection.table)
            self._at_table = {f"table/{selection.table}", *(shoe.stream for shoe in shoes)}

    def _read_all_bets(self) -> None:
        """Read the bets of the patron from the summary tables."""
        if self._selection.patron is None:
            return
        with reading_views(self._log) as connection:
            b = rm_bet.c
            bets = sa.select(b.stream, b.coup, b.bet).where(b.patron == self._selection.patron)
            self._bets = {(row[0], row[1], row[2]) for row in connection.execute(bets)}

    def _read_bets_of(self, events: list[RecordedEvent]) -> None:
        """Read the bets of the patron in the shoes of these events."""
        streams = {event.stream for event in events if hasattr(event.payload, "bet")}
        streams -= self._bets_read
        patron = self._selection.patron
        if patron is None or not streams:
            return
        self._bets_read |= streams
        told = self._log.scan(streams=sorted(streams), names=_OF_BETS)
        for event in chain.from_iterable(told):
            self._is_of(patron, event)

    def scan(self) -> Iterator[list[RecordedEvent]]:
        """Yield the selected events up to the current head, in batches."""
        self._read_all_bets()
        for events in self._log.scan(
            after=self._start(),
            until=self._end(),
            streams=self._streams_to_read(),
            names=self._names_to_read(),
        ):
            yield self.keep(events)

    def last(self, number: int) -> list[RecordedEvent]:
        """Return the last selected events, at most ``number`` of them.

        They are read from the end of the log. Only a filter by time reads the log from its
        beginning: the time of an event can depend on those before it.

        Raises:
            NotFound: no event is selected, and none names the patron.
        """
        if self._is_timed():
            return list(deque(chain.from_iterable(self.scan()), maxlen=number))
        found: list[RecordedEvent] = []
        for events in self._log.scan_back(
            after=self._start(),
            until=self._end(),
            streams=self._streams_to_read(),
            names=self._names_to_read(),
        ):
            self._read_bets_of(events)
            found = self.keep(events) + found
            if len(found) >= number:
                break
        if not found and self._selection.patron is not None:
            check_patron(self._log, self._selection.patron)
        return found[-number:]

    def check(self, events: list[RecordedEvent] | None) -> list[str]:
        """Check that no event is missing from the selected streams. Return what was checked.

        ``events`` are the selected ones if only the last were read: at a table their streams are
        checked then, and without a table the scan has found each gap.

        Raises:
            UntrustedLog: an event is missing or out of order.
        """
        s = self._selection
        if s.table is None and not s.streams:
            return ["the last events"]
        streams = s.streams or self._at_table
        if events is not None and not s.streams:
            streams = {event.stream for event in events}
        self._log.check_streams(streams)
        if s.table is not None and events is None and not s.streams:
            return [f"table {s.table} with its shoes"]
        return sorted(streams) or [f"the last events of table {s.table}"]

    def follow(self) -> Iterator[list[RecordedEvent]]:
        """Yield the selected events, and continue as the log grows."""
        self._read_all_bets()
        for events in self._log.follow(self._start()):
            yield self.keep(events)

    def keep(self, events: list[RecordedEvent]) -> list[RecordedEvent]:
        """Return those of the events that the filter selects."""
        return [event for event in events if self._keeps(event)]

    def _start(self) -> int:
        after = self._selection.after
        return after.index if isinstance(after, Index) else 0

    def _end(self) -> int | None:
        until = self._selection.until
        return until.index if isinstance(until, Index) else None

    def _is_timed(self) -> bool:
        return isinstance(self._selection.after, Time) or isinstance(self._selection.until, Time)

    def _streams_to_read(self) -> list[str] | None:
        """Return the streams to query. None if all are needed."""
        s = self._selection
        streams = s.streams or (self._at_table if s.table is not None else None)
        return None if streams is None else sorted(streams)

    def _names_to_read(self) -> list[str] | None:
        """Return the kinds of events to query. None if all are needed."""
        s = self._selection
        return sorted(s.names) if s.names and not self._is_timed() and s.patron is None else None

    def _keeps(self, event: RecordedEvent) -> bool:
        s, payload = self._selection, event.payload
        clock = self._clock(event)
        if s.table is not None and isinstance(payload, ev.ShoeLoaded) and payload.table == s.table:
            self._at_table.add(event.stream)
        of_patron = s.patron is None or self._is_of(s.patron, event)
        return (
            of_patron
            and (not s.streams or event.stream in s.streams)
            and (s.table is None or event.stream in self._at_table)
            and (not s.names or NAMES[type(payload)] in s.names)
            and (s.coup is None or getattr(payload, "coup", None) == s.coup)
            and _is_after(s.after, event, clock)
            and not _is_after(s.until, event, clock, none=False)
        )

    def _clock(self, event: RecordedEvent) -> int:
        """Return the time of an event, as `points_in_time.with_table_times` does."""
        if event.at_us is not None:
            self._clocks[event.stream] = event.at_us
        return self._clocks.get(event.stream, event.recorded_us)

    def _is_of(self, patron: str, event: RecordedEvent) -> bool:
        return any(
            self._names(patron, event.stream, payload)
            for payload in (event.payload, getattr(event.payload, "instead", None))
            if payload is not None
        )

    def _names(self, patron: str, stream: str, payload: ev.Event) -> bool:
        coup, bet = getattr(payload, "coup", None), getattr(payload, "bet", None)
        if any(getattr(payload, field, None) == patron for field in PATRON_KEYS):
            if coup is not None and bet is not None:
                self._bets.add((stream, coup, bet))
            return True
        if isinstance(payload, ev.ShoeLoaded):
            return any(seat.patron == patron for seat in payload.seats)
        return coup is not None and bet is not None and (stream, coup, bet) in self._bets


def _is_after(
    moment: PointInTime | None, event: RecordedEvent, clock: int, *, none: bool = True
) -> bool:
    match moment:
        case None:
            return none
        case Index(index=index):
            return event.index > index
        case Time(us=us):
            return clock > us
