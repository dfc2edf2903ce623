"""Numbers of other people's records, exactly: never through a binary fraction."""

import re
from decimal import Decimal
from typing import Final

from domain.errors import BadInput
from domain.facts import MAX_INT
from domain.money import Rounding, share

_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?"
)
_MAX_DIGITS: Final = 400


def whole(value: object, scale: int = 0, rounding: Rounding | None = None) -> int:
    """Return a number times ten to the ``scale``, exactly, or rounded where that is said.

    ``value`` is an integer, a `Decimal`, or the text of a number with a point.

    >>> whole("907.0", 2), whole("732.4499999999999", 2, "nearest"), whole("-0.0", 2)
    (90700, 73245, 0)

    Raises:
        BadInput: it is no number, is no whole number then, or is beyond 2^53-1.
    """
    negative, digits, exponent = _parts(value)
    places = exponent + scale
    if places >= 0:
        amount = digits * _power(places)
    elif digits % _power(-places) == 0:
        amount = digits // _power(-places)
    elif rounding is None:
        raise BadInput(
            f"{_shown(value)} is no whole number{_scaled(scale)}; "
            'say in the mapping how to round it (round = "nearest", "down" or "up")'
        )
    else:
        amount = share(digits, 1, _power(-places), rounding)
    if amount > MAX_INT:
        raise BadInput(f"{_shown(value)} is too large; the largest is 2^53-1")
    return -amount if negative else amount


def _power(places: int) -> int:
    return int(10**places)


def _parts(value: object) -> tuple[bool, int, int]:
    """Sign, digits and power of ten of a number that is not absurdly large."""
    match value:
        case bool():
            raise BadInput(f"{_shown(value)} is no number")
        case int():
            return value < 0, abs(value), 0
        case str():
            if not _NUMBER.fullmatch(value):
                raise BadInput(f"{_shown(value)} is no number")
            value = Decimal(value)
        case Decimal():
            pass
        case _:
            raise BadInput(f"{_shown(value)} is no number")
    sign, figures, exponent = value.as_tuple()
    if not isinstance(exponent, int) or abs(exponent) > _MAX_DIGITS or len(figures) > _MAX_DIGITS:
        raise BadInput(f"{_shown(value)} is out of range; the largest is 2^53-1")
    return bool(sign), int("".join(map(str, figures))), exponent


def _shown(value: object) -> str:
    return repr(str(value)[:40]) if isinstance(value, str) else str(value)[:40]


def _scaled(scale: int) -> str:
    return f" of minor units (scale {scale})" if scale else ""
