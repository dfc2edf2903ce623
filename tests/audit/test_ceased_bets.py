"""Settlements of withdrawn bets: one finding each, with the money moved.

Amounts are worked out by hand: nothing is due to a bet that was withdrawn or lowered to nothing.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import Shoe, fold
from sabot.infrastructure.rule_packs import pack_text
from tests.support import bank_coups, own_hand_coups, tableaux_coups
from tests.support.coup_notation import Felt, in_order, shoe_of
from tests.support.device_records import CLOCKS
from tests.support.for_each import for_each

CODE = "unmatched-event"
DATA = Path(__file__).parents[1] / "data"
WON, LOST = "P 4 5  B K 8", "P 4 4  B K 9"
"""Player wins 9 to 8, and loses 8 to 9."""
AWAY = [(ev.BetWithdrawn(1, 1),), (ev.BetChanged(1, 1, 0),)]
MOVED = [
    ((ev.BetPaid(1, 1, 500),), 500),
    ((ev.BetTaken(1, 1, 500),), -500),
    ((ev.BetPushed(1, 1),), 0),
]


def told(shoe: Shoe) -> list[tuple[str, int | None, str | None, int | None]]:
    found = audit_shoe(shoe).findings
    return [(each.code, each.coup, each.patron, each.money.house) for each in found]


def one(shoe: Shoe) -> Finding:
    (found,) = audit_shoe(shoe).findings
    return found


def coup(
    before: Iterable[ev.Event] = (),
    after: Iterable[ev.Event] = (),
    *,
    wager: str = "player",
    late: Iterable[ev.Event] = (),
    cards: str = WON,
    rules: str = "classic-8",
) -> Felt:
    """Bet 1 of 500 is placed, this follows, the cards are dealt, and this is how it is settled."""
    felt = Felt(rules).ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", wager, 500, 1))
    felt.put(*before, ev.NoMoreBets(1)).cards(cards).put(*late)
    outcome = "P" if cards == WON else "B"
    felt.put(ev.ResultCalled(1, outcome=outcome), *after)
    return felt.put(ev.CoupClosed(1))


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize(("moves", "gain"), MOVED)
def test_a_bet_that_no_longer_stood_was_settled(away, moves, gain):
    found = one(coup(away, moves).shoe)
    assert (found.code, found.coup, found.patron) == (CODE, 1, "p1")
    assert (found.money.patrons, found.money.house) == ({"p1": gain}, -gain)
    moved = next(e for e in coup(away, moves).events if e.payload == moves[0])
    assert found.events[0] == moved.index


def test_a_withdrawn_bet_was_paid_in_one_coup_of_four():
    """100.00 left the tray for a bet that had been taken up before no more bets."""
    lines = (DATA / "withdrawn-bet-paid.jsonl").read_text(encoding="utf-8").splitlines()
    shoe = shoe_of(msgspec.convert(msgspec.json.decode(each)["fact"], ev.Event) for each in lines)
    found = one(shoe)
    assert (found.code, found.coup, found.patron) == (CODE, 3, "ann")
    assert (found.money.house, found.money.patrons) == (-10_000, {"ann": 10_000})
    paid = shoe.history[found.events[0] - 1].payload
    assert paid == ev.BetPaid(3, 1, 10_000)


def test_the_commission_of_a_withdrawn_bet_is_counted_with_its_payment():
    """500 are paid on Banker and 25 kept: the house is 475 short."""
    after = (ev.BetPaid(1, 1, 500), ev.CommissionCollected("p1", 25, 1, 1))
    shoe = coup(AWAY[0], after, wager="banker", cards=LOST).shoe
    assert told(shoe) == [(CODE, 1, "p1", -475)]


def test_commission_alone_is_kept_on_a_withdrawn_bet():
    after = (ev.CommissionCollected("p1", 25, 1, 1),)
    assert told(coup(AWAY[0], after, wager="banker", cards=LOST).shoe) == [(CODE, 1, "p1", 25)]


def test_the_finding_says_how_the_bet_ceased_to_stand():
    assert "withdrawn" in one(coup(AWAY[0], MOVED[0][0]).shoe).expected
    assert "lowered to nothing" in one(coup(AWAY[1], MOVED[0][0]).shoe).expected
    assert "5.00" in one(coup(AWAY[1], MOVED[0][0]).shoe).message


def test_a_bet_of_a_free_wager_and_others_beside_it_are_judged_as_ever():
    """p2 wins 300 on Player and is paid 400; p1 is paid 500 on a bet that was taken up."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1))
    felt.put(ev.BetPlaced(1, 2, "p2", "player", 300, 2), ev.BetWithdrawn(1, 1), ev.NoMoreBets(1))
    felt.cards(WON).put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 2, 400), ev.BetPaid(1, 1, 500))
    assert sorted(told(felt.put(ev.CoupClosed(1)).shoe)) == [
        (CODE, 1, "p1", -500),
        ("wrong-payout", 1, "p2", -100),
    ]


def test_what_moved_for_a_withdrawn_bet_is_no_matter_of_the_order_of_settling():
    """p2 is paid, then p1's bet taken, which was not there: no loser waited behind a winner."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 500, 1))
    felt.put(ev.BetPlaced(1, 2, "p2", "player", 300, 2), ev.BetWithdrawn(1, 1), ev.NoMoreBets(1))
    felt.cards(WON).put(
        ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 2, 300), ev.BetTaken(1, 1, 500)
    )
    assert told(felt.put(ev.CoupClosed(1)).shoe) == [(CODE, 1, "p1", 500)]


def test_explain_marks_a_withdrawn_bet_that_was_settled():
    for moves, _ in MOVED:
        shoe = coup(AWAY[0], moves).shoe
        steps = explain(shoe, 1).steps
        (step,) = [each for each in steps if each.kind == "payment"]
        assert (step.differs, step.due) == (True, "nothing")


# -- What is near ----------------------------------------------------------------------------------

AGAIN = ev.BetPlaced(1, 2, "p1", "player", 500, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (AWAY[0], ()),
        (AWAY[1], ()),
        ((*AWAY[0], AGAIN), (ev.BetPaid(1, 2, 500),)),
        ((*AWAY[1], ev.BetChanged(1, 1, 700)), (ev.BetPaid(1, 1, 700),)),
        ((*AWAY[0], ev.BetChanged(1, 1, 500)), (ev.BetPaid(1, 1, 500),)),
        (AWAY[0], (ev.BetPaid(1, 1, 500), ev.BetTaken(1, 1, 500))),
    ],
)
def test_a_bet_that_was_taken_up_and_not_settled_or_placed_anew_is_no_finding(before, after):
    assert told(coup(before, after).shoe) == []


def test_a_bet_that_a_tie_left_may_be_taken_up_once_it_was_pushed():
    felt = Felt().ready().coup("p1 player 500 | P 4 4  B K 8").put(ev.BetWithdrawn(1, 1))
    assert told(felt.coup(WON).shoe) == []


def test_a_carried_bet_that_was_taken_up_and_paid_is_found():
    felt = Felt().ready().coup("p1 player 500 | P 4 4  B K 8").put(ev.CoupOpened(2))
    felt.put(ev.BetCarried(2, 1, "p1", "player", 500), ev.BetWithdrawn(2, 1), ev.NoMoreBets(2))
    felt.cards(WON).put(ev.ResultCalled(2, 9, 8, "P"), ev.BetPaid(2, 1, 500), ev.CoupClosed(2))
    assert told(felt.shoe) == [(CODE, 2, "p1", -500)]


# -- Where another finding tells of it -------------------------------------------------------------


def test_a_late_withdrawal_bears_what_its_bet_was_settled_for():
    """The bet lost 500 and was withdrawn late: taken all the same it cost nobody anything."""
    late = (ev.BetWithdrawn(1, 1),)
    code = "late-bet-change"
    assert told(coup(late=late, after=MOVED[1][0], cards=LOST).shoe) == [(code, 1, "p1", 0)]
    assert told(coup(late=late, after=MOVED[2][0], cards=LOST).shoe) == [(code, 1, "p1", -500)]
    assert told(coup(late=late, after=MOVED[0][0], cards=LOST).shoe) == [(code, 1, "p1", -1000)]


def test_a_bet_withdrawn_in_time_and_raised_late_is_the_late_finding():
    late = (ev.BetChanged(1, 1, 500),)
    shoe = coup(AWAY[0], MOVED[0][0], late=late).shoe
    assert told(shoe) == [("late-bet-change", 1, "p1", -500)]
    back = (*late, ev.BetWithdrawn(1, 1))
    assert sum(each[3] or 0 for each in told(coup(AWAY[0], MOVED[0][0], late=back).shoe)) == -500
    assert CODE not in {each[0] for each in told(coup(AWAY[0], MOVED[0][0], late=back).shoe)}


def test_a_wager_that_is_not_offered_bears_nothing_of_a_bet_that_was_withdrawn():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "royal-nine", 500, 1))
    felt.put(ev.BetWithdrawn(1, 1), ev.NoMoreBets(1)).cards(WON).put(ev.ResultCalled(1, 9, 8, "P"))
    found = told(felt.put(ev.BetPaid(1, 1, 500), ev.CoupClosed(1)).shoe)
    assert sorted(found, key=lambda each: each[0]) == [
        (CODE, 1, "p1", -500),
        ("wager-not-offered", 1, "p1", None),
    ]


def test_a_bet_that_was_withdrawn_twice_is_paid_once():
    found = told(coup((*AWAY[0], ev.BetWithdrawn(1, 1)), MOVED[0][0]).shoe)
    assert sorted(found, key=lambda each: each[3] or 0) == [
        (CODE, 1, "p1", -500),
        (CODE, 1, "p1", None),
    ]


@pytest.mark.parametrize(
    ("amount", "cards", "move", "house"),
    [
        # placed in time and paid what it won: nobody lost anything, the number alone is wrong
        (500, WON, ev.BetPaid(1, 1, 500), 0),
        (1, WON, ev.BetPaid(1, 1, 10_000), -9999),
        (500, LOST, ev.BetTaken(1, 1, 500), 0),
        (500, LOST, ev.BetPaid(1, 1, 500), -1000),
        (500, LOST, ev.BetPushed(1, 1), -500),
    ],
)
def test_a_bet_that_was_placed_twice_under_its_number_is_told_as_that(amount, cards, move, house):
    """The placement bears what its stake was settled for beyond its due."""
    before = (*AWAY[0], ev.BetPlaced(1, 1, "p1", "player", amount, 1))
    assert told(coup(before, (move,), cards=cards).shoe) == [(CODE, 1, "p1", house)]


def test_a_bet_placed_again_late_or_withdrawn_again_is_due_nothing():
    again = ev.BetPlaced(1, 1, "p1", "player", 500, 1)
    assert told(coup(AWAY[0], MOVED[0][0], late=(again,)).shoe) == [(CODE, 1, "p1", -500)]
    found = told(coup((*AWAY[0], again, ev.BetWithdrawn(1, 1)), MOVED[0][0]).shoe)
    assert sorted(found, key=lambda each: each[3] or 0) == [
        (CODE, 1, "p1", -500),
        (CODE, 1, "p1", None),
    ]


# -- Taken up after it was settled -----------------------------------------------------------------

WON_WRONG, LOST_WRONG = "wrong-payout", "losing-bet-not-taken"
EARLY = "settlement-before-result"


@pytest.mark.parametrize("away", [*AWAY, (ev.BetChanged(1, 1, 200),), (ev.BetChanged(1, 1, 1000),)])
@pytest.mark.parametrize(
    ("cards", "move", "code", "house"),
    [
        (LOST, ev.BetPaid(1, 1, 500), LOST_WRONG, -1000),
        (LOST, ev.BetPushed(1, 1), LOST_WRONG, -500),
        (LOST, ev.BetTaken(1, 1, 300), LOST_WRONG, -200),
        (WON, ev.BetPaid(1, 1, 10_000), WON_WRONG, -9500),
        (WON, ev.BetTaken(1, 1, 500), WON_WRONG, 1000),
    ],
)
def test_what_becomes_of_a_stake_after_its_settlement_hides_no_wrong_payment(
    away, cards, move, code, house
):
    """The bet of 500 is judged as it lay when it was settled."""
    assert told(coup(after=(move, *away), cards=cards).shoe) == [(code, 1, "p1", house)]


def test_a_pushed_bet_that_is_moved_and_taken_up_is_found():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1))
    felt.put(ev.NoMoreBets(1)).cards("P 4 4  B K 8").put(ev.ResultCalled(1, 8, 8, "T"))
    felt.put(ev.BetPushed(1, 1), ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1), ev.CoupClosed(1))
    assert told(felt.shoe) == [("push-paid-or-taken", 1, "p1", -500)]


def test_a_bet_that_was_settled_after_the_close_and_withdrawn_is_found():
    felt = coup().put(ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1))
    assert told(felt.shoe) == [("settlement-after-coup-close", 1, "p1", None)]


def test_a_stake_that_was_put_back_after_it_was_settled_for_nothing_stays_away():
    """Withdrawn in time, paid 500, and then changed to 500, as if it had lain there."""
    after = (ev.BetPaid(1, 1, 500), ev.BetChanged(1, 1, 500))
    assert told(coup(AWAY[0], after).shoe) == [(CODE, 1, "p1", -500)]


def test_a_stake_that_was_raised_between_two_payments_wins_what_it_lay_for():
    after = (ev.BetPaid(1, 1, 500), ev.BetChanged(1, 1, 1000), ev.BetPaid(1, 1, 500))
    assert told(coup(after=after).shoe) == [(WON_WRONG, 1, "p1", -500)]


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize(
    ("cards", "move"),
    [
        (WON, ev.BetPaid(1, 1, 500)),
        (LOST, ev.BetTaken(1, 1, 500)),
        ("P 4 4  B K 8", ev.BetPushed(1, 1)),
    ],
)
def test_a_bet_that_was_settled_right_may_be_taken_up(away, cards, move):
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1))
    outcome = {WON: "P", LOST: "B"}.get(cards, "T")
    felt.put(ev.NoMoreBets(1)).cards(cards).put(ev.ResultCalled(1, outcome=outcome))
    felt.put(move, *away, ev.CoupClosed(1))
    assert told(felt.shoe) == []


def test_a_bet_that_was_won_by_wrong_cards_and_withdrawn_is_judged_as_if_it_lay_there():
    """A settled bet bears a late raise as it does where it stays: 500 of 1000 lay there late."""
    late = (ev.BetChanged(1, 1, 1000),)
    stays = told(coup(late=late, after=(ev.BetPaid(1, 1, 1000),)).shoe)
    assert stays == [("late-bet-change", 1, "p1", -500)]
    assert told(coup(late=late, after=(ev.BetPaid(1, 1, 1000), *AWAY[0])).shoe) == stays


# -- Settled early, and then taken up --------------------------------------------------------------


@for_each("away", AWAY)
@for_each("cards", [WON, LOST])
@for_each(
    ("before", "after", "house"),
    [
        ((ev.BetPaid(1, 1, 500),), (), -500),
        ((ev.BetTaken(1, 1, 500),), (), 500),
        ((ev.BetTaken(1, 1, 1),), (ev.BetPaid(1, 1, 10_000),), -9999),
        ((ev.BetPaid(1, 1, 500),), (ev.BetPaid(1, 1, 500),), -1000),
        ((ev.BetPushed(1, 1),), (ev.BetPaid(1, 1, 500),), -500),
    ],
)
def test_a_bet_settled_while_bets_were_open_and_then_withdrawn_is_due_nothing(
    before, after, house, cards, away
):
    """It was taken up in time: all that moved is one finding, and that it moved early another."""
    found = told(coup((*before, *away), after, cards=cards).shoe)
    assert sorted(found) == [(EARLY, 1, "p1", None), (CODE, 1, "p1", house)]


def test_a_bet_that_was_pushed_early_and_withdrawn_moved_nothing():
    assert told(coup((ev.BetPushed(1, 1), *AWAY[0])).shoe) == [(EARLY, 1, "p1", None)]


def test_a_bet_that_was_settled_early_after_the_close_and_withdrawn_stood():
    late = (ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1))
    assert told(coup(late=late).shoe) == [(EARLY, 1, "p1", None)]
    assert set(told(coup(late=late, cards=LOST).shoe)) == {
        (EARLY, 1, "p1", None),
        (LOST_WRONG, 1, "p1", -1000),
    }


def test_explain_tells_what_was_due_to_a_bet_that_was_withdrawn_after_it():
    shoe = coup(after=(ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1)), cards=LOST).shoe
    (step,) = [each for each in explain(shoe, 1).steps if each.kind == "payment"]
    assert (step.differs, step.due) == (True, "take 5.00 EUR")


def test_a_void_coup_and_a_ruling_tell_of_their_bets_by_themselves():
    noted = ev.IrregularityNoted("misdeal", "void", 1, by="sue")
    voided = coup(AWAY[0], (*MOVED[0][0], noted, ev.CoupVoided(1, by="sue"))).shoe
    assert ("voided-bet-settled", 1, "p1", -500) in told(voided)
    ruled = ev.IrregularityNoted("other", "return-bets", 1, by="sue")
    found = told(coup(AWAY[0], (ruled, *MOVED[0][0])).shoe)
    assert found == [("ruling-not-carried-out", 1, "p1", -500)]


HELD = pack_text("classic-8").replace("withdrawable = true", "withdrawable = false")


@pytest.mark.parametrize(("paid", "house"), [(500, None), (900, -400)])
def test_a_held_bet_that_was_taken_up_is_settled_as_if_it_lay_there(paid, house):
    """It could not be taken up: 500 are due to it, and what is paid beyond them is told."""
    felt = Felt(HELD).ready().coup("p1 player 500 | P 4 4  B K 8").put(ev.CoupOpened(2))
    felt.put(ev.BetCarried(2, 1, "p1", "player", 500), ev.BetWithdrawn(2, 1), ev.NoMoreBets(2))
    felt.cards(WON).put(ev.ResultCalled(2, 9, 8, "P"), ev.BetPaid(2, 1, paid), ev.CoupClosed(2))
    more = [] if house is None else [(CODE, 2, "p1", house)]
    assert set(told(felt.shoe)) == {*more, ("held-bet-taken-up", 2, "p1", None)}


# -- What the record does not tell -----------------------------------------------------------------


def by_two_devices(withdrawn_ms: int | None) -> Shoe:
    """The terminal tells of a payment at 6.000 s, and a chip reader of a withdrawal before it."""
    felt = Felt(pack_text("classic-8") + CLOCKS).ready()
    cards = [ev.CardDrawn(1, *each) for each in in_order(WON)]
    payloads = [
        (-20_000, ev.CoupOpened(1)),
        (-19_000, ev.BetPlaced(1, 1, "p1", "player", 500, 1)),
        (0, ev.NoMoreBets(1)),
        *enumerate(cards, 1),
        (5000, ev.ResultCalled(1, outcome="P")),
    ]
    for at, payload in payloads:
        felt.tell("terminal", 40_000 + at, payload, recorded_ms=100_000)
    at = None if withdrawn_ms is None else 40_000 + withdrawn_ms
    felt.tell("chips", at, ev.BetWithdrawn(1, 1), recorded_ms=100_000)
    felt.tell("terminal", 46_000, ev.BetPaid(1, 1, 500), recorded_ms=100_000)
    return felt.tell("terminal", 47_000, ev.CoupClosed(1), recorded_ms=100_000).shoe


def test_where_nobody_knows_what_came_first_the_rule_does_not_apply():
    assert told(by_two_devices(-10_000)) == [(CODE, 1, "p1", -500)]
    assert CODE not in {each[0] for each in told(by_two_devices(5900))}
    for at in (None, 5900):
        (verdict,) = [v for v in audit_shoe(by_two_devices(at)).verdicts if v.code == CODE]
        assert verdict.result != "fail"
        assert "the withdrawal of the bet and of the payment" in next(iter(verdict.reasons))
    for at in (None, 6100):
        verdicts = audit_shoe(by_two_devices(at)).verdicts
        for code in (CODE, "wrong-payout"):
            (verdict,) = [v for v in verdicts if v.code == code]
            assert verdict.result != "fail", code
            assert any("the withdrawal of the bet" in reason for reason in verdict.reasons)
    assert told(by_two_devices(6900)) == []
    assert {each[0] for each in told(by_two_devices(3000))} == {"late-bet-change"}


def test_a_record_of_coups_alone_does_not_tell_what_came_first():
    felt = Felt("classic-8", coverage="coups").put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 500, 1), ev.BetWithdrawn(1, 1)).cards(WON)
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 500), ev.CoupClosed(1))
    assert told(felt.shoe) == []
    (verdict,) = [v for v in audit_shoe(felt.shoe).verdicts if v.code == CODE]
    assert verdict.reasons == {COUPS_ALONE: 1}


def test_a_correction_that_takes_the_payment_back_is_found_itself():
    felt = coup(AWAY[0], MOVED[0][0])
    paid = next(e for e in felt.events if isinstance(e.payload, ev.BetPaid))
    assert len(told(felt.shoe)) == 1
    again = fold("shoe/test", felt.put(ev.EventCorrected(paid.version, "a slip")).events)
    assert told(again) == [("breach-corrected-away", 1, "p1", -500)]


# -- Where a patron banks --------------------------------------------------------------------------


def finished(felt: Felt, *moves: ev.Event) -> Shoe:
    """All that is due to the others, then this, and the close of the coup."""
    while not isinstance(payload := next_action(felt.shoe).payload, ev.CoupClosed):
        assert payload is not None
        felt.put(payload)
    return felt.put(*moves, payload).shoe


def chemin(away: Iterable[ev.Event], moves: Iterable[ev.Event]) -> Shoe:
    """p3's 500 is bet 2 against p1's bank; p2 plays for 6000."""
    felt = bank_coups.staked(("p2", 6000), ("p3", 500)).put(*away, ev.NoMoreBets(1))
    return finished(felt.due(bank_ev.HandGiven).cards("P 4 4  B K 7"), *moves)


def banque(away: Iterable[ev.Event], moves: Iterable[ev.Event]) -> Shoe:
    """p5's 500 on the left is bet 2 against p11's bank."""
    felt = tableaux_coups.table().put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p7", "right", 500, 7), ev.BetPlaced(1, 2, "p5", "left", 500, 5))
    felt.put(*away, ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    return finished(tableaux_coups.deal(felt, "3 4; 2 5; K 8"), *moves)


def own_hands(pack: str, away: Iterable[ev.Event], moves: Iterable[ev.Event]) -> Shoe:
    """p1's 500 is bet 2 against p3's bank; p2 has a hand."""
    felt = own_hand_coups.table(pack).put(
        ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "hand", 500, 2)
    )
    felt.put(ev.BetPlaced(1, 2, "p1", "hand", 500, 1), *away, ev.NoMoreBets(1))
    cards = "2: 7; B: 8" if pack.startswith("macao") else "2: 7 K; B: 8 K"
    return finished(own_hand_coups.hands(felt, cards), *moves)


BANKED = {
    "chemin-de-fer": (chemin, "p3", "p1"),
    "banque": (banque, "p5", "p11"),
    "macao-old": (lambda *payloads: own_hands("macao-old", *payloads), "p1", "p3"),
    "victoria": (lambda *payloads: own_hands("victoria", *payloads), "p1", "p3"),
}


def own_hand_dealt(pack: str, moves: Iterable[ev.Event]) -> Shoe:
    """As `own_hands`, and p1 has a hand of his own."""
    felt = own_hand_coups.table(pack).put(
        ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "hand", 500, 2)
    )
    felt.put(ev.BetPlaced(1, 2, "p1", "hand", 500, 1), ev.NoMoreBets(1))
    cards = "2: 7; 1: 5; B: 8" if pack.startswith("macao") else "2: 7 K; 1: 5 K; B: 8 K"
    return finished(own_hand_coups.hands(felt, cards), *moves)


STANDING = {
    "chemin-de-fer": (lambda moves: chemin((), moves), "p3", "p1"),
    "banque": (lambda moves: banque((), moves), "p5", "p11"),
    "macao-old": (lambda moves: own_hand_dealt("macao-old", moves), "p1", "p3"),
    "victoria": (lambda moves: own_hand_dealt("victoria", moves), "p1", "p3"),
}
"""The same bets, that stand and are settled as they are due."""


@pytest.mark.parametrize("game", BANKED)
@pytest.mark.parametrize("away", [ev.BetWithdrawn(1, 2), ev.BetChanged(1, 2, 0)])
@pytest.mark.parametrize(
    ("move", "gain"),
    [(ev.BetPaid(1, 2, 500), 500), (ev.BetTaken(1, 2, 500), -500), (ev.BetPushed(1, 2), 0)],
)
def test_where_a_patron_banks_what_moved_is_his_and_the_house_has_no_part(game, away, move, gain):
    shoe, patron, banker = BANKED[game]
    assert told(shoe((away,), ())) == []
    found = one(shoe((away,), (move,)))
    assert (found.code, found.coup, found.patron) == (CODE, 1, patron)
    assert (found.money.patrons, found.money.house) == ({patron: gain, banker: -gain}, 0)


@for_each("game", BANKED)
@for_each(
    ("before", "after", "gain"),
    [
        ((ev.BetPaid(1, 2, 500), ev.BetWithdrawn(1, 2)), (), 500),
        ((ev.BetTaken(1, 2, 500), ev.BetWithdrawn(1, 2)), (), -500),
        ((ev.BetPaid(1, 2, 1), ev.BetWithdrawn(1, 2)), (ev.BetPaid(1, 2, 9000),), 9001),
        ((ev.BetPaid(1, 2, 1), ev.BetChanged(1, 2, 0)), (ev.BetPaid(1, 2, 999_999),), 1_000_000),
    ],
)
def test_where_a_patron_banks_a_bet_settled_early_and_withdrawn_is_due_nothing(
    game, before, after, gain
):
    shoe, patron, banker = BANKED[game]
    found = {each.code: each for each in audit_shoe(shoe(before, after)).findings}
    assert sorted(found) == [EARLY, CODE]
    assert found[CODE].money.patrons == {patron: gain, banker: -gain}


@pytest.mark.parametrize("game", BANKED)
@pytest.mark.parametrize("away", [ev.BetWithdrawn(1, 2), ev.BetChanged(1, 2, 0)])
def test_where_a_patron_banks_a_bet_withdrawn_after_its_settlement_is_judged_as_it_lay(game, away):
    """What is due is what is prompted: settled so there is no finding, and 70 more is one."""
    shoe, patron, banker = STANDING[game]
    assert told(shoe((away,))) == []
    found = one(shoe((ev.BetPaid(1, 2, 70), away)))
    assert found.code in (WON_WRONG, LOST_WRONG, "push-paid-or-taken")
    assert (found.patron, found.money.patrons) == (patron, {patron: 70, banker: -70})


def excess(amount: int, moves: Iterable[ev.Event]) -> Shoe:
    """Two stakes of 10000 and 500 against 10000, and so much of the second goes back."""
    felt = bank_coups.staked(("p2", 10_000), ("p3", 500)).put(bank_ev.ExcessReturned(1, 2, amount))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    return finished(felt, *moves)


def test_a_bet_that_lay_beyond_the_bank_and_went_back_is_taken():
    assert told(excess(500, ())) == []
    found = one(excess(500, (ev.BetTaken(1, 2, 500),)))
    assert (found.code, found.patron) == (CODE, "p3")
    assert found.money.patrons == {"p3": -500, "p1": 500}
    assert "exceeded the bank" in found.expected


@pytest.mark.parametrize(
    ("move", "gain"), [(ev.BetPushed(1, 2), 100), (ev.BetTaken(1, 2, 500), -400)]
)
def test_more_than_the_stake_went_back_and_it_was_settled_all_the_same(move, gain):
    """600 went back of 500 beyond the bank, and the bet was settled: one finding bears both."""
    found = one(excess(600, (move,)))
    assert found.code == "excess-returned-out-of-order"
    assert found.money.patrons == {"p3": gain, "p1": -gain}


def test_what_went_back_after_the_settlement_is_no_reason_for_a_wrong_payment():
    """p3's 500 loses, is paid 500, and then goes back as if the bank had not covered it."""
    felt = bank_coups.staked(("p2", 6000), ("p3", 500)).put(ev.NoMoreBets(1))
    felt.due(bank_ev.HandGiven).cards("P 4 2  B K 9").put(ev.ResultCalled(1, outcome="B"))
    felt.put(ev.BetTaken(1, 1, 6000), ev.BetPaid(1, 2, 500), bank_ev.ExcessReturned(1, 2, 500))
    found = audit_shoe(felt.put(ev.CoupClosed(1)).shoe).findings
    money = {each.code: each.money.patrons for each in found}
    assert money.pop(LOST_WRONG) == {"p3": 1000, "p1": -1000}
    assert money == {"excess-returned-out-of-order": {"p1": 0}}


def test_what_went_back_out_of_order_bears_what_it_was_settled_for():
    """The bank covers both stakes: p3's 500 goes back all the same, and is taken as if it lay."""
    felt = bank_coups.staked(("p2", 6000), ("p3", 500)).put(bank_ev.ExcessReturned(1, 2, 500))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    found = one(finished(felt, ev.BetTaken(1, 2, 500)))
    assert found.code == "excess-returned-out-of-order"
    assert set(found.money.patrons.values()) <= {0}


@pytest.mark.parametrize(
    ("moves", "gain"), [((), 500), ((ev.BetTaken(1, 2, 500),), 0), ((ev.BetPushed(1, 2),), 500)]
)
@pytest.mark.parametrize("pack", ["macao-old", "victoria"])
def test_a_late_withdrawal_from_a_hand_of_ones_own_bears_what_it_was_settled_for(pack, moves, gain):
    """p1's hand loses 500 to p3's bank, and the bet is withdrawn when the cards lie there."""
    felt = own_hand_coups.table(pack).put(
        ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "hand", 500, 2)
    )
    felt.put(ev.BetPlaced(1, 2, "p1", "hand", 500, 1), ev.NoMoreBets(1))
    cards = "2: 7; 1: 5; B: 8" if pack.startswith("macao") else "2: 7 K; 1: 5 K; B: 8 K"
    own_hand_coups.hands(felt, cards).due(ev.CardTurned, bank_ev.HandsCalled).put(
        ev.BetWithdrawn(1, 2)
    )
    found = one(finished(felt, *moves))
    assert found.code == "late-bet-change"
    assert found.money.patrons == {"p1": gain, "p3": -gain}
