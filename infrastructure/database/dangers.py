"""Dangers to acknowledged events, and to writers: settings of a server, and names of a file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

Fetch = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]

_SWITCHED_OFF: Final = """
    SELECT name FROM (VALUES ('fsync'), ('full_page_writes')) AS of_server (name)
    WHERE current_setting(name) = 'off'
"""


def warnings(fetch: Fetch, *, is_sqlite: bool) -> list[str]:
    """Return a sentence for each setting that endangers acknowledged events.

    On a server these are settings that a session cannot change, and with which a crash can damage
    the log. For a file it is a second name.
    """
    if is_sqlite:
        return _other_names(fetch)
    return [
        f"the PostgreSQL server runs with {name} = off, so a crash of its machine can lose or "
        f"damage acknowledged events; set {name} = on in its postgresql.conf"
        for (name,) in fetch(_SWITCHED_OFF, ())
    ]


def _other_names(fetch: Fetch) -> list[str]:
    (_, _, path), *_ = fetch("PRAGMA database_list", ())
    try:
        names = Path(path).stat().st_nlink if path else 1
    except OSError:
        return []  # gone since it was opened; the next check reports it
    if names == 1:
        return []
    warning = (
        f"the file {path} has {names} names (hard links): what is written to the log under one of "
        "them cannot be seen under another, and either can overwrite the other's events; keep one "
        "name, and copy the log with `sabot export`"
    )
    return [warning]


OLD_SNAPSHOT: Final = 10_000
"""Commits since a session began to read. The server keeps every former row of the log's head for
it, so that each append takes some milliseconds longer."""

_PREPARED: Final = "SELECT current_setting('max_prepared_transactions')"
_SNAPSHOTS: Final = """
    SELECT pid, usename, application_name, age(backend_xmin) FROM pg_stat_activity
    WHERE age(backend_xmin) >= ? AND datname = current_database()
    ORDER BY age(backend_xmin) DESC, pid LIMIT 1
"""


def server_dangers(fetch: Fetch) -> list[str]:
    """Return a sentence for each way in which another login can hinder writers, or does."""
    found = []
    ((most,),) = fetch(_PREPARED, ())
    if most != "0":
        found.append(
            f"the PostgreSQL server runs with max_prepared_transactions = {most}, so a login can "
            "leave locks that outlive its session; set it to 0"
        )
    for pid, login, program, commits in fetch(_SNAPSHOTS, (OLD_SNAPSHOT,)):
        found.append(
            f"session {pid} of login {login} ({program or 'no program named'}) has read the "
            f"database in one transaction for {commits:,} commits, which slows down every append; "
            "end it, or set idle_in_transaction_session_timeout for its login"
        )
    return found
