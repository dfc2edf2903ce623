"""The interval for an edge: it covers, whenever one looks, and it closes in."""

import os
import random

from domain.protection.edge import Edge, Running, first_card_worth, start_edge

STEP = 1 if os.environ.get("SABOT_TEST_FULL") == "1" else 4
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


def test_it_covers_at_every_moment_at_once():
    rng = random.Random(4)
    misses = sum(
        ever_misses(rng, lambda r: r.choice((-1.0, 1.0, 1.0, 0.0)), 0.25, 120) for _ in range(250)
    )
    # at 95 % a binomial of 250 stays at 24 or fewer with a probability of 99.9 %
    assert misses <= 24


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


def test_first_cards_are_worth_less_than_a_quarter():
    for decks in (2, 4, 6, 8):
        for pair in first_card_worth(decks):
            assert max(map(abs, pair)) < 0.25
    assert isinstance(start_edge(), Edge)
