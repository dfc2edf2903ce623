"""Jumps of the replay to a coup, event or time."""

import re
from datetime import timedelta
from typing import Final

from sabot.cli.replay.playback import Playback
from sabot.cli.settings import ZONE, local_time
from sabot.domain.events.points_in_time import PointInTime, Time, parse_moment
from sabot.domain.values.errors import BadInput

GRAMMAR: Final = "a coup (12), an event (#345), a time (20:15), start or end"

_COUP: Final = re.compile(r"(?:c|coup)?\s*([0-9]{1,15})", re.ASCII | re.IGNORECASE)
_TIME_OF_DAY: Final = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?", re.ASCII)
_DAY_US: Final = 86_400_000_000


def go(reel: Playback, text: str) -> None:
    """Go to the place named by the text. A number alone is a coup.

    Raises:
        BadInput: the text names no place.
        NotFound: the shoe has no such place.
    """
    written = text.strip()
    coup = _COUP.fullmatch(written)
    if coup is not None:
        reel.to_coup(int(coup[1]))
    elif written.lower() in ("start", "end"):
        reel.seek(1 if written.lower() == "start" else len(reel))
    else:
        go_to_moment(reel, written)


def go_to_moment(reel: Playback, text: str) -> None:
    """Go to an event of the log or a time.

    A number alone is an event. A time of day refers to the days of the shoe.

    Raises:
        BadInput: the text names neither an event nor a time.
        NotFound: the event or time is before the shoe.
    """
    reel.to_moment(_time_of_day(reel, text.strip()) or _moment(text))


def _moment(text: str) -> PointInTime:
    try:
        return parse_moment(text, zone=ZONE.get())
    except BadInput as error:
        raise BadInput(
            f"{text[:40]!r} is neither an event nor a time; write an event as 123, a time of day "
            "as 21:15, or a time as 2026-01-01T20:00:00Z"
        ) from error


def _time_of_day(reel: Playback, text: str) -> Time | None:
    """Return a time of day on the shoe's first day in the chosen zone, or after midnight."""
    found = _TIME_OF_DAY.fullmatch(text)
    if found is None or not reel.clocks:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    first = min(reel.clocks)
    time_of_day = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    local = local_time(first)
    ahead = (local.utcoffset() if local is not None else None) or timedelta()
    midnight = first - (first + ahead // timedelta(microseconds=1)) % _DAY_US
    # the end of that second, so that its events are included
    us = midnight + time_of_day // timedelta(microseconds=1) + 999_999
    past_midnight = us < first and us + _DAY_US <= max(reel.clocks)
    return Time(us + _DAY_US if past_midnight else us)
