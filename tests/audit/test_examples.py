"""Every rule ships with a shoe, or with streams, that really break it."""

import pytest

from sabot.domain.audit import RULES, audit_shoe, rule
from sabot.domain.audit.examples import EXAMPLES
from sabot.domain.audit.floor_engine import audit_floor
from tests.audit.conduct_cases import TOGETHER
from tests.examples import deal
from tests.pit import Pit

# a wrong draw is a finding of its own, whether or not somebody ruled on it
_COMES_WITH = {
    "unreported-wrong-draw": {"player-drew-against-table"},
    "unreported-miscount": {"card-count-mismatch"},
    **{code: {other} for code, other in TOGETHER.items()},
}


def _found(code: str, text: str) -> list[str]:
    if not rule(code).of_the_floor:
        return [found.code for found in audit_shoe(deal(text)).findings]
    pit = Pit.of(text)
    of_shoes = [found for shoe in pit.shoes() for found in audit_shoe(shoe).findings]
    return [found.code for found in (*of_shoes, *audit_floor(pit.floor()).findings)]


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_breaks_its_rule_and_no_other(code: str) -> None:
    codes = set(_found(code, EXAMPLES[code]))
    assert codes == {code} | _COMES_WITH.get(code, set())


def test_every_rule_has_an_example_and_every_example_a_rule() -> None:
    assert [rule.code for rule in RULES if rule.code not in EXAMPLES] == []
    assert EXAMPLES.keys() - {rule.code for rule in RULES} == set()
