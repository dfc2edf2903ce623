"""``sabot export``: the selection of events, and the output file."""

import io
import json
import os
import sqlite3
import stat
import sys

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.files.whole_file import whole_file
from sabot.infrastructure.log.event_log import EventLog
from tests.support.thorough import one_store, slow

pytestmark = one_store

LOADED = ev.ShoeLoaded(8, "", "0" * 64)


@pytest.fixture
def filled(database_url):
    """A log of two shoes and a table. Returns where it is."""
    with EventLog.open(database_url) as log:
        log.append(
            [
                NewEvent("shoe/A", LOADED),
                NewEvent("shoe/B\u00e9", LOADED),
                NewEvent("shoe/A", ev.CoupOpened(1)),
                NewEvent("table/T1", ev.TableClosed(5)),
            ]
        )
    return database_url


@pytest.fixture
def sabot(capsys):
    """Runs a command and returns exit code, output and talk."""

    def run(*arguments):
        code = guard(build(), arguments)
        return code, *capsys.readouterr()

    return run


def test_line_n_is_event_n(sabot, filled):
    code, out, err = sabot("export", "--database", filled)
    assert (code, err) == (0, "")
    events = [json.loads(line) for line in out.splitlines()]
    assert [(e["index"], e["stream"], e["version"], e["name"]) for e in events] == [
        (1, "shoe/A", 1, "shoe-loaded"),
        (2, "shoe/B\u00e9", 1, "shoe-loaded"),
        (3, "shoe/A", 2, "coup-opened"),
        (4, "table/T1", 1, "table-closed"),
    ]
    assert len({e["origin"] for e in events}) == 1


@pytest.mark.parametrize(
    ("options", "indexes"),
    [
        (["--shoe", "A"], [1, 3]),
        (["--shoe", "A", "--shoe", "B\u00e9"], [1, 2, 3]),
        (["--table", "T1"], [4]),
        (["--stream", "table/T1", "--shoe", "A"], [1, 3, 4]),
    ],
)
def test_some_streams_alone(options, indexes, sabot, filled):
    code, out, _ = sabot("export", *options, "--database", filled)
    assert code == 0
    assert [json.loads(line)["index"] for line in out.splitlines()] == indexes


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--shoe", "Z"], "no shoe 'Z' in the log; "),
        (["--table", "A"], "no table 'A'; a shoe has this name: --shoe A"),
        (["--stream", "A"], "no stream 'A' in the log; list events with: sabot log --database "),
    ],
)
def test_a_stream_that_is_not_there(options, says, sabot, filled, tmp_path):
    to = tmp_path / "out.jsonl"
    code, out, err = sabot("export", *options, "--database", filled, "-o", str(to))
    assert (code, out) == (2, "")
    assert says in err
    assert not to.exists()


def test_a_log_that_is_not_there_is_not_made(sabot, tmp_path):
    where = tmp_path / "none.sabot"
    code, _, err = sabot("export", "--database", str(where))
    assert code == 2
    assert str(where) in err
    assert not where.exists()


def test_through_a_pipe_into_another_log(sabot, filled, tmp_path, monkeypatch):
    _, out, _ = sabot("export", "--database", filled)
    copy = str(tmp_path / "copy.sabot")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(out.encode())))
    code, _, err = sabot("import", "-", "--database", copy)
    assert (code, err) == (0, "added 2 shoes, 1 coup, 4 events\n")
    _, again, _ = sabot("export", "--database", copy)
    here, there = ([json.loads(line) for line in each.splitlines()] for each in (out, again))
    origin = here[0]["origin"]
    assert [line["payload"] for line in here] == [line["payload"] for line in there]
    assert [line["source"] for line in there] == [f"{origin}#{n}" for n in (1, 2, 3, 4)]
    assert {line["origin"] for line in there} != {origin}


def test_a_whole_log_is_restored_into_an_empty_store_alone(sabot, filled, tmp_path):
    export, copy = tmp_path / "export.jsonl", str(tmp_path / "copy.sabot")
    sabot("export", "--database", filled, "-o", str(export))
    code, _, err = sabot("store", "restore", str(export), "--database", copy)
    assert code == 0
    assert err.startswith("restored 4 events of the log sabot/")
    assert "an export does not show whether its end is missing" in err
    assert sabot("export", "--database", copy)[1].encode() == export.read_bytes()
    code, _, err = sabot("store", "restore", str(export), "--database", copy)
    assert code == 2
    assert "has 4 events; restore into an empty one" in err


def test_an_empty_log_is_an_empty_export(sabot, database_url):
    assert sabot("export", "--database", database_url) == (0, "", "")


@slow
@pytest.mark.parametrize("rules", ["classic-6", "midi"])
def test_a_whole_shoe_goes_round(rules, sabot, tmp_path):
    """What is dealt here is exported, restored elsewhere, exported again, and audited alike."""
    here, there = str(tmp_path / "here.db"), str(tmp_path / "there.db")
    once, twice = tmp_path / "once.jsonl", tmp_path / "twice.jsonl"
    dealt = ("simulate", "--shoes", "1", "--rules", rules, "--seed", "7", "--database", here)
    assert sabot(*dealt)[0] == 0
    assert sabot("export", "--database", here, "-o", str(once))[0] == 0
    code, _, said = sabot("store", "restore", str(once), "--database", there)
    assert code == 0, said
    assert sabot("export", "--database", there, "-o", str(twice))[0] == 0
    assert twice.read_bytes() == once.read_bytes()
    audits = [sabot("audit", "--database", log, "--format", "json")[1] for log in (here, there)]
    assert audits[0] == audits[1]


def test_an_export_never_takes_the_place_of_its_log(sabot, tmp_path):
    log = tmp_path / "kept.db"
    with EventLog.open(str(log)) as kept:
        kept.append([NewEvent("shoe/A", LOADED)])
    link = tmp_path / "link.db"
    link.symlink_to(log)
    for name in (log, link, tmp_path / "kept.db-wal"):
        for verb in (("export",), ("log", "--format", "csv", "--force")):
            code, _, said = sabot(*verb, "--database", str(log), "-o", str(name))
            assert code == 2
            assert "unknown extension" in said or "choose another file" in said
    with EventLog.open(str(log)) as kept:
        assert kept.head() == 1


@pytest.mark.parametrize(
    "tampering",
    [
        "DELETE FROM log_event WHERE id = 2",
        "DELETE FROM log_event WHERE id = 4",
        "DELETE FROM log_head",
        "UPDATE log_event SET version = 9 WHERE id = 3",
        "UPDATE log_event SET name = 'coup-closed' WHERE id = 3",
        "UPDATE log_event SET payload = '{}' WHERE id = 3",
    ],
)
@pytest.mark.parametrize("verb", ["export", "audit"])
def test_a_tampered_log_is_not_trusted(verb, tampering, sabot, tmp_path):
    log = str(tmp_path / "log.db")
    with EventLog.open(log) as kept:
        kept.append(
            [
                NewEvent("shoe/A", LOADED),
                NewEvent("shoe/B", LOADED),
                NewEvent("shoe/A", ev.CoupOpened(1)),
                NewEvent("shoe/B", ev.CoupOpened(1)),
            ]
        )
    raw = sqlite3.connect(log)
    with raw:
        for (name,) in raw.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute(tampering)
    raw.close()
    assert sabot(verb, "--database", log)[0] == 3


def test_the_file_is_for_its_owner_and_replaces_none(sabot, filled, tmp_path):
    to, link, behind = tmp_path / "out.jsonl", tmp_path / "link", tmp_path / "behind"
    assert sabot("export", "--database", filled, "-o", str(to))[0] == 0
    assert stat.S_IMODE(to.stat().st_mode) == 0o600
    whole = to.read_bytes()
    assert whole.count(b"\n") == 4
    to.write_text("keep")
    behind.write_text("keep")
    link.symlink_to(behind)
    for place in (to, link):
        code, _, said = sabot("export", "--database", filled, "-o", str(place))
        assert (code, "exists already" in said) == (2, True)
        assert place.read_text() == "keep"
        assert sabot("export", "--database", filled, "-o", str(place), "--force")[0] == 0
        assert place.read_bytes() == whole
    assert not link.is_symlink()
    assert behind.read_text() == "keep"
    assert {path.name for path in tmp_path.iterdir()} >= {"out.jsonl", "link", "behind"}
    assert not list(tmp_path.glob(".*"))


def test_a_link_to_a_pipe_is_not_followed(sabot, filled, tmp_path):
    """Whoever put the link there would read the export."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        code, _, said = sabot("export", "--database", filled, "-o", str(link))
        assert (code, "exists already" in said) == (2, True)
        assert sabot("export", "--database", filled, "-o", str(link), "--force")[0] == 0
        assert not os.read(reader, 1)
        assert link.is_file()
        # the same pipe as the shell names it behind ">(": written to
        writer = os.open(pipe, os.O_WRONLY)
        assert sabot("export", "--database", filled, "-o", f"/proc/self/fd/{writer}")[0] == 0
        os.close(writer)
        assert os.read(reader, 1 << 16) == link.read_bytes()
    finally:
        os.close(reader)


def test_a_report_is_for_its_owner_and_keeps_the_rights_of_its_file(sabot, filled, tmp_path):
    report = tmp_path / "log.csv"
    assert sabot("log", "--database", filled, "-o", str(report))[0] == 0
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    report.chmod(0o640)
    assert sabot("log", "--database", filled, "-o", str(report), "--force")[0] == 0
    assert stat.S_IMODE(report.stat().st_mode) == 0o640


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    place = tmp_path / "out.jsonl"
    writing = whole_file(place, replace=False)
    writing.__enter__().write_text("new")
    place.write_text("keep")
    with pytest.raises(BadInput, match="exists already"):
        writing.__exit__(None, None, None)
    assert place.read_text() == "keep"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]
