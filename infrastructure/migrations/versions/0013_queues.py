"""PostgreSQL: writers queue for their turn, and no event holds a NUL character.

Who waits for the lock of a row is woken when its holder commits, and must then lock the row before
others do. A session that ends its transaction and locks the row again in one message is always
first, so others wait without end; a time-out for locks begins anew each time. A lock on a table is
given to those who wait in their order. So the functions that append lock a table that nobody
changes, ``log_shape``, and ``log_checkpoint`` locks ``evidence_key``. Either lock excludes itself,
and no reader.

The server's types cannot hold a NUL character, which JSON can write with an escape. ``log_append``
refuses such a payload, as the program does.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

_UNPREPARED = """
        PERFORM pg_export_snapshot();
      END IF;
"""
_QUEUE = "      LOCK TABLE {schema}.{table} IN SHARE UPDATE EXCLUSIVE MODE;\n"
_QUEUES = {
    "log_turn(jsonb)": "log_shape",
    "log_append(jsonb)": "log_shape",
    "log_key(text, bigint)": "log_shape",
    "log_checkpoint(text, text)": "evidence_key",
}
_WITHOUT_NUL = r"replace(f->>8, E'\\u0000', E'\\u0001') AS t"
_COMMENT = "-- JSON may hold an escaped NUL, which the server's types may not\n"
_AS_IT_IS = "f->>8 AS t"
_STATED = "-- it is no JSON of the server if it holds an escaped NUL\n"
_DEFINITION = sa.text("SELECT pg_get_functiondef(CAST(:function AS regprocedure))")
_SCHEMA = "SELECT quote_ident(current_schema())"


def upgrade() -> None:
    """Replace the functions."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    schema = connection.exec_driver_sql(_SCHEMA).scalar_one()
    for function, table in _QUEUES.items():
        definition = connection.scalars(_DEFINITION, {"function": function}).one()
        assert definition.count(_UNPREPARED) == 1
        queue = _QUEUE.replace("{schema}", schema).replace("{table}", table)
        definition = definition.replace(_UNPREPARED, _UNPREPARED + queue)
        if function == "log_append(jsonb)":
            assert definition.count(_WITHOUT_NUL) == definition.count(_COMMENT) > 0
            definition = definition.replace(_COMMENT, _STATED).replace(_WITHOUT_NUL, _AS_IT_IS)
        # The driver reads a single % as a placeholder; names may contain one.
        connection.exec_driver_sql(definition.replace("%", "%%"))
