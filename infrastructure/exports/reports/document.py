"""A report with its identification: what it covers, the log behind it, and its author."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.events.points_in_time import format_time
from sabot.domain.values.money import format_amount
from sabot.domain.values.periods import Period
from sabot.infrastructure.audits.audit_run import Provenance
from sabot.infrastructure.reports.model import Linked, Moment, Money, Named, Report, Unknown, Value

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SHORT: Final = 16
"""Digits of a hash in the foot of a page; the first page has all of them."""
_NAMED: Final = 120
"""Characters for the rule packs in the foot of a page; the first page has all of them."""

Paper = Literal["a4", "letter"]


class Pack(Struct, frozen=True, order=True):
    """A rule pack that the shoes of a report were dealt by."""

    name: str
    version: str
    sha256: str


class Document(Struct, frozen=True):
    """A report, and the texts that are printed on each of its pages.

    ``covers`` names the tables, shoes and dealers that were asked for, in words; empty for all.
    ``span`` names the gaming day or shift, if the period is one. ``until_event`` is the event up to
    which the log was read, if one was named. ``read`` has the times of the first and the last event
    in the period; None if it has no event. ``by`` is the author. ``appendices`` is whether they are
    part of the output.
    """

    report: Report
    period: Period
    zone: tzinfo
    zone_name: str
    provenance: Provenance
    packs: tuple[Pack, ...] = ()
    casino: str | None = None
    covers: str = ""
    span: str = ""
    until_event: int | None = None
    read: tuple[int, int] | None = None
    by: str | None = None
    appendices: bool = False

    def time(self, us: int, *, offset: bool = False) -> str:
        """Return a time in the zone of the report, to the second.

        The offset from UTC is added where the local time occurs twice, and if it is asked for.
        """
        try:
            local = (_EPOCH + timedelta(seconds=us // 1_000_000)).astimezone(self.zone)
        except OverflowError:
            return format_time(us)
        text = local.strftime("%Y-%m-%d %H:%M:%S")
        twice = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
        return f"{text} {offset_text(local)}" if twice or offset else text

    @property
    def period_text(self) -> str:
        """The period in words, with the offsets of its times from UTC."""
        since, until = self.period.from_us, self.period.to_us
        if since is None and until is None:
            text = "the whole log"
        elif since is None:
            text = f"before {self.time(until or 0, offset=True)}"
        elif until is None:
            text = f"from {self.time(since, offset=True)}"
        else:
            text = f"{self.time(since, offset=True)} to {self.time(until, offset=True)}"
        if self.until_event is not None:
            text += f", up to event {self.until_event}"
        return f"{self.span}: {text}" if self.span else text

    @property
    def read_text(self) -> str:
        """The times of the first and the last event in the period, with their offsets from UTC."""
        if self.read is None:
            return "no event"
        first, last = (self.time(us, offset=True) for us in self.read)
        return f"first event {first}, last {last}"

    def basis(self) -> Iterator[tuple[str, str]]:
        """Yield the identification of the report: names with values."""
        of = self.provenance
        yield "Casino", self.casino or "not named (--casino)"
        yield "Period", f"{self.period_text}; times in {self.zone_name}"
        yield "Events", self.read_text
        yield "Covers", self.covers or "all tables"
        yield "Author", self.by or "not named (--by)"
        yield "Log", f"{of.origin}, events 1 to {of.last_index}"
        yield "Checkpoint", of.signature
        for pack in self.packs:
            yield "Rule pack", f"{pack.name} version {pack.version}, SHA-256 {pack.sha256}"
        if not self.packs:
            yield "Rule packs", "none in this report"
        yield "Program", f"{of.program}, source {of.source_sha256}"
        yield "Rulebook", of.rulebook_sha256

    def head(self) -> str:
        """Return the line at the top of each page: the report with its shift, day or period."""
        return f"{self.report.title} · {self.span or self.period_text}"

    def foot(self) -> tuple[str, ...]:
        """Return the lines at the foot of each page."""
        of = self.provenance
        packs = [f"{one.name} version {one.version} ({one.sha256[:_SHORT]})" for one in self.packs]
        return (
            (
                f"{self.casino or 'casino not named'} · {self.covers or 'all tables'} · "
                f"{self.period_text}, {self.zone_name} · "
                f"{'by ' + self.by if self.by else 'author not named'}"
            ),
            f"{self.read_text} · {of.program}",
            f"log {of.origin}, events 1 to {of.last_index}; {of.signature}",
            f"rule packs: {_as_fits(packs) or 'none'}",
        )

    def text(self, value: Value) -> str:
        """Return a cell as text, which is empty for an empty cell."""
        return self.time(value.us) if isinstance(value, Moment) else text_of(value)


def _as_fits(names: Sequence[str]) -> str:
    """Return as many names as a foot has room for, with the number of the others."""
    shown = list(names)
    while len(shown) > 1 and len(", ".join(shown)) > _NAMED:
        shown.pop()
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more (page 1)" if more else "")


def offset_text(local: datetime) -> str:
    """Return the offset of a local time from UTC: ``+01:00``.

    >>> offset_text(datetime(2026, 3, 14, tzinfo=UTC))
    '+00:00'
    """
    return local.isoformat()[-len("+00:00") :]


def text_of(value: Value) -> str:
    """Return a cell that has no time as text."""
    text = ""
    match value:
        case Unknown():
            text = "unknown"
        case Money():
            text = f"{amount_text(value)} {value.currency}".rstrip()
        case Fraction():
            text = f"{float(value) * 100:.2f} %"
        case float():
            text = f"{value:,.2f}"
        case int():
            text = f"{value:,}"
        case Linked():
            text = value.text
        case Named():
            text = value.label
        case str():
            text = value
        case _:
            pass
    return text


_MORE_DECIMALS: Final = 2


def amount_text(money: Money) -> str:
    """Return an amount without its currency."""
    return format_amount(*scaled(money))


def scaled(money: Money) -> tuple[int, int]:
    """Return an amount as an integer, with the number of its decimals.

    A fraction of a minor unit has up to two more decimals if they show it exactly; otherwise it is
    rounded to the minor unit.
    """
    if isinstance(money.minor, int):
        return money.minor, money.minor_units
    for more in range(_MORE_DECIMALS + 1):
        whole = money.minor * 10**more
        if whole.denominator == 1:
            return int(whole), money.minor_units + more
    return round(money.minor), money.minor_units
