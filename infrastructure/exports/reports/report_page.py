"""A report as one self-contained HTML page, for reading and for printing.

The page has no script, font, image or external address. Text from a record is always escaped. In
print each page names the scope of the report and its log, in the margin boxes of CSS.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

import markupsafe
from msgspec import Struct

from sabot.infrastructure.exports.html_page import Show, environment, hash_source
from sabot.infrastructure.exports.reports.document import Document, Paper
from sabot.infrastructure.exports.reports.drawing import chart_drawing, coup_drawing, curve_drawing
from sabot.infrastructure.exports.reports.drawing_svg import svg
from sabot.infrastructure.reports.model import (
    Chart,
    Column,
    Curve,
    Figures,
    Linked,
    Pictures,
    Section,
    Table,
    Unknown,
)

ROLES: Final = ("Prepared by", "Reviewed by", "Approved by")
"""The lines to sign at the end of a report."""
_CHART_WIDTH: Final = 520
_COUP_WIDTH: Final = 180
_COLUMNS: Final = 11
"""The most columns of a table on an upright page."""
_SHORT: Final = 18
"""The most characters of a cell that stays on one line: a shoe with its coup."""
_LINE: Final = 150
"""The characters of a line of a table in print."""
_SAFE_IN_CSS: Final = re.compile(r"[^A-Za-z0-9 ]")


class _Cell(Struct, frozen=True):
    """A cell of a table; ``short`` if it stays on one line."""

    text: str
    kind: str
    url: str | None = None
    weight: int = 1
    short: bool = False


class _Part(Struct, frozen=True):
    """A section of a report, in the form that the HTML template needs."""

    key: str
    title: str
    type: str
    heads: list[_Cell] = []
    rows: list[list[_Cell]] = []
    totals: list[list[_Cell]] = []
    empty: str = ""
    notes: tuple[str, ...] = ()
    drawings: list[tuple[markupsafe.Markup, str, str]] = []
    figures: list[tuple[str, str]] = []


def report_page(document: Document, show: Show, paper: Paper = "a4") -> str:
    """Return a report as an HTML page.

    The same report gives the same text.

    Args:
        document: the report.
        show: makes text of a record safe to display (control and bidirectional characters).
        paper: the size of the printed pages.
    """
    folder = files("sabot.infrastructure") / "exports" / "templates"
    report = document.report
    appendices = report.appendices if document.appendices else ()
    parts = [_part(document, section, show) for section in (*report.sections, *appendices)]
    is_wide = any(len(part.heads) > _COLUMNS for part in parts)
    style = "".join(
        (folder / name).read_text(encoding="utf-8") for name in ("audit.css", "report.css")
    ) + _page_rules(document, show, paper, is_wide=is_wide)
    return environment(show).from_string(
        (folder / "report.html.j2").read_text(encoding="utf-8")
    ).render(
        document=document,
        report=report,
        basis=list(document.basis()),
        parts=parts,
        roles=ROLES,
        style=markupsafe.Markup(style),  # noqa: S704 - our own file, and escaped strings
        style_hash=hash_source(style),
    )  # fmt: skip


def _page_rules(document: Document, show: Show, paper: Paper, *, is_wide: bool) -> str:
    """Return the rules for printed pages: size, page number and the foot of each page."""
    foot = ' "\\a " '.join(_css_string(show(line)) for line in document.foot())
    head = _css_string(show(document.head()))
    size = {"a4": "A4", "letter": "letter"}[paper] + (" landscape" if is_wide else " portrait")
    margin = "font:8pt Georgia,serif"
    return (
        f"@page{{size:{size};margin:16mm 14mm 24mm;"
        f"@top-left{{content:{head};{margin}}}"
        f'@top-right{{content:"page " counter(page) " of " counter(pages);{margin}}}'
        f"@bottom-left{{content:{foot};white-space:pre-wrap;width:100%;"
        "font:6pt/1.3 Georgia,serif}}\n"
    )


def _css_string(text: str) -> str:
    """Return a text as a CSS string. Anything but letters, digits and blanks is escaped."""
    return '"' + _SAFE_IN_CSS.sub(lambda sign: f"\\{ord(sign[0]):06x} ", text) + '"'


def _part(document: Document, section: Section, show: Show) -> _Part:
    match section:
        case Table():
            return _table(document, section)
        case Chart():
            drawing = svg(chart_drawing(section, _CHART_WIDTH), show)
            notes = (section.note,) if section.note else ()
            return _Part(
                section.key, section.title, "chart", notes=notes, drawings=[(drawing, "", "")]
            )
        case Curve():
            drawing = svg(curve_drawing(section, _CHART_WIDTH), show)
            return _Part(
                section.key, section.title, "chart", notes=(section.note,),
                drawings=[(drawing, "", "")],
            )  # fmt: skip
        case Pictures():
            drawings = [
                (svg(coup_drawing(each, _COUP_WIDTH), show), each.title, each.caption)
                for each in section.pictures
            ]
            return _Part(section.key, section.title, "pictures", drawings=drawings)
        case Figures():
            figures = [(name, document.text(value) or "none") for name, value in section.figures]
            return _Part(section.key, section.title, "figures", figures=figures)


def _table(document: Document, table: Table) -> _Part:
    every = (*table.rows, *table.totals)
    shown = [n for n in range(len(table.columns)) if any(row[n] is not None for row in every)]

    short = _short(document, table, shown)

    def cells(row: tuple[object, ...]) -> list[_Cell]:
        return [_cell(document, row[n], table.columns[n].kind, n in short) for n in shown]

    return _Part(
        table.key,
        table.title,
        "table",
        [_head(table.columns[n]) for n in shown],
        [cells(row) for row in table.rows],
        [cells(row) for row in table.totals],
        table.empty,
        table.notes,
    )


def _short(document: Document, table: Table, shown: Sequence[int]) -> set[int]:
    """Return the columns of short texts that need not be broken; none if a page is too narrow."""
    every = (*table.rows, *table.totals)
    widths = {n: max(len(document.text(row[n])) for row in every) for n in shown}
    if sum(min(width, _SHORT) + 1 for width in widths.values()) > _LINE:
        return set()
    return {n for n in shown if table.columns[n].kind == "text" and widths[n] <= _SHORT}


def _head(column: Column) -> _Cell:
    return _Cell(column.title, column.kind, weight=column.weight)


def _cell(document: Document, value: object, kind: str, short: bool) -> _Cell:
    url = value.url if isinstance(value, Linked) else None
    kind = "unknown" if isinstance(value, Unknown) else kind
    return _Cell(document.text(value), kind, url, short=short)  # type: ignore[arg-type] # a Value of a row
