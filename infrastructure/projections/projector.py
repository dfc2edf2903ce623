"""Keep the summary tables (read models) up to date with the log.

A batch of events is read and its rows are computed without a lock. The rows are then written
together with the new position, in one short transaction. The transaction first checks that the
position has not changed since the batch began. So two followers cannot write the same batch, a
killed follower leaves no partial data, and recorders wait only for the writing.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.schema import rm_tracking
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.rows import Changes
from sabot.infrastructure.projections.shoe_rows import ShoeBook
from sabot.infrastructure.projections.table_rows import TableBook
from sabot.infrastructure.projections.views_schema import FOLLOWER
from sabot.infrastructure.projections.writer import empty, write

BATCH: Final = 5000

EVENTS_IN_MEMORY: Final = 250_000
"""Number of events of shoes and tables in play kept in memory: some 150 MB."""

Book = ShoeBook | TableBook


def wrong_views(what: str) -> BadInput:
    """Return the error, with the commands that find the value and put it right."""
    return BadInput(
        f"the summary tables are wrong: {what}. Somebody changed them, or the disk is damaged: "
        "`sabot store check --views` finds what, `sabot project --rebuild` makes them anew"
    )


class Projector:
    """Keeps the summary tables of a log up to date."""

    def __init__(
        self, log: EventLog, *, batch: int = BATCH, events_in_memory: int = EVENTS_IN_MEMORY
    ) -> None:
        """Take the log. ``batch`` is the maximum number of events in a transaction."""
        self._log = log
        self._database = log.views
        self._batch = batch
        self._most = events_in_memory
        self._books: OrderedDict[str, Book] = OrderedDict()

    def position(self) -> int:
        """Return the index of the summary tables' last event. 0 if there is none."""
        query = sa.select(rm_tracking.c.last_id).where(rm_tracking.c.follower == FOLLOWER)
        with self._database.reading() as connection:
            found = connection.scalar(query)
        if not isinstance(found, int | None):
            raise wrong_views(f"they state event {found!r} as their last")
        return found or 0

    def fault(self) -> str:
        """Return a sentence if the log has no event at the tables' position, or an empty text.

        The database moves the head with each event, and only its owner could move it back. So most
        likely somebody changed the position.
        """
        return self._fault(self.position(), self._log.head())

    def rebuild(self) -> None:
        """Empty the summary tables, so that they are built again from the first event."""
        with self._database.writing() as connection:
            connection.execute(sa.delete(rm_tracking).where(rm_tracking.c.follower == FOLLOWER))
            empty(connection)

    def catch_up(self, until: int | None = None) -> Iterator[int]:
        """Bring the summary tables up to the log's head.

        ``until`` is an earlier index to stop at. Yields the number of events of each transaction.
        Events processed by another follower count towards the position, but are not yielded.

        Raises:
            BadInput: the log has no event at the tables' position.
        """
        head = self._log.head()
        until = head if until is None else min(until, head)
        position = self.position()
        self._check(position, head)
        while position < until:
            for events in self._log.scan(after=position, until=until, batch=self._batch):
                if not self._take(position, events):
                    break
                yield len(events)
                position = events[-1].index
            position = self.position()

    def follow(self, stop: threading.Event | None = None) -> Iterator[int]:
        """Update the summary tables until ``stop`` is set.

        Yields the number of events of each transaction.
        """
        position = self.position()
        self._check(position, self._log.head())
        for events in self._log.follow(position, stop=stop, batch=self._batch):
            if events[0].index > position and self._take(position, events):
                yield len(events)
                position = events[-1].index
            else:
                yield from self.catch_up(events[-1].index)
                position = self.position()

    def _check(self, position: int, head: int) -> None:
        if fault := self._fault(position, head):
            raise BadInput(fault)

    def _fault(self, position: int, head: int) -> str:
        # read the head again: another follower may have advanced since
        if 0 <= position <= head or 0 <= position <= (head := self._log.head()):
            return ""
        return (
            f"the summary tables are wrong: they state event {position} as their last, and the log "
            f"has {head} events. Somebody changed them, or cut the log, which `sabot verify` "
            "finds. `sabot project --rebuild` makes them anew"
        )

    def _take(self, position: int, events: list[RecordedEvent]) -> bool:
        """Process the batch after a position. Return False if another follower was first."""
        changes = self._bring_forward(events)
        with self._database.writing() as connection:
            first = _move(connection, position, events[-1].index)
            if first:
                write(connection, changes)
        self._put_away()
        return first

    def _bring_forward(self, events: list[RecordedEvent]) -> list[Changes]:
        """Apply a batch of events to their streams' books. Return the changed rows."""
        changes = []
        for stream, some in groupby(sorted(events, key=_STREAM), _STREAM):
            new = list(some)
            book = self._book(stream, new[0].version)
            if book is not None:
                book.add(new)
                changes.append(book.changes())
        return changes

    def _book(self, stream: str, version: int) -> Book | None:
        """Return the book of a stream as it was just before a version.

        None if the summary tables do not cover the stream. A book may be ahead because a batch
        failed or another follower was first. Its changes were then never written, so it is built
        again.
        """
        book = self._books.get(stream)
        if book is None or book.version >= version:
            book = new_book(stream)
            if book is None:
                return None
            self._books[stream] = book
        self._books.move_to_end(stream)
        if book.version < version - 1:
            book.add(self._log.read(stream, after=book.version, until=version - 1))
        return book

    def _put_away(self) -> None:
        """Remove the books of ended shoes from memory.

        If there are too many books, the least recently used are removed too.
        """
        for stream in [stream for stream, book in self._books.items() if book.over]:
            del self._books[stream]
        size = sum([book.size for book in self._books.values()])
        while size > self._most and len(self._books) > 1:
            _stream, book = self._books.popitem(last=False)
            size -= book.size


_STREAM: Final = attrgetter("stream")


def new_book(stream: str) -> Book | None:
    """Return an empty book for a stream. None if the summary tables do not cover it."""
    if stream.startswith("shoe/"):
        return ShoeBook(stream)
    if stream.startswith("table/"):
        return TableBook(stream)
    return None


def _move(connection: Connection, position: int, last: int) -> bool:
    """Set a new position if the position is unchanged, and lock its row until the commit."""
    row = {"follower": FOLLOWER, "position": position, "last": last}
    moved = connection.execute(_MOVE, row).rowcount
    if not moved and position == 0:
        moved = connection.execute(_BEGIN, row).rowcount
    return moved == 1


_MOVE: Final = sa.text(
    "UPDATE rm_tracking SET last_id = :last WHERE follower = :follower AND last_id = :position"
)
_BEGIN: Final = sa.text(
    "INSERT INTO rm_tracking (follower, last_id) VALUES (:follower, :last) ON CONFLICT DO NOTHING"
)
