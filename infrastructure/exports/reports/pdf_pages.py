"""How the content of a PDF is put on pages: what stays together, and where sections begin."""

from collections.abc import Sequence
from typing import Final

from reportlab.platypus import BaseDocTemplate, Flowable, TableStyle
from reportlab.platypus import Table as Grid

from sabot.infrastructure.exports.reports.pdf_columns import PAD
from sabot.infrastructure.exports.reports.pdf_drawing import COLOURS

_ANY_HEIGHT: Final = 0xFFFFFF
"""More than a page has: reportlab then asks how a flowable is to be split."""
_SLACK: Final = 0.1


class Pages(BaseDocTemplate):
    """Pages that note where each section begins. A heading has a key and a title."""

    starts: dict[str, int]

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - reportlab's name
        """Make a bookmark and an outline entry for the title of a section."""
        key = getattr(flowable, "section_key", None)
        if key is not None:
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(getattr(flowable, "section_title", key), key, 0)
            self.starts[key] = self.page


class EndedGrid(Flowable):
    """Rows of cells, the last of which stay on a page with what follows them.

    So neither the notes of a table nor the lines to sign stand on a page of their own.
    """

    def __init__(self, grid: Grid, end: Sequence[Flowable], *, last: int, page: float) -> None:
        """Keep the ``last`` rows with the end; ``page`` is the height of a whole page."""
        super().__init__()
        self._grid, self._end, self._last, self._page = grid, list(end), last, page

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        """Ask to be split, whatever the room."""
        return width, _ANY_HEIGHT

    def split(self, width: float, height: float) -> list[Flowable]:
        """Return what fits on the page and the rest, or nothing if the next page begins with it."""
        tall = self._grid.wrap(width, height)[1]
        if tall + height_of(self._end, width) <= height:
            return [self._grid, *self._end]
        kept = sum(row_heights(self._grid)[-self._last :])
        # a row is split only if it is higher than a page
        is_whole = height >= self._page - 1
        self._grid.splitInRow = int(is_whole)
        parts = self._grid.split(width, min(height, tall - kept + _SLACK))
        if len(parts) > 1 and isinstance(parts[1], Grid):
            rest = EndedGrid(parts[1], self._end, last=self._last, page=self._page)
            return [parts[0], rest]
        return [self._grid, *self._end] if is_whole else []


def row_heights(grid: Grid) -> list[float]:
    """Return the heights of the rows of a grid that was wrapped."""
    return list(vars(grid)["_rowHeights"])


def height_of(flowables: Sequence[Flowable], width: float) -> float:
    """Return the height of some flowables below each other."""
    return sum(
        each.wrap(width, _ANY_HEIGHT)[1] + each.getSpaceBefore() + each.getSpaceAfter()
        for each in flowables
    )


def plain_style() -> TableStyle:
    """Return the style of a grid without lines."""
    return TableStyle(
        [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 0),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
            ("TOPPADDING", (0, 0), (-1, -1), 0),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
        ]
    )


def table_style() -> TableStyle:
    """Return the style of a table with a head: a line below it and below each row."""
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
