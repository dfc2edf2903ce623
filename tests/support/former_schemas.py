"""Logs as earlier versions of the program made them: the migrations up to a revision."""

from alembic import command
from alembic.config import Config

from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.database import database_url as read_url


def at_revision(url: str, revision: str, schema: str | None = None) -> None:
    """Create a log with the schema of this revision."""
    database = Database(read_url(url))
    with database.writing() as connection:
        if schema is not None:
            connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {schema.replace('%', '%%')}")
        config = Config()
        config.set_main_option("script_location", "sabot.infrastructure:migrations")
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    database.close()
