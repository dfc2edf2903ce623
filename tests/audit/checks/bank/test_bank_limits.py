"""The rules of `checks/bank/bank_limits.py`: breaches, near misses, and legal cases."""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit.checks.bank.bank_limits import mid_coup_bank_raise
from sabot.domain.audit.checks.bank.bank_moves import bank_moved_by_wrong_person
from sabot.domain.audit.checks.bank.chip_balance import chip_balance_mismatch
from sabot.domain.audit.checks.bank.funds import open_bank_without_excess
from sabot.domain.audit.completeness import COUPS_MISSING
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from tests.support.audited import codes, codes_and_coups, skipped
from tests.support.coup_notation import shoe_of
from tests.support.rule_cases import Case, checks_of
from tests.support.tableaux_coups import play
from tests.support.tableaux_coups import table as table_of_tableaux
from tests.support.told_shoes import dealt, told

CASES = (
    # the seated leave 500 of 20000; x stakes behind them, or before
    Case(
        "bystander-stake-before-seated",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 19500, "seat": 7}
        bet-placed {"coup": 1, "bet": 2, "patron": "x", "wager": "right", "amount": 600}
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
        tableaux p7 right 19500, x right 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "bystander-stake-before-seated",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed {"coup": 1, "bet": 1, "patron": "x", "wager": "right", "amount": 600}
        bet-placed
        {"coup": 1, "bet": 2, "patron": "p7", "wager": "right", "amount": 19500, "seat": 7}
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
        tableaux x right 600, p7 right 19500 | 3 4; 2 4; 9 K
        """,
    ),
    # the seated alone may stake beyond the bank: it pays as far as it reaches
    Case(
        "bystander-stake-before-seated",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 19500, "seat": 7}
        bet-placed {"coup": 1, "bet": 2, "patron": "p8", "wager": "right", "amount": 600, "seat": 8}
        bet-placed {"coup": 1, "bet": 3, "patron": "x", "wager": "right", "amount": 500}
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
        tableaux p7 right 19500, p8 right 1100 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "coup-without-bank",
        1,
        """
        load banque
        bare
        shoe-shuffled {"by": "dealer"}
        cutter-named {"by": "p11", "cutter": "p1"}
        shoe-cut {"by": "p1"}
        stop-card-placed {"behind": 10}
        tableaux-open p7 right 500
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 9 K; 2 4; 3 4
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        choice-made {"coup": 1, "hand": "left", "choice": "stand"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        due
        tableaux-open p7 right 500
        hand-given {"coup": 2, "hand": "left", "to": "p4"}
        tableaux-hands 9 K; 2 4; 3 4
        card-turned {"coup": 2, "hand": "right", "nth": 1}
        card-turned {"coup": 2, "hand": "right", "nth": 2}
        bet-paid {"coup": 2, "bet": 1, "amount": 500}
        choice-made {"coup": 2, "hand": "left", "choice": "stand"}
        choice-made {"coup": 2, "hand": "banker", "choice": "stand"}
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 9 K; 2 4; 3 4
        tableaux p7 right 500 | 9 K; 2 4; 3 4
        """,
    ),
    Case(
        "coup-without-bank",
        1,
        """
        load banque
        bare
        shoe-shuffled {"by": "dealer"}
        cutter-named {"by": "p11", "cutter": "p1"}
        shoe-cut {"by": "p1"}
        stop-card-placed {"behind": 10}
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 500, "seat": 7}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 9 K; 2 4; 3 4
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        choice-made {"coup": 1, "hand": "left", "choice": "stand"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        due
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 19500}
        bet-placed {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 500, "seat": 7}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p7"}
        hand-given {"coup": 2, "hand": "left", "to": "p4"}
        tableaux-hands 9 K; 2 4; 3 4
        card-turned {"coup": 2, "hand": "right", "nth": 1}
        card-turned {"coup": 2, "hand": "right", "nth": 2}
        bet-paid {"coup": 2, "bet": 1, "amount": 500}
        choice-made {"coup": 2, "hand": "left", "choice": "stand"}
        choice-made {"coup": 2, "hand": "banker", "choice": "stand"}
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 9 K; 2 4; 3 4
        tableaux p7 right 500 | 9 K; 2 4; 3 4
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


@pytest.mark.parametrize("scope", ["coups alone", "begun late", "no bank", "two coups lack"])
def test_a_bank_that_the_record_may_lack_is_not_missed(scope):
    payloads = play(play(table_of_tableaux(), NATURAL), NATURAL).payloads
    if scope == "coups alone":
        payloads[0] = replace(payloads[0], coverage="coups")
    elif scope == "begun late":
        payloads = payloads[
            next(n for n, x in enumerate(payloads) if isinstance(x, ev.CoupOpened)) :
        ]
    lacks = [x for x in payloads if not isinstance(x, bank_ev.BankPosted | bank_ev.BankBid)]
    if scope == "no bank":
        lacks = [x for x in lacks if not isinstance(x, bank_ev.BankCalled)]
    elif scope == "two coups lack":
        second = next(n for n, x in enumerate(lacks) if x == ev.CoupOpened(2))
        lacks = [lacks[0], *lacks[second:]]
    assert "coup-without-bank" not in {code for code, _ in codes_and_coups(shoe_of(lacks))}
    assert skipped(shoe_of(lacks), "coup-without-bank")


NATURAL = "p7 right 500 | 9 K; 2 4; 3 4"


RAISE = code_of(mid_coup_bank_raise)
RAISED = """
    load banque
    bare
    tableaux-bank p11 20000
    {before}
    coup-opened {{"coup": 1}}
    bank-called {{"coup": 1, "amount": {bank}}}
    bet-placed {{"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20500}}
    {during}
    no-more-bets {{"coup": 1}}
    hand-given {{"coup": 1, "hand": "right", "to": "p7"}}
    hand-given {{"coup": 1, "hand": "left", "to": "p5"}}
    tableaux-hands 3 4; 2 4; 9 K
    due
    {after}
"""


def raised(before: str = "", during: str = "", after: str = "") -> list[str]:
    bank = 21000 if before else 20000
    shoe = RAISED.format(before=before, during=during, after=after, bank=bank)
    return [code for code, *_ in told(shoe)]


@pytest.mark.parametrize("coup", ['"coup": 1, ', ""])
def test_a_bank_is_raised_during_a_coup_that_the_event_does_not_name(coup):
    added = f'bank-raised {{{coup}"by": "p11", "amount": 1000}}'
    assert raised(during=added) == [RAISE]


@pytest.mark.parametrize("coup", ['"coup": 1, ', ""])
def test_a_bank_that_is_raised_before_or_after_a_coup_is_not_raised_during_it(coup):
    added = f'bank-raised {{{coup}"by": "p11", "amount": 1000}}'
    assert RAISE not in raised(before=added)
    assert RAISE not in raised(after=added)


def test_somebody_else_who_raises_the_bank_is_named_alone():
    added = 'bank-raised {"by": "p3", "amount": 1000, "coup": 1}'
    assert raised(during=added) == [code_of(bank_moved_by_wrong_person)]


def test_a_bank_that_accepts_all_stakes_in_no_coup_stays_limited():
    lines = ['bank-unlimited {"by": "p11"}', 'bank-raised {"by": "p11", "amount": 500, "coup": 1}']
    assert raised(during="\n".join(lines)) == [code_of(open_bank_without_excess), RAISE]


COUP_MISSING = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup p2 player 1000 | P 4 5  B K 6
    {}shoe-passed {{"by": "p1", "reason": "lost"}}
    coup-opened {{"coup": 3}}
    bank-called {{"coup": 3, "amount": 12000}}
    bet-placed {{"coup": 3, "bet": 1, "patron": "p3", "wager": "player", "amount": 1000}}
    no-more-bets {{"coup": 3}}
    hand-given {{"coup": 3, "hand": "player", "to": "p3"}}
    card-drawn {{"coup": 3, "hand": "player", "card": "4", "place": 9}}
    card-drawn {{"coup": 3, "hand": "banker", "card": "K", "place": 10}}
    card-drawn {{"coup": 3, "hand": "player", "card": "5", "place": 11}}
    card-drawn {{"coup": 3, "hand": "banker", "card": "6", "place": 12}}
    due
"""


def test_a_bank_may_have_been_put_up_in_a_coup_that_the_record_lacks():
    """Coup 2 and the bank of its banker are missing."""
    shoe = dealt(COUP_MISSING.format(""))
    assert skipped(shoe, "coup-without-bank") == {COUPS_MISSING: 1}


def test_a_bank_may_have_lost_its_chips_in_a_coup_that_the_record_lacks():
    """90.00 of p1's bank are not taken out."""
    assert code_of(chip_balance_mismatch) not in codes(dealt(COUP_MISSING.format("")))
