"""Habits do what their names say, and use only public knowledge."""

import random
from fractions import Fraction

import pytest

from sabot.domain.odds.coup_odds import odds_of, of_values
from sabot.domain.odds.house_edge import pay_tables
from sabot.domain.simulation.cheats.cheats import EdgeSorter
from sabot.domain.simulation.cheats.knowledge import Ahead, FirstCard
from sabot.domain.simulation.patrons.habits import (
    Copycat,
    Flat,
    Martingale,
    OnFelt,
    Played,
    SideBettor,
    Spot,
    TieLover,
    Trend,
)
from sabot.domain.simulation.patrons.patron import Patron, Sitter
from sabot.domain.simulation.patrons.side_counter import COUNTS, SideCounter
from sabot.infrastructure.rule_packs import shipped_packs
from tests.support.thorough import a_part

FULL = (128, *(32,) * 9)


def spot(outcomes="", *, unseen=FULL, bankroll=1_000_000, felt=(), mine=(), knows=None, **more):
    given = {
        "coup": len(outcomes) + 1,
        "outcomes": list(outcomes),
        "unseen": list(unseen),
        "bankroll": bankroll,
        "won": 0,
        "minimum": 500,
        "maximum": 50_000,
        "offered": frozenset(("player", "banker", "tie", "dragon-7", "panda-8")),
        "felt": felt,
        "mine": mine,
        "knows": knows,
    }
    return Spot(**given | more)


RNG = random.Random(1)


def test_a_flat_bettor_stakes_the_same():
    assert Flat(unit=700, side="player").stakes(spot("PBT"), RNG) == {"player": 700}
    whims = [next(iter(Flat(side="random").stakes(spot(), RNG))) for _ in range(200)]
    assert 60 < whims.count("player") < 140


@pytest.mark.parametrize(
    ("outcomes", "follows", "against"),
    [("P", "player", "banker"), ("PB", "banker", "player"), ("BPTT", "player", "banker")],
)
def test_a_trend_is_followed_or_fought_and_ties_are_passed_over(outcomes, follows, against):
    assert Trend(unit=1000).stakes(spot(outcomes), RNG) == {follows: 1000}
    assert Trend(unit=1000, follows=False).stakes(spot(outcomes), RNG) == {against: 1000}


@pytest.mark.parametrize(
    ("mine", "stake"),
    [
        ((), 1000),
        ((Played(1, {"banker": 1000}, -1000),), 2000),
        ((Played(1, {"banker": 1000}, -1000), Played(2, {"banker": 2000}, -2000)), 4000),
        ((Played(1, {"banker": 4000}, 3800),), 1000),
        ((Played(1, {"banker": 4000}, 0),), 4000),
        ((Played(1, {"banker": 32_000}, -32_000),), 1000),
    ],
)
def test_a_martingale_doubles_until_a_win_or_the_maximum(mine, stake):
    assert Martingale(unit=1000).stakes(spot(mine=mine), RNG) == {"banker": stake}


def test_a_martingale_without_the_chips_begins_again():
    lost = (Played(1, {"banker": 4000}, -4000),)
    assert Martingale(unit=1000).stakes(spot(mine=lost, bankroll=7999), RNG) == {"banker": 1000}


def test_a_tie_lover_bets_the_tie_beside_a_main_bet():
    bets = [TieLover(unit=5000).stakes(spot(), RNG) for _ in range(100)]
    assert all(bet["player"] == 5000 for bet in bets)
    assert 55 < sum("tie" in bet for bet in bets) < 95
    assert {bet["tie"] for bet in bets if "tie" in bet} == {1000}


def test_a_side_bettor_bets_one_side_bet_that_is_offered():
    for _ in range(50):
        wagers = set(SideBettor(unit=5000).stakes(spot(), RNG))
        assert len(wagers) == 2
        assert wagers & {"player", "banker"}
        assert wagers & {"dragon-7", "panda-8"}


def test_a_copycat_bets_beside_whom_he_watches_or_the_largest():
    felt = (
        OnFelt("a", "player", 900),
        OnFelt("b", "banker", 5000),
        OnFelt("c", "tie", 90_000),
    )
    assert Copycat(unit=700).stakes(spot(felt=felt), RNG) == {"banker": 700}
    assert Copycat(unit=700, of="a").stakes(spot(felt=felt), RNG) == {"player": 700}
    assert Copycat(unit=700, of="c").stakes(spot(felt=felt), RNG) == {}


def test_an_edge_sorter_bets_by_what_he_knows():
    sorter = EdgeSorter(unit=1000, spread=3)
    assert sorter.stakes(spot(knows=True), RNG) == {"player": 3000}
    assert sorter.stakes(spot(knows=False), RNG) == {"banker": 3000}
    assert set(sorter.stakes(spot(), RNG).values()) == {1000}


def test_an_edge_sorter_in_camouflage_plays_by_whim():
    sorter = EdgeSorter(unit=1000, spread=3, camouflage=0.4)
    stakes = [sorter.stakes(spot(knows=True), RNG) for _ in range(2000)]
    whims = [stake for stake in stakes if 1000 in stake.values()]
    assert 700 < len(whims) < 900
    assert 0.4 < sum("player" in stake for stake in whims) / len(whims) < 0.6


def test_an_edge_sorter_asks_for_the_decks_and_the_shuffler_first():
    kinds = [ask.kind for ask in EdgeSorter().asks(spot(), RNG)]
    assert kinds == ["keep-decks", "shuffler"]
    later = {ask.kind for _ in range(50) for ask in EdgeSorter().asks(spot("PBP"), RNG)}
    assert later == {"turn-card"}


@pytest.mark.parametrize("accuracy", [1.0, 0.9, 0.6])
def test_a_channel_is_right_as_often_as_it_says(accuracy):
    channel = FirstCard(accuracy=accuracy)
    read = [channel.read(Ahead(("7h",)), RNG) for _ in range(3000)]
    assert abs(read.count(True) / 3000 - accuracy) < 0.035
    assert channel.read(Ahead(()), RNG) is None
    sharp = FirstCard()
    assert [sharp.read(Ahead((card,)), RNG) for card in ("5c", "6c", "9d", "Ks", "Ah")] == [
        *(False, True, True, False, False)
    ]


@pytest.mark.parametrize("wager", COUNTS)
def test_a_count_is_that_of_the_exact_odds(wager):
    """What one card gone does to the expectation, from exact integers, in millionths."""
    table = next(t for t in pay_tables(shipped_packs()) if t.wager.name == wager)
    whole = table.house_edge(odds_of(of_values(FULL)))
    assert COUNTS[wager].start == round(-whole * 1_000_000)
    for points, tag in a_part(enumerate(COUNTS[wager].gone), of=3):
        left = list(FULL)
        left[points] -= 1
        shift = whole - table.house_edge(odds_of(of_values(left)))
        assert abs(tag - shift * 1_000_000) <= Fraction(1)


def test_a_counter_bets_the_dragon_when_the_eights_and_nines_are_left():
    counter = SideCounter(unit=1000, wager="dragon-7")
    assert counter.stakes(spot(), RNG) == {"banker": 1000}
    rich = (60, 20, 15, 15, 25, 25, 25, 25, 0, 0)
    assert counter.stakes(spot(unseen=rich), RNG) == {"banker": 1000, "dragon-7": 1000}
    # by exact odds too it pays then
    table = next(t for t in pay_tables(shipped_packs()) if t.wager.name == "dragon-7")
    assert table.house_edge(odds_of(of_values(rich))) < 0
    poor = (60, 20, 15, 15, 5, 5, 5, 5, 30, 30)
    assert counter.stakes(spot(unseen=poor), RNG) == {"banker": 1000}


def test_who_sits_out_bets_as_rarely_as_he_says_and_who_is_ahead_leaves():
    patron = Patron(name="p", seat=1, habit=Flat(), sits_out=0.25, quits_ahead=5000)
    sitter = Sitter(patron, random.Random(2))
    wants = [sitter.wants(spot(), {}) for _ in range(2000)]
    assert 420 < wants.count({}) < 580
    assert not sitter.leaves(500)
    sitter.bankroll += 5000
    assert sitter.leaves(500)
    sitter.bankroll = 499
    assert sitter.leaves(500)


def test_an_honest_patron_lets_a_bet_ride_that_a_tie_left():
    sitter = Sitter(Patron(name="p", seat=1, habit=Trend()), RNG)
    assert sitter.wants(spot("PT"), {"banker": 900}) == {"banker": 900}
    sorter = Sitter(Patron(name="s", seat=2, habit=EdgeSorter(unit=900)), RNG)
    assert sorter.wants(spot("PT", knows=True), {"banker": 900}) == {"player": 900}
