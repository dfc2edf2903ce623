"""The rules of `checks/bank/handover.py`: breaches, near misses, and legal cases."""

import pytest

from sabot.domain.audit.checks.bank.bank_moves import bank_moved_by_wrong_person
from sabot.domain.audit.checks.bank.handover import partial_bank_withdrawal
from sabot.domain.audit.rule_group import code_of
from tests.support.audited import codes
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import dealt, told

CASES = (
    Case(
        "chip-balance-mismatch",
        None,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        shoe-passed {"by": "p3", "reason": "left"}
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        bank-withdrawn {"by": "p3", "amount": 200500}
        shoe-passed {"by": "p3", "reason": "left"}
        """,
    ),
    # more than lies there of a bank without a limit
    Case(
        "chip-balance-mismatch",
        None,
        """
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p11", "amount": 100981}
        shoe-passed {"by": "p11", "reason": "chosen"}
        """,
        """
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p11", "amount": 100980}
        shoe-passed {"by": "p11", "reason": "chosen"}
        """,
    ),
    # what is left behind is shown by the last move of the bank: a levy, or what the banker added
    Case(
        "chip-balance-mismatch",
        None,
        """
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        shoe-passed {"by": "p11", "reason": "chosen"}
        """,
        """
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p11", "amount": 100490}
        shoe-passed {"by": "p11", "reason": "chosen"}
        """,
    ),
    Case(
        "chip-balance-mismatch",
        None,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        bank-raised {"by": "p3", "amount": 1000}
        shoe-passed {"by": "p3", "reason": "left"}
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        bank-raised {"by": "p3", "amount": 1000}
        bank-withdrawn {"by": "p3", "amount": 201500}
        shoe-passed {"by": "p3", "reason": "left"}
        """,
    ),
    Case(
        "bank-offered-out-of-turn",
        None,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        banks p2 10000
        coup x player 500 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p2 10000
        coup x player 500 | P 4 2  B K 9
        """,
    ),
    # the turn starts from the seat of the banker who left: p3 sits next to it, p1 beside the dealer
    Case(
        "bank-offered-out-of-turn",
        None,
        """
        load chemin-de-fer {"banked": "p2"}
        seats p1 p2 p3 p4
        patron-left {"patron": "p2"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        bank-posted {"by": "p1", "amount": 10000}
        """,
        """
        load chemin-de-fer {"banked": "p2"}
        seats p1 p2 p3 p4
        patron-left {"patron": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        bank-posted {"by": "p3", "amount": 10000}
        """,
    ),
    Case(
        "wrong-bank-amount",
        None,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 9999
        coup p2 player 500 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 500 | P 4 2  B K 9
        """,
    ),
    Case(
        "wrong-bank-amount",
        None,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 20000}
        shoe-passed {"by": "p1", "reason": "chosen"}
        bank p2 19000
        coup x player 500 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 20000}
        shoe-passed {"by": "p1", "reason": "chosen"}
        bank p2 20000
        coup x player 500 | P 4 2  B K 9
        """,
    ),
    Case(
        "wrong-bank-amount",
        None,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p11", "amount": 20500}
        shoe-passed {"by": "p11", "reason": "chosen"}
        shoe-offered {"to": "p7", "amount": 20500}
        shoe-refused {"by": "p7"}
        shoe-offered {"to": "p5", "amount": 20500}
        shoe-refused {"by": "p5"}
        tableaux-bank p8 20501
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p11", "amount": 20500}
        shoe-passed {"by": "p11", "reason": "chosen"}
        shoe-offered {"to": "p7", "amount": 20500}
        shoe-refused {"by": "p7"}
        shoe-offered {"to": "p5", "amount": 20500}
        shoe-refused {"by": "p5"}
        tableaux-bank p8 20500
        """,
    ),
    Case(
        "partial-bank-withdrawal",
        None,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 5000}
        coup p2 player 500 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 20000}
        shoe-passed {"by": "p1", "reason": "chosen"}
        bank p2 20000
        coup x player 500 | P 4 2  B K 9
        """,
    ),
    Case(
        "partial-bank-withdrawal",
        None,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 5000}
        bank-raised {"by": "p1", "amount": 1000}
        coup p2 player 500 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 20000}
        shoe-passed {"by": "p1", "reason": "chosen"}
        bank p2 20000
        coup x player 500 | P 4 2  B K 9
        """,
    ),
    # France: Player's false draw costs the banker nothing, and no ruling gives the bank up
    Case(
        "premature-bank-withdrawal",
        None,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "false draw"}
        bank-withdrawn {"by": "p1", "amount": 10000}
        shoe-passed {"by": "p1", "reason": "ruling"}
        bank p2 10000
        coup p3 player 10000 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 7
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "false draw"}
        bank-withdrawn {"by": "p1", "amount": 10000}
        shoe-passed {"by": "p1", "reason": "ruling"}
        bank p2 10000
        coup p3 player 10000 | P 4 2  B K 9
        """,
    ),
    # split, so that 1000 à cheval stays; lost on both, so that nothing does
    Case(
        "premature-bank-withdrawal",
        None,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 cheval 1000 | 9 K; 2 4; 8 K
        bank-withdrawn {"by": "p11", "amount": 20000}
        tableaux-bank p7 20000
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 cheval 1000 | 3 4; 2 4; 8 K
        bank-withdrawn {"by": "p11", "amount": 21000}
        tableaux-bank p7 21000
        """,
    ),
    # a coup that was ruled void is none that he dealt
    Case(
        "premature-bank-withdrawal",
        None,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 cheval 1000
        coup-voided {"coup": 1, "reason": "alarm", "by": "boss"}
        bank-withdrawn {"by": "p11", "amount": 20000}
        tableaux-bank p7 20000
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 cheval 1000 | 3 4; 2 4; 8 K
        bank-withdrawn {"by": "p11", "amount": 21000}
        tableaux-bank p7 21000
        """,
    ),
    # the shoe is over: nothing more can be dealt for his bank
    Case(
        "premature-bank-withdrawal",
        None,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 cheval 1000
        coup-voided {"coup": 1, "reason": "alarm", "by": "boss"}
        bank-withdrawn {"by": "p11", "amount": 20000}
        tableaux-bank p7 20000
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 cheval 1000
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 1, "by": "boss"}
        coup-voided {"coup": 1, "reason": "alarm", "by": "boss"}
        bank-withdrawn {"by": "p11", "amount": 20000}
        shoe-ended {"reason": "closing"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A part of the bank ----------------------------------------------------------------------------


def test_a_banker_at_macao_takes_no_part_of_the_bank_out():
    shoe = """
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 2 1000 | 2: 7; B: 6
        bank-withdrawn {"by": "p3", "amount": 100000}
        hands 2 1000 | 2: 7; B: 6
    """
    assert told(shoe) == [("partial-bank-withdrawal", None, None, {})]


@pytest.mark.parametrize("amount", [0, 5000])
def test_another_person_who_takes_out_a_part_is_the_only_one_accused(amount):
    shoe = f"""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {{"by": "p2", "amount": {amount}}}
        coup p2 player 500 | P 4 2  B K 9
    """
    assert codes(dealt(shoe)) == [code_of(bank_moved_by_wrong_person)]


def test_a_banker_may_take_the_whole_bank_out_in_two_parts():
    assert (
        told("""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 5000}
        bank-withdrawn {"by": "p1", "amount": 15000}
        shoe-passed {"by": "p1", "reason": "chosen"}
        """)
        == []
    )


def test_a_bank_is_kept_if_a_coup_is_dealt_against_what_is_left():
    """The coup is a tie, so that no chips move."""
    shoe = """
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 5000}
        coup p2 player 500 | P 4 5  B K 9
    """
    assert codes(dealt(shoe)) == [code_of(partial_bank_withdrawal)]


def test_a_banker_who_takes_nothing_out_keeps_the_bank():
    assert (
        told("""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 0}
        coup p2 player 500 | P 4 2  B K 9
        """)
        == []
    )


def test_a_bank_has_to_match_nothing_where_the_pack_gives_it_at_any_amount():
    """p1 left 200.00 EUR; the minimum is 100.00."""
    assert told("""
        load chemin-de-fer
        with bank.takeover = "any"
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 20000}
        shoe-passed {"by": "p1", "reason": "chosen"}
        shoe-offered {"to": "p2"}
        shoe-refused {"by": "p2"}
        shoe-offered {"to": "p3", "amount": 20000}
        shoe-taken {"by": "p3"}
        bank-posted {"by": "p3", "amount": 15000}
        """) == [("bank-offered-out-of-turn", None, None, {})]
