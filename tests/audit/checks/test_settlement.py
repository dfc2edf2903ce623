"""More ways to break the rules of `checks/settlement.py`, and near misses."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.settlement import settlement_before_result
from sabot.domain.audit.rule_group import code_of
from sabot.domain.state.shoe import Shoe
from tests.support.audited import codes
from tests.support.ceased_bets import (
    bet_of_500,
    moved_by,
)
from tests.support.coup_notation import Felt, shoe_of
from tests.support.device_records import (
    CARDS,
    device_shoe,
    verdict_on,
)
from tests.support.one_fault import own_and_explained, two_bets
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal

CASES = (
    Case(
        "winners-paid-before-losers-taken",
        1,
        "coup p1 player 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | 1 pay 500, 2 take 100",
        "coup p1 player 500, p2 tie 100 | P 4 5  B K 8",
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


def test_a_natural_of_one_tableau_alone_is_paid_at_once_and_not_before_the_cards():
    natural = "tableaux p7 right 500, p4 left 500 | 4 4; 2 4; 9 7"
    shoe = deal(f"load banque\nbare\ntableaux-bank p11 20000\n{natural}")
    assert codes(shoe) == []
    payloads = [event.payload for event in shoe.history]
    kinds = [*map(type, payloads)]
    paid = payloads.pop(kinds.index(ev.BetPaid))
    payloads.insert(kinds.index(ev.NoMoreBets) + 1, paid)
    assert codes(shoe_of(payloads)) == [code_of(settlement_before_result)]


# -- Events of several devices ---------------------------------------------------------------------


def test_a_payment_before_the_result():
    code = "settlement-before-result"

    def paid(at: int) -> Shoe:
        moved = CARDS.replace("chips 6000 pay", f"chips {at} pay")
        return device_shoe(
            "terminal -20000 open\nchips -9000 bet player 500\nterminal 0 call" + moved
        )

    assert verdict_on(paid(5251), code) == (0, {})
    assert verdict_on(paid(4749), code) == (1, {})
    assert verdict_on(paid(5100), code)[0] == 0
    assert "100 ms apart" in next(iter(verdict_on(paid(5100), code)[1]))


# -- One rule that is broken several times at once -------------------------------------------------


def test_bets_settled_before_the_result_are_one_finding():
    """Both bets are settled, then the result is called."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    for bet, wager in enumerate(("player", "banker"), 1):
        felt.put(ev.BetPlaced(1, bet, f"p{bet}", wager, 500, bet))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 8")
    felt.put(ev.BetTaken(1, 2, 500), ev.BetPaid(1, 1, 500), ev.ResultCalled(1, 9, 8, "P"))
    (found,) = audit_shoe(felt.put(ev.CoupClosed(1)).shoe).findings
    assert (found.code, found.patron, len(found.events)) == ("settlement-before-result", None, 3)
    assert found.message == (
        "the taking of 5.00 EUR for p2's 5.00 EUR on Banker came before the call of the result, "
        "and 1 more like it"
    )


# -- After the close -------------------------------------------------------------------------------


def test_a_loser_who_is_taken_after_the_close_was_taken_after_the_winners():
    felt = two_bets(
        "P 4 5  B K 8",
        ev.ResultCalled(1, 9, 8, "P"),
        *(ev.BetPaid(1, 1, 500), ev.CoupClosed(1), ev.BetTaken(1, 2, 500)),
    )
    late = "settlement-after-coup-close"
    assert own_and_explained(felt) == ([late], [("winners-paid-before-losers-taken", late)])


# -- After the close -------------------------------------------------------------------------------


def test_a_bet_that_was_settled_after_the_close_and_withdrawn_is_found():
    felt = bet_of_500().put(ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1))
    assert moved_by(felt.shoe) == [("settlement-after-coup-close", 1, "p1", None)]
