"""More ways to break the rules of `checks/settlement.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "winners-paid-before-losers-taken",
        1,
        "coup p1 player 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | 1 pay 500, 2 take 100",
        "coup p1 player 500, p2 tie 100 | P 4 5  B K 8",
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
