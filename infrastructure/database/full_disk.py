"""Messages for a disk that is full, or that cannot be written."""

import shutil
import sqlite3
from pathlib import Path
from typing import Final

_DISK_FULL: Final = "53100"
"""The condition of PostgreSQL: appendix A of its manual."""


def disk_trouble(error: BaseException | None, path: str | None) -> str:
    """Return a sentence on the disk that an error of the driver is about, or an empty text.

    ``path`` is the file of a SQLite log. A server names its own file.
    """
    reason = str(error).split("\n", 1)[0]
    if getattr(error, "sqlstate", None) == _DISK_FULL:
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


def _free(path: str) -> str:
    try:
        free = shutil.disk_usage(Path(path).absolute().parent).free
    except OSError:
        return ""
    return f" ({free / 1e6:,.1f} MB free)"
