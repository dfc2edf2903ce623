"""SQLAlchemy engines for SQLite and PostgreSQL: drivers, pools and transactions."""

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Dialect, Engine
from sqlalchemy.pool import QueuePool

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.sqlite_files import (
    PATIENCE_SECONDS,
    LogFiles,
    WatchedConnection,
    can_be_locked,
    readable_path,
)

if TYPE_CHECKING:
    import psycopg

# An append on PostgreSQL may wait for two locks, one after the other: less than a minute in all.
LOCK_TIMEOUT: Final = "25s"


def driver_of(connection: Connection) -> Any:  # noqa: ANN401 - the drivers have no common type
    """Return the connection of the database driver, to avoid the overhead of SQLAlchemy."""
    return connection.connection.driver_connection


def sqlite_engine(url: URL, *, read_only: bool, in_memory: bool) -> Engine:
    """Create an engine for SQLite, in a file or memory.

    Raises:
        BadInput: this Python's SQLite is too old.
    """
    if sqlite3.sqlite_version_info < (3, 37):
        raise BadInput(
            f"SQLite {sqlite3.sqlite_version} is too old; use a Python with 3.37 or newer"
        )
    files = LogFiles(read_only=read_only)
    if read_only and not in_memory:
        path = readable_path(Path(str(url.database)).absolute())
        mode = "mode=ro" if can_be_locked(path) else "mode=ro&immutable=1"
        url = url.set(database=f"{path.as_uri()}?{mode}").update_query_dict({"uri": "true"})
        files = LogFiles(path, read_only=True)
    pool: dict[str, Any] = (
        {"poolclass": QueuePool, "pool_size": 1, "max_overflow": 0} if in_memory else {}
    )
    arguments = {
        "timeout": PATIENCE_SECONDS,
        "check_same_thread": False,
        "factory": WatchedConnection,
    }
    engine = sa.create_engine(url, connect_args=arguments, **pool)
    _watch(engine, files)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # the engine begins transactions, not the driver

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("sabot_writes", False)
        driver_of(connection).begin(writes=writes)

    return engine


def _watch(engine: Engine, files: LogFiles) -> None:
    """Make the engine open connections through `LogFiles`, which records the database's files."""

    @event.listens_for(engine, "do_connect")
    def connect(
        dialect: Dialect, _record: object, given: list[Any], named: dict[str, Any]
    ) -> WatchedConnection:
        def make() -> WatchedConnection:
            return cast("WatchedConnection", dialect.connect(*given, **named))

        return files.connect(given[0], make)


# Settings of the session override those of the server, the database, the role, PGOPTIONS and the
# URL. remote_apply waits for more than on does, so it is kept; off, local and remote_write wait
# for less. A shorter time-out for locks is kept; nobody can make a writer wait longer in silence.
_PINNED: Final = f"""
    SELECT set_config('default_transaction_isolation', 'read committed', false),
           set_config('synchronous_commit',
                      CASE current_setting('synchronous_commit')
                        WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
           set_config('lock_timeout',
                      CASE WHEN current_setting('lock_timeout')::interval
                        BETWEEN '1ms' AND '{LOCK_TIMEOUT}'
                        THEN current_setting('lock_timeout') ELSE '{LOCK_TIMEOUT}' END, false),
           set_config('application_name',
                      CASE current_setting('application_name')
                        WHEN '' THEN 'sabot' ELSE current_setting('application_name') END, false)
"""
_PINNED_READ_ONLY: Final = f"{_PINNED}, set_config('default_transaction_read_only', 'on', false)"


def postgresql_engine(url: URL, *, read_only: bool, statements: bool = False) -> Engine:
    """Create an engine for PostgreSQL, for transactions or for single statements.

    Sessions use read committed isolation, and a commit is on the server's disk before it is
    acknowledged. A wait for a lock ends with an error. If the database does not store text as
    UTF-8, connecting raises BadInput.
    """
    how: dict[str, Any] = (
        {"isolation_level": "AUTOCOMMIT", "pool_reset_on_return": None} if statements else {}
    )
    # the log has no column of type hstore, for which each new connection would look
    engine = sa.create_engine(
        url, use_native_hstore=False, connect_args={"client_encoding": "utf8"}, **how
    )

    @event.listens_for(engine, "connect")
    def pin(connection: "psycopg.Connection", _record: object) -> None:
        _check_encoding(connection)
        autocommit = connection.autocommit
        connection.autocommit = True  # a rollback would undo a setting made in a transaction
        connection.execute(_PINNED_READ_ONLY if read_only else _PINNED)
        connection.autocommit = autocommit

    return engine


def _check_encoding(connection: "psycopg.Connection") -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        name = connection.info.dbname
        connection.close()
        raise BadInput(
            f"the database {name} has the encoding {encoding}, in which events "
            "cannot be kept; make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
