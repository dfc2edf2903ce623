"""Money is an integer of minor units; a fraction of it is rounded once, by a stated rule."""

from typing import Literal

Rounding = Literal["nearest", "up", "down"]
"""``nearest`` takes a half up; ``up`` and ``down`` speak of the amount's size."""


def share_of(
    amount: int, numerator: int, denominator: int, rounding: Rounding, unit: int = 1
) -> int:
    """Return ``amount * numerator / denominator``, rounded to whole units of minor units.

    All arguments are non-negative, ``denominator`` and ``unit`` positive.

    >>> share(1250, 1, 20, "nearest"), share(1250, 1, 20, "down")
    (63, 62)
    >>> share(1234, 1, 1, "nearest", unit=50)
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
    """Write an amount of minor units with its decimal point and its thousands apart.

    >>> spelled(123456789), spelled(-5), spelled(1500, 0)
    ('1,234,567.89', '-0.05', '1,500')
    """
    whole, rest = divmod(abs(minor), 10**minor_units)
    sign = "-" if minor < 0 else ""
    fraction = f".{rest:0{minor_units}d}" if minor_units else ""
    return f"{sign}{whole:,}{fraction}"
