"""The test of backs by rank, exact over every choice of turned cards."""

import random
from fractions import Fraction
from itertools import combinations

import pytest

from sabot.domain.protection.shoe_tests.card_backs import at_least, sort_test
from tests.support.thorough import slow


def test_the_tail_is_that_of_every_choice():
    every, inside, turned = 9, 4, 3
    for among in range(5):
        hits = [
            sum(card < inside for card in chosen) >= among
            for chosen in combinations(range(every), turned)
        ]
        assert at_least(among, inside, turned, every) == Fraction(sum(hits), len(hits))


def test_no_level_is_reached_more_often_than_it_says():
    values = [0, 0, 0, 1, 1, 6, 6, 7, 9, 9]
    chances = []
    for chosen in combinations(range(len(values)), 4):
        cards = [(value, place in chosen) for place, value in enumerate(values)]
        chances.append(sort_test("s", cards, 10).chance)
    for level in (0.001, 0.01, 0.05, 0.5, 0.9):
        assert sum(chance <= level for chance in chances) <= level * len(chances)


SHOE = (0, 9, 9, 0, 9, 0, 0, 9, 0, 0, 9, 9)
"""Values in the order in which they leave a shoe; any six of them may lie turned."""


def at_best(cards, look):
    """The least chance that any end of a shoe shows, ``look`` at each or where it ends alone."""
    ends = range(1, len(cards) + 1)
    shown = [sort_test("s", cards[:end], look or end) for end in ends]
    share = 1 if look else 2  # of the level: the first look has half of it
    return min((found.chance / share for found in shown if found), default=1.0)


@slow
@pytest.mark.parametrize(("look", "holds"), [(1, True), (2, True), (4, True), (None, False)])
def test_who_ends_the_shoe_when_its_backs_look_best_gains_nothing(look, holds, monkeypatch):
    monkeypatch.setattr(
        "sabot.domain.protection.shoe_tests.card_backs.CHOICES", 2
    )  # one class, or the rest
    chances = []
    for turned in combinations(range(len(SHOE)), 6):
        cards = [(value, place in turned) for place, value in enumerate(SHOE)]
        chances.append(at_best(cards, look))
    above = [
        sum(chance <= level for chance in chances) > Fraction(level) * len(chances)
        for level in set(chances)
    ]
    assert any(above) is not holds


def test_a_card_behind_the_last_look_changes_nothing():
    cards = [(value, value >= 6) for value in (0, 9, 1, 7, 2, 8)]
    assert sort_test("s", cards, 3) == sort_test("s", [*cards, (6, True), (3, False)], 3)
    assert sort_test("s", cards[:2], 3) is None


def test_a_sorted_shoe_is_plain_after_a_pack():
    rng = random.Random(1)
    values = [rng.choice((0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) for _ in range(52)]
    found = sort_test("s", [(value, value >= 6) for value in values])
    assert found.chance < 1e-6
    assert set(found.values) <= {6, 7, 8, 9}


def test_backs_turned_by_chance_tell_nothing():
    rng = random.Random(2)
    chances = [
        sort_test("s", [(rng.randrange(10), rng.random() < 0.3) for _ in range(300)]).chance
        for _ in range(50)
    ]
    assert min(chances) > 0.01


def test_backs_that_all_lie_one_way_are_no_test():
    assert sort_test("s", [(value, False) for value in range(10)]) is None
    assert sort_test("s", []) is None
