"""Back up a log that is in use, and restore a backup.

The backup of either store is a SQLite log of its own: one file, which every verb can read. On
SQLite it is a copy of the pages at one moment, by SQLite's online backup. On PostgreSQL the rows of
the log are copied: events, public keys and checkpoints. The summary tables follow from the events
and are not copied.

A log only grows. So the events and checkpoints up to its head are the log at that moment, and
recorders can continue during the backup.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL, Connection

from sabot.domain.events import MAX_INT
from sabot.domain.values.errors import BadInput, NotFound, SabotError, UntrustedLog
from sabot.domain.values.safe_text import shell_word
from sabot.infrastructure.backup_place import check_place
from sabot.infrastructure.database.database import Database, newest_revision, revision
from sabot.infrastructure.database.database_urls import database_url
from sabot.infrastructure.database.engines import driver_of
from sabot.infrastructure.database.schema import (
    evidence_checkpoint,
    evidence_key,
    log_event,
    log_head,
)
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
from sabot.infrastructure.evidence.stored_events import stored_events
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.files.text_input import is_sqlite
from sabot.infrastructure.files.whole_file import whole_file
from sabot.infrastructure.log.append import WriterTurn
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.reader import LogReader

_PAGES: Final = 2000
"""Pages of a SQLite file that are copied at a time: 8 MB."""

_INSERT: Final = str(sa.insert(log_event).compile(dialect=sqlite.dialect()))
_COPY: Final = f"COPY log_event ({', '.join(log_event.c.keys())}) FROM STDIN"

Advance = Callable[[int], None]
"""Called with the number of events copied or checked since the last call."""


class Copied(Struct, frozen=True):
    """The result of a copy: a log that was copied, read again and found equal.

    Attributes:
        origin: the log's name.
        events: the number of events.
        root: the root of the tree over them, in hex.
        checkpoints: the number of checkpoints.
        covered: how many events the largest checkpoint covers.
    """

    origin: str
    events: int
    root: str
    checkpoints: int
    covered: int


def passes(log: LogReader) -> int:
    """Return how many times a backup reads all events."""
    return 3 if log.database.is_sqlite else 2


def write_backup(
    log: LogReader, place: Path, *, replace: bool = False, advance: Advance = lambda _done: None
) -> Copied:
    """Write the backup of a log, read it again, and compare it with the log.

    Args:
        log: the log, which may grow meanwhile.
        place: the new file. It appears only when it is complete, and only its owner can read it.
        replace: whether a file at that place may be replaced; a log is never replaced.
        advance: called with the number of events read since the last call; see `passes`.

    Raises:
        BadInput: there is a file at that place, or the place belongs to a log.
        UntrustedLog: an event cannot be read, or the backup is not the same.
    """
    check_place(log.database, log.origin, place)
    before = _evidence(log.database, MAX_INT)
    try:
        with whole_file(place, replace=replace) as partial:
            if log.database.is_sqlite:
                until = _copy_pages(log.database, partial, advance)
                tree = _tree(log.database, log.origin, until, advance)
            else:
                tree = _copy_to_file(log, partial, advance)
            with closing(sqlite3.connect(partial, isolation_level=None)) as copy:
                # one file without a write-ahead log, which read-only media can hold
                copy.execute("PRAGMA journal_mode = DELETE").close()
            with closing(Database(_file(partial), read_only=True)) as database:
                return _compared(log, database, tree, advance, before=before)
    except OSError as error:
        raise SabotError(f"{place} cannot be written: {error.strerror}") from error


def events_in(backup: str) -> int | None:
    """Return the number of events in a backup. None if it cannot be read."""
    try:
        place = f"{Path(backup).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(place, uri=True)) as file:
            (events,) = file.execute("SELECT last_id FROM log_head").fetchone()
            return int(events)
    except (sqlite3.Error, TypeError, ValueError):
        return None  # restoring it says what is wrong


def check_restorable(database: str | None) -> None:
    """Check that a SQLite file has no events before it is opened to be written.

    Opening it would change its mode, and a backup is another file then.

    Raises:
        BadInput: it has events.
    """
    url = database_url(database)
    place = str(url.database)
    if url.drivername == "sqlite" and is_sqlite(place) and (events := events_in(place)):
        raise _not_empty(place, events)


def restore_backup(log: EventLog, backup: str, *, advance: Advance = lambda _done: None) -> Copied:
    """Restore a backup into an empty log, read it again, and compare it with the backup.

    Everything is kept: events with their indexes, clocks and logins, the log's name, its public
    keys and checkpoints. On PostgreSQL only the owner of the tables may do this. The backup is
    verified before it is copied. The restored log is not signed here, so that events which no
    checkpoint covers are signed only when somebody records in the log.

    Raises:
        BadInput: the log is not empty, or the file is not a log, or one without events.
        UntrustedLog: an event is missing or cannot be read, or a checkpoint shows a change.
    """
    with _opened(Path(backup)) as source:
        _verify(source, backup)
        origin, head = source.origin, source.head()
        if not head:
            raise BadInput(f"{backup} is a log without events; check that it is the right file")
        before = _evidence(source.database, head)
        tree = _copy_rows(source.database, log.database, origin, head, advance)
        log.database.analyze()
        return _compared(source, log.database, tree, advance, before=before)


def _verify(source: LogReader, backup: str) -> None:
    """Verify a backup against its own checkpoints, or check that it is complete if it has none."""
    source.check()
    with suppress(NotFound):
        result = verify_log(source.database)
        if result.altered:
            raise UntrustedLog(
                f"{backup} was changed: {result.problems[0].message}; nothing was restored. "
                f"`sabot verify --database {shell_word(backup)}` lists the changes"
            )


# -- Copying ------------------------------------------------------------------------------------


def _copy_pages(source: Database, place: Path, advance: Advance) -> int:
    """Copy a SQLite database as it is at one moment. Return the number of its events."""
    with source.reading() as connection:
        # this read begins the snapshot that is copied
        until: int = connection.execute(sa.select(log_head.c.last_id)).scalar_one()
        told = 0

        def tell(_status: int, left: int, pages: int) -> None:
            nonlocal told
            done = until * (pages - left) // max(pages, 1)
            advance(done - told)
            told = done

        with closing(sqlite3.connect(place, isolation_level=None)) as target:
            driver_of(connection).backup(target, pages=_PAGES, progress=tell)
    return until


def _copy_to_file(log: LogReader, place: Path, advance: Advance) -> TreeHead:
    """Copy a log's rows into a new SQLite log."""
    with EventLog.open(str(place)) as target:
        return _copy_rows(log.database, target.database, log.origin, log.head(), advance)


def _copy_rows(
    source: Database, target: Database, origin: str, until: int, advance: Advance
) -> TreeHead:
    """Copy the events up to an index, with keys and checkpoints, in one transaction.

    Return the tree over the events.

    Raises:
        BadInput: the target is not an empty log.
    """
    tree = TreeHead()
    with target.writing() as connection:
        turn = WriterTurn(connection, [""])
        if turn.last_id:
            raise _not_empty(target, turn.last_id)
        connection.execute(sa.update(log_head).values(origin=origin))
        for rows in stored_events(source, until=until):
            tree.append([leaf_hash(event_line(row, origin)) for row in rows])
            _insert(connection, rows)
            advance(len(rows))
        for table, found in _evidence(source, until).items():
            if found:
                connection.execute(sa.insert(table), found)
    return tree


def _not_empty(target: Database | str, events: int) -> BadInput:
    return BadInput(f"the log at {target} has {events} events; restore into an empty one")


def _insert(connection: Connection, rows: list[tuple[Any, ...]]) -> None:
    driver = driver_of(connection)
    if connection.dialect.name == "sqlite":
        driver.executemany(_INSERT, rows).close()
        return
    try:
        with driver.cursor().copy(_COPY) as copy:
            for row in rows:
                copy.write_row(row)
    except connection.dialect.loaded_dbapi.DataError as error:
        reason = str(error).splitlines()[0]
        raise UntrustedLog(
            f"one of the events {rows[0][0]} to {rows[-1][0]} cannot be stored on PostgreSQL: "
            f"{reason}; `sabot verify` finds whether it was changed"
        ) from error


def _evidence(database: Database, until: int) -> dict[sa.Table, list[dict[str, Any]]]:
    """Return the public keys, and the checkpoints that cover at most this number of events."""
    queries = {
        evidence_key: sa.select(evidence_key),
        evidence_checkpoint: sa.select(evidence_checkpoint)
        .where(evidence_checkpoint.c.size <= until)
        .order_by(evidence_checkpoint.c.size),
    }
    with database.reading() as connection:
        return {
            table: [dict(row) for row in connection.execute(query).mappings()]
            for table, query in queries.items()
        }


# -- Checking -----------------------------------------------------------------------------------


def _tree(database: Database, origin: str, until: int, advance: Advance) -> TreeHead:
    tree = TreeHead()
    for rows in stored_events(database, until=until):
        tree.append([leaf_hash(event_line(row, origin)) for row in rows])
        advance(len(rows))
    return tree


Evidence = dict[sa.Table, list[dict[str, Any]]]
"""The public keys and the checkpoints of a log."""


def _compared(
    source: LogReader, copy: Database, tree: TreeHead, advance: Advance, *, before: Evidence
) -> Copied:
    """Read a copy again, and compare it with the tree over its source.

    ``before`` are the keys and checkpoints of the source before it was copied. The source may be
    signed meanwhile: the copy has at least these, and none that the source lacks afterwards.
    """
    made, origin = LogReader(copy), source.origin
    head = made.head()
    again = _tree(copy, made.origin, head, advance)
    kept = _evidence(copy, head)
    same = (made.origin, head, again.root()) == (origin, tree.size, tree.root())
    if not (
        same and _holds(kept, before, head) and _holds(_evidence(source.database, head), kept, head)
    ):
        raise UntrustedLog(
            f"the copy of {origin} is not the same as the log; check the disk and the log with "
            "`sabot verify`, and try again"
        )
    sizes = [int(checkpoint["size"]) for checkpoint in kept[evidence_checkpoint]]
    return Copied(origin, head, again.root().hex(), len(sizes), max(sizes, default=0))


def _holds(evidence: Evidence, part: Evidence, until: int) -> bool:
    """Return whether evidence has every row of another that is of some events at most."""
    for table, rows in part.items():
        there = {tuple(row.values()) for row in evidence[table]}
        wanted = {tuple(row.values()) for row in rows if row.get("size", 0) <= until}
        if not wanted <= there:
            return False
    return True


@contextmanager
def _opened(path: Path) -> Iterator[LogReader]:
    """Open a backup for reading.

    A backup by an older program is copied, and the copy brought up to date.

    Raises:
        BadInput: the file is not a log, or is of a newer program.
    """
    with tempfile.TemporaryDirectory(prefix="sabot-restore-") as folder:
        with closing(Database(_file(path), read_only=True)) as database:
            database.look()
            with database.reading() as connection:
                found = revision(connection)
            if found is not None and found < newest_revision():
                path = Path(folder) / path.name
                # with the events that are only in the write-ahead log
                _copy_pages(database, path, lambda _done: None)
                Database.open(str(path)).close()
        with closing(Database.open(str(path), read_only=True)) as database:
            yield LogReader(database)


def _file(path: Path) -> URL:
    return URL.create("sqlite", database=str(path))
