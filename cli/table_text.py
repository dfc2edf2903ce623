"""Tables for reading: only the columns that fit, with names never cut or wrapped."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sabot.cli.columns import Column
from sabot.cli.settings import WIDE
from sabot.cli.text.pages import terminal_width
from sabot.cli.text.words import printable, say

Cell = tuple[str, str]
"""The text of a cell and its style."""

_LEAST: Final = 20
"""The minimum width of a column of sentences."""

_GAP: Final = 3
"""The number of blanks that rich puts between two columns."""


def write_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    title: str | None,
    stream: TextIO,
    *,
    to_file: bool,
) -> None:
    """Write a table: on a terminal the columns that fit, elsewhere all of them."""
    console = Console(
        file=stream,
        force_terminal=False if to_file else None,
        highlight=False,
        width=terminal_width(stream),
    )
    places = list(range(len(columns)))
    same: dict[int, str] = {}
    fits = console.is_terminal and not WIDE.get()
    if fits:
        same = _same_in_all_rows(rows, places)
        places = _fitting(columns, rows, console.width, same)
    table = _table(columns, rows, places)
    if not fits:
        wide = Console(file=stream, force_terminal=console.is_terminal, width=1_000_000)
        width = max(80, wide.measure(table).maximum)
        console = Console(
            file=stream, force_terminal=console.is_terminal, highlight=False, width=width
        )
    if title is not None:
        console.print(Text(printable(title), style="bold"), soft_wrap=True)
    left_out = [place for place in range(len(columns)) if place not in places]
    if said := _said_once(columns, left_out, same):
        console.print(Text(f"in all rows: {said}"), soft_wrap=True)
    console.print(table)
    hidden = _hidden(columns, left_out, same)
    if hidden:
        say(f"columns not shown: {', '.join(hidden)}; --wide shows all")


def _said_once(columns: Sequence[Column], left_out: Iterable[int], same: Mapping[int, str]) -> str:
    """Return the left-out columns with the same text in all rows, each with that text."""
    return "; ".join(
        f"{columns[place].heading}: {printable(same[place])}"
        for place in left_out
        if same.get(place)
    )


def _hidden(
    columns: Sequence[Column], left_out: Iterable[int], same: Mapping[int, str]
) -> list[str]:
    """Return the names of the other columns left out."""
    names = {place: columns[place].heading or columns[place].key for place in left_out}
    return [name for place, name in names.items() if not same.get(place)]


def _fitting(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    width: int,
    same: Collection[int],
) -> list[int]:
    """Return the places of the columns that fit. The highest ``rank`` is left out first.

    Columns without a rank, or with a negative one, are left out last. Of these, columns with the
    ``same`` text in all rows are left out before the others.
    """
    places = list(range(len(columns)))
    needed = [_least_width(columns[place], [row[place][0] for row in rows]) for place in places]
    while len(places) > 1 and sum(needed[place] + _GAP for place in places) > width:
        places.remove(
            max(
                places[1:],
                key=lambda place: (max(columns[place].rank, 0), place in same, columns[place].rank,
                                   place),
            )
        )  # fmt: skip
    return places


def _same_in_all_rows(rows: Sequence[Sequence[Cell]], places: Iterable[int]) -> dict[int, str]:
    """Return the columns that have one text in all of several rows, with this text."""
    if len(rows) <= 1:
        return {}
    texts = {place: {row[place][0] for row in rows} for place in places}
    return {place: found.pop() for place, found in texts.items() if len(found) == 1}


def _least_width(column: Column, texts: Sequence[str]) -> int:
    lines = (line for text in texts for line in _shown(column, text).split("\n"))
    widest = max(map(cell_len, lines), default=0)
    heading = max(map(cell_len, _stacked(column.heading).split("\n")))
    return max(heading, min(widest, _LEAST) if column.wraps else widest)


def _shown(column: Column, text: str) -> str:
    lines = text.split("\n") if column.items else [text]
    return "\n".join(map(printable, lines))


def _stacked(heading: str) -> str:
    """Return a heading in at most two lines, as narrow as possible."""
    words = heading.split()
    broken = (f"{' '.join(words[:n])}\n{' '.join(words[n:])}" for n in range(1, len(words)))
    return min(broken, key=lambda text: max(map(cell_len, text.split("\n"))), default=heading)


def _table(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], places: Sequence[int]
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for place in places:
        column = columns[place]
        least = _least_width(column, [row[place][0] for row in rows])
        # a heading is broken once if the cells are narrower
        heading = column.heading if cell_len(column.heading) <= least else _stacked(column.heading)
        table.add_column(
            Text(heading),
            justify="right" if column.right else "left",
            overflow="fold",
            no_wrap=not column.wraps,
            min_width=least,
        )
    for row in rows:
        table.add_row(*(
            Text(_shown(columns[place], row[place][0]), style=row[place][1]) for place in places
        ))  # fmt: skip
    return table
