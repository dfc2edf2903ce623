"""More ways to break the rules of `checks/coup_sequence.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "card-after-coup-end",
        1,
        """
        coup P 2 4  B K 5 2
        card-drawn {"coup": 1, "hand": "player", "card": "9", "place": 8}
        """,
        """
        coup P 2 4  B K 5 2
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 9
        """,
    ),
    Case(
        "coup-after-shoe-end",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 4  B K 5 2
        result-called {"coup": 1, "player": 6, "banker": 7, "outcome": "B"}
        shoe-ended {"left": 409, "reason": "withdrawn"}
        coup-closed {"coup": 1}
        """,
        """
        coup P 2 4  B K 5 2
        shoe-ended {"left": 409, "reason": "withdrawn"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
