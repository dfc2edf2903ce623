"""The exact linear programme, proved optimal by weak duality."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.odds.optimal_play.linear_programme import minimise
from tests.support.thorough import slow, tries


@st.composite
def programmes(draw):
    """Small whole numbers: ties, zeros and degenerate corners come often."""
    size, height = draw(st.integers(0, 9)), draw(st.integers(0, 5))
    number = st.integers(*draw(st.sampled_from([(-2, 2), (-9, 9), (-(10**15), 10**15)])))
    row = st.lists(number, min_size=size, max_size=size)
    rows = draw(st.lists(row, min_size=height, max_size=height))
    return draw(row), rows, draw(st.lists(number, min_size=height, max_size=height))


@slow
@tries(150, 600)
@given(programmes())
def test_the_optimum_is_reached_and_nothing_is_below_it(programme):
    cost, rows, base = programme
    found = minimise(cost, rows, base)
    assert all(0 <= x <= 1 for x in found.x)
    levels = [b + dot(row, found.x) for b, row in zip(base, rows, strict=True)]
    assert found.cost == dot(cost, found.x) + sum(max(0, level) for level in levels)
    # whoever answers each row with its price makes every point cost at least as much
    assert all(0 <= price <= 1 for price in found.prices)
    slopes = [
        c + sum(price * row[j] for price, row in zip(found.prices, rows, strict=True))
        for j, c in enumerate(cost)
    ]
    assert found.cost == dot(base, found.prices) + sum(min(0, slope) for slope in slopes)


@pytest.mark.parametrize(
    ("cost", "rows", "base", "least", "x", "prices"),
    [
        # nothing pays
        ([1, 2], [[1, 1]], [0], 0, [0, 0], None),
        # no row: every variable by its own sign
        ([-3, 4], [], [], -3, [1, 0], []),
        # -3x + max(0, 4x - 1): to the corner of the row, x = 1/4
        ([-3], [[4]], [-1], Fraction(-3, 4), [Fraction(1, 4)], [Fraction(3, 4)]),
        # matching pennies: max(0, 2 - 4x) + 2x - 1 without its constant
        ([2], [[-4]], [2], 1, [Fraction(1, 2)], [Fraction(1, 2)]),
        # nothing to choose
        ([], [[], []], [5, -5], 5, [], [1, 0]),
    ],
)
def test_by_hand(cost, rows, base, least, x, *, prices):
    found = minimise(cost, rows, base)
    assert found.cost == least
    assert list(found.x) == x
    assert prices is None or list(found.prices) == prices


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))
