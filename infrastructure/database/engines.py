"""SQLAlchemy engines for SQLite and PostgreSQL: drivers, pools and transactions."""

import os
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Dialect, Engine
from sqlalchemy.pool import QueuePool

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.blocking_session import (
    CATALOG_LOCK,
    FIND_CATALOG_LOCK,
    one_session,
)
from sabot.infrastructure.database.driver_errors import TOO_LONG, first_line, sqlstate
from sabot.infrastructure.database.sqlite_files import (
    PATIENCE_SECONDS,
    LogFiles,
    WatchedConnection,
    can_be_locked,
    readable_path,
)

if TYPE_CHECKING:
    import psycopg

LOCK_TIMEOUT: Final = "25s"
"""A wait for one lock ends after this time."""
APPEND_TIMEOUT: Final = "45s"
"""An append ends after this time, even if it waited for several locks: with the question who holds
one, less than a minute in all."""
CONNECT_SECONDS = 15
"""So long a new connection to each address of a server may take, and then its settings."""
_ASK_SECONDS: Final = 3
_GAVE_UP: Final = ("server closed the connection", "canceling ")
"""What the error of a connection says that the server gave up; it has no error code."""


def driver_of(connection: Connection) -> Any:  # noqa: ANN401 - the drivers have no common type
    """Return the connection of the database driver, to avoid the overhead of SQLAlchemy."""
    return connection.connection.driver_connection


def cut_off(connection: "psycopg.Connection") -> None:
    """Shut down the connection to a server. Whoever waits for an answer gets an error."""
    # the driver refuses to name the socket of a closed connection
    with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


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
# for less. A shorter time-out is kept; nobody can make a writer wait longer in silence.
def _at_most(setting: str, most: str) -> str:
    return f"""set_config('{setting}',
                      CASE WHEN current_setting('{setting}')::interval BETWEEN '1ms' AND '{most}'
                        THEN current_setting('{setting}') ELSE '{most}' END, false)"""


_PINNED: Final = f"""
    SELECT set_config('default_transaction_isolation', 'read committed', false),
           set_config('synchronous_commit',
                      CASE current_setting('synchronous_commit')
                        WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
           {_at_most("lock_timeout", LOCK_TIMEOUT)},
           set_config('application_name',
                      CASE current_setting('application_name')
                        WHEN '' THEN 'sabot' ELSE current_setting('application_name') END, false)
"""
_PINNED_READ_ONLY: Final = f"{_PINNED}, set_config('default_transaction_read_only', 'on', false)"
PINNED_APPEND: Final = f"SELECT {_at_most('statement_timeout', APPEND_TIMEOUT)}"
"""Limits each statement of a session that appends."""


def postgresql_engine(
    url: URL,
    *,
    read_only: bool,
    statements: bool = False,
    seconds: Callable[[], int] = lambda: CONNECT_SECONDS,
) -> Engine:
    """Create an engine for PostgreSQL, for transactions or for single statements.

    Sessions use read committed isolation, and a commit is on the server's disk before it is
    acknowledged. A wait for a lock ends with an error. If the database does not store text as
    UTF-8, connecting raises BadInput.

    Args:
        url: the server and its database.
        read_only: refuse to write.
        statements: make each statement a transaction.
        seconds: returns how long connecting to one address of the server may take now.
    """
    how: dict[str, Any] = (
        {"isolation_level": "AUTOCOMMIT", "pool_reset_on_return": None} if statements else {}
    )
    # the log has no column of type hstore, for which each new connection would look
    engine = sa.create_engine(
        url, use_native_hstore=False, connect_args={"client_encoding": "utf8"}, **how
    )

    @event.listens_for(engine, "do_connect")
    def connect(
        dialect: Dialect, _record: object, given: list[Any], named: dict[str, Any]
    ) -> "psycopg.Connection":
        most = seconds()
        named["connect_timeout"] = _shorter(named.get("connect_timeout"), most)
        with _start_explained(engine, ask=most == CONNECT_SECONDS):
            settings = _PINNED_READ_ONLY if read_only else _PINNED
            return _pinned(dialect.connect(*given, **named), settings, most)

    return engine


def _shorter(wanted: str | None, most: int) -> str:
    """Return the time-out that a user wants for connections, at most some seconds."""
    wanted = wanted or os.environ.get("PGCONNECT_TIMEOUT") or str(most)
    # 0 is not a limit, and the driver refuses what is not a number
    return str(most) if wanted.isdecimal() and not 0 < int(wanted) < most else wanted


def _pinned(made: object, settings: str, seconds: int) -> "psycopg.Connection":
    connection = cast("psycopg.Connection", made)
    try:
        _check_encoding(connection)
        autocommit = connection.autocommit
        connection.autocommit = True  # a rollback would undo a setting made in a transaction
        # a setting of a time-out is made without a look at any table
        limited = f"SET statement_timeout = '{seconds}s'; {settings}; RESET statement_timeout"
        connection.execute(limited.encode())
        connection.autocommit = autocommit
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _start_explained(engine: Engine, *, ask: bool) -> Iterator[None]:
    """Add to the error of a connection that did not come about who may have prevented it."""
    driver: Any = engine.dialect.loaded_dbapi
    try:
        yield
    except driver.OperationalError as error:
        said = first_line(error)
        waited = isinstance(error, driver.errors.ConnectionTimeout) or sqlstate(error) in TOO_LONG
        if not (waited or any(sign in said for sign in _GAVE_UP)):
            raise
        found = ask_elsewhere(engine) if ask else []
        who = one_session(*found[0]) if found else FIND_CATALOG_LOCK
        raise driver.OperationalError(
            f"the server did not complete the connection ({said}); {who}"
        ) from error


def ask_elsewhere(engine: Engine) -> list[tuple[Any, ...]]:
    """Return the rows of the query `CATALOG_LOCK`: the session that has locked a system catalog.

    The query runs in the database ``postgres``, since most catalogs belong to one database. Returns
    no rows if this login may not connect to it, or the query fails.
    """
    driver: Any = engine.dialect.loaded_dbapi
    other = engine.url.set(database="postgres")
    other = other.update_query_dict({"connect_timeout": str(_ASK_SECONDS)})
    given, named = engine.dialect.create_connect_args(other)
    try:
        with cast("psycopg.Connection", engine.dialect.connect(*given, **named)) as connection:
            connection.execute(f"SET statement_timeout = '{_ASK_SECONDS}s'".encode())
            return connection.execute(CATALOG_LOCK.encode()).fetchall()
    except driver.Error:
        return []


def server_is_down(url: URL) -> bool:
    """Return whether no PostgreSQL server takes connections at an address.

    A server that starts or stops takes none. One that refuses a login is not down, and a SQLite
    file has no server.
    """
    if url.drivername == "sqlite":
        return False
    dialect = url.get_dialect()()
    driver: Any = dialect.import_dbapi()
    given, named = dialect.create_connect_args(url)
    named["connect_timeout"] = _shorter(named.get("connect_timeout"), CONNECT_SECONDS)
    try:
        address = driver.conninfo.make_conninfo(*given, **named)
    except driver.ProgrammingError:  # the URL has an unknown option
        return False
    ping = driver.pq.Ping
    return driver.pq.PGconn.ping(address.encode()) in {ping.REJECT, ping.NO_RESPONSE}


def _check_encoding(connection: "psycopg.Connection") -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        name = connection.info.dbname
        raise BadInput(
            f"the database {name} has the encoding {encoding}, in which events "
            "cannot be kept; make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
