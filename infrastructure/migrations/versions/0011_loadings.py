"""An index of the events that state the table of a shoe: loadings of shoes, and corrections.

A table's shoes are found without a look at the name of every event.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

LOADINGS = sa.text("name IN ('shoe-loaded', 'fact-corrected')")


def upgrade() -> None:
    """Add the index."""
    op.create_index(
        "log_event_loadings",
        "log_event",
        ["id"],
        sqlite_where=LOADINGS,
        postgresql_where=LOADINGS,
    )
