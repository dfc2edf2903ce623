"""The rows of one table in the summary tables, updated event by event."""

from collections.abc import Iterable

import msgspec

from sabot.domain import events as ev
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.table_state import Session, Table, apply
from sabot.infrastructure.projections.rows import (
    Changes,
    LedgerRow,
    Row,
    SessionRow,
    TableRow,
    clean,
    cleaned,
    fit,
)


class TableBook:
    """A table, with rows changed since the last query."""

    over = False
    _ledger: list[LedgerRow]
    _sessions: int

    def __init__(self, stream: str) -> None:
        """Create the book of a table without events."""
        self._fold(stream, [])
        self._anew = False

    @property
    def version(self) -> int:
        """The version of the last event."""
        return self.table.version

    @property
    def size(self) -> int:
        """The number of events in memory."""
        return len(self.table.history)

    def add(self, events: Iterable[RecordedEvent]) -> None:
        """Apply the next events; a correction recomputes every row."""
        added = list(events)
        if any(type(event.payload) is ev.EventCorrected for event in added):
            self._fold(self.table.stream, [*self.table.history, *added])
            return
        self.table.history += added
        for event in added:
            self._see(event)

    def changes(self) -> Changes:
        """Return the table's row, the changed sessions, and the new ledger entries."""
        rows: list[Row] = list(self._ledger)
        # only the last session can change or begin
        since = max(0, self._sessions - 1)
        rows += [self._session(session) for session in self.table.sessions[since:]]
        if self.table.history:
            rows.append(_table(self.table))
        changes = Changes(self.table.stream, self._anew, rows)
        self._anew, self._ledger, self._sessions = False, [], len(self.table.sessions)
        return changes

    def _fold(self, stream: str, history: list[RecordedEvent]) -> None:
        """Compute the table again from a corrected history."""
        self.table = Table(stream, history)
        self._clock: int | None = None
        self._clocks: dict[int, int] = {}
        self._ledger, self._sessions, self._anew = [], 0, True
        for event in apply_corrections(history):
            self._see(event)

    def _see(self, event: RecordedEvent) -> None:
        apply(self.table, event)
        if event.at_us is not None:
            self._clock = event.at_us
        now = event.recorded_us if self._clock is None else self._clock
        match event.payload:
            case ev.TableOpened() | ev.TableClosed():
                self._clocks[event.index] = now
            case ev.ChipsBought(patron=patron, amount=amount):
                self._ledger.append(
                    LedgerRow(
                        event.index, event.stream, now, clean(patron), "bought",
                        None, None, None, amount, 0, 0,
                    )
                )  # fmt: skip
            case _:
                pass

    def _session(self, session: Session) -> SessionRow:
        opened, closed = session.opened, session.closed
        return SessionRow(
            stream=self.table.stream,
            session=session.number,
            game=cleaned(session.game),
            currency=cleaned(session.currency),
            opened_index=opened.index if opened is not None else None,
            opened_us=self._clocks[opened.index] if opened is not None else None,
            closed_index=closed.index if closed is not None else None,
            closed_us=self._clocks[closed.index] if closed is not None else None,
            opening=session.opening,
            closing=session.closing,
            fills=fit(session.fills),
            credits=fit(session.credits),
            bought=fit(session.bought),
            drop_counted=_fit(session.drop),
            win=_fit(session.win),
            estimated_win=_fit(session.estimated_win),
            missing=" ".join(session.missing),
        )


def _fit(amount: int | None) -> int | None:
    return None if amount is None else fit(amount)


def _table(table: Table) -> TableRow:
    first, last = table.history[0], table.history[-1]
    currency = table.sessions[-1].currency if table.sessions else None
    return TableRow(
        stream=table.stream,
        name=table.name,
        state="open" if table.is_open else "closed",
        pack=cleaned(table.pack.pack) if table.pack is not None else None,
        pack_version=cleaned(table.pack.version) if table.pack is not None else None,
        currency=cleaned(currency),
        limits=msgspec.json.encode(table.limits).decode(),
        crew=msgspec.json.encode(table.crew, order="sorted").decode(),
        version=last.version,
        first_index=first.index,
        last_index=last.index,
        sessions=len(table.sessions),
        corrections=len(table.corrections),
    )
