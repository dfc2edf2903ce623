"""The PostgreSQL session, or prepared transaction, that hinders writers.

After a statement has waited for a lock, two queries find who held it. The server names blocking
sessions only during the wait (``pg_blocking_pids``). The statement has ended with an error by then,
so the queries find who holds a lock that it needed. They read no table of the log, which may be
locked.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

Ask = Callable[[str, Sequence[object]], list[tuple[Any, ...]] | None]
"""Returns the rows of a query, or None if it fails."""

_FIND: Final = (
    "SELECT pid, pg_blocking_pids(pid) FROM pg_locks WHERE NOT granted AND mode = "
    "'AccessExclusiveLock'"
)
FIND_CATALOG_LOCK: Final = (
    "if it runs, a session may have locked a table of the system: a superuser finds it in another "
    f"database, or in a session that is already open, with {_FIND} (docs/store.md#locks)"
)


CATALOG_LOCK: Final = """
    WITH RECURSIVE chain (pid) AS (
      SELECT l.pid FROM pg_lock_status() AS l
      WHERE l.mode = 'AccessExclusiveLock' AND NOT l.granted AND l.relation < 16384
      UNION
      SELECT b.pid FROM chain, unnest(pg_blocking_pids(chain.pid)) AS b (pid)
    )
    SELECT a.pid, a.usesysid::regrole::text, a.application_name
    FROM chain JOIN pg_stat_get_activity(NULL) AS a ON a.pid = chain.pid
    ORDER BY cardinality(pg_blocking_pids(a.pid)), a.pid LIMIT 1
"""
"""The session for which a change of a table of the system waits, its login and its program.

Such a change needs no right while it waits, and everybody else waits behind it. The query names no
table or view, so it mostly works during the wait.
"""


def one_session(pid: int, login: str, program: str) -> str:
    """Return a sentence on the session that holds a lock, and how to end it."""
    return (
        f"session {pid} of login {login} ({program or 'no program named'}) holds the lock; "
        f"end it there, or with SELECT pg_terminate_backend({pid}) as this login or a superuser"
    )


def who_blocks(
    ask: Ask, elsewhere: Callable[[], list[tuple[Any, ...]]], waited: str, *, locked: bool
) -> str:
    """Describe the database session that made a statement wait for a lock.

    Args:
        ask: a function that asks the server.
        elsewhere: a function that asks it `CATALOG_LOCK` in another database.
        waited: what waited, as `what_waited` returns it.
        locked: whether it is certain that a lock was waited for. If not, the text may be empty.
    """
    prepared = ask(PREPARED, (False, waited))
    sessions = prepared if prepared is None or prepared else ask(BLOCKING, (waited,))
    if sessions is None:  # a query waits too, so a table of the system is locked
        for found in ask(CATALOG_LOCK, ()) or elsewhere():
            return one_session(*found)
        return f"it cannot be asked who holds the lock, because that waits too; {FIND_CATALOG_LOCK}"
    for found in () if prepared else sessions:
        return one_session(*found)
    for gid, login, since in prepared or ask(PREPARED, (True, waited)) or ():
        name = gid.replace("'", "''")
        return (
            f"the prepared transaction '{gid}' of login {login} holds the lock since {since}; "
            f"end it with ROLLBACK PREPARED '{name}' as this login or a superuser"
        )
    return "the session that held the lock has just ended; try again" if locked else ""


BLOCKING: Final = """
    WITH RECURSIVE of_log (relation, name) AS (
      SELECT oid, relname FROM pg_class
      WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)
        AND relname ~ '^(log|evidence|rm)_'
    ), tables AS (
      -- no writer of Sabot takes one of these locks on a table, and each stops writers
      SELECT l.pid, l.granted, t.name, l.mode
      FROM pg_locks AS l JOIN of_log AS t ON t.relation = l.relation
      WHERE l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ), holders (pid, for_append, for_others, for_checkpoint) AS (
      SELECT pid, 1, 1, 2 FROM tables
      WHERE granted AND mode = 'AccessExclusiveLock' AND name !~ '^rm_'
      UNION ALL
      SELECT pid, 1, 5, 5 FROM tables
      WHERE granted AND name = 'log_head' AND mode = 'ExclusiveLock'
      UNION ALL
      -- who has the turn to append has locked the row of the head, and so has a transaction id
      SELECT l.pid, 2, 6, 6 FROM pg_locks AS l JOIN of_log AS t ON t.relation = l.relation
      WHERE l.granted AND t.name = 'log_head' AND l.mode IN ('RowShareLock', 'RowExclusiveLock')
        AND EXISTS (SELECT FROM pg_locks AS x
                    WHERE x.pid = l.pid AND x.granted AND x.locktype = 'transactionid')
      UNION ALL
      -- who stores a checkpoint holds the queue of checkpoints
      SELECT l.pid, 8, 8, 1 FROM pg_locks AS l JOIN of_log AS t ON t.relation = l.relation
      WHERE l.granted AND t.name = 'evidence_key' AND l.mode = 'ShareUpdateExclusiveLock'
      UNION ALL
      SELECT pid, 3, 4, 3 FROM tables WHERE granted AND name !~ '^rm_'
      UNION ALL
      SELECT pid, 7, 1, 7 FROM pg_locks
      WHERE granted AND locktype = 'advisory' AND objsubid = 2
        AND classid = CAST(CAST(hashtext('sabot') AS bit(32)) AS bigint)
        AND objid = CAST(CAST(hashtext('migrate') AS bit(32)) AS bigint)
      UNION ALL
      SELECT pid, 7, 2, 7 FROM tables WHERE granted
      UNION ALL
      SELECT l.pid, 7, 3, 7 FROM pg_locks AS l JOIN of_log AS t ON t.relation = l.relation
      WHERE l.granted AND l.mode = 'RowExclusiveLock' AND t.name ~ '^rm_'
      UNION ALL
      SELECT pid, 6, 6, 6 FROM tables WHERE NOT granted
    ), chain (pid, place, step) AS (
      SELECT pid, CASE ? WHEN 'append' THEN for_append WHEN 'checkpoint' THEN for_checkpoint
                  ELSE for_others END, 0 FROM holders
      WHERE pid <> pg_backend_pid()
      UNION
      -- a holder that waits is not the cause, but who makes it wait
      SELECT b.pid, c.place, c.step + 1
      FROM chain AS c, unnest(pg_blocking_pids(c.pid)) AS b (pid) WHERE c.step < 10
    )
    SELECT a.pid, a.usename, a.application_name
    FROM chain AS c JOIN pg_stat_activity AS a ON a.pid = c.pid
    ORDER BY c.place, cardinality(pg_blocking_pids(c.pid)) > 0, c.step DESC, a.pid
    LIMIT 1
"""
"""The session, its login and its program. The value says what waited, as `what_waited` does.

Any role may read this.
"""

PREPARED: Final = """
    SELECT p.gid, p.owner, p.prepared::timestamptz(0)::text
    FROM pg_prepared_xacts AS p
    JOIN pg_locks AS x ON x.pid IS NULL AND x.transactionid = p.transaction
    JOIN pg_locks AS l ON l.pid IS NULL AND l.virtualtransaction = x.virtualtransaction
    JOIN pg_class AS c ON c.oid = l.relation
    WHERE p.database = current_database() AND (? OR l.mode <> 'AccessShareLock')
      AND c.relnamespace = CAST(current_schema() AS regnamespace)
      AND c.relname ~ CASE ? WHEN 'other' THEN '^(log|evidence|rm)_' ELSE '^(log|evidence)_' END
    ORDER BY c.relname <> 'log_head', p.prepared LIMIT 1
"""
"""The oldest prepared transaction that holds such a lock: it has no session.

The values say whether one that only reads counts, for which an upgrade of the log waits, and
what waited, as `what_waited` does.
"""


def what_waited(refusal: object) -> str:
    """Return what ended with a driver's error on a lock, by the server's context.

    It is ``append``, ``checkpoint``, or ``other``.
    """
    context = getattr(getattr(refusal, "diag", None), "context", None) or ""
    if "log_checkpoint" in context:
        return "checkpoint"
    functions = ("log_append", "log_turn", "log_key")
    return "append" if any(name in context for name in functions) else "other"
