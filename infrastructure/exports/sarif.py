"""An audit as SARIF 2.1.0, the exchange format of static analysis tools.

A shoe is an artifact and the events of the log are its lines: line n is event n, as in `sabot
export`. Findings keep their fingerprints, so that reports can be compared.

A resolved finding is a result with an accepted suppression. For an acknowledged or disputed finding
the suppression is under review. For a finding that was resolved and found again it is rejected.
Viewers hide a result only if all its suppressions are accepted (SARIF, section 3.27.23).

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from typing import Any, Final
from urllib.parse import quote

import msgspec

from sabot.domain.audit import RULES, Finding, Rule
from sabot.domain.audit.finding_reviews import OPEN, FindingState
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.rule_text import rests_on
from sabot.domain.audit.rulebook import EXAMPLES
from sabot.infrastructure.audits.audit_run import Provenance

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_LEVEL: Final = {"high": "error", "medium": "warning", "low": "note", "note": "note"}
_PLACE: Final = {rule.code: place for place, rule in enumerate(RULES)}


def sarif_log(report: AuditReport, provenance: Provenance) -> dict[str, Any]:
    """Return an audit as a SARIF log, in plain types. The same audit gives the same log."""
    findings = report.listed(resolved=True)
    streams = list(dict.fromkeys(finding.stream for finding in findings))
    places = {stream: place for place, stream in enumerate(streams)}
    run = {
        "tool": {"driver": _driver(provenance)},
        "invocations": [{"executionSuccessful": True}],
        "artifacts": [
            {"location": {"uri": _uri(stream)}, "description": {"text": _describe(stream)}}
            for stream in streams
        ],
        "results": [
            _result(finding, report.state_of(finding), places[finding.stream])
            for finding in findings
        ],
        "columnKind": "unicodeCodePoints",
        "properties": {
            "shoes": report.shoes,
            "coups": report.coups,
            "batches": report.batches,
            "tables": report.tables,
            "log": msgspec.to_builtins(provenance),
            **({"scope": report.scope.document()} if report.scope.is_limited else {}),
            "rulePacks": report.pack_rows(),
            "rules": [{**rule.row(), "result": rule.result} for rule in report.rules.values()],
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _driver(provenance: Provenance) -> dict[str, Any]:
    name, _, version = provenance.program.partition(" ")
    return {
        "name": name,
        "version": version,
        "fullName": "Sabot, the dealer and auditor for baccarat",
        "rules": [_rule(rule) for rule in RULES],
        "properties": {
            "rulebookSha256": provenance.rulebook_sha256,
            "signed": provenance.signature,
            "sourceSha256": provenance.source_sha256,
        },
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "deprecatedIds": [rule.former_code] if rule.former_code is not None else [],
        "name": "".join(word.capitalize() for word in rule.code.split("-")),
        "shortDescription": {"text": rule.code.replace("-", " ").capitalize() + "."},
        "fullDescription": {"text": rule.requires},
        "help": {"text": f"{rule.requires}\n\nSource: {'; '.join(rule.cites)}{_example(rule)}"},
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
        "properties": {
            "tags": [rule.family, rule.group],
            "number": rule.number,
            "severity": rule.severity,
            "cites": list(rule.cites),
            "restsOn": rests_on(rule),
        },
    }


def _example(rule: Rule) -> str:
    example = EXAMPLES.get(rule.code)
    return f"\n\nA shoe that breaks it:\n{example}" if example else ""


def _result(finding: Finding, state: FindingState, artifact: int) -> dict[str, Any]:
    # tools group by rule and message, so only the location says where it happened
    text = f"{finding.message}. Required: {finding.expected}. Shown: {finding.observed}."
    more = msgspec.to_builtins(finding)
    keys = (
        "required", "shown", "cites", "events", "shoe", "coup", "at", "clock", "dealer",
        "supervisor", "patron", "money", "explained_by",
    )  # fmt: skip
    return {
        "ruleId": finding.code,
        "ruleIndex": _PLACE[finding.code],
        "kind": "fail",
        "level": _LEVEL[finding.severity],
        "message": {"text": text},
        "locations": [_location(finding, artifact)],
        "partialFingerprints": _fingerprints(finding),
        "suppressions": _suppressions(state),
        "properties": {**{key: more[key] for key in keys}, **state.row()},
    }


def _suppressions(state: FindingState) -> list[dict[str, Any]]:
    if state == OPEN:
        return []
    reviewed = "rejected" if state.state == "open" else "underReview"
    status = "accepted" if state.state == "resolved" else reviewed
    return [{"kind": "external", "status": status, "justification": state.text}]


def _fingerprints(finding: Finding) -> dict[str, str]:
    """Return the present and the former fingerprint of a finding, by version.

    Earlier reports have the former one.
    """
    former = finding.former_fingerprint
    known = {"sabotFinding/v1": former} if former is not None else {}
    return {**known, "sabotFinding/v2": finding.fingerprint}


def _location(finding: Finding, artifact: int) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(finding.stream), "index": artifact}},
        "logicalLocations": [_logical(finding)],
    }
    if finding.events:
        lines = {"startLine": min(finding.events)}
        location["physicalLocation"]["region"] = lines
    return location


def _logical(finding: Finding) -> dict[str, str]:
    stream = finding.stream
    kind, _, name = stream.partition("/")
    if finding.coup is None or kind != "shoe":
        return {"name": name or kind, "fullyQualifiedName": stream, "kind": kind}
    return {
        "name": f"coup {finding.coup}",
        "fullyQualifiedName": f"{stream}/coup/{finding.coup}",
        "kind": "coup",
    }


def _describe(stream: str) -> str:
    kind, _, name = stream.partition("/")
    return f"{kind} {name}".rstrip()


def _uri(stream: str) -> str:
    """Return a relative reference for a stream.

    It is quoted so that a name cannot be read as a path or scheme.
    """
    kind, slash, name = stream.partition("/")
    return kind + slash + quote(name, safe="")
