"""The log's database: one SQLite file, or PostgreSQL by URL.

A transaction either reads or writes, as declared at its beginning. On SQLite a writing transaction
locks at once (``BEGIN IMMEDIATE``), so it never fails midway because the data it read is stale.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError

from sabot.domain.values.errors import BadInput, Unavailable, UntrustedLog
from sabot.infrastructure.database import engines
from sabot.infrastructure.database.blocking_session import (
    what_waited,
    who_blocks,
)
from sabot.infrastructure.database.dangers import server_dangers, warnings
from sabot.infrastructure.database.database_urls import (
    ENVIRONMENT,
    MEMORY,
    database_url,
    shown_url,
    without_secrets,
)
from sabot.infrastructure.database.driver_errors import (
    LOCK_NOT_AVAILABLE,
    NO_RIGHT,
    NOT_SAVED,
    TOO_LONG,
    disk_trouble,
    first_line,
    sqlstate,
    unavailable,
)
from sabot.infrastructure.database.engines import (
    PINNED_APPEND,
    cut_off,
    driver_of,
    postgresql_engine,
    sqlite_engine,
)
from sabot.infrastructure.database.schema import REVISION_TABLE
from sabot.infrastructure.database.sqlite_files import (
    WatchedConnection,
    not_writable_beside,
    remove_left_over,
    tables_in,
)
from sabot.infrastructure.files.text_input import check_regular

_MIGRATIONS: Final = Path(__file__).parents[1] / "migrations"


class Database:
    """The log's database and its connections.

    ``engine`` is for transactions that read, `writing` begins one that writes. On PostgreSQL
    ``statements`` runs single statements without a transaction, which saves the round trips of
    begin and commit. An in-memory database has one connection, so a nested transaction would
    deadlock.

    Attributes:
        warnings: sentences about dangers to acknowledged events, such as server settings or a
            second name of a SQLite file; filled by `open`.
    """

    def __init__(self, url: URL, *, read_only: bool = False, create: bool = True) -> None:
        self.url = url
        self.read_only = read_only
        self.creates = create and not read_only
        self.is_sqlite = url.drivername == "sqlite"
        if self.is_sqlite:
            in_memory = url.database == MEMORY
            self.engine = sqlite_engine(url, read_only=read_only, in_memory=in_memory)
            self.statements = self.engine
        else:
            self.engine = postgresql_engine(url, read_only=read_only, seconds=self._seconds)
            self.statements = postgresql_engine(
                url, read_only=read_only, statements=True, seconds=self._seconds
            )
        self._writer = self.engine.execution_options(sabot_writes=True)
        self.warnings: tuple[str, ...] = ()
        self._connections: set[Any] = set()
        self._sessions: set[int] = set()
        self._server_began = ""
        self._hurries = False
        for engine in {self.engine, self.statements}:
            sa.event.listen(engine, "connect", self._connected)
            sa.event.listen(engine, "close", lambda gone, _: self._connections.discard(gone))

    @classmethod
    def open(
        cls, text: str | None = None, *, read_only: bool = False, create: bool = True
    ) -> "Database":
        """Open the database and bring its schema up to date.

        Args:
            text: as in `database_url`.
            read_only: refuse to write.
            create: create the log if there is none and it may be written.

        Raises:
            BadInput: there is no such database, or it is not a log of this program.
        """
        database = cls(database_url(text), read_only=read_only, create=create)
        try:
            database.look()
            migrate(database)
            database.warnings = tuple(warnings(database.fetch, is_sqlite=database.is_sqlite))
        except (DBAPIError, Unavailable) as error:
            database.close()
            cause = error if isinstance(error, DBAPIError) else error.__cause__
            reason = cause.orig if isinstance(cause, DBAPIError) else error
            raise BadInput(
                f"the log at {database} cannot be opened: {database._said(reason)}"
                f"{database._beside()}; check --database or {ENVIRONMENT}"
            ) from error
        except BaseException:
            database.close()
            raise
        return database

    def look(self) -> None:
        """Check that a SQLite log is a regular file, and that a log to be read exists.

        SQLite would wait forever at a named pipe. A new file is created so that only its owner can
        read it.

        Raises:
            BadInput: the file is a folder, a pipe or a device, or is missing.
        """
        place = self.url.database
        if not self.is_sqlite or place == MEMORY or not place or place.startswith("file:"):
            return
        try:
            check_regular(place)
        except (FileNotFoundError, NotADirectoryError):
            there = False
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise BadInput(
                f"the log at {place[:200]} cannot be opened: {reason}; check --database or "
                f"{ENVIRONMENT}"
            ) from error
        else:
            there = self._is_log(Path(place))
        if self.creates and not there:
            if Path(place).is_symlink():
                raise BadInput(f"{place} is a link to a file that does not exist; name the file")
            with suppress(OSError):  # SQLite says why it cannot be made
                os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        if not self.creates and not there:
            raise BadInput(
                f"there is no log at {place}; check --database or {ENVIRONMENT}. `sabot demo` "
                "makes one to look at; `sabot deal`, `sabot record` and `sabot import FILE` "
                "begin one"
            )

    def _is_log(self, place: Path) -> bool:
        """Return whether a file is a log, or is empty and may become one.

        Its content is not changed.

        Raises:
            BadInput: the file is opened to be written, but is a database of another program.
        """
        if self.read_only:
            return True
        if not place.stat().st_size:
            if self.creates:
                with suppress(OSError):
                    place.chmod(0o600)
            return self.creates
        tables = tables_in(place)
        if tables and REVISION_TABLE not in tables:
            raise BadInput(
                f"{place} is a database of another program, with the table {min(tables)!r}; name "
                "another file"
            )
        return True

    def __str__(self) -> str:
        """Return the location for display, without a password."""
        if self.is_sqlite:
            return str(self.url.database)
        return shown_url(self.url)

    def _beside(self) -> str:
        place = self.url.database
        is_file = self.is_sqlite and place and place != MEMORY
        return not_writable_beside(Path(place)) if is_file and place else ""

    def _said(self, error: BaseException | None) -> str:
        """Return the first line of a database error, without passwords."""
        return without_secrets(self.url, first_line(error))

    def check_files(self) -> None:
        """Check that a SQLite log's open files are in place.

        Raises:
            UntrustedLog: one of them was removed, renamed or replaced.
        """
        for connection in tuple(self._connections):
            if isinstance(connection, WatchedConnection):
                connection.check_files()

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Translate database errors to those of Sabot.

        First it is checked whether the files of the database are gone.
        """
        try:
            with unavailable(self.engine):
                yield
        except (Unavailable, UntrustedLog) as error:
            self.check_files()
            if explained := self._explained(getattr(error.__cause__, "orig", None)):
                raise Unavailable(explained + ("" if self.read_only else NOT_SAVED)) from error
            if self.read_only and str(error).endswith(NOT_SAVED):
                raise type(error)(str(error).removesuffix(NOT_SAVED)) from error
            raise

    def _explained(self, cause: BaseException | None) -> str:
        """Return what to do about an error of the driver, or an empty text."""
        if sqlstate(cause) in TOO_LONG:
            locked = sqlstate(cause) == LOCK_NOT_AVAILABLE
            elsewhere = partial(engines.ask_elsewhere, self.engine)
            who = who_blocks(self._asked, elsewhere, what_waited(cause), locked=locked)
            if who:
                return f"the log is locked: {who}"
        if trouble := disk_trouble(cause, self.url.database if self.is_sqlite else None):
            return trouble
        if isinstance(cause, sqlite3.OperationalError) and (beside := self._beside()):
            return f"the database failed: {first_line(cause)}{beside}"
        return ""

    def _asked(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]] | None:
        """Return the rows of a query that explains an error, or None if it fails or waits."""
        try:
            with unavailable(self.engine), self.statements.connect() as connection:
                driver = driver_of(connection)
                with driver.transaction(force_rollback=True):
                    driver.execute(_SOON)
                    rows: list[tuple[Any, ...]]
                    rows = driver.execute(query.replace("?", "%s"), values).fetchall()
                    return rows
        except (Unavailable, UntrustedLog):
            return None

    def dangers(self) -> list[str]:
        """Return a sentence for each way in which other logins can hinder writers."""
        return [] if self.is_sqlite else server_dangers(self.fetch)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a reading transaction."""
        with self.guarded(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Begin a writing transaction. It commits at the end, or rolls back."""
        with self.guarded(), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def appending(self) -> Iterator[Connection]:
        """Begin the transaction of one append."""
        if self.is_sqlite:
            with self.writing() as connection:
                yield connection
        else:
            with self._statement() as connection:
                yield connection

    def fetch(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query as plain driver tuples.

        Placeholders are question marks. SQLAlchemy rows would take as long as decoding the events.
        """
        with self._statement() as connection:
            driver = driver_of(connection)
            if self.is_sqlite:
                found = driver.execute(query, values)
            else:
                # binary results need no parsing of digits
                bound = list(map(_bindable, values))
                found = driver.execute(query.replace("?", "%s"), bound, binary=True)
            rows: list[tuple[Any, ...]] = found.fetchall()
            return rows

    def call(self, query: str, values: tuple[object, ...]) -> tuple[Any, ...]:
        """Run a function of a PostgreSQL server as a transaction, and return the row of its result.

        It calls the driver directly, which is faster than SQLAlchemy with a new cursor.
        """
        with self.guarded():
            pooled = self.statements.raw_connection()
            try:
                cursor = pooled.info.get("sabot_cursor")
                if cursor is None:
                    cursor = pooled.cursor()
                    cursor.execute(PINNED_APPEND)
                    pooled.info["sabot_cursor"] = cursor
                cursor.execute(query, values)
                row = cursor.fetchone()
            except self.engine.dialect.loaded_dbapi.OperationalError as error:
                if sqlstate(error) not in TOO_LONG:
                    pooled.invalidate()  # it may be broken, which the pool does not notice
                raise
            finally:
                pooled.close()
        assert row is not None
        return tuple(row)

    @contextmanager
    def _statement(self) -> Iterator[Connection]:
        with self.guarded(), self.statements.connect() as connection:
            try:
                yield connection
            except self.engine.dialect.loaded_dbapi.OperationalError as error:
                if sqlstate(error) not in TOO_LONG:
                    connection.invalidate()  # it may be broken, which the pool does not notice
                raise

    def analyze(self) -> None:
        """Update the statistics with which PostgreSQL plans queries, after many events were added.

        With old statistics, PostgreSQL reads the whole table to find the last few events. If the
        login may not update them, PostgreSQL does so itself some time later.
        """
        if not self.is_sqlite:
            with suppress(Unavailable), self.writing() as connection:
                connection.exec_driver_sql("ANALYZE log_event")

    def _connected(self, made: object, _record: object) -> None:
        self._connections.add(made)
        if session := getattr(made, "info", None):  # a connection of SQLite has none
            self._sessions.add(session.backend_pid)

    def renew(self) -> None:
        """Connect again after a connection was lost.

        A session of the server may continue after its connection was lost, and commit later. So the
        former sessions are ended first, unless the server itself was restarted.

        Raises:
            Unavailable: the server cannot be reached yet, or a session does not end.
        """
        if self.is_sqlite:
            return
        self.engine.dispose()
        self.statements.dispose()
        former = self._sessions.copy()
        (began,) = self.fetch("SELECT pg_postmaster_start_time()::text")[0]
        if began == self._server_began:
            ended = self.fetch(_END_SESSIONS, (list(former),))
            if not all(done for (done,) in ended):
                raise Unavailable("a former session of this process does not end")
        self._server_began = began
        self._sessions -= former

    def _seconds(self) -> int:
        return _HURRY_SECONDS if self._hurries else engines.CONNECT_SECONDS

    @contextmanager
    def hurrying(self) -> Iterator[float | None]:
        """Let nothing in the block wait long for a server, in this thread or another.

        After some seconds every connection is cut, and what was not committed by then is lost.

        Yields:
            the number of seconds after which other threads have stopped; None for SQLite, which
            waits for no server.
        """
        if self.is_sqlite:
            yield None
            return
        self._hurries = True
        timer = threading.Timer(
            _HURRY_SECONDS, lambda: list(map(cut_off, self._connections.copy()))
        )
        timer.start()
        try:
            yield _HURRY_SECONDS + 1
        finally:
            timer.cancel()

    def close(self) -> None:
        """Close every connection, including those not returned to the pool."""
        self.engine.dispose()
        self.statements.dispose()
        while self._connections:
            self._connections.pop().close()
        place = self.url.database
        if self.is_sqlite and self.read_only and place and place != MEMORY:
            remove_left_over(Path(place))


_SOON: Final = "SET LOCAL lock_timeout = '2s'"
_HURRY_SECONDS: Final = 2

_NO_NAME: Final = "\uffff" * 200  # longer than any name of the log


def _bindable(value: object) -> object:
    """Return a value that PostgreSQL can compare with its texts, none of which has a NUL.

    An event of a former version, or that its owner inserted, may name a table with one.
    """
    return _NO_NAME if isinstance(value, str) and "\0" in value else value


# Any role may end the sessions of its own login.
_END_SESSIONS: Final = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE pid = ANY(?) AND pid <> pg_backend_pid() AND usename = session_user
"""

_HAS_LOG: Final = {
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE name = :log",
    # to_regclass answers from a cache, also after another session made the table
    "postgresql": "SELECT count(*) FROM pg_class WHERE relname = :log AND pg_table_is_visible(oid)",
}


def newest_revision() -> str:
    """Return the schema revision of this program."""
    files = (_MIGRATIONS / "versions").iterdir()
    return max(path.name[:4] for path in files if path.name[0].isdigit())


def revision(connection: Connection) -> str | None:
    """Return the schema revision of a database. None if it holds no log."""
    has_log = sa.text(_HAS_LOG[connection.dialect.name])
    if not connection.execute(has_log, {"log": REVISION_TABLE}).scalar():
        return None
    return connection.execute(sa.text(f"SELECT version_num FROM {REVISION_TABLE}")).scalar()  # noqa: S608 - a constant


def migrate(database: Database) -> None:
    """Bring the schema up to date.

    If several processes try at once, the second finds the work done. A role without the right to
    create tables can open a log whose schema is current.

    Raises:
        BadInput: the log belongs to a newer program, is missing and may not be created, or is older
            and opened read-only or by a login that may not change tables.
    """
    newest = newest_revision()
    with database.reading() as connection:
        found = revision(connection)
    if found == newest:
        return
    if found is not None and found > newest:
        raise BadInput(
            f"the log at {database} was written by a newer Sabot (schema {found}, here {newest}); "
            "install that one"
        )
    if found is None and not database.creates:
        raise BadInput(
            f"there is no log at {database}; `sabot deal` or `sabot import FILE` begins one"
        )
    who = "" if database.is_sqlite else " as the owner of the database"
    older = BadInput(
        f"the log at {database} is of an older Sabot (schema {found}, here {newest}); run "
        f"`sabot store migrate`{who}, which brings it up to date"
    )
    if database.read_only:
        raise older
    try:
        _upgrade(database, newest)
    except Unavailable as error:
        if found is not None and sqlstate(getattr(error.__cause__, "orig", None)) == NO_RIGHT:
            raise older from error
        raise


def _upgrade(database: Database, newest: str) -> None:
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql(
                "SELECT pg_advisory_xact_lock(hashtext('sabot'), hashtext('migrate'))"
            )
        present = revision(connection)
        if present is None:
            _check_empty(database, connection)
        if present != newest:
            upgrade(connection)


def _check_empty(database: Database, connection: Connection) -> None:
    if tables := sa.inspect(connection).get_table_names():
        raise BadInput(
            f"the database {database} is of another program, with the table {min(tables)!r}; make "
            "a new database"
        )


def upgrade(connection: Connection) -> None:
    """Run the migrations that the current schema lacks, within the open transaction."""
    from alembic import command  # noqa: PLC0415 - 0.3 s that a log in daily use does without
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    # Alembic expands % in options; a path may hold one.
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
