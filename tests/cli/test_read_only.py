"""Reading verbs never change the log's file and work on read-only media."""

import hashlib
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections import views
from tests.support.programs import run_program

READING = (
    ("tables",), ("shoes",), ("patrons",), ("ledger", "flat-1"), ("commission",), ("cards",),
    ("log",), ("log", "--patron", "flat-1"), ("show", "{shoe}"),
    ("audit",), ("findings",), ("explain", "{shoe}", "1"), ("detect",), ("export",),
    ("store", "info"),
)  # fmt: skip


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A log of one simulated shoe without summary tables, and the shoe's name."""
    path = tmp_path_factory.mktemp("recorded") / "log.sabot"
    made = ["simulate", "--shoes", "1", "--seed", "5", "--patrons", "flat:1"]
    assert guard(build(), [*made, "--database", str(path)]) == 0
    with EventLog.open(str(path), read_only=True) as log:
        (shoe,) = log.streams("shoe/")
    return path, shoe.stream.removeprefix("shoe/")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("verb", READING, ids=" ".join)
def test_a_reading_verb_changes_no_byte_of_a_file_that_can_be_written(
    recorded: tuple[Path, str], tmp_path: Path, verb: tuple[str, ...]
) -> None:
    path = Path(shutil.copy(recorded[0], tmp_path / "log.sabot"))
    before = sha256(path)
    words = [word.format(shoe=recorded[1]) for word in verb]
    assert guard(build(), [*words, "--database", str(path)]) in {0, 1}
    assert sha256(path) == before


def test_views_are_kept_beside_the_log_and_of_this_log(
    recorded: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(shutil.copy(recorded[0], tmp_path / "log.sabot"))
    shoes = ["shoes", "--format", "json", "--database", str(path)]
    assert guard(build(), shoes) == 0
    listed = capsys.readouterr().out
    beside = Path(f"{path}-views")
    assert beside.exists()
    assert guard(build(), shoes) == 0
    assert capsys.readouterr().out == listed
    # another log under the same name: the views of the former one are not shown
    path.unlink()
    with EventLog.open(str(path)) as log:
        log.append([NewEvent("table/T9", ev.TableOpened(5))])
    assert guard(build(), shoes) == 0
    assert "[]" in capsys.readouterr().out


@pytest.mark.parametrize(
    "verb",
    [
        ("show",),
        ("show", "{shoe}", "--at", "20:30"),
        ("log", "-n", "5"),
        ("log", "--shoe", "{shoe}"),
    ],
    ids=" ".join,
)
def test_a_verb_of_one_shoe_needs_no_summary_of_the_whole_log(
    recorded: tuple[Path, str], tmp_path: Path, verb: tuple[str, ...]
) -> None:
    path = Path(shutil.copy(recorded[0], tmp_path / "log.sabot"))
    words = [word.format(shoe=recorded[1]) for word in verb]
    assert guard(build(), [*words, "--database", str(path)]) == 0
    assert not Path(f"{path}-views").exists()


def test_views_that_cannot_be_written_are_kept_in_memory(
    recorded: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(shutil.copy(recorded[0], tmp_path / "log.sabot"))
    Path(f"{path}{views._SUFFIX}").mkdir()  # no file of that name can be opened
    assert guard(build(), ["shoes", "--format", "json", "--database", str(path)]) == 0
    assert recorded[1] in capsys.readouterr().out


WRITING_IN_A_LOG = (
    ("project",), ("audit", "--record", "--by", "eve"), ("detect", "--follow"),
    ("findings", "ack", "abcdef", "--by", "eve"), ("evidence", "init"), ("evidence", "checkpoint"),
    ("store", "secure"), ("store", "isolate", "1", "--by", "eve", "--note", "why"),
)  # fmt: skip


@pytest.mark.parametrize("verb", [*READING, *WRITING_IN_A_LOG], ids=" ".join)
def test_a_mistyped_path_creates_no_log(tmp_path: Path, verb: tuple[str, ...]) -> None:
    words = [word.format(shoe="A") for word in verb]
    assert guard(build(), [*words, "--database", str(tmp_path / "lgo.sabot")]) == 2
    assert list(tmp_path.iterdir()) == []


MOUNTED = """
import sys
from sabot.cli.console import guard
from sabot.cli.main import build
for words in {verbs!r}:
    code = guard(build(), [*words, "--database", {path!r}])
    assert code in {{0, 1}}, (words, code)
"""


def read_only_mount(folder: Path) -> bool:
    """Mount a folder over itself, read-only. Return whether this system permits it."""
    done = [
        subprocess.run(["mount", *words, str(folder)], check=False, capture_output=True)
        for words in (("--bind", str(folder)), ("-o", "remount,bind,ro"))
    ]
    return all(each.returncode == 0 for each in done)


@pytest.mark.parametrize("left_over", [False, True], ids=["closed", "with a write-ahead log"])
def test_every_reading_verb_works_on_a_read_only_mount(
    recorded: tuple[Path, str], tmp_path: Path, *, left_over: bool
) -> None:
    folder = tmp_path / "medium"
    folder.mkdir()
    path = folder / "log.sabot"
    shutil.copy(recorded[0], path)
    events = 1
    with EventLog.open(str(path)) as log:
        log.append([NewEvent("table/T9", ev.TableOpened(5))])
        events = log.head()
        if left_over:  # as a killed recorder leaves it: the last event is in the -wal alone
            for end in ("", "-wal"):
                shutil.copy(f"{path}{end}", folder / f"killed.sabot{end}")
    if left_over:
        path = folder / "killed.sabot"
    before = {each: sha256(each) for each in folder.iterdir() if not each.name.endswith("-shm")}
    mounted = os.geteuid() == 0 and read_only_mount(folder)
    if not mounted:
        for each in folder.iterdir():
            each.chmod(stat.S_IRUSR)
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        verbs = [[word.format(shoe=recorded[1]) for word in verb] for verb in READING]
        script = MOUNTED.format(verbs=verbs, path=str(path))
        done = run_program([sys.executable, "-c", script])
        assert done.returncode == 0, done.stderr[-2000:]
        with EventLog.open(str(path), read_only=True) as log:
            assert log.head() == events
        assert {each: sha256(each) for each in before} == before
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=False)
        else:
            folder.chmod(stat.S_IRWXU)
