"""More ways to break the rules of `checks/bank/tableaux_preparation.py`, and near misses."""

import pytest

from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.bank.tableaux_preparation import wrong_cutter
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.rule_group import code_of
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal

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


@pytest.mark.parametrize(
    ("coverage", "found", "reasons"), [("whole", 1, {}), ("coups", 0, {COUPS_ALONE: 1})]
)
def test_a_record_of_coups_alone_may_lack_the_naming_of_the_cutter(coverage, found, reasons):
    load = f'load banque {{"scope": "{coverage}"}}'
    report = audit_shoe(deal(f'{load}\nbare\nshoe-cut {{"by": "p1", "depth": 60}}'))
    (verdict,) = [each for each in report.verdicts if each.code == code_of(wrong_cutter)]
    assert verdict.reasons == reasons
    assert [each.code for each in report.findings].count(verdict.code) == found
