"""``sabot findings``: a review is an event by a named person, on both stores."""

import hashlib
import json
import sqlite3

import pytest

from sabot.domain import events as ev
from sabot.domain.events import review as a
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import (
    FOUND,
    WRONG_CALL,
    WRONG_COMMISSION,
    clean_shoe,
    faulty_shoe,
    recorded,
    sabot,
)
from tests.support.thorough import one_store

pytestmark = one_store


def rows(capsys: pytest.CaptureFixture[str], url: str, *arguments: str) -> list[dict]:
    capsys.readouterr()
    assert sabot("findings", "--database", url, "--format", "json", *arguments) in {0, 1}
    return json.loads(capsys.readouterr().out)


def mark_of(capsys, url: str, code: str) -> str:
    (row,) = rows(capsys, url, "--all", "--rule", code)
    return row["fingerprint"]


def test_a_finding_from_found_to_resolved(capsys, database_url):
    recorded(database_url)
    assert {(row["code"], row["coup"]) for row in rows(capsys, database_url)} == FOUND
    assert {row["state"] for row in rows(capsys, database_url)} == {"open"}
    mark = mark_of(capsys, database_url, WRONG_CALL)
    said = (
        ("ack", "acknowledged", "seen"),
        ("comment", "acknowledged", "the tape shows a tie"),
        ("dispute", "disputed", "it was called right"),
        ("resolve", "resolved", "paid back"),
    )
    for verb, state, note in said:
        more = ("--as", "corrected") if verb == "resolve" else ()
        code = sabot(
            "findings", verb, mark[:10], "--by", "olga", "--note", note,
            "--database", database_url, *more,
        )  # fmt: skip
        assert code == 0
        (row,) = rows(capsys, database_url, "--all", "--rule", WRONG_CALL)
        assert row["state"] == state
        assert row["remarks"][-1]["note"] == note
    assert row["outcome"] == "corrected"
    assert [remark["what"] for remark in row["remarks"]] == [
        "acknowledged", "commented", "disputed", "resolved",
    ]  # fmt: skip
    assert {row["state"] for row in rows(capsys, database_url, "--state", "open")} == {"open"}
    assert len(rows(capsys, database_url, "--state", "open")) == len(FOUND) - 1


def test_what_is_said_is_kept_in_the_log_by_name(capsys, database_url):
    recorded(database_url)
    mark = mark_of(capsys, database_url, WRONG_COMMISSION)
    sabot("findings", "dispute", mark, "--by", "bob", "--note", "no", "--database", database_url)
    with EventLog.open(database_url) as log:
        (event,) = log.read("audit/findings")
    assert event.payload == a.FindingDisputed(mark, WRONG_COMMISSION, "H-1", "bob", 3, "no")
    assert event.actor == "bob"


def test_a_dispute_opens_a_resolved_finding_again(capsys, sqlite_url):
    recorded(sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_COMMISSION)
    for verb in ("resolve", "dispute"):
        more = ("--as", "confirmed") if verb == "resolve" else ()
        sabot("findings", verb, mark, "--by", "x", "--note", "y", *more, "--database", sqlite_url)
    (row,) = rows(capsys, sqlite_url, "--all", "--rule", WRONG_COMMISSION)
    assert (row["state"], row["outcome"]) == ("disputed", None)


@pytest.mark.parametrize("by", ["", "   "])
def test_who_says_so_has_a_name(capsys, sqlite_url, by):
    recorded(sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_COMMISSION)
    assert sabot("findings", "ack", mark, "--by", by, "--database", sqlite_url) == 2
    assert sabot("findings", "comment", mark, "--by", "x", "--note", " ",
                 "--database", sqlite_url) == 2  # fmt: skip
    (row,) = rows(capsys, sqlite_url, "--all", "--rule", WRONG_COMMISSION)
    assert row["state"] == "open"


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        (("--as", "confirmed"), "--note"),
        (("--as", "confirmed", "--note", "  "), "give the reason: --note TEXT"),
        (("--note", "paid back"), "--as"),
        (("--note", "paid back", "--as", "so-so"), "confirmed, dismissed, corrected"),
    ],
)
def test_who_resolves_says_why_and_to_what(capsys, sqlite_url, said, asks):
    recorded(sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_COMMISSION)
    code = sabot("findings", "resolve", mark, "--by", "x", *said, "--database", sqlite_url)
    assert code == 2
    assert asks in capsys.readouterr().err
    (row,) = rows(capsys, sqlite_url, "--all", "--rule", WRONG_COMMISSION)
    assert row["state"] == "open"


def test_a_resolved_finding_is_not_resolved_over_again(capsys, sqlite_url):
    recorded(sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_COMMISSION)
    said = ("--note", "y", "--as", "confirmed", "--database", sqlite_url)
    assert sabot("findings", "resolve", mark, "--by", "x", *said) == 0
    assert sabot("findings", "resolve", mark, "--by", "z", *said) == 2
    acknowledged = ["findings", "ack", mark, "--by", "z", "--database", sqlite_url]
    assert sabot(*acknowledged) == 2
    assert "is resolved already; dispute it to open it again" in capsys.readouterr().err
    (row,) = rows(capsys, sqlite_url, "--all", "--rule", WRONG_COMMISSION)
    assert [each["by"] for each in row["remarks"]] == ["x"]


def test_a_finding_whose_breach_is_gone_is_still_told(capsys, sqlite_url):
    recorded(sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_CALL)
    sabot("findings", "ack", mark, "--by", "olga", "--database", sqlite_url)
    with EventLog.open(sqlite_url) as log:
        shoe = log.read("shoe/H-1")
        call = next(
            e for e in shoe if isinstance(e.payload, ev.ResultCalled) and e.payload.coup == 3
        )
        right = ev.ResultCalled(3, 8, 9, "B")
        log.append(
            [NewEvent("shoe/H-1", ev.EventCorrected(call.version, "misheard", instead=right))]
        )
    (row,) = rows(capsys, sqlite_url, "--all", "--rule", WRONG_CALL)
    assert (row["fingerprint"], row["found"], row["outcome"]) == (mark, False, "corrected")
    assert rows(capsys, sqlite_url, "--rule", WRONG_CALL) == []


def test_filters(capsys, sqlite_url):
    recorded(sqlite_url, faulty_shoe("H-1"), faulty_shoe("H-3"), clean_shoe())
    assert {row["shoe"] for row in rows(capsys, sqlite_url, "--shoe", "H-3")} == {"H-3"}
    assert {row["dealer"] for row in rows(capsys, sqlite_url, "--dealer", "bob")} == {"bob"}
    grave = {row["code"] for row in rows(capsys, sqlite_url, "--severity", "high")}
    assert grave >= {code for code, _ in FOUND}
    assert rows(capsys, sqlite_url, "--severity", "low") == []
    # his commission, his tie, and the call by which he alone had too much
    assert len(rows(capsys, sqlite_url, "--patron", "p2")) == 2 * 3


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--patron", "P22"), "no patron 'P22' in the log; did you mean 'p2'?"),
        (("--dealer", "bobb"), "no dealer 'bobb' in the log; did you mean 'bob'?"),
        (("--dealer", "p2"), "no dealer 'p2' in the log; the crew on record is "),
        (("--rule", "mis-called-result"), f"did you mean '{WRONG_CALL}'?"),
        (("--rule", "B20"), "did you mean 'B2"),
        (("--shoe", "H1"), "no shoe 'H1' in the log; did you mean 'H-1'?"),
    ],
)
def test_a_misspelt_filter_is_no_empty_list(capsys, sqlite_url, option, told):
    recorded(sqlite_url)
    assert sabot("findings", *option, "--database", sqlite_url) == 2
    said = capsys.readouterr()
    assert (said.out, told in said.err) == ("", True), said.err


def test_a_fingerprint_that_is_no_findings(capsys, sqlite_url):
    recorded(sqlite_url)
    for digits in ("0" * 64, "abc", "zzzzzzzz"):
        assert sabot("findings", "ack", digits, "--by", "olga", "--database", sqlite_url) == 2
    mark = mark_of(capsys, sqlite_url, WRONG_CALL)
    assert sabot("findings", "ack", mark, "--by", "", "--database", sqlite_url) == 2
    assert sabot("findings", "ack", mark, "--database", sqlite_url) == 2
    with EventLog.open(sqlite_url) as log:
        assert log.version("audit/findings") == 0


def test_all_that_was_said_is_shown(capsys, sqlite_url):
    recorded(sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_CALL)
    sabot("findings", "ack", mark, "--by", "olga", "--note", "seen", "--database", sqlite_url)
    capsys.readouterr()
    assert sabot("findings", "show", mark[:8], "--format", "json", "--database", sqlite_url) == 0
    said = capsys.readouterr()
    (remark,) = json.loads(said.out)
    assert (remark["by"], remark["note"], remark["what"]) == ("olga", "seen", "acknowledged")
    assert f"{mark}: acknowledged" in said.err
    assert "\nat 20" in said.err
    assert "dealer " in said.err
    assert "\nrequired: " in said.err
    assert "\nrecorded: " in said.err


# -- Recorded runs ------------------------------------------------------------------------------


def runs(capsys, url: str) -> list[dict]:
    capsys.readouterr()
    assert sabot("findings", "runs", "--format", "json", "--database", url) == 0
    return json.loads(capsys.readouterr().out)


def test_a_run_is_recorded_and_can_be_run_again(capsys, database_url):
    recorded(database_url)
    with EventLog.open(database_url) as log:
        head, origin = log.head(), log.origin
    capsys.readouterr()
    code = sabot("audit", "--record", "--by", "sue", "--format", "json", "--database", database_url)
    assert code == 1
    written = capsys.readouterr().out
    (run,) = runs(capsys, database_url)
    assert (run["by"], run["origin"], run["last_index"]) == ("sue", origin, head)
    assert (run["shoes"], run["coups"], run["findings"]) == (2, 5, len(FOUND))
    assert {count["code"]: count["findings"] for count in run["counts"]} == {
        code: 1 for code, _ in FOUND
    }
    assert {pack["name"]: pack["shoes"] for pack in run["packs"]} == {"classic-8": 1, "midi": 1}
    assert run["result_sha256"] == hashlib.sha256(written.encode()).hexdigest()
    assert run["stale"] == ""
    # whoever has the log can run it again
    recorded(database_url, clean_shoe("H-9"))
    sabot("audit", "--until", f"#{head}", "--format", "json", "--database", database_url)
    assert capsys.readouterr().out == written


def test_a_run_goes_stale_when_a_shoe_has_grown(capsys, database_url):
    recorded(database_url)
    for shoes in ((), ("H-2",)):
        sabot("audit", *shoes, "--record", "--by", "sue", "--database", database_url)
    assert [run["stale"] for run in runs(capsys, database_url)] == ["", ""]
    with EventLog.open(database_url) as log:
        log.append(
            [NewEvent("shoe/H-1", ev.CoupOpened(5)), NewEvent("table/T1", ev.TableClosed(1))]
        )
    every, named = runs(capsys, database_url)
    assert (every["since"], every["stale"]) == (2, "2 events since")
    assert (named["named"], named["stale"]) == (["H-2"], "")
    assert sabot("findings", "--database", database_url) == 1
    assert "is stale" not in capsys.readouterr().err
    sabot("audit", "--record", "--by", "sue", "--database", database_url)
    recorded(database_url, clean_shoe("H-9"))
    for verb in ("findings", "audit"):
        sabot(verb, "--database", database_url)
        assert "is out of date: " in capsys.readouterr().err


def altered(url: str, *statements: str) -> None:
    """Change the log as its owner can: without the triggers that guard it."""
    with sqlite3.connect(url) as connection:
        guards = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in guards.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)


def test_a_run_shows_that_a_shoe_below_it_was_deleted(capsys, sqlite_url):
    recorded(sqlite_url, clean_shoe("H-0"))
    recorded(sqlite_url)
    sabot("audit", "--record", "--by", "sue", "--database", sqlite_url)
    with EventLog.open(sqlite_url) as log:
        gone, head = log.version("shoe/H-0"), log.head()
    # the other events move down, so that no index is missing
    altered(
        sqlite_url,
        "DELETE FROM log_event WHERE stream = 'shoe/H-0'",
        f"UPDATE log_event SET id = id - {gone} WHERE id > {gone}",
        f"UPDATE log_head SET last_id = {head - gone}",
    )
    (run,) = runs(capsys, sqlite_url)
    assert run["stale"].startswith("the log was altered: the audit went up to event #")


def test_a_run_shows_that_a_shoe_below_it_was_replaced(capsys, sqlite_url):
    """No event is missing: as many are in its place."""
    recorded(sqlite_url, clean_shoe("H-0"))
    recorded(sqlite_url)
    sabot("audit", "--record", "--by", "sue", "--database", sqlite_url)
    altered(sqlite_url, "UPDATE log_event SET stream = 'cards/B-0' WHERE stream = 'shoe/H-0'")
    (run,) = runs(capsys, sqlite_url)
    assert "3 shoes were audited, and the log has 2 of them" in run["stale"]


def test_a_run_shows_that_an_event_below_it_was_changed(capsys, sqlite_url):
    recorded(sqlite_url)
    sabot("audit", "--record", "--by", "sue", "--database", sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_CALL)
    said = ("--by", "olga", "--note", "trained", "--database", sqlite_url)
    assert sabot("findings", "resolve", mark, "--as", "confirmed", *said) == 0
    capsys.readouterr()
    assert sabot("findings", "--database", sqlite_url) == 1
    assert "does not hold" not in capsys.readouterr().err  # for what was said since
    altered(
        sqlite_url,
        "UPDATE log_event SET payload = replace(payload, '\"amount\":', '\"amount\":1')"
        " WHERE name = 'bet-paid'",
    )
    assert sabot("findings", "--database", sqlite_url) == 1
    assert "does not hold: the same audit has another result now" in capsys.readouterr().err


def test_a_run_by_other_rules_is_stale(capsys, sqlite_url):
    recorded(sqlite_url)
    run = a.AuditRun(
        by="sue", program="sabot 0.0.1", rulebook_sha256="0" * 64, source_sha256="0" * 64,
        origin="x", last_index=10_000, shoes=1, coups=1, result_sha256="0" * 64,
    )  # fmt: skip
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("audit/runs", run)])
    (row,) = runs(capsys, sqlite_url)
    assert row["stale"] == "the rules have changed since"


def test_what_was_said_survives_an_export(capsys, sqlite_url, postgres_url, tmp_path):
    recorded(sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_CALL)
    assert sabot("findings", "resolve", mark, "--by", "olga", "--note", "done",
                 "--as", "corrected", "--database", sqlite_url) == 0  # fmt: skip
    sabot("audit", "--record", "--by", "sue", "--database", sqlite_url)
    lines = tmp_path / "log.jsonl"
    assert sabot("export", "--database", sqlite_url, "-o", str(lines)) == 0
    assert sabot("import", "--database", postgres_url, str(lines)) == 0
    assert rows(capsys, postgres_url, "--all") == rows(capsys, sqlite_url, "--all")
    assert runs(capsys, postgres_url) == runs(capsys, sqlite_url)


def test_a_device_cannot_speak_of_findings(capsys, sqlite_url, monkeypatch):
    payload = {
        "type": "finding-resolved", "finding": "0" * 64, "code": "x", "shoe": "H", "by": "z",
    }  # fmt: skip
    from sabot.infrastructure.imports.record_line import read_record_line  # noqa: PLC0415

    for stream in ("audit/findings", "shoe/H"):
        with pytest.raises(Exception, match=r"stream|type"):
            read_record_line(json.dumps({"stream": stream, "fact": payload}).encode())


def test_the_events_can_be_told(capsys, sqlite_url):
    recorded(sqlite_url)
    mark = mark_of(capsys, sqlite_url, WRONG_CALL)
    sabot("findings", "ack", mark, "--by", "olga", "--note", "seen", "--database", sqlite_url)
    sabot("audit", "--record", "--by", "sue", "--database", sqlite_url)
    capsys.readouterr()
    assert sabot("log", "--database", sqlite_url, "--last", "2", "--format", "json") == 0
    told = [row["what"] for row in json.loads(capsys.readouterr().out)]
    assert told[0] == (
        f"olga acknowledged finding {mark[:12]}, {WRONG_CALL}, shoe H-1, in coup 3: seen"
    )
    assert told[1].startswith("sue audited 2 shoes, 5 coups, up to event ")


def test_another_person_at_the_same_time(sqlite_url):
    """Two who speak at once are both heard: what is said rests on nothing."""
    recorded(sqlite_url)
    with EventLog.open(sqlite_url) as one, EventLog.open(sqlite_url) as other:
        for log, by in ((one, "sue"), (other, "bob"), (one, "sue")):
            payload = a.FindingCommented("0" * 64, "x", "H-1", by)
            log.append([NewEvent(a.FINDINGS_STREAM, payload)])
        said = [event.payload.by for event in one.read(a.FINDINGS_STREAM)]  # type: ignore[union-attr]
    assert said == ["sue", "bob", "sue"]
