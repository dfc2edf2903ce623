"""The open file of SQLite, and whether its path still names it."""

import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.database import file_identity, sqlite_files
from sabot.infrastructure.database.sqlite_files import LogFiles, WatchedConnection
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.recorder import Recorder
from sabot.infrastructure.projections.projector import Projector
from tests.support.for_each import for_each


def draft(n):
    return NewEvent("shoe/A", ev.CoupOpened(n), device="cam", seq=n)


def replaced(path):
    shutil.copy(path, f"{path}.copy")
    Path(f"{path}.copy").replace(path)


WRITERS = {
    "append": lambda log: log.append([draft(2)]),
    "append again": lambda log: log.append([draft(1)]),
    "load": lambda log: log.load([[draft(2)]]),
    "load again": lambda log: log.load([[draft(1)]]),
    "restore": lambda log: log.import_events(log.read("shoe/A")),
    "project": lambda log: list(Projector(log).catch_up()),
    "rebuild": lambda log: Projector(log).rebuild(),
    "no events": lambda log: Recorder(log.database).insert_events([]),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_every_writer_stops(name, end, sqlite_url):
    with EventLog.open(sqlite_url) as log:
        log.append([draft(1)])
        replaced(sqlite_url + end)
        for _ in range(2):
            with pytest.raises(UntrustedLog, match="No event is confirmed"):
                WRITERS[name](log)


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_file_that_goes_during_the_transaction_is_seen_before_the_acknowledgement(
    end, sqlite_url
):
    with EventLog.open(sqlite_url) as log:
        log.append([draft(1)])

        def write():
            with log.database.writing() as connection:
                connection.exec_driver_sql("DELETE FROM rm_tracking")
                replaced(sqlite_url + end)

        with pytest.raises(UntrustedLog):
            write()


def test_a_database_in_memory_has_no_files():
    with EventLog.open(":memory:") as log:
        assert log.append([draft(1)])[0].index == 1
        assert log.load([[draft(2)]]) == 1


@pytest.mark.parametrize("new", [True, False])
def test_a_relative_path_is_that_of_the_folder_where_it_was_opened(new, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if not new:
        EventLog.open("log.db").close()
    with EventLog.open("log.db") as log:
        log.append([draft(1)])
        monkeypatch.chdir("/")
        log.append([draft(2)])
        (tmp_path / "log.db").unlink()
        with pytest.raises(UntrustedLog):
            log.append([draft(3)])


def connection_to(path):
    return sqlite3.connect(path, factory=WatchedConnection)


def test_a_file_replaced_while_it_is_opened_is_opened_again(sqlite_url):
    made = []

    def make():
        if not made:
            replaced(sqlite_url)
        made.append(connection_to(sqlite_url))
        if len(made) == 2:
            replaced(sqlite_url)
        return made[-1]

    connection = LogFiles().connect(sqlite_url, make)
    assert len(made) == 3
    connection.begin(writes=True)
    connection.commit()
    connection.close()


@pytest.mark.skipif(file_identity.open_files() is None, reason="the system lists no open files")
def test_a_file_replaced_and_put_back_while_it_is_opened(sqlite_url):
    """The path names the same file before and after, and SQLite has another one open."""
    made = []

    def make():
        if made:
            made.append(connection_to(sqlite_url))
            return made[-1]
        Path(sqlite_url).rename(f"{sqlite_url}.real")
        shutil.copy(f"{sqlite_url}.real", sqlite_url)
        made.append(connection_to(sqlite_url))
        Path(f"{sqlite_url}.real").replace(sqlite_url)
        return made[-1]

    connection = LogFiles().connect(sqlite_url, make)
    assert len(made) == 2
    assert dict(connection.files)[Path(sqlite_url)] == file_identity.identity(Path(sqlite_url))
    connection.close()


def test_a_file_that_is_replaced_again_and_again_is_not_opened(sqlite_url):
    def make():
        replaced(sqlite_url)
        return connection_to(sqlite_url)

    with pytest.raises(UntrustedLog, match="does not stay the same file"):
        LogFiles().connect(sqlite_url, make)


def test_a_later_connection_is_to_the_same_file_or_to_none(sqlite_url):
    with EventLog.open(sqlite_url) as log:
        log.append([draft(1)])
        log.engine.dispose()
        replaced(sqlite_url)
        with pytest.raises(UntrustedLog, match="is another file"):
            log.head()


def test_threads_that_open_and_close_connections_raise_no_alarm(sqlite_url):
    failed = []

    def work(who):
        try:
            for n in range(10):
                with EventLog.open(sqlite_url) as log:
                    log.append([NewEvent("shoe/A", ev.CoupOpened(1), device=f"d{who}", seq=n)])
        except Exception as error:  # noqa: BLE001 - told below
            failed.append(error)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with EventLog.open(sqlite_url) as log:
        assert log.head() == 40


def test_a_new_log_is_its_owners_alone(tmp_path: Path) -> None:
    with EventLog.open(str(tmp_path / "new.sabot")) as log:
        log.append([NewEvent("shoe/A", ev.CoupOpened(1))])
        modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("new.sabot", "new.sabot-wal", "new.sabot-shm"), 0o600)


def test_the_write_ahead_log_is_moved_into_the_database_in_one_place(sqlite_url: str) -> None:
    """SQLite's own checkpoints, which do not hold the writer's lock, are off."""
    wal = Path(f"{sqlite_url}-wal")
    with EventLog.open(sqlite_url) as log, EventLog.open(sqlite_url) as reader:
        assert log.database.fetch("PRAGMA wal_autocheckpoint") == [(0,)]
        sizes = []
        for coup in range(1, 4 * sqlite_files.CHECKPOINT_COMMITS):
            log.append([NewEvent("shoe/A", ev.CoupOpened(coup))])
            sizes.append(wal.stat().st_size)
            assert reader.head() == coup
        first, last = sizes[sqlite_files.CHECKPOINT_COMMITS], sizes[-1]
        assert last <= 1.5 * first
        assert len(Path(sqlite_url).read_bytes()) > 100_000
    with EventLog.open(sqlite_url) as log:
        log.check()
        assert log.head() == coup


@for_each(
    ("version", "affected"),
    [
        ((3, 37, 0), True), ((3, 44, 5), True), ((3, 44, 6), False), ((3, 45, 0), True),
        ((3, 50, 6), True), ((3, 50, 7), False), ((3, 51, 2), True), ((3, 51, 3), False),
        ((3, 53, 0), False),
    ],
    ids=str,
)  # fmt: skip
def test_versions_with_the_wal_reset_bug(version: tuple[int, ...], *, affected: bool) -> None:
    assert sqlite_files.has_wal_reset_bug(version) is affected


def test_the_write_ahead_log_is_not_moved_while_another_process_holds_the_lock(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_files, "_SILENCE_SECONDS", 0)
    with EventLog.open(sqlite_url) as log:
        log.append([draft(1)])
        with log.engine.connect() as connection:
            driver = connection.connection.driver_connection
        before = Path(sqlite_url).read_bytes()
        other = sqlite3.connect(sqlite_url, isolation_level=None)
        for locked in (True, False):
            other.execute("BEGIN IMMEDIATE" if locked else "ROLLBACK")
            driver._commits = sqlite_files.CHECKPOINT_COMMITS
            driver._checkpoint_when_due()
            assert (Path(sqlite_url).read_bytes() == before) is locked
        other.close()
