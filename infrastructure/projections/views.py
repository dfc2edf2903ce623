"""The summary tables for verbs that only read.

Reading never changes the log's own file. If the summary tables in the log are behind, and the log
is a SQLite file or cannot be written, new ones are made elsewhere: in the file NAME-views beside a
SQLite log NAME, or in memory if its folder cannot be written or its disk is full. They are derived
from the log, so the file may be deleted at any time.
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import URL

from sabot.domain.values.errors import BadInput, SabotError, Unavailable
from sabot.infrastructure.database.database import Database, newest_revision
from sabot.infrastructure.database.database_urls import MEMORY
from sabot.infrastructure.database.driver_errors import is_disk_trouble
from sabot.infrastructure.database.schema import rm_tracking
from sabot.infrastructure.log.codec import row_sha256
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.projections.views_schema import FOLLOWER, READ_MODELS

_SUFFIX: Final = "-views"

_origin: Final = sa.Table(
    "views_of",
    sa.MetaData(),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("revision", sa.Text, nullable=False),
    sa.Column("last_id", sa.Integer, nullable=False),
    sa.Column("row_sha256", sa.Text, nullable=False),
)
_POSITION: Final = sa.select(rm_tracking.c.last_id).where(rm_tracking.c.follower == FOLLOWER)
_TABLES: Final = (*READ_MODELS, rm_tracking, _origin)


@contextlib.contextmanager
def views_elsewhere(log: EventLog, catch_up: Callable[[Projector, int], object]) -> Iterator[None]:
    """Give a log opened for reading up-to-date summary tables.

    So tables with a position that the log does not have are not used. ``catch_up`` brings a
    projector's tables up to an index of the log.

    Raises:
        UntrustedLog: the log is damaged.
    """
    head, position = log.head(), Projector(log).position()
    if position == head:
        yield
        return
    with contextlib.ExitStack() as stack:
        views = stack.enter_context(contextlib.closing(_open_views(log)))
        try:
            _fill(views, log, catch_up)
        except Unavailable as error:
            if views.url.database == MEMORY or not is_disk_trouble(error):
                raise
            views.close()
            for end in ("", "-wal", "-shm"):
                Path(f"{views.url.database}{end}").unlink(missing_ok=True)
            memory = Database(URL.create("sqlite", database=MEMORY))
            _fill(stack.enter_context(contextlib.closing(memory)), log, catch_up)
        yield


def _fill(views: Database, log: EventLog, catch_up: Callable[[Projector, int], object]) -> None:
    """Bring the tables up to date, in the file or in memory."""
    log.keep_views(views)
    _make(views, log)
    catch_up(Projector(log), log.head())
    _note(views, log)


def views_file(log: EventLog) -> Path | None:
    """Return the path of the file beside a SQLite log, whether there is one or not."""
    place = log.database.url.database
    if log.database.is_sqlite and place not in {None, MEMORY} and Path(str(place)).is_file():
        return Path(f"{Path(str(place)).resolve()}{_SUFFIX}")
    return None


def _open_views(log: EventLog) -> Database:
    """Open the file beside the log, or one in memory."""
    path = views_file(log)
    if path is not None:
        views = Database(URL.create("sqlite", database=str(path)))
        try:
            path.touch(mode=0o600)  # for the owner alone, as the log is
            with views.writing() as connection:
                sa.inspect(connection).get_table_names()
        except (SabotError, sa.exc.DBAPIError, sqlite3.Error, OSError):
            views.close()
            with contextlib.suppress(OSError):
                if not path.stat().st_size:
                    path.unlink()
        else:
            return views
    return Database(URL.create("sqlite", database=MEMORY))


def _make(views: Database, log: EventLog) -> None:
    """Create the tables, unless they are of this log and this program and still valid."""
    with views.writing() as connection:
        names = set(sa.inspect(connection).get_table_names())
        if names and {table.name for table in _TABLES} <= names:
            found = connection.execute(sa.select(_origin)).one_or_none()
            position = connection.scalar(_POSITION) or 0
            if found is not None and tuple(found) == _state(log, position):
                return
        for table in _TABLES:
            table.drop(connection, checkfirst=True)
            table.create(connection)


def _note(views: Database, log: EventLog) -> None:
    """Record the log of the tables, and the event up to which they are complete."""
    state = _state(log, Projector(log).position())
    with views.writing() as connection:
        connection.execute(sa.delete(_origin))
        connection.execute(sa.insert(_origin).values(state))


def _state(log: EventLog, index: int) -> tuple[str, str, int, str]:
    try:
        digest = row_sha256(log.stored(index)) if index else ""
    except SabotError:
        digest = "none"
    return log.origin, newest_revision(), index, digest


def check_current(log: EventLog) -> None:
    """Check that the summary tables in use have all events of the log.

    Raises:
        BadInput: they are behind.
    """
    head, position = log.head(), Projector(log).position()
    if position < head:
        raise BadInput(
            f"the summary tables are {head - position:,} events behind (event #{position} of "
            f"#{head}) and cannot be updated; run `sabot project` with the right to write them"
        )
