"""More ways to break the rules of `checks/end_of_shoe.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "wrong-cut-card-position",
        None,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        cut-card-reached
        """,
    ),
    Case(
        "wrong-cut-card-position",
        None,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 7}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "shoe-end-without-cut-card",
        None,
        """
        coup P 4 5  B K 9
        shoe-ended {"left": 410}
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        shoe-ended {"left": 198}
        """,
    ),
    # a coup is called the last, and others come behind it
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 3}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
    ),
    # where no coup is named it is the next one
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        last-coup-called
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
    ),
    # put right in time: another is called so, or the call is noted as wrong
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        irregularity-noted {"kind": "wrong-call", "ruling": "stand", "by": "sue"}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        irregularity-noted {"kind": "wrong-call", "ruling": "stand", "by": "sue"}
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        last-coup-called {"coup": 2}
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        last-coup-called {"coup": 3}
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
    ),
    # the cut card comes behind the call: which coup is the last is the pack's to say then
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 201}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        cut-card-reached {"drawn": 7, "coup": 2}
        last-coup-called {"coup": 3}
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
