"""Counts that claim no level."""

import pytest

from domain import facts as f
from domain.protection.models import Payments, Spread, clustering, favours_of
from domain.protection.watching import see
from tests.notation import Felt


def test_a_favour_is_what_a_patron_got_beyond_his_due():
    felt = Felt("classic-8").ready("Ac")
    felt.coup("p1 player 1000, p2 banker 1000 | P 4 5  B K 7 | P 9-7 | 2 take 1000, 1 pay 1500")
    felt.coup("p1 player 1000, p2 banker 1000 | P 4 5  B K 7 | P 9-7 | 2 push, 1 pay 1000")
    found = [favours_of(felt.shoe, coup) for coup in see(felt.shoe).coups]
    assert [dict(coup) for coup in found] == [{"p1": 500, "p2": 0}, {"p1": 0, "p2": 1000}]


def test_bets_of_a_voided_coup_are_owed_nothing():
    felt = Felt("classic-8").ready("Ac")
    felt.put(f.CoupOpened(1), f.BetPlaced(1, 1, "p1", "player", 100), f.NoMoreBets(1))
    felt.cards("P 4 5  B K 7").put(f.BetPushed(1, 1), f.CoupVoided(1))
    assert favours_of(felt.shoe, see(felt.shoe).coups[0]) == []


def test_a_pair_with_all_the_favours_stands_out():
    pairs = [Payments("d1", f"p{n}", 200, 0, 0) for n in range(5)]
    friends = Payments("d2", "friend", 200, 6, 60_000)
    once = Payments("d1", "once", 200, 1, 100)
    (first, chance), (second, other) = clustering([*pairs, once, friends])
    assert (first, second) == (friends, once)
    # six of seven favours among a seventh of the bets: 7 (1/7)^6 (6/7) + (1/7)^7, about
    assert chance == pytest.approx(43 / 7**7, rel=0.15)
    assert other > 0.5


def test_a_spread_is_the_same_in_pieces_and_at_once():
    numbers = [0.1, -0.4, 0.25, 0.3, -0.1]
    whole, one, rest = Spread(), Spread(), Spread()
    for place, number in enumerate(numbers):
        whole.take(number)
        (one if place < 2 else rest).take(number)
    one.add(rest)
    assert one.mean == pytest.approx(sum(numbers) / 5)
    assert (one.coups, one.mean, one.error) == pytest.approx((whole.coups, whole.mean, whole.error))
