"""The settings of a casino: its name, time zone, gaming day and shifts.

They are in a TOML file, whose path is in the environment variable ``SABOT_CONFIG``:

    casino = "Casino de Ville"
    zone = "Europe/Paris"
    gaming_day_starts = "06:00"

    [shifts]
    day = "06:00-14:00"
    swing = "14:00-22:00"
    night = "22:00-06:00"

Every key may be left out. Without the file a gaming day is a calendar day, and has no shifts.
"""

import os
from datetime import time, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Struct

from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.values.periods import GamingDays, Shift, parse_clock, parse_shift
from sabot.domain.values.toml_text import parse_toml, wrong_value
from sabot.infrastructure.files.text_input import read_text

ENVIRONMENT: Final = "SABOT_CONFIG"
_MOST_BYTES: Final = 100_000


class CasinoSettings(Struct, frozen=True):
    """The settings of a casino. ``zone`` is the name of its time zone; None if it is not set."""

    casino: str | None = None
    zone: str | None = None
    starts: time = time()
    shifts: tuple[Shift, ...] = ()

    def days(self, zone: tzinfo) -> GamingDays:
        """Return the gaming days and shifts in a time zone."""
        return GamingDays(zone, self.starts, self.shifts)


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of the file."""

    casino: str | None = None
    zone: str | None = None
    gaming_day_starts: str = "00:00"
    shifts: dict[str, str] = {}


def casino_settings() -> CasinoSettings:
    """Return the settings in the file that ``SABOT_CONFIG`` names, or the defaults.

    Raises:
        NotFound: there is no such file.
        BadInput: it is not TOML, or has an unknown key or a wrong value.
    """
    name = os.environ.get(ENVIRONMENT)
    try:
        return read_settings(name) if name else CasinoSettings()
    except NotFound:
        raise NotFound(
            f"there is no file {name!r}, which {ENVIRONMENT} names; correct or unset {ENVIRONMENT}"
        ) from None


def read_settings(name: str) -> CasinoSettings:
    """Read the settings of a casino from a file.

    Raises:
        NotFound: there is no such file.
        BadInput: it is not TOML, or has an unknown key or a wrong value.
    """
    try:
        file = msgspec.convert(parse_toml(read_text(name, _MOST_BYTES), "the file"), _File)
        shifts = tuple(parse_shift(shift, hours) for shift, hours in file.shifts.items())
        days = GamingDays(
            zone_named(file.zone or "UTC"), parse_clock(file.gaming_day_starts), shifts
        )
    except msgspec.ValidationError as error:
        keys = ", ".join(field.name for field in msgspec.structs.fields(_File))
        said = ": ".join(filter(None, wrong_value(str(error))))
        raise BadInput(f"{said}; the keys are {keys}", name) from None
    except BadInput as error:
        raise error if error.where else error.at(name) from None
    return CasinoSettings(file.casino, file.zone, days.starts, days.shifts)


def zone_named(name: str) -> tzinfo:
    """Return a time zone by its name.

    Raises:
        BadInput: there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadInput(
            f"zone {name[:40]!r} is unknown; write for example UTC or Europe/Paris"
        ) from error
