"""Statistical win: drop, win and hold of each table, and the win on its bets against expectation.

COMAR 36.05.03.25 asks for statistical drop, win and win-to-drop by table and type of game, for the
day, the month to date and the year to date, and for an investigation of values outside a 95 %
confidence interval. The interval is that of the previous year's win-to-drop, or in the first year
that of the previous month.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from sabot.domain.rules.labels import percent_label
from sabot.domain.rules.sources import COMAR_36_05_03_25
from sabot.domain.values.money import format_amount
from sabot.domain.values.periods import Period
from sabot.infrastructure.reports.expectation import Z_95, Exposure
from sabot.infrastructure.reports.model import (
    Bar,
    Chart,
    Cited,
    Column,
    Report,
    Row,
    Section,
    Table,
    Unknown,
    Value,
)
from sabot.infrastructure.reports.records import (
    Currency,
    Records,
    coups_of,
    currency_of,
    house_win,
    money_in,
    named_wager,
    staked,
)
from sabot.infrastructure.reports.table_sessions import sessions_in, sessions_table

KIND: Final = "statistical-win"
TITLE: Final = "Statistical win"

_HOLD: Final = (
    Column("span", "period"),
    Column("table", "table"),
    Column("games", "rule packs", weight=2),
    Column("sessions", "sessions", "count"),
    Column("drop", "drop", "money"),
    Column("win", "win", "money"),
    Column("hold", "hold", "rate"),
    Column("base", "base hold", "rate"),
    Column("low", "95 % from", "rate"),
    Column("high", "95 % to", "rate"),
    Column("investigate", "outside 95 %"),
)
_BETS: Final = (
    Column("span", "period"),
    Column("table", "table"),
    Column("coups", "coups", "count"),
    Column("handle", "handle", "money"),
    Column("won", "won on bets", "money"),
    Column("valued", "won at a known edge", "money"),
    Column("expected", "theoretical win", "money"),
    Column("deviation", "standard deviation", "money"),
    Column("z", "z", "number"),
    Column("outside", "outside 95 %"),
)
_WAGERS: Final = (
    Column("wager", "wager"),
    Column("bets", "bets", "count"),
    Column("handle", "handle", "money"),
    Column("won", "won", "money"),
    Column("expected", "theoretical win", "money"),
    Column("edge", "house edge", "rate"),
)
Key = tuple[str, Currency]
"""A table and a currency: amounts in two currencies are never added."""


class Span(Struct, frozen=True):
    """A part of the calendar to sum over, such as the month to date."""

    name: str
    period: Period


class Sum(Struct):
    """A table's figures in one currency, in minor units.

    ``uncounted`` names the sessions without a counted drop, ``unfinished`` those without a win.
    """

    packs: dict[str, None] = field(default_factory=dict)
    sessions: int = 0
    drop: int = 0
    win: int = 0
    uncounted: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    coups: int = 0
    handle: int = 0
    won: int = 0
    exposure: Exposure = field(default_factory=Exposure)

    @property
    def hold(self) -> Fraction | None:
        """Win divided by drop. It is None if one of them is unknown or the drop is zero."""
        if self.uncounted or self.unfinished or not self.sessions or not self.drop:
            return None
        return Fraction(self.win, self.drop)


def statistical_win(
    records: Records, spans: tuple[Span, ...] = (), base: Period | None = None
) -> Report:
    """Return the statistical win of each table.

    Args:
        records: the records, with the shoes of all spans and of the base period.
        spans: further parts of the calendar to sum over, such as the month to date.
        base: the previous year or month, with whose hold the hold is compared; or None.
    """
    all_spans = (Span("period", records.scope.period), *spans)
    sums = {span.name: sums_of(records, span.period) for span in all_spans}
    bases = sums_of(records, base) if base is not None else {}
    now = sums["period"]
    rows = [(span.name, key, each) for span in all_spans for key, each in _sorted(sums[span.name])]
    hold = tuple(_hold(*row, bases) for row in rows if row[2].sessions)
    wins, wagers = [*win_charts(now), *_hold_chart(now)], _wagers_table(records)
    sections: list[Section] = [_hold_table(hold), _bets_table(rows), *wins, wagers]
    source = Cited(COMAR_36_05_03_25.cite, COMAR_36_05_03_25.url)
    return Report(KIND, TITLE, tuple(sections), (sessions_table(records),), sources=(source,))


def _hold_table(rows: tuple[Row, ...]) -> Table:
    return Table(
        "hold",
        "Drop, win and hold",
        _HOLD,
        rows,
        empty="No session of a table opened in this period.",
        notes=(
            (
                "Win = closing inventory + credits + drop - opening inventory - fills. Hold = win "
                "/ drop. A session belongs to the period in which the table opened."
            ),
            (
                "The band is the base hold, and on either side of it 1.96 standard deviations of "
                "the win on the recorded bets, divided by the drop. The base is the hold of the "
                "previous year, or of the previous month if the log has no previous year."
            ),
        ),
    )


def _sorted(sums: Mapping[Key, Sum]) -> list[tuple[Key, Sum]]:
    return sorted(sums.items())


def bets_table(sums: Mapping[Key, Sum]) -> Table:
    """Return the actual and expected win on bets, by table and currency."""
    return _bets_table([("period", key, each) for key, each in _sorted(sums)])


def _bets_table(rows: list[tuple[str, Key, Sum]]) -> Table:
    return Table(
        "bets",
        "Win on bets against expectation",
        _BETS,
        tuple(_bets(*row) for row in rows if row[2].coups),
        empty="No coup was dealt in this period.",
        notes=(
            (
                "Theoretical win is each stake times the exact house edge of its wager in a full "
                "shoe. Its standard deviation is exact too, with the covariances of the bets of a "
                "coup. z = (win - theoretical win) / standard deviation, for independent coups. "
                "Wins include wrong payments. Void coups have no theoretical win. In games that "
                "patrons bank, the house wins the levy."
            ),
        ),
    )


def sums_of(records: Records, period: Period) -> dict[Key, Sum]:
    """Return each table's figures in a period, by currency."""
    sums: dict[Key, Sum] = {}
    for shoe in records.shoes:
        for played in coups_of(shoe, replace_period(records, period).scope):
            each = sums.setdefault((shoe.table or "", currency_of(shoe)), Sum())
            each.packs[shoe.pack.name if shoe.pack is not None else "unreadable"] = None
            each.coups += 1
            each.handle += staked(played.coup)
            each.won += house_win(played.coup)
            each.exposure.add(shoe, played.coup)
    for opened in sessions_in(records, period):
        session = opened.session
        each = sums.setdefault((opened.table, opened.currency), Sum())
        each.sessions += 1
        if session.drop is None:
            each.uncounted.append(str(session.number))
        if session.win is None:
            each.unfinished.append(str(session.number))
        each.drop += session.drop or 0
        each.win += session.win or 0
    return sums


def replace_period(records: Records, period: Period) -> Records:
    """Return a copy of the records with another period."""
    return replace(records, scope=replace(records.scope, period=period))


def _hold(span: str, key: Key, each: Sum, bases: Mapping[Key, Sum]) -> Row:
    table, currency = key
    drop: Value = money_in(currency, each.drop)
    win: Value = money_in(currency, each.win)
    if each.uncounted:
        drop = Unknown(f"the drop box of table {table} was not counted for every session")
    if each.unfinished:
        win = Unknown(f"table {table} lacks a count of the drop or of the tray")
    hold: Value = each.hold
    if hold is None:
        hold = Unknown("drop or win is unknown") if each.uncounted or each.unfinished else None
    base = bases[key].hold if key in bases else None
    row: tuple[Value, ...] = (span, table, ", ".join(each.packs), each.sessions, drop, win, hold)
    if base is None:
        why = f"the log has no hold of table {table} in the previous year or month"
        return (*row, Unknown(why), None, None, None)
    if each.hold is None or not each.exposure.handle:
        return (*row, base, None, None, None)
    reach = Fraction(Z_95 * each.exposure.deviation / each.drop).limit_denominator(10**6)
    low, high = base - reach, base + reach
    return (*row, base, low, high, "no" if low <= each.hold <= high else "yes")


def _bets(span: str, key: Key, each: Sum) -> Row:
    table, currency = key
    exposure = each.exposure
    row: tuple[Value, ...] = (
        span,
        table,
        each.coups,
        money_in(currency, each.handle),
        money_in(currency, each.won),
    )
    if not exposure.handle:
        why = Unknown("; ".join(sorted(exposure.reasons))) if exposure.reasons else None
        return (*row, None, why, None, None, None)
    z = exposure.z
    return (
        *row,
        money_in(currency, exposure.won),
        money_in(currency, exposure.expected),
        money_in(currency, round(exposure.deviation)),
        z,
        "yes" if exposure.outside else "no",
    )


def _wagers_table(records: Records) -> Table:
    """Return the win on each wager with an expectation."""
    found: dict[tuple[str, Currency], Exposure] = {}
    for shoe in records.shoes:
        for played in coups_of(shoe, records.scope):
            for wager in sorted({bet.wager for bet in played.coup.bets.values()}):
                key = (wager, currency_of(shoe))
                found.setdefault(key, Exposure()).add(shoe, played.coup, wager=wager)
    reasons = sorted({why for each in found.values() for why in each.reasons})
    return Table(
        "wagers",
        "By wager",
        _WAGERS,
        tuple(_wager(*each) for each in sorted(found.items()) if each[1].handle),
        empty="No bet with a known expectation was settled.",
        notes=tuple(f"Bets without a known expectation are left out: {why}" for why in reasons),
    )


def _wager(key: tuple[str, Currency], each: Exposure) -> Row:
    (wager, currency), expected = key, each.expected
    return (
        named_wager(wager),
        each.bets,
        money_in(currency, each.handle),
        money_in(currency, each.won),
        money_in(currency, expected),
        expected / each.handle,
    )


def win_charts(sums: Mapping[Key, Sum]) -> Iterator[Chart]:
    """Yield charts of the win on bets of each table with its expected band, by currency."""
    for currency in sorted({currency for _table, currency in sums}):
        name, decimals = currency
        bars = []
        for (table, of), each in sorted(sums.items()):
            exposure = each.exposure
            if of != currency or not exposure.handle:
                continue
            reach = Z_95 * exposure.deviation
            expected = float(exposure.expected)
            shown = f"{format_amount(exposure.won, decimals)} {name}"
            bars.append(Bar(table, exposure.won, shown, expected - reach, expected + reach))
        if bars:
            title = f"Win on bets against expectation, {name}"
            note = (
                "95 % of periods with these bets have a win in the band, if wins are normally "
                "distributed. Its middle is the theoretical win."
            )
            yield Chart(f"win-{name}", title, tuple(bars), note)


def _hold_chart(sums: Mapping[Key, Sum]) -> Iterator[Chart]:
    holds = [(key, each.hold) for key, each in sorted(sums.items())]
    bars = [
        Bar(f"{table} {currency[0]}", float(hold), percent_label(float(hold)))
        for (table, currency), hold in holds
        if hold is not None
    ]
    if bars:
        yield Chart("hold-by-table", "Hold by table", tuple(bars))
