"""The rules of `checks/unsettled_bets.py`: breaches, near misses, and legal cases."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.values.cards import parse_card
from tests.support.audited import codes, codes_and_coups, looked, only, skipped
from tests.support.ceased_bets import (
    AWAY,
    MOVED,
    bet_of_500,
    moved_by,
)
from tests.support.coup_notation import Felt, loaded, shoe_of
from tests.support.device_records import (
    CALL,
    CLASSIC,
    device_shoe,
    verdict_on,
)
from tests.support.money_of_findings import money
from tests.support.rule_cases import Case, checks_of
from tests.support.three_bets import (
    codes_of_coup,
    opened,
    settled,
)

CASES = (
    Case(
        "unsettled-bet",
        1,
        "coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100",
        "coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100, 1 pay 475",
    ),
    # a natural that was paid at once stands: one of two that was not paid lacks his money
    Case(
        "voided-bet-settled",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        bet-paid {"coup": 1, "bet": 2, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
    ),
    Case(
        "voided-bet-settled",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        bet-paid {"coup": 1, "bet": 2, "amount": 500}
        bet-paid {"coup": 1, "bet": 3, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


def test_a_voided_coup_that_is_closed_has_nothing_to_settle() -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5")
    felt.put(ev.IrregularityNoted("misdeal", "void", 1), ev.CoupVoided(1, "misdeal"))
    assert "unsettled-bet" not in codes(felt.put(ev.CoupClosed(1)).shoe)


# -- Calls and bets that nobody told ---------------------------------------------------------------


def test_without_bets_nothing_is_said_of_payments():
    shoe = Felt().ready().coup("P 4 5  B K 8").shoe
    for code in ("wrong-payout", "past-posted-bet", "unsettled-bet"):
        assert skipped(shoe, code) == {"the coup has no bets": 1}
    assert looked(shoe, "banker-stood-against-table") == 1


def test_bets_without_their_payments_are_not_called_unsettled_where_the_record_may_lack_them():
    bet = ev.BetPlaced(1, 1, "p1", "player", 500)
    hands = ("player", "banker", "player", "banker")
    cards = [ev.CardDrawn(1, hand, card) for hand, card in zip(hands, "4K58", strict=True)]
    record = [loaded(coverage="coups"), ev.CoupOpened(1), bet, *cards, ev.CoupClosed(1)]
    shoe = shoe_of(record)
    assert codes_and_coups(shoe) == []
    assert skipped(shoe, "unsettled-bet") == {"the record holds only coups": 1}


# -- Findings that follow from another -------------------------------------------------------------


def test_the_bets_of_a_voided_coup_are_one_finding():
    """Paid 1.00 and 2.00 though the coup was voided."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    for bet, patron in enumerate(("ann", "bob"), 1):
        felt.put(ev.BetPlaced(1, bet, patron, "player", 100 * bet, bet))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5")
    felt.put(ev.IrregularityNoted("misdeal", "void", 1, by="sue"))
    felt.put(ev.BetPaid(1, 1, 100), ev.BetPaid(1, 2, 200), ev.CoupVoided(1, by="sue"))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.patron) == ("voided-bet-settled", None)
    assert found.money.patrons == {"ann": 100, "bob": 200}


# -- Money: each amount worked out by hand ---------------------------------------------------------


def test_a_bet_that_nobody_settled() -> None:
    line = "p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100"
    assert money(line, "unsettled-bet") == {"p1": -475}
    line = "p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 1 pay 475"
    assert money(line, "unsettled-bet") == {"p2": 100}


def test_a_bet_that_was_settled_though_the_coup_was_void() -> None:
    felt = (
        Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500), ev.NoMoreBets(1))
    )
    felt.cards("> P 4  B K  P 5").put(ev.IrregularityNoted("misdeal", "void", 1))
    felt.put(ev.BetTaken(1, 1, 500), ev.CoupVoided(1, "misdeal"))
    assert only(felt, "voided-bet-settled").money.patrons == {"p1": -500}


# -- Events of several devices ---------------------------------------------------------------------


@pytest.mark.parametrize("clock", [True, False])
def test_without_a_tolerance_a_late_arrival_moves_no_event_of_the_same_device(clock):
    """The first bet comes behind its payment; the second, and the payment, came in their time."""
    felt = Felt().ready()
    told_by = [
        ("d", 0, ev.CoupOpened(1)),
        ("chips", 2, ev.BetPlaced(1, 2, "p2", "banker", 500)),
        ("d", 0, ev.NoMoreBets(1)),
        *(
            ("d", 0, ev.CardDrawn(1, hand, parse_card(card), 3 + place))
            for place, (hand, card) in enumerate(
                zip(("player", "banker") * 2, ("4", "K", "5", "8"), strict=True)
            )
        ),
        ("d", 0, ev.TotalsCalled(1, 9, 8)),
        ("d", 0, ev.ResultCalled(1, 9, 8, "P")),
        ("chips", 3, ev.BetTaken(1, 2, 500)),
        ("chips", 4, ev.BetPaid(1, 1, 500)),
        ("chips", 1, ev.BetPlaced(1, 1, "p1", "player", 500)),
        ("d", 0, ev.CoupClosed(1)),
    ]
    for n, (device, seq, payload) in enumerate(told_by):
        at = CALL + (n if seq != 1 else 0) * 1000
        felt.tell(device, at if clock else None, payload, seq=seq, recorded_ms=CALL + 60_000 + n)
    audit = audit_shoe(felt.shoe)
    assert [found.code for found in audit.findings if found.coup] == []
    assert verdict_on(felt.shoe, "unsettled-bet") == (0, {})
    assert verdict_on(felt.shoe, "past-posted-bet") == (0, {})


def test_without_a_tolerance_payments_that_may_have_come_before_their_bet_accuse_nobody():
    """By the clocks the bet was placed first; the chip reader's word of it came after the rest."""
    after = """
        reader 1000 P 4
        reader 2000 B K
        reader 3000 P 5
        reader 4000 B 8
        terminal 5000 result P
        terminal 6000 pay 500
        chips {bet} bet player 500
        terminal 7000 close
    """
    start = "terminal -20000 open\nterminal 0 call\n"
    doubtful = device_shoe(start + after.format(bet=-3000), CLASSIC)
    assert audit_shoe(doubtful).findings == []
    for code in ("unsettled-bet", "unmatched-event"):
        found, doubts = verdict_on(doubtful, code)
        assert found == 0
        assert "the order of the bet and of the payment is doubtful" in next(iter(doubts))
    sure = device_shoe(start + after.format(bet=6500), CLASSIC)
    assert verdict_on(sure, "unsettled-bet") == (1, {})
    assert verdict_on(sure, "unmatched-event") == (1, {})


# -- Bets that were withdrawn and settled ----------------------------------------------------------


def test_a_void_coup_tells_of_its_bets_by_itself():
    noted = ev.IrregularityNoted("misdeal", "void", 1, by="sue")
    voided = bet_of_500(AWAY[0], (*MOVED[0][0], noted, ev.CoupVoided(1, by="sue"))).shoe
    assert ("voided-bet-settled", 1, "p1", -500) in moved_by(voided)


# -- A coup without a ruling -----------------------------------------------------------------------


def test_a_bet_that_nobody_moved_without_a_ruling_is_not_settled():
    felt = opened().put(ev.ResultCalled(1, 9, 8, "P"), *settled({1: 1000, 3: 500}))
    assert codes_of_coup(felt.put(ev.CoupClosed(1))) == ["unsettled-bet"]


def test_a_commission_that_a_voided_coup_kept_is_shown():
    felt = Felt().ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 500), ev.NoMoreBets(1))
    felt.cards("P 4 4  B K 9").put(ev.IrregularityNoted("misdeal", "void", 1, "sue"))
    kept = ev.CommissionCollected("p1", 25, 1, 1)
    shoe = felt.put(ev.BetPushed(1, 1), kept, ev.CoupVoided(1)).shoe
    (found,) = audit_shoe(shoe).findings
    assert (found.code, found.money.patrons) == ("voided-bet-settled", {"p1": -25})
    assert kept in [event.payload for event in shoe.history if event.index in found.events]
