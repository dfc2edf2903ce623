"""Files that are not Sabot's, and files that Sabot would leave to others."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.database import sqlite_files
from sabot.infrastructure.log.event_log import EventLog

WRITING = (
    ("project",), ("evidence", "checkpoint"), ("findings", "resolve", "abc", "--by", "x"),
    ("demo",), ("store", "isolate", "1", "--by", "x", "--note", "y"),
)  # fmt: skip


def sabot(*words: str) -> int:
    return guard(build(), list(words))


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "app.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE customer (name)")
    return path


@pytest.mark.parametrize("verb", WRITING, ids=" ".join)
def test_a_database_of_another_program_is_refused_and_not_changed(
    verb: tuple[str, ...], foreign: Path
) -> None:
    before = foreign.read_bytes()
    assert sabot(*verb, "--database", str(foreign)) == 2
    assert foreign.read_bytes() == before
    assert names(foreign.parent) == ["app.db"]


def test_another_program_in_wal_mode_is_refused_too(
    foreign: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE other (name)")
        assert sabot("project", "--database", str(foreign)) == 2
    assert "'customer'" in capsys.readouterr().err
    assert names(foreign.parent) == ["app.db"]


@pytest.mark.parametrize("verb", [("project",), ("evidence", "checkpoint")], ids=" ".join)
def test_an_empty_file_stays_empty_unless_a_log_is_begun(
    verb: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "empty.db"
    path.touch(0o644)
    assert sabot(*verb, "--database", str(path)) == 2
    assert path.stat().st_size == 0


def test_an_empty_file_becomes_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch(0o644)
    EventLog.open(str(path)).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "target.db")
    assert sabot("demo", "--database", str(link)) == 2
    assert names(tmp_path) == ["link.db"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as two users")
@pytest.mark.parametrize("used", [False, True])
def test_a_reader_leaves_no_files_that_lock_out_the_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, used: bool
) -> None:
    path = tmp_path / "x.sabot"
    with EventLog.open(str(path)) as log:
        log.append([NewEvent("shoe/A", ev.CoupOpened(1))])
    tmp_path.chmod(0o777)
    os.chown(path, 4001, 4001)
    with EventLog.open(str(path), read_only=True) as log:
        assert log.head() == 1
        # SQLite gives files that root makes to the owner
        for end in ("-wal", "-shm"):
            os.chown(f"{path}{end}", 0, 0)
        other = EventLog.open(str(path), read_only=True) if used else None
        if other:
            pid = os.fork()
            if pid == 0:  # another process uses them
                with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as again:
                    again.execute("SELECT 1 FROM log_head").fetchall()
                    Path(f"{path}.used").touch()
                    while not Path(f"{path}.done").exists():
                        pass
                os._exit(0)
            while not Path(f"{path}.used").exists():
                pass
            other.database.engine.dispose()
    there = {each.name for each in tmp_path.iterdir()}
    assert ({"x.sabot-shm", "x.sabot-wal"} <= there) is used
    if used:
        Path(f"{path}.done").touch()
        os.waitpid(pid, 0)


def test_a_file_of_another_user_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.sabot"
    Path(f"{path}-shm").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert f"{path}-shm belongs to " in sqlite_files.not_writable_beside(path)
