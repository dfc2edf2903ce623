"""Insert or update rows of the summary tables in either database.

With many small rows, SQLAlchemy's insert takes longer than the database itself. So statements are
built once for each table and given to the driver.
"""

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Final

import msgspec
import sqlalchemy as sa
from msgspec.structs import astuple
from sqlalchemy.engine import Connection

from sabot.infrastructure.projections.rows import TABLE_OF, Changes, Row
from sabot.infrastructure.projections.views_schema import READ_MODELS

_CHUNK: Final = 10_000


def write(connection: Connection, changes: Sequence[Changes]) -> None:
    """Write the changes within the connection's transaction."""
    anew = [change.stream for change in changes if change.anew]
    for table in READ_MODELS if anew else ():
        connection.execute(sa.delete(table).where(table.c.stream.in_(anew)))
    rows = [row for change in changes for row in change.rows]
    rows.sort(key=lambda row: type(row).__name__)
    for kind, some in groupby(rows, type):
        put(connection, kind, list(some))


def put(connection: Connection, kind: type[Row], rows: list[Row]) -> None:
    """Insert or update rows of one kind."""
    postgresql = connection.dialect.name == "postgresql"
    statement = _statement(TABLE_OF[kind], postgresql)
    for start in range(0, len(rows), _CHUNK):
        some = rows[start : start + _CHUNK]
        if postgresql:
            connection.exec_driver_sql(statement, (msgspec.json.encode(some).decode(),))
        else:
            connection.exec_driver_sql(statement, [astuple(row) for row in some])


def empty(connection: Connection) -> None:
    """Delete every row of every summary table."""
    for table in READ_MODELS:
        connection.execute(sa.delete(table))


@cache
def _statement(table: sa.Table, postgresql: bool) -> str:
    """Return the statement that inserts or updates rows.

    It has bound values on SQLite, and one JSON text on PostgreSQL. JSON takes the driver no time,
    while arrays of columns take it as long as all other work.
    """
    names = [column.name for column in table.columns]
    columns = ", ".join(names)
    if not postgresql:
        values = ", ".join("?" * len(names))
        return f"INSERT OR REPLACE INTO {table.name} ({columns}) VALUES ({values})"  # noqa: S608
    keys = [column.name for column in table.primary_key]
    others = ", ".join(f"{name} = EXCLUDED.{name}" for name in names if name not in keys)
    return (
        f"INSERT INTO {table.name} ({columns}) SELECT {columns} "  # noqa: S608 - our own names
        f"FROM json_populate_recordset(NULL::{table.name}, %s::json) "
        f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {others}"
    )
