"""Remove the file of a log that was created and got no event."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sabot.infrastructure.database.database_urls import MEMORY, database_url


@contextmanager
def removed_if_unused(text: str | None = None) -> Iterator[None]:
    """Remove a SQLite log that the ``with`` block created, if it fails before the first event.

    A log that existed before is kept, and so is one that another process uses.
    """
    url = database_url(text)
    path = Path(str(url.database))
    try:
        begun = url.drivername == "sqlite" and url.database != MEMORY and not path.exists()
    except (OSError, ValueError):
        begun = False
    if not begun:
        yield
        return
    try:
        yield
    except BaseException:
        if path.is_file():
            with suppress(sqlite3.Error, OSError):
                _remove_if_empty(path)
        raise


def _remove_if_empty(path: Path) -> None:
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        # SQLite leaves WAL mode only if no other connection is open
        if connection.execute("PRAGMA journal_mode = DELETE").fetchone() != ("delete",):
            return
        connection.execute("BEGIN EXCLUSIVE")
        tables = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        # an interruption while the log was created leaves a file without tables
        if tables is None or connection.execute("SELECT 1 FROM log_event").fetchone() is None:
            path.unlink()
