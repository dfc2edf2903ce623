"""More ways to break the rules of `checks/rulings.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "ruling-not-permitted",
        1,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5 2  B K 8
        irregularity-noted {"kind": "wrong-draw", "ruling": "other", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        """,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5 2  B K 8
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        """,
    ),
    Case(
        "ruling-not-carried-out",
        1,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        due
        """,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        """,
    ),
    Case(
        "ruling-not-carried-out",
        1,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "misdeal", "ruling": "burn-card", "coup": 1, "by": "sue"}
        due
        """,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "misdeal", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"card": "2", "place": 7, "reason": "ruling", "coup": 1}
        due
        """,
    ),
    # a ruling between two coups was carried out, if the card was burned first, or for the fault
    Case(
        "ruling-not-carried-out",
        2,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        coup P 4 5  B K 8
        """,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        card-burned {"place": 7, "reason": "ruling"}
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "ruling-not-carried-out",
        2,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        coup P 4 5  B K 8
        """,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        coup P 4 5  B K 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
