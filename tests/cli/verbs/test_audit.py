"""``sabot audit``: its output in every format, and its exit codes."""

import contextlib
import hashlib
import json
import re
import sqlite3
import tomllib

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RULES
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.infrastructure.imports.coup_line import coup_from
from sabot.infrastructure.imports.coup_line_events import events_of
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import pack_text, shoe_loaded
from tests.support.coup_notation import Felt
from tests.support.faulty_log import (
    FOUND,
    WRONG_CALL,
    WRONG_COMMISSION,
    WRONG_DRAW,
    WRONG_PAYOUT,
    clean_shoe,
    drafts,
    faulty_shoe,
    recorded,
    sabot,
)
from tests.support.thorough import one_store, slow

pytestmark = one_store


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    sabot("audit", *arguments, "--format", "json")
    return json.loads(capsys.readouterr().out)


def test_the_document_has_what_was_found_and_what_it_rests_on(capsys, database_url):
    recorded(database_url)
    audit = document(capsys, "--database", database_url)
    assert (audit["shoes"], audit["coups"]) == (2, 5)
    assert {(found["code"], found["coup"]) for found in audit["findings"]} == FOUND
    assert [rule["code"] for rule in audit["rules"]] == [rule.code for rule in RULES]
    for rule in audit["rules"]:
        assert rule["looked"] or rule["not_applicable"], rule
    packs = {pack["name"]: pack for pack in audit["packs"]}
    assert packs.keys() == {"classic-8", "midi"}
    text = pack_text("midi")
    assert packs["midi"]["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert packs["midi"]["recalled"] == tomllib.loads(text)["recalled"]
    assert any("clocks of two devices" in said for said in packs["midi"]["recalled"])


def test_who_was_there_and_what_it_cost(capsys, database_url):
    recorded(database_url)
    findings = document(capsys, "--database", database_url)["findings"]
    by_code = {found["code"]: found for found in findings}
    drew = by_code[WRONG_DRAW]
    assert (drew["dealer"], drew["supervisor"], drew["patron"]) == ("ann", "sue", None)
    # player 9 to 7 was paid; by the tableau banker wins 7 to 6
    assert drew["money"]["patrons"] == {"p1": 2000, "p2": -390}
    assert (drew["money"]["house"], drew["money"]["currency"]) == (-1610, "EUR")
    short = by_code[WRONG_COMMISSION]
    assert (short["dealer"], short["patron"], short["money"]["house"]) == ("bob", "p2", -25)


def test_exit_codes(capsys, sqlite_url, tmp_path):
    recorded(sqlite_url)
    assert sabot("audit", "--database", sqlite_url) == 1
    assert sabot("audit", "H-2", "--database", sqlite_url) == 0
    assert sabot("audit", "H-3", "--database", sqlite_url) == 2
    assert sabot("audit", "--database", str(tmp_path / "none.db")) == 2
    assert not (tmp_path / "none.db").exists()
    assert sabot("audit", "--database", sqlite_url, "--record") == 2
    assert sabot("audit", "--database", sqlite_url, "--by", "sue") == 2
    assert sabot("audit", "--database", sqlite_url, "--until", "#9999") == 2
    assert sabot("audit", "--database", sqlite_url, "--follow", "--format", "html") == 2
    assert sabot("audit", "--database", sqlite_url, "--follow", "--until", "3") == 2


def test_an_audit_of_nothing_is_an_error(capsys, sqlite_url):
    for form in ("json", "table", "html"):
        assert sabot("audit", "--database", sqlite_url, "--format", form) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "nothing to audit; check --database" in said.err
    assert sabot("audit", "--database", sqlite_url, "--record", "--by", "sue") == 2
    assert sabot("log", "--database", sqlite_url, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == []
    recorded(sqlite_url)
    assert sabot("audit", "--database", sqlite_url, "--until", "0") == 2


def test_parameters_without_a_source_are_listed_for_who_asks(capsys, sqlite_url):
    recorded(sqlite_url)
    sabot("audit", "--database", sqlite_url, "--explain-skips")
    said = capsys.readouterr().err
    assert "parameters of rule pack classic-8 without a cited source:\n  the shoe passes" in said
    assert (
        "parameters of rule pack midi without a cited source:\n  source known but not read: a"
        in said
    )
    sabot("audit", "--database", sqlite_url)
    assert "without a cited source" not in capsys.readouterr().err


def test_the_audit_ends_with_findings_and_counts_of_rules(capsys, sqlite_url):
    recorded(sqlite_url)
    sabot("audit", "--database", sqlite_url)
    *_, head, net, rules = capsys.readouterr().err.splitlines()
    assert head.startswith(f"{len(FOUND)} findings (")
    assert head.endswith(" in 2 shoes, 5 coups")
    # -16.10 by a draw, -0.25 by commission, -5.00 by a tie
    assert net == "net effect: house short 21.35 EUR"
    counts = re.fullmatch(
        r"rules: (\d+) applied, (\d+) not applicable "
        r"\((\d+) other game, (\d+) not required by the rule pack, (\d+) nothing to check, "
        r"(\d+) not due yet, (\d+) record incomplete\); --explain-skips lists them",
        rules,
    )
    assert counts is not None, rules
    applied, skipped, *kinds = map(int, counts.groups())
    assert applied + skipped == len(RULES)
    assert sum(kinds) == skipped


def test_every_rule_that_was_not_applied_is_listed_once(capsys, sqlite_url):
    recorded(sqlite_url)
    audit = document(capsys, "--database", sqlite_url)
    idle = sorted(rule["code"] for rule in audit["rules"] if not rule["looked"])
    sabot("audit", "--database", sqlite_url, "--explain-skips")
    signed, *lines = capsys.readouterr().err.splitlines()
    assert signed.startswith("record: ")
    assert max(map(len, lines[:-1])) <= 80
    listed = [line.strip(" ,") for line in lines if line.startswith("    ")]
    codes = [rule.split()[-1] for line in listed for rule in line.split(", ")]
    assert sorted(code for code in codes if code in set(idle)) == idle
    for kind in ("other game", "not required by the rule pack", "nothing to check"):
        assert f"not applicable, {kind}:" in lines


def test_the_rule_packs_of_many_shoes_take_as_many_lines_as_they_need(capsys, sqlite_url):
    names = ("chemin-de-fer-france", "deux-tableaux-france-open", "ez-baccarat", "midi", "super-6")
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent(f"shoe/{name}", shoe_loaded(name)) for name in names])
    assert sabot("audit", "--database", sqlite_url) == 0
    lines = capsys.readouterr().err.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("rule packs: "))
    two = lines[first : first + 2]
    assert all(f"{name} version" in " ".join(two) for name in names)
    assert all(len(line) <= 80 for line in two)


def test_bets_on_unknown_wagers_are_told(capsys, sqlite_url):
    """An import refuses them; a device may send them."""
    bets = [{"patron": "ann", "wager": wager, "amount": 500, "net": -500}
            for wager in ("draw", "draw", "bankr", "lucky-9")]  # fmt: skip
    coup = {"shoe": "I-1", "coup": 1, "player": ["4", "5"], "banker": ["K", "8"], "bets": bets}
    loaded = msgspec.structs.replace(shoe_loaded(scope="coups"), pack_named=False)
    with EventLog.open(sqlite_url) as log:
        payloads = (loaded, *events_of(1, coup_from(coup).content))
        log.append([NewEvent("shoe/I-1", payload) for payload in payloads])
    sabot("audit", "--database", sqlite_url, "--format", "json")
    said = capsys.readouterr()
    assert "2 bets not judged: wager 'draw' is not in classic-8; did you mean 'tie'?" in said.err
    assert "1 bet not judged: wager 'bankr' is not in classic-8; did you mean 'banker'?" in said.err
    assert "1 bet not judged: wager 'lucky-9' is not in classic-8\n" in said.err
    assert "classic-8 version 2 (assumed: the record names none)" in said.err
    assert [(one["wager"], one["bets"], one["meant"]) for one in
            json.loads(said.out)["bets_not_judged"]] == [
        ("bankr", 1, "banker"), ("draw", 2, "tie"), ("lucky-9", 1, None)]  # fmt: skip
    sabot("audit", "--database", sqlite_url, "--format", "html")
    assert "1 bet not judged: wager &#39;lucky-9&#39; is not" in capsys.readouterr().out


CLOCK = "2026-01-01T20:00:00Z"
FORMS = ("table", "tsv", "json", "jsonl", "csv", "sarif", "html")


@slow
def test_the_same_log_gives_the_same_bytes_however_many_work(database_url, tmp_path):
    shoes = [faulty_shoe("H-1"), clean_shoe("H-2"), faulty_shoe("H-3"), clean_shoe("H-4")]
    recorded(database_url, *shoes)
    for form in FORMS:
        written = []
        for number, workers in enumerate(("1", "2", "1") if form == "jsonl" else ("1", "1")):
            path = tmp_path / f"{number}.{form}"
            code = sabot(
                "audit", "--database", database_url, "--workers", workers,
                "--format", form, "-o", str(path),
            )  # fmt: skip
            assert code == 1
            written.append(path.read_bytes())
        assert len(set(written)) == 1, form
        assert written[0]


def test_the_name_of_the_file_chooses_the_shape(sqlite_url, tmp_path):
    recorded(sqlite_url)
    for name, begins in (("a.html", "<!doctype"), ("b.sarif", "{"), ("c.csv", "severity,")):
        sabot("audit", "--database", sqlite_url, "-o", str(tmp_path / name))
        assert (tmp_path / name).read_text().startswith(begins)


def test_the_log_as_it_stood_is_audited_as_it_was(capsys, database_url):
    events = faulty_shoe()
    with EventLog.open(database_url) as log:
        log.append(drafts(events))
    before = document(capsys, "--database", database_url)
    recorded(database_url, clean_shoe(), faulty_shoe("H-3"))
    with EventLog.open(database_url) as log:
        drew = next(event for event in events if _is_third_of(event.payload, 1))
        mended = ev.EventCorrected(drew.version, "misread")
        log.append([NewEvent(drew.stream, mended)])
    assert document(capsys, "--database", database_url) != before
    again = document(capsys, "--database", database_url, "--until", f"#{len(events)}")
    assert again == before


def _is_third_of(payload: ev.Event, coup: int) -> bool:
    return isinstance(payload, ev.CardDrawn) and payload.coup == coup and payload.card == "3"


def test_a_record_without_clocks_has_the_logs_clock(capsys, sqlite_url):
    with EventLog.open(sqlite_url, clock=lambda: 5_000_000) as log:
        felt = Felt(stream="shoe/X", coverage="coups").put(ev.CoupOpened(1))
        felt.cards("P 2 4 3  B K 7").put(ev.CoupClosed(1))
        log.append([NewEvent("shoe/X", event.payload) for event in felt.events])
    (found,) = document(capsys, "--database", sqlite_url)["findings"]
    assert (found["at"], found["clock"]) == ("1970-01-01T00:00:05Z", "recorded")
    assert found["money"]["unknown"] == "the record may lack bets"


def test_findings_are_the_same_in_another_store(capsys, sqlite_url, postgres_url):
    """The same evening, dealt into one log behind another shoe, into the other before it."""
    recorded(sqlite_url, clean_shoe(), faulty_shoe())
    recorded(postgres_url, faulty_shoe(), clean_shoe())
    marks = [
        {found["fingerprint"] for found in document(capsys, "--database", url)["findings"]}
        for url in (sqlite_url, postgres_url)
    ]
    assert marks[0] == marks[1]
    assert len(marks[0]) == len(FOUND)


def test_the_length_of_the_log_decides_how_many_workers_audit_it(monkeypatch, sqlite_url):
    recorded(sqlite_url, clean_shoe())
    asked = []
    chosen = "sabot.infrastructure.audits.audit_run.usual_workers"
    monkeypatch.setattr(chosen, lambda events: asked.append(events) or 1)
    assert sabot("audit", "--database", sqlite_url) == 0
    with EventLog.open(sqlite_url) as log:
        assert asked == [log.head()]
        name = log.streams("shoe/")[0].stream.removeprefix("shoe/")
    # somebody else decided, and a shoe is not shared out
    assert sabot("audit", "--database", sqlite_url, "--workers", "1") == 0
    assert sabot("audit", name, "--database", sqlite_url) == 0
    assert len(asked) == 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_log_that_was_tampered_with_is_not_audited(capsys, sqlite_url, workers):
    recorded(sqlite_url)
    with contextlib.closing(sqlite3.connect(sqlite_url)) as connection:
        guards = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in guards.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM log_event WHERE stream = 'shoe/H-1' AND version = 9")
        connection.commit()
    assert sabot("audit", "--database", sqlite_url, "--workers", workers) == 3
    assert "missing" in capsys.readouterr().err


def test_a_record_imported_again_otherwise_gives_the_same_names(capsys, sqlite_url, tmp_path):
    """All at once into one log; last coup first, without clocks and file by file, into another."""
    lines = [
        {"shoe": "I-1", "coup": 1, "player": ["2", "4", "K"], "banker": ["3", "4"]},
        {"shoe": "I-1", "coup": 2, "player": ["4", "5"], "banker": ["K", "8"],
         "called": {"player": 9, "banker": 8, "outcome": "B"}},
        {"shoe": "I-1", "coup": 3, "player": ["4", "4"], "banker": ["K", "9"],
         "bets": [{"patron": "p0", "wager": "tie", "amount": 500, "net": 0},
                  {"patron": "p0", "wager": "banker", "amount": 500, "net": 500}]},
    ]  # fmt: skip
    other = str(tmp_path / "other.db")
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(json.dumps({**line, "at": CLOCK}) + "\n" for line in lines))
    assert sabot("import", str(whole), "--database", sqlite_url) == 0
    for line in reversed(lines):
        part = tmp_path / f"{line['coup']}.jsonl"
        part.write_text(json.dumps(line) + "\n")
        assert sabot("import", str(part), "--database", other) == 0
    capsys.readouterr()
    marks = [
        {
            found["fingerprint"]: found["code"]
            for found in document(capsys, "--database", url)["findings"]
        }
        for url in (sqlite_url, other)
    ]
    assert marks[0] == marks[1]
    assert sorted(marks[0].values()) == [
        "losing-bet-not-taken", WRONG_CALL, WRONG_DRAW,
        WRONG_PAYOUT,
    ]  # fmt: skip


def shoe_in_doubt() -> list[RecordedEvent]:
    """Two coups by two devices: of the second, nobody knows whether its bet was in time."""
    felt = Felt(pack_text("classic-8") + "\n[clocks]\ntolerance_ms = 250\n", stream="shoe/H-4")
    felt.ready().coup("p1 player 500 | P 4 5  B K 8")
    at = 1000 * len(felt.payloads) + 10_000
    felt.tell("d", at, ev.CoupOpened(2)).tell("d", at + 5000, ev.NoMoreBets(2))
    return felt.tell("chips", at + 4900, ev.BetPlaced(2, 1, "p1", "player", 500)).events


DOUBT = (
    "the order of the bet and of the call of no more bets is doubtful: "
    "100 ms apart, two devices, tolerance 250 ms"
)


@pytest.mark.parametrize("form", FORMS)
def test_what_a_doubtful_order_leaves_unjudged_is_said_beside_a_clean_result(
    capsys, sqlite_url, form
):
    with EventLog.open(sqlite_url) as log:
        log.append(
            [
                NewEvent(each.stream, each.payload, each.at_us, "ann", each.device)
                for each in shoe_in_doubt()
            ]
        )
    assert sabot("audit", "--database", sqlite_url, "--format", form) == 0
    said = capsys.readouterr().err
    assert f"past-posted-bet not judged 1 time: {DOUBT}\n" in said
    # the same rule has judged the other coup
    assert "order of events unknown" not in said
