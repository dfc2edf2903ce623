"""Side bets against their true expectation, by value and by rank and suit."""

import pytest

from domain.protection.sidebets import Spread


def test_a_spread_is_the_same_in_pieces_and_at_once():
    numbers = [0.1, -0.4, 0.25, 0.3, -0.1]
    whole, one, rest = Spread(), Spread(), Spread()
    for place, number in enumerate(numbers):
        whole.take(number)
        (one if place < 2 else rest).take(number)
    one.add(rest)
    assert one.mean == pytest.approx(sum(numbers) / 5)
    assert (one.coups, one.mean, one.error) == pytest.approx((whole.coups, whole.mean, whole.error))
