"""Errors of the databases' drivers, as errors of Sabot."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from sabot.domain.values.errors import ConnectionLost, Unavailable, UntrustedLog
from sabot.infrastructure.database.roles import role_for

NOT_SAVED: Final = "; unconfirmed entries were not saved; sending them again is safe"


@contextmanager
def unavailable(engine: Engine) -> Iterator[None]:
    """Translate the errors of an engine's driver. Integrity errors pass unchanged.

    Raises:
        Unavailable: the database is full, locked or busy, or denies access.
        ConnectionLost: the server was stopped or cannot be reached.
        UntrustedLog: the database is damaged.
    """
    try:
        with _from_the_driver(engine):
            yield
    except PoolTimeout as error:
        raise Unavailable("the log is in use by too many at once; try again") from error
    except DBAPIError as error:
        cause = error.orig
        if _is_damage(cause):
            raise damaged(first_line(cause)) from error
        if sqlstate(cause) == NO_RIGHT:
            raise Unavailable(
                f"this login may not do that: {first_line(cause)}{role_for(first_line(cause))}"
            ) from error
        if isinstance(error, OperationalError) or sqlstate(cause) == _READ_ONLY:
            kind = ConnectionLost if _is_lost(error) else Unavailable
            raise kind(f"the database failed: {first_line(cause)}{NOT_SAVED}") from error
        raise


def damaged(sign: str) -> UntrustedLog:
    """Return the error for a database that shows a sign of damage."""
    return UntrustedLog(
        f"the database is damaged: {sign}; keep it as it is, and restore the log from an export or "
        "a backup"
    )


@contextmanager
def _from_the_driver(engine: Engine) -> Iterator[None]:
    # the driver's name is not imported here: without PostgreSQL nobody waits for its driver
    try:
        yield
    except engine.dialect.loaded_dbapi.Error as error:
        raise DBAPIError.instance(None, None, error, type(error)) from error


# Conditions of PostgreSQL by their SQLSTATE: appendix A of its manual.
LOCK_NOT_AVAILABLE: Final = "55P03"
TOO_LONG: Final = {LOCK_NOT_AVAILABLE, "57014"}
"""A time-out ended the wait for a lock, or a statement. The connection can be used further."""
_DISK_FULL: Final = "53100"
NO_RIGHT: Final = "42501"
_READ_ONLY: Final = "25006"
_DAMAGED: Final = {"XX001", "XX002", "42P01", "42883"}
"""Corrupted data, a corrupted index, and a missing table or function."""


def _is_lost(error: DBAPIError) -> bool:
    """Return whether the connection to the server is lost.

    The driver reports most such errors without an error code. The codes checked are those of
    connection exceptions and of a server that stops or starts.
    """
    if isinstance(error.orig, sqlite3.Error) or not isinstance(error, OperationalError):
        return False
    return (sqlstate(error.orig) or "08").startswith(("08", "57P"))


_LOST: Final = ("no such table", "Could not decode to UTF-8")


def _is_damage(cause: BaseException | None) -> bool:
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", None)
        return code == sqlite3.SQLITE_CORRUPT or str(cause).startswith(_LOST)
    return sqlstate(cause) in _DAMAGED


def sqlstate(cause: object) -> str | None:
    """Return the error code (SQLSTATE) that PostgreSQL gives, or None."""
    return getattr(cause, "sqlstate", None)


def first_line(error: BaseException | None) -> str:
    """Return the first line of what a driver says, with a cause that a server does not name."""
    line = str(error).strip().split("\n", 1)[0]
    # a new connection has no error code
    return f"{line} ({_LOCKS_FULL})" if line.endswith("out of shared memory") else line


_LOCKS_FULL: Final = (
    "the server has no place for another lock, so no login can work; as a superuser, end the "
    "session that has most rows in pg_locks: docs/store.md has the query"
)


def disk_trouble(error: BaseException | None, path: str | None) -> str:
    """Return a sentence on a disk error that the driver reports. Empty for other errors.

    ``path`` is the file of a SQLite log. A server names its own file.
    """
    reason = first_line(error)
    if sqlstate(error) == _DISK_FULL:
        return f"the disk of the database server is full: {reason}; make room on it"
    if not isinstance(error, sqlite3.Error) or path is None:
        return ""
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return f"the disk with {path} is full{_free(path)}: make room on it"
    if name.startswith("SQLITE_IOERR"):
        return (
            f"{path} cannot be read or written: {reason}{_free(path)}; check the disk, quotas and "
            "limits on the size of files"
        )
    return ""


def is_disk_trouble(error: BaseException) -> bool:
    """Return whether an error comes from SQLite on a disk that is full or fails."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, sqlite3.Error):
        cause = getattr(cause, "orig", None) or cause.__cause__
    name = getattr(cause, "sqlite_errorname", "")
    return name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR")


def _free(path: str) -> str:
    try:
        free = shutil.disk_usage(Path(path).absolute().parent).free
    except OSError:
        return ""
    return f" ({free / 1e6:,.1f} MB free)"
