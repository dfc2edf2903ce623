"""Money as an integer of minor units. A fraction is rounded once, by a stated rule."""

from typing import Literal

Rounding = Literal["nearest", "up", "down"]
"""``nearest`` rounds a half up; ``up`` and ``down`` refer to the absolute amount."""


def share_of(
    amount: int, numerator: int, denominator: int, rounding: Rounding, unit: int = 1
) -> int:
    """Return ``amount * numerator / denominator``, rounded to multiples of ``unit``.

    All arguments are non-negative integers, ``denominator`` and ``unit`` positive; ``amount`` and
    ``unit`` are in minor units.

    >>> share_of(1250, 1, 20, "nearest"), share_of(1250, 1, 20, "down")
    (63, 62)
    >>> share_of(1234, 1, 1, "nearest", unit=50)
    1250
    """
    exact, per = amount * numerator, denominator * unit
    match rounding:
        case "down":
            whole = exact // per
        case "up":
            whole = -(-exact // per)
        case "nearest":
            whole = (2 * exact + per) // (2 * per)
    return whole * unit


def format_amount(minor: int, minor_units: int = 2) -> str:
    """Format an amount of minor units with decimal point and thousands separators.

    >>> format_amount(123456789), format_amount(-5), format_amount(1500, 0)
    ('1,234,567.89', '-0.05', '1,500')
    """
    whole, rest = divmod(abs(minor), 10**minor_units)
    sign = "-" if minor < 0 else ""
    fraction = f".{rest:0{minor_units}d}" if minor_units else ""
    return f"{sign}{whole:,}{fraction}"
