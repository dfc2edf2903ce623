"""Columns of lists in the output of verbs."""

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

FIRST_AND_COUNT: Final = ("first", "count")
"""The parts of a list that CSV and TSV have no room for."""


class Column(Struct, frozen=True):
    """A column of a list.

    Attributes:
        key: the key of the value in a record, and in JSON.
        title: the heading in a table; the name in CSV with blanks, if None.
        right: whether cells are aligned to the right.
        show: returns the value as text for a table; the other formats contain the value itself.
        style: a rich style, or a function that returns one for a value.
        in_table: False leaves the column out of tables.
        wraps: True for sentences and lists, which may take several lines; names never wrap.
        items: True for a list whose text has one item a line; an item is never broken.
        rank: the order in which a narrow terminal drops columns: the highest rank first, and the
            last of equals. Columns that identify a row or carry its answer have no rank, or a
            negative one. The first column always stays.
        name: the name of the column in CSV and TSV; made from the key, if empty.
        parts: keys of a map, or names of the items of a list, that become separate columns in CSV
            and TSV. ``first`` and ``count`` are the first item of a list and their number.
        note: the key of a text that a table puts after the value, in brackets.
    """

    key: str
    title: str | None = None
    right: bool = False
    show: Callable[[object], str] | None = None
    style: str | Callable[[object], str] = ""
    in_table: bool = True
    wraps: bool = False
    items: bool = False
    rank: int = 0
    name: str = ""
    parts: tuple[str, ...] = ()
    note: str = ""

    @property
    def heading(self) -> str:
        """The heading in a table."""
        return self.csv_name.replace("_", " ") if self.title is None else self.title

    @property
    def csv_name(self) -> str:
        """The name in CSV and TSV. An index is named as the event that it belongs to."""
        if self.name:
            return self.name
        if self.key in {"at_us", "recorded_us"}:
            return self.key.removesuffix("_us")
        if self.key == "index":
            return "event"
        return re.sub("_us$", "_at", re.sub("_index$", "_event", self.key))
