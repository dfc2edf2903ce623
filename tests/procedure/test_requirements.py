"""Dealing and the audit use the same function and sentence for a rule."""

import pytest

from sabot.domain.audit import RULES, find_rule
from sabot.domain.audit.rule import Rule
from sabot.domain.procedure.preconditions import Violation, violation
from sabot.domain.procedure.preconditions.requirement import REQUIREMENTS
from sabot.domain.state.shoe import Shoe, evolve
from tests.support.for_each import for_each
from tests.support.rule_examples import deal

COUPS_ALONE = {each.code for each in RULES if '"scope": "coups"' in each.keeps}
"""Rules whose near misses are records of coups alone, of a pack that they do not name."""

NOT_ASKED_OF_COUPS_ALONE = {"deck-count-not-permitted", "wrong-opening-burn"}
"""What the audit does not ask of such a record; the dealer's side never deals one."""

SHARED = [pytest.param(each, id=each.code) for each in RULES if each.number in REQUIREMENTS]


def test_every_requirement_is_a_rule_of_the_audit_by_the_same_number_and_sentence() -> None:
    assert REQUIREMENTS
    for number, declared in REQUIREMENTS.items():
        known = find_rule(number)
        assert (known.number, known.requires) == (declared.number, declared.requires)
        assert known.sources == declared.sources


@for_each("shared", SHARED)
def test_the_dealers_side_refuses_the_example_by_the_rule_that_the_audit_reports(
    shared: Rule,
) -> None:
    whole, shoe = deal(shared.breaks), Shoe("shoe/test")
    refused = []
    for event in whole.history:
        refused.append(violation(shoe, event.payload))  # type: ignore[arg-type] - of a shoe
        shoe = evolve(shoe, event)
    named = [why.requirement for why in refused if isinstance(why, Violation)]
    assert REQUIREMENTS[shared.number] in named


@for_each("shared", SHARED)
def test_the_dealers_side_lets_the_near_miss_pass(shared: Rule) -> None:
    whole, shoe = deal(shared.keeps), Shoe("shoe/test")
    allowed = NOT_ASKED_OF_COUPS_ALONE if shared.code in COUPS_ALONE else set()
    for event in whole.history:
        why = violation(shoe, event.payload)  # type: ignore[arg-type] - of a shoe
        broken = why.requirement if isinstance(why, Violation) else None
        assert broken is None or find_rule(broken.number).code in allowed, event
        shoe = evolve(shoe, event)
