"""More ways to break the rules of `checks/third_card.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "player-drew-against-table",
        1,
        "coup P 2 4 K  B 3 4",
        "coup P 2 3 K  B 3 4",
    ),
    Case(
        "player-drew-against-table",
        1,
        "coup P 2 3 K  B K 9",
        "coup P 2 3 4  B K 7",
    ),
    Case(
        "player-stood-against-table",
        1,
        "coup P 2 3  B 3 4",
        "coup P 2 4  B 3 4",
    ),
    Case(
        "banker-drew-against-table",
        1,
        "coup P 2 3 8  B K 3 4",
        "coup P 2 3 9  B K 3 4",
    ),
    Case(
        "banker-drew-against-table",
        1,
        "coup P 2 4  B 3 3 4",
        "coup P 2 4  B 3 2 4",
    ),
    Case(
        "banker-stood-against-table",
        1,
        "coup P 2 3 9  B K 3",
        "coup P 2 3 8  B K 3",
    ),
    Case(
        "banker-stood-against-table",
        1,
        "coup P 2 3 6  B K 6",
        "coup P 2 3 5  B K 6",
    ),
    Case(
        "fourth-card-drawn",
        1,
        "coup P 2 3 K 4  B 3 4",
        "coup P 2 3 K  B 3 4",
    ),
    Case(
        "unreported-exposed-card",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3, "face_up": true}
        deal > B K  P 5  B 8
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3, "face_up": true}
        irregularity-noted {"kind": "card-face-up", "ruling": "play-on", "coup": 1}
        deal > B K  P 5  B 8
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
