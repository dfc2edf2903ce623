"""What each rule says of itself holds: its example breaks it and no other, its near miss none."""

import pytest

from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.rule import Rule
from sabot.domain.events.envelope import RecordedEvent
from tests.support.floor_notation import Pit
from tests.support.rule_examples import deal

DECLARED = [pytest.param(rule, id=rule.code) for rule in RULES if rule.breaks]


def found_in(rule: Rule, text: str) -> dict[str, list[RecordedEvent]]:
    """Deal an example and audit it; return what it breaks, with the events that show it."""
    if not rule.of_the_floor:
        shoe = deal(text)
        at = {event.index: event for event in shoe.history}
        findings = audit_shoe(shoe).findings
    else:
        pit = Pit.of(text)
        at = {event.index: event for event in pit.events}
        findings = [found for shoe in pit.shoes() for found in audit_shoe(shoe).findings]
        findings += audit_floor(pit.floor()).findings
    return {found.code: [at[index] for index in found.events] for found in findings}


@pytest.mark.parametrize("rule", DECLARED)
def test_the_example_breaks_its_rule_and_no_other(rule: Rule) -> None:
    assert found_in(rule, rule.breaks).keys() == {rule.code, *rule.also}


@pytest.mark.parametrize("rule", DECLARED)
def test_the_near_miss_breaks_no_rule(rule: Rule) -> None:
    assert found_in(rule, rule.keeps).keys() == set()


@pytest.mark.parametrize("rule", DECLARED)
def test_the_breach_is_shown_by_events_that_the_rule_reads(rule: Rule) -> None:
    shown = found_in(rule, rule.breaks)[rule.code]
    assert {type(event.payload) for event in shown} <= set(rule.reads)


@pytest.mark.parametrize("rule", DECLARED)
def test_a_rule_says_what_it_forbids_in_one_sentence(rule: Rule) -> None:
    assert rule.why.endswith((".", ")."))
    assert len(rule.why) <= 200
