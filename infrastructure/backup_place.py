"""Check the place of a backup, so that the backup replaces no log."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.file_identity import identity
from sabot.infrastructure.files.text_input import is_sqlite, main_file, open_file

_READ_VERSION: Final = 19
"""The byte of a SQLite file that is 2 in WAL mode (https://sqlite.org/fileformat.html)."""
_WAL: Final = 2


def check_place(source: Database, origin: str, place: Path) -> None:
    """Check that the file at a place, if there is one, may become a backup of a log.

    A backup of the same log may be replaced, and a file that is not a database. Links are followed.

    Args:
        source: the log's database.
        origin: the log's name.
        place: the place of the backup.

    Raises:
        BadInput: the place belongs to a log, or to another database.
    """
    if reason := _reason_against(source, origin, Path(os.path.realpath(place))):
        raise BadInput(f"{place} {reason}; choose another name for the backup")


def _reason_against(source: Database, origin: str, place: Path) -> str:
    """Return why no backup may be written to a place, or an empty text."""
    if source.is_sqlite and identity(place) in {identity(Path(str(source.url.database)))} - {None}:
        return "is the log that is to be backed up"
    main = main_file(place)
    if main != place and is_sqlite(main):
        return f"is the name of a file of the database {main}"
    for beside in (Path(f"{place}-wal"), Path(f"{place}-journal")):
        if beside.exists():
            return f"has {beside.name} beside it: a program uses the log there, or was killed"
    if not is_sqlite(place):
        return ""
    if _in_wal_mode(place):
        return "is a log, and not a backup: a program has opened it to record events"
    return "" if _origin_of(place) == origin else f"is not a backup of the log {origin}"


def _in_wal_mode(place: Path) -> bool:
    """Return whether a SQLite file is in WAL mode: a log is, and a backup is not."""
    with open_file(str(place)) as file:
        return file.read(_READ_VERSION + 1)[_READ_VERSION:] == bytes([_WAL])


def _origin_of(place: Path) -> str:
    """Return the name of the log in a backup, or an empty text. No file is made beside it."""
    try:
        with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro&immutable=1", uri=True)) as file:
            return str(file.execute("SELECT origin FROM log_head").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return ""
