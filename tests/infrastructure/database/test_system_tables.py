"""Any login can make all others wait for a table of the system, until somebody ends its session.

It reads the table in a transaction. A second session asks to change the table, for which it has no
right. PostgreSQL finds that out only once it has the lock, and whoever comes later waits behind it.
"""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import psycopg
import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import BadInput, Unavailable
from sabot.infrastructure.database import database as database_module
from sabot.infrastructure.database import engines
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.database_urls import database_url
from sabot.infrastructure.database.roles import AUDITOR, secure
from sabot.infrastructure.log import patient_log
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.patient_log import PatientLog
from tests.infrastructure.database.test_append_only import user_of
from tests.infrastructure.log.test_patient_log import hang_up, until
from tests.support.postgres_urls import impatient
from tests.support.thorough import a_part

OPENED = NewEvent("shoe/A", ev.CoupOpened(1))
CLOSED = [OPENED, NewEvent("shoe/A", ev.CoupClosed(1))]
OF_DATABASE, OF_SERVER = ("pg_class", "pg_proc"), ("pg_authid", "pg_database")
WAITING = "SELECT count(*) FROM pg_lock_status() WHERE NOT granted AND mode = 'AccessExclusiveLock'"
FIND = "SELECT pid, pg_blocking_pids"


@pytest.fixture
def auditor(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of an auditor of a log. Writers wait for seconds only."""
    monkeypatch.setattr(engines, "CONNECT_SECONDS", 2)
    monkeypatch.setattr(engines, "_ASK_SECONDS", 2)
    monkeypatch.setattr(database_module, "_HURRY_SECONDS", 1)
    with EventLog.open(postgres_url) as log:
        secure(log.engine)
    with user_of(postgres_url, AUDITOR) as url:
        yield url


@contextmanager
def locked(url: str, *tables: str) -> Iterator[str]:
    """Make everybody wait for these tables. Yield what a message has to say of the session."""
    with ExitStack() as stack:
        seen = stack.enter_context(psycopg.connect(url, autocommit=True))
        seen.execute(WAITING)
        changers = [stack.enter_context(psycopg.connect(url)) for _ in tables]
        reader = stack.enter_context(psycopg.connect(url, application_name="a report"))
        threads = []
        for table in tables:
            reader.execute(f"PREPARE read_{table} AS SELECT 1 FROM {table}".encode())
        for number, (changer, table) in enumerate(zip(changers, tables, strict=True), 1):
            threads.append(threading.Thread(target=change, args=(changer, table)))
            threads[-1].start()
            until(lambda due=number: seen.execute(WAITING).fetchone() == (due,))
        try:
            yield f"session {reader.info.backend_pid} of login .* \\(a report\\) holds the lock"
        finally:
            reader.rollback()
            for thread in threads:
                thread.join()


def change(session: psycopg.Connection, table: str) -> None:
    with suppress(psycopg.errors.InsufficientPrivilege):
        session.execute(f"CREATE RULE mine AS ON INSERT TO {table} DO NOTHING".encode())


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


@pytest.mark.parametrize("table", a_part([*OF_DATABASE, *OF_SERVER], of=3))
def test_a_new_writer_says_why_it_cannot_connect(
    postgres_url: str, auditor: str, table: str
) -> None:
    """Where a connection to another database of the server waits too, the message has a query."""
    with (
        locked(auditor, table) as session,
        within(20),
        pytest.raises(BadInput, match="did not complete the connection") as refused,
    ):
        EventLog.open(postgres_url)
    refused.match(session if table in OF_DATABASE else FIND)
    EventLog.open(postgres_url).close()


@pytest.mark.parametrize("table", a_part([*OF_DATABASE, *OF_SERVER], of=3))
def test_a_running_writer_goes_on_and_ends(postgres_url: str, auditor: str, table: str) -> None:
    log = EventLog.open(impatient(postgres_url, 300))
    log.append(CLOSED)
    log.append([OPENED])
    with locked(auditor, table):
        assert log.append([OPENED])[0].index == 4
        with within(20):
            log.close()


def test_a_running_writer_names_the_session_that_locks_the_log_too(
    postgres_url: str, auditor: str
) -> None:
    log = EventLog.open(impatient(postgres_url, 300))
    log.append([OPENED])
    used = tuple(log.database._connections)
    with locked(auditor, "log_event", "pg_class") as session:
        with within(15), pytest.raises(Unavailable, match=session):
            log.append([OPENED])
        assert set(used) <= log.database._connections
        with within(15):
            log.close()


def test_nobody_is_named_as_ended_if_it_cannot_be_asked(postgres_url: str, auditor: str) -> None:
    with EventLog.open(impatient(postgres_url, 300)) as log:
        log.append([OPENED])
        with locked(auditor, "log_event", "pg_database") as session:
            with pytest.raises(Unavailable, match="the log is locked") as refused:
                log.append([OPENED])
            assert "just ended" not in str(refused.value)
            refused.match(f"{session}|{FIND}")


@pytest.mark.usefixtures("auditor")
def test_an_end_by_a_signal_waits_for_nobody(postgres_url: str) -> None:
    """The checkpoint of the last event is not written."""
    with psycopg.connect(postgres_url) as other:
        log = EventLog.open(postgres_url)
        log.append([OPENED])
        other.execute("LOCK TABLE evidence_checkpoint IN ACCESS EXCLUSIVE MODE")
        with within(5), pytest.raises(KeyboardInterrupt), log:
            raise KeyboardInterrupt
        assert "no checkpoint" in log.checkpoints.problem
    with EventLog.open(postgres_url) as log:
        assert log.head() == log.checkpoints.write() == 1


def test_who_waits_for_a_lost_server_says_what_for(
    postgres_url: str, auditor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_log, "CHANGED_SECONDS", 0)
    told: list[str] = []
    with EventLog.open(impatient(postgres_url, 300)) as log:
        patient = PatientLog(log, told.append)
        patient.append([OPENED])
        thread = threading.Thread(target=patient.append, args=([OPENED],))
        with locked(auditor, "pg_class") as session:
            hang_up(log)
            thread.start()
            until(lambda: len(told) == 2)
        thread.join()
        assert log.head() == 2
    assert told[-1] == "the database is back; going on"
    assert re.search(session, told[1])


@pytest.mark.parametrize(
    ("wanted", "due"), [("", "2"), ("0", "2"), ("600", "2"), ("1", "1"), ("soon", "soon")]
)
def test_nobody_makes_a_connection_wait_longer(wanted: str, due: str) -> None:
    assert engines._shorter(wanted, 2) == due


def test_an_append_ends_within_a_minute(postgres_url: str) -> None:
    with EventLog.open(postgres_url) as log:
        log.append([OPENED])
        assert log.database.fetch("SHOW statement_timeout") == [(engines.APPEND_TIMEOUT,)]
    reading = Database(database_url(postgres_url))
    assert reading.fetch("SHOW statement_timeout") == [("0",)]
    reading.close()
    assert int(engines.APPEND_TIMEOUT.removesuffix("s")) < 60
    assert engines.CONNECT_SECONDS * 3 < 60


def test_an_append_that_takes_too_long_names_the_session(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "PINNED_APPEND", "SET statement_timeout = '300ms'")
    with EventLog.open(postgres_url) as log, psycopg.connect(postgres_url) as other:
        other.execute("LOCK TABLE log_event IN SHARE MODE")
        with pytest.raises(Unavailable, match=f"session {other.info.backend_pid} of login"):
            log.append([OPENED])
        other.rollback()
        log.append([OPENED])
        with pytest.raises(Unavailable, match="canceling statement due to statement timeout"):
            log.database.fetch("SELECT pg_sleep(1)")
