"""Local times of other people's records, and the zones that they were written in."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from domain.errors import BadInput
from infrastructure.feeds.times import table_clock

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
    """Read a time in a format of ``strptime``; return it as microseconds since 1970.

    Raises:
        BadInput: it is not in that format, has no offset and no zone is given, or its clock
            showed it twice or never (a change to or from summer time).
    """
    if not text.isascii():
        raise BadInput(f"{text[:40]!r} is no time in the format {form!r}")
    try:
        moment = datetime.strptime(text, form)  # noqa: DTZ007 - the zone follows
    except (ValueError, re.error, IndexError, KeyError):
        raise BadInput(f"{text[:40]!r} is no time in the format {form!r}") from None
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
