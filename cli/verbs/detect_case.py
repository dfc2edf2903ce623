"""A case as text: the evidence over time, bets against cards, money and requests."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from sabot.cli.settings import show_time
from sabot.cli.text.pages import Line, page_width, write_page
from sabot.domain.protection.reporting.case_file import by_first_card, by_outcome
from sabot.domain.rules.labels import percent_label
from sabot.infrastructure.exports.case_page import money_row, named, summary

if TYPE_CHECKING:
    from sabot.domain.protection.reporting.case_file import Case, Noted, Step


WIDTH: Final = 72
"""The most columns of the chart."""
HEIGHT: Final = 14
_AFTER_STAR: Final = 6
"""The column at which a request or a cut continues."""
_SCALE: Final = 10
"""The columns of the scale beside the chart."""


def write_case(case: "Case", stream: TextIO) -> None:
    """Write a case as lines of text."""
    write_page(_lines(case, page_width(stream)), stream)


def _lines(case: "Case", width: int) -> Iterator[Line]:
    """Yield the lines of a case, with a chart that fits a width."""
    yield named(case)
    yield summary(case, show_time), 0
    for finding in case.findings:
        yield ""
        yield f"{finding.test} ({finding.rests}): {finding.explanation}", 0
    if case.steps:
        yield ""
        yield "The evidence, coup by coup (powers of ten)"
        yield from _chart(case.steps, case.alpha, width)
        yield ""
        yield "The bets against the cards: coups by the value of the first card"
        yield from _cards(case.steps)
        yield ""
        yield from _outcomes(case.steps)
    for money in case.money:
        row = money_row(money)
        yield ""
        yield f"The money of {row['patron']}, all wagers: {row['all_bets']} bets,"
        yield f"  {row['all_staked']} staked, won {row['result']}"
        yield f"  compared over {row['bets']} of {row['on_a_side']} bets on Player or Banker:"
        if row["left_out"]:
            yield f"  ({row['left_out']})"
        yield f"  {row['staked']} staked, won {row['won']}"
        result, amount = "lose" if money.expected < 0 else "win", row["expected"].removeprefix("-")
        yield f"  an honest patron was expected to {result} {amount}"
        yield f"  ({_apart(money.z)}; a normal model, only for comparison)"
        if row["edge"]:
            yield f"  edge by first cards: {row['edge']} of each unit staked"
            yield f"  (95 % interval, valid at any time: {row['interval']}),"
            yield f"  worth {row['worth']} on all of {row['on_sides']} on Player or Banker"
            yield f"  (95 % interval: {row['range']})"
    yield ""
    yield "Requests, and cuts of the shoe (* = before the first alarm)"
    yield from _noted(case.noted)


def _apart(z: float) -> str:
    """Return text on the result's distance from the expectation."""
    return f"the result is {abs(z):.2f} standard deviations {'below' if z < 0 else 'above'} that"


def _chart(steps: Sequence["Step"], alpha: float, width: int) -> Iterator[str]:
    """Draw the evidence in characters, with the threshold as a dashed line.

    Each column covers one or several coups.
    """
    needed = -math.log10(alpha)
    threshold, last = " 1/alpha", f" coup {len(steps)}"
    columns = min(WIDTH, len(steps), max(1, width - _SCALE - max(len(threshold), len(last))))
    ends = [steps[len(steps) * (n + 1) // columns - 1].log10_e for n in range(columns)]
    most, least = max(0.0, needed, *ends), min(0.0, *ends)
    span = most - least

    def row_of(value: float) -> int:
        return round((most - value) / span * (HEIGHT - 1))

    level = row_of(needed)
    for row in range(HEIGHT):
        power = most - span * row / (HEIGHT - 1)
        cells = "".join("●" if row_of(end) == row else "┄" if row == level else " " for end in ends)
        mark = threshold if row == level else ""
        yield f"{power:8.1f} ┤{cells}{mark}"
    yield f"{'':9}└{'─' * columns}{last}"


def _cards(steps: Sequence["Step"]) -> Iterator[str]:
    found = by_first_card(steps)
    yield "  bet on   " + "".join(f"{value:6}" for value in range(10)) + "   all"
    for side, counts in found.items():
        yield f"  {side:9}" + "".join(f"{many:6}" for many in counts) + f"{sum(counts):6}"
    shares = [
        percent_label(player / (player + banker), "5.0%") if player + banker else f"{'':6}"
        for player, banker in zip(*found.values(), strict=True)
    ]
    yield "  on Player" + "".join(shares)


def _outcomes(steps: Sequence["Step"]) -> Iterator[str]:
    yield "  bet on    Player won  Banker won         tie"
    for side, counts in by_outcome(steps).items():
        yield f"  {side:9}" + "".join(f"{many:12}" for many in counts.values())


def _noted(noted: Sequence["Noted"]) -> Iterator[Line]:
    if not noted:
        yield "  the record has no request, and no cut with a name"
    for one in noted:
        coup = "" if one.coup is None else f" coup {one.coup}"
        star = "*" if one.before_alarm else " "
        at = show_time(one.at_us)
        yield f"  {star} {at} {one.shoe}{coup}: {one.who} {one.what} (#{one.event})", _AFTER_STAR
