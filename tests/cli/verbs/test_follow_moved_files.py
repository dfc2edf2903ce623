"""Verbs that follow a log while its SQLite files are removed, renamed or replaced.

They stop with exit code 3: what is written from then on is in files that they do not see.
"""

import contextlib
import os
import shutil
from pathlib import Path

import pytest

from sabot.domain.values.errors import SabotError
from sabot.infrastructure.log.event_log import EventLog
from tests.cli.verbs.test_audit_follow import PATIENCE_S, following
from tests.support.faulty_log import clean_shoe, drafts, faulty_shoe, recorded
from tests.support.thorough import FULL


def remove(path: Path) -> None:
    path.unlink()


def rename(path: Path) -> None:
    path.rename(f"{path}.old")


def replace(path: Path) -> None:
    shutil.copy(path, f"{path}.copy")
    Path(f"{path}.copy").replace(path)


def remove_and_record_on(path: Path) -> None:
    path.unlink()
    # one who opens the log while the old files are in use may fail, or seem to succeed
    with (
        contextlib.suppress(SabotError),
        EventLog.open(str(path).removesuffix("-wal")) as log,
    ):
        log.append(drafts(faulty_shoe("H-3")))


FAULTS = {
    "removed": (remove, ""),
    "renamed": (rename, ""),
    "replaced": (replace, ""),
    "removed, and another log begun": (remove_and_record_on, ""),
    "wal removed": (remove, "-wal"),
    "wal replaced": (replace, "-wal"),
    "wal removed, and events recorded": (remove_and_record_on, "-wal"),
    "shm removed": (remove, "-shm"),
}


VERBS = ("audit", "detect", "project")


@pytest.mark.parametrize(
    ("verb", "name"),
    [
        (verb, name)
        for turn, name in enumerate(FAULTS)
        for verb in (VERBS if FULL else VERBS[turn % 3 :][:1])
    ],
)
def test_who_follows_stops_once_a_file_is_not_at_its_path(
    verb: str, name: str, sqlite_url: str
) -> None:
    fault, end = FAULTS[name]
    recorded(sqlite_url, clean_shoe())
    with following(sqlite_url, "jsonl", verb) as (process, _):
        fault(Path(f"{sqlite_url}{end}"))
        code = process.wait(timeout=PATIENCE_S)
        assert process.stderr is not None
        said = process.stderr.read()
    assert code == 3, said
    assert f"{sqlite_url}{end}" in said
    assert "somebody removed, renamed or replaced a file of the log" in said


def test_writers_that_come_and_go_raise_no_alarm(sqlite_url: str) -> None:
    """The follower's is the only connection in between. It goes on and sees what they write."""
    recorded(sqlite_url, clean_shoe())
    with following(sqlite_url, "jsonl") as (process, lines):
        for number in range(3, 8):
            with EventLog.open(sqlite_url) as log:
                log.append(drafts(faulty_shoe(f"H-{number}")))
            while f'"H-{number}"' not in lines.get(timeout=PATIENCE_S):
                pass  # of the shoe before
        assert process.poll() is None


def test_a_file_with_another_name_is_warned_of(sqlite_url: str) -> None:
    with EventLog.open(sqlite_url) as log:
        assert log.database.warnings == ()
    os.link(sqlite_url, f"{sqlite_url}.again")
    for read_only in (False, True):
        with EventLog.open(sqlite_url, read_only=read_only) as log:
            (warning,) = log.database.warnings
        assert f"{sqlite_url} has 2 names (hard links)" in warning
