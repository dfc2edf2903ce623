"""Alembic environment: migrates a given connection within that connection's transaction.

``alembic.command`` needs ``config.attributes["connection"]``; see
`sabot.infrastructure.database.database.migrate`.
"""

from alembic import context

from sabot.infrastructure.database.schema import REVISION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=REVISION_TABLE,
    transactional_ddl=True,
)
context.run_migrations()
