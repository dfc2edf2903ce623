"""`sabot store backup` and `restore`, on and between both stores."""

import io
import json
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure import backups
from sabot.infrastructure.database.database import newest_revision
from sabot.infrastructure.log.event_log import EventLog
from tests.support.former_schemas import at_revision
from tests.support.programs import Program
from tests.support.thorough import slow

LOADED = ev.ShoeLoaded(8, "", "0" * 64)


@pytest.fixture
def sabot(capsys):
    """Run a command and return exit code, output and talk."""

    def run(*arguments):
        code = guard(build(), [str(each) for each in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def filled(database_url):
    """A signed log: a shoe, a table, and an event that cannot be read and is isolated."""
    with EventLog.open(database_url) as log:
        log.append([NewEvent("shoe/A", LOADED, 5, "ann", "cam", 1), coup(1, 1), coup(1, 2)])
        log.append([NewEvent("table/T1", ev.TableClosed(5), event_id="x-1")])
        with log.database.writing() as connection:
            connection.exec_driver_sql(
                "INSERT INTO log_event (id, stream, version, name, recorded_us, actor, device,"
                " payload) VALUES (5, 'x', 1, 'y', 1, '', '', '[]')"
            )
        log.isolate(5, by="ann", note="not ours")
    return database_url


def coup(shoe, number):
    return NewEvent("shoe/A", ev.CoupOpened(number), device=f"cam {shoe}", seq=number)


@slow
def test_a_restored_log_exports_the_same_bytes_and_verifies(
    sabot, filled, tmp_path, empty_postgres_url
):
    backup = tmp_path / "log.backup"
    code, out, said = sabot("store", "backup", backup, "--database", filled)
    assert (code, out) == (0, "")
    assert said.startswith(f"{backup} is a backup of the log sabot/")
    assert ": 6 events, 1 checkpoint, root " in said
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*backup*")] == ["log.backup"]
    whole = sabot("export", "--database", filled)[1]
    for target in (tmp_path / "copy.sabot", empty_postgres_url):
        code, _, told = sabot("store", "restore", backup, "--database", target)
        assert (code, told.partition(": ")[2]) == (0, said.partition(": ")[2])
        assert sabot("export", "--database", target)[1] == whole
        assert sabot("verify", "--database", target)[0] == 0
        assert sabot("store", "check", "--database", target)[0] == 0
        with EventLog.open(str(target)) as log:
            assert log.append([NewEvent("table/T1", ev.TableClosed(6))])[0].index == 7
        # the log that goes on after the restoring is signed and can be backed up like any other
        assert sabot("verify", "--database", target)[0] == 0
        assert sabot("store", "backup", backup, "--force", "--database", target)[0] == 0
        assert sabot("verify", "--database", backup)[0] == 0
        backup.unlink()
        assert sabot("store", "backup", backup, "--database", filled)[0] == 0


@pytest.mark.parametrize("source", ["backup", "export"])
def test_a_server_knows_the_size_of_a_restored_log(
    sabot, filled, tmp_path, source, empty_postgres_url
):
    """Otherwise it reads the whole table for the last events."""
    file = tmp_path / "file"
    verb = ("store", "backup", file) if source == "backup" else ("export", "-o", file)
    assert sabot(*verb, "--database", filled)[0] == 0
    assert sabot("store", "restore", file, "--database", empty_postgres_url)[0] == 0
    with EventLog.open(empty_postgres_url) as log:
        query = "SELECT reltuples FROM pg_class WHERE relname = 'log_event'"
        assert log.database.fetch(query) == [(6.0,)]


def test_a_log_is_signed_after_it_was_copied(filled, tmp_path):
    """The recorder signs its last event while the copy is checked. The copy lacks it."""
    recorder = EventLog.open(filled)
    recorder.append([coup(2, 7)])
    calls = []

    def advance(_events):
        calls.append(len(calls))
        if len(calls) == 2:
            recorder.close()

    with EventLog.open(filled, read_only=True) as log:
        query = "SELECT count(*) FROM evidence_checkpoint"
        signed = log.database.fetch(query)[0][0]
        copied = backups.write_backup(log, tmp_path / "log.backup", advance=advance)
        assert log.database.fetch(query)[0][0] == signed + 1
    assert copied.checkpoints == signed


@slow
def test_recorders_go_on_while_a_backup_is_made(sabot, filled, tmp_path):
    """The backup is the log as it was at one moment: its lines begin those of the log."""
    done, appended = threading.Event(), [100]

    def record():
        with EventLog.open(filled) as log:
            while not done.is_set():
                number = appended[-1]
                log.append([coup(2, number), NewEvent("shoe/A", ev.CoupClosed(number))])
                appended.append(number + 1)

    def go_on():
        until = len(appended) + 10
        while len(appended) < until and thread.is_alive():
            time.sleep(0.005)

    thread = threading.Thread(target=record)
    thread.start()
    try:
        sizes = []
        for number in range(3):
            go_on()
            backup = tmp_path / f"{number}.backup"
            code, *said = sabot("store", "backup", backup, "--database", filled)
            assert code == 0, said
            sizes.append(sabot("export", "--database", backup)[1])
            assert sabot("verify", "--database", backup)[0] == 0
        go_on()
    finally:
        done.set()
        thread.join()
    whole = sabot("export", "--database", filled)[1]
    assert all(whole.startswith(part) for part in sizes)
    assert len(sizes[0]) < len(sizes[2]) < len(whole)


def test_what_is_there_is_not_replaced(sabot, filled, tmp_path):
    backup, target = tmp_path / "log.backup", tmp_path / "link"
    backup.write_text("keep")
    target.symlink_to(tmp_path / "elsewhere")
    for place in (backup, target):
        code, _, said = sabot("store", "backup", place, "--database", filled)
        assert code == 2
        assert said == (
            f"sabot: {place} exists already; choose another name, or replace it with --force\n"
        )
    assert backup.read_text() == "keep"
    assert not target.exists()
    assert sabot("store", "backup", backup, "--force", "--database", filled)[0] == 0
    code, _, said = sabot("store", "restore", backup, "--database", filled)
    assert code == 2
    assert "has 6 events; restore into an empty one" in said
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE t (x)")
    code, _, said = sabot("store", "restore", other_name := tmp_path / "other.db", "--database",
                          tmp_path / "new.sabot")  # fmt: skip
    assert (code, said.startswith(f"sabot: there is no log at {other_name}")) == (2, True)
    assert not (tmp_path / "new.sabot").exists()


def test_a_refused_restore_does_not_change_the_backup(sabot, filled, tmp_path):
    """The backup is named as the log, as the setting of a shell may do."""
    backup = tmp_path / "log.backup"
    assert sabot("store", "backup", backup, "--database", filled)[0] == 0
    before = backup.read_bytes()
    code, _, said = sabot("store", "restore", backup, "--database", backup)
    assert (code, said) == (
        2,
        f"sabot: the log at {backup} has 6 events; restore into an empty one\n",
    )
    assert backup.read_bytes() == before
    assert not {*tmp_path.glob("log.backup-*")}


def test_no_backup_replaces_the_log_itself(sabot, sqlite_url, tmp_path):
    source = tmp_path / "log.sabot"
    link, second = tmp_path / "link", tmp_path / "second"
    link.symlink_to(source)
    second.hardlink_to(source)
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("shoe/A", LOADED)])
        for place in (source, link, second, tmp_path / "." / ".." / tmp_path.name / "log.sabot"):
            code, _, said = sabot("store", "backup", place, "--force", "--database", sqlite_url)
            assert (code, "is the log that is to be backed up" in said) == (2, True), place
        for end in ("-wal", "-shm"):
            place = f"{source}{end}"
            code, _, said = sabot("store", "backup", place, "--force", "--database", link)
            assert (code, f"is the name of a file of the database {source}" in said) == (2, True)
        assert log.append([coup(1, 1)])[0].index == 2


def test_no_backup_replaces_another_log_or_one_in_use(sabot, filled, tmp_path):
    """Not even a restored copy, whose name is the same."""
    backup, copy = tmp_path / "log.backup", tmp_path / "copy.sabot"
    assert sabot("store", "backup", backup, "--database", filled)[0] == 0
    assert sabot("store", "restore", backup, "--database", copy)[0] == 0
    other = tmp_path / "other.backup"
    with EventLog.open(str(tmp_path / "other.sabot")) as log:
        log.append([NewEvent("shoe/A", LOADED)])
        assert sabot("store", "backup", other, "--database", tmp_path / "other.sabot")[0] == 0
        in_use = sabot("store", "backup", tmp_path / "other.sabot", "--force", "--database", filled)
    (tmp_path / "stale-wal").touch()
    with sqlite3.connect(tmp_path / "foreign.db") as foreign:
        foreign.execute("CREATE TABLE t (x)")
    expected = {
        "copy.sabot": "is a log, and not a backup",
        "other.backup": "is not a backup of the log sabot/",
        "foreign.db": "is not a backup of the log sabot/",
        "stale": "has stale-wal beside it",
    }
    assert (in_use[0], "has other.sabot-wal beside it" in in_use[2]) == (2, True)
    for name, reason in expected.items():
        before = (tmp_path / name).read_bytes() if (tmp_path / name).exists() else None
        code, _, said = sabot("store", "backup", tmp_path / name, "--force", "--database", filled)
        assert (code, reason in said) == (2, True), (name, said)
        assert before == ((tmp_path / name).read_bytes() if before else None)
    assert sabot("store", "backup", backup, "--force", "--database", filled)[0] == 0


def test_a_copy_that_is_not_the_same_gets_no_name(sabot, filled, tmp_path, monkeypatch):
    """One letter of the backup changes after it was written, and before it is read again."""
    compared = backups._compared

    def worn(source, copy, *given, before):
        with closing(sqlite3.connect(copy.url.database)) as file:
            file.execute("DROP TRIGGER log_event_keeps")
            file.execute("UPDATE log_event SET actor = 'Ann' WHERE id = 1")
            file.commit()
        return compared(source, copy, *given, before=before)

    monkeypatch.setattr(backups, "_compared", worn)
    code, _, said = sabot("store", "backup", tmp_path / "b", "--database", filled)
    assert code == 3
    assert "is not the same as the log" in said
    assert not (tmp_path / "b").exists()
    assert not list(tmp_path.glob(".*.part"))


_SLOW_BACKUP = """
import time
from sabot.infrastructure import backups

def compared(*_given, before):
    print("copied", flush=True)
    time.sleep(60)

backups._compared = compared
from sabot.cli.main import run; run()
"""


def test_a_backup_ended_by_sigterm_leaves_no_file(filled, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    words = ["store", "backup", folder / "b", "--database", filled]
    with Program(
        [sys.executable, "-c", _SLOW_BACKUP, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout.readline() == "copied\n"
        assert [file.suffix for file in folder.iterdir()] == [".part"]
        program.send_signal(signal.SIGTERM)
        _, said = program.communicate(timeout=30)
    assert (program.returncode, said) == (143, "sabot: ended by SIGTERM\n")
    assert list(folder.iterdir()) == []


def altered(file, *statements):
    """Change a backup as its owner can: the guards are dropped first."""
    with closing(sqlite3.connect(file, isolation_level=None)) as copy:
        for (guarding,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            copy.execute(f"DROP TRIGGER {guarding}")
        for statement in statements:
            copy.execute(statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE log_event SET actor = 'bob' WHERE id = 1", "was changed"),
        ("DELETE FROM log_event WHERE id = 2", "events are missing"),
        ("UPDATE log_event SET id = 0 WHERE id = 1", "events are missing"),
    ],
)
def test_a_changed_backup_is_not_restored(sabot, filled, tmp_path, statement, said):
    backup, target = tmp_path / "log.backup", tmp_path / "copy.sabot"
    assert sabot("store", "backup", backup, "--database", filled)[0] == 0
    altered(backup, statement)
    code, _, told = sabot("store", "restore", backup, "--database", target)
    assert (code, said in told) == (3, True)


def test_a_hyphen_is_a_stream_and_no_file(sabot, filled, tmp_path, monkeypatch):
    """A backup is no stream. Of an export on standard input, no file is read."""
    monkeypatch.chdir(tmp_path)
    code, _, said = sabot("store", "backup", "-", "--database", filled)
    assert (code, said) == (2, "sabot: a backup is a file, not a stream; give its name\n")
    assert not list(tmp_path.glob("-*"))
    assert sabot("store", "backup", tmp_path / "-", "--database", filled)[0] == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"no export\n")))
    code, _, said = sabot("store", "restore", "-", "--database", "new.sabot")
    assert code == 2
    assert said.startswith("sabot: standard input: it is neither a backup nor the export of a log")


@pytest.mark.parametrize("empty", ["zero bytes", "a log", "a backup"])
def test_what_holds_no_events_is_not_restored(sabot, database_url, tmp_path, empty):
    source = tmp_path / "source"
    if empty == "zero bytes":
        source.touch()
    elif empty == "a log":
        EventLog.open(str(source)).close()
    else:
        assert sabot("store", "backup", source, "--database", database_url)[0] == 0
    for target in (tmp_path / "new.sabot", database_url):
        code, _, said = sabot("store", "restore", source, "--database", target)
        assert (code, said.endswith("check that it is the right file\n")) == (2, True)
    assert not (tmp_path / "new.sabot").exists()


_KILLED_RECORDER = """
import os, signal, sqlite3, sys
log = sqlite3.connect(sys.argv[1], isolation_level=None)
log.execute("PRAGMA journal_mode = WAL")
log.execute("PRAGMA wal_autocheckpoint = 0")
row = (1, "table/T1", 1, "table-closed", 1, "", "", sys.argv[2])
log.execute(
    "INSERT INTO log_event (id, stream, version, name, recorded_us, actor, device, payload)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row
)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("revision", ["0001", newest_revision()])
def test_the_write_ahead_log_of_a_killed_recorder_is_restored(sabot, tmp_path, revision):
    """A log of an earlier version is copied first, and the copy is brought up to date."""
    killed, target = tmp_path / "killed.sabot", tmp_path / "copy.sabot"
    at_revision(str(killed), revision)
    payload = json.dumps({"inventory": 5, "type": "table-closed"}, separators=(",", ":"))
    recorder = [sys.executable, "-c", _KILLED_RECORDER, killed, payload]
    assert subprocess.run(recorder, check=False).returncode == -9
    assert (tmp_path / "killed.sabot-wal").stat().st_size
    code, _, told = sabot("store", "restore", killed, "--database", target)
    assert (code, ": 1 event, " in told) == (0, True)
    with EventLog.open(str(target)) as log:
        assert [event.stream for event in log.read("table/T1")] == ["table/T1"]


def test_a_restored_log_is_not_signed_by_restoring_it(sabot, filled, tmp_path):
    """Whoever changes a backup and removes its checkpoints gets no signature for it."""
    backup, target = tmp_path / "log.backup", tmp_path / "copy.sabot"
    assert sabot("store", "backup", backup, "--database", filled)[0] == 0
    change = "UPDATE log_event SET actor = 'bob' WHERE id = 1"
    altered(backup, change, "DELETE FROM evidence_checkpoint", "DELETE FROM evidence_key")
    code, _, told = sabot("store", "restore", backup, "--database", target)
    assert code == 0
    assert "0 checkpoints" in told
    assert "6 events signed by no checkpoint" in told
    assert sabot("verify", "--database", target)[0] == 2


def test_the_backup_of_a_damaged_log_is_kept_and_told(sabot, filled, tmp_path):
    backup, again = tmp_path / "log.backup", tmp_path / "again.backup"
    assert sabot("store", "backup", backup, "--database", filled)[0] == 0
    altered(backup, "UPDATE log_event SET version = 9 WHERE id = 3")
    code, _, told = sabot("store", "backup", again, "--database", backup)
    assert (code, "is a backup of the log" in told) == (3, False)
    assert told.startswith("sabot: the log is damaged: event 3 ")
    assert f"; {again} is a copy of it as it is, to be kept as evidence" in told
    assert again.exists()


def test_info_tells_how_far_signing_and_summary_tables_are(sabot, filled):
    """An event that was just recorded is in neither until `project` and a checkpoint."""
    with EventLog.open(filled) as log:
        log.append([coup(1, 3)])
        sabot("project", "--database", filled)
        log.append([coup(1, 4)])
        (info,) = json.loads(sabot("store", "info", "--database", filled, "--format", "json")[1])
        assert (info["events"], info["projected"], info["signed"]) == (8, 7, 6)
