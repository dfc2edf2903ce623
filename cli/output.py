"""Output of records in all formats.

The default is a table on a terminal and tab-separated lines elsewhere. Control and bidirectional
characters are shown as escapes. A CSV or TSV cell that a spreadsheet would run as a formula begins
with an apostrophe. The same records always give the same output.
"""

import csv
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Final, TextIO, TypeVar
from unicodedata import category, normalize

import typer

from sabot.cli.columns import FIRST_AND_COUNT, Column
from sabot.cli.output_files import check_ending, open_output
from sabot.cli.text.words import money, printable, to_json
from sabot.domain.events.points_in_time import format_time


class CaseFormat(StrEnum):
    """The formats of a report on cases."""

    TABLE = "table"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    HTML = "html"


class ReportFormat(StrEnum):
    """The formats of a report on findings."""

    TABLE = "table"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    SARIF = "sarif"
    HTML = "html"


_Form = TypeVar("_Form", bound=StrEnum)


def report_format(form: _Form | None, output: str, forms: type[_Form]) -> _Form:
    """Return the format of a report: as requested, or from the extension of the output.

    Args:
        form: the value of ``--format``, or None.
        output: the file, or ``-``.
        forms: the formats of the report.

    Raises:
        BadInput: the extension names no format.
    """
    if form is not None:
        return form
    if output == "-":
        on_terminal = sys.stdout is not None and sys.stdout.isatty()
        return forms("table" if on_terminal else "tsv")
    return format_of_extension(output, forms) or forms("tsv")


__all__ = [
    "Column",
    "Format",
    "FormatOption",
    "OutputOption",
    "Row",
    "emit",
    "open_output",
    "printable",
    "to_json",
]

Row = Mapping[str, object]


class Format(StrEnum):
    """The formats of a list of records."""

    TABLE = "table"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


DATA_ENDINGS: Final = tuple(f".{form.value}" for form in Format if form is not Format.TABLE)
"""The extensions of lists."""


def format_option(forms: type[StrEnum], otherwise: str) -> object:
    """Return the option ``--format``. Its help lists the formats, so that none is cut."""
    *first, last = forms
    return typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"Output format: {', '.join(first)} or {last}. Default: from the extension of "
        f"--output, otherwise {otherwise}.",
        show_default=False,
    )


_OTHERWISE: Final = "table on a terminal, tsv in a pipe"
FormatOption = Annotated[Format | None, format_option(Format, _OTHERWISE)]
CaseFormatOption = Annotated[CaseFormat | None, format_option(CaseFormat, _OTHERWISE)]
ReportFormatOption = Annotated[ReportFormat | None, format_option(ReportFormat, _OTHERWISE)]
OutputOption = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="File to write; - is standard output."),
]

_FORMULA: Final = "=+-\N{MINUS SIGN}@"
"""The signs that begin a formula."""
_FORMULA_OR_QUOTE: Final = f'{_FORMULA}"'
"""These, and the sign that a reader of TSV may take off, so that what follows begins the cell."""
_BLANK: Final = "ZC"
"""The classes of the signs that show nothing: spaces, controls and marks of format."""
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?(?:/[0-9]+)?")
"""A number or a fraction, which is not a formula."""


def emit(  # noqa: PLR0913 - the options of every reading verb, passed on as they are
    rows: Iterable[Row],
    columns: Sequence[Column],
    form: Format | None = None,
    output: str = "-",
    *,
    title: str | None = None,
    document: object = None,
) -> None:
    """Write records in the requested format.

    Args:
        rows: the records; a missing key is null. Each is written at once, except in a table or a
            JSON document, which is written after the last record.
        columns: the keys, in order.
        form: the format; None means the default that ``FormatOption`` describes.
        output: a file's path, or ``-`` for standard output. A file appears only when it is
            complete.
        title: a heading, used in a table only.
        document: an object for ``json`` to write instead of an array of the records.

    Raises:
        SabotError: the output cannot be written.
    """
    form = form or format_for(output)
    with open_output(output) as stream:
        match form:
            case Format.TABLE:
                _write_table(rows, columns, title, stream, to_file=output != "-")
            case Format.TSV:
                _write_tsv(rows, columns, stream)
            case Format.CSV:
                _write_csv(rows, columns, stream)
            case Format.JSONL:
                for row in rows:
                    stream.write(to_json(_record(row, columns)) + "\n")
            case Format.JSON if document is None:
                _write_array(rows, columns, stream)
            case Format.JSON:
                stream.write(to_json(document, indent=2) + "\n")


def format_for(output: str) -> Format:
    """Return the format of a list if none was requested.

    Raises:
        BadInput: the extension of the output names no format.
    """
    if output == "-":
        return Format.TABLE if sys.stdout is not None and sys.stdout.isatty() else Format.TSV
    return format_of_extension(output, Format) or Format.TSV


def format_of_extension(output: str, forms: type[_Form]) -> _Form | None:
    """Return the format of a file's extension. Return None without an extension.

    Raises:
        BadInput: the extension names no format.
    """
    endings = {_ending(form.value): form for form in forms if form.value != "table"}
    suffix = check_ending(output, tuple(endings), "; or give --format")
    return endings[suffix] if suffix else None


def _ending(form: str) -> str:
    return ".txt" if form == "text" else f".{form}"


def _record(row: Row, columns: Sequence[Column]) -> dict[str, object]:
    return {column.key: row.get(column.key) for column in columns}


def _text(value: object) -> str:
    """Return a value as a cell's text: null is empty, lists and maps are JSON."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return repr(value)
        case _:
            return to_json(value)


def _write_table(
    rows: Iterable[Row],
    columns: Sequence[Column],
    title: str | None,
    stream: TextIO,
    *,
    to_file: bool,
) -> None:
    # importing rich takes longer than running most verbs
    from sabot.cli.table_text import write_table  # noqa: PLC0415

    shown = [column for column in columns if column.in_table]
    cells = [[_cell(column, row) for column in shown] for row in rows]
    write_table(shown, cells, title, stream, to_file=to_file)


def _write_tsv(rows: Iterable[Row], columns: Sequence[Column], stream: TextIO) -> None:
    """Write a line of names, and each record.

    Tab, newline and backslash are escaped.
    """
    shown = _flat(columns)
    stream.write("\t".join(name for column in shown for name in _names(column)) + "\n")
    for row in rows:
        values = (value for column in shown for value in _values(column, row))
        cells = [_no_formula(value, _FORMULA_OR_QUOTE) for value in values]
        stream.write("\t".join(printable(cell.replace("\\", "\\\\")) for cell in cells) + "\n")


def _write_csv(rows: Iterable[Row], columns: Sequence[Column], stream: TextIO) -> None:
    shown = _flat(columns)
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([name for column in shown for name in _names(column)])
    for row in rows:
        cells = [_no_formula(value) for column in shown for value in _values(column, row)]
        writer.writerow([printable(cell) for cell in cells])


def _flat(columns: Sequence[Column]) -> list[Column]:
    """Return the columns of CSV and TSV, with one column for each time."""
    keys = {column.key for column in columns}
    return [
        column for column in columns if column.key.removesuffix("_us") not in keys - {column.key}
    ]


def _names(column: Column) -> list[str]:
    """Return the names of a column in CSV and TSV, one per part."""
    return [f"{column.csv_name}_{part}" for part in column.parts] or [column.csv_name]


def _values(column: Column, row: Row) -> list[object]:
    """Return the values of a column in CSV and TSV. Times are ISO 8601."""
    value = row.get(column.key)
    if column.parts:
        known: Mapping[str, object] = {}
        if isinstance(value, Mapping):
            known = value
        elif column.parts == FIRST_AND_COUNT and isinstance(value, (list, tuple)):
            known = {"first": next(iter(value), None), "count": len(value)}
        elif isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
            known = {part: [str(each[part] or "") for each in value] for part in column.parts}
        elif isinstance(value, (list, tuple)):
            known = dict(zip(column.parts, value, strict=True))
        return [_part(known, part) for part in column.parts]
    if column.key.endswith("_us") and isinstance(value, int):
        return [format_time(value)]
    return [value]


def _part(value: Mapping[str, object], part: str) -> object:
    units, found = value.get("minor_units"), value.get(part)
    return Amount.of(found, units) if isinstance(found, int) and isinstance(units, int) else found


def _plain(value: object) -> str:
    """Return a value as a cell of CSV and TSV.

    Amounts are decimals; the items of a list are separated by semicolons.
    """
    match value:
        case Amount():
            return money(value, value.minor_units).replace(",", "")
        case list() | tuple() if all(isinstance(each, (str, int)) for each in value):
            return "; ".join(map(str, value))
        case _:
            return _text(value)


def _no_formula(value: object, signs: str = _FORMULA) -> str:
    """Return a cell of CSV and TSV that no spreadsheet runs as a formula.

    A cell that begins with one of the signs gets an apostrophe before it. The first visible
    character decides. A small, raised or fullwidth form counts as the plain character. A negative
    number or fraction remains a number.
    """
    text = _plain(value)
    shown = (sign for sign in normalize("NFKC", text) if category(sign)[0] not in _BLANK)
    runs = next(shown, "x") in signs or text.startswith(("\t", "\r", "\n"))
    return f"'{text}" if runs and not _NUMBER.fullmatch(text) else text


def _write_array(rows: Iterable[Row], columns: Sequence[Column], stream: TextIO) -> None:
    """Write one JSON array with one record a line."""
    separator = "[\n"
    for row in rows:
        stream.write(separator + to_json(_record(row, columns)))
        separator = ",\n"
    stream.write("[]\n" if separator == "[\n" else "\n]\n")


def _cell(column: Column, row: Row) -> tuple[str, str]:
    """Return the text of a table's cell, and its style."""
    value = row.get(column.key)
    text = _text(value) if column.show is None else column.show(value)
    if column.note and (note := row.get(column.note)):
        text = f"{text} [{note}]"
    return text, column.style if isinstance(column.style, str) else column.style(value)


class Amount(int):
    """An amount in minor units, with the number of decimals of its currency."""

    minor_units: int = 2

    @classmethod
    def of(cls, minor: int, minor_units: int) -> "Amount":
        """Return the amount in a currency with the given number of decimals."""
        amount = cls(minor)
        amount.minor_units = minor_units
        return amount


def amount_column(
    key: str, title: str | None = None, *, in_table: bool = True, rank: int = 0
) -> Column:
    """Return a column of amounts: unknown ones are empty, losses are red."""
    return Column(key, title, right=True, show=_shown, style=_style, in_table=in_table, rank=rank)


def with_amounts(record: Mapping[str, object], *keys: str) -> dict[str, object]:
    """Return the record with the named numbers as amounts, using its own ``minor_units``."""
    units = record.get("minor_units")
    decimals = units if isinstance(units, int) else 2
    return {**record} | {
        key: Amount.of(value, decimals) for key in keys if isinstance(value := record.get(key), int)
    }


def _shown(value: object) -> str:
    return money(value, value.minor_units) if isinstance(value, Amount) else ""


def _style(value: object) -> str:
    return "red" if isinstance(value, int) and value < 0 else ""
