"""More ways to break the rules of `checks/settlement.py`, and near misses."""

from sabot.domain.state.shoe import Shoe
from tests.support.device_records import (
    CARDS,
    device_shoe,
    verdict_on,
)
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


# -- Events of several devices ---------------------------------------------------------------------


def test_a_payment_before_the_result():
    code = "settlement-before-result"

    def paid(at: int) -> Shoe:
        moved = CARDS.replace("chips 6000 pay", f"chips {at} pay")
        return device_shoe(
            "terminal -20000 open\nchips -9000 bet player 500\nterminal 0 call" + moved
        )

    assert verdict_on(paid(5251), code) == (0, {})
    assert verdict_on(paid(4749), code) == (1, {})
    assert verdict_on(paid(5100), code)[0] == 0
    assert "100 ms apart" in next(iter(verdict_on(paid(5100), code)[1]))
