"""Reviews made under former rule codes stay with their findings.

`tests/data/former-codes.jsonl` is the export of a log that the program at commit fffc578 wrote, the
last one with the former codes: a shoe with four breaches and a table with one, something said of
each by ``sabot findings``, and an audit that was recorded. Nothing in it was written by hand.
"""

import json
from itertools import product
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.events import review as a
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import WRONG_CALL, WRONG_COMMISSION, WRONG_DRAW, WRONG_PAYOUT, sabot
from tests.support.thorough import a_part, one_store

pytestmark = one_store

FORMER = Path(__file__).parents[2] / "data" / "former-codes.jsonl"
SAID = {
    "T101": (
        WRONG_DRAW,
        "punto-drew-against-tableau",
        "acknowledged",
        "51eacf00574b",
    ),
    "C103": (WRONG_CALL, "outcome-was-miscalled", "disputed", "905e812e8b25"),
    "P204": (WRONG_COMMISSION, "commission-was-wrong", "resolved", "0db7f4fe87bb"),
    "P201": (WRONG_PAYOUT, "winning-bet-was-paid-wrong", "open", "7940566e85e5"),
    "R402": ("unmatched-table-event", "table-fact-has-no-ground", "acknowledged", "21d3b0a53e42"),
}
"""By the number of the rule: its codes, the state of the finding, its former fingerprint."""


@pytest.fixture
def url(database_url: str) -> str:
    assert sabot("import", str(FORMER), "--database", database_url) == 0
    return database_url


def rows(capsys: pytest.CaptureFixture[str], url: str, *arguments: str) -> list[dict]:
    capsys.readouterr()
    assert sabot("findings", *arguments, "--format", "json", "--database", url) in {0, 1}
    return json.loads(capsys.readouterr().out)


def test_what_was_said_is_with_the_finding(capsys, url):
    found = rows(capsys, url, "--all")
    told = {
        row["number"]: (row["code"], row["former_code"], row["state"], row["former_fingerprint"])
        for row in found
    }
    assert {number: (*said[:3], said[3][:12]) for number, said in told.items()} == SAID
    for row in found:
        assert row["found"]
        assert row["fingerprint"] != row["former_fingerprint"]
        (remark,) = row["remarks"]
        assert remark["by"] == "sue"
        assert remark["note"].endswith(" by the old program")


@pytest.mark.parametrize("called", ["C103", "c103", WRONG_CALL, "outcome-was-miscalled"])
def test_a_rule_may_be_called_by_each_of_its_names(capsys, url, called):
    assert [row["number"] for row in rows(capsys, url, "--all", "--rule", called)] == ["C103"]


def test_a_rule_that_is_none_is_refused(capsys, sqlite_url):
    with EventLog.open(sqlite_url):
        pass
    assert sabot("findings", "--rule", "C199", "--database", sqlite_url) == 2
    assert "there is no rule 'C199'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "key"), a_part(product(SAID, ["fingerprint", "former_fingerprint"]), of=3)
)
def test_a_finding_may_be_called_by_either_fingerprint(capsys, url, number, key):
    (row,) = rows(capsys, url, "--all", "--rule", number)
    (remark,) = rows(capsys, url, "show", row[key][:10])
    assert remark["by"] == "sue"
    for verb in ("comment", "dispute"):
        assert sabot("findings", verb, row[key][:8], "--by", "bob", "--note", "no",
                     "--database", url) == 0  # fmt: skip
    (row,) = rows(capsys, url, "--all", "--rule", number)
    assert row["state"] == "disputed"
    assert [remark["by"] for remark in row["remarks"]] == ["sue", "bob", "bob"]


def test_a_finding_of_which_nothing_was_said_has_a_former_fingerprint_too(
    capsys, sqlite_url, tmp_path
):
    lines = FORMER.read_text().splitlines(keepends=True)
    silent = tmp_path / "silent.jsonl"
    silent.write_text("".join(line for line in lines if '"stream":"audit/' not in line))
    assert sabot("import", str(silent), "--database", sqlite_url) == 0
    assert sabot("findings", "ack", SAID["P201"][3], "--by", "olga", "--database", sqlite_url) == 0
    (row,) = rows(capsys, sqlite_url, "--rule", "P201")
    assert row["state"] == "acknowledged"
    with EventLog.open(sqlite_url) as log:
        (event,) = log.read(a.FINDINGS_STREAM)
    assert getattr(event.payload, "finding", None) == row["fingerprint"]


def test_a_case_stays_one_when_its_breach_is_gone(capsys, url):
    """It goes on under its former fingerprint, so that no finding is needed to tell what is its."""
    (row,) = rows(capsys, url, "--all", "--rule", "C103")
    assert sabot("findings", "comment", row["fingerprint"], "--by", "bob", "--note", "misheard",
                 "--database", url) == 0  # fmt: skip
    with EventLog.open(url) as log:
        last = log.read(a.FINDINGS_STREAM)[-1].payload
        call = next(
            event
            for event in log.read("shoe/H-1")
            if isinstance(event.payload, ev.ResultCalled) and event.payload.coup == 2
        )
        right = ev.ResultCalled(2, 8, 9, "B")
        log.append(
            [NewEvent("shoe/H-1", ev.EventCorrected(call.version, "misheard", instead=right))]
        )
    assert isinstance(last, a.FindingCommented)
    assert (last.finding, last.code) == (row["former_fingerprint"], WRONG_CALL)
    (gone,) = rows(capsys, url, "--all", "--rule", "C103")
    assert (gone["found"], gone["number"], gone["code"]) == (False, "C103", WRONG_CALL)
    assert gone["fingerprint"] == row["fingerprint"]
    assert (gone["state"], gone["outcome"], gone["state_why"]) == (
        "resolved", "corrected", "misheard",
    )  # fmt: skip
    assert [remark["by"] for remark in gone["remarks"]] == ["sue", "bob"]


def test_a_recorded_audit_counts_by_the_codes_of_today(capsys, url):
    (run,) = rows(capsys, url, "runs")
    assert {count["code"] for count in run["counts"]} == {code for code, *_ in SAID.values()}
    assert "the rules have changed since" in run["stale"]


def test_the_log_tells_of_rules_as_they_are_called_today(capsys, url):
    assert sabot("log", "--last", "6", "--format", "json", "--database", url) == 0
    told = [row["what"] for row in json.loads(capsys.readouterr().out)]
    assert told[1].startswith(f"sue disputed finding 905e812e8b25, {WRONG_CALL}, shoe H-1")
    assert not any(former in line for line in told for _, former, *_ in SAID.values())


def test_the_export_keeps_what_was_recorded(url, tmp_path):
    again = tmp_path / "again.jsonl"
    assert sabot("export", "--database", url, "-o", str(again)) == 0
    payloads = [
        [json.loads(line)["payload"] for line in path.read_text().splitlines()]
        for path in (FORMER, again)
    ]
    assert payloads[0] == payloads[1]
