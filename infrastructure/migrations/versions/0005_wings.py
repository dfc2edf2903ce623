"""Add the hands and outcomes of two tableaux to the summary table of coups."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
READ_MODELS = (
    "rm_shoe", "rm_coup", "rm_bet", "rm_ledger", "rm_commission", "rm_felt", "rm_table",
    "rm_session",
)  # fmt: skip


def upgrade() -> None:
    """Add the columns; the rows are rebuilt from the log."""
    for tableau in ("right", "left"):
        op.add_column("rm_coup", sa.Column(f"{tableau}_hand", sa.Text))
        op.add_column("rm_coup", sa.Column(f"{tableau}_total", WHOLE))
        op.add_column("rm_coup", sa.Column(f"{tableau}_came", sa.Text))
    for table in READ_MODELS:
        op.execute(sa.delete(sa.table(table)))
    tracking = sa.table("rm_tracking", sa.column("follower", sa.Text))
    op.execute(sa.delete(tracking).where(tracking.c.follower == "read-models"))
