"""A finding names the one from which it follows: one fault counts once."""


from sabot.domain.audit import RULES
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt
from tests.support.one_fault import own_and_explained
from tests.support.rule_examples import deal

NUMBERS = {rule.code: rule.number for rule in RULES}


def told(shoe: Shoe | Felt) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the rules broken by themselves, and the others with the rule that each follows."""
    own, follow = own_and_explained(shoe)
    pairs = [(NUMBERS[code], NUMBERS[cause]) for code, cause in follow]
    return sorted(NUMBERS[code] for code in own), sorted(pairs)


# -- The last coup ---------------------------------------------------------------------------------


def test_the_last_coup_called_without_a_number_is_the_next_to_begin():
    """Coup 3 follows coup 1. The call before it was of this coup."""
    called = "coup P 4 5  B K 8\nlast-coup-called\n"
    skipped = deal(called + 'coup-opened {"coup": 3}\ndeal P 4 5  B K 8\ndue')
    assert "Z305" not in told(skipped)[0]
    assert "Z305" in told(deal(called + "coup P 4 5  B K 8\ncoup P 4 5  B K 8"))[0]
