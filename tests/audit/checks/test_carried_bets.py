"""More ways to break the rules of `checks/carried_bets.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "carried-bet-without-tie",
        2,
        """
        coup p1 player 500 | P 4 5  B K 9
        coup +p9 player 500 | P 4 5  B K 8
        """,
        """
        coup p1 player 500 | P 4 5  B K 9
        coup-opened {"coup": 2}
        bet-carried {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        bet-changed {"coup": 2, "bet": 1, "amount": 600}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        due
        """,
    ),
    Case(
        "held-bet-taken-up",
        2,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        coup P 4 5  B K 8
        """,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        coup +p1 player 500 | P 4 5  B K 8
        """,
    ),
    Case(
        "held-bet-taken-up",
        1,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        bet-withdrawn {"coup": 1, "bet": 1}
        """,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
