"""Read coups from another program's file with a mapping."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from sabot.domain.values.cards import RANKS, SUITS, parse_card
from sabot.domain.values.errors import BadInput, shortened
from sabot.infrastructure.imports.coup_line import CoupRecord, coup_from
from sabot.infrastructure.imports.input_files import Recoded
from sabot.infrastructure.imports.input_lines import Complain, Readable, placed, read_each
from sabot.infrastructure.imports.input_rows import (
    CsvRows,
    JsonRows,
    Lookup,
    elements,
    lookups_at,
    path_lookup,
)
from sabot.infrastructure.imports.mapping import KINDS, BetKeys, Mapping, Source, Spec, source_of
from sabot.infrastructure.imports.parsing import parse_local, parse_time, show_time, whole

Rows = CsvRows | JsonRows
Keys = dict[str, Any]
"""Keys and values of a coup line, before validation."""
Read = Callable[[object], object]
"""Takes a row and returns a key's value, or None."""

_RANKS: Final = frozenset((*RANKS, *"0123456789", "10"))
_BETWEEN: Final = " -_/.:"
"""Signs between rank and suit."""
_UNIX = {"unix": 6, "unix-ms": 3, "unix-us": 0}
"""Formats that count from 1970, with the number of decimal places to microseconds."""


def mapped_coups(
    stream: Readable, name: str, mapping: Mapping, complain: Complain
) -> Iterator[tuple[int, CoupRecord]]:
    """Yield each coup in a file with its line number.

    If a coup has several lines, the number is that of the first.

    Raises:
        BadInput: the file lacks something that every row needs. Errors of single rows are reported
            through ``complain``.
    """
    if mapping.encoding != "utf-8":
        stream = Recoded(stream, name, mapping.encoding)
    rows: Rows = (
        CsvRows(stream, name, complain, mapping.csv)
        if mapping.format == "csv"
        else JsonRows(stream, name, complain)
    )
    lines = _read_rows(rows, _Row(mapping, rows), name, complain)
    if mapping.rows == "bet":
        lines = _joined(lines, name, complain)
    return read_each(lines, coup_from, name, complain)


def _read_rows(
    rows: Rows, reader: "_Row", name: str, complain: Complain
) -> Iterator[tuple[int, Keys]]:
    """Yield the coups of each row. Report rows that cannot be read, and skip them."""
    for number, row in rows:
        try:
            for keys in reader.read(row):
                yield number, keys
        except BadInput as error:
            complain(placed(error, name, number))


def _joined(
    lines: Iterator[tuple[int, Keys]], name: str, complain: Complain
) -> Iterator[tuple[int, Keys]]:
    """Combine consecutive lines of the same coup into one line with all bets."""
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
            message = (
                f"{other} is not as on line {first}, for the same coup; correct one of the rows"
            )
            complain(BadInput(message, f"{name}:{number}"))
        coup["bets"] = [*coup["bets"], *keys["bets"]]
    if coup is not None:
        yield first, coup


def _which(keys: Keys) -> tuple[object, object]:
    return keys.get("shoe"), keys.get("coup")


class _Row:
    """A mapping prepared for reading the rows of one file."""

    def __init__(self, mapping: Mapping, rows: Rows) -> None:
        self._counts = source_of(mapping.coup.coup).count is not None
        self._shoe: object = None
        self._count = 0
        each = mapping.coup.each
        self._each = None if each is None else rows.lookup(each)
        level = 0 if each is None else 1
        lookups = lookups_at(level, rows)
        self._coup = _readers(mapping.coup, "", lookups)
        self._called = _readers(mapping.called, "called.", lookups)
        self._bets = [_BetReader(bet, rows, level) for bet in mapping.bets]

    def read(self, row: object) -> Iterator[Keys]:
        """Yield the keys of a coup line for each coup of a row.

        Raises:
            BadInput: a key's value cannot be read.
        """
        if self._each is None:
            yield self._keys(row)
            return
        for element in elements(self._each(row), row, "coup"):
            try:
                yield self._keys(element)
            except BadInput as error:
                raise BadInput(
                    f"coup {int(element.key) + 1} of the line: {error.message}"
                ) from None

    def _keys(self, place: object) -> Keys:
        keys = _read_all(self._coup, place)
        if self._counts:
            shoe = keys.get("shoe")
            self._count = self._count + 1 if shoe == self._shoe else 1
            self._shoe = shoe
            keys["coup"] = self._count
        if self._called:
            keys["called"] = _read_all(self._called, place)
        keys["bets"] = [bet for reader in self._bets for bet in reader.read(place)]
        return keys


class _BetReader:
    """Reads the bets of one ``[[bets]]`` section, from a row or from one coup of a row."""

    def __init__(self, keys: BetKeys, rows: Rows, level: int) -> None:
        lookups = lookups_at(level, rows)
        self._each = None if keys.each is None else lookups(keys.each)
        self._skip_zero = keys.skip_zero
        own = lookups if keys.each is None else lookups_at(level + 1, rows)
        self._readers = _readers(keys, "", own)

    def read(self, row: object) -> Iterator[Keys]:
        """Yield each bet of a row."""
        for place in self._places(row):
            bet = _read_all(self._readers, place)
            amount = bet.get("amount")
            if amount is not None and not (self._skip_zero and amount == 0):
                yield bet

    def _places(self, row: object) -> list[Any]:
        if self._each is None:
            return [row]
        found = self._each(row)
        if isinstance(found, str):
            raise BadInput("bets: the value that each names is not a list")
        return list(elements(found, row, "bets"))


def _readers(
    section: msgspec.Struct, prefix: str, lookups: Callable[[str], Lookup]
) -> list[tuple[str, Read]]:
    """Return a reader for each key that a section maps."""
    specs: list[tuple[str, Spec | None]] = [
        (key, getattr(section, key))
        for key in section.__struct_fields__
        if f"{prefix}{key}" in KINDS
    ]
    return [
        (key, _reader(f"{prefix}{key}", source_of(spec), lookups))
        for key, spec in specs
        if spec is not None
    ]


def _read_all(readers: list[tuple[str, Read]], row: object) -> Keys:
    read = ((key, reader(row)) for key, reader in readers)
    return {key: value for key, value in read if value is not None}


def _reader(key: str, source: Source, lookups: Callable[[str], Lookup]) -> Read:
    """Return the reader of one key. Its errors name the key and its source."""
    if source.constant is not None or source.from_ is None:
        constant = source.constant
        return lambda _row: [constant] if KINDS[key] == "cards" and constant else constant
    if isinstance(source.from_, str):
        find, label = lookups(source.from_), f"{key} (from {source.from_})"
    else:
        find = _columns([_card_lookup(path, lookups) for path in source.from_])
        names = [path if isinstance(path, str) else " + ".join(path) for path in source.from_]
        label = f"{key} (from {', '.join(names)})"
    convert = _CONVERTERS[KINDS[key]]

    def read(row: object) -> object:
        try:
            value = find(row)
            return None if _is_left_out(value, source) else convert(value, source)
        except BadInput as error:
            raise BadInput(f"{label}: {error.message}") from None

    return read


def _columns(lookups: list[Lookup]) -> Lookup:
    """Return a function that reads the cards of a hand from several columns.

    It gives None if all of them are empty.
    """
    return lambda row: (
        [value for lookup in lookups if (value := lookup(row)) not in (None, "")] or None
    )


def _card_lookup(path: str | tuple[str, ...], lookups: Callable[[str], Lookup]) -> Lookup:
    """Return a function that reads a card from one column, or from rank and suit in two."""
    if isinstance(path, str):
        return lookups(path)
    rank, suit = map(lookups, path)

    def card(row: object) -> object:
        found = rank(row), suit(row)
        return None if found == (None, None) else found

    return card


def _is_none(value: object, source: Source) -> bool:
    """Return whether a value is missing, or a text that means "no value"."""
    if value is None or value == "":
        return True
    return (
        bool(source.none)
        and not isinstance(value, dict | list | tuple)
        and (_text(value).strip() in source.none)
    )


def _is_left_out(value: object, source: Source) -> bool:
    """Return whether an optional value is missing.

    Raises:
        BadInput: a value is missing that is not optional.
    """
    missing = _is_none(value, source)
    if missing and not source.optional:
        raise BadInput("the row has no value; set optional = true if it may lack it")
    return missing


def _translated(value: object, source: Source) -> object:
    if not source.values:
        return value
    try:
        return source.values[_text(value)]
    except KeyError:
        if source.others == "keep":
            return value
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
            raise BadInput("this is not a single value; name a key within it")
        case _:
            return str(value)


def _as_text(value: object, source: Source) -> object:
    return _text(_translated(value, source))


def _as_number(value: object, source: Source) -> object:
    return whole(_plain(_translated(value, source), source))


def _as_money(value: object, source: Source) -> object:
    return whole(_plain(_translated(value, source), source), source.scale or 0, source.round)


def _plain(value: object, source: Source) -> object:
    """Return the text of a number with a decimal point and without other characters."""
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
            'the cards are one text; set in the mapping what separates them (separator = " ")'
        )
    else:
        cards = value.split(source.separator) if source.separator else list(value)
    read = [_card(card, source) for card in cards if not _is_none(card, source)]
    return [card for card in read if card]


def _card(card: object, source: Source) -> str:
    """Return the text of a card, or an empty text."""
    if isinstance(card, dict) and source.card is not None:
        rank, suit = source.card
        card = path_lookup(rank)(card), path_lookup(suit)(card)
    if isinstance(card, tuple):
        rank, suit = ("" if _is_none(part, source) else _text(part).strip() for part in card)
        return _checked_card(_joined_card(rank, suit, source), f"{rank} {suit}".strip())
    text = _text(_translated(card, source)).strip()
    if text in source.none:
        return ""
    return _checked_card(_split_card(text, source) if source.suits or source.ranks else text, text)


def _checked_card(card: str, text: str) -> str:
    """Return a card as the mapping read it.

    Raises:
        BadInput: it is not a card.
    """
    if not card:
        return card
    try:
        return parse_card(card)
    except BadInput:
        raise BadInput(
            f"{shortened(text, 20)!r} is not a card; give its meaning in values, ranks or suits of "
            "the mapping, or list it in none if it means no card"
        ) from None


def _joined_card(rank: str, suit: str, source: Source) -> str:
    """Return the text of a card from its rank and suit as the file spells them."""
    if suit and not rank:
        raise BadInput(f"the suit {suit[:40]!r} has no rank")
    if source.suits and suit and suit not in source.suits and suit.lower() not in SUITS:
        known = ", ".join(map(repr, source.suits))[:300]
        raise BadInput(f"{suit[:40]!r} is none of the mapping's suits ({known}); add it there")
    return source.ranks.get(rank, rank) + source.suits.get(suit, suit)


def _split_card(text: str, source: Source) -> str:
    """Return the text of a card from a text that has the suit after or before the rank."""
    if text in source.ranks:
        return source.ranks[text]
    for suit in sorted(source.suits or SUITS, key=len, reverse=True):
        for rank in (text.removesuffix(suit), text.removeprefix(suit)):
            rest = rank.strip(_BETWEEN)
            if rank != text and (rest in source.ranks or rest.upper() in _RANKS):
                return _joined_card(rest, suit, source)
    return text


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
