"""Periods that a casino reports on: gaming days, shifts, and any span of time.

A gaming day begins at a set local time and ends when the next one begins. So it lasts 23 or 25
hours when the clocks change. A shift is a part of a gaming day between two local times, and may run
over midnight. If a local time occurs twice, the first occurrence counts. If the clocks skip a local
time, the moment of the skip counts. So every moment is in exactly one gaming day.

A period includes its beginning and excludes its end: an event at 06:00 belongs to the day that
begins then. Times are microseconds since 1970 (UTC).
"""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from msgspec import Struct

from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.values.suggestions import did_you_mean

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_ONE_DAY: Final = timedelta(days=1)
_CLOCK: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


class Period(Struct, frozen=True):
    """A span of time, from ``from_us`` up to but not including ``to_us``; None sets no bound."""

    from_us: int | None = None
    to_us: int | None = None

    def holds(self, us: int) -> bool:
        """Return whether a moment is in the period."""
        return (self.from_us is None or self.from_us <= us) and (
            self.to_us is None or us < self.to_us
        )

    def common(self, other: "Period") -> "Period":
        """Return the overlap of two periods; it may be empty."""
        begins = [us for us in (self.from_us, other.from_us) if us is not None]
        ends = [us for us in (self.to_us, other.to_us) if us is not None]
        return Period(max(begins, default=None), min(ends, default=None))

    @property
    def is_empty(self) -> bool:
        """Whether no moment is in the period."""
        return self.from_us is not None and self.to_us is not None and self.from_us >= self.to_us

    @property
    def is_bounded(self) -> bool:
        """Whether the period has a beginning or an end."""
        return self.from_us is not None or self.to_us is not None


class Shift(Struct, frozen=True):
    """A shift by its local times. It runs over midnight if it ends at or before its start."""

    name: str
    start: time
    end: time


class GamingDays(Struct, frozen=True):
    """A casino's gaming days and shifts.

    ``starts`` is the local time at which a gaming day begins, in the time zone ``zone``. The shifts
    of a day are in order, do not overlap, and need not cover the whole day.

    Raises:
        BadInput: a shift runs past the start of the gaming day, two overlap or have one name.
    """

    zone: tzinfo = UTC
    starts: time = time()
    shifts: tuple[Shift, ...] = ()

    def __post_init__(self) -> None:
        """Check the shifts."""
        names: set[str] = set()
        last: Shift | None = None
        for shift in self.shifts:
            if shift.name in names:
                raise BadInput(f"shift {shift.name!r} is given twice; name each shift once")
            names.add(shift.name)
            ends = self._offset(shift.end) or _ONE_DAY
            if self._offset(shift.start) >= ends:
                raise BadInput(
                    f"shift {shift.name!r} runs past the start of the gaming day, "
                    f"{self.starts:%H:%M}; end it there, or start the gaming day at another time"
                )
            if last is not None and self._offset(shift.start) < (
                self._offset(last.end) or _ONE_DAY
            ):
                raise BadInput(
                    f"shift {shift.name!r} begins before shift {last.name!r} ends; list the shifts "
                    "in their order from the start of the gaming day, without overlap"
                )
            last = shift

    def day(self, day: date) -> Period:
        """Return the gaming day that begins on a date.

        Raises:
            BadInput: the date is at the end of the calendar.
        """
        try:
            return Period(self._at(day, self.starts), self._at(day + _ONE_DAY, self.starts))
        except OverflowError:
            raise BadInput(f"gaming day {day} is out of range; give another date") from None

    def shift(self, day: date, name: str) -> Period:
        """Return a shift of the gaming day that begins on a date.

        Raises:
            NotFound: the casino has no such shift.
            BadInput: the date is at the end of the calendar.
        """
        for shift in self.shifts:
            if shift.name == name:
                return self._of_shift(day, shift)
        names = [shift.name for shift in self.shifts]
        known = f"the shifts are {', '.join(names)}" if names else "no shift is configured"
        raise NotFound(f"no shift {name!r}; {did_you_mean(name, names, known)}")

    def day_of(self, us: int) -> date:
        """Return the gaming day that a moment belongs to, by the date on which it begins.

        Raises:
            BadInput: the moment is after the year 9999.
        """
        try:
            local = self._local(us)
            guess = local.date() if local.time() >= self.starts else local.date() - _ONE_DAY
            # near a change of the clocks the local time may have passed the start and gone back
            for day in (guess, guess - _ONE_DAY, guess + _ONE_DAY):
                if self.day(day).holds(us):
                    return day
        except OverflowError:
            pass
        raise BadInput(f"the time {us} µs is in no gaming day; give another time")

    def shift_of(self, us: int) -> Shift | None:
        """Return the shift that contains a moment, or None."""
        day = self.day_of(us)
        return next((each for each in self.shifts if self._of_shift(day, each).holds(us)), None)

    def _of_shift(self, day: date, shift: Shift) -> Period:
        from_day = day if shift.start >= self.starts else day + _ONE_DAY
        to_day = day if shift.end > self.starts else day + _ONE_DAY
        try:
            return Period(self._at(from_day, shift.start), self._at(to_day, shift.end))
        except OverflowError:
            raise BadInput(f"gaming day {day} is out of range; give another date") from None

    def _offset(self, clock: time) -> timedelta:
        """Return how long after the start of a gaming day a local time comes.

        Changes of the clocks are ignored.
        """
        minutes = (clock.hour - self.starts.hour) * 60 + clock.minute - self.starts.minute
        return timedelta(minutes=minutes % (24 * 60))

    def _local(self, us: int) -> datetime:
        return (_EPOCH + us * _MICROSECOND).astimezone(self.zone).replace(tzinfo=None)

    def _at(self, day: date, clock: time) -> int:
        """Return the moment of a local time on a date.

        If the local time occurs twice, it is the first occurrence. If the clocks skip it, it is the
        moment of the skip.
        """
        wall = datetime.combine(day, clock)
        after, before = (
            (wall.replace(tzinfo=self.zone, fold=fold) - _EPOCH) // _MICROSECOND for fold in (0, 1)
        )
        if self._local(after) == wall:
            return after
        # skipped: the offsets on both sides of the change give a moment on each side of it
        while after - before > 1:
            middle = (before + after) // 2
            before, after = (middle, after) if self._local(middle) < wall else (before, middle)
        return after


def parse_day(text: str) -> date:
    """Parse the date of a gaming day, such as ``2026-11-22``.

    Raises:
        BadInput: the text is not a date.
    """
    written = text.strip()
    try:
        if _DAY.fullmatch(written):
            return date.fromisoformat(written)
    except ValueError:
        pass
    raise BadInput(f"{text[:40]!r} is not a date; write for example 2026-11-22")


def parse_clock(text: str) -> time:
    """Parse a local time of day, such as ``06:00``.

    Raises:
        BadInput: the text is not a time of day.
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"{text[:40]!r} is not a time of day; write for example 06:00")
    return time(int(found[1]), int(found[2]))


def parse_shift(name: str, text: str) -> Shift:
    """Parse the local times of a shift, such as ``22:00-06:00``.

    Raises:
        BadInput: the text is not two times of day.
    """
    start, dash, end = text.partition("-")
    if not dash:
        raise BadInput(f"shift {name[:40]!r} is {text[:40]!r}; write for example 22:00-06:00")
    return Shift(name, parse_clock(start), parse_clock(end))
