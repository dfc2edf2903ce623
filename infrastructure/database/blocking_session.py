"""The PostgreSQL session that made a statement wait for a lock.

The server names blocking sessions only during the wait (``pg_blocking_pids``). The statement has
ended with an error by then, so this query finds who holds a lock that it needed. It reads no table
of the log, which may be locked.
"""

from typing import Final

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
    ), holders (pid, for_append, for_others) AS (
      SELECT pid, 1, 1 FROM tables
      WHERE granted AND mode = 'AccessExclusiveLock' AND name !~ '^rm_'
      UNION ALL
      SELECT pid, 1, 5 FROM tables WHERE granted AND name = 'log_head' AND mode = 'ExclusiveLock'
      UNION ALL
      -- who has the turn to append has locked the row of the head, and so has a transaction id
      SELECT l.pid, 2, 6 FROM pg_locks AS l JOIN of_log AS t ON t.relation = l.relation
      WHERE l.granted AND t.name = 'log_head' AND l.mode IN ('RowShareLock', 'RowExclusiveLock')
        AND EXISTS (SELECT FROM pg_locks AS x
                    WHERE x.pid = l.pid AND x.granted AND x.locktype = 'transactionid')
      UNION ALL
      SELECT pid, 3, 4 FROM tables WHERE granted AND name !~ '^rm_'
      UNION ALL
      SELECT pid, 7, 1 FROM pg_locks
      WHERE granted AND locktype = 'advisory' AND objsubid = 2
        AND classid = CAST(CAST(hashtext('sabot') AS bit(32)) AS bigint)
        AND objid = CAST(CAST(hashtext('migrate') AS bit(32)) AS bigint)
      UNION ALL
      SELECT pid, 7, 2 FROM tables WHERE granted
      UNION ALL
      SELECT l.pid, 7, 3 FROM pg_locks AS l JOIN of_log AS t ON t.relation = l.relation
      WHERE l.granted AND l.mode = 'RowExclusiveLock' AND t.name ~ '^rm_'
      UNION ALL
      SELECT pid, 6, 6 FROM tables WHERE NOT granted
    ), chain (pid, place, step) AS (
      SELECT pid, CASE WHEN ? THEN for_append ELSE for_others END, 0 FROM holders
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
"""The session, its login and its program. The value says whether the statement was an append.

Any role may read this.
"""


def waited_to_append(refusal: object) -> bool:
    """Return whether a driver's error on a lock is that of an append, by the server's context."""
    context = getattr(getattr(refusal, "diag", None), "context", None) or ""
    return "log_append" in context or "log_turn" in context
