"""A report as a PDF file, made by reportlab (the extra ``pdf``).

The same report gives the same bytes: the date of the file is fixed, and nothing in it is random.
The fonts are embedded, except the one with the suit symbols, which every PDF reader has. A
character that the fonts lack is written as its escape; another TrueType font can be given.
"""

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
    TableStyle,
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
    PAD,
    RIGHT,
    least_width,
    shown_of,
    widths_in,
)
from sabot.infrastructure.exports.reports.pdf_drawing import COLOURS, Drawn, write_words
from sabot.infrastructure.exports.reports.pdf_fonts import Fonts
from sabot.infrastructure.exports.reports.report_page import ROLES
from sabot.infrastructure.reports.model import (
    Chart,
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
_FOOT: Final = 42.0
_HEAD: Final = 18.0
_COUPS_IN_ROW: Final = 3
_GAP: Final = 12.0
_BEGINS: Final = 60.0
"""The room that a section needs to begin on a page."""


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


class _Pages(BaseDocTemplate):
    """PDF pages that record where each section begins."""

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - reportlab's name
        """Add a bookmark and an outline entry for the title of a section."""
        key = getattr(flowable, "section_key", None)
        if key is not None:
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(getattr(flowable, "section_title", key), key, 0)
            self.starts[key] = self.page

    starts: dict[str, int]


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
        pages = _Pages(
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
            self.paper[1] - 2 * _MARGIN - _FOOT - _HEAD,
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
        title = f"{self.document.report.title} · {self.document.period_text}"
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
        for section in self.sections:
            story += self._section(section)
        for title, lines in (("Notes", report.notes), ("Not known", report.unknown)):
            if lines:
                heading = self._heading(title, title)
                story += [CondPageBreak(_BEGINS), heading, *(self._quiet(line) for line in lines)]
        if report.sources:
            story += [CondPageBreak(_BEGINS), self._heading("Sources", "Sources")]
            story += [self._linked(source) for source in report.sources]
        story.append(self._signatures())
        return story

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

    def _linked(self, source: Linked) -> Paragraph:
        return Paragraph(self._link(source), self._style(6.5))

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
        grid = Grid(rows, colWidths=[62, self.room - 62], hAlign="LEFT")
        grid.setStyle(_plain_style())
        return grid

    def _contents(self) -> Flowable:
        parts = [
            f'<a href="#{section.key}" color="#2f4b7c">{self.fonts.markup(section.title)}</a> '
            f"{self.starts.get(section.key, 1)}"
            for section in self.sections
        ]
        return Paragraph("Contents: " + " · ".join(parts), self._style(7))

    def _section(self, section: Section) -> list[Flowable]:
        heading = self._heading(section.title, section.key)
        match section:
            case Table():
                return [CondPageBreak(_BEGINS), heading, *self._table(section)]
            case Chart():
                drawn = Drawn(chart_drawing(section, min(self.room, 480)), self.fonts)
                notes = [self._quiet(section.note)] if section.note else []
                return [KeepTogether([heading, drawn, *notes])]
            case Curve():
                drawn = Drawn(curve_drawing(section, min(self.room, 480)), self.fonts)
                return [KeepTogether([heading, drawn, self._quiet(section.note)])]
            case Pictures():
                return [CondPageBreak(2 * _BEGINS), heading, self._pictures(section)]
            case Figures():
                return [KeepTogether([heading, self._figures(section)])]

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
        grid = Grid(rows, colWidths=[90, share - 90, 90, share - 90], hAlign="LEFT")
        grid.setStyle(_plain_style())
        return grid

    def _pictures(self, section: Pictures) -> Flowable:
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
        grid = Grid(rows, colWidths=[width + _GAP * (n < _COUPS_IN_ROW - 1)
                                     for n in range(_COUPS_IN_ROW)], hAlign="LEFT")  # fmt: skip
        style = _plain_style()
        style.add("BOTTOMPADDING", (0, 0), (-1, -1), 8)
        grid.setStyle(style)
        return grid

    # -- Tables ----------------------------------------------------------------------------------

    def _too_wide(self, section: Section) -> bool:
        if not isinstance(section, Table) or not section.rows:
            return False
        shown = shown_of(self.document, section)
        return least_width(self.fonts, shown) > self.paper[0] - 2 * _MARGIN

    def _table(self, table: Table) -> list[Flowable]:
        notes: list[Flowable] = [self._quiet(note) for note in table.notes]
        if not table.rows:
            return [self._text(table.empty, 7.5, after=2), *notes]
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
        style = _table_style()
        if table.totals:
            line = len(table.rows) + 1
            style.add("LINEABOVE", (0, line), (-1, line), 0.8, COLOURS["ink"])
        grid.setStyle(style)
        return [grid, Spacer(0, 3), *notes]

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
        style = _plain_style()
        style.add("VALIGN", (0, 0), (-1, -1), "BOTTOM")
        for row in range(3):
            style.add("LINEBELOW", (1, row), (-1, row), 0.6, COLOURS["ink"])
        grid.setStyle(style)
        return KeepTogether([Spacer(0, 10), grid])


def _plain_style() -> TableStyle:
    return TableStyle(
        [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
            ("TOPPADDING", (0, 0), (-1, -1), 0),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
        ]
    )


def _table_style() -> TableStyle:
    return TableStyle(
        [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
            ("LEFTPADDING", (0, 0), (-1, -1), PAD),
            ("RIGHTPADDING", (0, 0), (-1, -1), PAD),
            ("TOPPADDING", (0, 0), (-1, -1), 1.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
            ("LINEBELOW", (0, 0), (-1, 0), 0.8, COLOURS["ink"]),
            ("LINEBELOW", (0, 1), (-1, -1), 0.3, COLOURS["line"]),
        ]
    )
