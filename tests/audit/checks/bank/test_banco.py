"""More ways to break the rules of `checks/bank/banco.py`, and near misses."""

import json

import pytest

from sabot.domain import events as ev
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import told

CASES = (
    Case(
        "stake-beside-banco",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        banco-called {"coup": 1, "patron": "p3"}
        bet-placed {"coup": 1, "bet": 1, "patron": "p3", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p4", "wager": "player", "amount": 4000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p3"}
        deal P 4 2  B K 9
        due
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup banco p3, p3 player 10000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
    ),
    # p2 sits nearer to the banker than p3, whose claim came first
    Case(
        "stake-beside-banco",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        banco-called {"coup": 1, "patron": "p3"}
        banco-called {"coup": 1, "patron": "p2"}
        bet-placed {"coup": 1, "bet": 1, "patron": "p3", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p3"}
        deal P 4 2  B K 9
        due
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup banco p3, banco p2, p2 player 10000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
    ),
    # p7 and p5 claim from opposite sides: a half each, and p8 comes after p7
    Case(
        "stake-beside-banco",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        banco-called {"coup": 1, "patron": "p7"}
        banco-called {"coup": 1, "patron": "p5"}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20000, "seat": 7}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7, banco p5 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "stake-beside-banco",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        banco-called {"coup": 1, "patron": "p7"}
        banco-called {"coup": 1, "patron": "p5"}
        banco-called {"coup": 1, "patron": "p8"}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p8", "wager": "right", "amount": 10000, "seat": 8}
        bet-placed
        {"coup": 1, "bet": 2, "patron": "p5", "wager": "left", "amount": 10000, "seat": 5}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7, banco p8, banco p5 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "unjustified-banco",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup suivi p3, p3 player 10000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup banco p3, p3 player 10000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
    ),
    Case(
        "unjustified-banco",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7, banco p11 | 3 4; 2 4; 9 K
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7, banco p10 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "unjustified-banco",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7 left | 3 4; 2 4; 9 K
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7 both | 3 4; 2 4; 9 K
        """,
    ),
)

BLAMED_AT = {"stake-beside-banco": (ev.NoMoreBets,)}
"""The kinds of events by which a rule is broken, where the first event shown was right."""

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


SUIVI = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 10000}
    banco-called {"coup": 2, "patron": "p2", "suivi": true}
"""


def test_banco_suivi_is_not_judged_where_the_record_lacks_the_coup_before():
    first = SUIVI.replace('"coup": 2', '"coup": 1')
    assert "unjustified-banco" not in [code for code, *_ in told(SUIVI)]
    assert [code for code, *_ in told(first)] == ["unjustified-banco"]


@pytest.mark.parametrize(("stake", "broken"), [(None, False), (10000, False), (6000, True)])
def test_in_a_void_coup_only_a_stake_that_was_laid_can_be_wrong(stake, broken):
    laid = {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": stake}
    found = told(f"""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {{"coup": 1}}
        bank-called {{"coup": 1, "amount": 10000}}
        banco-called {{"coup": 1, "patron": "p2"}}
        {f"bet-placed {json.dumps(laid)}" if stake else ""}
        no-more-bets {{"coup": 1}}
        coup-voided {{"coup": 1, "reason": "misdeal", "by": "sue"}}
    """)
    assert ("stake-beside-banco" in [code for code, *_ in found]) == broken
