"""More ways to break the rules of `checks/voids.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "play-after-shuffler-fault",
        1,
        """
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        shuffler-failed {"coup": 1, "disadvantage": true}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1}
        due
        """,
        """
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        shuffler-failed {"coup": 1, "disadvantage": true}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "return-bets", "coup": 1}
        coup-voided {"coup": 1}
        """,
    ),
    Case(
        "unjustified-void",
        1,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 1, "by": "carl"}
        coup-voided {"coup": 1, "by": "carl"}
        """,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "by": "carl"}
        """,
    ),
    Case(
        "unfinished-coup-not-voided",
        2,
        """
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        shoe-ended {"left": 410, "reason": "withdrawn"}
        """,
        """
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        bet-withdrawn {"coup": 2, "bet": 1}
        shoe-ended {"left": 410, "reason": "withdrawn"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
