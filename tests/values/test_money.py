"""Rounding, compared with amounts worked out by hand and with fractions."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.values.money import share_of
from tests.support.for_each import for_each


@for_each(
    ("amount", "rate", "rounding", "unit", "got"),
    [
        (2500, "1/20", "nearest", 1, 125),
        (1250, "1/20", "nearest", 1, 63),  # 62.5 goes up
        (1249, "1/20", "nearest", 1, 62),  # 62.45
        (1250, "1/20", "down", 1, 62),
        (1250, "1/20", "up", 1, 63),
        (1241, "1/20", "up", 1, 63),  # 62.05
        (1240, "1/20", "up", 1, 62),
        (150, "1/2", "down", 100, 0),
        (150, "1/2", "nearest", 100, 100),  # 75 of a unit of 100
        (149, "1/3", "nearest", 100, 0),  # 49.67 is less than a half
        (150, "1/3", "nearest", 100, 100),  # 50 is a half
        (150, "1/2", "up", 100, 100),
        (1234, "1/1", "nearest", 50, 1250),
        (333, "54/100", "down", 1, 179),  # 179.82
        (0, "1/20", "up", 1, 0),
        (1, "1/1000", "up", 1, 1),
        (1, "1/1000", "nearest", 1, 0),
        (10**18 + 1, "1/2", "down", 1, 5 * 10**17),
    ],
)
def test_a_share(amount, rate, rounding, unit, got):
    numerator, denominator = map(int, rate.split("/"))
    assert share_of(amount, numerator, denominator, rounding, unit) == got


@given(
    st.integers(0, 10**15),
    st.integers(0, 10**6),
    st.integers(1, 10**6),
    st.sampled_from(["down", "up", "nearest"]),
    st.integers(1, 10**4),
)
def test_no_rounding_strays_by_a_unit(amount, numerator, denominator, rounding, unit):
    exact = Fraction(amount * numerator, denominator)
    got = share_of(amount, numerator, denominator, rounding, unit)
    assert got % unit == 0
    assert abs(got - exact) < unit
    if rounding == "down":
        assert got <= exact
    elif rounding == "up":
        assert got >= exact
    else:
        assert abs(got - exact) * 2 <= unit
