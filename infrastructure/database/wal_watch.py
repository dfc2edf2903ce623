"""Detect that another program wrote into the files of an open SQLite database.

If somebody copies a file over a database in use (``cp old.sabot log.sabot``), or truncates its
write-ahead log, the inodes remain, and SQLite goes on without an error. So a writer compares the
content as well, under the writer's lock and again between commit and acknowledgement:

- Size and modification time of the database change only when the write-ahead log is moved into it.
  The index of the write-ahead log shows whether that was done through SQLite.
- The last frame of the write-ahead log has the checksum that the index states, and is still the
  same after the commit. A truncated log has a hole there.

Both files have the format of https://sqlite.org/walformat.html. The index carries the locks of
SQLite, which POSIX drops when a process closes that file. So it is read through the descriptor that
SQLite has open, and never opened or closed here. The write-ahead log carries no locks.

A change is not noticed if it happens while this process moves the write-ahead log, if it keeps size
and modification time, or if it is in an earlier part of the write-ahead log and leaves the rest.
"""

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, Self

from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.database.file_identity import Identity, identity, identity_of

_INDEX_BYTES: Final = 136
_HEADER: Final = 48
"""The index begins with two copies of a header. They differ while a process changes it."""

_WAL_HEADER: Final = 32
_FRAME_HEADER: Final = 24

_ATTEMPTS: Final = 12
_AT_ONCE: Final = 2
_PAUSE_SECONDS: Final = 0.05
"""Another process may be changing the files: they are looked at again for half a second."""


class _Index(NamedTuple):
    """What the index of a write-ahead log states.

    Attributes:
        frames: the number of committed frames.
        frame_bytes: the size of a frame.
        salt: the generation of the write-ahead log. It changes when the write-ahead log is
        restarted.
        last: salt and checksum of the last frame, as in that frame's header.
        moves: changes whenever frames are moved into the database.
    """

    frames: int
    frame_bytes: int
    salt: bytes
    last: bytes
    moves: bytes


class WalWatch:
    """Remembers the state of one connection's files at its last check.

    Args:
        path: the database.
        index: a descriptor of the index of its write-ahead log, open in SQLite.
    """

    def __init__(self, path: Path, index: int) -> None:
        self._path = path
        self._wal_path = Path(f"{path}-wal")
        self._index = index
        self._index_file = identity_of(index)
        self._wal = os.open(self._wal_path, os.O_RDONLY)
        self._seen: tuple[bytes, int, bytes] = (b"", 0, b"")
        self._moves, self._main = b"", (0, 0)
        self.remember()

    @classmethod
    def of(cls, path: Path, held: Mapping[Identity, int]) -> Self | None:
        """Watch a database. ``held`` are the open files of this process with their descriptors."""
        index = identity(Path(f"{path}-shm"))
        return cls(path, held[index]) if index and index in held else None

    def close(self) -> None:
        """Close the write-ahead log, which is opened here once more."""
        if self._wal >= 0:
            os.close(self._wal)
            self._wal = -1

    def remember(self) -> None:
        """Remember the database as it is. The caller has moved the write-ahead log into it."""
        found = self._read()
        self._moves = found.moves if found else b""
        self._main = self._status()

    def check(self, *, locked: bool) -> None:
        """Check that only SQLite changed the files.

        Args:
            locked: whether this connection holds the writer's lock.

        Raises:
            UntrustedLog: somebody overwrote or truncated the database or its write-ahead log.
        """
        changed = self._changed(locked=locked)
        for attempt in range(_ATTEMPTS):
            if changed is None:
                return
            time.sleep(_PAUSE_SECONDS if attempt > _AT_ONCE else 0)
            changed = self._changed(locked=locked)
        if changed is not None:
            raise _overwritten(changed)

    def _changed(self, *, locked: bool) -> Path | None:
        """Return the file that somebody changed, or None."""
        found = self._read()
        main = self._status()
        if found is None:
            return Path(f"{self._path}-shm")
        salt, frame, header = self._seen
        if frame and salt == found.salt and self._frame(frame, found.frame_bytes) != header:
            return self._wal_path
        if locked:
            last = self._frame(found.frames, found.frame_bytes) if found.frames else b""
            if last != (found.last if found.frames else b""):
                return self._wal_path
            self._seen = found.salt, found.frames, last
        if main != self._main:
            found = self._read()
            if found is None or found.moves == self._moves:
                return self._path
            self._main = self._status()
        # what was moved after the index was read is noticed as moved
        self._moves = found.moves
        return None

    def _status(self) -> tuple[int, int]:
        try:
            status = self._path.stat()
        except OSError:
            return 0, 0
        return status.st_size, status.st_mtime_ns

    def _read(self) -> _Index | None:
        """Read the index. None if it is being changed, or somebody damaged it."""
        if identity_of(self._index) != self._index_file:
            return None
        data = os.pread(self._index, _INDEX_BYTES, 0)
        if len(data) < _INDEX_BYTES or data[:_HEADER] != data[_HEADER : 2 * _HEADER]:
            return None
        page = _native(data[14:16])
        sums = (_native(data[24:28]), _native(data[28:32]))
        salt = data[32:40]
        return _Index(
            frames=_native(data[16:20]),
            frame_bytes=_FRAME_HEADER + (65536 if page == 1 else page),
            salt=salt,
            last=salt + b"".join(each.to_bytes(4, "big") for each in sums),
            moves=salt + data[96:100] + data[128:132],
        )

    def _frame(self, number: int, size: int) -> bytes:
        """Return salt and checksum of a write-ahead log frame."""
        return os.pread(self._wal, 16, _WAL_HEADER + (number - 1) * size + 8)


def _native(data: bytes) -> int:
    return int.from_bytes(data, sys.byteorder)


def _overwritten(path: Path) -> UntrustedLog:
    return UntrustedLog(
        f"somebody wrote into {path} while the log was in use, for instance with cp or truncate. "
        "No event is confirmed that was not acknowledged before; of those acknowledged some may be "
        "lost. Stop whatever else writes to this log, keep every file as it is, restore the log "
        "from a backup or an export into a new file, and then send again what it lacks"
    )
