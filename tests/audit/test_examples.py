"""Every rule ships with a shoe that really breaks it."""

import pytest

from domain.audit import RULES, audit_shoe
from domain.audit.examples import EXAMPLES
from tests.examples import deal

# a wrong draw is a finding of its own, whether or not somebody ruled on it
_COMES_WITH = {"wrong-draw-was-passed-over": {"punto-drew-against-tableau"}}


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_breaks_its_rule_and_no_other(code: str) -> None:
    codes = {found.code for found in audit_shoe(deal(EXAMPLES[code])).findings}
    assert codes == {code} | _COMES_WITH.get(code, set())


def test_every_rule_has_an_example_and_every_example_a_rule() -> None:
    assert [rule.code for rule in RULES if rule.code not in EXAMPLES] == []
    assert EXAMPLES.keys() - {rule.code for rule in RULES} == set()
