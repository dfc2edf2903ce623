"""Add the wins of banks and the levies to the summary tables of coups and shoes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
READ_MODELS = (
    "rm_shoe", "rm_coup", "rm_bet", "rm_ledger", "rm_commission", "rm_felt", "rm_table",
    "rm_session",
)  # fmt: skip


def upgrade() -> None:
    """Add the columns; the rows are rebuilt from the log."""
    for table in ("rm_shoe", "rm_coup"):
        for name in ("bank_won", "levy"):
            op.add_column(table, sa.Column(name, WHOLE, nullable=False, server_default="0"))
    for table in READ_MODELS:
        op.execute(sa.delete(sa.table(table)))
    tracking = sa.table("rm_tracking", sa.column("follower", sa.Text))
    op.execute(sa.delete(tracking).where(tracking.c.follower == "read-models"))
