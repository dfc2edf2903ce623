"""More ways to break the rules of `checks/cut.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    # what was shuffled again is cut again
    Case(
        "repeated-cut",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "repeated-cut",
        None,
        """
        load chemin-de-fer
        bare
        shoe-shuffled {"by": "ann"}
        coup-opened {"coup": 1}
        shoe-cut {"by": "p1", "depth": 90}
        """,
        """
        load chemin-de-fer
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        coup-opened {"coup": 1}
        """,
    ),
    # a recut that a supervisor ordered before the first card
    Case(
        "repeated-cut",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 2}
        irregularity-noted {"kind": "other", "ruling": "other"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 2}
        irregularity-noted {"kind": "other", "ruling": "other", "by": "sue"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "mistimed-stop-card",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        stop-card-placed {"behind": 7}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
    ),
    # it goes back in behind the cut of cards that were shuffled again
    Case(
        "mistimed-stop-card",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        stop-card-placed {"behind": 7}
        ready
        coup P 4 5  B K 8
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        ready
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "mistimed-stop-card",
        None,
        """
        load chemin-de-fer
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        coup-opened {"coup": 1}
        stop-card-placed {"behind": 7}
        """,
        """
        load chemin-de-fer
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        coup-opened {"coup": 1}
        """,
    ),
    # the seat at the dealer's left has the highest number
    Case(
        "cut-offered-out-of-turn",
        None,
        """
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p2"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
        """
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p5"}
        cut-refused {"by": "p5"}
        cut-offered {"to": "p2"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
    ),
    # when nobody will, the house cuts
    Case(
        "cut-offered-out-of-turn",
        None,
        """
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p2"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
        """
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p2"}
        cut-refused {"by": "p2"}
        shoe-cut {"by": "ann", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
    ),
    # a refusal before the offer does not count
    Case(
        "cut-offered-out-of-turn",
        None,
        """
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p5"}
        cut-refused {"by": "p5"}
        shoe-cut {"by": "p5", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
        """
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        shoe-shuffled {"by": "ann"}
        cut-refused {"by": "p5"}
        cut-offered {"to": "p5"}
        shoe-cut {"by": "p5", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
