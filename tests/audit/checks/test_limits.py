"""More ways to break the rules of `checks/limits.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "bet-outside-limits",
        1,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 99 | P 4 5  B K 8
        """,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 100 | P 4 5  B K 8
        """,
    ),
    Case(
        "bet-outside-limits",
        1,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 600}
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        coup p1 player 600 | P 4 5  B K 8
        """,
    ),
    Case(
        "table-differential-exceeded",
        1,
        """
        with limits.differential = 300
        coup p1 player 600, p2 player 400, p3 banker 699 | P 4 5  B K 8
        """,
        """
        with limits.differential = 300
        coup p1 player 600, p2 player 400, p3 banker 700 | P 4 5  B K 8
        """,
    ),
    Case(
        "combined-bets-above-limit",
        1,
        """
        with limits.per = "patron"
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 300, p1 player 300 | P 4 5  B K 8
        """,
        """
        with limits.per = "patron"
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 300, p1 player 200, p2 player 300, p1 tie 300 | P 4 5  B K 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
