"""Detect moved or replaced files of an open SQLite database.

SQLite keeps its files open. If one of them is removed, renamed or replaced, SQLite continues to
write to the old file without an error, and the data is lost. So a writer compares the device and
inode of each path with those found when it connected. It does so at the beginning of a transaction,
and again between commit and acknowledgement. A process that follows the log, or fails to read it,
compares them too. An inode number is not reused while its file is open, so a new file cannot be
mistaken for the old one.

Three files are compared: the database; its write-ahead log (``-wal``), which holds the commits
since the last checkpoint; and the index of that log (``-shm``), which carries the locks between
writers. With two copies of ``-shm``, one process could overwrite commits of another.

SQLite itself removes ``-wal`` and ``-shm`` only when the last connection to a database closes,
since this takes an exclusive lock and each open connection in WAL mode holds a shared one. A
checkpoint writes to them, and truncates them, in place. So the files of an open connection stay the
same, whatever other processes do through SQLite.

This module calls ``stat`` and never opens one of these files: when a process closes a file, POSIX
drops all its locks on that file, including SQLite's. `WalWatch` detects that a file was overwritten
or truncated in place.

One danger is not detected here. The database may have a second name (a hard link): SQLite keeps the
``-wal`` beside the name it was given, so programs that use two names do not see each other's
commits. `Database.warnings` reports a second name that exists at opening.
"""

import atexit
import contextlib
import ctypes
import logging
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from sabot.domain.values.errors import Unavailable, UntrustedLog
from sabot.infrastructure.database.file_identity import Identity, identity, open_files
from sabot.infrastructure.database.wal_watch import WalWatch

_ATTEMPTS: Final = 5

PATIENCE_SECONDS: Final = 60
"""How long a statement waits for the lock of another process."""

_SILENCE_SECONDS: Final = 2
"""After so long a wait for the lock, a message says so."""

CHECKPOINT_COMMITS: Final = 200
"""After so many commits a connection moves the write-ahead log into the database.

That is some 1,000 pages, as SQLite does by itself.
"""

CHECKPOINT_ROWS: Final = 10_000
"""The same in changed rows."""

_LARGE_WAL_BYTES: Final = 8 << 20
"""A write-ahead log that earlier processes left, which is moved at the first commit."""

FIXED_IN: Final = ((3, 44, 6), (3, 50, 7), (3, 51, 3))
"""Versions of SQLite without the WAL-reset bug (https://sqlite.org/wal.html#walresetbug). The later
versions of 3.44 and 3.50 do not have it either."""

_log: Final = logging.getLogger("sabot")


class WatchedConnection(sqlite3.Connection):
    """A connection that checks its files at each commit.

    A commit is acknowledged only if they are still at their paths, and nobody else wrote into them.

    Attributes:
        files: each path and its file at connection; empty for a database in memory.
        watch: compares what is in them; None if the system does not list open files.
    """

    files: tuple[tuple[Path, Identity], ...] = ()
    watch: WalWatch | None = None
    _writes = False
    _overwritten = False
    _commits = 0
    _rows = 0

    def begin(self, *, writes: bool) -> None:
        """Begin a transaction. A writing one locks the database at once.

        Raises:
            UntrustedLog: a file was removed, renamed, replaced or overwritten.
        """
        if writes:
            patiently(self, "BEGIN IMMEDIATE")
        else:
            self.execute("BEGIN").close()
        self._writes = writes
        if writes:
            try:
                self._check(locked=True)
            except BaseException:
                self.rollback()
                raise

    def commit(self) -> None:
        """Commit, then check that the files are still in place.

        Raises:
            UntrustedLog: a file was removed, renamed, replaced or overwritten. The transaction is
            committed, to a file that may be lost.
        """
        super().commit()
        if self._writes:
            self._check(locked=False)
            self._checkpoint_when_due()

    def close(self) -> None:
        """Close the connection, unless somebody wrote into its files.

        SQLite would then move the write-ahead log into a database that it does not belong to, and
        remove it. So the connection stays open until the process ends.
        """
        if self._overwritten:
            return
        if self.watch:
            self.watch.close()
        super().close()

    def _checkpoint_when_due(self) -> None:
        """Move the write-ahead log into the database after some commits.

        This is the only place where it happens while a log is in use. Another connection holds the
        writer's lock meanwhile, so no commit of another process can reset the write-ahead log. This
        avoids the WAL-reset bug of SQLite, a race condition. SQLite's own ``FULL`` checkpoint goes
        on without the lock if it does not get it in time. Data that cannot be moved now is moved by
        a later checkpoint.
        """
        self._commits += 1
        changed = self.total_changes - self._rows
        left_over = not self._rows and self._wal_bytes() > _LARGE_WAL_BYTES
        if self._commits < CHECKPOINT_COMMITS and changed < CHECKPOINT_ROWS and not left_over:
            self._rows = self._rows or 1
            return
        self._commits, self._rows = 0, self.total_changes
        if not self.files:
            return  # in memory
        main = self.execute("PRAGMA database_list").fetchone()[2]
        place = f"{Path(main).as_uri()}?mode=rw"
        with (
            contextlib.suppress(sqlite3.OperationalError),
            contextlib.closing(
                sqlite3.connect(place, uri=True, timeout=_SILENCE_SECONDS, isolation_level=None)
            ) as holder,
        ):
            holder.execute("BEGIN IMMEDIATE").close()
            self._check(locked=True)
            self.execute("PRAGMA wal_checkpoint(PASSIVE)").close()
            if self.watch:
                self.watch.remember()

    def _wal_bytes(self) -> int:
        """Return the size of the write-ahead log."""
        sizes = [path.stat().st_size for path, _ in self.files if path.name.endswith("-wal")]
        return max(sizes, default=0)

    def _check(self, *, locked: bool) -> None:
        self.check_files()
        if self.watch:
            try:
                self.watch.check(locked=locked)
            except UntrustedLog:
                if not self._overwritten:
                    self._overwritten = True
                    # the end of the interpreter would close it too
                    ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
                raise

    def check_files(self) -> None:
        """Check that the files are at their paths.

        Raises:
            UntrustedLog: a file was removed, renamed or replaced.
        """
        for path, opened in self.files:
            found = identity(path)
            if found != opened:
                raise moved(path, found)


class LogFiles:
    """Connects to one SQLite database and records which files it has open.

    Args:
        path: the database's path, if SQLite is not given an absolute path.
        read_only: whether the connections only read, possibly in a read-only folder. SQLite then
            does not use the files that it would have to write, and these are not compared.
    """

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._database: Identity | None = None

    def connect(self, place: str, make: Callable[[], WatchedConnection]) -> WatchedConnection:
        """Connect, and record the files that the connection has open.

        SQLite does not report its open files. So the path is examined before and after: it must
        name the same file. If the file is new, or was replaced meanwhile, it is opened again. If
        the system lists a process's open files, each file must be among them too. Otherwise a file
        that is replaced and restored meanwhile goes unnoticed.

        Args:
            place: the name to open: an absolute path, a URI, or ``:memory:``.
            make: opens the connection.

        Raises:
            UntrustedLog: the path names another file than at an earlier connection, or the files
            keep changing.
        """
        if self._path is None and Path(place).is_absolute():
            self._path = Path(place)
        for _ in range(_ATTEMPTS):
            before = None if self._path is None else identity(self._path)
            connection = make()
            try:
                files = self._opened(connection, before)
            except BaseException:
                connection.close()
                raise
            if files is not None:
                connection.files = files
                return connection
            connection.close()
        raise UntrustedLog(
            f"{self._path} does not stay the same file while it is opened; find out what replaces "
            "it, or its -wal and -shm, and try again"
        )

    def _opened(
        self, connection: WatchedConnection, before: Identity | None
    ) -> tuple[tuple[Path, Identity], ...] | None:
        """Return a connection's open files, or None if uncertain."""
        journal = _prepare(connection, read_only=self._read_only)
        main = connection.execute("PRAGMA database_list").fetchone()[2]
        if not main:
            return ()  # in memory
        # SQLite follows symbolic links, and keeps the other files beside the target.
        real, wal, shm = (Path(main + end) for end in ("", "-wal", "-shm"))
        self._path = self._path or real
        needed = {self._path, real}
        also = {shm}
        if journal == "wal":
            (also if self._read_only else needed).add(wal)
        files = _identities(needed | also)
        found = files.get(self._path)
        if found is None or not before == found == files.get(real) or not needed <= files.keys():
            return None
        if self._database not in {None, found}:
            raise moved(self._path, found)
        held = open_files()
        if held is not None and self._read_only:
            files = {path: file for path, file in files.items() if path in needed or file in held}
        if held is not None and not held.keys() >= set(files.values()):
            return None
        if held is not None and journal == "wal" and not self._read_only:
            try:
                connection.watch = WalWatch.of(real, held)
            except OSError:
                return None
        self._database = found
        return tuple(files.items())


def _identities(paths: Iterable[Path]) -> dict[Path, Identity]:
    """Return the identity of each file that exists."""
    seen = {path: identity(path) for path in paths}
    return {path: found for path, found in seen.items() if found is not None}


def _prepare(connection: sqlite3.Connection, *, read_only: bool) -> str:
    """Make commits durable on disk, and return the journal mode."""
    connection.isolation_level = None  # each statement is a transaction of its own
    keep = "" if read_only else " = WAL"
    journal: str = patiently(connection, f"PRAGMA journal_mode{keep}")[0]
    if not read_only:
        # FULL: a commit is on disk before it is acknowledged.
        connection.execute("PRAGMA synchronous = FULL").close()
        # Checkpoints are made by `WatchedConnection` alone.
        connection.execute("PRAGMA wal_autocheckpoint = 0").close()
    # The first transaction opens the write-ahead log.
    patiently(connection, "SELECT count(*) FROM sqlite_schema")
    return journal


def patiently(connection: sqlite3.Connection, statement: str) -> Any:  # noqa: ANN401 - as the driver
    """Execute a statement that may wait for another process, and return its first row.

    A warning is logged once it has waited for two seconds.
    """

    def attempt(seconds: int) -> Any:  # noqa: ANN401
        connection.execute(f"PRAGMA busy_timeout = {seconds * 1000}").close()
        return connection.execute(statement).fetchone()

    try:
        return attempt(_SILENCE_SECONDS)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise
        path = connection.execute("PRAGMA database_list").fetchone()[2]
        _log.warning(
            "sabot: another process has locked %s; waiting up to %d s for it",
            path,
            PATIENCE_SECONDS,
        )
        return attempt(PATIENCE_SECONDS - _SILENCE_SECONDS)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE_SECONDS * 1000}").close()


def has_wal_reset_bug(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> bool:
    """Return whether a version of SQLite has the WAL-reset bug, by default the one in use."""
    patched = any(version[:2] == fixed[:2] and version >= fixed for fixed in FIXED_IN)
    return version < FIXED_IN[-1] and not patched


def can_be_locked(path: Path) -> bool:
    """Return whether SQLite can make or use the files beside a database in WAL mode.

    On a read-only medium or a full disk it cannot. The database then has to be opened as immutable.
    """
    if identity(path) is None or not path.is_file():
        return True  # there is none, or something that would block: opening it says which
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0)
    except sqlite3.Error:
        return True  # there is none, which opening it says
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").close()
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode & 0xFF not in {
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_IOERR,
        }
    except sqlite3.Error:
        return True
    finally:
        connection.close()
    return True


def tables_in(path: Path) -> set[str]:
    """Return the tables of a SQLite file, or none if it cannot be read. It is not changed."""
    with contextlib.suppress(sqlite3.Error, OSError):
        path = path.resolve()
        wal = Path(f"{path}-wal")
        mode = "mode=ro" if wal.exists() and wal.stat().st_size else "mode=ro&immutable=1"
        place = f"{path.as_uri()}?{mode}"
        with contextlib.closing(sqlite3.connect(place, uri=True, timeout=0)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {str(name) for (name,) in found}
    return set()


def remove_left_over(path: Path) -> None:
    """Remove the ``-wal`` and ``-shm`` files that SQLite made to read another user's database.

    They belong to this user, so the owner of the database could not write. Close your own
    connections first. Nothing is removed while another connection uses the files: each connection
    holds a shared lock on them.
    """
    with contextlib.suppress(OSError, ValueError, ImportError):
        import fcntl  # noqa: PLC0415 - not on every system

        wal, shm = (Path(f"{path.resolve()}{end}") for end in ("-wal", "-shm"))
        if shm.stat().st_uid == path.stat().st_uid or shm.stat().st_uid != os.geteuid():
            return
        held_here = open_files()
        if held_here is None or identity(shm) in held_here:
            return  # closing it here would drop the locks of this process
        with shm.open("r+b") as held:
            fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _IN_USE)
            if wal.exists() and (wal.stat().st_size or wal.stat().st_uid != os.geteuid()):
                return
            wal.unlink(missing_ok=True)
            shm.unlink()


_IN_USE: Final = 128
"""The byte of the index that a connection locks (https://sqlite.org/walformat.html)."""


def not_writable_beside(path: Path) -> str:
    """Return a sentence on a file beside a database that this user may not write, or no text."""
    for each in (Path(f"{path.resolve()}{end}") for end in ("-wal", "-shm")):
        if each.exists() and not os.access(each, os.W_OK):
            return (
                f"; {each} belongs to {each.owner()}, whose program reads or has read the log, and "
                "may not be written: end that program, and remove the file if it is empty or -shm"
            )
    return ""


def readable_path(path: Path) -> Path:
    """Return the path at which a database can be read with everything that was committed.

    On a read-only medium SQLite can read a database only without the commits in its write-ahead
    log. So both are copied to a temporary folder, which is removed at the end of the process.
    """
    wal = Path(f"{path}-wal")
    try:
        left_over = path.is_file() and wal.stat().st_size > 0
    except OSError:
        left_over = False
    if not left_over or can_be_locked(path):
        return path
    folder = Path(tempfile.mkdtemp(prefix="sabot-copy-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        for each in (path, wal):
            shutil.copyfile(each, folder / each.name)
    except OSError as error:
        raise Unavailable(
            f"{path} can only be read from a copy, and {folder} cannot hold one: {error.strerror}; "
            "make room, or name another folder in TMPDIR"
        ) from error
    return folder / path.name


def moved(path: Path, found: Identity | None) -> UntrustedLog:
    """Return the error for a moved or replaced file."""
    what = "is gone" if found is None else "is another file than the one that was opened"
    return UntrustedLog(
        f"{path} {what}: somebody removed, renamed or replaced a file of the log while it was in "
        "use. No event is confirmed that was not acknowledged before; it may be in a file that "
        "nobody will find. Stop whatever else writes to this log, keep every file as it is, put "
        "the log's own files back or restore it from an export or a backup, and then send again "
        "what was not acknowledged"
    )
