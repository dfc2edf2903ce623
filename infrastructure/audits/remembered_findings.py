"""A file in which this user's audits note the findings, to find one again by its fingerprint.

A fingerprint is a hash, from which the shoe cannot be computed. So each audit notes the stream of
every finding in a file of the user, one file for each log. A review then audits one shoe instead of
all. The file may be deleted at any time, since an audit writes it again. If it cannot be written, a
review audits the whole log.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from sabot.domain.audit import Finding
from sabot.infrastructure.audits.audit_run import SHOE_PREFIX
from sabot.infrastructure.files.whole_file import cache_folder, private_folder, remove_oldest

MOST_LOGS: Final = 100
"""Number of logs whose files are kept: those audited last."""

_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS finding (mark TEXT PRIMARY KEY, stream TEXT NOT NULL, whole BLOB)"
    " WITHOUT ROWID, STRICT"
)
_LAST: Final = "g"
"""It comes after every hexadecimal digit."""


def cache_file(origin: str) -> Path:
    """Return the file for a log, existing or not."""
    return cache_folder("findings") / f"{origin.replace('/', '-')}.db"


def remember(origin: str, findings: Iterable[Finding]) -> None:
    """Note the streams of the findings of an audit.

    If the file cannot be written, nothing happens.
    """
    rows = [
        (mark, each.stream, None if each.stream.startswith(SHOE_PREFIX) else _whole(each))
        for each in findings
        for mark in (each.fingerprint, each.former_fingerprint)
        if mark is not None
    ]
    if not rows:
        return
    try:
        path = cache_file(origin)
        private_folder(path.parent)
        if not path.exists():
            remove_oldest(path.parent, "*.db", MOST_LOGS - 1)
        with closing(sqlite3.connect(path, timeout=1)) as connection:
            path.chmod(0o600)
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(_TABLES)
            connection.executemany("INSERT OR REPLACE INTO finding VALUES (?, ?, ?)", rows)
            connection.commit()
    except (OSError, RuntimeError, sqlite3.Error):
        return


def remembered(origin: str, digits: str) -> tuple[set[str], list[Finding]]:
    """Return the places of findings by fingerprint prefix.

    Returns:
        the streams of shoes, and the findings that belong to no shoe, with the details of the last
            audit.
    """
    try:
        path = cache_file(origin)
        if not path.is_file():
            return set(), []
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=1)) as found:
            rows = found.execute(
                "SELECT stream, whole FROM finding WHERE mark >= ? AND mark < ?",
                (digits, digits + _LAST),
            ).fetchall()
        shoes = {stream for stream, whole in rows if whole is None}
        beyond = {whole for _, whole in rows if whole is not None}
        return shoes, [msgspec.json.decode(whole, type=Finding) for whole in beyond]
    except (OSError, RuntimeError, sqlite3.Error, msgspec.MsgspecError):
        return set(), []


def _whole(finding: Finding) -> bytes:
    return msgspec.json.encode(finding)
