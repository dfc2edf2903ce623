"""Files of a log that another program writes into while it is in use."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.database import sqlite_files
from sabot.infrastructure.database.sqlite_files import CHECKPOINT_COMMITS
from sabot.infrastructure.log.event_log import EventLog
from tests.support.thorough import slow


def draft(n):
    return NewEvent("shoe/A", ev.CoupOpened(n), device="cam", seq=n)


def _backup(path, old):
    with sqlite3.connect(path) as source, sqlite3.connect(old) as target:
        source.backup(target)
    source.close()
    target.close()


def copied_over(path):
    Path(path).write_bytes(Path(f"{path}.old").read_bytes())


def log_truncated(path):
    os.truncate(f"{path}-wal", 0)


def old_log_copied_over(path):
    Path(f"{path}-wal").write_bytes(Path(f"{path}.old-wal").read_bytes())


FAULTS = [copied_over, log_truncated, old_log_copied_over]


@pytest.fixture
def used(sqlite_url):
    with EventLog.open(sqlite_url) as log:
        for n in range(1, CHECKPOINT_COMMITS + 20):
            log.append([draft(n)])
            if n == 5:
                shutil.copy(sqlite_url, f"{sqlite_url}.old")
                shutil.copy(f"{sqlite_url}-wal", f"{sqlite_url}.old-wal")
        yield log, sqlite_url


@pytest.mark.parametrize("fault", FAULTS)
def test_a_writer_stops_at_a_file_overwritten_in_place(fault, used):
    log, path = used
    fault(path)
    for n in (1000, 1001):
        with pytest.raises(UntrustedLog, match="wrote into"):
            log.append([draft(n)])


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_overwritten_during_the_transaction_is_seen_before_the_acknowledgement(fault, used):
    log, path = used

    def write():
        with log.database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM rm_tracking")
            connection.exec_driver_sql("INSERT INTO rm_tracking VALUES ('x', 1)")
            fault(path)

    with pytest.raises(UntrustedLog, match="wrote into"):
        write()


PROGRAM = """
import os, sys
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog

with EventLog.open(sys.argv[1]) as log:
    log.append([NewEvent("shoe/A", ev.CoupOpened(9), device="cam", seq=9)])
    os.truncate(sys.argv[1] + "-wal", 0)
    log.append([NewEvent("shoe/A", ev.CoupOpened(10), device="cam", seq=10)])
"""


@slow
def test_a_truncated_log_is_not_moved_into_the_database_at_the_end(sqlite_url):
    with EventLog.open(sqlite_url) as log:
        log.append([draft(1)])
    before = Path(sqlite_url).read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, sqlite_url], capture_output=True, text=True, check=False
    )
    assert "wrote into" in done.stderr
    assert Path(sqlite_url).read_bytes() == before
    with EventLog.open(sqlite_url) as log:
        log.check()
        assert log.head() == 1


@slow
def test_writers_who_move_the_log_raise_no_alarm(sqlite_url, monkeypatch):
    """Each moves the write-ahead log into the database again and again."""
    monkeypatch.setattr(sqlite_files, "CHECKPOINT_COMMITS", 3)
    program = (
        "import sys\n"
        "from sabot.domain import events as ev\n"
        "from sabot.domain.events.envelope import NewEvent\n"
        "from sabot.infrastructure.database import sqlite_files\n"
        "from sabot.infrastructure.log.event_log import EventLog\n"
        "sqlite_files.CHECKPOINT_COMMITS = int(sys.argv[2])\n"
        "with EventLog.open(sys.argv[1]) as log:\n"
        "    for n in range(1, 151):\n"
        "        log.append([NewEvent('shoe/A', ev.CoupOpened(1), device=sys.argv[2], seq=n)])\n"
    )
    with EventLog.open(sqlite_url) as log:
        log.append([draft(1)])
        others = [
            subprocess.Popen([sys.executable, "-c", program, sqlite_url, str(number)])
            for number in (1, 2, 5)
        ]
        n = 1
        while any(other.poll() is None for other in others):
            n += 1
            log.append([draft(n)])
            if n % 7 == 0:  # as any other program
                with sqlite3.connect(sqlite_url) as other:
                    other.execute(f"PRAGMA wal_checkpoint({['TRUNCATE', 'PASSIVE'][n % 2]})")
                other.close()
        assert [other.returncode for other in others] == [0, 0, 0]
        log.check()
        assert log.head() == n + 450
