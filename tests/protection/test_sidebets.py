"""Side bets, compared with their true expectation."""

import pytest

from sabot.domain.odds.coup_odds import full_decks, odds_of
from sabot.domain.odds.house_edge import pay_tables
from sabot.domain.protection.observation.watcher import observe_shoe
from sabot.domain.protection.shoe_tests.side_bets import Spread, side_bets_of
from tests.support.coup_notation import Felt


def test_a_spread_is_the_same_in_pieces_and_at_once():
    numbers = [0.1, -0.4, 0.25, 0.3, -0.1]
    whole, one, rest = Spread(), Spread(), Spread()
    for place, number in enumerate(numbers):
        whole.take(number)
        (one if place < 2 else rest).take(number)
    one.add(rest)
    assert one.mean == pytest.approx(sum(numbers) / 5)
    assert (one.coups, one.mean, one.error) == pytest.approx((whole.coups, whole.mean, whole.error))


def test_bets_on_pairs_are_valued_by_the_ranks_that_are_left():
    """Three sevens went with the first card and the first coup: a pair of sevens comes less."""
    felt = Felt("midi", table="T1").ready("7c")
    felt.coup("p1 player 500, p1 player-pair 100 | P 7d 2s  B 7h 9c")
    felt.coup("p1 player 500 | P 4d 4s  B Kh 9c")
    seen = observe_shoe(felt.shoe)
    (bets,) = side_bets_of(felt.shoe, seen, seen.coups)
    assert (bets.patron, bets.wager, bets.on.coups, bets.off.coups) == ("p1", "player-pair", 1, 1)
    table = next(t for t in pay_tables([felt.shoe.pack]) if t.wager.name == "player-pair")
    for spread, gone in ((bets.on, ["7c"]), (bets.off, ["7c", "7d", "2s", "7h", "9c"])):
        left = full_decks(8)
        for card in gone:
            left[card] -= 1
        assert spread.mean == pytest.approx(float(-table.house_edge(odds_of(left))), abs=1e-12)
