"""More ways to break the rules of `checks/bank/tableaux_bets.py`, and near misses."""

from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import told

CASES = (
    # a stake of his own between them, and it is no fourth in a row
    Case(
        "fourth-banco",
        4,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "carried-stake-not-held",
        2,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 1000 | 3 4; 2 4; 9 K
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 21000}
        bet-carried
        {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 1000, "seat": 7}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p8"}
        hand-given {"coup": 2, "hand": "left", "to": "p4"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 1000 | 9 K; 2 4; 9 K
        tableaux  | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "stake-not-whole-units",
        1,
        """
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 right 550, p5 left 500 | 3 4; 2 4; 9 K
        """,
        """
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 right 600, p5 left 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "stake-not-whole-units",
        1,
        """
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 cheval 700, p5 left 500 | 9 K; 9 Q; 8 K
        """,
        """
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 cheval 800, p5 left 500 | 9 K; 9 Q; 8 K
        """,
    ),
    # what was frozen lies there still after a coup that was void
    Case(
        "held-stake-taken-up",
        3,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 cheval 1000 | 9 K; 2 4; 8 K
        coup-opened {"coup": 2}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 2, "by": "sue"}
        coup-voided {"coup": 2, "reason": "alarm", "by": "sue"}
        coup-opened {"coup": 3}
        bank-called {"coup": 3, "amount": 20000}
        bet-placed {"coup": 3, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
        no-more-bets {"coup": 3}
        hand-given {"coup": 3, "hand": "right", "to": "p7"}
        hand-given {"coup": 3, "hand": "left", "to": "p4"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 cheval 1000 | 9 K; 2 4; 8 K
        coup-opened {"coup": 2}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 2, "by": "sue"}
        coup-voided {"coup": 2, "reason": "alarm", "by": "sue"}
        tableaux p8 right 500 | 3 4; 2 4; 9 K
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


def test_bancos_in_a_row_are_not_counted_across_coups_that_are_not_on_record():
    """The record has coups 1 to 3 and 5; in the fourth p7 may have played no banco."""
    coup = "tableaux banco p7 | 3 4; 2 4; 9 K\n"
    fifth = """
        coup-opened {"coup": 5}
        bank-called {"coup": 5, "amount": 160000}
        banco-called {"coup": 5, "patron": "p7"}
    """
    codes = [
        code for code, *_ in told(f"load banque\nbare\ntableaux-bank p11 20000\n{coup * 3}{fifth}")
    ]
    assert "fourth-banco" not in codes
