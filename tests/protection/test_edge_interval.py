"""The interval for an edge covers at any time, and becomes narrower."""

import random
from fractions import Fraction
from itertools import permutations, product
from math import prod

import pytest

from sabot.domain.protection.e_process.next_card_chances import coup_totals
from sabot.domain.protection.money.edge_interval import (
    WAGERS,
    ByCoup,
    Edge,
    Running,
    first_card_worth,
    honest_worth,
    start_edge,
)
from sabot.domain.protection.money.wager_values import valuers_of
from sabot.infrastructure.rule_packs import pack_text
from tests.support.thorough import FULL, slow

STEP = 1 if FULL else 10
"""At how many coups one looks: all of them, or one in so many."""


def ever_misses(rng, draw, mean, coups):
    running = Running(-1.0, 1.0)
    for coup in range(coups):
        running.take(draw(rng))
        if coup % STEP:
            continue
        low, high = running.interval()
        if not low <= mean <= high:
            return True
    return False


@slow
def test_it_covers_at_every_moment_at_once():
    rng = random.Random(4)
    misses = sum(
        ever_misses(rng, lambda r: r.choice((-1.0, 1.0, 1.0, 0.0)), 0.25, 120)
        for _ in range(250 if FULL else 80)
    )
    # at 95 % a binomial of 250 stays at 24 or fewer with a probability of 99.9 %, one of 80 at 11
    assert misses <= (24 if FULL else 11)


@slow
def test_it_covers_a_mean_that_wanders():
    rng = random.Random(5)
    misses = 0
    for _ in range(150):
        running, means = Running(-1.0, 1.0), []
        for coup in range(120):
            chance = 0.9 if (coup // 20) % 2 else 0.3
            means.append(2 * chance - 1)
            running.take(1.0 if rng.random() < chance else -1.0)
            if coup % STEP:
                continue
            low, high = running.interval()
            if not low <= sum(means) / len(means) <= high:
                misses += 1
                break
    assert misses <= 17


def test_it_closes_in_on_what_it_measures():
    rng = random.Random(6)
    running, widths = Running(-0.25, 0.25), []
    for coup in range(1, 2001):
        running.take(rng.choice((-0.08, -0.03, 0.17, 0.06)))
        if coup in (100, 500, 2000):
            low, high = running.interval()
            widths.append(high - low)
            assert low < 0.03 < high
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] < 0.02


def test_an_interval_never_leaves_the_bounds_and_holds_its_mean():
    running = Running(-1.0, 1.0)
    assert running.interval() is None
    assert running.mean is None
    for _ in range(5):
        running.take(1.0)
        low, high = running.interval()
        assert -1.0 <= low <= running.mean <= high <= 1.0


@pytest.mark.parametrize("pack", [None, "classic-8", "super-6", "ez-baccarat"])
def test_first_cards_are_worth_less_than_a_quarter(pack):
    text = None if pack is None else pack_text(pack)
    for decks in (2, 4, 6, 8) if FULL else (8,):
        for pair in first_card_worth(decks, text):
            assert max(map(abs, pair)) < 0.25
    assert isinstance(start_edge(), Edge)


@pytest.mark.parametrize(
    ("pack", "banker"),
    [(None, 1.0579), ("uk", 1.0579), ("super-6", 1.4581), ("ez-baccarat", 1.0183)],
)
def test_an_honest_bettor_has_the_house_edge_of_the_pack_s_pays(pack, banker):
    """Eight decks; the figures are those published for commission, Super 6 and EZ baccarat."""
    text = None if pack is None else pack_text(pack)
    found = honest_worth(8, text)
    assert [round(-100 * worth, 4) for worth in found] == [1.2351, banker]


def test_a_first_card_is_worth_what_every_order_behind_it_comes_to():
    """Seven cards, each order of six of them dealt one by one; a Banker six is paid half."""
    cards = [0, 3, 4, 6, 6, 7, 9]
    valuer = valuers_of(pack_text("super-6"))["banker"]
    for first in (0, 6):
        rest = list(cards)
        rest.remove(first)
        won = Fraction(0)
        for order in permutations(rest, 5):
            player, banker, _ = coup_totals((first, *order))
            if player != banker:
                won += -1 if player > banker else Fraction(1, 2) if banker == 6 else 1
        counts = [rest.count(value) for value in range(10)]
        assert valuer.after(first, counts) == won / 720


def test_it_is_the_edge_of_what_was_staked():
    running = Running(-1.0, 1.0)
    for number, stake in ((-1.0, 1), (1.0, 3), (-1.0, 100), (1.0, 4)):
        running.take(number, stake)
    assert running.mean == pytest.approx((-1 + 3 - 100 + 4) / 108)


def test_it_covers_the_edge_of_the_money_of_who_raises_where_he_gains():
    """Stakes by the past, from 1 to 500. By coups he has -0.2, by what he stakes far more."""
    rng = random.Random(7)
    misses = 0
    for _ in range(150):
        running, lost = Running(-1.0, 1.0), 0
        edges = staked = 0.0
        for coup in range(120):
            high = rng.random() < 0.25
            stake, mean = (100, 0.4) if high else (1, -0.4)
            stake *= 1 + min(lost, 4)
            won = rng.random() < (1 + mean) / 2
            lost = 0 if won else lost + 1
            running.take(1.0 if won else -1.0, stake)
            edges, staked = edges + stake * mean, staked + stake
            if coup % STEP:
                continue
            low, high_end = running.interval()
            if not low <= edges / staked <= high_end:
                misses += 1
                break
    # at 95 % a binomial of 150 stays at 17 or fewer with a probability of 99.9 %
    assert misses <= 17


@pytest.mark.parametrize("unit", [100, 10**8])
def test_the_unit_of_money_matters_little(unit):
    rng = random.Random(8)
    small, large = Running(-0.25, 0.25), Running(-0.25, 0.25)
    for _ in range(300):
        number, stake = rng.choice((-0.08, 0.17)), rng.choice((1, 2, 5))
        small.take(number, stake)
        large.take(number, stake * unit)
    assert large.mean == pytest.approx(small.mean)
    widths = [high - low for low, high in (small.interval(), large.interval())]
    # the grid of l is by halves: how the largest stake falls on it moves the width by a tenth
    assert widths[1] == pytest.approx(widths[0], rel=0.15)


@pytest.mark.parametrize("mean", [Fraction(3, 10), Fraction(1, 2)])
def test_the_wagers_by_coup_have_mean_1_against_the_true_mean(mean):
    """Four coups of 0 or 1, in every order: what is won against the mean has mean exactly 1."""
    for wager, _ in WAGERS:
        total = Fraction(0)
        for coups in product((0, 1), repeat=4):
            chance = prod(mean if came else 1 - mean for came in coups)
            total += chance * prod(1 + Fraction(wager) * (came / mean - 1) for came in coups)
        assert total == 1
    assert sum(share for _, share in WAGERS) == pytest.approx(1)


@slow
def test_the_interval_by_coup_misses_the_mean_no_more_often_than_it_may():
    """200 patrons at a mean of 0.3, looked at after every tenth of 60 coups."""
    rng = random.Random("by-coup")
    missed = 0
    for _ in range(200):
        edge = ByCoup(0.0, 1.0)
        out = False
        for coup in range(1, 61):
            edge.take(float(rng.random() < 0.3))
            if coup % 10:
                continue
            low, high = edge.interval()
            assert low <= edge.mean <= high
            out = out or not low <= 0.3 <= high
        missed += out
    assert missed <= 18
    assert low > 0
    assert high < 1
