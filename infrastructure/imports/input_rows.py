"""Rows of mapped files. A row is the cells of a CSV line, or a JSON object."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import Struct

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.input_lines import (
    MAX_MAPPED_BYTES,
    Complain,
    Readable,
    numbered_lines,
    placed,
    read_each,
)
from sabot.infrastructure.imports.mapping import CsvShape
from sabot.infrastructure.imports.strict_json import exact_number, loads

Lookup = Callable[[Any], object]
"""Takes a row and returns a value in it, or None."""

_STEP: Final = re.compile(r"(?:[^.\\]|\\.)+", re.DOTALL)


class JsonRows:
    """Rows of JSON objects, one per line. A path names nested keys: ``cards.player.0``."""

    def __init__(self, stream: Readable, name: str, complain: Complain) -> None:
        self._stream, self._name, self._complain = stream, name, complain

    def __iter__(self) -> Iterator[tuple[int, object]]:
        """Yield each object with its line number; report invalid lines."""
        lines = numbered_lines(self._stream, self._name, self._complain, MAX_MAPPED_BYTES)
        return read_each(lines, _object, self._name, self._complain)

    def lookup(self, path: str) -> Lookup:
        """Return a function that finds a path in an object."""
        return path_lookup(path)


def path_lookup(path: str) -> Lookup:
    r"""Return a function that finds a path in parsed JSON.

    A dot within a key is written ``\.``.
    """
    steps = [re.sub(r"\\(.)", r"\1", step) for step in _STEP.findall(path)]
    if len(steps) == 1:
        only = steps[0]
        return lambda row: row.get(only) if isinstance(row, dict) else None
    return lambda row: _walk(row, steps)


class Element(Struct, frozen=True):
    """An element of a list or an object in a row: its value, its key, and the enclosing element."""

    value: object
    key: str
    outer: object


def lookups_at(level: int, rows: "JsonRows | CsvRows") -> Callable[[str], Lookup]:
    """Return a function that makes lookups for elements at some level of nesting.

    Level 0 is the row itself. In an element ``.`` is its value, ``@key`` its key, and ``^`` begins
    a path in the enclosing element.
    """
    if level == 0:
        return rows.lookup
    outer = lookups_at(level - 1, rows)

    def lookup(path: str) -> Lookup:
        if path == ".":
            return lambda element: element.value
        if path == "@key":
            return lambda element: element.key
        if path.startswith("^"):
            above = outer(path[1:])
            return lambda element: above(element.outer)
        below = path_lookup(path)
        return lambda element: below(element.value)

    return lookup


def elements(found: object, outer: object, what: str) -> list[Element]:
    """Return the elements of a list or an object, or the characters of a text.

    A missing value has no elements.

    Raises:
        BadInput: the value is of another type.
    """
    match found:
        case None:
            return []
        case dict():
            return [Element(value, key, outer) for key, value in found.items()]
        case list():
            return [Element(value, str(place), outer) for place, value in enumerate(found)]
        case str():
            signs = [sign for sign in found if not sign.isspace() and sign not in ",;"]
            return [Element(sign, str(place), outer) for place, sign in enumerate(signs)]
        case _:
            raise BadInput(f"{what}: the value that each names is not a list")


def _object(line: bytes) -> object:
    row = loads(line, exact_number)
    if not isinstance(row, dict):
        raise BadInput("the line is not a JSON object; write one object a line")
    return row


def _walk(value: object, steps: list[str]) -> object:
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isascii() and step.isdecimal():
            value = value[int(step)] if int(step[:6]) < len(value) else None
        else:
            return None
    return value


class CsvRows:
    """Rows of CSV cells. A path is the name of a column in the header."""

    def __init__(self, stream: Readable, name: str, complain: Complain, shape: CsvShape) -> None:
        self._name, self._complain, self._shape = name, complain, shape
        self._lines = numbered_lines(stream, name, complain)
        self._columns = list(shape.columns) or self._header()
        # columns without a name cannot be mapped, so they may be several
        for column, times in Counter(self._columns).items():
            if times > 1 and column:
                raise BadInput(
                    f"the column {column[:100]!r} occurs twice in the header; rename one", name
                )

    def __iter__(self) -> Iterator[tuple[int, object]]:
        """Yield each row of cells with its line number. Report invalid lines."""
        return read_each(self._lines, self._row, self._name, self._complain)

    def lookup(self, path: str) -> Lookup:
        """Return a function that reads a column's cell.

        It gives None for an empty cell.

        Raises:
            BadInput: there is no such column.
        """
        try:
            place = self._columns.index(path)
        except ValueError:
            known = ", ".join(self._columns)[:500]
            raise BadInput(
                f"the mapping names the column {path!r}; the file's columns are {known}",
                self._name,
            ) from None
        return lambda row: row[place] or None

    def _row(self, line: bytes) -> object:
        cells = self._cells(line)
        if len(cells) != len(self._columns):
            raise BadInput(wrong_length(len(cells), len(self._columns)))
        return cells

    def _header(self) -> list[str]:
        for number, line in self._lines:
            if is_separator_line(line):
                continue
            try:
                return self._cells(line)
            except BadInput as error:
                raise placed(error, self._name, number) from None
        raise BadInput("the file is empty; its first line names the columns", self._name)

    def _cells(self, line: bytes) -> list[str]:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadInput(
                f"byte 0x{line[error.start]:02x} is not UTF-8; save the file as UTF-8, or name its "
                "encoding in the mapping",
                f":{error.start + 1}",
            ) from None
        if "\0" in text:
            raise BadInput(
                "the row has a NUL character; leave it out", f":{text.index(chr(0)) + 1}"
            )
        reader = csv.reader(
            (text,), delimiter=self._shape.delimiter, quotechar=self._shape.quote, strict=True
        )
        try:
            return [cell.strip() for cell in next(reader)]
        except csv.Error as error:
            raise BadInput(not_csv(error)) from None


def is_separator_line(line: bytes) -> bool:
    """Return whether a line is ``sep=;``, which spreadsheet programs write before the header."""
    return line.startswith(b"sep=") and len(line) == len("sep=") + 1


def wrong_length(cells: int, columns: int) -> str:
    """Return the message about a row with another number of cells than the header."""
    said = f"the row has {cells} cell{'' if cells == 1 else 's'} and the header {columns}"
    if cells > columns:
        return f"{said}: {cells - columns} too many; quote a cell that holds the delimiter"
    return f"{said}: {columns - cells} too few; leave the cell of a missing value empty"


def not_csv(error: csv.Error) -> str:
    """Return the message about a row that is not CSV."""
    reason = str(error)
    if "new-line character" in reason:
        return "the lines end in a carriage return alone; end them with a line feed"
    if "unexpected end" in reason:
        return "a quote is not closed; a cell and its quotes end on the same line"
    return f"the row is not CSV: {reason}; a cell and its quotes end on the same line"
