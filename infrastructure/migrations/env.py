"""Alembic's way in: it migrates the connection that it is handed, in that connection's transaction.

For developers: ``alembic.command`` needs ``config.attributes["connection"]``; see
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
