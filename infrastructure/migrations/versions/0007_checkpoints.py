"""Add signed checkpoints of the log's tree, and the public keys that check them.

Rows can only be added. The size of a checkpoint is at most the number of events in the log.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables and the triggers that protect them."""
    op.create_table(
        "evidence_key",
        sa.Column("verifier_key", KEY, primary_key=True),
        sa.Column("since", WHOLE, nullable=False),
        sa.Column("made_us", WHOLE, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "evidence_checkpoint",
        sa.Column("size", WHOLE, primary_key=True, autoincrement=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("subtrees", sa.Text, nullable=False),
        sa.Column("made_us", WHOLE, nullable=False),
        sqlite_strict=True,
    )
    connection = op.get_bind()
    guards = SQLITE if connection.dialect.name == "sqlite" else POSTGRESQL
    for table in ("evidence_key", "evidence_checkpoint"):
        for statement in guards:
            connection.exec_driver_sql(statement.replace("{table}", table))


SQLITE = (
    """
    CREATE TRIGGER {table}_keeps BEFORE UPDATE ON {table}
    BEGIN
      SELECT RAISE(ABORT, 'checkpoints and keys are never changed');
    END
    """,
    """
    CREATE TRIGGER {table}_stays BEFORE DELETE ON {table}
    BEGIN
      SELECT RAISE(ABORT, 'checkpoints and keys are never deleted');
    END
    """,
)
POSTGRESQL = (
    """
    CREATE TRIGGER {table}_keeps BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION log_refuses()
    """,
    "ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_keeps",
)
