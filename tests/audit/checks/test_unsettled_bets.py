"""More ways to break the rules of `checks/unsettled_bets.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "unsettled-bet",
        1,
        "coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100",
        "coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100, 1 pay 475",
    ),
    # a natural that was paid at once stands: one of two that was not paid lacks his money
    Case(
        "voided-bet-settled",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        bet-paid {"coup": 1, "bet": 2, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
    ),
    Case(
        "voided-bet-settled",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        bet-paid {"coup": 1, "bet": 2, "amount": 500}
        bet-paid {"coup": 1, "bet": 3, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
