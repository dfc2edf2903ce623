"""Every verb that reads a complete log reports damage with the same exit code.

The summary tables were brought up to date before the damage, so that no verb is saved by them.
"""

import shutil
import sqlite3
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.events import review as a
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import recorded, sabot
from tests.support.thorough import every_third, slow

WHOLE = (
    ("audit",), ("findings",), ("detect",), ("export",), ("log",), ("log", "--name", "shoe-ended"),
    ("shoes",), ("tables",), ("patrons",), ("ledger", "p1"), ("commission",), ("cards",),
    ("project",), ("report", "statistical-win"), ("verify",),
    ("findings", "runs"), ("store", "check", "--views"),
)  # fmt: skip
OF_ONE_SHOE = (
    ("show", "H-2"), ("explain", "H-2", "1"), ("replay", "H-2"), ("odds", "--shoe", "H-2"),
    ("audit", "H-2"), ("findings", "--shoe", "H-2"), ("export", "--shoe", "H-2"),
    ("log", "--shoe", "H-2"),
)  # fmt: skip
HEAD = "(SELECT last_id FROM log_head)"
LAST_OF_H1 = "(SELECT max(version) FROM log_event WHERE stream = 'shoe/H-1')"

CUT = {
    "a shoe is deleted": "DELETE FROM log_event WHERE stream = 'shoe/H-1'",
    "the first event is deleted": "DELETE FROM log_event WHERE id = 1",
    "the end is cut off": f"DELETE FROM log_event WHERE id > {HEAD} - 3",
    "the head is moved back": "UPDATE log_head SET last_id = last_id - 2",
    "the head is moved on": "UPDATE log_head SET last_id = last_id + 1",
    "the head is gone": "DELETE FROM log_head",
    "an index is skipped": f"UPDATE log_event SET id = id + 1 WHERE id = {HEAD}",
}
"""What concerns the ends of the log, which every verb checks."""
DAMAGED = {
    "an event is deleted": "DELETE FROM log_event WHERE id = 7",
    "a version is skipped":
        f"UPDATE log_event SET version = version + 5 WHERE version = {LAST_OF_H1}"
        " AND stream = 'shoe/H-1'",
    "a version is below 1":
        f"UPDATE log_event SET version = 0 WHERE version = {LAST_OF_H1} AND stream = 'shoe/H-1'",
    "a version is the greatest number":
        f"UPDATE log_event SET version = {2**63 - 1} WHERE version = {LAST_OF_H1}"
        " AND stream = 'shoe/H-1'",
    "two versions are exchanged":
        "UPDATE log_event SET version = CASE version WHEN 5 THEN 900 ELSE 5 END"
        " WHERE stream = 'shoe/H-1' AND version IN (5, 6);"
        "UPDATE log_event SET version = 6 WHERE stream = 'shoe/H-1' AND version = 900",
    "an event is moved to another stream":
        f"UPDATE log_event SET stream = 'shoe/H-7' WHERE version = {LAST_OF_H1}"
        " AND stream = 'shoe/H-1'",
    "a payload is no JSON": "UPDATE log_event SET payload = '{' WHERE id = 4",
    "a payload is of another kind":
        "UPDATE log_event SET payload = '{\"coup\":1,\"type\":\"coup-closed\"}' WHERE id = 4",
    "a name is changed": "UPDATE log_event SET name = 'coup-closed' WHERE id = 4",
    "a payload lacks a key":
        "UPDATE log_event SET payload = '{\"type\":\"' || name || '\"}'"
        " WHERE name = 'bet-placed' AND stream = 'shoe/H-1'",
    "a table's event is no event":
        "UPDATE log_event SET payload = '[]' WHERE stream LIKE 'table/%'",
    "a remark is no event": "UPDATE log_event SET payload = '[]' WHERE stream LIKE 'audit/%'",
}  # fmt: skip
"""What lies within the log and does not concern the shoe H-2."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of two shoes, a table and a remark, with its summary tables up to date."""
    path = tmp_path_factory.mktemp("sound") / "log.sabot"
    recorded(str(path))
    with EventLog.open(str(path)) as log:
        log.append([NewEvent("table/T1", ev.TableOpened(5))])
        log.append(
            [NewEvent(a.FINDINGS_STREAM, a.FindingCommented("0" * 64, "x", None, "sue", note="no"))]
        )
    assert sabot("project", "--database", str(path)) == 0
    with sqlite3.connect(path) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
    connection.close()
    return path


def codes(path: Path, verbs: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    return {" ".join(verb): sabot(*verb, "--database", str(path)) for verb in verbs}


def damaged(sound: Path, folder: Path, statements: str) -> Path:
    path = Path(shutil.copy(sound, folder / "log.sabot"))
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements.split(";"):
            assert connection.execute(statement).rowcount > 0, statement
    connection.close()
    return path


@slow
def test_a_sound_log_is_not_refused(sound: Path) -> None:
    assert set(codes(sound, WHOLE).values()) <= {0, 1}
    assert set(codes(sound, OF_ONE_SHOE).values()) <= {0, 1}


@every_third
@pytest.mark.parametrize("how", [*CUT, *DAMAGED])
def test_every_verb_that_reads_the_whole_log_gives_one_verdict(
    sound: Path, tmp_path: Path, how: str
) -> None:
    path = damaged(sound, tmp_path, (CUT | DAMAGED)[how])
    assert codes(path, WHOLE) == {" ".join(verb): 3 for verb in WHOLE}


@pytest.mark.parametrize("how", [*CUT, *DAMAGED])
def test_the_information_on_a_log_tells_that_only_its_ends_were_checked(
    sound: Path, tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = damaged(sound, tmp_path, (CUT | DAMAGED)[how])
    assert codes(path, (("store", "info"),)) == {"store info": 3 if how in CUT else 0}
    assert how in CUT or "only the ends of the log were checked" in capsys.readouterr().err


@pytest.mark.parametrize("how", DAMAGED)
def test_a_damaged_log_without_summary_tables_is_told(
    sound: Path, tmp_path: Path, how: str
) -> None:
    path = damaged(sound, tmp_path, DAMAGED[how])
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM rm_tracking")
    connection.close()
    assert codes(path, (("store", "check", "--views"),)) == {"store check --views": 3}


@every_third
@pytest.mark.parametrize("how", [*CUT, *DAMAGED])
def test_a_verb_of_one_shoe_checks_the_head_and_tells_what_else_it_did_not_check(
    sound: Path, tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = damaged(sound, tmp_path, (CUT | DAMAGED)[how])
    found = codes(path, OF_ONE_SHOE)
    if how in CUT:
        assert found == {" ".join(verb): 3 for verb in OF_ONE_SHOE}
        return
    reads_remarks = {found.pop("findings --shoe H-2"), found.pop("audit H-2")}
    assert reads_remarks <= ({3} if how == "a remark is no event" else {0, 1})
    assert set(found.values()) <= {0, 1}, found
    said = capsys.readouterr().err
    note = "H-2 and the end of the log were checked for missing or damaged events"
    assert said.count(note) >= len(found)


OWN = {
    "an event is deleted": "DELETE FROM log_event WHERE stream = 'shoe/H-2' AND version = 5",
    "a version is below 1":
        "UPDATE log_event SET version = 0 WHERE stream = 'shoe/H-2' AND version = 5",
    "two versions are exchanged":
        DAMAGED["two versions are exchanged"].replace("H-1", "H-2"),
}  # fmt: skip


@pytest.mark.parametrize("how", OWN)
def test_a_verb_of_one_shoe_finds_each_damage_of_that_shoe(
    sound: Path, tmp_path: Path, how: str
) -> None:
    path = damaged(sound, tmp_path, OWN[how])
    report = ("report", "shoe-record", "--shoe", "H-2")
    assert set(codes(path, (*OF_ONE_SHOE, report)).values()) == {3}


def test_the_report_of_a_shoe_tells_that_only_it_was_checked(
    sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = damaged(sound, tmp_path, DAMAGED["an event is deleted"])
    codes(path, (("report", "shoe-record", "--shoe", "H-2"),))
    assert "only shoe H-2 and the end of the log were checked" in capsys.readouterr().err


MADE_ANEW = {
    "a version is text": "UPDATE log_event SET version = 'abc' WHERE id = 7",
    "a stream is null": "UPDATE log_event SET stream = NULL WHERE id = 7",
    "a stream is a number": "UPDATE log_event SET stream = 5, version = 1 WHERE id = 7",
    "a clock is real": "UPDATE log_event SET at_us = 0.5 WHERE id = 7",
    "a clock is null": "UPDATE log_event SET recorded_us = NULL WHERE id = 7",
    "an index is null": "UPDATE log_event SET id = NULL WHERE id = 7",
    "an actor is null": "UPDATE log_event SET actor = NULL WHERE id = 7",
    "a payload is a blob": "UPDATE log_event SET payload = CAST(payload AS BLOB) WHERE id = 7",
    "two events have one index": "UPDATE log_event SET id = 7 WHERE id = 8",
    "a login is no text": "UPDATE log_event SET login = CAST(x'ff' AS TEXT) WHERE id = 7",
    "the checkpoints are gone": "DROP TABLE evidence_checkpoint",
}


@every_third
@pytest.mark.parametrize("how", MADE_ANEW)
def test_a_table_made_anew_ends_every_verb_of_the_whole_log_with_one_verdict(
    sound: Path, tmp_path: Path, how: str
) -> None:
    path = Path(shutil.copy(sound, tmp_path / "log.sabot"))
    connection = sqlite3.connect(path)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(log_event)")]
    connection.executescript(
        f"CREATE TABLE anew ({', '.join(columns)}); INSERT INTO anew SELECT * FROM log_event;"
        f"DROP TABLE log_event; ALTER TABLE anew RENAME TO log_event; {MADE_ANEW[how]}"
    )
    connection.close()
    found = codes(path, WHOLE)
    assert found == {" ".join(verb): 3 for verb in WHOLE}
