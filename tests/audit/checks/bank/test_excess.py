"""Returns of stakes beyond the bank, and the money that wrong returns move.

The money is worked out by hand: each stake is one to one, and the bank of 20000 (100.00 at chemin
de fer) covers all that is left.
"""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from tests.support import bank_coups
from tests.support.ceased_bets import (
    coup_with_excess,
    finished_with,
    only_one,
)
from tests.support.rule_cases import Case, checks_of
from tests.support.tableaux_coups import deal, finish, table

CODE = "excess-returned-out-of-order"
WINS, LOSES = "9 K; 8 K; 3 4", "3 4; 2 4; 9 K"
"""Hands by which both tableaux win (9 and 8 against 7), and by which both lose (7 and 6, 9)."""

STAKES = (("x", 600), ("y", 500), ("p8", 9_500), ("p7", 10_000))
"""Two who stand, and two who sit: together 600 more than the bank."""


def at_tableaux(hands: str, *more: ev.Event, staked: tuple[tuple[str, int], ...] = STAKES) -> Shoe:
    """Stakes on the right against p11's 20000, and what else; then these hands."""
    felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 20_000))
    for number, (who, amount) in enumerate(staked, 1):
        seat = int(who[1:]) if who[1:] else None
        felt.put(ev.BetPlaced(1, number, who, "right", amount, seat))
    felt.put(*more, ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    return finish(deal(felt, hands)).shoe


def returned(shoe: Shoe) -> list[Finding]:
    """The findings of what went back; there is no other."""
    findings = audit_shoe(shoe).findings
    assert {finding.code for finding in findings} <= {CODE}
    return list(findings)


def back(*of: tuple[int, int]) -> tuple[ev.Event, ...]:
    """So much goes back of these bets of coup 1."""
    return tuple(bank_ev.ExcessReturned(1, bet, amount) for bet, amount in of)


def moved(finding: Finding) -> dict[str, int]:
    """What a finding says that patrons have too much."""
    return {who: amount for who, amount in finding.money.patrons.items() if amount}


@pytest.mark.parametrize("order", [((2, 500), (1, 100)), ((1, 100), (2, 500))])
@pytest.mark.parametrize("hands", [WINS, LOSES])
def test_who_stands_has_his_back_the_last_first(order, hands):
    assert returned(at_tableaux(hands, *back(*order))) == []


@pytest.mark.parametrize(
    ("of", "gains"),
    [
        # p7 has 600 back of his 10000: he wins 9400; x should have won 500, and y nothing
        ([(4, 600)], {"p7": -600, "x": 100, "y": 500}),
        # x has all of his back: he should have won 500, and y, whose 500 stood, nothing
        ([(1, 600)], {"x": -500, "y": 500}),
    ],
)
def test_who_goes_without_is_told_with_what_he_would_have_won(of, gains):
    (won,) = returned(at_tableaux(WINS, *back(*of)))
    assert moved(won) == {**gains, **({"p11": -sum(gains.values())} if sum(gains.values()) else {})}
    (lost,) = returned(at_tableaux(LOSES, *back(*of)))
    assert moved(lost) == {who: -gain for who, gain in moved(won).items()}


def test_more_than_was_staked_is_money_whatever_the_cards_say():
    few = (("p7", 10_000), ("x", 500))
    (all_of_it,) = returned(at_tableaux(LOSES, *back((2, 2_000)), staked=few))
    # 1500 that he never staked, and 500 that he would have lost
    assert moved(all_of_it) == {"x": 2_000, "p11": -2_000}
    assert all_of_it.observed == "20.00 EUR"
    twice = returned(at_tableaux(WINS, *back((2, 500), (2, 500)), staked=few))
    # 500 that he would have won, and 500 that he never staked: one finding bears both
    assert [moved(each) for each in twice] == [{}, {}]
    assert [each.money.unknown for each in twice] == [None, f"counted in {CODE}"]


def test_of_the_seated_nothing_goes_back_where_the_bank_covers_all():
    (finding,) = returned(
        at_tableaux(WINS, *back((1, 4_000)), staked=(("p7", 10_000), ("p8", 500)))
    )
    assert moved(finding) == {"p7": -4_000, "p11": 4_000}


def test_where_somebody_goes_bank_all_beside_him_goes_back():
    felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 20_000))
    felt.put(ev.BetPlaced(1, 1, "p8", "right", 600, 8), bank_ev.BancoCalled(1, "p7"))
    felt.put(ev.BetPlaced(1, 2, "p7", "right", 20_000, 7), bank_ev.ExcessReturned(1, 1, 600))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    assert returned(finish(deal(felt, WINS)).shoe) == []


def test_a_coup_that_was_voided_moved_nothing_but_what_nobody_had_staked():
    felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 20_000))
    felt.put(ev.BetPlaced(1, 1, "p7", "right", 500, 7), ev.BetPlaced(1, 2, "p8", "right", 500, 8))
    felt.put(*back((1, 500), (2, 700)), ev.NoMoreBets(1), ev.CoupVoided(1, "a fault"))
    money = [moved(each) for each in audit_shoe(felt.shoe).findings if each.code == CODE]
    assert money == [{"p8": 200, "p11": -200}, {}]


def at_chemin(*more: ev.Event, bets: tuple[tuple[str, int], ...]) -> list[Finding]:
    """The findings of what went back at chemin de fer, of a bank of 10000; Banker wins."""
    shoe = bank_coups.finish(bank_coups.staked(*bets).put(*more))
    return [each for each in audit_shoe(shoe).findings if each.code == CODE]


def test_the_amount_is_that_which_went_back():
    (finding,) = at_chemin(*back((1, 400)), bets=(("p2", 4_000), ("p3", 500)))
    assert finding.message == "4.00 EUR too much of p2's bet on Player was returned"
    assert moved(finding) == {"p2": 400, "p1": -400}


def test_at_chemin_de_fer_the_first_in_order_keeps_his():
    (finding,) = at_chemin(*back((1, 2_000)), bets=(("p2", 6_000), ("p3", 6_000)))
    assert (
        finding.message
        == "20.00 EUR of p2's bet on Player was returned while p3's 60.00 EUR on Player stayed"
    )
    # p2 would have lost 2000 more, and p3 2000 less
    assert moved(finding) == {"p2": 2_000, "p3": -2_000}


CASES = (
    Case(
        "excess-returned-out-of-order",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 6000}
        excess-returned {"coup": 1, "bet": 2, "amount": 2001}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 19999}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000, p3 player 6000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
    ),
    # 100 lies beyond the bank, and is x's: of the seated nothing goes back, of x no more than that
    Case(
        "excess-returned-out-of-order",
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
        excess-returned {"coup": 1, "bet": 2, "amount": 100}
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
    Case(
        "excess-returned-out-of-order",
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
        excess-returned {"coup": 1, "bet": 1, "amount": 101}
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
    Case(
        "excess-returned-out-of-order",
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
        excess-returned {"coup": 1, "bet": 1, "amount": 100}
        excess-returned {"coup": 1, "bet": 1, "amount": 1}
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
    # x had his back while there was too much there: what p7 takes down afterwards undoes nothing
    Case(
        "excess-returned-out-of-order",
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
        bet-changed {"coup": 1, "bet": 2, "amount": 19400}
        excess-returned {"coup": 1, "bet": 1, "amount": 100}
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
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed {"coup": 1, "bet": 1, "patron": "x", "wager": "right", "amount": 600}
        bet-placed
        {"coup": 1, "bet": 2, "patron": "p7", "wager": "right", "amount": 19500, "seat": 7}
        excess-returned {"coup": 1, "bet": 1, "amount": 100}
        bet-changed {"coup": 1, "bet": 2, "amount": 19400}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Bets that were withdrawn and settled ----------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "gain"), [(ev.BetPushed(1, 2), 100), (ev.BetTaken(1, 2, 500), -400)]
)
def test_more_than_the_stake_went_back_and_it_was_settled_all_the_same(move, gain):
    """600 went back of 500 beyond the bank, and the bet was settled: one finding bears both."""
    found = only_one(coup_with_excess(600, (move,)))
    assert found.code == "excess-returned-out-of-order"
    assert found.money.patrons == {"p3": gain, "p1": -gain}


def test_what_went_back_after_the_settlement_is_no_reason_for_a_wrong_payment():
    """p3's 500 loses, is paid 500, and then goes back as if the bank had not covered it."""
    felt = bank_coups.staked(("p2", 6000), ("p3", 500)).put(ev.NoMoreBets(1))
    felt.due(bank_ev.HandGiven).cards("P 4 2  B K 9").put(ev.ResultCalled(1, outcome="B"))
    felt.put(ev.BetTaken(1, 1, 6000), ev.BetPaid(1, 2, 500), bank_ev.ExcessReturned(1, 2, 500))
    found = audit_shoe(felt.put(ev.CoupClosed(1)).shoe).findings
    money = {each.code: each.money.patrons for each in found}
    assert money.pop("excess-returned-out-of-order") == {"p1": 0}
    assert list(money.values()) == [{"p3": 1000, "p1": -1000}]


def test_what_went_back_out_of_order_bears_what_it_was_settled_for():
    """The bank covers both stakes: p3's 500 goes back all the same, and is taken as if it lay."""
    felt = bank_coups.staked(("p2", 6000), ("p3", 500)).put(bank_ev.ExcessReturned(1, 2, 500))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    found = only_one(finished_with(felt, ev.BetTaken(1, 2, 500)))
    assert found.code == "excess-returned-out-of-order"
    assert set(found.money.patrons.values()) <= {0}
