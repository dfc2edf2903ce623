"""A writer that waits names the blocking session, and gives up at last."""

import logging
import sqlite3
import threading
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import psycopg
import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import BadInput, Unavailable
from sabot.infrastructure.database import dangers, sqlite_files
from sabot.infrastructure.database.engines import LOCK_TIMEOUT
from sabot.infrastructure.database.roles import AUDITOR, secure
from sabot.infrastructure.database.schema_check import schema_faults
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from tests.conftest import OwnPostgres
from tests.infrastructure.database.test_append_only import user_of
from tests.support.postgres_urls import impatient
from tests.support.thorough import each_once, slow

DRAFT = NewEvent("shoe/A", ev.CoupOpened(1))

HOLDING = {
    "the turn": "SELECT * FROM log_turn('[]')",
    "an append": """
        SELECT * FROM log_append('{"streams": ["shoe/B"], "expected": [], "now": 1, "events":
          [[1, null, "shoe-ended", null, null, "", "", null, "{\\"type\\":\\"shoe-ended\\"}"]]}')
    """,
    "the table": "LOCK TABLE log_event IN SHARE MODE",
    "the head": "LOCK TABLE log_head IN ACCESS EXCLUSIVE MODE",
}


@each_once
@pytest.mark.parametrize("held", HOLDING.values(), ids=HOLDING.keys())
@pytest.mark.parametrize("many", [False, True], ids=["append", "load"])
def test_the_session_that_holds_the_lock_is_named(
    postgres_url: str, held: str, *, many: bool
) -> None:
    with (
        EventLog.open(impatient(postgres_url)) as log,
        psycopg.connect(postgres_url, application_name="dealer's desk") as other,
    ):
        other.execute(held)
        told = rf"session {other.info.backend_pid} of login postgres \(dealer's desk\) holds the"
        with pytest.raises(Unavailable, match=told):
            log.load([[DRAFT]]) if many else log.append([DRAFT])
        other.rollback()
        assert log.append([DRAFT])[0].index == 1


CLOSED = [DRAFT, NewEvent("shoe/A", ev.CoupClosed(1))]
STORES_CHECKPOINT = "SELECT log_checkpoint(note, subtrees) FROM evidence_checkpoint"


@pytest.mark.parametrize(
    ("held", "queue"),
    [
        ("SELECT log_turn('[]')", "log_shape"),
        (HOLDING["an append"], "log_shape"),
        (STORES_CHECKPOINT, "evidence_key"),
    ],
)
@pytest.mark.parametrize("many", [False, True], ids=["append", "load"])
def test_a_session_that_takes_its_turn_again_and_again_stops_nobody(
    postgres_url: str, held: str, queue: str, *, many: bool
) -> None:
    """It ends its transaction and asks for the next turn in one message, so nobody is faster.

    The server gives a table to those who wait for it in their order, but not a row.
    """
    with (
        EventLog.open(postgres_url) as log,
        psycopg.connect(postgres_url, autocommit=True) as other,
        psycopg.connect(postgres_url, autocommit=True) as seen,
    ):
        log.append(CLOSED)
        other.execute(f"BEGIN; {held}".encode())
        write = partial(log.load, [CLOSED]) if many else partial(log.append, CLOSED)
        thread = threading.Thread(target=write)
        thread.start()
        waits = "SELECT relation::regclass::text FROM pg_locks WHERE NOT granted"
        while not (waited := seen.execute(waits).fetchall()):
            time.sleep(0.01)
        assert waited == [(queue,)]
        other.pgconn.exec_(f"COMMIT; BEGIN; {held}".encode())
        assert log.version("shoe/A") == 4
        other.execute("COMMIT")
        thread.join()
        log.checkpoints.write()
        assert log.checkpoints.problem == ""


def test_a_checkpoint_that_is_held_back_names_the_session(postgres_url: str) -> None:
    """The events are stored."""
    with (
        EventLog.open(impatient(postgres_url)) as log,
        psycopg.connect(postgres_url) as bystander,
        psycopg.connect(postgres_url) as other,
    ):
        log.append(CLOSED)
        bystander.execute("SELECT log_turn('[]')")
        other.execute(STORES_CHECKPOINT)
        other.execute("SELECT count(*) FROM log_event")
        bystander.rollback()
        bystander.execute("SELECT 1")
        log.append(CLOSED)
        assert log.head() == 4
        problem = log.checkpoints.problem
        assert f"session {other.info.backend_pid} of login" in problem
        assert "not saved" not in problem
        other.rollback()
        log.checkpoints.write()


def test_a_check_of_the_schema_names_the_session_that_holds_a_lock(postgres_url: str) -> None:
    url = impatient(postgres_url)
    with EventLog.open(url, read_only=True) as log, psycopg.connect(postgres_url) as other:
        other.execute("LOCK TABLE log_shape, log_event IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(Unavailable, match=f"session {other.info.backend_pid} of") as refused:
            schema_faults(log.database)
        assert "not saved" not in str(refused.value)


BYSTANDERS = (
    "SELECT count(*) FROM log_event",
    "SELECT pg_advisory_xact_lock(1), pg_advisory_xact_lock(hashtext('sabot'), 7)",
    "DELETE FROM rm_shoe",
    "LOCK TABLE rm_coup IN EXCLUSIVE MODE",
    "INSERT INTO rm_tracking VALUES ('another', 1)",
)


@pytest.mark.parametrize("held", HOLDING.values(), ids=HOLDING.keys())
def test_sessions_that_block_nobody_are_not_named(postgres_url: str, held: str) -> None:
    with (
        ExitStack() as stack,
        EventLog.open(impatient(postgres_url)) as log,
        psycopg.connect(postgres_url) as other,
    ):
        for statement in BYSTANDERS:  # some before the session that blocks, some after it
            stack.enter_context(psycopg.connect(postgres_url)).execute(statement)
        other.execute(held)
        for statement in BYSTANDERS:
            if "EXCLUSIVE" not in statement and "rm_tracking" not in statement:
                stack.enter_context(psycopg.connect(postgres_url)).execute(
                    statement.replace("log_event", "log_revision")
                    .replace("(1)", "(2)")
                    .replace("7", "8")
                )
        with pytest.raises(Unavailable, match=f"session {other.info.backend_pid} of login"):
            log.append([DRAFT])


def test_the_session_at_the_end_of_a_queue_is_named(postgres_url: str) -> None:
    """A writer in its turn waits for a session, and further writers for that writer."""
    with (
        EventLog.open(impatient(postgres_url, 300)) as log,
        psycopg.connect(postgres_url) as cause,
        psycopg.connect(postgres_url, autocommit=True) as writer,
    ):
        cause.execute("LOCK TABLE log_event IN SHARE MODE")
        thread = threading.Thread(target=writer.execute, args=(HOLDING["an append"],))
        thread.start()
        with pytest.raises(Unavailable, match=f"session {cause.info.backend_pid} of login"):
            log.append([DRAFT])
        cause.rollback()
        thread.join()


def test_a_reader_is_named_behind_whom_a_change_of_the_schema_waits(postgres_url: str) -> None:
    with (
        EventLog.open(impatient(postgres_url, 300)) as log,
        psycopg.connect(postgres_url) as reader,
        psycopg.connect(postgres_url) as owner,
    ):
        reader.execute("SELECT count(*) FROM log_event")
        lock = "LOCK TABLE log_event IN ACCESS EXCLUSIVE MODE"
        thread = threading.Thread(target=owner.execute, args=(lock,))
        thread.start()
        waits = "SELECT pid FROM pg_locks WHERE NOT granted AND pid = %s"
        while not reader.execute(waits, (owner.info.backend_pid,)).fetchall():
            time.sleep(0.01)
        with pytest.raises(Unavailable, match=f"session {reader.info.backend_pid} of login"):
            log.append([DRAFT])
        reader.rollback()
        thread.join()
        owner.rollback()


def test_a_projector_is_told_who_holds_the_summary_tables(postgres_url: str) -> None:
    with (
        EventLog.open(impatient(postgres_url)) as log,
        psycopg.connect(postgres_url) as bystander,
        psycopg.connect(postgres_url) as other,
    ):
        log.append([DRAFT])
        bystander.execute(HOLDING["the turn"])
        other.execute("LOCK TABLE rm_tracking IN SHARE MODE")
        with pytest.raises(Unavailable, match=f"session {other.info.backend_pid} of login"):
            sum(Projector(log).catch_up())


TURNS = (
    "SELECT log_turn('[]')",
    """SELECT log_append('{"streams":["shoe/A"],"expected":[7],"now":1,"events":[]}')""",
    HOLDING["an append"],
    "SELECT log_key(verifier_key, 0) FROM evidence_key",
    STORES_CHECKPOINT,
)


@slow
def test_a_prepared_transaction_cannot_keep_the_turn_and_is_named(
    own_postgres: OwnPostgres,
) -> None:
    """It has no session that could be ended, and outlives a restart of the server."""
    with psycopg.connect(own_postgres.url, autocommit=True) as owner:
        owner.execute("ALTER SYSTEM SET max_prepared_transactions = 5")
    own_postgres.stop()
    own_postgres.start()
    with EventLog.open(impatient(own_postgres.url)) as log:
        log.append([DRAFT])
        log.load([[DRAFT]])
        (danger,) = log.database.dangers()
        assert "max_prepared_transactions = 5" in danger
        for statement in TURNS:
            with psycopg.connect(own_postgres.url) as session:
                session.execute(statement.encode())
                with pytest.raises(psycopg.errors.FeatureNotSupported, match="cannot PREPARE"):
                    session.execute("PREPARE TRANSACTION 'kept'")
            with psycopg.connect(own_postgres.url) as session:
                session.execute("SAVEPOINT a")
                with pytest.raises(psycopg.errors.ActiveSqlTransaction, match="subtransaction"):
                    session.execute(statement.encode())
                session.execute("ROLLBACK TO a")
                session.execute("PREPARE TRANSACTION 'kept'")  # it holds nothing
                log.append([DRAFT])
                session.rollback()
                session.autocommit = True
                session.execute("ROLLBACK PREPARED 'kept'")

        def upgrade() -> None:
            with log.database.writing() as connection:
                connection.exec_driver_sql("LOCK TABLE log_event IN ACCESS EXCLUSIVE MODE")

        for held, write in {
            "LOCK TABLE log_event IN SHARE MODE": lambda: log.append([DRAFT]),
            "LOCK TABLE rm_tracking IN SHARE MODE": lambda: sum(Projector(log).catch_up()),
            "SELECT count(*) FROM log_event": upgrade,
        }.items():
            with psycopg.connect(own_postgres.url) as session:
                session.execute(held.encode())
                session.execute("PREPARE TRANSACTION 'it''s mine'")
            if "rm_tracking" in held:
                own_postgres.stop()
                own_postgres.start()
                log.database.renew()
            told = "the prepared transaction 'it's mine' of login postgres .*; end it with ROLLBACK"
            with pytest.raises(Unavailable, match=f"{told} PREPARED 'it''s mine'"):
                write()
            with psycopg.connect(own_postgres.url, autocommit=True) as owner:
                owner.execute("ROLLBACK PREPARED 'it''s mine'")
            write()


def test_notifications_of_somebody_else_stop_nobody(postgres_url: str) -> None:
    """All databases of the server share their queue. Its lock is held while a login commits."""
    with (
        EventLog.open(postgres_url) as log,
        psycopg.connect(postgres_url, autocommit=True) as listener,
        psycopg.connect(postgres_url) as noisy,
    ):
        listener.execute("LISTEN sabot_log")
        noisy.execute("LOCK TABLE log_revision IN SHARE MODE")
        log.append([DRAFT])
        log.load([[DRAFT]])
        assert list(listener.notifies(timeout=0.2)) == []


def test_a_session_that_reads_for_long_is_told(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The login that asks need not be the owner."""
    monkeypatch.setattr(dangers, "OLD_SNAPSHOT", 20)
    if log.database.is_sqlite:
        assert log.database.dangers() == []
        return
    log.append([DRAFT])
    secure(log.engine)
    postgres = log.database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with (
        user_of(postgres, AUDITOR) as url,
        EventLog.open(url, read_only=True) as seen,
        psycopg.connect(postgres, application_name="a report") as reader,
    ):
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reader.execute("SELECT count(*) FROM log_head")
        assert seen.database.dangers() == []
        for number in range(20):
            log.append([NewEvent("shoe/A", ev.CoupOpened(number + 2))])
        (danger,) = seen.database.dangers()
        told = f"session {reader.info.backend_pid} of login postgres (a report) has read the"
        assert danger.startswith(told)


@slow
def test_a_full_table_of_locks_is_told(own_postgres: OwnPostgres) -> None:
    EventLog.open(own_postgres.url).close()
    full = r"out of shared memory \(the server has no place for another lock"
    with (
        EventLog.open(own_postgres.url) as log,
        psycopg.connect(own_postgres.url, autocommit=True) as greedy,
    ):
        with pytest.raises(psycopg.errors.OutOfMemory):
            greedy.execute("SELECT count(pg_advisory_lock(g)) FROM generate_series(1, 9999999) g")
        with pytest.raises(Unavailable, match=full):
            log.append([DRAFT])
        with pytest.raises((BadInput, Unavailable), match=full):
            EventLog.open(own_postgres.url)
        greedy.execute("SELECT pg_advisory_unlock_all()")
        assert log.append([DRAFT])[0].index == 1


def test_a_session_waits_for_less_than_a_minute(postgres_url: str) -> None:
    with EventLog.open(postgres_url) as log:
        assert log.database.fetch("SHOW lock_timeout") == [(LOCK_TIMEOUT,)]
        assert log.database.fetch("SHOW application_name") == [("sabot",)]
    assert 2 * int(LOCK_TIMEOUT.removesuffix("s")) < 60


def test_an_advisory_lock_of_somebody_else_stops_nobody(postgres_url: str) -> None:
    with EventLog.open(postgres_url) as log, psycopg.connect(postgres_url) as other:
        other.execute("SELECT pg_advisory_lock(hashtext('sabot'), hashtext('log_turn'))")
        other.execute("SELECT pg_advisory_lock(l) FROM generate_series(0, 99) AS l")
        assert log.append([DRAFT])[0].index == 1


@pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_locked_file_is_told_while_it_is_waited_for(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    monkeypatch.setattr(sqlite_files, "_SILENCE_SECONDS", 0)
    with (
        EventLog.open(sqlite_url) as log,
        sqlite3.connect(sqlite_url, check_same_thread=False, isolation_level=None) as other,
    ):
        other.execute(f"BEGIN {mode}")
        release = threading.Timer(0.3, other.rollback)
        release.start()
        began = time.monotonic()
        with caplog.at_level(logging.WARNING, "sabot"):
            assert log.append([DRAFT])[0].index == 1
        assert time.monotonic() - began > 0.2
        release.join()
    assert caplog.messages == [
        f"sabot: another process has locked {Path(sqlite_url)}; waiting up to 60 s for it"
    ]


def test_two_seconds_of_waiting_are_silent() -> None:
    assert sqlite_files._SILENCE_SECONDS == 2
