"""Open and read files that a user named.

Only regular files are opened: a named pipe would wait forever, and a device has no end. Text is
read up to a maximum length, and a byte order mark at its beginning is dropped.
"""

import codecs
import os
import re
import shlex
import stat
from pathlib import Path
from typing import BinaryIO, Final

from sabot.domain.values.errors import BadInput, NotFound, SabotError

BOM: Final = codecs.BOM_UTF8

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_COMPRESSED: Final = (b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0")
"""The first bytes of zip (also .xlsx), gzip and old .xls files."""
_SQLITE: Final = b"SQLite format 3\0"
"""The first bytes of every SQLite file."""
_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe, and only standard input may be a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_file(name: str) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        NotFound: there is no such file.
        BadInput: it is a folder, a pipe or a device, or cannot be opened.
    """
    try:
        if not name:
            raise BadInput("the name of a file is empty; give its path")
        check_regular(name)
        # O_NONBLOCK: a file that was just replaced by a pipe does not wait for a writer
        number = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise NotFound(f"there is no file {name!r}; check the path") from None
    except (OSError, ValueError) as error:
        raise BadInput(_unreadable(error), name) from error
    stream = os.fdopen(number, "rb")
    try:
        _check_mode(os.fstat(number).st_mode, name)
    except BadInput:
        stream.close()
        raise
    return stream


def is_sqlite(path: str | Path) -> bool:
    """Return whether a regular file that can be read is a SQLite database."""
    try:
        with open_file(str(path)) as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (SabotError, OSError):
        return False  # opening it again says what is wrong


def main_file(path: Path) -> Path:
    """Return the database of SQLite to which a file beside it belongs by its name.

    Any other path is returned unchanged.
    """
    return path.with_name(re.sub(r"(?<=.)-(wal|shm|journal)$", "", path.name))


def check_is_text(first: bytes, name: str) -> None:
    """Check that a file begins like text.

    Raises:
        BadInput: it is a database, or a compressed file, such as spreadsheet programs write, or
            has NUL characters.
    """
    if first.startswith(_SQLITE):
        raise BadInput(
            "it is a database, not text; write the events of a log to a file with: "
            f"sabot export --database {shlex.quote(name)} -o events.jsonl",
            name,
        )
    if first.startswith(_COMPRESSED):
        raise BadInput(
            "it is a compressed file, as .xlsx or .gz; save it as CSV, or unpack it", name
        )
    if b"\0" in first and not _is_utf_16(first):
        raise BadInput("it is not text: it has NUL characters; save it as UTF-8 text", name)


def _is_utf_16(first: bytes) -> bool:
    """Return whether bytes begin like UTF-16: with its mark, or with NUL in every second place."""
    one_of_two_is_nul = any(first[:16:2]) != any(first[1:16:2])
    return first.startswith(_UTF_16) or one_of_two_is_nul


def check_regular(name: str) -> None:
    """Check that a path leads to a regular file.

    Raises:
        BadInput: it leads to a folder, a pipe or a device.
        OSError: there is no such file.
        ValueError: the text is not a path.
    """
    _check_mode(Path(name).stat().st_mode, name)


def _check_mode(mode: int, name: str) -> None:
    if stat.S_ISREG(mode):
        return
    kind = next((kind for test, kind in _KINDS if test(mode)), "no file")
    raise BadInput(f"it is {kind}; give a regular file", name)


def read_text(name: str, most: int) -> str:
    """Read a UTF-8 text of limited length. A byte order mark is dropped.

    Raises:
        NotFound: there is no such file.
        BadInput: it is not a regular file, is too long, cannot be read, or is not UTF-8.
    """
    with open_file(name) as stream:
        try:
            data = stream.read(most + len(BOM) + 1)
        except OSError as error:
            raise BadInput(_unreadable(error), name) from error
    if data is None:  # the kernel calls some devices regular files, such as /proc/kmsg
        raise BadInput("it has nothing to read, as a device; give a regular file", name)
    text = data.removeprefix(BOM)
    if len(text) > most:
        raise BadInput(f"it has more than {most} bytes; shorten it", name)
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise BadInput(not_utf_8(text, error.start), f"{name}:{line}") from error


def not_utf_8(data: bytes, place: int) -> str:
    """Return the message about a byte that is not UTF-8."""
    if data.startswith(_UTF_16):
        return "the text is UTF-16; save it as UTF-8"
    return f"byte 0x{data[place]:02x} is not UTF-8; save it as UTF-8"


def _unreadable(error: OSError | ValueError) -> str:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"it cannot be read: {reason}; check the path and its permissions"
