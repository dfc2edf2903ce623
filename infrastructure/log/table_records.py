"""The records of tables for the shoes dealt there, each read once."""

from typing import Final

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.table_state import Table, evolve, fold
from sabot.infrastructure.log.reader import LogReader

TABLE_PREFIX: Final = "table/"


class Tables:
    """The tables of a log at an index.

    Each table is read when it is first used. ``until`` is the index, None for the whole log.
    """

    def __init__(self, log: LogReader, until: int | None = None) -> None:
        """Take the log, without reading it."""
        self.until = until
        self._log = log
        self._known: dict[str, Table] = {}

    def of(self, name: str | None) -> Table | None:
        """Return a table by name. None if the name is None or the log has no such table.

        Raises:
            UntrustedLog: an event is missing, out of order, or not written by Sabot.
        """
        if name is None:
            return None
        table = self._known.get(name)
        if table is None:
            table = self._known[name] = self._read(TABLE_PREFIX + name)
        return table if table.history else None

    def add(self, event: RecordedEvent) -> None:
        """Apply the next event of a table already read."""
        name = event.stream.removeprefix(TABLE_PREFIX)
        table = self._known.get(name)
        if table is not None and event.version > table.version:
            self._known[name] = evolve(table, event)

    def _read(self, stream: str) -> Table:
        until = self.until
        events = self._log.read(stream)
        return fold(stream, [each for each in events if until is None or each.index <= until])
