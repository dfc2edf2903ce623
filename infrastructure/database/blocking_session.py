"""The PostgreSQL session, or prepared transaction, that hinders writers.

After a statement has waited for a lock, two queries find who held it. The server names blocking
sessions only during the wait (``pg_blocking_pids``). The statement has ended with an error by then,
so the queries find who holds a lock that it needed. They read no table of the log, which may be
locked.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

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


OLD_SNAPSHOT: Final = 10_000
"""Commits since a session began to read. The server keeps every former row of the log's head for
it, so that each append takes some milliseconds longer."""

_PREPARED: Final = "SELECT current_setting('max_prepared_transactions')"
_SNAPSHOTS: Final = """
    SELECT pid, usename, application_name, age(backend_xmin) FROM pg_stat_activity
    WHERE age(backend_xmin) >= ? AND datname = current_database()
    ORDER BY age(backend_xmin) DESC, pid LIMIT 1
"""


def server_dangers(fetch: Callable[[str, Sequence[object]], list[tuple[Any, ...]]]) -> list[str]:
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
