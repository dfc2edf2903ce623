"""Backs against rank: exact over every choice of which cards lie turned."""

import random
from fractions import Fraction
from itertools import combinations

from domain.protection.backs import at_least, sort_test


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
        chances.append(sort_test("s", cards).chance)
    for level in (0.001, 0.01, 0.05, 0.5, 0.9):
        assert sum(chance <= level for chance in chances) <= level * len(chances)


def test_a_sorted_shoe_is_plain_after_a_few_dozen_cards():
    rng = random.Random(1)
    values = [rng.choice((0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) for _ in range(48)]
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
