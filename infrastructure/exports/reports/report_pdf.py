"""A report as a PDF file, made by reportlab (the extra ``pdf``).

The same report gives the same bytes: the date of the file is fixed, and nothing in it is random.
The fonts are embedded, except the one with the suit symbols, which every PDF reader has. A
character that the fonts lack is written as its escape; another TrueType font can be given.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import Final
from xml.sax.saxutils import quoteattr

from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4, LETTER, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    KeepTogether,
    PageTemplate,
    Paragraph,
    Spacer,
)
from reportlab.platypus import Table as Grid

from sabot.infrastructure.exports.html_page import Show
from sabot.infrastructure.exports.reports.document import Document, Paper
from sabot.infrastructure.exports.reports.drawing import (
    Words,
    chart_drawing,
    coup_drawing,
    curve_drawing,
)
from sabot.infrastructure.exports.reports.pdf_columns import (
    RIGHT,
    least_width,
    shown_of,
    widths_in,
)
from sabot.infrastructure.exports.reports.pdf_drawing import COLOURS, Drawn, write_words
from sabot.infrastructure.exports.reports.pdf_fonts import Fonts
from sabot.infrastructure.exports.reports.pdf_pages import (
    EndedGrid,
    Pages,
    height_of,
    plain_style,
    row_heights,
    table_style,
)
from sabot.infrastructure.exports.reports.report_page import ROLES
from sabot.infrastructure.reports.model import (
    Chart,
    Cited,
    Column,
    Curve,
    Figures,
    Linked,
    Pictures,
    Section,
    Table,
    Value,
)

_MARGIN: Final = 36.0
_FOOT: Final = 50.0
_HEAD: Final = 18.0
_COUPS_IN_ROW: Final = 3
_GAP: Final = 12.0
_BEGINS: Final = 60.0
"""The room that a section needs to begin on a page, besides its first row."""
_LINES_KEPT: Final = 3
"""The lines of a section of text that stay with the lines to sign."""
_SIGNATURES: Final = "Signatures"


def report_pdf(
    document: Document, show: Show, *, paper: Paper = "a4", font: str | None = None
) -> bytes:
    """Return a report as a PDF file.

    Args:
        document: the report.
        show: makes text of a record safe to display (control and bidirectional characters).
        paper: the size of the pages.
        font: the path of a TrueType font; None takes the fonts of reportlab.

    Raises:
        BadInput: the font cannot be read.
    """
    writer = _Writer(document, Fonts(show, font), paper)
    return writer.write()


def _with_chart(sections: Sequence[Section]) -> list[tuple[Section, Chart | None]]:
    """Return the sections, each table with its following chart.

    The last rows of a table stay on a page with this chart. Further charts may begin a page.
    """
    found: list[tuple[Section, Chart | None]] = []
    for section in sections:
        before = found[-1] if found else None
        if isinstance(section, Chart) and before and isinstance(before[0], Table) and not before[1]:
            found[-1] = (before[0], section)
        else:
            found.append((section, None))
    return found


class _Writer:
    """Writes one report."""

    def __init__(self, document: Document, fonts: Fonts, paper: Paper) -> None:
        self.document, self.fonts = document, fonts
        self.paper = {"a4": A4, "letter": LETTER}[paper]
        report = document.report
        self.sections = (*report.sections, *(report.appendices if document.appendices else ()))
        if any(self._too_wide(section) for section in self.sections):
            self.paper = landscape(self.paper)
        self.room = self.paper[0] - 2 * _MARGIN
        self.tall = self.paper[1] - 2 * _MARGIN - _FOOT - _HEAD
        self.pages, self.starts = 0, dict[str, int]()

    def write(self) -> bytes:
        """Return the bytes of the file.

        It is laid out twice: the first time to count the pages.
        """
        data = self._pass()
        before = (self.pages, self.starts)
        data = self._pass()
        return data if (self.pages, self.starts) == before else self._pass()

    def _pass(self) -> bytes:
        stream = BytesIO()
        title = self.fonts.plain(self.document.report.title)
        pages = Pages(
            stream,
            pagesize=self.paper,
            title=title,
            author=self.fonts.plain(self.document.by or ""),
            subject=self.fonts.plain(self.document.period_text),
            creator=self.document.provenance.program,
            invariant=1,
            lang="en",
        )
        pages.starts = {}
        frame = Frame(
            _MARGIN,
            _MARGIN + _FOOT,
            self.room,
            self.tall,
            leftPadding=0,
            rightPadding=0,
            topPadding=0,
            bottomPadding=0,
        )
        pages.addPageTemplates(PageTemplate(frames=[frame], onPage=self._frame_page))
        pages.build(self._story())
        self.pages, self.starts = pages.page, pages.starts
        return stream.getvalue()

    def _frame_page(self, canvas: Canvas, pages: BaseDocTemplate) -> None:
        """Write the head and the foot of a page."""
        width, height = self.paper
        title = self.document.head()
        number = f"page {pages.page} of {self.pages or '?'}"
        top = height - _MARGIN - 8
        room = self.room - 80
        write_words(canvas, self.fonts, Words(_MARGIN, 0, title, 8, bold=True, width=room), top)
        write_words(canvas, self.fonts, Words(width - _MARGIN, 0, number, 8, anchor="end"), top)
        canvas.setStrokeColor(COLOURS["quiet"])
        canvas.setLineWidth(0.5)
        canvas.line(_MARGIN, top - 4, width - _MARGIN, top - 4)
        canvas.line(_MARGIN, _MARGIN + _FOOT - 8, width - _MARGIN, _MARGIN + _FOOT - 8)
        for place, line in enumerate(self.document.foot()):
            y = _MARGIN + _FOOT - 17 - 8.5 * place
            words = Words(_MARGIN, 0, line, 6, "quiet", width=self.room)
            write_words(canvas, self.fonts, words, y)

    # -- The parts of a report ----------------------------------------------------------------

    def _story(self) -> list[Flowable]:
        report = self.document.report
        story: list[Flowable] = [self._text(report.title, 15, bold=True, after=6)]
        story += [self._basis(), Spacer(0, 4)]
        if len(self.sections) > 2:  # noqa: PLR2004 - two are seen at once
            story.append(self._contents())
        texts = self._texts()
        signatures = [self._heading(_SIGNATURES, _SIGNATURES), self._signatures()]
        for section, chart in _with_chart(self.sections):
            is_last = not texts and self.sections[-1] in (section, chart)
            end = self._chart(chart) if chart else []
            story += self._section(section, [*end, *(signatures if is_last else [])])
        for title, lines in texts.items():
            is_last = title == list(texts)[-1]
            story += self._text_section(title, lines, signatures if is_last else [])
        return story

    def _texts(self) -> dict[str, list[Paragraph]]:
        """Return the sections of text, by title."""
        report = self.document.report
        found = {
            "Notes": [self._quiet(line) for line in report.notes],
            "Not known": [self._quiet(line) for line in report.unknown],
            "Sources": [self._cited(source) for source in report.sources],
        }
        return {title: lines for title, lines in found.items() if lines}

    def _text_section(
        self, title: str, lines: Sequence[Flowable], end: Sequence[Flowable]
    ) -> list[Flowable]:
        """Return a section of text: whole if it is short. Its last lines stay with the end."""
        heading = self._heading(title, title)
        if height_of([heading, *lines, *end], self.room) < self.tall / 2:
            return [KeepTogether([heading, *lines, *end])]
        begin = [heading, *lines[:-_LINES_KEPT]]
        last = KeepTogether([*lines[-_LINES_KEPT:], *end])
        return [CondPageBreak(_BEGINS), *begin, last]

    def _style(
        self, size: float, *, bold: bool = False, right: bool = False, quiet: bool = False
    ) -> ParagraphStyle:
        return ParagraphStyle(
            "text",
            fontName=self.fonts.bold if bold else self.fonts.regular,
            fontSize=size,
            leading=size * 1.25,
            textColor=COLOURS["quiet" if quiet else "ink"],
            alignment=TA_RIGHT if right else 0,
            splitLongWords=1,
        )

    def _text(self, text: str, size: float, *, bold: bool = False, after: float = 0) -> Paragraph:
        style = self._style(size, bold=bold)
        style.spaceAfter = after
        return Paragraph(self.fonts.markup(text), style)

    def _quiet(self, text: str) -> Paragraph:
        style = self._style(6.5, quiet=True)
        style.spaceAfter = 2
        return Paragraph(self.fonts.markup(text), style)

    def _cited(self, source: Cited) -> Paragraph:
        link = self._link(Linked(source.text, source.url))
        return Paragraph(self.fonts.markup(source.for_rules) + link, self._style(6.5))

    def _link(self, source: Linked) -> str:
        text = self.fonts.markup(source.text)
        if source.url is None:
            return text
        return f'<a href={quoteattr(source.url)} color="#2f4b7c">{text}</a>'

    def _heading(self, title: str, key: str) -> Paragraph:
        style = self._style(10, bold=True)
        style.spaceBefore, style.spaceAfter = 9, 3
        heading = Paragraph(self.fonts.markup(title), style)
        heading.section_key, heading.section_title = key, self.fonts.plain(title)  # type: ignore[attr-defined] # read by _Pages
        return heading

    def _basis(self) -> Flowable:
        """Return the identification of the report as two columns."""
        rows = [
            [self._quiet(name), Paragraph(self.fonts.markup(value), self._style(6.5))]
            for name, value in self.document.basis()
        ]
        grid = Grid(rows, colWidths=[62, self.room - 62], hAlign="LEFT", splitInRow=1)
        grid.setStyle(plain_style())
        return grid

    def _contents(self) -> Flowable:
        named = [(each.key, each.title) for each in self.sections]
        named += [(title, title) for title in (*self._texts(), _SIGNATURES)]
        parts = [
            f'<a href="#{key}" color="#2f4b7c">{self.fonts.markup(title)}</a> '
            f"{self.starts.get(key, 1)}"
            for key, title in named
        ]
        return Paragraph("Contents: " + " · ".join(parts), self._style(7))

    def _section(self, section: Section, end: Sequence[Flowable]) -> list[Flowable]:
        """Return a section. The end stays on one page with the last part of the section."""
        heading = self._heading(section.title, section.key)
        match section:
            case Table():
                below = [*(self._quiet(note) for note in section.notes), *end]
                if not section.rows:
                    empty = self._text(section.empty, 7.5, after=2)
                    return [KeepTogether([heading, empty, *below])]
                last = len(section.totals) + 1
                return self._ended(heading, self._table(section), below, (2, last))
            case Chart():
                return [KeepTogether([*self._chart(section), *end])]
            case Curve():
                drawn = Drawn(curve_drawing(section, min(self.room, 480)), self.fonts)
                return [KeepTogether([heading, drawn, self._quiet(section.note), *end])]
            case Pictures():
                return self._ended(heading, self._pictures(section), end, (1, 1))
            case Figures():
                return [KeepTogether([heading, self._figures(section), *end])]

    def _chart(self, chart: Chart) -> list[Flowable]:
        drawn = Drawn(chart_drawing(chart, min(self.room, 480)), self.fonts)
        notes = [self._quiet(chart.note)] if chart.note else []
        return [self._heading(chart.title, chart.key), drawn, *notes]

    def _ended(
        self, heading: Flowable, grid: Grid, end: Sequence[Flowable], kept: tuple[int, int]
    ) -> list[Flowable]:
        """Return a grid under its heading. Some rows stay with the heading and with the end.

        ``kept`` are the numbers of rows that stay with the heading, and with the end.
        """
        first, last = kept
        grid.wrap(self.room, self.tall)
        heights = row_heights(grid)
        begins = height_of([heading], self.room) + sum(heights[:first])
        if len(heights) < first + last:  # the first rows are the last ones too
            begins += sum(heights[first:]) + height_of(end, self.room)
        return [
            CondPageBreak(min(begins, self.tall)),
            heading,
            EndedGrid(grid, end, last=last, page=self.tall),
        ]

    def _figures(self, section: Figures) -> Flowable:
        """Return the figures in two columns of names and values, row by row."""
        cells = [
            [self._quiet(name), self._text(self.document.text(value) or "none", 7)]
            for name, value in section.figures
        ]
        half = -(-len(cells) // 2)
        empty: list[Flowable] = [Spacer(0, 0), Spacer(0, 0)]
        rows = [
            [*cells[n], *(cells[n + half] if n + half < len(cells) else empty)] for n in range(half)
        ]
        share = self.room / 2
        grid = Grid(rows, colWidths=[90, share - 90, 90, share - 90], hAlign="LEFT", splitInRow=1)
        grid.setStyle(plain_style())
        return grid

    def _pictures(self, section: Pictures) -> Grid:
        """Return the pictures side by side, each with its title and caption."""
        width = (self.room - (_COUPS_IN_ROW - 1) * _GAP) / _COUPS_IN_ROW
        cells: list[list[Flowable]] = [
            [
                self._text(each.title, 7, bold=True, after=2),
                Drawn(coup_drawing(each, width - 6), self.fonts),
                self._text(each.caption, 6.5),
            ]
            for each in section.pictures
        ]
        cells += [[Spacer(0, 0)]] * (-len(cells) % _COUPS_IN_ROW)
        rows = [cells[n : n + _COUPS_IN_ROW] for n in range(0, len(cells), _COUPS_IN_ROW)]
        widths = [width + _GAP * (n < _COUPS_IN_ROW - 1) for n in range(_COUPS_IN_ROW)]
        grid = Grid(rows, colWidths=widths, hAlign="LEFT")
        style = plain_style()
        style.add("BOTTOMPADDING", (0, 0), (-1, -1), 8)
        grid.setStyle(style)
        return grid

    # -- Tables ----------------------------------------------------------------------------------

    def _too_wide(self, section: Section) -> bool:
        if not isinstance(section, Table) or not section.rows:
            return False
        shown = shown_of(self.document, section)
        return least_width(self.fonts, shown) > self.paper[0] - 2 * _MARGIN

    def _table(self, table: Table) -> Grid:
        shown = shown_of(self.document, table)
        columns, rows = shown.columns, shown.rows
        widths, size = widths_in(self.fonts, shown, self.room)
        heads = [
            Paragraph(
                self.fonts.markup(column.title),
                self._style(size, bold=True, right=column.kind in RIGHT),
            )
            for column in columns
        ]
        body = [
            [self._cell(column, value, size) for column, value in zip(columns, row, strict=True)]
            for row in rows
        ]
        grid = Grid([heads, *body], colWidths=widths, repeatRows=1, hAlign="LEFT")
        style = table_style()
        if table.totals:
            line = len(table.rows) + 1
            style.add("LINEABOVE", (0, line), (-1, line), 0.8, COLOURS["ink"])
        grid.setStyle(style)
        return grid

    def _cell(self, column: Column, value: Value, size: float) -> Paragraph:
        text = self.document.text(value)
        markup = self._link(value) if isinstance(value, Linked) else self.fonts.markup(text)
        return Paragraph(markup, self._style(size, right=column.kind in RIGHT))

    def _signatures(self) -> Flowable:
        rows: list[list[Flowable]] = []
        for role in ROLES:
            name = self.document.by or "" if role == ROLES[0] else ""
            rows.append([self._quiet(role), self._text(name, 8), Spacer(0, 0), Spacer(0, 0)])
        under = ["", "name", "signature", "date"]
        rows.append([self._quiet(text) for text in under])
        share = (self.room - 70) / 5
        grid = Grid(
            rows, colWidths=[70, 2 * share, 2 * share, share], rowHeights=[24] * 3 + [12],
            hAlign="LEFT",
        )  # fmt: skip
        style = plain_style()
        style.add("VALIGN", (0, 0), (-1, -1), "BOTTOM")
        for row in range(3):
            style.add("LINEBELOW", (1, row), (-1, row), 0.6, COLOURS["ink"])
        grid.setStyle(style)
        return grid
