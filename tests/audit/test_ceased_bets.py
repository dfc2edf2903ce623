"""Settlements of withdrawn bets: one finding each, with the money moved.

Amounts are worked out by hand: nothing is due to a bet that was withdrawn or lowered to nothing.
"""

from pathlib import Path

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.infrastructure.rule_packs import pack_text
from tests.support.ceased_bets import (
    AWAY,
    BANKED,
    MOVED,
    PLAYER_LOSES,
    PLAYER_WINS,
    bet_of_500,
    by_two_devices,
    coup_with_excess,
    moved_by,
    only_one,
    withdrawn_from_no_wager,
)
from tests.support.coup_notation import Felt, shoe_of
from tests.support.for_each import for_each

UNMATCHED = "unmatched-event"
DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize(("moves", "gain"), MOVED)
def test_a_bet_that_no_longer_stood_was_settled(away, moves, gain):
    found = only_one(bet_of_500(away, moves).shoe)
    assert (found.code, found.coup, found.patron) == (UNMATCHED, 1, "p1")
    assert (found.money.patrons, found.money.house) == ({"p1": gain}, -gain)
    moved = next(e for e in bet_of_500(away, moves).events if e.payload == moves[0])
    assert found.events[0] == moved.index


def test_a_withdrawn_bet_was_paid_in_one_coup_of_four():
    """100.00 left the tray for a bet that had been taken up before no more bets."""
    lines = (DATA / "withdrawn-bet-paid.jsonl").read_text(encoding="utf-8").splitlines()
    shoe = shoe_of(msgspec.convert(msgspec.json.decode(each)["fact"], ev.Event) for each in lines)
    found = only_one(shoe)
    assert (found.code, found.coup, found.patron) == (UNMATCHED, 3, "ann")
    assert (found.money.house, found.money.patrons) == (-10_000, {"ann": 10_000})
    paid = shoe.history[found.events[0] - 1].payload
    assert paid == ev.BetPaid(3, 1, 10_000)


def test_the_commission_of_a_withdrawn_bet_is_counted_with_its_payment():
    """500 are paid on Banker and 25 kept: the house is 475 short."""
    after = (ev.BetPaid(1, 1, 500), ev.CommissionCollected("p1", 25, 1, 1))
    shoe = bet_of_500(AWAY[0], after, wager="banker", cards=PLAYER_LOSES).shoe
    assert moved_by(shoe) == [(UNMATCHED, 1, "p1", -475)]


def test_commission_alone_is_kept_on_a_withdrawn_bet():
    after = (ev.CommissionCollected("p1", 25, 1, 1),)
    assert moved_by(bet_of_500(AWAY[0], after, wager="banker", cards=PLAYER_LOSES).shoe) == [
        (UNMATCHED, 1, "p1", 25)
    ]


def test_the_finding_says_how_the_bet_ceased_to_stand():
    assert "withdrawn" in only_one(bet_of_500(AWAY[0], MOVED[0][0]).shoe).expected
    assert "lowered to nothing" in only_one(bet_of_500(AWAY[1], MOVED[0][0]).shoe).expected
    assert "5.00" in only_one(bet_of_500(AWAY[1], MOVED[0][0]).shoe).message


def test_a_bet_of_a_free_wager_and_others_beside_it_are_judged_as_ever():
    """p2 wins 300 on Player and is paid 400; p1 is paid 500 on a bet that was taken up."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1))
    felt.put(ev.BetPlaced(1, 2, "p2", "player", 300, 2), ev.BetWithdrawn(1, 1), ev.NoMoreBets(1))
    felt.cards(PLAYER_WINS).put(
        ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 2, 400), ev.BetPaid(1, 1, 500)
    )
    found = moved_by(felt.put(ev.CoupClosed(1)).shoe)
    assert [each for each in found if each[2] == "p1"] == [(UNMATCHED, 1, "p1", -500)]
    assert sum(each[3] or 0 for each in found if each[2] == "p2") == -100


def test_what_moved_for_a_withdrawn_bet_is_no_matter_of_the_order_of_settling():
    """p2 is paid, then p1's bet taken, which was not there: no loser waited behind a winner."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 500, 1))
    felt.put(ev.BetPlaced(1, 2, "p2", "player", 300, 2), ev.BetWithdrawn(1, 1), ev.NoMoreBets(1))
    felt.cards(PLAYER_WINS).put(
        ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 2, 300), ev.BetTaken(1, 1, 500)
    )
    assert moved_by(felt.put(ev.CoupClosed(1)).shoe) == [(UNMATCHED, 1, "p1", 500)]


def test_explain_marks_a_withdrawn_bet_that_was_settled():
    for moves, _ in MOVED:
        shoe = bet_of_500(AWAY[0], moves).shoe
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
    assert moved_by(bet_of_500(before, after).shoe) == []


def test_a_bet_that_a_tie_left_may_be_taken_up_once_it_was_pushed():
    felt = Felt().ready().coup("p1 player 500 | P 4 4  B K 8").put(ev.BetWithdrawn(1, 1))
    assert moved_by(felt.coup(PLAYER_WINS).shoe) == []


def test_a_carried_bet_that_was_taken_up_and_paid_is_found():
    felt = Felt().ready().coup("p1 player 500 | P 4 4  B K 8").put(ev.CoupOpened(2))
    felt.put(ev.BetCarried(2, 1, "p1", "player", 500), ev.BetWithdrawn(2, 1), ev.NoMoreBets(2))
    felt.cards(PLAYER_WINS).put(
        ev.ResultCalled(2, 9, 8, "P"), ev.BetPaid(2, 1, 500), ev.CoupClosed(2)
    )
    assert moved_by(felt.shoe) == [(UNMATCHED, 2, "p1", -500)]


# -- Where another finding tells of it -------------------------------------------------------------


def test_a_bet_withdrawn_from_a_wager_that_is_not_offered_was_paid():
    found = moved_by(withdrawn_from_no_wager())
    assert (UNMATCHED, 1, "p1", -500) in found
    assert sum(each[3] or 0 for each in found) == -500


def test_a_bet_that_was_withdrawn_twice_is_paid_once():
    found = moved_by(bet_of_500((*AWAY[0], ev.BetWithdrawn(1, 1)), MOVED[0][0]).shoe)
    assert sorted(found, key=lambda each: each[3] or 0) == [
        (UNMATCHED, 1, "p1", -500),
        (UNMATCHED, 1, "p1", None),
    ]


@pytest.mark.parametrize(
    ("amount", "cards", "move", "house"),
    [
        # placed in time and paid what it won: nobody lost anything, the number alone is wrong
        (500, PLAYER_WINS, ev.BetPaid(1, 1, 500), 0),
        (1, PLAYER_WINS, ev.BetPaid(1, 1, 10_000), -9999),
        (500, PLAYER_LOSES, ev.BetTaken(1, 1, 500), 0),
        (500, PLAYER_LOSES, ev.BetPaid(1, 1, 500), -1000),
        (500, PLAYER_LOSES, ev.BetPushed(1, 1), -500),
    ],
)
def test_a_bet_that_was_placed_twice_under_its_number_is_told_as_that(amount, cards, move, house):
    """The placement bears what its stake was settled for beyond its due."""
    before = (*AWAY[0], ev.BetPlaced(1, 1, "p1", "player", amount, 1))
    assert moved_by(bet_of_500(before, (move,), cards=cards).shoe) == [(UNMATCHED, 1, "p1", house)]


def test_a_bet_placed_again_late_or_withdrawn_again_is_due_nothing():
    again = ev.BetPlaced(1, 1, "p1", "player", 500, 1)
    assert moved_by(bet_of_500(AWAY[0], MOVED[0][0], late=(again,)).shoe) == [
        (UNMATCHED, 1, "p1", -500)
    ]
    found = moved_by(bet_of_500((*AWAY[0], again, ev.BetWithdrawn(1, 1)), MOVED[0][0]).shoe)
    assert sorted(found, key=lambda each: each[3] or 0) == [
        (UNMATCHED, 1, "p1", -500),
        (UNMATCHED, 1, "p1", None),
    ]


# -- Taken up after it was settled -----------------------------------------------------------------

EARLY = "settlement-before-result"


def test_a_stake_that_was_put_back_after_it_was_settled_for_nothing_stays_away():
    """Withdrawn in time, paid 500, and then changed to 500, as if it had lain there."""
    after = (ev.BetPaid(1, 1, 500), ev.BetChanged(1, 1, 500))
    assert moved_by(bet_of_500(AWAY[0], after).shoe) == [(UNMATCHED, 1, "p1", -500)]


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize(
    ("cards", "move"),
    [
        (PLAYER_WINS, ev.BetPaid(1, 1, 500)),
        (PLAYER_LOSES, ev.BetTaken(1, 1, 500)),
        ("P 4 4  B K 8", ev.BetPushed(1, 1)),
    ],
)
def test_a_bet_that_was_settled_right_may_be_taken_up(away, cards, move):
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1))
    outcome = {PLAYER_WINS: "P", PLAYER_LOSES: "B"}.get(cards, "T")
    felt.put(ev.NoMoreBets(1)).cards(cards).put(ev.ResultCalled(1, outcome=outcome))
    felt.put(move, *away, ev.CoupClosed(1))
    assert moved_by(felt.shoe) == []


# -- Settled early, and then taken up --------------------------------------------------------------


@for_each("away", AWAY)
@for_each("cards", [PLAYER_WINS, PLAYER_LOSES])
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
    found = moved_by(bet_of_500((*before, *away), after, cards=cards).shoe)
    assert sorted(found) == [(EARLY, 1, "p1", None), (UNMATCHED, 1, "p1", house)]


def test_a_bet_that_was_pushed_early_and_withdrawn_moved_nothing():
    assert moved_by(bet_of_500((ev.BetPushed(1, 1), *AWAY[0])).shoe) == [(EARLY, 1, "p1", None)]


def test_a_bet_that_was_settled_early_after_the_close_and_withdrawn_stood():
    late = (ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1))
    assert moved_by(bet_of_500(late=late).shoe) == [(EARLY, 1, "p1", None)]
    found = moved_by(bet_of_500(late=late, cards=PLAYER_LOSES).shoe)
    assert sorted(each[3] or 0 for each in found) == [-1000, 0]
    assert (EARLY, 1, "p1", None) in found


def test_explain_tells_what_was_due_to_a_bet_that_was_withdrawn_after_it():
    shoe = bet_of_500(after=(ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1)), cards=PLAYER_LOSES).shoe
    (step,) = [each for each in explain(shoe, 1).steps if each.kind == "payment"]
    assert (step.differs, step.due) == (True, "take 5.00 EUR")


HELD = pack_text("classic-8").replace("withdrawable = true", "withdrawable = false")


@pytest.mark.parametrize(("paid", "house"), [(500, None), (900, -400)])
def test_a_held_bet_that_was_taken_up_is_settled_as_if_it_lay_there(paid, house):
    """It could not be taken up: 500 are due to it, and what is paid beyond them is told."""
    felt = Felt(HELD).ready().coup("p1 player 500 | P 4 4  B K 8").put(ev.CoupOpened(2))
    felt.put(ev.BetCarried(2, 1, "p1", "player", 500), ev.BetWithdrawn(2, 1), ev.NoMoreBets(2))
    felt.cards(PLAYER_WINS).put(
        ev.ResultCalled(2, 9, 8, "P"), ev.BetPaid(2, 1, paid), ev.CoupClosed(2)
    )
    more = [] if house is None else [(UNMATCHED, 2, "p1", house)]
    assert set(moved_by(felt.shoe)) == {*more, ("held-bet-taken-up", 2, "p1", None)}


# -- What the record does not tell -----------------------------------------------------------------


def test_where_nobody_knows_what_came_first_the_rule_does_not_apply():
    assert moved_by(by_two_devices(-10_000)) == [(UNMATCHED, 1, "p1", -500)]
    assert UNMATCHED not in {each[0] for each in moved_by(by_two_devices(5900))}
    for at in (None, 5900):
        (verdict,) = [v for v in audit_shoe(by_two_devices(at)).verdicts if v.code == UNMATCHED]
        assert verdict.result != "fail"
        assert "the withdrawal of the bet and of the payment" in next(iter(verdict.reasons))
    for at in (None, 6100):
        (verdict,) = [v for v in audit_shoe(by_two_devices(at)).verdicts if v.code == UNMATCHED]
        assert verdict.result != "fail"
        assert any("the withdrawal of the bet" in reason for reason in verdict.reasons)
    assert moved_by(by_two_devices(6900)) == []


def test_a_record_of_coups_alone_does_not_tell_what_came_first():
    felt = Felt("classic-8", coverage="coups").put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 500, 1), ev.BetWithdrawn(1, 1)).cards(PLAYER_WINS)
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 500), ev.CoupClosed(1))
    assert moved_by(felt.shoe) == []
    (verdict,) = [v for v in audit_shoe(felt.shoe).verdicts if v.code == UNMATCHED]
    assert verdict.reasons == {COUPS_ALONE: 1}


# -- Where a patron banks --------------------------------------------------------------------------


@pytest.mark.parametrize("game", BANKED)
@pytest.mark.parametrize("away", [ev.BetWithdrawn(1, 2), ev.BetChanged(1, 2, 0)])
@pytest.mark.parametrize(
    ("move", "gain"),
    [(ev.BetPaid(1, 2, 500), 500), (ev.BetTaken(1, 2, 500), -500), (ev.BetPushed(1, 2), 0)],
)
def test_where_a_patron_banks_what_moved_is_his_and_the_house_has_no_part(game, away, move, gain):
    shoe, patron, banker = BANKED[game]
    assert moved_by(shoe((away,), ())) == []
    found = only_one(shoe((away,), (move,)))
    assert (found.code, found.coup, found.patron) == (UNMATCHED, 1, patron)
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
    assert sorted(found) == [EARLY, UNMATCHED]
    assert found[UNMATCHED].money.patrons == {patron: gain, banker: -gain}


def test_a_bet_that_lay_beyond_the_bank_and_went_back_is_taken():
    assert moved_by(coup_with_excess(500, ())) == []
    found = only_one(coup_with_excess(500, (ev.BetTaken(1, 2, 500),)))
    assert (found.code, found.patron) == (UNMATCHED, "p3")
    assert found.money.patrons == {"p3": -500, "p1": 500}
    assert "exceeded the bank" in found.expected
