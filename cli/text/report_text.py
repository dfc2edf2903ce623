"""A report as text in 80 columns."""

from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import Final

from rich.cells import cell_len

from sabot.cli.text.words import printable
from sabot.domain.values.cards import format_card
from sabot.domain.views.coup_view import FeltHand
from sabot.infrastructure.exports.reports.document import Document
from sabot.infrastructure.reports.model import (
    Bar,
    Chart,
    Column,
    Curve,
    Figures,
    Picture,
    Pictures,
    Section,
    Table,
)

WIDTH: Final = 80
_GAP: Final = "  "
_LEAST_TEXT: Final = 10
_RIGHT: Final = ("count", "number", "money", "rate")


def report_lines(document: Document) -> Iterator[str]:
    """Yield the lines of a report, at most 80 columns wide where names allow it."""
    report = document.report
    yield report.title.upper()
    yield ""
    for name, value in document.basis():
        yield from _named(name, printable(value))
    sections = (*report.sections, *(report.appendices if document.appendices else ()))
    for section in sections:
        yield ""
        yield section.title
        yield "-" * len(section.title)
        yield from _section(document, section)
    for title, lines in (("Notes", report.notes), ("Not known", report.unknown)):
        if lines:
            yield from ("", title, "-" * len(title))
            for line in lines:
                yield from wrap(printable(line), WIDTH, initial_indent="- ", subsequent_indent="  ")
    if report.sources:
        yield from ("", "Sources", "-------")
        for source in report.sources:
            yield from _named(source.for_rules + source.text, source.url or "no address")
    yield from ("", "Signatures", "----------")
    for role in ("Prepared by", "Reviewed by", "Approved by"):
        name = printable(document.by)[:24] if role == "Prepared by" and document.by else ""
        yield f"{role:12} {name:24} {'_' * 24}  date {'_' * 10}"


def _named(name: str, value: str) -> Iterator[str]:
    yield from wrap(
        f"{name + ':':13} {value}",
        WIDTH,
        subsequent_indent=" " * 14,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _section(document: Document, section: Section) -> Iterator[str]:
    match section:
        case Table():
            yield from _table(document, section)
        case Chart():
            yield from _chart(section)
        case Curve():
            yield from _curve(section)
        case Pictures():
            for picture in section.pictures:
                yield from _picture(picture)
        case Figures():
            for name, value in section.figures:
                text = printable(document.text(value)) or "-"
                yield from wrap(f"{name:28} {text}", WIDTH, subsequent_indent=" " * 29)


def _table(document: Document, table: Table) -> Iterator[str]:
    if table.rows:
        yield from _rows(document, table)
    else:
        yield table.empty
    for note in table.notes:
        yield ""
        yield from wrap(note, WIDTH)


def _rows(document: Document, table: Table) -> Iterator[str]:
    """Write the columns that have values.

    If the width is too small, a column with the same value in all rows is written above the table.
    """
    rows = [
        [printable(document.text(value)) for value in row] for row in (*table.rows, *table.totals)
    ]
    shown = [n for n in range(len(table.columns)) if any(row[n] for row in rows)]
    columns = [table.columns[n] for n in shown]
    cells = [[row[n] for n in shown] for row in rows]
    widths = _widths(columns, cells)
    same = [] if widths is not None else _constant(columns, cells[: len(table.rows)])
    if same:
        yield from wrap("; ".join(f"{columns[n].title}: {cells[0][n]}" for n in same), WIDTH)
        rest = [n for n in range(len(columns)) if n not in same]
        columns = [columns[n] for n in rest]
        cells = [[row[n] for n in rest] for row in cells]
        widths = _widths(columns, cells)
    if widths is None:
        yield from _stacked(columns, cells, len(table.rows))
    else:
        yield from _lines(columns, cells, widths, len(table.rows))


def _constant(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the places of text columns that have the same value in all of several rows."""
    if len(cells) < 2:  # noqa: PLR2004 - one row is shown whole
        return []
    return [
        n
        for n, column in enumerate(columns)
        if column.kind == "text" and len({row[n] for row in cells}) == 1
    ]


def _widths(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> list[int] | None:
    """Return the widths of columns that fit in 80 characters. None if they do not."""
    natural, least = [], []
    for n, column in enumerate(columns):
        texts = [row[n] for row in cells]
        head = max(map(cell_len, column.title.split()))
        widest = max(map(cell_len, texts))
        natural.append(max(head, widest))
        word = max((cell_len(word) for text in texts for word in text.split()), default=0)
        may_wrap = column.kind in {"text", "time"}
        least.append(max(head, min(widest, max(word, _LEAST_TEXT)) if may_wrap else widest))
    room = WIDTH - len(_GAP) * (len(columns) - 1)
    if sum(least) > room:
        return None
    widths = least.copy()
    while sum(widths) < room and widths != natural:
        lacking = max(range(len(widths)), key=lambda n: natural[n] - widths[n])
        widths[lacking] += 1
    return widths


def _lines(
    columns: Sequence[Column], cells: Sequence[Sequence[str]], widths: Sequence[int], many: int
) -> Iterator[str]:
    heads = [wrap(column.title, width) for column, width in zip(columns, widths, strict=True)]
    yield from _row(columns, heads, widths)
    yield _GAP.join("-" * width for width in widths)
    for place, row in enumerate(cells):
        if place == many:
            yield _GAP.join("-" * width for width in widths)
        parts = [wrap(text, width) or [""] for text, width in zip(row, widths, strict=True)]
        yield from _row(columns, parts, widths)


def _row(
    columns: Sequence[Column], parts: Sequence[Sequence[str]], widths: Sequence[int]
) -> Iterator[str]:
    for line in range(max(map(len, parts))):
        cells = []
        for column, part, width in zip(columns, parts, widths, strict=True):
            text = part[line] if line < len(part) else ""
            blank = " " * (width - cell_len(text))
            cells.append(blank + text if column.kind in _RIGHT else text + blank)
        yield _GAP.join(cells).rstrip()


def _stacked(columns: Sequence[Column], cells: Sequence[Sequence[str]], many: int) -> Iterator[str]:
    """Yield each row as an item with its values, for tables wider than 80 columns.

    ``many`` is the number of rows before the totals. A total is a line below the items. The heading
    of the column with its name is left out.
    """
    for place, row in enumerate(cells):
        parts = [
            f"{column.title}: {text}" for column, text in zip(columns, row, strict=True) if text
        ]
        if place >= many:
            parts[0] = next(filter(None, row))
        mark = "* " if place < many else ""
        yield from wrap("; ".join(parts), WIDTH, initial_indent=mark, subsequent_indent="  ",
                        break_on_hyphens=False)  # fmt: skip


_BAR: Final = 34


def _chart(chart: Chart) -> Iterator[str]:
    """Draw bars from a common zero: ``█`` the value, ``░`` the band, ``│`` zero."""
    values = [
        number
        for bar in chart.bars
        for number in (0.0, bar.value, bar.low, bar.high)
        if number is not None
    ]
    least, most = min(values), max(values)
    span = (most - least) or 1.0

    def place(value: float) -> int:
        return round((value - least) / span * (_BAR - 1))

    for bar in chart.bars:
        yield f"{printable(bar.label)[:18]:18} {_bar(bar, place)} {bar.shown:>24}"
    if chart.note:
        yield from wrap(chart.note, WIDTH)


def _bar(bar: Bar, place: Callable[[float], int]) -> str:
    cells = [" "] * _BAR
    if bar.low is not None and bar.high is not None:
        for n in range(place(bar.low), place(bar.high) + 1):
            cells[n] = "░"
    ends = sorted((place(0.0), place(bar.value)))
    for n in range(ends[0], ends[1] + 1):
        cells[n] = "█"
    cells[place(0.0)] = "│"
    return "".join(cells)


_CURVE: Final = (64, 12)
"""Columns and rows of a curve."""


def _curve(curve: Curve) -> Iterator[str]:
    """Draw a line in characters, with its level dashed. A column covers one or several coups."""
    columns, rows = min(_CURVE[0], len(curve.values)), _CURVE[1]
    many = len(curve.values)
    ends = [curve.values[many * (n + 1) // columns - 1] for n in range(columns)]
    most, least = max(0.0, curve.level, *ends), min(0.0, *ends)
    span = most - least or 1.0

    def row_of(value: float) -> int:
        return round((most - value) / span * (rows - 1))

    level = row_of(curve.level)
    for row in range(rows):
        cells = "".join("●" if row_of(end) == row else "┄" if row == level else " " for end in ends)
        name = f" {curve.level_name}" if row == level else ""
        yield f"{most - span * row / (rows - 1):6.1f} ┤{cells}{name}".rstrip()
    yield f"{'':7}└{'─' * columns}"
    alarm = f"; first alarm: coup {curve.alarm} of these" if curve.alarm is not None else ""
    yield from wrap(f"{many} coups{alarm}. {curve.note}", WIDTH)


def _picture(picture: Picture) -> Iterator[str]:
    coup = picture.coup
    yield from wrap(printable(picture.title), WIDTH)
    hands = [("Player", coup.player), ("Banker", coup.banker)]
    if coup.others:
        hands = [
            *((other.tableau or other.patron, other.hand) for other in coup.others), hands[1]
        ]  # fmt: skip
    yield from wrap("; ".join(f"{printable(name)} {_hand(hand)}" for name, hand in hands), WIDTH,
                    initial_indent="  ", subsequent_indent="  ")  # fmt: skip
    yield from wrap(printable(picture.caption), WIDTH, initial_indent="  ", subsequent_indent="  ")


def _hand(hand: FeltHand) -> str:
    cards = " ".join("▒▒" if card.card is None else format_card(card.card) for card in hand.cards)
    points = "" if hand.total is None else f" = {hand.total}"
    called = f" (called {hand.called})" if hand.called not in (None, hand.total) else ""
    return f"{cards or 'no cards'}{points}{called}"
