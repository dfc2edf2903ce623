"""The published value of knowing a card, computed."""

from fractions import Fraction
from math import comb

import pytest

from sabot.domain.protection.e_process.mixture import CLASSES
from sabot.domain.protection.e_process.next_card_chances import outcome_kernel
from sabot.domain.protection.money.information_value import (
    class_edge,
    expectations,
    flat_bets_for,
    four_card_edge,
    value_edge,
)
from tests.support.thorough import slow

FRESH = (128, *[32] * 9)


def percent(edge):
    return round(float(edge) * 100, 4)


def test_the_one_card_edges():
    assert percent(class_edge(FRESH, (6, 7, 8, 9))) == 6.7647  # Borgata: 6.765 %
    assert percent(class_edge(FRESH, (7, 8, 9))) == 6.4782  # Crockfords: about 6.5 %


def test_six_to_nine_is_the_optimal_split():
    assert class_edge(FRESH, (6, 7, 8, 9)) == value_edge(FRESH)


def test_knowing_nothing_is_worth_what_the_banker_costs():
    player, banker = expectations(outcome_kernel().ways(FRESH))
    assert percent(-player) == 1.2351
    assert percent(-banker) == 1.0579
    assert class_edge(FRESH, ()) == banker


@slow
def test_four_cards_by_class_are_worth_nearly_three_times_as_much():
    ratio = four_card_edge(FRESH, (6, 7, 8, 9)) / class_edge(FRESH, (6, 7, 8, 9))
    assert Fraction(5, 2) < ratio < 3


def test_the_money_test_needs_about_1270_flat_bets():
    assert float(flat_bets_for(FRESH, (6, 7, 8, 9))) == pytest.approx(1270, rel=0.01)


def test_the_borgata_figures():
    won, hours = 2_416_000 + 1_597_400 + 4_787_700 + 824_900, 16 + 56 + 17 + 18
    assert won == 9_626_000
    action = won / float(class_edge(FRESH, (6, 7, 8, 9)))
    assert action == pytest.approx(142e6, rel=0.005)
    assert action / hours == pytest.approx(1.3e6, rel=0.03)


def test_streaks_by_chance():
    player, banker, tie = outcome_kernel().ways(FRESH)
    decided, every = player + banker, player + banker + tie
    assert round(player / decided, 3) == 0.493
    assert round(banker / decided, 3) == 0.507
    assert 6e-10 < (player / decided) ** 30 < (banker / decided) ** 30 < 1.5e-9
    ties = tie / every
    assert comb(6, 5) * ties**5 * (1 - ties) + ties**6 == pytest.approx(4e-5, rel=0.1)


def test_prior_weights_follow_the_square_of_what_a_class_gains():
    nothing = class_edge(FRESH, ())
    gains = [(class_edge(FRESH, range(least, 10)) - nothing) ** 2 for least in range(1, 10)]
    for weight, gain in zip(CLASSES, gains, strict=True):
        assert abs(weight - float(100 * gain / sum(gains))) < 1
    assert sum(CLASSES) == 100
