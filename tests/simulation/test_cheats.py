"""Cheats: their knowledge, their helpers, and the events they leave."""

import random
from collections import Counter
from itertools import product

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.e_process.coup_evidence import count_from
from sabot.domain.protection.money.information_value import expectations
from sabot.domain.rules.coup_result import result_of
from sabot.domain.simulation import Session, deal_shoe, parse_lineup, plan_of
from sabot.domain.simulation.cheats.cheats import Knower, LateMover
from sabot.domain.simulation.cheats.knowledge import SORTED, Ahead, FirstFour, Outcome, worth_more
from sabot.domain.simulation.cheats.schemes import Cooler, FalseShuffle, Making, with_slug
from sabot.domain.state.shoe import fold
from sabot.domain.values.cards import FULL_DECK, VALUE
from sabot.infrastructure.rule_packs import pack_text
from tests.support.thorough import slow

RNG = random.Random(1)


def session(lineup, **more):
    return Session(
        pack=pack_text("classic-8"), decks=8, table="T1", patrons=parse_lineup(lineup, 14),
        start_us=1_800_000_000_000_000, seed="cheats", **more,
    )  # fmt: skip


def dealt(lineup, number=1, **more):
    events = list(deal_shoe(session(lineup, **more), number))
    return fold(events[0].stream, events), [event.payload for event in events]


def known(cards, player=(), banker=(), places=(1, 416)):
    return Ahead(cards.split(), 1, player, banker, places)


@pytest.mark.parametrize(
    ("cards", "wins"),
    [
        ("4c 2h 5d 3s Kc Kd", "player"),  # P 4 5 natural, B 2 3
        ("2c 4h 3d 4s Kc Kd", "banker"),  # P 2 3, B 4 4 natural
        ("Kc 2h 3d 4s 3c 9d", "tie"),  # P K 3 draws 3: 6; B 2 4 stands against a 3
        ("Kc 2h 2d", None),  # too few cards to tell
    ],
)
def test_an_outcome_is_that_of_the_cards_that_come(cards, wins):
    assert Outcome().read(known(cards), RNG) == wins


def test_an_outcome_is_known_where_its_cards_are_and_a_third_card_among_them():
    channel, natural, drawn = Outcome(), "4c 2h 5d 3s", "Kc 2h 3d 4s 3c"
    assert channel.read(known(natural, places=(1, 4)), RNG) == "player"
    assert channel.read(known(natural, places=(1, 3)), RNG) is None
    assert channel.read(known(natural, places=(2, 9)), RNG) is None
    assert channel.read(known(drawn, places=(1, 4)), RNG) is None
    assert channel.read(known(drawn, places=(1, 5)), RNG) == "tie"
    assert Outcome(everywhere=True).read(known(drawn, places=(0, 0)), RNG) == "tie"


def test_an_inaccurate_outcome_is_wrong_as_often_as_it_says():
    read = [Outcome(0.75).read(known("4c 2h 5d 3s"), RNG) for _ in range(2000)]
    assert abs(read.count("player") / 2000 - 0.75) < 0.03
    assert 180 < read.count("tie") < 320


def test_four_backs_speak_for_the_side_that_is_worth_more():
    channel = FirstFour()
    assert channel.read(Ahead((), 5, ("9c", "2c"), ("3c", "4c")), RNG) == "player"
    assert channel.read(Ahead((), 5, ("9c", "8c"), ("6c", "Kc")), RNG) == "banker"
    assert channel.read(Ahead((), 5, ("2c", "2c"), ("6c", "2c")), RNG) == "banker"
    assert channel.read(Ahead((), 5, ("9c",), ("6c", "7c")), RNG) is None


@slow
def test_the_side_that_is_worth_more_is_that_of_the_exact_shoe():
    """By the expectations of a fresh shoe of eight decks, class by class."""
    unseen = (128, *(32,) * 9)
    exact = dict.fromkeys(product((False, True), repeat=4), 0)
    for first, second, third, fourth in product(range(10), repeat=4):
        left, ways = list(unseen), 1
        for value in (first, second, third, fourth):
            ways *= left[value]
            left[value] -= 1
        player, banker = expectations(count_from({1: first, 2: second, 3: third, 4: fourth}, left))
        seen = tuple(value in SORTED for value in (first, third, second, fourth))
        exact[seen] += ways * (player - banker)
    assert [worth_more(SORTED)[seen] > 0 for seen in exact] == [exact[seen] > 0 for seen in exact]


def test_works_is_a_share_of_blocks_of_ten_coups():
    knower = Knower(works=0.4)
    on = [coup for coup in range(1, 101) if knower._at_work(coup)]
    assert len(on) == 40
    blocks = Counter((coup - 1) // 10 for coup in on)
    assert set(blocks.values()) == {10}


def test_sorted_backs_lie_turned_by_value_in_every_shoe_of_one_batch():
    for number in (1, 2):
        shoe, payloads = dealt("flat,edge-sorter:values=789", number)
        drawn = [payload for payload in payloads if isinstance(payload, ev.CardDrawn)]
        assert all(
            (payload.back == "turned") == (VALUE[payload.card] in (7, 8, 9)) for payload in drawn
        )
        loaded = shoe.loaded.payload
        assert loaded.batch == "T1-batch"
    kinds = {payload.kind for payload in payloads if isinstance(payload, ev.RequestMade)}
    assert {"keep-decks", "shuffler", "turn-card"} <= kinds


def test_a_spotter_asks_and_his_friends_bet():
    _, payloads = dealt("spotter,edge-sorter:2:silent=1:relay=1")
    asked = {payload.patron for payload in payloads if isinstance(payload, ev.RequestMade)}
    assert asked == {"spotter-1"}
    backs = {
        payload.coup: payload.back
        for payload in reversed(payloads)
        if isinstance(payload, ev.CardDrawn)
    }
    right = Counter()
    for payload in payloads:
        if isinstance(payload, ev.BetPlaced) and payload.patron.startswith("edge-sorter"):
            turn = payload.coup % 2 == (payload.patron == "edge-sorter-2")
            hit = (payload.wager == "player") == (backs[payload.coup] == "turned")
            right[turn, hit] += 1
    assert not right[True, False]
    assert right[False, False] > 20  # out of his turn he plays by whim


def test_a_slug_comes_again_as_it_was_and_the_rest_is_shuffled():
    first = plan_of(session("slug-tracker:cards=80"), 1)
    assert first.order is None
    second = plan_of(session("slug-tracker:cards=80"), 2)
    low, high = second.known
    assert high - low == 79
    slug = second.order[low - 1 : high]
    _, payloads = dealt("slug-tracker:cards=80", 1)
    earlier = payloads[-1].order
    assert any(earlier[at : at + 80] == slug for at in range(len(earlier) - 80))
    assert Counter(second.order) == Counter(FULL_DECK * 8)
    assert dealt("slug-tracker:cards=80", 2)[1][-1].order == second.order


def test_an_unshuffled_shoe_is_the_one_before():
    assert dealt("unshuffled", 2)[1][-1].order == dealt("unshuffled", 1)[1][-1].order


def test_a_cooler_is_always_the_same_and_other_shoes_are_not():
    orders = [dealt("cooler", number)[1][-1].order for number in (1, 2, 3, 4)]
    assert orders[1] == orders[3]
    assert len({*orders}) == 3


def test_who_filmed_the_cut_cut_the_shoe_and_knows_its_stretch_alone():
    shoe, payloads = dealt("flat,cutter:cards=60:begins=200:unit=7000:spread=3")
    assert {payload.by for payload in payloads if isinstance(payload, ev.ShoeCut)} == {"cutter-1"}
    places = {}
    for payload in payloads:
        if isinstance(payload, ev.CardDrawn):
            places.setdefault(payload.coup, []).append(payload.place)
    bold = 0
    for coup in shoe.coups.values():
        for bet in coup.bets.values():
            if bet.patron == "cutter-1" and bet.amount > 7000:
                bold += 1
                assert places[coup.number][0] >= 200
                assert places[coup.number][-1] < 260
                assert bet.net > 0
    assert bold > 8


def test_schemes_leave_honest_plans_alone_out_of_turn():
    plan = plan_of(session("flat"), 1)
    making = Making(plan, "flat-1", 1, tuple, random.Random)
    assert FalseShuffle().prepared(making) == plan
    assert Cooler(3).prepared(making) == plan
    assert len(with_slug("abcdef", "cd", 1, RNG)) == 6


def test_four_cards_lie_face_down_before_the_bets_close():
    shoe, payloads = dealt("flat,four-reader")
    kinds = [type(payload) for payload in payloads if getattr(payload, "coup", None) == 3]
    call = kinds.index(ev.NoMoreBets)
    assert kinds[:call].count(ev.CardDrawn) == 4
    assert kinds.index(ev.BetPlaced) > kinds.index(ev.CardDrawn)
    assert kinds[call:].count(ev.CardTurned) == 4
    assert all(coup.result_called for coup in shoe.coups.values())


def test_a_late_mover_changes_to_the_side_that_wins_before_the_third_card():
    shoe, _ = dealt("late-mover:share=1")
    moved = 0
    for coup in shoe.coups.values():
        late = [bet for bet in coup.bets.values() if bet.number > 1]
        if late:
            moved += 1
            outcome = result_of(coup.player, coup.banker).outcome
            assert late[0].wager == {"P": "player", "B": "banker"}[outcome]
            assert coup.bets[1].withdrawn
    assert moved > 10


def test_a_capper_doubles_what_won_and_takes_down_what_lost():
    capper = LateMover(moment="result", share=1.0)
    assert capper.late("result", "player", {"player": 500}, RNG) == {"player": 1000}
    assert capper.late("result", "banker", {"player": 500}, RNG) == {}
    assert capper.late("third", "banker", {"player": 500}, RNG) is None


def test_a_friend_is_paid_twice_by_his_dealer_alone():
    shoe, payloads = dealt("flat,friend:share=1:dealer=ben", dealers=("anna", "ben"))
    shares = {"anna": Counter(), "ben": Counter()}
    dealer = ""
    for payload in payloads:
        if isinstance(payload, ev.CrewChanged):
            dealer = payload.person
        elif isinstance(payload, ev.BetPaid):
            bet = shoe.coups[payload.coup].bets[payload.bet]
            shares[dealer][bet.patron, payload.amount // bet.amount] += 1
    assert not shares["anna"]["friend-1", 2]
    assert not shares["ben"]["friend-1", 1]
    assert shares["ben"]["friend-1", 2] > 5
    assert not shares["ben"]["flat-1", 2]
