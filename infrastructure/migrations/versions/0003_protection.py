"""Add the table for the stored state of a running detection."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table; its rows are derived from the log."""
    op.create_table(
        "rm_protection",
        sa.Column("asked", KEY, primary_key=True),
        sa.Column("program", sa.Text, nullable=False),
        sa.Column("last_id", WHOLE, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sqlite_strict=True,
    )
