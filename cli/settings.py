"""Settings shared by all reading verbs: hidden columns and the time zone."""

from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Annotated, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from sabot.domain.events.points_in_time import PointInTime, Time, format_time, parse_moment
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.casino_settings import casino_settings

WIDE: Final = ContextVar("WIDE", default=False)
"""Whether a table shows all its columns, even beyond the terminal's width."""

ZONE: Final[ContextVar[tzinfo]] = ContextVar("ZONE", default=UTC)
"""The time zone of displayed times, and of times typed without a zone."""

FORCE: Final = ContextVar("FORCE", default=False)
"""Whether an output may replace an existing file."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def show_time(us: object) -> str:
    """Return a time in the chosen zone, to the second, in ISO 8601 with the zone.

    Args:
        us: microseconds since 1970 (UTC); anything else gives an empty text.

    >>> show_time(1_500_000)
    '1970-01-01T00:00:01Z'
    """
    if not isinstance(us, int):
        return ""
    second = us - us % 1_000_000
    local = local_time(second)
    return format_time(second) if local is None or ZONE.get() is UTC else local.isoformat()


def show_moment(text: object) -> str:
    """Return a time that is stored as ISO 8601 text, as `show_time` does."""
    moment = parse_moment(text) if isinstance(text, str) and text else None
    return show_time(moment.us) if isinstance(moment, Time) else ""


def show_point(moment: PointInTime) -> str:
    """Return an event as ``#123``, or a time as `show_time` does."""
    return show_time(moment.us) if isinstance(moment, Time) else str(moment)


def zone_option() -> str:
    """Return the option ``--zone`` of this run for a suggested command, empty for UTC."""
    zone = ZONE.get()
    return f" --zone {zone}" if zone is not UTC else ""


def local_time(us: int) -> datetime | None:
    """Return a time in the chosen zone. Return None if it is after the year 9999."""
    try:
        return (_EPOCH + timedelta(microseconds=us)).astimezone(ZONE.get())
    except OverflowError:
        return None


def _set_wide(wanted: bool) -> None:
    WIDE.set(wanted)


def _set_force(wanted: bool) -> None:
    FORCE.set(wanted)


def _set_zone(name: str | None) -> None:
    if name is None:
        name = casino_settings().zone or "UTC"
    try:
        ZONE.set(UTC if name.upper() in ("UTC", "Z") else ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadInput(
            f"the time zone {name[:40]!r} of --zone or SABOT_TIMEZONE is unknown; write for "
            "example UTC or Europe/Paris"
        ) from error


ZoneOption = Annotated[
    str | None,
    typer.Option(
        "--zone",
        metavar="ZONE",
        envvar="SABOT_TIMEZONE",
        callback=_set_zone,
        expose_value=False,
        help="Time zone of times in tables, pages and options, for example Europe/Paris. Times "
        "in tsv, csv, json, jsonl and sarif are in UTC.",
        show_default="UTC, or that of SABOT_CONFIG",
    ),
]
"""The option that sets ``ZONE``."""


def shared_options(
    _wide: Annotated[
        bool,
        typer.Option(
            "--wide", callback=_set_wide, expose_value=False, help="Show all columns of a table."
        ),
    ] = False,
    _zone: ZoneOption = None,
) -> None:
    """Declare the options that every verb with --format is given."""


def file_options(
    _force: Annotated[
        bool,
        typer.Option(
            "--force", callback=_set_force, expose_value=False, help="Replace an existing file."
        ),
    ] = False,
) -> None:
    """Declare the options that every verb that writes a file is given."""
