"""Times as records write them, and the table clock: microseconds since 1970 (UTC)."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from domain.errors import BadInput
from domain.facts import MAX_INT

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_RFC_3339: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?:\.([0-9]{1,9}))?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


@lru_cache(maxsize=1024)
def parse_time(text: str) -> int:
    """Read a date and time with its offset; digits after the microsecond are dropped.

    >>> parse_time("1970-01-01T01:00:00.5+01:00")
    500000

    Raises:
        BadInput: it is no such time, has no offset, or is before 1970 or after 2254.
    """
    parts = _RFC_3339.fullmatch(text)
    if parts is None:
        raise BadInput(
            f"{text[:40]!r} is no time with its offset; write it as 2026-01-01T20:00:00Z "
            "or 2026-01-01T21:00:00+01:00"
        )
    day, clock, fraction, offset = parts.groups()
    micro = ((fraction or "0") + "00000")[:6]
    try:
        moment = datetime.fromisoformat(
            f"{day}T{clock}.{micro}{'+00:00' if offset in 'Zz' else offset}"
        )
        return table_clock(moment)
    except (ValueError, OverflowError):
        raise BadInput(f"{text[:40]!r} is no time that there was; check day and hour") from None


def table_clock(moment: datetime) -> int:
    """Return a moment that has its offset as microseconds since 1970.

    Raises:
        BadInput: it is before 1970, or later than the log's numbers reach (2^53-1).
    """
    micros = (moment - _EPOCH) // _MICROSECOND
    if not 0 <= micros <= MAX_INT:
        raise BadInput(f"the year {moment.year} is out of range; times run from 1970 to 2254")
    return micros


def show_time(micros: int) -> str:
    """Return the table clock as text that `parse_time` reads back.

    >>> show_time(500000)
    '1970-01-01T00:00:00.500000Z'
    """
    moment = _EPOCH + timedelta(microseconds=micros)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond:06d}Z"
