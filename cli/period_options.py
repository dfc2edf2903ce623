"""The options that limit an audit or a report: table, dealer, period, gaming day and shift."""

from contextvars import ContextVar
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import Struct
from msgspec.structs import replace

from sabot.cli.settings import ZONE, show_time
from sabot.domain.events.points_in_time import Index, Time, parse_moment
from sabot.domain.values.errors import BadInput
from sabot.domain.values.periods import Period, parse_day
from sabot.infrastructure.casino_settings import ENVIRONMENT, casino_settings

if TYPE_CHECKING:
    from collections.abc import Callable


class AskedPeriod(Struct, frozen=True):
    """A requested period, as the texts of the options."""

    since: str | None = None
    until: str | None = None
    gaming_day: str | None = None
    shift: str | None = None

    @property
    def until_index(self) -> int | None:
        """The event that ``--until`` names. None if it names a time or is not given."""
        return _index(self.until)

    def period(self) -> Period:
        """Return the period, in the time zone of ``--zone``.

        Raises:
            BadInput: an option has an invalid value, or the period is empty.
            NotFound: no such shift is configured.
        """
        until = None if self.until_index is not None else _time(self.until, "--until")
        period = Period(_time(self.since, "--since"), until).common(self._of_day())
        if period.is_empty:
            raise BadInput("the period ends before it begins; --since must be earlier than --until")
        return period

    def _of_day(self) -> Period:
        """Return the gaming day or the shift."""
        if self.gaming_day is None:
            if self.shift is not None:
                raise BadInput("--shift needs its day: --gaming-day 2026-03-14")
            return Period()
        day = parse_day(self.gaming_day)
        settings = casino_settings()
        days = settings.days(ZONE.get())
        if self.shift is None:
            return days.day(day)
        if not settings.shifts:
            raise BadInput(
                f"no shift is configured; define shifts under [shifts] in the file that "
                f"{ENVIRONMENT} names (docs/audit.md), or use --since and --until"
            )
        return days.shift(day, self.shift)

    def text(self) -> str:
        """Return the period in words, with its bounds in the time zone of ``--zone``."""
        period = self.period()
        names = [f"shift {self.shift}"] if self.shift else []
        names += [f"gaming day {self.gaming_day}"] if self.gaming_day else []
        bounds = [
            f"{word} {show_time(us)}"
            for word, us in (("from", period.from_us), ("before", period.to_us))
            if us is not None
        ]
        last = self.until_index
        bounds += [f"up to event #{last}"] if last is not None else []
        return ", ".join([*names, " and ".join(bounds)] if bounds else names)


def _index(text: str | None) -> int | None:
    moment = None if text is None else parse_moment(text, zone=ZONE.get())
    return moment.index if isinstance(moment, Index) else None


def _time(text: str | None, option: str) -> int | None:
    if text is None:
        return None
    moment = parse_moment(text, zone=ZONE.get())
    if not isinstance(moment, Time):
        raise BadInput(f"{option} takes a time, not the event {moment}; write 2026-03-14T20:00")
    return moment.us


class Asked(Struct, frozen=True):
    """The values of the options of this module."""

    tables: tuple[str, ...] = ()
    dealers: tuple[str, ...] = ()
    period: AskedPeriod = AskedPeriod()


_NOTHING: Final = Asked()
ASKED: Final = ContextVar("ASKED", default=_NOTHING)
"""What the options of one command line ask for."""


def _keep_period(key: str) -> "Callable[[str | None], None]":
    def keep(value: str | None) -> None:
        asked = ASKED.get()
        if value is not None:
            ASKED.set(replace(asked, period=replace(asked.period, **{key: value})))

    return keep


def _keep_names(key: str) -> "Callable[[list[str] | None], None]":
    def keep(value: list[str] | None) -> None:
        if value:
            ASKED.set(replace(ASKED.get(), **{key: tuple(dict.fromkeys(value))}))

    return keep


def _names(option: str, key: str, says: str) -> object:
    return typer.Option(
        option, metavar=option[2:].upper(), callback=_keep_names(key), expose_value=False, help=says
    )


def _period(option: str, key: str, metavar: str, says: str) -> object:
    return typer.Option(
        option, metavar=metavar, callback=_keep_period(key), expose_value=False, help=says
    )


def period_options(
    _tables: Annotated[
        list[str] | None, _names("--table", "tables", "Only this table (repeatable).")
    ] = None,
    _dealers: Annotated[
        list[str] | None,
        _names("--dealer", "dealers", "Only while this dealer was dealing (repeatable)."),
    ] = None,
    _gaming_day: Annotated[
        str | None,
        _period("--gaming-day", "gaming_day", "DATE", "Only the gaming day that begins then."),
    ] = None,
    _shift: Annotated[
        str | None, _period("--shift", "shift", "NAME", "Only this shift of the gaming day.")
    ] = None,
    _since: Annotated[
        str | None,
        _period(
            "--since",
            "since",
            "WHEN",
            "Only from this event (149 or #149) or time (21:15: its last occurrence) on.",
        ),
    ] = None,
    _until: Annotated[
        str | None,
        _period(
            "--until",
            "until",
            "WHEN",
            "Only before this time (21:15: its last occurrence); or the log as it was after this "
            "event (149 or #149).",
        ),
    ] = None,
) -> None:
    """Declare the options of a verb whose ``Verb`` is ``of_period``."""
