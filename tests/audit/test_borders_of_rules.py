"""Edge cases of rules: what is no breach, and what cannot be judged."""

import pytest

from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.bank.banco import stake_beside_banco
from sabot.domain.audit.checks.carried_bets import held_bet_taken_up
from sabot.domain.audit.checks.free_hands import unrequested_free_hand
from sabot.domain.audit.checks.no_bet_hands import no_bet_hand_not_played_out
from sabot.domain.audit.checks.payments import wrong_commission
from sabot.domain.audit.completeness import NO_CARDS, NO_SEATS
from sabot.domain.audit.rule_group import code_of
from tests.support.audited import codes, skipped
from tests.support.told_shoes import dealt

NO_BET_HAND = """
    load classic-8 {"scope": "coups"}
    bare
    coup-opened {"coup": 1}
    irregularity-noted {"kind": "card-exposed", "ruling": "no-bet-hand", "coup": 1, "by": "sue"}
"""


def test_the_cards_of_a_no_bet_hand_are_not_judged_where_a_record_of_coups_has_none():
    shoe = dealt(f'{NO_BET_HAND}result-called {{"coup": 1}}\ncoup-closed {{"coup": 1}}')
    code = code_of(no_bet_hand_not_played_out)
    assert code not in codes(shoe)
    assert skipped(shoe, code) == {NO_CARDS: 1}


TIE = """
    with tie.withdrawable = false
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 9
    result-called {"coup": 1, "outcome": "T"}
    bet-pushed {"coup": 1, "bet": 1}
"""


@pytest.mark.parametrize(
    ("to", "is_taken_up"), [((800,), False), ((800, 500), False), ((400,), True), ((0,), True)]
)
def test_a_bet_that_a_tie_holds_may_be_raised_but_not_lowered(to, is_taken_up):
    changes = [f'bet-changed {{"coup": 1, "bet": 1, "amount": {each}}}\n' for each in to]
    shoe = dealt(f'{TIE}{"".join(changes)}coup-closed {{"coup": 1}}')
    assert (code_of(held_bet_taken_up) in codes(shoe)) == is_taken_up


TWO_BETS = """
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 50000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "banker", "amount": 50000}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 4  B 9
    result-called {"coup": 1, "outcome": "B"}
    bet-paid {"coup": 1, "bet": 1, "amount": 47500, "after_commission": true}
    bet-paid {"coup": 1, "bet": 2, "amount": 60000}
    bet-taken {"coup": 1, "bet": 2, "amount": 10000}
"""


@pytest.mark.parametrize("closed", [False, True])
def test_commission_is_not_short_while_the_coup_is_open(closed):
    """What was paid too much was taken back; the commission of 25.00 may still be collected."""
    shoe = dealt(TWO_BETS + closed * 'coup-closed {"coup": 1}')
    assert (code_of(wrong_commission) in codes(shoe)) == closed


@pytest.mark.parametrize("staker", ["p2", "p3"])
def test_which_of_two_claimants_goes_bank_is_not_judged_without_the_seats(staker):
    shoe = dealt(f"""
        load chemin-de-fer
        bare
        banks p1 10000
        coup-opened {{"coup": 1}}
        bank-called {{"coup": 1, "amount": 10000}}
        banco-called {{"coup": 1, "patron": "p2"}}
        banco-called {{"coup": 1, "patron": "p3"}}
        bet-placed {{"coup": 1, "bet": 1, "patron": "{staker}", "wager": "player", "amount": 10000}}
        no-more-bets {{"coup": 1}}
        hand-given {{"coup": 1, "hand": "player", "to": "{staker}"}}
        deal P 4 2  B K 9
    """)
    assert skipped(shoe, code_of(stake_beside_banco)) == {NO_SEATS: 1}


@pytest.mark.parametrize("first", ["request", "opening"])
@pytest.mark.parametrize(("second", "result"), [(10, "pass"), (31, "not-applicable"), (36, "fail")])
def test_a_request_of_unknown_order_permits_no_free_hand_for_sure(first, second, result):
    """The opening is at 30 s, and the clocks may differ by 5 s."""
    opening = 'told a 30 4 coup-opened {"coup": 1, "free": true}\n'
    asked = '{"kind": "free-hand", "patron": "p1", "granted": true}'
    request = f"told b {second} 1 request-made {asked}\n"
    shoe = dealt(f"""
        with clocks.tolerance_ms = 5000
        with free_hands_when = "on-request"
        bare
        told a 1 1 shoe-shuffled {{"by": "ann"}}
        told a 2 2 shoe-cut {{"by": "ann", "depth": 90}}
        told a 3 3 stop-card-placed {{"behind": 14}}
        {request + opening if first == "request" else opening + request}
        told a 40 5 card-drawn {{"coup": 1, "hand": "player", "card": "4"}}
    """)
    code = code_of(unrequested_free_hand)
    (verdict,) = [each for each in audit_shoe(shoe).verdicts if each.code == code]
    assert verdict.result == result
