"""Read an export in order to import it into a log, or to restore the complete log.

Either succeeds completely or changes nothing.
"""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import chain
from typing import Final, Protocol

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.exports.event_lines import read_event_line
from sabot.infrastructure.imports.batch import Added, chunks
from sabot.infrastructure.imports.input_files import Peeked
from sabot.infrastructure.imports.input_lines import Complaints, numbered_lines, read_each
from sabot.infrastructure.log.codec import StoredRow
from sabot.infrastructure.log.event_log import EventLog

CHUNK: Final = 2000
"""Number of lines looked up in the log at a time."""
_REMEMBERED: Final = 100_000


class Log(Protocol):
    """The functions of the log that restoring needs."""

    def versions(self, streams: Collection[str]) -> dict[str, int]:
        """Return the version of each of these streams that has an event."""


class Restoring:
    """Reads the lines of an export.

    ``whole`` means that the lines restore a log, with every event that it had. Otherwise the events
    must be such as Sabot records them. ``origin`` is the name of the exported log, once a line was
    read. ``added`` counts the events added to the log.
    """

    def __init__(self, log: Log, complaints: Complaints, *, whole: bool = False) -> None:
        self._log = log
        self._whole = whole
        self._complaints = complaints
        self._versions: dict[str, int] = {}
        self.origin: str | None = None
        self.added = Added()

    def add(self, log: EventLog, batches: Iterator[list[StoredRow]]) -> None:
        """Import the rows, all of them or none.

        Raises:
            SabotError: the log refuses them (see `EventLog.import_events`), or lines have errors.
        """
        first = next(batches, [])
        log.import_events(chain(first, chain.from_iterable(batches)), origin=self.origin)

    def restore(self, log: EventLog, batches: Iterator[list[StoredRow]]) -> int:
        """Restore the rows of a complete log, all of them or none, and return their number.

        Raises:
            SabotError: the log refuses them (see `EventLog.restore`), there are none, or lines have
                errors.
        """
        first = next(batches, [])
        if not first or self.origin is None:
            raise BadInput("there are no events to restore; check that it is the right file")
        return log.restore(chain(first, chain.from_iterable(batches)), origin=self.origin)

    def rows(
        self, files: Iterator[Peeked], advance: Callable[[int], None]
    ) -> Iterator[list[StoredRow]]:
        """Yield the stored rows, some thousands at a time.

        After the first error nothing more is yielded, but all input is still read.

        Raises:
            SabotError: there were errors; discard everything that was yielded.
        """
        for chunk in chunks(self._lines(files), CHUNK):
            self._count(chunk)
            if not len(self._complaints):
                yield chunk
            advance(len(chunk))
        self._complaints.raise_if_any()

    def _lines(self, files: Iterator[Peeked]) -> Iterator[StoredRow]:
        complain = self._complaints.add
        read_line = partial(read_event_line, any_stream=self._whole)
        for file in files:
            before = 0
            lines = numbered_lines(file, file.name, complain)
            for number, (row, origin) in read_each(lines, read_line, file.name, complain):
                fault = self._fault(row, origin, before)
                before = row.id
                if fault:
                    complain(BadInput(fault, f"{file.name}:{number}"))
                else:
                    yield row

    def _fault(self, row: StoredRow, origin: str, before: int) -> str:
        """Return the error of a row, with its place. None if the row is valid."""
        if self.origin is None:
            self.origin = origin
        if origin != self.origin:
            return f"the line is of another log ({origin}); import the exports of each log apart"
        if row.id <= before:
            return f"event {row.id} stands behind event {before}; give the lines in their order"
        first = row.version == 1 and row.stream.startswith("shoe/") and not self._whole
        if first and row.name != "shoe-loaded":
            return f"the first event of {row.stream} is {row.name}; a shoe begins with shoe-loaded"
        return ""

    def _count(self, rows: list[StoredRow]) -> None:
        """Count the rows that are new to the log.

        Rows that the log already has are compared when they are written.
        """
        unknown = {row.stream for row in rows} - self._versions.keys()
        if len(self._versions) > _REMEMBERED:
            self._versions.clear()
            unknown = {row.stream for row in rows}
        if unknown:
            self._versions |= dict.fromkeys(unknown, 0) | self._log.versions(unknown)
        added = self.added
        for row in rows:
            new = row.version > self._versions[row.stream]
            added.events += new
            added.shoes += new and row.name == "shoe-loaded" and row.version == 1
            if row.name == "coup-opened":
                added.coups += new
                added.already += not new
