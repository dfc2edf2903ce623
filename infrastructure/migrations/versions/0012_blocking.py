"""No state of detections, and on PostgreSQL no notification and no turn that outlives its session.

The state of ``sabot detect --follow`` is now in a file of its user. In the database another session
of the same login could change it or lock its table.

The notifications of all databases of a server share one queue. A login that may connect to any of
them can fill it, and then each commit that notifies fails. Readers look at the log every 50 ms, so
they need no notification.

``PREPARE TRANSACTION`` keeps a transaction and its locks after its session has ended. Functions
that take the turn to append, or the place of a checkpoint, make it impossible: the server does not
prepare a transaction that has exported its snapshot.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_NOTIFIES = """
      IF FOUND THEN
        PERFORM pg_notify('sabot_log', '');
      ELSIF EXISTS (SELECT FROM added) THEN"""
_IS_SILENT = """
      IF NOT FOUND AND EXISTS (SELECT FROM added) THEN"""
_BEGIN = "\n    BEGIN\n"
_BEGIN_UNPREPARED = """
    BEGIN
      IF current_setting('max_prepared_transactions') <> '0' THEN
        PERFORM pg_export_snapshot();
      END IF;
"""
_CHANGES = (
    ("log_event_advances()", _NOTIFIES, _IS_SILENT),
    ("log_turn(jsonb)", _BEGIN, _BEGIN_UNPREPARED),
    ("log_append(jsonb)", _BEGIN, _BEGIN_UNPREPARED),
    ("log_checkpoint(text, text)", _BEGIN, _BEGIN_UNPREPARED),
    ("log_key(text, bigint)", _BEGIN, _BEGIN_UNPREPARED),
)
_DEFINITION = sa.text("SELECT pg_get_functiondef(CAST(:function AS regprocedure))")


def upgrade() -> None:
    """Drop the table of states. On PostgreSQL replace the functions."""
    op.drop_table("rm_protection")
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    for function, former, new in _CHANGES:
        definition = connection.scalars(_DEFINITION, {"function": function}).one()
        # if somebody changed it, it stays as it is until 0013 replaces it
        # The driver reads a single % as a placeholder; names may contain one.
        connection.exec_driver_sql(definition.replace(former, new, 1).replace("%", "%%"))
