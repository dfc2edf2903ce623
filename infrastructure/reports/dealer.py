"""The dealer report: pace, mistakes, payments and win of each dealer, by patron too."""

from collections import Counter
from fractions import Fraction
from typing import Final

from msgspec import Struct, field

from sabot.infrastructure.reports.expectation import Exposure
from sabot.infrastructure.reports.model import Column, Report, Row, Table, Unknown, Value
from sabot.infrastructure.reports.payment_variance import settlements
from sabot.infrastructure.reports.records import Currency, Played, Records, coups_played, money_in

KIND: Final = "dealer"
TITLE: Final = "Dealers"

_COLUMNS: Final = (
    Column("dealer", "dealer"),
    Column("tables", "tables"),
    Column("coups", "coups", "count"),
    Column("hours", "hours", "number"),
    Column("pace", "coups per hour", "number"),
    Column("findings", "findings", "count"),
    Column("rate", "findings per coup", "rate"),
    Column("over", "overpaid", "money"),
    Column("under", "underpaid", "money"),
    Column("won", "won on bets", "money"),
    Column("expected", "theoretical win", "money"),
    Column("residual", "residual", "money"),
    Column("z", "z", "number"),
)
_TOGETHER: Final = (
    Column("dealer", "dealer"),
    Column("patron", "patron"),
    Column("coups", "coups together", "count"),
    Column("of_dealer", "share of the dealer's coups", "rate"),
    Column("of_patron", "share of the patron's coups", "rate"),
    Column("handle", "handle", "money"),
    Column("won", "patron won", "money"),
    Column("expected", "expected win of the patron", "money"),
    Column("z", "z of the patron", "number"),
)
_HOUR_US: Final = 3_600_000_000
_NOBODY: Final = "the record names no dealer"


class Work(Struct):
    """A dealer's coups in one currency, in minor units.

    ``us`` is the time spent dealing, in microseconds. A stint is a run of coups of one shoe; its
    time goes from its first event to its last.
    """

    tables: dict[str, None] = field(default_factory=dict)
    coups: int = 0
    us: int = 0
    over: int = 0
    under: int = 0
    exposure: Exposure = field(default_factory=Exposure)


def dealer_report(records: Records) -> Report:
    """Return the figures of each dealer in a period, and of each dealer with each patron."""
    work, together = _work(records), _together(records)
    found = Counter(finding.dealer or "" for finding in records.own_findings())
    rows = tuple(
        _row(dealer, currency, each, found[dealer])
        for (dealer, currency), each in sorted(work.items())
    )
    dealers = Table(
        "dealers",
        "Dealers",
        _COLUMNS,
        rows,
        empty="No coup was dealt in this period.",
        notes=(
            (
                "Hours are those from the first to the last event of each run of coups of one "
                "shoe. Findings are those of the period while the dealer was on duty, without "
                "notes, in all currencies. The residual is the win on bets less the theoretical "
                "win, for coups with an expectation."
            ),
        ),
    )
    patrons = Table(
        "patrons",
        "Dealers and patrons",
        _TOGETHER,
        together,
        empty="No bet was placed in this period.",
        notes=(
            (
                "z measures the patron's win: standard deviations above its mean. By chance "
                "alone, one pair in forty lies above 2."
            ),
        ),
    )
    return Report(KIND, TITLE, (dealers, patrons))


def _work(records: Records) -> dict[tuple[str, Currency], Work]:
    work: dict[tuple[str, Currency], Work] = {}
    before: Played | None = None
    for played in coups_played(records):
        each = work.setdefault((played.dealer or "", played.currency), Work())
        each.tables[played.shoe.table or ""] = None
        each.coups += 1
        each.us += played.last_us - _since(before, played)
        each.exposure.add(played.shoe, played.coup)
        before = played
    for bet in settlements(records):
        each = work[bet.played.dealer or "", bet.played.currency]
        each.over += max(0, bet.difference)
        each.under -= min(0, bet.difference)
    return work


def _since(before: Played | None, played: Played) -> int:
    """Return the time from which a coup counts: the end of the last coup of the same stint."""
    if before is None or before.shoe is not played.shoe or before.dealer != played.dealer:
        return played.first_us
    return min(before.last_us, played.last_us)


def _row(dealer: str, currency: Currency, each: Work, findings: int) -> Row:
    hours, exposure = each.us / _HOUR_US, each.exposure
    figures: tuple[Value, ...] = (None, None, None, None)
    if exposure.handle:
        figures = (
            money_in(currency, exposure.won),
            money_in(currency, exposure.expected),
            money_in(currency, exposure.won - exposure.expected),
            exposure.z,
        )
    return (
        dealer or Unknown(_NOBODY),
        ", ".join(each.tables),
        each.coups,
        hours,
        each.coups / hours if hours else None,
        findings,
        Fraction(findings, each.coups),
        money_in(currency, each.over),
        money_in(currency, each.under),
        *figures,
    )


def _together(records: Records) -> tuple[Row, ...]:
    dealt: Counter[tuple[str, Currency]] = Counter()
    played_by: Counter[tuple[str, Currency]] = Counter()
    both: dict[tuple[str, str, Currency], Exposure] = {}
    coups: Counter[tuple[str, str, Currency]] = Counter()
    for played in coups_played(records):
        dealer, currency = played.dealer or "", played.currency
        dealt[dealer, currency] += 1
        for patron in sorted(patrons_in(played)):
            played_by[patron, currency] += 1
            key = (dealer, patron, currency)
            coups[key] += 1
            both.setdefault(key, Exposure()).add(played.shoe, played.coup, patron=patron)
    rows: list[Row] = []
    for (dealer, patron, currency), exposure in sorted(both.items(), key=lambda each: each[0]):
        many, z = coups[dealer, patron, currency], exposure.z
        rows.append(
            (
                dealer or Unknown(_NOBODY),
                patron,
                many,
                Fraction(many, dealt[dealer, currency]),
                Fraction(many, played_by[patron, currency]),
                money_in(currency, exposure.handle),
                money_in(currency, -exposure.won),
                money_in(currency, -exposure.expected),
                None if z is None else -z,
            )
        )
    return tuple(rows)


def patrons_in(played: Played) -> set[str]:
    """Return the patrons with a bet in a coup that was not withdrawn."""
    return {bet.patron for bet in played.coup.bets.values() if not bet.withdrawn}
