"""More ways to break the rules of `checks/bets.py` and `checks/free_hands.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "past-posted-bet",
        1,
        """
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "player", "amount": 500}
        deal > B K  P 5  B 8
        due
        """,
        "coup p2 player 500 | P 4 5  B K 8",
    ),
    # a seat that the loading of the shoe gives
    Case(
        "unknown-seat",
        None,
        """
        load mini {"seats": [{"seat": 8, "patron": "p1"}]}
        coup P 4 5  B K 8
        """,
        """
        load mini {"seats": [{"seat": 7, "patron": "p1"}]}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "wager-not-offered",
        1,
        "coup p1 panda-8 500 | P 4 5  B K 8 | P | 1 take 500",
        """
        load ez-baccarat
        coup p1 panda-8 500 | P 4 5  B K 8 | P
        """,
    ),
    Case(
        "excess-free-hands",
        4,
        """
        with free_hands = 3
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        """,
        """
        with free_hands = 3
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        """,
    ),
    Case(
        "unknown-seat",
        1,
        """
        patron-seated {"seat": 1, "patron": "p1"}
        coup-opened {"coup": 1}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500, "seat": 15}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
        """
        patron-seated {"seat": 1, "patron": "p1"}
        coup-opened {"coup": 1}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500, "seat": 14}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
