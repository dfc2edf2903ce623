"""Read stored events as the lines that the tree hashes."""

from collections.abc import Iterator
from typing import Final

from sqlalchemy.engine import Connection

from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.engines import driver_of
from sabot.infrastructure.database.pages import Rows, pages
from sabot.infrastructure.database.schema import log_event

PAGE: Final = 2000

_COLUMNS: Final = ", ".join(log_event.c.keys())
_PAGE: Final = (
    f"SELECT {_COLUMNS} FROM log_event"  # noqa: S608 - constants
    " WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
)


def stored_events(database: Database, *, after: int = 0, until: int) -> Iterator[Rows]:
    """Return the stored events by index, in pages, without decoding them: index first.

    Raises:
        UntrustedLog: a row cannot be read at all, or the database is damaged.
    """
    return pages(lambda behind: _page(database, behind, until), after, PAGE)


def stored_events_in(connection: Connection, *, after: int, until: int) -> Rows:
    """Return stored events within a transaction, all at once."""
    query = _PAGE if connection.dialect.name == "sqlite" else _PAGE.replace("?", "%s")
    rows: Rows = driver_of(connection).execute(query, (after, until, until - after)).fetchall()
    return rows


def _page(database: Database, after: int, until: int) -> Rows:
    try:
        return database.fetch(_PAGE, (after, until, PAGE))
    except UntrustedLog:
        pass
    # some row cannot be read: find it
    for number in range(after + 1, min(after + PAGE, until) + 1):
        try:
            database.fetch(_PAGE, (number - 1, number, 1))
        except UntrustedLog as error:
            raise UntrustedLog(f"event {number} cannot be read: {error}") from error
    raise UntrustedLog(f"the events after {after} cannot be read")
