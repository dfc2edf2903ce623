"""Text pages whose lines fit the terminal. Lines break between words, so names stay whole."""

import contextlib
import os
import re
from collections.abc import Iterable
from typing import Final, TextIO

from rich.cells import cell_len

from sabot.domain.values.safe_text import printable

Line = str | tuple[str, int]
"""A line of a page, or one with the column at which it continues.

By default it continues two columns to the right of its beginning.
"""

_WIDTH: Final = 80
"""The width of an output that is not a terminal."""

_MOST: Final = 100
"""The width of a page on a wider terminal. Longer lines are hard to read."""

_WORD: Final = re.compile(r"( *)((?:`sabot [^`]*`|(?<=: )sabot .*|[^ ])+)")
"""A word with the blanks before it. A command is one word: it is copied from one line."""


def terminal_width(stream: TextIO) -> int:
    """Return the width of tables and drawings: COLUMNS, else that of the terminal, else 80."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns or _WIDTH
    return _WIDTH


def page_width(stream: TextIO) -> int:
    """Return the width of a text page."""
    return min(terminal_width(stream), _MOST)


def write_page(lines: Iterable[Line], stream: TextIO) -> None:
    """Write lines, broken to the width of a page. Unsafe characters become escapes."""
    width = page_width(stream)
    for line in lines:
        stream.writelines(f"{part}\n" for part in wrapped(line, width))


def wrapped(line: Line, width: int) -> list[str]:
    """Break a line between words. A word that is wider than the page has a line of its own."""
    said, column = line if isinstance(line, tuple) else (line, None)
    text = printable(said).rstrip()
    if column is None:
        column = len(text) - len(text.lstrip(" ")) + 2
    done: list[str] = []
    part = ""
    for blanks, word in _WORD.findall(text):
        longer = f"{part}{blanks}{word}"
        if part and cell_len(longer) > width:
            done.append(part)
            longer = f"{' ' * column}{word}"
        part = longer
    return [*done, part]
