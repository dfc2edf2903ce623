"""Parse numbers and times in other programs' records exactly.

Numbers are never converted through binary fractions. Times become the table clock, in microseconds
since 1970 (UTC); local times need a zone.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sabot.domain.events import MAX_INT
from sabot.domain.values.errors import BadInput
from sabot.domain.values.money import Rounding, share_of

_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?"
)
_MAX_DIGITS: Final = 400


def whole(value: object, scale: int = 0, rounding: Rounding | None = None) -> int:
    """Return a number times ten to the ``scale``.

    It is exact, or rounded if requested. ``value`` is an integer, a `Decimal`, or the text of a
    number with a decimal point.

    >>> whole("907.0", 2), whole("732.4499999999999", 2, "nearest"), whole("-0.0", 2) (90700, 73245,
    0)

    Raises:
        BadInput: the value is not a number, is not whole after scaling, or is beyond 2^53-1.
    """
    negative, digits, exponent = _parts(value)
    places = exponent + scale
    if places >= 0:
        amount = digits * _power(places)
    elif digits % _power(-places) == 0:
        amount = digits // _power(-places)
    elif rounding is None:
        raise BadInput(
            f"{_shown(value)} is not a whole number{_scaled(scale)}; "
            'set in the mapping how to round it (round = "nearest", "down" or "up")'
        )
    else:
        amount = share_of(digits, 1, _power(-places), rounding)
    if amount > MAX_INT:
        raise BadInput(f"{_shown(value)} is too large; the largest is 2^53-1")
    return -amount if negative else amount


def _power(places: int) -> int:
    return int(10**places)


def _parts(value: object) -> tuple[bool, int, int]:
    """Return sign, digits and power of ten of a number.

    Raises:
        BadInput: the number is too large or too long.
    """
    match value:
        case bool():
            raise BadInput(f"{_shown(value)} is not a number")
        case int():
            return value < 0, abs(value), 0
        case str():
            if not _NUMBER.fullmatch(value):
                raise BadInput(f"{_shown(value)} is not a number")
            value = Decimal(value)
        case Decimal():
            pass
        case _:
            raise BadInput(f"{_shown(value)} is not a number")
    sign, figures, exponent = value.as_tuple()
    if not isinstance(exponent, int) or abs(exponent) > _MAX_DIGITS or len(figures) > _MAX_DIGITS:
        raise BadInput(f"{_shown(value)} is out of range; the largest is 2^53-1")
    return bool(sign), int("".join(map(str, figures))), exponent


def _shown(value: object) -> str:
    return repr(str(value)[:40]) if isinstance(value, str) else str(value)[:40]


def _scaled(scale: int) -> str:
    return f" of minor units (scale {scale})" if scale else ""


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_RFC_3339: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?:\.([0-9]{1,9}))?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


@lru_cache(maxsize=1024)
def parse_time(text: str) -> int:
    """Parse a date and time with its offset.

    Digits after the microsecond are dropped.

    >>> parse_time("1970-01-01T01:00:00.5+01:00") 500000

    Raises:
        BadInput: the text is not a date and time, has no offset, or is before 1970 or after 2254.
    """
    parts = _RFC_3339.fullmatch(text)
    if parts is None:
        raise BadInput(
            f"{text[:40]!r} is not a time with its offset; write it as 2026-01-01T20:00:00Z "
            "or 2026-01-01T21:00:00+01:00"
        )
    day, clock, fraction, offset = parts.groups()
    micro = ((fraction or "0") + "00000")[:6]
    wrong = BadInput(f"{text[:40]!r} is not a valid time; check day and hour")
    if clock.startswith("24"):  # midnight in ISO 8601 and since Python 3.14, and not in RFC 3339
        raise wrong
    try:
        moment = datetime.fromisoformat(
            f"{day}T{clock}.{micro}{'+00:00' if offset in 'Zz' else offset}"
        )
        return table_clock(moment)
    except (ValueError, OverflowError):
        raise wrong from None


def table_clock(moment: datetime) -> int:
    """Return an aware time as microseconds since 1970.

    Raises:
        BadInput: the time is before 1970, or beyond the log's largest number (2^53-1).
    """
    micros = (moment - _EPOCH) // _MICROSECOND
    if not 0 <= micros <= MAX_INT:
        raise BadInput(f"the year {moment.year} is out of range; times run from 1970 to 2254")
    return micros


def show_time(micros: int) -> str:
    """Format the table clock as text that `parse_time` reads back.

    >>> show_time(500000)
    '1970-01-01T00:00:00.500000Z'
    """
    moment = _EPOCH + timedelta(microseconds=micros)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond:06d}Z"


_OFFSET: Final = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")


@cache
def zone_named(name: str) -> tzinfo:
    """Return a zone: ``Z``, an offset (``+02:00``) or a name (``Europe/Madrid``).

    Raises:
        BadInput: there is no such zone.
    """
    if name in ("Z", "UTC"):
        return UTC
    if offset := _OFFSET.fullmatch(name):
        sign, hours, minutes = offset.groups()
        ahead = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-ahead if sign == "-" else ahead)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput(
            f"there is no zone {name!r}; write Z, an offset as +02:00, or a name as Europe/Madrid"
        ) from None


def parse_local(text: str, form: str, zone: str | None) -> int:
    """Parse a time in a format of ``strptime``.

    Return microseconds since 1970.

    Raises:
        BadInput: the text is not in that format, has neither offset nor zone, or is ambiguous or
            skipped in its zone (a change to or from summer time).
    """
    if not text.isascii():
        raise BadInput(f"{text[:40]!r} is not a time in the format {form!r}")
    try:
        moment = datetime.strptime(text, form)  # noqa: DTZ007 - the zone follows
    except (ValueError, re.error, IndexError, KeyError):
        raise BadInput(f"{text[:40]!r} is not a time in the format {form!r}") from None
    if moment.tzinfo is None:
        if zone is None:
            raise BadInput(
                f'{text[:40]!r} has no offset; give the mapping\'s key a zone, as zone = "+02:00"'
            )
        moment = _in_zone(moment, zone_named(zone), text)
    try:
        return table_clock(moment)
    except OverflowError:
        raise BadInput(f"{text[:40]!r} is out of range; times run from 1970 to 2254") from None


def _in_zone(moment: datetime, zone: tzinfo, text: str) -> datetime:
    early = moment.replace(tzinfo=zone, fold=0)
    if early.utcoffset() != moment.replace(tzinfo=zone, fold=1).utcoffset():
        raise BadInput(
            f"the clock showed {text[:40]!r} twice or never; give times with their offset"
        )
    return early
