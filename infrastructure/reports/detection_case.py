"""The detection case: evidence that a patron bet as if hidden cards were known."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import log10
from typing import Final

from sabot.domain.protection.reporting.case_file import Case, by_first_card, by_outcome
from sabot.domain.protection.reporting.coverage import TESTS
from sabot.domain.protection.reporting.detection_report import Report as Detected
from sabot.domain.protection.reporting.finding import BASIS, Finding
from sabot.infrastructure.reports.model import (
    Column,
    Curve,
    Figures,
    Moment,
    Money,
    Report,
    Row,
    Section,
    Table,
    Value,
)

KIND: Final = "detection-case"
TITLE: Final = "Detection case"

_FINDINGS: Final = (
    Column("test", "test"),
    Column("rests", "error rate from"),
    Column("subject", "subject"),
    Column("shoe", "shoe"),
    Column("evidence", "evidence, powers of ten", "number"),
    Column("explanation", "explanation", weight=4),
)
_MONEY: Final = (
    Column("patron", "patron"),
    Column("all_bets", "all bets", "count"),
    Column("all_staked", "total staked", "money"),
    Column("result", "result", "money"),
    Column("bets", "bets compared", "count"),
    Column("staked", "staked on bets compared", "money"),
    Column("won", "won on bets compared", "money"),
    Column("expected", "expected win of an honest patron", "money"),
    Column("z", "standard deviations", "number"),
    Column("edge", "edge by first cards", "rate"),
    Column("worth", "worth on all Player and Banker bets", "money"),
    Column("least", "worth at least", "money"),
    Column("most", "worth at most", "money"),
)
_NOTED: Final = (
    Column("at", "time", "time"),
    Column("shoe", "shoe"),
    Column("coup", "coup", "count"),
    Column("who", "who"),
    Column("what", "what", weight=3),
    Column("before", "before the alarm"),
    Column("event", "event", "count"),
)
_TESTS: Final = (
    Column("test", "test"),
    Column("rests", "error rate from"),
    Column("times", "times made", "count"),
    Column("unit", "unit"),
    Column("lacked", "not made, and why", weight=3),
)


def detection_case(found: Detected, shown: Sequence[Finding], cases: Sequence[Case]) -> Report:
    """Return the report on findings of game protection, with the case of each patron.

    Args:
        found: the result of the detection.
        shown: the findings to show.
        cases: the cases to show.
    """
    sections: list[Section] = [
        Figures("summary", "Summary", tuple(_summary(found, shown))),
        Table("findings", "Findings", _FINDINGS, tuple(map(_finding, shown)), empty="No finding."),
    ]
    for case in cases:
        sections += _case(case)
    sections.append(
        Table("tests", "Every test, and whether it was made", _TESTS, tuple(_tests(found)))
    )
    return Report(
        KIND,
        TITLE,
        tuple(sections),
        notes=(
            (
                "Evidence is not the odds that somebody cheated. An honest patron, whatever the "
                "bets and however often one looks, ever reaches evidence of E to 1 with a "
                "probability of at most 1/E (Ville's inequality). This assumes a uniform shuffle "
                "and a record in which bets come before cards. docs/protection.md has the claims "
                "and the assumptions."
            ),
        ),
    )


def _summary(found: Detected, shown: Sequence[Finding]) -> Iterable[tuple[str, Value]]:
    yield "findings", len(shown)
    yield "level alpha", f"{found.alpha:g}"
    yield "subjects tested", found.subjects
    yield "coups", found.coups
    yield "shoes", found.shoes


def _finding(finding: Finding) -> Row:
    subject = ", ".join(f"{kind} {name}" for kind, name in finding.subject.items())
    return (
        finding.test,
        finding.rests,
        subject,
        finding.shoe,
        finding.log10_e,
        finding.explanation,
    )


def _case(case: Case) -> Iterable[Section]:
    kind, name = case.key[0], case.key[1]
    title = f"{kind} {name}"
    if case.steps:
        alarm = None if case.alarm is None else case.steps.index(case.alarm) + 1
        yield Curve(
            f"evidence-{name}",
            f"Evidence about {title}, coup by coup",
            tuple(step.log10_e for step in case.steps),
            -log10(case.alpha),
            "1/alpha",
            alarm,
            "Powers of ten. The first alarm is the first coup at which the line reached 1/alpha.",
        )
    yield _cards(case, title)
    yield Table(
        f"money-{name}",
        f"Money of {title}",
        _MONEY,
        tuple(_money(case)),
        empty="Nothing was staked on Player or Banker.",
        notes=(
            *_compared(case),
            "The expectation and the standard deviations come from a model without an error rate.",
        ),
    )
    yield _noted(case, title)


def _noted(case: Case, title: str) -> Table:
    return Table(
        f"noted-{case.key[1]}",
        f"Requests and cuts before the bets of {title}",
        _NOTED,
        tuple(
            (
                Moment(each.at_us),
                each.shoe,
                each.coup,
                each.who,
                each.what,
                "yes" if each.before_alarm else None,
                each.event,
            )
            for each in case.noted
        ),
        empty="The record has no request, and no cut with a name.",
    )


def _cards(case: Case, title: str) -> Table:
    columns = (
        Column("side", "bet on"),
        *(Column(f"card_{value}", str(value), "count") for value in range(10)),
        Column("all", "all", "count"),
        *(Column(name, f"{name} won", "count") for name in ("Player", "Banker")),
        Column("tie", "tie", "count"),
    )
    came = by_outcome(case.steps)
    rows: tuple[Row, ...] = tuple(
        (side, *counts, sum(counts), *came[side].values())
        for side, counts in by_first_card(case.steps).items()
    )
    return Table(
        f"cards-{case.key[1]}",
        f"Bets of {title} against the first card that followed",
        columns,
        rows,
        notes=("If the card was not known, the side does not depend on its value.",),
    )


def _money(case: Case) -> Iterable[Row]:
    for money in case.money:
        unit = (money.currency, money.minor_units)
        worth: list[Value] = [
            None if amount is None else Money(amount, *unit)
            for amount in (money.worth, money.worth_least, money.worth_most)
        ]
        edge = None
        if money.worth is not None and money.on_sides:
            edge = Fraction(money.worth, money.on_sides)
        yield (
            money.patron,
            money.all_bets,
            Money(money.all_staked, *unit),
            Money(money.result, *unit),
            money.bets,
            Money(money.staked, *unit),
            Money(money.won, *unit),
            Money(money.expected, *unit),
            money.z,
            edge,
            *worth,
        )


def _compared(case: Case) -> Iterable[str]:
    """Yield, for each patron, how many bets on Player or Banker were compared, and why."""
    for money in case.money:
        in_all = money.bets + sum(money.left_out.values())
        left_out = "".join(f"; {many:,} left out: {why}" for why, many in money.left_out.items())
        yield (
            f'"All bets" and "result" of {money.patron} include all wagers, as settled. The '
            f"expectation is for {money.bets:,} of {in_all:,} bets on Player or Banker{left_out}."
        )


def _tests(found: Detected) -> Iterable[Row]:
    for test, unit in TESTS.items():
        made = found.coverage.get(test)
        if made is None:
            continue
        why = sorted(made.lacked.items(), key=lambda pair: (-pair[1], pair[0]))
        lacked = "; ".join(f"{reason} ({many:,})" for reason, many in why)
        yield test, BASIS[test], made.times, unit, lacked or None
