"""Sessions of PostgreSQL use the log's own isolation and durability settings."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from subprocess import CompletedProcess

import psycopg
import pytest
from sqlalchemy.engine import make_url

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import Unavailable
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.database_urls import database_url
from sabot.infrastructure.log.event_log import EventLog
from tests.conftest import OwnPostgres
from tests.infrastructure.database.test_append_only import user_of
from tests.support.for_each import for_each
from tests.support.postgres_urls import with_options
from tests.support.programs import SABOT, run_program
from tests.support.thorough import slow

ROOT = Path(__file__).parents[3]


def draft(writer: int, number: int) -> NewEvent:
    return NewEvent(f"shoe/{writer}", ev.CoupOpened(number), device=f"cam-{writer}", seq=number)


def configure(url: str, **settings: str) -> None:
    """Set what the sessions of this database begin with."""
    name = make_url(url).database
    with psycopg.connect(url, autocommit=True) as connection:
        for key, value in settings.items():
            connection.execute(f"ALTER DATABASE {name} SET {key} = '{value}'")


def settings_of(database: Database, *names: str) -> list[tuple[object, ...]]:
    """Return these settings in a session of each engine, behind a transaction rolled back."""
    found = []
    asked = ", ".join(f"current_setting('{name}')" for name in names)
    for engine in (database.engine, database.statements):
        with engine.connect() as connection:
            connection.exec_driver_sql("SELECT 1")
            connection.rollback()
            found.append(tuple(connection.exec_driver_sql(f"SELECT {asked}").one()))
    return found


ISOLATION = ("transaction_isolation", "default_transaction_isolation")


@pytest.mark.parametrize("where", ["database", "url", "environment"])
@for_each("weaker, read_only", product(["off", "local", "remote_write"], [False, True]))
def test_who_configures_a_session_makes_it_no_weaker(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, where: str, weaker: str, *, read_only: bool
) -> None:
    options = f"-c synchronous_commit={weaker} -c default_transaction_isolation=serializable"
    url = postgres_url
    if where == "database":
        configure(url, synchronous_commit=weaker, default_transaction_isolation="repeatable read")
    elif where == "url":
        url = with_options(url, options)
    else:
        monkeypatch.setenv("PGOPTIONS", options)
    database = Database.open(url, read_only=read_only)
    found = settings_of(database, "synchronous_commit", *ISOLATION)
    database.close()
    assert found == [("on", "read committed", "read committed")] * 2


@pytest.mark.parametrize("where", ["role", "database", "url", "environment"])
@for_each(
    ("said", "due"),
    [("10min", "25s"), ("0", "25s"), ("26000", "25s"), ("100", "100ms"), ("2s", "2s")],
)
def test_nobody_makes_a_session_wait_longer_for_a_lock(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, where: str, said: str, due: str
) -> None:
    with ExitStack() as stack:
        url = postgres_url
        if where == "role":
            url = stack.enter_context(user_of(postgres_url))
            with psycopg.connect(url, autocommit=True) as session:
                session.execute(f"ALTER ROLE CURRENT_USER SET lock_timeout = '{said}'".encode())
        elif where == "database":
            configure(url, lock_timeout=said)
        elif where == "url":
            url = with_options(url, f"-c lock_timeout={said}")
        else:
            monkeypatch.setenv("PGOPTIONS", f"-c lock_timeout={said}")
        database = Database(database_url(url))
        assert settings_of(database, "lock_timeout") == [(due,)] * 2
        database.close()


def test_a_session_that_waits_for_more_goes_on_waiting(postgres_url: str) -> None:
    configure(postgres_url, synchronous_commit="remote_apply")
    database = Database.open(postgres_url)
    assert settings_of(database, "synchronous_commit") == [("remote_apply",)] * 2
    database.close()


@pytest.mark.parametrize("where", ["url", "environment"])
def test_other_options_hold_for_who_writes_and_who_reads(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    options, url = "-c work_mem=7MB -c default_transaction_read_only=off", postgres_url
    if where == "url":
        url = with_options(url, options)
    else:
        monkeypatch.setenv("PGOPTIONS", options)
    for read_only, said in ((False, "off"), (True, "on")):
        database = Database.open(url, read_only=read_only)
        assert settings_of(database, "work_mem", "transaction_read_only") == [("7MB", said)] * 2
        database.close()
    with EventLog.open(url, read_only=True) as log, pytest.raises(Unavailable, match="read-only"):
        log.append([draft(1, 1)])


@slow
def test_writers_take_turns_whatever_their_role_reads(postgres_url: str) -> None:
    configure(postgres_url, default_transaction_isolation="repeatable read")
    writers, events = 8, 20

    def write(writer: int) -> None:
        with EventLog.open(postgres_url) as log:
            for number in range(1, events + 1):
                log.append([draft(writer, number)])
            log.load([[draft(writer, number) for number in range(events + 1, events + 3)]])

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))
    with EventLog.open(postgres_url) as log:
        log.check()
        assert log.head() == writers * (events + 2)


@slow
def test_a_crash_loses_nothing_that_was_acknowledged(own_postgres: OwnPostgres) -> None:
    """The role asks for less; the server's own writer of its WAL comes too late for all of it."""
    EventLog.open(own_postgres.url).close()
    with psycopg.connect(own_postgres.url, autocommit=True) as connection:
        connection.execute("ALTER ROLE postgres SET synchronous_commit = off")
        connection.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
        connection.execute("SELECT pg_reload_conf()")
    with EventLog.open(own_postgres.url) as log:
        for number in range(1, 31):
            acknowledged = log.append([draft(1, number)])[0].index
        own_postgres.crash()
    own_postgres.start()
    with EventLog.open(own_postgres.url) as log:
        log.check()
        assert log.head() == acknowledged == 30


# -- A server that may lose what it acknowledged ---------------------------------------------


def switch_off(server: OwnPostgres, name: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"ALTER SYSTEM SET {name} = off")
        connection.execute("SELECT pg_reload_conf()")
        while connection.execute(f"SHOW {name}").fetchone() != ("off",):
            time.sleep(0.01)  # the server reads its configuration in its own time


def sabot(url: str, *words: str) -> CompletedProcess[str]:
    done = run_program([*SABOT, *words, "--database", url], said="")
    done.check_returncode()
    return done


def test_a_server_that_may_lose_events_is_warned_of(own_postgres: OwnPostgres) -> None:
    with EventLog.open(own_postgres.url) as log:
        assert log.database.warnings == ()
    switch_off(own_postgres, "full_page_writes")
    with EventLog.open(own_postgres.url) as log:
        (warning,) = log.database.warnings
        assert "full_page_writes = off" in warning
    switch_off(own_postgres, "fsync")
    for words in (("record",), ("store", "info"), ("shoes",)):
        done = sabot(own_postgres.url, *words)
        said = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
        assert [line.split(",")[0] for line in said] == [
            f"sabot: warning: the PostgreSQL server runs with {name} = off"
            for name in ("fsync", "full_page_writes")
        ], words
        assert "warning" not in done.stdout


def test_a_durable_store_is_not_warned_of(log: EventLog) -> None:
    assert log.database.warnings == ()
    said = sabot(log.database.url.render_as_string(hide_password=False), "store", "info")
    assert "the PostgreSQL server" not in said.stderr
