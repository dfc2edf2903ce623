"""More ways to break the rules of `checks/bank/tableaux_bets.py`, and near misses."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.audit.checks.bank.tableaux_bets import payment_out_of_rotation
from sabot.domain.audit.checks.payments import losing_bet_not_taken, push_paid_or_taken
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events.bank import BankCalled, HandGiven, HandsCalled
from sabot.domain.procedure.preconditions import violation
from tests.support.audited import codes
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal as deal_example
from tests.support.tableaux_coups import deal, finish, opened, play, table
from tests.support.told_shoes import dealt, told

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


# -- Stakes that are carried over ------------------------------------------------------------------


def carried(stakes: str, *bets: tuple[str, str, int]) -> tuple[dict[str, dict[str, int]], set[str]]:
    """What the audit finds when these stakes tied and these bets are carried.

    In the next coup the banker's 9 beats both tableaux.

    Returns:
        the money of each patron by the code of each finding, and the codes of the findings that
        stand by themselves.
    """
    felt = play(table(), f"{stakes} | 3 4; 2 4; 9 8").put(ev.CoupOpened(2)).due(BankCalled)
    for number, (patron, wager, amount) in enumerate(bets, 1):
        felt.put(ev.BetCarried(2, number, patron, wager, amount, int(patron[1:])))
    shoe = finish(deal(felt.put(ev.NoMoreBets(2)).due(HandGiven), "3 4; 2 4; 9 K")).shoe
    found = audit_shoe(shoe).findings
    own = {each.code for each in found if each.explained_by is None}
    return {each.code: each.money.patrons for each in found}, own


TWO = "p7 right 1000, p7 right 500"


@pytest.mark.parametrize(
    ("stakes", "bets"),
    [
        (TWO, [("p7", "right", 1000), ("p7", "right", 500)]),
        (TWO, [("p7", "right", 500), ("p7", "right", 1000)]),
        (TWO, [("p7", "right", 1500)]),
        ("p7 right 1500", [("p7", "right", 1000), ("p7", "right", 500)]),
        (f"{TWO}, p8 right 500", [("p8", "right", 500), ("p7", "right", 1500)]),
    ],
)
def test_tied_stakes_go_on_as_one_and_one_as_several_if_they_add_up(stakes, bets):
    assert carried(stakes, *bets) == ({}, set())


@pytest.mark.parametrize(
    ("bets", "gain"),
    [
        ([("p7", "right", 3000)], -1500),  # 15.00 more than lay there were lost
        ([("p7", "right", 1200)], 300),  # 3.00 less
        ([("p7", "right", 1000), ("p7", "right", 600)], -100),
    ],
)
def test_a_stake_that_is_carried_with_another_amount_is_one_finding(bets, gain):
    found, _ = carried(TWO, *bets)
    assert found == {"carried-stake-not-held": {"p7": gain, "p11": -gain}}


def test_of_two_stakes_the_one_that_is_not_carried_is_gone():
    """The other lost as it had to."""
    found, _ = carried(TWO, ("p7", "right", 1000))
    assert found == {"held-stake-taken-up": {"p7": 500, "p11": -500}}


def test_a_stake_that_is_carried_for_another_patron_is_one_finding():
    """P8 loses what p7's stake on the right had to lose. The banker gets it all the same."""
    found, _ = carried("p7 right 1000", ("p8", "right", 1000))
    assert found == {"carried-stake-not-held": {"p8": -1000, "p7": 1000, "p11": 0}}


def test_a_stake_that_is_carried_to_another_tableau_is_one_finding():
    """It loses there what it had to lose on the right."""
    found, own = carried("p7 right 1000", ("p7", "left", 1000))
    assert found["held-stake-taken-up"] == {"p7": 1000, "p11": -1000}
    assert found["carried-stake-not-held"] == {"p7": -1000, "p11": 1000}
    assert own == {"carried-stake-not-held"}


def paid(stakes: str, hands: str, called: tuple[int, int, int], *bets: int) -> list[str]:
    """Return the codes of the findings if bets of 5.00 EUR are paid in an order."""
    totals = ", ".join(
        f'{{"hand": "{hand}", "total": {total}}}'
        for hand, total in zip(("right", "left", "banker"), called, strict=True)
    )
    steps = [
        *("load banque", "bare", "tableaux-bank p11 20000"),
        *(f"tableaux-open {stakes}", f"tableaux-hands {hands}"),
        f'hands-called {{"coup": 1, "totals": [{totals}]}}',
        *(f'bet-paid {{"coup": 1, "bet": {bet}, "amount": 500}}' for bet in bets),
        "due",
    ]
    return codes(deal_example("\n".join(steps)))


@pytest.mark.parametrize(
    ("left", "total", "rule"),
    [("2 3", 5, losing_bet_not_taken), ("2 4", 6, push_paid_or_taken)],
)
def test_a_winner_is_not_accused_because_a_loser_or_a_push_was_paid_later(left, total, rule):
    hands = f"3 4 =; {left} =; 3 3 ="
    assert paid("p7 right 500, p5 left 500", hands, (7, total, 6), 1, 2) == [code_of(rule)]


def test_the_stakes_of_one_patron_are_paid_in_any_order():
    hands = "3 4 =; 2 5 =; 3 3 ="
    stakes = "p7 right 500, p7 right 500, p5 left 500"
    assert paid(stakes, hands, (7, 7, 6), 2, 1, 3) == []
    assert paid(stakes, hands, (7, 7, 6), 2, 3, 1) == [code_of(payment_out_of_rotation)]


def test_dealing_pays_the_stakes_of_one_patron_in_any_order():
    felt = deal(opened(table(), "p7 right 500, p7 right 500, p5 left 500"), "3 4 =; 2 5 =; 3 3 =")
    felt.due(ev.CardTurned, HandsCalled)
    assert violation(felt.shoe, ev.BetPaid(1, 2, 500)) is None
    refused = violation(felt.shoe, ev.BetPaid(1, 3, 500))
    assert refused is not None
    assert refused.rule == find_rule(code_of(payment_out_of_rotation)).number


def test_a_stake_that_is_not_whole_units_shows_the_change_that_made_it_so():
    """10.00 becomes 10.50."""
    shoe = dealt("""
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 100000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 1000}
        bet-changed {"coup": 1, "bet": 1, "amount": 1050}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """)
    (found,) = audit_shoe(shoe).findings
    shown = [type(event.payload) for event in shoe.history if event.index in found.events]
    assert shown == [ev.BetPlaced, ev.BetChanged]
