"""Whether the files that SQLite writes are still those that their paths name.

SQLite keeps its files open. If somebody removes, renames or replaces one of them, it goes on
writing to the old one, which nobody will open again, and tells nobody. So a writer compares device
and inode of each path with those that were found when the connection was made: once its turn has
begun, and once more between the commit and its acknowledgement. Who follows the log, or fails to
read it, compares them too. An inode number is not given away while its file is open, so a new file
cannot pass for the old one.

Three files are compared. The database. Its write-ahead log (``-wal``), which holds what was
committed since the last checkpoint. The index of that log (``-shm``), which carries the locks that
keep writers apart: with two of them, one process writes over what another has committed.

SQLite removes ``-wal`` and ``-shm`` itself when the last connection to a database closes, never
before: whoever removes them needs an exclusive lock, and each open connection in WAL mode holds a
shared one. A checkpoint writes to them, and truncates them, in place. So while a connection is
open, its files stay the same, whatever other processes begin and end.

This module calls ``stat`` and never opens one of these files: where a process closes a file, POSIX
drops all its locks on that file, SQLite's among them.

What is changed within a file is not seen so: a file of the log that is written over or cut short in
place by something other than SQLite. Nor is a second name of the database (a hard link): SQLite
keeps the ``-wal`` beside the name that it was given, so programs that use two names do not see each
other's commits. `Database.warnings` tells of a second name that is there at opening.
"""

import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sabot.domain.values.errors import UntrustedLog

Identity = tuple[int, int]
"""The device and the inode of a file: what stays the same when it is renamed."""

_ATTEMPTS: Final = 5

_DESCRIPTORS: Final = {"linux": Path("/proc/self/fd"), "darwin": Path("/dev/fd")}
"""Where a system lists the files that the process which asks has open."""


class WatchedConnection(sqlite3.Connection):
    """A connection that acknowledges a commit only if its files are still at their paths.

    Attributes:
        files: each path and the file that it named when the connection was made; nothing where
            the database is in memory.
    """

    files: tuple[tuple[Path, Identity], ...] = ()
    _writes = False

    def begin(self, *, writes: bool) -> None:
        """Begin a transaction; one that writes takes the writer's turn at once.

        Raises:
            UntrustedLog: a file was removed, renamed or replaced.
        """
        self.execute("BEGIN IMMEDIATE" if writes else "BEGIN").close()
        self._writes = writes
        if writes:
            try:
                self.check_files()
            except BaseException:
                self.rollback()
                raise

    def commit(self) -> None:
        """Commit, and then make sure that what was written can be found again.

        Raises:
            UntrustedLog: a file was removed, renamed or replaced. The transaction is committed, to
                a file that may be lost.
        """
        super().commit()
        if self._writes:
            self.check_files()

    def check_files(self) -> None:
        """Make sure that the files are at their paths.

        Raises:
            UntrustedLog: a file was removed, renamed or replaced.
        """
        for path, opened in self.files:
            found = identity(path)
            if found != opened:
                raise moved(path, found)


class LogFiles:
    """Makes connections to one SQLite database, and knows which file it is.

    Args:
        path: where it is, if what SQLite is given to open is no absolute path.
        read_only: the connections only read, maybe in a folder where nothing can be written. Then
            SQLite does without files that it would need to write, and they are not compared.
    """

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._database: Identity | None = None

    def connect(self, place: str, make: Callable[[], WatchedConnection]) -> WatchedConnection:
        """Make a connection and learn the files that it has open.

        Nothing tells a program which file SQLite has open. So the path is looked at before and
        after: it must name one file throughout. A file that is new, or replaced in between, is
        opened again. Where the system lists a process's open files, each file found must also be
        among them. Elsewhere a file that is replaced and put back in between is not noticed.

        Args:
            place: what SQLite is given to open: an absolute path, a URI, or ``:memory:``.
            make: opens it.

        Raises:
            UntrustedLog: another file is at the path than the one of an earlier connection, or the
                files do not stay the same long enough to be opened.
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
        """Return the files that a connection has open; None where that is not sure."""
        journal = _prepare(connection, read_only=self._read_only)
        main = connection.execute("PRAGMA database_list").fetchone()[2]
        if not main:
            return ()  # in memory
        # SQLite follows symbolic links, and keeps the other files beside the file that it finds.
        real, wal, shm = (Path(main + end) for end in ("", "-wal", "-shm"))
        self._path = self._path or real
        needed = {self._path, real}
        also = {shm}
        if journal == "wal":
            (also if self._read_only else needed).add(wal)
        seen = {path: identity(path) for path in needed | also}
        files = {path: found for path, found in seen.items() if found is not None}
        found = files.get(self._path)
        if found is None or not before == found == files.get(real) or not needed <= files.keys():
            return None
        if self._database not in {None, found}:
            raise moved(self._path, found)
        held = open_files()
        if held is not None and self._read_only:
            files = {path: file for path, file in files.items() if path in needed or file in held}
        if held is not None and not held.issuperset(files.values()):
            return None
        self._database = found
        return tuple(files.items())


def _prepare(connection: sqlite3.Connection, *, read_only: bool) -> str:
    """Set the connection up so that a commit is on the disk; return how it keeps its journal."""
    connection.isolation_level = None  # each statement is a transaction of its own
    keep = "" if read_only else " = WAL"
    journal: str = connection.execute(f"PRAGMA journal_mode{keep}").fetchone()[0]
    if not read_only:
        # FULL: a commit is on the disk before it is acknowledged.
        connection.execute("PRAGMA synchronous = FULL").close()
    # The write-ahead log is opened with the first transaction.
    connection.execute("SELECT count(*) FROM sqlite_schema").close()
    return journal


def identity(path: Path) -> Identity | None:
    """Return which file a path names; None where there is none, or none that can be seen."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def open_files() -> set[Identity] | None:
    """Return the files that this process has open; None where the system does not list them."""
    folder = _DESCRIPTORS.get(sys.platform)
    if folder is None or not folder.is_dir():
        return None
    found = set()
    for entry in folder.iterdir():
        try:
            status = os.fstat(int(entry.name))
        except OSError:
            continue  # closed since it was listed
        found.add((status.st_dev, status.st_ino))
    return found


def moved(path: Path, found: Identity | None) -> UntrustedLog:
    """Say that a path no longer names the file that is open."""
    what = "is gone" if found is None else "is another file than the one that was opened"
    return UntrustedLog(
        f"{path} {what}: somebody removed, renamed or replaced a file of the log while it was in "
        "use. No event is confirmed that was not acknowledged before; it may be in a file that "
        "nobody will find. Stop whatever else writes to this log, keep every file as it is, put "
        "the log's own files back or restore it from an export or a backup, and then send again "
        "what was not acknowledged"
    )
