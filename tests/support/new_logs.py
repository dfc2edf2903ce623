"""Begin SQLite logs without running the migrations anew for each.

Tests begin hundreds of logs. The first of a process is made by the migrations. The statements that
make its schema are kept, and make the others: the same schema in a thirtieth of the time.
`tests.infrastructure.database.test_migrations` runs the migrations themselves.
"""

import secrets
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sabot.infrastructure.database import database
from sabot.infrastructure.database.engines import driver_of
from sabot.infrastructure.database.schema import REVISION_TABLE

_MADE: Final = (
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'trigger', rowid"
)
_migrations: Final = database.upgrade
_schema: list[str] = []


def _upgrade(connection: Connection) -> None:
    if connection.dialect.name != "sqlite" or sa.inspect(connection).get_table_names():
        _migrations(connection)
        return
    driver = driver_of(connection)
    if not _schema:
        _migrations(connection)
        _schema.extend(statement for (statement,) in driver.execute(_MADE))
        return
    tables = [statement for statement in _schema if not statement.startswith("CREATE TRIGGER")]
    for statement in tables:
        driver.execute(statement)
    driver.execute(f"INSERT INTO {REVISION_TABLE} VALUES (?)", (database.newest_revision(),))
    driver.execute("INSERT INTO log_head VALUES (1, ?, 0)", (f"sabot/{secrets.token_hex(8)}",))
    for statement in _schema[len(tables) :]:
        driver.execute(statement)


def keep_the_schema_of_new_logs() -> None:
    """Have this process run the migrations for the first new SQLite log alone."""
    database.upgrade = _upgrade
