"""Coup records from another party's file, read by a mapping."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.coup_line import CoupRecord, coup_from
from sabot.infrastructure.imports.input_lines import Complain, Readable, read_each
from sabot.infrastructure.imports.input_rows import CsvRows, JsonRows, Lookup
from sabot.infrastructure.imports.mapping import KINDS, BetKeys, Mapping, Source, Spec, source_of
from sabot.infrastructure.imports.parsing import parse_local, parse_time, show_time, whole

Rows = CsvRows | JsonRows
Keys = dict[str, Any]
"""Keys and values of a coup line, before validation."""
Read = Callable[[object], object]
"""Takes a row and returns a key's value, or None."""

_UNIX = {"unix": 6, "unix-ms": 3, "unix-us": 0}
"""Formats that count from 1970, with the number of decimal places to microseconds."""


def mapped_coups(
    stream: Readable, name: str, mapping: Mapping, complain: Complain
) -> Iterator[tuple[int, CoupRecord]]:
    """Yield each coup in a file with its line number.

    With several lines, it is the first line's.

    Raises:
        BadInput: the file lacks something that every row needs; errors of single rows are reported
        through ``complain``.
    """
    rows: Rows = (
        CsvRows(stream, name, complain, mapping.csv)
        if mapping.format == "csv"
        else JsonRows(stream, name, complain)
    )
    lines = read_each(rows, _Row(mapping, rows).read, name, complain)
    if mapping.rows == "bet":
        lines = _joined(lines, name, complain)
    return read_each(lines, coup_from, name, complain)


def _joined(
    lines: Iterator[tuple[int, Keys]], name: str, complain: Complain
) -> Iterator[tuple[int, Keys]]:
    """Combine consecutive lines of the same coup into one. It has all their bets."""
    first = 0
    coup: Keys | None = None
    for number, keys in lines:
        if coup is None or _which(keys) != _which(coup):
            if coup is not None:
                yield first, coup
            first, coup = number, keys
            continue
        other = next((key for key in keys if key != "bets" and keys[key] != coup.get(key)), None)
        if other is None and len(keys) != len(coup):
            other = next(key for key in coup if key not in keys)
        if other is not None:
            message = f"{other} is not as on line {first}, for the same coup; mend one of the rows"
            complain(BadInput(message, f"{name}:{number}"))
        coup["bets"] = [*coup["bets"], *keys["bets"]]
    if coup is not None:
        yield first, coup


def _which(keys: Keys) -> tuple[object, object]:
    return keys.get("shoe"), keys.get("coup")


class _Row:
    """A mapping prepared for the rows of one file."""

    def __init__(self, mapping: Mapping, rows: Rows) -> None:
        self._counts = source_of(mapping.coup.coup).count is not None
        self._shoe: object = None
        self._count = 0
        self._coup = _readers(mapping.coup, "", rows)
        self._called = _readers(mapping.called, "called.", rows)
        self._bets = [_BetReader(bet, rows) for bet in mapping.bets]

    def read(self, row: object) -> Keys:
        """Return the keys of a coup line for a row.

        Raises:
            BadInput: a key's value cannot be read.
        """
        keys = _read_all(self._coup, row)
        if self._counts:
            shoe = keys.get("shoe")
            self._count = self._count + 1 if shoe == self._shoe else 1
            self._shoe = shoe
            keys["coup"] = self._count
        if self._called:
            keys["called"] = _read_all(self._called, row)
        keys["bets"] = [bet for reader in self._bets for bet in reader.read(row)]
        return keys


class _BetReader:
    """Reads the bets of one ``[[bets]]`` section from a row."""

    def __init__(self, keys: BetKeys, rows: Rows) -> None:
        self._each = None if keys.each is None else rows.lookup(keys.each)
        self._skip_zero = keys.skip_zero
        self._readers = _readers(keys, "", rows)

    def read(self, row: object) -> Iterator[Keys]:
        """Yield each bet of a row."""
        places: object = [row] if self._each is None else self._each(row)
        if not isinstance(places, list):
            if places is None:
                return
            raise BadInput("bets: what each names is no list")
        for place in places:
            bet = _read_all(self._readers, place)
            amount = bet.get("amount")
            if amount is not None and not (self._skip_zero and amount == 0):
                yield bet


def _readers(section: msgspec.Struct, prefix: str, rows: Rows) -> list[tuple[str, Read]]:
    """Return a reader for each key that a section maps."""
    specs: list[tuple[str, Spec | None]] = [
        (key, getattr(section, key))
        for key in section.__struct_fields__
        if f"{prefix}{key}" in KINDS
    ]
    return [
        (key, _reader(f"{prefix}{key}", source_of(spec), rows))
        for key, spec in specs
        if spec is not None
    ]


def _read_all(readers: list[tuple[str, Read]], row: object) -> Keys:
    read = ((key, reader(row)) for key, reader in readers)
    return {key: value for key, value in read if value is not None}


def _reader(key: str, source: Source, rows: Rows) -> Read:
    """Return the reader of one key. Its errors name the key and its source."""
    if source.constant is not None or source.from_ is None:
        constant = source.constant
        return lambda _row: [constant] if KINDS[key] == "cards" and constant else constant
    paths = (source.from_,) if isinstance(source.from_, str) else source.from_
    lookups = [rows.lookup(path) for path in paths]
    convert = _CONVERTERS[KINDS[key]]
    label = f"{key} (from {', '.join(paths)})"
    many = not isinstance(source.from_, str)

    def read(row: object) -> object:
        value = _found(lookups, row) if many else lookups[0](row)
        if value is None or value == "":
            if source.optional:
                return None
            raise BadInput(f"{label}: the row has no value; say optional = true if it may lack it")
        try:
            return convert(value, source)
        except BadInput as error:
            raise BadInput(f"{label}: {error.message}") from None

    return read


def _found(lookups: list[Lookup], row: object) -> list[object] | None:
    """Return the values of several columns, or None. They are the cards of a hand."""
    values = [value for lookup in lookups if (value := lookup(row)) not in (None, "")]
    return values or None


def _translated(value: object, source: Source) -> object:
    if not source.values:
        return value
    try:
        return source.values[_text(value)]
    except KeyError:
        known = ", ".join(map(repr, source.values))[:300]
        raise BadInput(
            f"{_text(value)[:100]!r} is none of the mapping's values ({known}); add it there"
        ) from None


def _text(value: object) -> str:
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case dict() | list() | None:
            raise BadInput("here is no single value; name a key within it")
        case _:
            return str(value)


def _as_text(value: object, source: Source) -> object:
    return _text(_translated(value, source))


def _as_number(value: object, source: Source) -> object:
    return whole(_plain(_translated(value, source), source))


def _as_money(value: object, source: Source) -> object:
    return whole(_plain(_translated(value, source), source), source.scale or 0, source.round)


def _plain(value: object, source: Source) -> object:
    """Return a number's text without extra characters, and with a decimal point."""
    if not isinstance(value, str):
        return value
    for sign in source.remove:
        value = value.replace(sign, "")
    if source.decimal != ".":
        if "." in value:
            raise BadInput(f"{value[:40]!r} has a point, and decimal is {source.decimal!r}")
        value = value.replace(source.decimal, ".")
    return value.strip()


def _as_cards(value: object, source: Source) -> object:
    if isinstance(value, list):
        cards = value
    elif not isinstance(value, str):
        cards = [value]
    elif source.separator is None:
        raise BadInput(
            'the cards are one text; say in the mapping what parts them (separator = " ")'
        )
    else:
        cards = value.split(source.separator) if source.separator else list(value)
    read = [_text(_translated(card, source)).strip() for card in cards]
    return read if isinstance(value, list) else [card for card in read if card]


def _as_time(value: object, source: Source) -> object:
    text = _text(_translated(value, source))
    if source.format is None:
        return text
    if source.format in _UNIX:
        return _checked(whole(text, _UNIX[source.format], "down"))
    return show_time(parse_local(text, source.format, source.zone))


def _checked(micros: int) -> str:
    if micros < 0:
        raise BadInput("the time is before 1970")
    shown = show_time(micros)
    parse_time(shown)
    return shown


_CONVERTERS: dict[str, Callable[[object, Source], object]] = {
    "text": _as_text,
    "number": _as_number,
    "money": _as_money,
    "cards": _as_cards,
    "time": _as_time,
}
