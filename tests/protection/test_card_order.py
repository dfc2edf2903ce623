"""Repeated runs: the bound is exact where every order can be dealt, and slugs are found."""

import random
from fractions import Fraction
from itertools import permutations

from sabot.domain.protection.shoe_tests.card_order import Orders, expected_runs, longest_repeat
from sabot.domain.values.cards import FULL_DECK

RANKS = "A23456789TJQK"


def deck(rng, decks):
    cards = list(FULL_DECK) * decks
    rng.shuffle(cards)
    return tuple(cards)


def orders(name, cards):
    return Orders(name, tuple(cards), tuple(cards))


def test_the_chance_of_nine_ranks_and_of_seven_suited():
    """For a pair of shoes and both directions: 3e-5 and 3e-7."""
    rng = random.Random(1)
    old = deck(rng, 8)
    ranks = [card[0] for card in old]
    assert 2.5e-5 < 2 * expected_runs(416, ranks, 9, 8, "ranks") < 3.5e-5
    assert 2.5e-7 < 2 * expected_runs(416, list(old), 7, 8, "suits") < 3.5e-7


def test_the_expected_number_of_runs_is_that_of_every_order():
    """One deck's suits of two ranks stand for a shoe: the rest never comes into a window."""
    old = ["Ac", "2c", "3c", None, "Ac", "2c"]
    cards = ["Ac", "2c", "3c", "4c", "5c"]
    runs = orders_dealt = 0
    for order in permutations(cards):
        orders_dealt += 1
        for at in range(len(order) - 1):
            runs += sum(
                list(order[at : at + 2]) == old[there : there + 2] for there in range(len(old) - 1)
            )
    # among 52 cards the same two neighbours come with the chance of 1/52/51 a place, not 1/5/4
    expected = expected_runs(len(cards), old, 2, 1, "suits")
    assert Fraction(runs, orders_dealt) * Fraction(5 * 4, 52 * 51) == expected


def test_a_slug_is_found_forwards_and_backwards():
    rng = random.Random(2)
    old, new = deck(rng, 8), list(deck(rng, 8))
    slug = old[100:120]
    for backwards in (False, True):
        cards = list(new)
        cards[50:70] = slug[::-1] if backwards else slug
        run = longest_repeat(orders("new", cards), [orders("old", old)], 8)
        assert run.length >= 20
        assert run.backwards is backwards
        assert run.expected < 1e-20
        assert abs(run.at - 50) <= 2
        assert abs(run.earlier_at - 100) <= 2


def test_a_uniform_shoe_repeats_nothing_that_tells():
    rng = random.Random(3)
    worst = 1.0
    for _ in range(40):
        run = longest_repeat(orders("new", deck(rng, 8)), [orders("old", deck(rng, 8))], 8)
        worst = min(worst, run.expected if run else 1.0)
    assert worst > 0.001


def test_cards_that_left_face_down_end_a_run():
    rng = random.Random(4)
    old = deck(rng, 8)
    new = [None if place % 4 == 3 else card for place, card in enumerate(old)]
    assert longest_repeat(orders("new", new), [orders("old", old)], 8) is None


def test_ranks_alone_are_enough():
    rng = random.Random(5)
    old = [card[0] for card in deck(rng, 6)]
    run = longest_repeat(orders("new", old), [orders("old", old)], 6)
    assert (run.length, run.level) == (312, "ranks")


def test_point_values_alone_tell_nothing():
    new = orders("new", ["0"] * 60)
    assert longest_repeat(new, [new], 8) is None
