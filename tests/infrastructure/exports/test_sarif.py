"""SARIF is valid against the OASIS schema and matches the audit."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.report import AuditReport
from sabot.infrastructure.audits.audit_run import Provenance
from sabot.infrastructure.exports.sarif import sarif_log
from tests.support import any_events
from tests.support.coup_notation import shoe_of
from tests.support.faulty_log import FOUND, WRONG_CALL, clean_shoe, faulty_shoe
from tests.support.thorough import slow, tries

# OASIS, Schema for Static Analysis Results Interchange Format 2.1.0 (rtm.5, as published)
SCHEMA = json.loads((Path(__file__).parents[2] / "data/sarif-2.1.0-rtm.5.json").read_bytes())
VALID = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
OF = Provenance("sabot/0123456789abcdef", 99, "sabot 1.2.3", "a" * 64, "b" * 64)


def report_of(*shoes) -> AuditReport:
    report = AuditReport()
    for shoe in shoes:
        report.add(audit_shoe(shoe))
    return report


def evening() -> AuditReport:
    faulty = shoe_of([event.payload for event in faulty_shoe()], "shoe/H 1/ä?")
    return report_of(faulty, shoe_of([event.payload for event in clean_shoe()], "shoe/H-2"))


def test_it_is_valid_sarif():
    VALID.validate(sarif_log(evening(), OF))
    VALID.validate(sarif_log(AuditReport(), OF))


def test_the_schema_refuses_what_is_no_sarif():
    log = sarif_log(evening(), OF)
    log["runs"][0]["results"][0]["level"] = "high"
    with pytest.raises(jsonschema.ValidationError):
        VALID.validate(log)


def test_every_finding_is_a_result_and_every_rule_a_rule():
    (run,) = sarif_log(evening(), OF)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in RULES]
    shown = {(result["ruleId"], result["properties"]["coup"]) for result in run["results"]}
    assert shown == FOUND
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        level = {"high": "error", "medium": "warning", "low": "note"}
        severity = rules[result["ruleIndex"]]["properties"]["severity"]
        assert result["level"] == level[severity]
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] == min(result["properties"]["events"])
        assert place["artifactLocation"]["uri"] == "shoe/H%201%2F%C3%A4%3F"
        artifact = run["artifacts"][place["artifactLocation"]["index"]]
        assert artifact["location"]["uri"] == place["artifactLocation"]["uri"]


def test_fingerprints_are_those_of_the_findings():
    report = evening()
    (run,) = sarif_log(report, OF)["runs"]
    assert [result["partialFingerprints"] for result in run["results"]] == [
        {"sabotFinding/v1": finding.former_fingerprint, "sabotFinding/v2": finding.fingerprint}
        for finding in report.findings
    ]


def test_passes_and_what_was_not_looked_at_stand_there_too():
    (run,) = sarif_log(evening(), OF)["runs"]
    results = {rule["code"]: rule["result"] for rule in run["properties"]["rules"]}
    assert results[WRONG_CALL] == "fail"
    assert results["excess-copies-of-card"] == "pass"
    assert results["card-count-mismatch"] == "not-applicable"
    packs = {pack["name"]: pack["recalled"] for pack in run["properties"]["rulePacks"]}
    assert packs["classic-8"][0] == "house convention: the shoe passes clockwise when Banker loses"
    assert any(said.startswith("text not opened: ") for said in packs["midi"])


@slow
def test_another_tool_opens_it(tmp_path):
    path = tmp_path / "evening.sarif"
    path.write_text(json.dumps(sarif_log(evening(), OF)))
    done = subprocess.run(
        [sys.executable, "-m", "sarif", "csv", "-o", str(tmp_path / "out.csv"), str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert len(rows) == len(FOUND)
    assert all("shoe/H%201%2F%C3%A4%3F" in row for row in rows)


@slow
@tries(12, 100)
@given(st.lists(any_events.payloads(), max_size=30))
def test_any_history_gives_valid_sarif(payloads: list[ev.Event]):
    VALID.validate(sarif_log(report_of(shoe_of(payloads)), OF))
