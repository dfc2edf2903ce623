"""Opening a log: its place, its schema, and races."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import psycopg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import make_url

import sabot.infrastructure.projections.views_schema
from sabot.cli.console import guard
from sabot.cli.hints import hints_for, with_database
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import BadInput, Unavailable, UntrustedLog
from sabot.infrastructure.database import event_shapes, schema
from sabot.infrastructure.database.database import Database, newest_revision
from sabot.infrastructure.database.database_urls import (
    database_url,
    shown_text,
    shown_url,
    without_secrets,
)
from sabot.infrastructure.log import patient_log
from sabot.infrastructure.log.event_log import EventLog
from tests.support.for_each import for_each
from tests.support.former_schemas import at_revision
from tests.support.programs import Program
from tests.support.thorough import FULL

ROOT = Path(__file__).parents[3]
MIGRATIONS = ROOT / "infrastructure" / "migrations"


@for_each(
    ("text", "driver", "place"),
    [
        ("evening.sabot", "sqlite", "evening.sabot"),
        ("/srv/pit 1/log.db", "sqlite", "/srv/pit 1/log.db"),
        ("sqlite:///log.db", "sqlite", "log.db"),
        ("sqlite://", "sqlite", ":memory:"),
        (":memory:", "sqlite", ":memory:"),
        ("postgresql://pit@db/casino", "postgresql+psycopg", "casino"),
        ("postgres://pit@db/casino", "postgresql+psycopg", "casino"),
        ("postgresql+psycopg://pit@db/casino", "postgresql+psycopg", "casino"),
    ],
)
def test_a_log_is_a_path_or_a_url(text: str, driver: str, place: str) -> None:
    url = database_url(text)
    assert (url.drivername, url.database) == (driver, place)


def test_the_environment_says_where_the_log_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABOT_DATABASE_URL", "postgresql://db/casino")
    assert database_url().database == "casino"
    assert database_url("other.db").database == "other.db"
    monkeypatch.delenv("SABOT_DATABASE_URL")
    assert database_url().database == "sabot.db"


@pytest.mark.parametrize("text", ["mysql://db/casino", "http://x", "sqlite+aiosqlite://", "://"])
def test_other_stores_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        database_url(text)


def test_no_message_shows_a_password() -> None:
    with pytest.raises(BadInput) as refusal:
        EventLog.open("postgresql://pit:hunter2@127.0.0.1:1/casino")
    assert "hunter2" not in str(refusal.value)
    assert "127.0.0.1:1/casino" in str(refusal.value)


def test_a_file_of_another_kind_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "coups.jsonl"
    path.write_text('{"shoe": "H-1"}\n' * 100)
    with pytest.raises(BadInput, match=r"coups\.jsonl cannot be opened: file is not a database"):
        EventLog.open(str(path))
    assert path.read_text() == '{"shoe": "H-1"}\n' * 100


@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_that_is_not_utf_8_is_refused(postgres_server: str, *, read_only: bool) -> None:
    name = f"sabot_ascii_{os.getpid()}"
    url = make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0"
        )
        try:
            with pytest.raises(BadInput, match="has the encoding SQL_ASCII"):
                EventLog.open(url, read_only=read_only)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_the_encoding_of_the_client_is_utf_8_in_every_environment(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")
    with EventLog.open(postgres_url) as log:
        assert log.database.fetch("SHOW client_encoding") == [("UTF8",)]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be opened: unable to open database file; check"):
        EventLog.open(str(tmp_path / "nowhere" / "log.db"))


def test_reading_makes_no_log(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no log at .*log\.db; .* `sabot demo` makes one"):
        EventLog.open(str(tmp_path / "log.db"), read_only=True)
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(BadInput, match="no log"):
        EventLog.open(str(tmp_path / "empty.db"), read_only=True)
    assert not (tmp_path / "log.db").exists()


def test_reading_changes_nothing(database_url: str) -> None:
    draft = NewEvent("shoe/A", ev.CoupOpened(1))
    with EventLog.open(database_url) as log:
        log.append([draft])
    with EventLog.open(database_url, read_only=True) as log:
        assert len(log.read("shoe/A")) == 1
        with pytest.raises(Unavailable):
            log.append([draft])
        with pytest.raises(Unavailable):
            log.load([[draft]])
        assert log.head() == 1


def test_a_closed_log_has_no_connection_left(database_url: str) -> None:
    """A follower that nobody goes on with, and a load that could not begin, hold none back."""
    made: list[Any] = []
    log = EventLog.open(database_url)
    for engine in {log.database.engine, log.database.statements}:
        sa.event.listen(engine, "connect", lambda connection, _: made.append(connection))
    log.append([NewEvent("shoe/A", ev.CoupOpened(1))])
    following, lent = log.follow(0), log.engine.connect()
    assert len(next(following)) == 1
    log.close()
    assert made
    for connection in made:
        with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError)):
            connection.execute("SELECT 1")
    lent.invalidate()
    following.close()


def test_who_only_reads_an_older_log_is_told_what_brings_it_up_to_date(database_url: str) -> None:
    database = Database.open(database_url)
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE log_revision SET version_num = '0001'"))
    database.close()
    with pytest.raises(BadInput, match=r"older Sabot \(schema 0001.*`sabot store migrate`"):
        EventLog.open(database_url, read_only=True)


def test_a_recorder_of_an_older_log_is_told_that_its_owner_brings_it_up_to_date(
    empty_postgres_url: str,
) -> None:
    at_revision(empty_postgres_url, "0011")
    login = f"sabot_old_{os.getpid()}"
    url = make_url(empty_postgres_url)
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {login} LOGIN")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {login}")
        try:
            recorder = url.set(username=login).render_as_string(hide_password=False)
            with pytest.raises(BadInput, match=r"`sabot store migrate` as the owner of the data"):
                EventLog.open(recorder, create=False)
        finally:
            connection.execute(f"DROP OWNED BY {login}")
            connection.execute(f"DROP ROLE {login}")


def test_the_log_of_a_newer_program_is_left_alone(database_url: str) -> None:
    database = Database.open(database_url)
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE log_revision SET version_num = '9999'"))
    database.close()
    with pytest.raises(BadInput, match="newer Sabot"):
        EventLog.open(database_url)


def test_a_lost_table_is_a_log_not_to_be_trusted(database_url: str) -> None:
    with EventLog.open(database_url) as log:
        with log.database.writing() as connection:
            connection.execute(sa.text("DROP TABLE log_event"))
        with pytest.raises(UntrustedLog, match="damaged"):
            log.read("shoe/A")


def test_a_torn_file_is_a_log_not_to_be_trusted(sqlite_url: str) -> None:
    with EventLog.open(sqlite_url) as log:
        log.load([[NewEvent("shoe/A", ev.CoupOpened(n)) for n in range(1, 2000)]])
    file = Path(sqlite_url)
    whole = file.read_bytes()
    page = 4096
    file.write_bytes(whole[: 10 * page] + b"\xff" * (len(whole) - 20 * page) + whole[-10 * page :])
    with pytest.raises(UntrustedLog, match="damaged"), EventLog.open(sqlite_url) as log:
        list(log.scan())


def test_a_commit_on_sqlite_waits_for_the_disk(sqlite_url: str) -> None:
    with EventLog.open(sqlite_url) as log, log.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_the_newest_revision_is_alembics_head() -> None:
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == newest_revision()


def test_the_migrations_make_the_tables_that_queries_see(database_url: str) -> None:
    database = Database.open(database_url)
    with database.reading() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "version_table": schema.REVISION_TABLE,
                "compare_type": True,
                "include_name": lambda name, *_: name != event_shapes.SHAPES,
            },
        )
        assert (
            compare_metadata(context, sabot.infrastructure.projections.views_schema.metadata) == []
        )
    database.close()


OPEN = """
import sys
from sabot.infrastructure.log.event_log import EventLog
sys.stdin.readline()
with EventLog.open(sys.argv[1]) as log:
    print(log.origin)
"""


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_processes_that_start_together_find_one_log(
    store: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if store == "sqlite":
        url = str(tmp_path / "log.db")
    else:
        url = request.getfixturevalue("empty_postgres_url")
    several = 4 if not FULL else 12
    starters = [
        Program(
            [sys.executable, "-W", "error", "-c", OPEN, url],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(several)
    ]
    for starter in starters:  # they have imported everything and wait for the start
        assert starter.stdin is not None
        starter.stdin.write("\n")
        starter.stdin.flush()
    ended = [starter.communicate(timeout=200) for starter in starters]
    # on a busy machine one of them may wait for another, and says so
    assert [errors for _, errors in ended if errors and "has locked" not in errors] == []
    assert [starter.returncode for starter in starters] == [0] * several
    assert len({origin for origin, _ in ended}) == 1


PASSWORDS = (
    "postgresql://u:hush@localhost:1/x",
    "postgresql://u@localhost:1/x?password=hush&sslpassword=hush",
    "postgresql://u:hush@localhost:1x/x",
    "postgresql://a/b:hush@localhost:1/x",
    "postgres:hush@localhost/x",
    "host=localhost password=hush",
    "mysql://u:hush@localhost/x",
    "postgresql://u:be@hush@localhost:1/x",
    "postgresql://u@localhost:1/x?options=-cfoo%3Dhush",
    "postgresql://u@localhost:1/x?pasword=hush",
    "postgresql://u@localhost:1/x?service=hush",
    "sqlite:///nope.db?password=hush",
    "sqlite://u:hush@localhost/nope.db",
    "u:hush@localhost/x",
    "//u:hush@localhost/x",
    "u:hu/sh:hush@localhost/x",
    "postgresql//u:hush@localhost/x",
    "PGPASSWORD=hush postgresql://u@localhost/x",
    "PGPASSWORD=hush",
    "sslpassword=hush",
    " user = u passfile = hush",
    "/srv/pit.db PGPASSWORD=hush",
    "export PASSWORD=hush",
    "postgresql://u@hush@localhost:1/x",
    "postgresql://u@be:hush@localhost:1/x",
    "postgresql+psycopg://u@hush@localhost:1/x",
    "postgresql://u%3Ahush@localhost:1/x",
    "postgresql://u%3ahush@localhost:1/x",
    "postgresql://u:hush%40x@localhost:1/x",
    "postgresql://localhost:1/u:hush@localhost",
    "postgresql://localhost:1/u%3Ahush%40localhost",
    "postgresql://localhost:1/password=hush",
    "postgresql://localhost:1/password%3Dhush",
    "postgresql://u@localhost:1/x?dbname=postgresql://u:hush@h/x",
    "postgresql://u@localhost:1/x?dbname=postgresql%3A%2F%2Fu%3Ahush%40h%2Fx",
    "postgresql://u@localhost:1/x?dbname=password=hush",
    "postgresql://u@localhost:1/x?dbname=password%3Dhush",
    "postgresql://u@localhost:1/x?host=u:hush@localhost",
    "postgresql://u@localhost:1/x?user=u:hush@localhost",
    "postgresql://u@localhost:1/x?hush=1",
    "postgresql://u@localhost:1/x?password=be&hush=1",
)


@pytest.mark.parametrize("url", PASSWORDS)
def test_a_url_in_another_form_shows_no_password(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not where a verb opens the log, nor where a message completes a command, or names the log."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(patient_log, "server_is_down", lambda _: False)  # or `record` waits for it
    for verb in ("shoes", "record"):
        assert guard(build(), [verb, "--database", url]) == 2
        monkeypatch.setenv("SABOT_DATABASE_URL", url)
        assert guard(build(), [verb]) == 2
        monkeypatch.delenv("SABOT_DATABASE_URL")
        told = capsys.readouterr()
        assert "hush" not in told.out + told.err
        assert "Warning" not in told.err
    for given in (["--database", url], [f"--database={url}"]):
        with hints_for(["shoes", *given]):
            assert "hush" not in with_database("`sabot shoes`")
    with contextlib.suppress(BadInput):
        parsed = database_url(url)
        assert "hush" not in shown_url(parsed)
        assert "hush" not in without_secrets(parsed, f"{parsed.password} {parsed.query}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u%40REALM@localhost:1/x",
        "postgresql://u@[::1]:1/x?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem",
        "postgresql://u@/x?host=%2Frun%2Fpostgresql",
        "postgresql://u@%2Frun%2Fpostgresql/casino-1:pit",
        "postgresql://u@localhost/x?host=a:1&host=b:2",
    ],
)
def test_what_is_no_password_is_shown(url: str) -> None:
    assert shown_text(url) == url
    assert unquote(shown_url(database_url(url))) == unquote(url)


def test_a_path_may_have_a_colon_an_at_or_an_equals_sign() -> None:
    for path in ("a:b.db", "pit@1.db", "./a:b@c.db", "/srv/a:b/pit@1.db", "./a=b.db"):
        assert database_url(path).database == shown_text(path) == path
