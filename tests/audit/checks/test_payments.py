"""More ways to break the rules of `checks/payments.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "wrong-payout",
        1,
        "coup p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4500",
        """
        load uk
        coup p1 tie 500 | P 4 5  B K 9 | T
        """,
    ),
    Case(
        "wrong-payout",
        1,
        "coup p1 banker 500 | P 4 4  B K 9 | B | 1 take 500",
        "coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 475",
    ),
    Case(
        "wrong-payout",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 18000, p5 left 15000, p4 left 15000
        card-drawn {"coup": 1, "hand": "right", "card": "2", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "9", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "3", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "K", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "K", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "2", "place": 6}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        bet-paid {"coup": 1, "bet": 2, "amount": 15000}
        bet-paid {"coup": 1, "bet": 3, "amount": 5000}
        choice-made {"coup": 1, "hand": "right", "choice": "draw"}
        card-drawn {"coup": 1, "hand": "right", "card": "K", "place": 7}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        hands-called
        {"coup": 1, "totals": [{"hand": "right", "total": 2}, {"hand": "left", "total": 9},
        {"hand": "banker", "total": 5}]}
        bet-taken {"coup": 1, "bet": 1, "amount": 18000}
        coup-closed {"coup": 1}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 18000, p5 left 15000, p4 left 15000 | 2 K +K; 9 K; 3 2
        """,
    ),
    Case(
        "wrong-payout",
        1,
        """
        load deux-tableaux-france-open
        bare
        tableaux-seats
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        funds-proven {"by": "p11", "amount": 1000000}
        bank-posted {"by": "p11", "amount": 100000}
        shoe-shuffled {"by": "dealer"}
        cut-offered {"to": "p10"}
        shoe-cut {"by": "p10", "depth": 60}
        stop-card-placed {"behind": 10}
        tableaux-open p7 right 80000, p5 left 80000
        tableaux-hands 9 K; 8 K; 3 4
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        hands-called
        {"coup": 1, "totals": [{"hand": "right", "total": 9}, {"hand": "left", "total": 8},
        {"hand": "banker", "total": 7}]}
        bet-paid {"coup": 1, "bet": 1, "amount": 80000}
        bet-paid {"coup": 1, "bet": 2, "amount": 20000}
        due
        """,
        """
        load deux-tableaux-france-open
        bare
        tableaux-seats
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        funds-proven {"by": "p11", "amount": 1000000}
        bank-posted {"by": "p11", "amount": 100000}
        shoe-shuffled {"by": "dealer"}
        cut-offered {"to": "p10"}
        shoe-cut {"by": "p10", "depth": 60}
        stop-card-placed {"behind": 10}
        tableaux p7 right 80000, p5 left 80000 | 9 K; 8 K; 3 4
        """,
    ),
    Case(
        "losing-bet-not-taken",
        1,
        "coup p1 player 500 | P 4 4  B K 9 | B | 1 push",
        "coup p1 player 500 | P 4 4  B K 9 | B",
    ),
    Case(
        "push-paid-or-taken",
        1,
        "coup p1 player 500 | P 4 5  B K 9 | T | 1 take 500",
        "coup p1 player 500 | P 4 5  B K 9 | T",
    ),
    Case(
        "push-paid-or-taken",
        1,
        """
        load ez-baccarat
        coup p1 banker 500 | P K 2 4  B 2 K 5 | B | 1 pay 500
        """,
        """
        load ez-baccarat
        coup p1 banker 500 | P K 2 4  B 2 K 5 | B
        """,
    ),
    Case(
        "wrong-commission",
        1,
        "coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500",
        "coup p1 banker 500 | P 4 4  B K 9 | B",
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
