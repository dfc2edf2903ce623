"""A card after the close of its coup is reported once, and counts for no hand.

The totals are worked out beside each coup.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.audit_houses import houses
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import hand_due
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, fold
from tests.audit.test_money_adds_up import by_the_tableau, face
from tests.faults import FAULTS, Fault
from tests.support.audited import codes
from tests.support.bank_coups import staked
from tests.support.coup_notation import Felt
from tests.support.device_records import CARDS, device_shoe
from tests.support.irregular_coups import drawn
from tests.support.thorough import every_third

LATE = "card-after-coup-end"
VALUES = st.integers(0, 9)


def families(shoe: Shoe) -> set[str]:
    """The families of the rules that are broken."""
    return {found.family for found in audit_shoe(shoe).findings}


def won() -> Felt:
    """Player wins 5.00 with nine to eight, and the coup is closed."""
    return Felt().ready().coup("p1 player 500 | P 4 5  B K 8")


@pytest.mark.parametrize("hand", ["player", "banker"])
def test_a_card_behind_the_close_moves_no_total_no_payment_and_no_draw(hand):
    felt = drawn(won(), hand)
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup, found.money.house) == (LATE, 1, None)
    assert felt.shoe.coups[1].player == ["4", "5"]
    assert felt.shoe.left[-1].payload.card == "9c"
    assert [step.shown for step in explain(felt.shoe, 1).steps if step.differs] == [
        "drew 9♣ behind the close"
    ]
    assert codes(won().shoe) == []


def test_the_card_was_there_in_time():
    """Player nine: Banker's third is a wrong draw before the close, and late behind it."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    drawn(felt, "banker", "Kc").put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    assert codes(felt.shoe) == ["banker-drew-against-table"]


def test_two_late_cards_are_two_findings():
    found = audit_shoe(drawn(drawn(won(), "banker"), "banker").shoe).findings
    assert [each.code for each in found] == [LATE, LATE]
    assert len({each.fingerprint for each in found}) == 2


def stood() -> Felt:
    """Player stands on two, which loses to seven. So it is called, settled and closed."""
    return Felt().ready().coup("p1 player 500, p2 banker 2000 | P 2 K  B 2 5")


def test_a_stand_is_not_hidden_by_a_card_that_is_drawn_behind_the_close():
    """With the seven that came Player had nine, and p1 would have won 5.00 that he lost.

    p2 would have lost 20.00, and won them less a commission of 1.00.
    """
    quiet = audit_shoe(stood().shoe).findings
    assert [found.code for found in quiet] == ["player-stood-against-table"]
    found = audit_shoe(drawn(stood(), "player", "7c").shoe).findings
    assert [each.code for each in found] == ["player-stood-against-table", LATE]
    assert dict(found[0].money.patrons) == {"p1": -1000, "p2": 3900}
    assert found[1].money.house is None
    assert found[0].fingerprint == quiet[0].fingerprint


@given(st.tuples(VALUES, VALUES, VALUES, VALUES), VALUES, st.sampled_from(["player", "banker"]))
def test_a_stand_costs_the_same_whatever_the_next_card_is_drawn_for(four, value, hand):
    """All stop at four cards, and are settled so: behind the close, or of the next coup."""
    a, b, c, d = four
    told = []
    for coup in (1, 2):
        felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
        felt.put(ev.NoMoreBets(1)).cards(f"P {face(a)} {face(c)}  B {face(b)} {face(d)}")
        player, banker_total = (a + c) % 10, (b + d) % 10
        outcome = "P" if player > banker_total else "B" if banker_total > player else "T"
        move = {"P": ev.BetPaid(1, 1, 500), "B": ev.BetTaken(1, 1, 500), "T": ev.BetPushed(1, 1)}
        felt.put(ev.ResultCalled(1, player, banker_total, outcome), move[outcome], ev.CoupClosed(1))
        if coup == 2:
            felt.put(ev.CoupOpened(2), ev.NoMoreBets(2))
        findings = audit_shoe(drawn(felt, hand, face(value), coup).shoe).findings
        told.append({x.fingerprint: (x.code, x.money) for x in findings if x.coup == 1})
    behind, following = told
    late = [mark for mark, (code, _) in behind.items() if code == LATE]
    assert len(late) == 1
    assert {mark: one for mark, one in behind.items() if mark not in late} == following
    stood = (a + c) % 10 < 6 or (b + d) % 10 < 6
    natural = max((a + c) % 10, (b + d) % 10) > 7
    assert natural or bool(following) is stood


@given(
    st.tuples(VALUES, VALUES, VALUES, VALUES),
    st.tuples(VALUES, VALUES),
    st.integers(0, 6),
)
def test_a_close_that_came_too_early_moves_no_money(four, coming, early):
    """It is told after so many cards, and the coup is dealt, called and settled rightly."""
    a, b, c, d = four
    player, banker_total = by_the_tableau(list(four), list(coming))
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1))
    cards = [("player", a), ("banker", b), ("player", c), ("banker", d)]
    more = iter(coming)
    for nth in range(7):
        if nth == early:
            felt.put(ev.CoupClosed(1))
        due = hand_due(felt.shoe.coups[1].player, felt.shoe.coups[1].banker)
        if due is None:
            break
        drawn(felt, due, face(cards[nth][1] if nth < 4 else next(more)))
    outcome = "P" if player > banker_total else "B" if banker_total > player else "T"
    move = {"P": ev.BetPaid(1, 1, 500), "B": ev.BetTaken(1, 1, 500), "T": ev.BetPushed(1, 1)}
    felt.put(ev.ResultCalled(1, player, banker_total, outcome), move[outcome])
    coup, findings = felt.shoe.coups[1], audit_shoe(felt.shoe).findings
    behind = [card for card in coup.cards if coup.closed and card.version > coup.closed.version]
    assert sum(found.code == LATE for found in findings) == len(behind)
    assert not [found.code for found in findings if found.money.house]


@pytest.mark.parametrize("banker", [5, 7])
def test_a_result_that_was_called_before_its_card_is_held_against_what_lay_there(banker):
    """Banker stands on five against a six. A seven is called, the two comes behind the close."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 2 4  B K 5")
    felt.put(ev.ResultCalled(1, 6, banker, "B" if banker > 6 else "P"), ev.CoupClosed(1))
    miscalled = ["miscalled-final-totals", "miscalled-result"] * (banker > 6)
    found = codes(drawn(felt, "banker", "2c").shoe)
    assert sorted(found) == sorted(["banker-stood-against-table", *miscalled, LATE])
    assert felt.shoe.coups[1].banker == ["K", "5"]


def test_a_close_that_decided_nothing_takes_no_card_from_the_hand_that_waited_for_it():
    """Bets lay there, and no result was called: Banker's third, the result and payments follow."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 2 4  B K 5").put(ev.CoupClosed(1))
    drawn(felt, "banker", "2c").put(ev.ResultCalled(1, 6, 7, "B"), ev.BetTaken(1, 1, 500))
    assert felt.shoe.coups[1].banker == ["K", "5", "2c"]
    assert LATE in codes(felt.shoe)
    assert families(felt.shoe) == {"procedure"}


@pytest.mark.parametrize(
    ("player", "outcome", "broken"), [(2, "B", {"totals", "payout"}), (9, "P", set())]
)
def test_a_result_called_after_an_early_close_is_judged_by_all_cards(player, outcome, broken):
    """Player two, Banker seven, and a seven for Player behind the close, before any call."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 2 K  B 2 5").put(ev.CoupClosed(1))
    drawn(felt, "player", "7c").put(ev.ResultCalled(1, player, 7, outcome))
    felt.put(ev.BetPaid(1, 1, 500) if outcome == "P" else ev.BetTaken(1, 1, 500))
    assert LATE in codes(felt.shoe)
    assert families(felt.shoe) == {"procedure", *broken}


def test_a_coup_without_bets_is_over_with_its_close():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 2 4  B K 5")
    assert codes(drawn(felt.put(ev.CoupClosed(1)), "banker", "2c").shoe) == [
        "banker-stood-against-table",
        LATE,
    ]


@given(
    st.tuples(VALUES, VALUES, VALUES, VALUES),
    st.tuples(VALUES, VALUES),
    VALUES,
    st.sampled_from(["player", "banker"]),
)
def test_whatever_was_dealt_one_card_more_is_one_finding(four, coming, late, hand):
    """Four cards, those that the tableau asks for, and another. Result and bet are right."""
    a, b, c, d = four
    player, banker_total = by_the_tableau(list(four), list(coming))
    felt = Felt().ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.cards(f"P {face(a)} {face(c)}  B {face(b)} {face(d)}")
    more = iter(coming)
    while (due := _due(felt)) is not None:
        drawn(felt, due, face(next(more)))
    outcome = "P" if player > banker_total else "B" if banker_total > player else "T"
    move = {"P": ev.BetPaid(1, 1, 500), "B": ev.BetTaken(1, 1, 500), "T": ev.BetPushed(1, 1)}
    felt.put(ev.ResultCalled(1, player, banker_total, outcome), move[outcome], ev.CoupClosed(1))
    assert codes(felt.shoe) == []
    assert codes(drawn(felt, hand, face(late)).shoe) == [LATE]


def _due(felt):
    """The hand that is due the next card."""
    now = next_action(felt.shoe)
    return now.hand if now.expects == "card" else None


HOUSES = [house for house in houses() if not parse_pack(house.pack).endless]


@every_third
@pytest.mark.parametrize("house", HOUSES, ids=lambda house: house.name)
def test_in_every_house_it_is_one_finding(house):
    plan = ShoePlan(stream="shoe/S-1", pack=house.pack, decks=house.decks, start_us=0)
    punto_banco = parse_pack(house.pack).game == "punto-banco"
    patrons = "flat:side=player,flat:unit=5000" if punto_banco else "flat,flat:unit=5000,flat"
    fault = Fault(FAULTS["drawn-when-over"], 3)
    dice = random.Random(house.name)
    history = list(Dealer(plan, parse_lineup(patrons, 5), dice, (fault,)).deal())
    assert fault.happened
    assert codes(fold("shoe/S-1", history)) == [LATE]


def test_a_late_card_that_a_ruling_burns_left_the_shoe_once():
    felt = drawn(won(), "banker").put(ev.IrregularityNoted("card-exposed", "burn-card", 1, "sue"))
    place = len(felt.shoe.left)
    felt.put(ev.CardBurned("9c", place, "ruling", 1))
    assert len(felt.shoe.left) == place
    felt.coup("P 4 5  B K 8").put(ev.ShoeEnded(416 - place - 4, 416, reason="withdrawn"))
    assert codes(felt.shoe) == []
    steps = explain(felt.shoe, 1).steps
    assert any("burned" in step.shown for step in steps if step.shown)


def test_late_cards_left_the_shoe_and_are_counted():
    """Eight decks: 2 were burned, 4 dealt, 1 late, so that 409 remain."""
    felt = drawn(won(), "player").put(ev.ShoeEnded(409, 416, reason="withdrawn"))
    assert codes(felt.shoe) == [LATE]


# -- Coups that are void --------------------------------------------------------------------------


def void(ruling: ev.Ruling) -> Felt:
    """A card lay exposed; the bet goes back, and the coup is void before Banker has its third."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 2 4  B K 5")
    felt.put(ev.IrregularityNoted("card-exposed", ruling, 1, "sue"), ev.BetPushed(1, 1))
    return drawn(felt.put(ev.CoupVoided(1, "a card lay exposed", "sue")), "banker")


def test_no_card_is_drawn_for_a_void_coup_unless_it_is_played_out_without_bets():
    assert codes(void("void").shoe) == [LATE]
    assert codes(void("no-bet-hand").shoe) == []


# -- Several devices ------------------------------------------------------------------------------


def two_devices(more: str, clocks: bool = True) -> Shoe:
    """Player wins 5.00 with nine to eight; the coup is closed at 7,000 ms."""
    begun = "terminal -20000 open\nchips -300 bet player 500\nterminal 0 call"
    pack = {} if clocks else {"pack": Felt().shoe.pack_text}
    return device_shoe(f"{begun}{CARDS}{more}", **pack)


def test_a_close_that_may_have_come_a_moment_early_takes_no_card_from_its_hand():
    """Banker's third within the tolerance of the close: whether it was in time nobody knows."""
    shoe = two_devices("reader 7100 B K")
    assert codes(shoe) == ["banker-drew-against-table"]
    assert shoe.coups[1].banker == ["K", "8", "K"]


@pytest.mark.parametrize("clocks", [True, False])
def test_a_card_of_another_device_that_surely_came_behind_is_in_no_hand(clocks):
    assert codes(two_devices("reader 9000 B 3", clocks)) == [LATE]


def test_a_card_that_was_on_its_way_when_its_coup_was_closed_is_in_its_hand():
    """Banker's third card at 4,500 ms reaches the log behind the close: it was dealt in time."""
    assert codes(two_devices("reader 4500 B K")) == ["banker-drew-against-table"]
    in_doubt = two_devices("reader 4500 B K", clocks=False)
    assert LATE not in codes(in_doubt)


STOOD = """
    terminal -20000 open
    chips -300 bet player 500
    terminal 0 call
    reader 1000 P 2
    reader 2000 B 2
    reader 3000 P K
    reader 4000 B 5
    terminal 5000 result B
    chips 6000 take 500
    terminal 7000 close
"""
"""Player stands on two, and loses 5.00 to seven."""
WRONG_STAND = "player-stood-against-table"


@pytest.mark.parametrize("clocks", [True, False])
def test_a_due_card_of_another_device_that_surely_came_behind_hides_no_stand(clocks):
    pack = {} if clocks else {"pack": Felt().shoe.pack_text}
    shoe = device_shoe(STOOD + "reader 9000 P 7", **pack)
    assert codes(shoe) == [WRONG_STAND, LATE]


@pytest.mark.parametrize("at", [6900, 7100])
def test_whether_player_stood_nobody_knows_where_his_card_came_about_with_the_close(at):
    """The tolerance is 250 ms: the card is his, and what rests on it is in doubt."""
    shoe = device_shoe(STOOD + f"reader {at} P 7")
    audit = audit_shoe(shoe)
    assert shoe.coups[1].player == ["2", "K", "7"]
    assert audit.findings == []
    doubts = {
        verdict.code
        for verdict in audit.verdicts
        if any(reason.kind == "order-unknown" for reason in verdict.not_applicable)
    }
    assert doubts >= {
        WRONG_STAND, LATE, "miscalled-result", "wrong-payout",
    }  # fmt: skip


def test_a_card_without_a_clock_that_reached_the_log_behind_the_close_is_its_hands():
    """The pack says nothing of clocks, and the reader has none: it may be slow."""
    pack = Felt().shoe.pack_text
    right = STOOD.replace("result B", "result P").replace("take 500", "pay 500")
    shoe = device_shoe(right + "reader - P 7", pack)
    assert shoe.coups[1].player == ["2", "K", "7"]
    assert WRONG_STAND not in codes(shoe)


def test_a_record_of_coups_alone_gives_no_order_of_card_and_close():
    felt = Felt(coverage="coups").put(ev.CoupOpened(1)).cards("P 2 K  B 2 5")
    drawn(felt.put(ev.CoupClosed(1)), "player", "7c")
    assert felt.shoe.coups[1].player == ["2", "K", "7c"]


@pytest.mark.parametrize(("seq", "late"), [(20, False), (22, True)])
def test_the_numbers_of_one_device_go_before_the_coming(seq, late):
    """A third card on nine is told behind the close, which is its device's number 21."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 2 4  B K 9")
    felt.tell("d", None, ev.CoupClosed(1), seq=21)
    felt.tell("d", None, ev.CardDrawn(1, "banker", "2c", 7), seq=seq)
    assert bool(felt.shoe.coups[1].late) is late
    assert (LATE in codes(felt.shoe)) is late


@pytest.mark.parametrize(
    ("choice", "broken"), [("draw", {"procedure"}), ("stand", {"procedure", "payout"})]
)
def test_a_hand_has_its_card_if_the_close_settled_nothing(choice, broken):
    """The player may ask on five. The coup is closed before any bet is settled."""
    felt = staked(("p2", 6000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 2 3  B K 7").put(bank_ev.ChoiceMade(1, "player", choice), ev.CoupClosed(1))
    shoe = drawn(felt, "player", "4c").shoe
    assert shoe.coups[1].player == ["2", "3", "4c"]
    assert LATE in codes(shoe)
    assert families(shoe) >= broken
