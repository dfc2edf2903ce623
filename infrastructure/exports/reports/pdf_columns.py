"""Compute the widths of a table's columns on a page, and a font size at which they fit."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from sabot.infrastructure.exports.reports.document import Document
from sabot.infrastructure.exports.reports.pdf_fonts import Fonts
from sabot.infrastructure.reports.model import Column, Table, Value

PAD: Final = 3.0
"""The blank on each side of a cell, in points."""
RIGHT: Final = frozenset(("money", "count", "number", "rate"))
"""The kinds of columns that are aligned to the right and never wrapped."""
_SIZES: Final = (7.0, 6.5, 6.0, 5.5, 5.0)
"""Font sizes; the first that fits is taken."""
_LEAST_TEXT: Final = 78.0
"""The width up to which the words of a column are never broken."""
_WHOLE_WORD: Final = 120.0
"""The same in a table that has room enough."""
_LEAST_SHARE: Final = 0.75
"""The part of the width that unbroken words may take then."""
_ENOUGH: Final = 0.01


class Shown(Struct, frozen=True):
    """The columns of a table that are not empty, with their cells as text and as values.

    Rows of sums come last.
    """

    columns: Sequence[Column]
    cells: Sequence[Sequence[str]]
    rows: Sequence[Sequence[Value]]


def shown_of(document: Document, table: Table) -> Shown:
    """Return the shown columns and cells of a table."""
    every = (*table.rows, *table.totals)
    places = [n for n in range(len(table.columns)) if any(row[n] is not None for row in every)]
    rows = [[row[n] for n in places] for row in every]
    cells = [[document.text(value) for value in row] for row in rows]
    return Shown([table.columns[n] for n in places], cells, rows)


def least_width(fonts: Fonts, shown: Shown) -> float:
    """Return the smallest width that a table can have at the largest font size."""
    return sum(least for least, _most in _spans(fonts, shown, _SIZES[0]))


def widths_in(fonts: Fonts, shown: Shown, room: float) -> tuple[list[float], float]:
    """Return the widths of the columns within a given width, and the font size."""
    spans, size = list(_spans(fonts, shown, _SIZES[0], _WHOLE_WORD)), _SIZES[0]
    if sum(least for least, _most in spans) > _LEAST_SHARE * room:
        for size in _SIZES:
            spans = list(_spans(fonts, shown, size))
            if sum(least for least, _most in spans) <= room:
                break
    least = [span[0] for span in spans]
    spare = room - sum(least)
    if spare < 0:
        return [width * room / sum(least) for width in least], size
    wanted = [most - width for width, most in spans]
    if sum(wanted) <= spare:
        return [most for _least, most in spans], size
    return _share(least, wanted, [column.weight for column in shown.columns], spare), size


def _share(
    widths: Sequence[float], wanted: Sequence[float], weights: Sequence[int], spare: float
) -> list[float]:
    """Divide spare width among columns by their weights. No column gets more than it needs."""
    found, left = list(widths), list(wanted)
    while spare > 1:
        pulls = [
            want * weight if want > _ENOUGH else 0.0
            for want, weight in zip(left, weights, strict=True)
        ]
        if not any(pulls):
            break
        given = [
            min(want, spare * pull / sum(pulls)) for want, pull in zip(left, pulls, strict=True)
        ]
        found = [width + more for width, more in zip(found, given, strict=True)]
        left = [want - more for want, more in zip(left, given, strict=True)]
        spare -= sum(given)
    return found


def _spans(
    fonts: Fonts, shown: Shown, size: float, whole: float = _LEAST_TEXT
) -> Iterator[tuple[float, float]]:
    """Yield the minimum and the natural width of each column.

    A word is broken only if it is wider than ``whole``.
    """
    for n, column in enumerate(shown.columns):
        texts = [row[n] for row in shown.cells]
        heads = [fonts.width(word, size, bold=True) for word in column.title.split()]
        natural = max((fonts.width(text, size) for text in texts), default=0)
        word = max((fonts.width(word, size) for text in texts for word in text.split()), default=0)
        if column.kind in RIGHT:
            least = natural
        else:
            least = word if column.kind == "time" else min(word, whole)
        least = max(least, *heads) + 2 * PAD
        yield least, max(least, natural + 2 * PAD)
