"""More ways to break the rules of `checks/bets.py` and `checks/free_hands.py`, and near misses."""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support import own_hand_coups
from tests.support.audited import codes, codes_and_coups, finished, only, result_on
from tests.support.ceased_bets import (
    AWAY,
    MOVED,
    PLAYER_LOSES,
    bet_of_500,
    by_two_devices,
    finished_with,
    moved_by,
    only_one,
    withdrawn_from_no_wager,
)
from tests.support.coup_notation import Felt, shoe_of
from tests.support.device_records import (
    device_coup,
    verdict_on,
)
from tests.support.irregular_coups import (
    BURNED,
    NOTED,
    no_bet_hand,
    placed,
    taken_back,
    wrong_draw,
)
from tests.support.money_of_findings import PLAYER_9, late, money_told
from tests.support.one_fault import own_and_explained
from tests.support.relieved_crew import RELIEF, bet, dealt, who
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import CHEMIN, told

CASES = (
    # a coup counts as dealt although its only card was burned
    Case(
        "late-free-hand",
        2,
        """
        with free_hands_when = "shoe-start"
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4
        irregularity-noted {"kind": "card-exposed", "ruling": "void", "coup": 1, "by": "sue"}
        card-burned {"coup": 1, "card": "4", "reason": "ruling"}
        coup-voided {"coup": 1, "by": "sue"}
        free P 4 5  B K 8
        """,
        """
        with free_hands_when = "shoe-start"
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "by": "sue"}
        free P 4 5  B K 8
        """,
    ),
    Case(
        "past-posted-bet",
        1,
        """
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "player", "amount": 500}
        deal > B K  P 5  B 8
        due
        """,
        "coup p2 player 500 | P 4 5  B K 8",
    ),
    # a seat that the loading of the shoe gives
    Case(
        "unknown-seat",
        None,
        """
        load mini {"seats": [{"seat": 8, "patron": "p1"}]}
        coup P 4 5  B K 8
        """,
        """
        load mini {"seats": [{"seat": 7, "patron": "p1"}]}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "unknown-seat",
        None,
        """
        load chemin-de-fer
        seats p1 p2
        patron-moved {"patron": "p1", "seat": 77}
        """,
        """
        load chemin-de-fer
        seats p1 p2
        patron-moved {"patron": "p1", "seat": 7}
        """,
    ),
    Case(
        "wager-not-offered",
        1,
        "coup p1 panda-8 500 | P 4 5  B K 8 | P | 1 take 500",
        """
        load ez-baccarat
        coup p1 panda-8 500 | P 4 5  B K 8 | P
        """,
    ),
    Case(
        "excess-free-hands",
        4,
        """
        with free_hands = 3
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        """,
        """
        with free_hands = 3
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        """,
    ),
    Case(
        "unknown-seat",
        1,
        """
        patron-seated {"seat": 1, "patron": "p1"}
        coup-opened {"coup": 1}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500, "seat": 15}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
        """
        patron-seated {"seat": 1, "patron": "p1"}
        coup-opened {"coup": 1}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500, "seat": 14}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Money: each amount worked out by hand ---------------------------------------------------------


def test_a_bet_that_came_late() -> None:
    """What it won would not have been won. A stake raised late, by what the raise won."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K")
    felt.put(ev.BetPlaced(1, 2, "p2", "tie", 100), ev.BetChanged(1, 1, 2000))
    felt.cards("> P 5  B 8")
    assert only(felt, "past-posted-bet").money.unknown == "the bet has not been settled"
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetTaken(1, 2, 100), ev.BetPaid(1, 1, 2000))
    felt.put(ev.CoupClosed(1))
    assert only(felt, "past-posted-bet").money.patrons == {"p2": -100}
    changed = only(felt, "late-bet-change").money
    assert (changed.patrons, changed.basis) == ({"p1": 1500}, "rule")


def test_a_losing_bet_that_was_withdrawn_late() -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 4 4  B K 9").put(ev.BetWithdrawn(1, 1))
    felt.put(ev.ResultCalled(1, 8, 9, "B"), ev.CoupClosed(1))
    assert only(felt, "late-bet-change").money.patrons == {"p1": 500}


@pytest.mark.parametrize(
    ("cards", "stake", "settled"),
    [
        ("P 4 5  B K 8", 2000, ev.BetPaid(1, 1, 500)),
        ("P 4 4  B K 9", 100, ev.BetTaken(1, 1, 500)),
        ("P 4 4  B K 9", 2000, ev.BetTaken(1, 1, 500)),
    ],
)
def test_a_late_change_that_the_settlement_did_not_follow_moves_no_money(cards, stake, settled):
    """The bet of 500 is settled as 500. A cent more would be a wrong settlement."""

    def codes(settled: ev.Event, ruling: str | None = None) -> list[tuple[str, object]]:
        felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
        felt.put(ev.NoMoreBets(1)).cards(cards).put(ev.BetChanged(1, 1, stake))
        if ruling is not None:
            felt.put(ev.IrregularityNoted("late-bet", ruling, 1, "sue"))  # type: ignore[arg-type]
        felt.put(settled)
        return moved(felt.put(ev.CoupClosed(1)).shoe)

    assert (LATE_CHANGE, {"p1": 0}) in codes(settled)
    wrong = {"wrong-payout", "losing-bet-not-taken"}
    assert not wrong & {code for code, _ in codes(settled)}
    more = replace(settled, amount=501)
    assert wrong & {code for code, _ in codes(more)}
    assert wrong & {code for code, _ in codes(settled, "stand")}


# -- Who, and when ---------------------------------------------------------------------------------


def test_the_patron_is_whose_bet_it_was() -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p7", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4").put(ev.BetChanged(1, 1, 900)).cards("> B K  P 5  B 8")
    assert only(felt, "late-bet-change").patron == "p7"


# -- A late bet that was given back ----------------------------------------------------------------


def late_bet(*behind: ev.Event) -> Shoe:
    """p2 bets behind the call, it is ruled that his bet goes back, and the coup is played on."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1), ev.BetPlaced(1, 2, "p2", "tie", 500))
    felt.put(ev.IrregularityNoted("late-bet", "return-bets", 1, "sue"), *behind)
    return finished(felt.cards("P 4 5  B K 8"))


def test_the_late_bet_alone_goes_back():
    assert ("ruling-not-carried-out", 1) in codes_and_coups(late_bet())
    assert codes_and_coups(late_bet(ev.BetWithdrawn(1, 2))) == [("past-posted-bet", 1)]
    assert ("ruling-not-carried-out", 1) in codes_and_coups(late_bet(ev.BetWithdrawn(1, 1)))


def raised_late(*behind: ev.Event, ruling: str = "return-bets", before: tuple[ev.Event, ...] = (),
                paid: int = 500) -> Shoe:  # fmt: skip
    """p1's 500 on Player are 900 behind the call. It is ruled so, and then this happens."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1), ev.BetChanged(1, 1, 900), *before)
    felt.put(ev.IrregularityNoted("late-bet", ruling, 1, "sue"), *behind)  # type: ignore[arg-type]
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, paid))
    return felt.put(ev.CoupClosed(1)).shoe


def moved(shoe: Shoe) -> list[tuple[str, object]]:
    return [(each.code, each.money.patrons or each.money.unknown)
            for each in audit_shoe(shoe).findings]  # fmt: skip


LATE_CHANGE = "late-bet-change"


@pytest.mark.parametrize("ruling", ["return-bets", "other", "none"])
def test_a_late_raise_that_is_put_back_is_told_once_and_moved_nothing(ruling):
    """Player wins even money: 500 on the 500 that lie there in the end."""
    shoe = raised_late(ev.BetChanged(1, 1, 500), ruling=ruling)
    assert [(code, gains) for code, gains in moved(shoe)] == [(LATE_CHANGE, {"p1": 0})]


def test_what_is_left_of_a_late_raise_that_went_back_in_part_is_its_money():
    """600 of the 900 lie there and win 600; 500 would have won 500."""
    shoe = raised_late(ev.BetChanged(1, 1, 600), ruling="other", paid=600)
    assert moved(shoe) == [(LATE_CHANGE, {"p1": 100})]
    shoe = raised_late(ev.BetChanged(1, 1, 600), paid=600)
    assert moved(shoe)[0] == (LATE_CHANGE, {"p1": 100})
    assert ("ruling-not-carried-out", 1) in codes_and_coups(shoe)


@pytest.mark.parametrize(
    "shoe",
    [
        # nobody had ruled yet, or it was ruled that it stands
        raised_late(before=(ev.BetChanged(1, 1, 500),), ruling="none"),
        raised_late(ev.BetChanged(1, 1, 500), ruling="stand"),
        # beyond what lay there before, or raised once more
        raised_late(ev.BetChanged(1, 1, 400), ruling="none", paid=400),
        raised_late(ev.BetChanged(1, 1, 1200), ruling="none", paid=1200),
    ],
)
def test_a_late_change_that_does_not_put_a_raise_back_on_a_ruling_is_told(shoe):
    assert [code for code, _ in codes_and_coups(shoe)] == [LATE_CHANGE] * 2


@pytest.mark.parametrize(("ruled", "told"), [(-300, 1), (-100, 0), (100, 0), (300, 2)])
def test_whether_a_raise_went_back_on_a_ruling_may_be_in_doubt(ruled, told):
    """The chip reader tells of the bet, the terminal of the ruling; the tolerance is 250 ms."""
    felt = Felt(pack_text("classic-8") + "\n[clocks]\ntolerance_ms = 250\n").ready()
    felt.tell("terminal", 30_000, ev.CoupOpened(1))
    felt.tell("chips", 31_000, ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.tell("terminal", 40_000, ev.NoMoreBets(1))
    felt.tell("chips", 41_000, ev.BetChanged(1, 1, 900))
    felt.tell("chips", 45_000, ev.BetChanged(1, 1, 500))
    felt.tell("terminal", 45_000 + ruled, ev.IrregularityNoted("late-bet", "none", 1, "sue"))
    audit = audit_shoe(felt.shoe)
    assert sum(each.code == LATE_CHANGE for each in audit.findings) == told
    (verdict,) = [each for each in audit.verdicts if each.code == LATE_CHANGE]
    assert any("doubtful" in reason for reason in verdict.reasons) == (told == 0)


def test_a_stake_that_was_lowered_late_and_put_back_is_told_once():
    """500 are 300 behind the call, and 500 again: the raise is the ruling's."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1), ev.BetChanged(1, 1, 300))
    felt.put(ev.IrregularityNoted("late-bet", "return-bets", 1, "sue"), ev.BetChanged(1, 1, 500))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 500))
    assert moved(felt.put(ev.CoupClosed(1)).shoe) == [(LATE_CHANGE, {"p1": 0})]


# -- Records that lack the beginning ---------------------------------------------------------------


def test_a_record_that_begins_in_a_coup_may_lack_its_call():
    felt = Felt().ready().coup("P 4 5  B K 8", 3).coup("P 4 5  B K 8")
    calls = [n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.NoMoreBets)]
    assert codes_and_coups(shoe_of(felt.payloads[calls[0] + 1 :])) == []
    without = [
        payload for n, payload in enumerate(felt.payloads[calls[0] :], calls[0]) if n != calls[1]
    ]
    assert codes_and_coups(shoe_of(without)) == [("card-before-bets-closed", 4)]


def test_a_record_of_coups_need_not_hold_every_card():
    assert codes_and_coups(placed(3, 4, 6, 7)) == []
    assert codes_and_coups(placed(3, 4, 4, 5)) == [("skipped-card", 7)]


def test_a_coup_whose_beginning_was_not_recorded_is_explained_without_a_verdict():
    felt = Felt().ready().coup("p1 player 500 | P 2 A 4  B K 6", 3).coup("P 4 5  B K 8")
    cards = [n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.CardDrawn)]
    for begun in range(cards[1], cards[4] + 1):
        steps = explain(shoe_of(felt.payloads[begun:]), 3).steps
        assert not any(step.differs for step in steps), begun
        assert any("lacks the beginning" in step.why for step in steps)


def test_each_call_is_explained_and_a_card_that_was_burned():
    wrong, right = ev.ResultCalled(1, 7, 6, "P"), ev.ResultCalled(1, 6, 7, "B")
    shoe = wrong_draw(NOTED, BURNED, rest="> B 2")
    before = [
        payload for payload in shoe.history if not isinstance(payload.payload, ev.ResultCalled)
    ]
    payloads = [event.payload for event in before]
    paid = next(n for n, payload in enumerate(payloads) if isinstance(payload, ev.BetPaid))
    steps = explain(shoe_of([*payloads[:paid], wrong, right, *payloads[paid:]]), 1).steps
    assert [step.differs for step in steps if step.kind == "result"] == [True, False]
    assert [step.shown for step in steps if step.what == "player's 9"] == ["drawn, and burned"]


# -- The player of the hand ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("late", "code"),
    [
        ('bet-changed {"coup": 1, "bet": 2, "amount": 5000}', "late-bet-change"),
        (
            'bet-placed {"coup": 1, "bet": 3, "patron": "p3", "wager": "player", "amount": 3000}',
            "past-posted-bet",
        ),
    ],
)
def test_a_late_stake_gives_no_right_to_a_hand_that_was_given(late, code):
    """Player has 6, Banker 9. P3 adds 30.00 to his losing stake and loses them to p1's bank."""
    assert told(f"{CHEMIN}deal P 4 2  B K 9\n{late}\ndue") == [
        (code, 1, 0, {"p1": 3000, "p3": -3000})
    ]


# -- Each amount worked out by hand ----------------------------------------------------------------


def test_a_late_bet_that_is_raised_is_told_as_the_late_bet():
    placed = ev.BetPlaced(1, 1, "p1", "player", 500)
    felt = late(placed, ev.BetChanged(1, 1, 800), moves=(ev.BetPaid(1, 1, 800),))
    assert money_told(felt, "past-posted-bet", "late-bet-change") == [
        {"p1": 800},
        "counted in past-posted-bet",
    ]


def test_a_late_bet_that_is_overpaid_is_told_in_two_parts():
    placed = ev.BetPlaced(1, 1, "p1", "player", 500)
    felt = late(placed, moves=(ev.BetPaid(1, 1, 700),))
    assert money_told(felt, "past-posted-bet", "wrong-payout") == [
        {"p1": 500},
        {"p1": 200},
    ]


def test_a_late_bet_that_nobody_pays_moved_nothing():
    felt = late(ev.BetPlaced(1, 1, "p1", "player", 500), moves=())
    assert money_told(felt, "past-posted-bet", "unsettled-bet") == [
        {"p1": 500},
        {"p1": -500},
    ]


@pytest.mark.parametrize(
    ("rules", "opened", "placed", "code", "gain"),
    [
        ("macau", ev.CoupOpened(1, free=True), ev.BetPlaced(1, 1, "p1", "player", 500),
         "bet-on-free-hand", 500),
        ("classic-8", ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "dragon", 300),
         "wager-not-offered", 500),
    ],
)  # fmt: skip
def test_what_no_bet_should_have_been_gave_all_that_it_won(rules, opened, placed, code, gain):
    felt = Felt(rules).ready().put(opened, placed, ev.NoMoreBets(1)).cards(PLAYER_9)
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 500), ev.CoupClosed(1))
    found = {one.code: one.money for one in audit_shoe(felt.shoe).findings}
    assert (found[code].patrons, found[code].basis) == ({"p1": gain}, "rule")


# -- What earlier faults leave behind --------------------------------------------------------------


def test_two_faults_of_one_bet_stay_two_findings():
    """P1's 5.00 on Player came late, and 9.00 were paid for them."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 4  B K")
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 500, 1)).cards("> P 5  B 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 900), ev.CoupClosed(1))
    own, explained = own_and_explained(felt)
    assert (sorted(own), explained) == (["past-posted-bet", "wrong-payout"], [])


DRAWN = [ev.CardDrawn(1, "player", "4s"), ev.CardDrawn(1, "banker", "Kh")]


def message(late: ev.Event, *, bet: bool = True) -> str:
    """The message of a late event, 3.6 s after the call and after two cards."""
    felt = Felt(stream="shoe/H-1").ready()
    told = [ev.CoupOpened(1), *([ev.BetPlaced(1, 1, "ann", "player", 10000)] * bet)]
    at = 1_000_000
    for payload in told:
        felt.tell("", at, payload)
    felt.tell("", at, ev.NoMoreBets(1))
    for payload in DRAWN:
        felt.tell("", at + 1_000, payload)
    felt.tell("", at + 3_600, late)
    codes = ("past-posted-bet", "late-bet-change")
    (found,) = [one for one in audit_shoe(felt.shoe).findings if one.code in codes]
    return found.message


WHEN = 'after card 2 (Player 4♠, Banker K♥), 3.6 s after "no more bets"'


@pytest.mark.parametrize(
    ("late", "what"),
    [
        (ev.BetChanged(1, 1, 15000), "raised from 100.00 EUR to 150.00 EUR"),
        (ev.BetChanged(1, 1, 2550), "pinched from 100.00 EUR to 25.50 EUR"),
        (ev.BetWithdrawn(1, 1), "of 100.00 EUR withdrawn"),
    ],
)
def test_a_late_change_says_what_moved_and_when(late, what):
    assert message(late) == f"ann's bet on Player {what} {WHEN}"


def test_a_past_posted_bet_says_its_amount_and_when():
    late = ev.BetPlaced(1, 1, "bob", "banker", 5000)
    assert message(late, bet=False) == f"bob's bet on Banker of 50.00 EUR placed {WHEN}"


# -- Events of several devices ---------------------------------------------------------------------


def test_a_card_before_the_call():
    code = "card-before-bets-closed"
    assert verdict_on(device_coup("\nterminal 1251 call"), code) == (1, {})
    assert verdict_on(device_coup("\nterminal 749 call"), code) == (0, {})
    found, doubts = verdict_on(device_coup("\nterminal 900 call"), code)
    assert found == 0
    (said,) = doubts
    assert said == (
        "the order of the card and of the call of no more bets is doubtful: "
        "100 ms apart, two devices, tolerance 250 ms"
    )


def test_what_is_in_doubt_is_told_beside_what_is_found():
    shoe = device_coup("""
        terminal 0 call
        chips 100 bet player 500
        chips 400 change 700
    """)
    assert verdict_on(shoe, "past-posted-bet")[0] == 0
    assert len(verdict_on(shoe, "past-posted-bet")[1]) == 1
    assert verdict_on(shoe, "late-bet-change") == (1, {})


# -- Bets that were withdrawn and settled ----------------------------------------------------------


def test_a_late_withdrawal_bears_what_its_bet_was_settled_for():
    """The bet lost 500 and was withdrawn late: taken all the same it cost nobody anything."""
    late = (ev.BetWithdrawn(1, 1),)
    code = "late-bet-change"
    assert moved_by(bet_of_500(late=late, after=MOVED[1][0], cards=PLAYER_LOSES).shoe) == [
        (code, 1, "p1", 0)
    ]
    assert moved_by(bet_of_500(late=late, after=MOVED[2][0], cards=PLAYER_LOSES).shoe) == [
        (code, 1, "p1", -500)
    ]
    assert moved_by(bet_of_500(late=late, after=MOVED[0][0], cards=PLAYER_LOSES).shoe) == [
        (code, 1, "p1", -1000)
    ]


def test_a_bet_withdrawn_in_time_and_raised_late_is_the_late_finding():
    late = (ev.BetChanged(1, 1, 500),)
    shoe = bet_of_500(AWAY[0], MOVED[0][0], late=late).shoe
    assert moved_by(shoe) == [("late-bet-change", 1, "p1", -500)]
    back = (*late, ev.BetWithdrawn(1, 1))
    found = moved_by(bet_of_500(AWAY[0], MOVED[0][0], late=back).shoe)
    assert sum(each[3] or 0 for each in found) == -500
    assert {each[0] for each in found} == {"late-bet-change"}


def test_a_wager_that_is_not_offered_bears_nothing_of_a_bet_that_was_withdrawn():
    found = moved_by(withdrawn_from_no_wager())
    assert ("wager-not-offered", 1, "p1", None) in found


def test_a_bet_that_was_won_by_wrong_cards_and_withdrawn_is_judged_as_if_it_lay_there():
    """A settled bet bears a late raise as it does where it stays: 500 of 1000 lay there late."""
    late = (ev.BetChanged(1, 1, 1000),)
    stays = moved_by(bet_of_500(late=late, after=(ev.BetPaid(1, 1, 1000),)).shoe)
    assert stays == [("late-bet-change", 1, "p1", -500)]
    assert moved_by(bet_of_500(late=late, after=(ev.BetPaid(1, 1, 1000), *AWAY[0])).shoe) == stays


def test_a_withdrawal_that_another_device_tells_between_cards_and_payment_is_late():
    assert {each[0] for each in moved_by(by_two_devices(3000))} == {"late-bet-change"}


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
    found = only_one(finished_with(felt, *moves))
    assert found.code == "late-bet-change"
    assert found.money.patrons == {"p1": gain, "p3": -gain}


# -- Bets that a ruling gave back ------------------------------------------------------------------


def test_a_bet_is_not_raised_on_a_ruling_that_it_goes_back():
    said = codes_and_coups(no_bet_hand(ev.BetChanged(1, 1, 900), ev.BetWithdrawn(1, 1)))
    assert said == [("late-bet-change", 1)]


def test_a_ruling_on_late_bets_lets_nobody_take_his_back_where_none_was_late():
    changed = ("late-bet-change", 1)
    assert changed in taken_back("late-bet", ev.BetWithdrawn(1, 1))
    assert changed not in taken_back("late-bet", ev.BetWithdrawn(1, 1), late=True)
    assert changed not in taken_back("other", ev.BetWithdrawn(1, 1))


def test_a_bet_that_was_lowered_to_nothing_on_a_ruling_went_back():
    assert taken_back("other", ev.BetChanged(1, 1, 0)) == []
    assert ("late-bet-change", 1) in taken_back("other", ev.BetChanged(1, 1, 100))


def test_a_bet_withdrawn_before_the_ruling_is_late():
    felt = Felt("ez-baccarat").ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.cards("> P 4  B K").put(ev.BetWithdrawn(1, 1))
    felt.put(ev.IrregularityNoted("card-exposed", "no-bet-hand", 1, by="sue"))
    felt.cards("> P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    assert codes_and_coups(felt.shoe) == [("late-bet-change", 1)]


# -- More bets than a seat has room for ------------------------------------------------------------


SHARED = pack_text("mini").replace("seats = 7", "seats = 7\nper_seat = 2")


CROWDED = "excess-bettors-on-seat"


def test_the_first_bet_beyond_those_of_a_seat_is_one_too_many() -> None:
    lawful = (bet(1, "player", 500, 1), bet(2, "banker", 500, 1))
    beyond = (bet(3, "player", 500, 1), bet(4, "player", 500, 1))
    felt = dealt(*lawful, *RELIEF, *beyond, rules=SHARED)
    found = only(felt, CROWDED)
    placed = next(event for event in felt.events if getattr(event.payload, "bet", 0) == 3)
    assert (found.patron, found.at_us, who(found)) == ("p3", placed.at_us, ("zoe", "sid"))


def test_who_left_a_seat_in_time_crowds_nobody_and_who_leaves_it_late_did() -> None:
    bets = (bet(1, "player", 500, 1), bet(2, "banker", 500, 1), bet(3, "player", 500, 1))
    in_time = dealt(*bets[:2], ev.BetWithdrawn(1, 1), bets[2], rules=SHARED)
    assert codes(in_time.shoe) == []
    late = dealt(*bets, late=(ev.BetWithdrawn(1, 1),), rules=SHARED)
    assert set(codes(late.shoe)) == {"late-bet-change", CROWDED}
    assert codes(dealt(*bets[:2], late=bets[2:], rules=SHARED).shoe) == ["past-posted-bet"]


# -- A seat that only a bet names ------------------------------------------------------------------


@pytest.mark.parametrize(("seat", "told"), [(7, "pass"), (8, "fail")])
def test_a_record_whose_only_seats_are_those_of_bets_gives_seats(seat: int, told: str) -> None:
    placed = ev.BetPlaced(1, 1, "p1", "player", 500, seat=seat)
    assert result_on(audit_shoe(dealt(placed).shoe), "unknown-seat") == told
