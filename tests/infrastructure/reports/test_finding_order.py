"""The order, the references and the counts of the findings of a shift audit."""

import msgspec

from sabot.domain.audit import audit_shoe
from sabot.domain.audit.finding_reviews import FindingState
from sabot.domain.audit.rulebook import find_rule
from sabot.infrastructure.reports.shift_audit import shift_audit
from tests.support.faulty_log import faulty_shoe
from tests.support.report_records import records, records_of, table_named


def _three_findings():
    """Return the records of a shoe with three findings, of which the last explains the first."""
    of = records_of(faulty_shoe())
    (shoe,) = of.shoes
    first, second, third, *_ = audit_shoe(shoe).findings
    first = msgspec.structs.replace(first, explained_by=third.fingerprint, severity="high")
    found = [
        msgspec.structs.replace(each, at_us=place * 1_000_000, severity="high")
        for place, each in enumerate((first, second, third))
    ]
    return msgspec.structs.replace(of, findings=tuple(found))


def test_a_finding_stands_below_the_one_that_explains_it():
    of = _three_findings()
    first, second, third = of.findings
    report = shift_audit(of)
    rows = records(table_named(report, "findings"))
    marks = [each.fingerprint[:12] for each in (second, third, first)]
    assert [row["fingerprint"] for row in rows] == marks
    assert rows[2]["message"] == f"{first.message} (explained by {third.fingerprint[:12]})"
    figures = dict(report.sections[0].figures)
    assert figures["result"] == "2 findings, and 1 explained by them"
    assert (figures["open"], figures["explained by other findings"]) == (2, 1)


def test_a_finding_explained_by_a_dismissed_one_counts_by_itself():
    of = _three_findings()
    first, _second, third = of.findings
    dismissed = FindingState("resolved", outcome="dismissed", by="eve")
    report = shift_audit(msgspec.structs.replace(of, states={third.fingerprint: dismissed}))
    rows = records(table_named(report, "findings"))
    assert rows[0]["message"].endswith(
        f"(explained by {third.fingerprint[:12]}, which is resolved as dismissed)"
    )
    figures = dict(report.sections[0].figures)
    assert figures["result"] == "2 findings"
    assert (figures["open"], figures["resolved"], figures["notes"]) == (2, 1, 0)
    report = shift_audit(msgspec.structs.replace(of, states={first.fingerprint: dismissed}))
    (row,) = records(table_named(report, "others"))
    assert row["message"].endswith(f"(explained by {third.fingerprint[:12]}, which is open)")


def test_each_source_names_the_rules_that_cite_it():
    of = _three_findings()
    found = {}
    for each in of.findings:
        for source in find_rule(each.code).sources:
            found.setdefault((source.cite, source.url), set()).add(each.number)
    told = {(cite, url): tuple(sorted(rules)) for (cite, url), rules in found.items()}
    sources = shift_audit(of).sources
    assert {(source.text, source.url): source.rules for source in sources} == told
    assert all(", ".join(each.rules) in each.for_rules for each in sources)
