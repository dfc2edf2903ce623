"""Each rule's example breaks only this rule, and its near miss breaks none."""

import pytest
from msgspec.structs import replace

from sabot.domain.audit import RULES, Finding, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.rule import Rule
from sabot.domain.audit.rule_text import checked_of, exceptions_of
from sabot.domain.audit.rulebook import SHOE_RULES
from sabot.domain.events import CoupClosed, CoupVoided
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import Shoe, fold
from tests.support.floor_notation import Pit
from tests.support.for_each import for_each
from tests.support.rule_cases import every_case
from tests.support.rule_examples import deal

DECLARED = [pytest.param(rule, id=rule.code) for rule in RULES]
NOT_LOOKED_AT = {
    "unreported-wrong-draw",
    "accepted-bet-reduced",
    "excess-over-limit-not-returned",
}
"""Rules whose near misses leave nothing to look at: nothing went wrong that they speak of."""

ON_VOIDS = {"P205"}
"""Rules whose breach a void changes into a breach of another rule."""


AFTER_ANOTHER = {
    "I301": "the wrong draw itself breaks T101 to T107, unless its coup is void",
    "D106": "Player's surplus card stays in the hand, and the draw of it breaks T101, T105 or T106",
    "L206": "the bet was accepted outside the limits",
    "L207": "the bet was accepted outside the limits",
    "V606": "the shoe's own count is off",
}
"""Rules on what is done after a breach of another rule, which no example can leave out."""


def audited(rule: Rule, text: str) -> tuple[list[Finding], dict[int, RecordedEvent]]:
    """Deal an example and audit it. Return the findings, and the events by index."""
    report = AuditReport()
    if not rule.of_the_floor:
        shoe = deal(text)
        report.add(audit_shoe(shoe))
        return report.findings, {event.index: event for event in shoe.history}
    pit = Pit.of(text)
    for shoe in pit.shoes():
        report.add(audit_shoe(shoe))
    report.add_floor(audit_floor(pit.floor()))
    return report.findings, {event.index: event for event in pit.events}


def found_in(rule: Rule, text: str) -> dict[str, list[RecordedEvent]]:
    """Return what an example breaks, with the events that show it."""
    findings, at = audited(rule, text)
    return {found.code: [at[index] for index in found.events] for found in findings}


@for_each("rule", DECLARED)
def test_the_example_breaks_its_rule_and_no_other(rule: Rule) -> None:
    """A breach of the few others follows from the other finding, so it is one fault."""
    findings, _ = audited(rule, rule.breaks)
    causes = [found for found in findings if found.code != rule.code]
    own = [found for found in findings if found.code == rule.code]
    assert own
    assert bool(causes) == (rule.number in AFTER_ANOTHER)
    assert tuple(found.code for found in causes) == rule.also
    assert {found.explained_by for found in own} == {*(c.fingerprint for c in causes)} or {None}
    assert {found.explained_by for found in causes} <= {None}
    assert "note" not in {found.severity for found in findings}


@for_each("rule", DECLARED)
def test_the_near_miss_breaks_no_rule(rule: Rule) -> None:
    assert found_in(rule, rule.keeps).keys() == set()


def test_a_near_miss_of_every_rule_of_a_shoe_was_looked_at() -> None:
    looked_at = {
        verdict.code
        for case in every_case()
        for verdict in audit_shoe(case.kept()).verdicts
        if verdict.code == case.code and verdict.result == "pass"
    }
    assert {rule.code for rule in SHOE_RULES} - looked_at == NOT_LOOKED_AT


def test_a_finding_says_what_was_expected_what_was_seen_and_on_what_it_rests() -> None:
    for case in every_case():
        for found in audit_shoe(case.broken()).findings:
            assert all((found.expected, found.observed, found.message, found.cites, found.events))
            assert len(set(found.events)) == len(found.events)


def test_every_case_shows_its_breaches_by_events_that_its_rule_names() -> None:
    kinds = {rule.code: set(rule.breach_events) for rule in RULES}
    for case in every_case():
        shoe = case.broken()
        at = {event.index: type(event.payload) for event in shoe.history}
        for found in audit_shoe(shoe).findings:
            assert {at[index] for index in found.events} <= kinds[found.code], case


@for_each("rule", DECLARED)
def test_the_breach_is_shown_by_events_that_the_rule_reads(rule: Rule) -> None:
    shown = found_in(rule, rule.breaks)[rule.code]
    assert {type(event.payload) for event in shown} <= set(rule.breach_events)


@for_each("rule", DECLARED)
def test_a_rule_says_what_it_forbids_in_one_sentence(rule: Rule) -> None:
    assert rule.requires.endswith((".", ")."))
    assert len(rule.requires) <= 200


@for_each("rule", DECLARED)
def test_what_a_rule_leaves_out_is_in_whole_sentences(rule: Rule) -> None:
    assert all(said.endswith(".") for said in exceptions_of(rule))


@for_each("rule", DECLARED)
def test_a_condition_for_applying_a_rule_is_a_need_and_not_a_sentence(rule: Rule) -> None:
    """The needs of a rule print themselves. A sentence beside them could contradict them."""
    said = " ".join(exceptions_of(rule))
    assert "not apply" not in said
    assert "record of coups alone" not in said or rule.number == "D103"


def with_coup_voided(shoe: Shoe, coup: int) -> Shoe:
    """Return a shoe in which the coup was voided where it was closed."""
    events = [
        replace(event, payload=CoupVoided(coup)) if event.payload == CoupClosed(coup) else event
        for event in shoe.history
    ]
    return fold(shoe.stream, events)


VOIDED_OR_NOT = [
    pytest.param(rule, id=rule.code)
    for rule in RULES
    if "voided or not" in checked_of(rule)
    and rule.group != "irregularities"
    and rule.number not in ON_VOIDS
]


@for_each("rule", VOIDED_OR_NOT)
def test_a_rule_that_checks_voided_coups_finds_its_breach_in_one(rule: Rule) -> None:
    shoes = [deal(rule.breaks), *(c.broken() for c in every_case() if c.code == rule.code)]
    broken = [
        (shoe, found.coup)
        for shoe in shoes
        for found in audit_shoe(shoe).findings
        if found.code == rule.code and found.coup is not None
    ]
    assert any(
        (found.code, found.coup) == (rule.code, coup)
        for shoe, coup in broken
        for found in audit_shoe(with_coup_voided(shoe, coup)).findings
        if shoe.coups[coup].closed is not None
    )
