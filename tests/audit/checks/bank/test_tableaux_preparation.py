"""More ways to break the rules of `checks/bank/tableaux_preparation.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of

CASES = (
    # the same shoe is called twice: as another, or the same again
    Case(
        "excess-sessions",
        None,
        """
        load deux-tableaux-france-open
        bare
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        session-called {"day": "2026-01-01", "session": 1, "shoe": 2}
        """,
        """
        load deux-tableaux-france-open
        bare
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        """,
    ),
    Case(
        "excess-sessions",
        None,
        """
        load deux-tableaux-france-open
        bare
        session-called {"day": "2026-01-01", "session": 1, "shoe": 3}
        tableaux-bank p11 100000
        """,
        """
        load deux-tableaux-france-open
        bare
        session-called {"day": "2026-01-01", "session": 1, "shoe": 2}
        tableaux-bank p11 100000
        """,
    ),
    Case(
        "wrong-cutter",
        None,
        """
        load banque
        bare
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
        shoe-shuffled {"by": "dealer"}
        cutter-named {"by": "p2", "cutter": "p1"}
        shoe-cut {"by": "p1", "depth": 60}
        """,
        """
        load banque
        bare
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
        shoe-shuffled {"by": "dealer"}
        cutter-named {"by": "p11", "cutter": "p1"}
        shoe-cut {"by": "p1", "depth": 60}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
