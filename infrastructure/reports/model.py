"""A report as a typed model: sections of tables, charts and pictures.

The model has no layout. All formats of output are made from the same model, so they have the same
figures.
"""

from fractions import Fraction
from typing import Literal, TypeAlias

from msgspec import Struct

from sabot.domain.views.coup_view import FeltCoup

Kind = Literal["text", "count", "number", "money", "time", "rate"]
"""What a column holds.

``count`` is an integer, ``number`` a decimal, ``money`` an exact amount with its currency, ``time``
a moment, ``rate`` a share of one, shown in percent.
"""


Amount: TypeAlias = int | Fraction
"""Minor units of a currency; a fraction before rounding, or of an expectation."""


class Money(Struct, frozen=True):
    """An exact amount in minor units, with the currency and its decimals."""

    minor: Amount
    currency: str
    minor_units: int = 2


class Moment(Struct, frozen=True, order=True):
    """A time on the table's clock, in microseconds (UTC)."""

    us: int


class Unknown(Struct, frozen=True):
    """A value that cannot be determined from the record, with the reason."""

    why: str


class Linked(Struct, frozen=True):
    """A text with the address to which it links. Without an address it is plain text."""

    text: str
    url: str | None = None


class Cited(Struct, frozen=True):
    """A source of a report. ``rules`` are the numbers of the broken rules that cite it."""

    text: str
    url: str | None = None
    rules: tuple[str, ...] = ()

    @property
    def for_rules(self) -> str:
        """The numbers of the rules before the text, such as ``T101, T104: ``; may be empty."""
        return f"{', '.join(self.rules)}: " if self.rules else ""


class Named(Struct, frozen=True):
    """A name of the record with its label: pages and text show the label, CSV and JSON the name."""

    name: str
    label: str


Value: TypeAlias = str | int | float | Fraction | Money | Moment | Unknown | Linked | Named | None
"""A cell. A `Fraction` is an exact rate; None is empty, because the cell does not apply."""


class Column(Struct, frozen=True):
    """A column: its key in JSON and CSV, its heading, and the type of its cells.

    ``weight`` is the share of the width that a long text gets if it has to be wrapped.
    """

    key: str
    title: str
    kind: Kind = "text"
    weight: int = 1


Row: TypeAlias = tuple[Value, ...]
"""A value for each column."""


class Table(Struct, frozen=True):
    """A table of a report.

    ``totals`` are rows of sums, one for each currency. ``empty`` is the sentence shown instead of a
    table without rows. ``notes`` say how the columns are computed.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    totals: tuple[Row, ...] = ()
    empty: str = "None in this period."
    notes: tuple[str, ...] = ()


class Bar(Struct, frozen=True):
    """A bar of a chart: a value, and the band in which it was expected.

    ``label`` names it; ``shown`` is the value as text. ``low`` and ``high`` are the ends of the
    band, or None.
    """

    label: str
    value: float
    shown: str
    low: float | None = None
    high: float | None = None


class Chart(Struct, frozen=True):
    """Horizontal bars around zero; ``note`` explains the band."""

    key: str
    title: str
    bars: tuple[Bar, ...]
    note: str = ""


class Curve(Struct, frozen=True):
    """A line over coups that begins with 0. ``level`` is a value to compare with.

    ``values`` has the value after each coup. ``alarm`` is the number of the coup at which the line
    first reached the level, None if it never did.
    """

    key: str
    title: str
    values: tuple[float, ...]
    level: float
    level_name: str
    alarm: int | None = None
    note: str = ""


class Picture(Struct, frozen=True):
    """A picture of a coup's cards and bets, with the text that it illustrates."""

    title: str
    coup: FeltCoup
    caption: str
    minor_units: int = 2
    currency: str = ""


class Pictures(Struct, frozen=True):
    """The pictures of a section."""

    key: str
    title: str
    pictures: tuple[Picture, ...]


class Figures(Struct, frozen=True):
    """Names with their values, one pair per line."""

    key: str
    title: str
    figures: tuple[tuple[str, Value], ...]


Section: TypeAlias = Table | Chart | Curve | Pictures | Figures


class Report(Struct, frozen=True):
    """A report of one kind.

    ``sections`` are in the order of reading; the first table is the main one. ``appendices`` are
    printed on request. ``unknown`` lists what the record did not determine. ``sources`` are the
    texts behind the report.
    """

    kind: str
    title: str
    sections: tuple[Section, ...]
    appendices: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    sources: tuple[Cited, ...] = ()

    def tables(self) -> tuple[Table, ...]:
        """The tables of the report and of its appendices, the main one first."""
        return tuple(each for each in (*self.sections, *self.appendices) if isinstance(each, Table))


def unknown_in(sections: tuple[Section, ...]) -> tuple[str, ...]:
    """Return the reasons for unknown values in tables, each once, with the column."""
    found: dict[str, None] = {}
    for section in sections:
        if isinstance(section, Table):
            for row in (*section.rows, *section.totals):
                for column, value in zip(section.columns, row, strict=True):
                    if isinstance(value, Unknown):
                        found[f"{column.title}: {value.why}"] = None
    return tuple(found)
