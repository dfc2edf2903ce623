"""Draft a mapping from the first rows of a file.

The names of columns and their values suggest what a column is. The draft shows a value of each
column and lists the columns that it does not use, so that the user can correct the guesses.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from typing import Final

from sabot.domain.rules.wagers import WAGER_ON
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.card_words import options_for
from sabot.infrastructure.imports.column_guesses import (
    BET,
    SIDES,
    TIE,
    TOTAL,
    Column,
    card_columns,
    card_keys,
    card_texts,
    coups_of,
    is_number,
    is_of_cards,
    is_stake,
    meant,
    named,
    no_cards,
    pairs,
    reads,
    separator,
    time_format,
)
from sabot.infrastructure.imports.input_files import Peeked, Recoded
from sabot.infrastructure.imports.input_lines import MAX_MAPPED_BYTES, numbered_lines
from sabot.infrastructure.imports.input_rows import is_separator_line, not_csv, wrong_length
from sabot.infrastructure.imports.parsing import whole
from sabot.infrastructure.imports.strict_json import loads

ROWS: Final = 200
"""Number of rows from which a draft is made."""
_LISTED: Final = 50
"""The most columns of a hand, and the most unused columns that are listed."""
_NAME: Final = 200
"""The most signs of a column's name."""
_NO_ZEROS: Final = "skip_zero = true"
"""The line that leaves out bets with a stake of zero. The rows after the first may have some."""
_EXAMPLE: Final = 40
"""The most signs of an example."""


def draft_mapping(file: Peeked) -> str:
    """Return the text of a mapping for a file of CSV or JSON lines.

    Raises:
        BadInput: the file is empty, or its first rows are neither CSV nor JSON objects.
    """
    encoding = _encoding(file.first)
    stream = file if encoding == "utf-8" else Recoded(file, file.name, encoding)
    numbered = numbered_lines(stream, file.name, _fail, MAX_MAPPED_BYTES)
    rows = list(islice(numbered, ROWS + 1))
    codec = "utf-8" if all(_is_utf8(row) for _, row in rows) else "cp1252"
    encoding = codec if stream is file else encoding
    lines = {number: row.decode(codec, "replace") for number, row in rows}
    if not lines:
        raise BadInput("the file is empty; its first line names the columns", file.name)
    number, first = next(iter(lines.items()))
    if first.lstrip().startswith("{"):
        return _Draft("jsonl", encoding, "", _of_objects(lines, file.name)).text()
    if is_separator_line(first.encode()):
        delimiter = first[-1]
        del lines[number]
    else:
        delimiter = max(",;\t|", key=lambda sign: (first.count(sign), sign == ","))
    columns, unread = _of_cells(lines, delimiter, file.name)
    return _Draft("csv", encoding, delimiter, columns, unread).text()


def _fail(error: Exception) -> None:
    raise error


def _encoding(first: bytes) -> str:
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in first:
        return "utf-16-le" if any(first[:16:2]) else "utf-16-be"
    return "utf-8" if _is_utf8(first) else "cp1252"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _of_cells(lines: dict[int, str], delimiter: str, name: str) -> tuple[list[Column], list[str]]:
    """Return the columns of a file, and a comment on rows that are too short or too long.

    Raises:
        BadInput: a row is not CSV, or each has another number of cells than the header.
    """
    reader = csv.reader(lines.values(), delimiter=delimiter, strict=True)
    numbers = list(lines)
    try:
        header, *rows = [(numbers[reader.line_num - 1], row) for row in reader] or [(1, [])]
    except csv.Error as error:
        raise BadInput(not_csv(error), name) from None
    titles = header[1]
    fit = [row for _, row in rows if len(row) == len(titles)]
    wrong = [
        (number, wrong_length(len(row), len(titles)))
        for number, row in rows
        if len(row) != len(titles)
    ]
    for number, said in [] if fit else wrong:
        raise BadInput(said, f"{name}:{number}")
    columns = [
        Column(title.strip(), [row[place] for row in fit]) for place, title in enumerate(titles)
    ]
    more = f" ({len(wrong)} such rows)" if len(wrong) > 1 else ""
    return columns, [f"# line {number}: {said}{more}" for number, said in wrong[:1]]


def _of_objects(lines: dict[int, str], name: str) -> list[Column]:
    rows: list[object] = []
    for number, line in lines.items():
        try:
            rows.append(loads(line.encode()))
        except BadInput as error:
            raise error.at(f"{name}:{number}{error.where}") from None
    return _columns_of(rows)


def _columns_of(rows: Sequence[object]) -> list[Column]:
    """Return the paths in JSON values, each with its value in every row."""
    columns: dict[str, Column] = {}
    for place, row in enumerate(rows):
        for path, value in _leaves(row, ""):
            columns.setdefault(path, Column(path, [None] * place)).values.append(value)
        for column in columns.values():
            column.values += [None] * (place + 1 - len(column.values))
    return list(columns.values())


def _leaves(value: object, path: str) -> Iterable[tuple[str, object]]:
    if not isinstance(value, dict):
        yield path or ".", value
        return
    for key, below in value.items():
        step = re.sub(r"([.\\])", r"\\\1", key)
        yield from _leaves(below, f"{path}.{step}" if path else step)


def _by_shoe(columns: list[Column]) -> tuple[str, list[Column], list[Column]]:
    """Return the column with the coups of a shoe, by name, the columns of a coup, and the others.

    The name is empty if each row is a coup.
    """
    for column in columns:
        coups = coups_of(column)
        inner = _columns_of(coups)
        of_coups = named(column, "coup") or any(
            each.name == "." or is_of_cards(each) for each in inner
        )
        if coups and of_coups:
            rest = [Column(f"^{each.name}", each.values) for each in columns if each is not column]
            return column.name, inner, rest
    return "", columns, []


class _Draft:
    """The draft for one file, in which each column is used at most once."""

    def __init__(
        self,
        form: str,
        encoding: str,
        delimiter: str,
        columns: list[Column],
        unread: Sequence[str] = (),
    ) -> None:
        self._form, self._encoding, self._delimiter = form, encoding, delimiter
        self._unread = unread
        known = [column for column in columns if 0 < len(column.name) <= _NAME]
        self._each, self._left, self._of_shoe = _by_shoe(known)

    def text(self) -> str:
        """Return the mapping."""
        lines = self._file()
        outcome = self._outcome()
        bets = self._bets()
        hands = self._hands()
        if any(hands.values()) or outcome is None:
            missing = {side: [f'{side} = "the column of {side}"'] for side in SIDES}
            hands = {side: hands[side] or missing[side] for side in SIDES}
        totals = [line for side in SIDES for line in self._total(side)]
        lines += ["", "[coup]", *self._identity(), *chain.from_iterable(hands.values())]
        if outcome is not None or totals:
            lines += ["", "[called]", *totals, *([outcome] if outcome is not None else [])]
        return "\n".join([*lines, *bets, *self._unused()]) + "\n"

    def _file(self) -> list[str]:
        """Return the lines on the file as a whole."""
        lines = [
            "# A draft: compare it with the file, then check it with `sabot import --dry-run`.",
            *self._unread,
            f"format = {_quoted(self._form)}",
        ]
        if self._encoding != "utf-8":
            lines.append(f"encoding = {_quoted(self._encoding)}")
        if self._delimiter not in ("", ","):
            lines += ["", "[csv]", f"delimiter = {_quoted(self._delimiter)}"]
        return lines

    def _unused(self) -> list[str]:
        """Return the lines on the columns that are not used."""
        if not self._left:
            return []
        return [
            "",
            "# columns that are not used, with a value of each:",
            *[f"#   {_quoted(each.name)}: {_example(each)}" for each in self._left[:_LISTED]],
        ]

    def _take(
        self, fits: Callable[[Column], bool], among: list[Column] | None = None
    ) -> Column | None:
        """Return the first unused column that satisfies a condition, and mark it as used."""
        columns = self._left if among is None else among
        found = next((column for column in columns if fits(column)), None)
        if found is not None:
            columns.remove(found)
        return found

    def _take_named(self, key: str) -> list[Column]:
        """Return the unused column whose name suggests a key. None otherwise."""
        found = self._take(lambda each: named(each, key) and bool(each.texts))
        return [] if found is None else [found]

    def _identity(self) -> list[str]:
        shoe = self._take(
            lambda each: named(each, "shoe") and bool(each.texts),
            self._of_shoe if self._each else self._left,
        )
        coup = self._take(lambda each: named(each, "coup") and each.all(str.isdecimal))
        self._left += self._of_shoe
        lines = [f"each = {_quoted(self._each)}"] if self._each else []
        if shoe is not None:
            lines.append(f"shoe = {_quoted(shoe.name)}")
        elif self._each:
            lines.append('shoe = "^the column of shoe"')
        else:
            lines.append('shoe = { constant = "shoe-1" }')
        lines.append(
            'coup = { count = "lines" }' if coup is None else f"coup = {_quoted(coup.name)}"
        )
        for key in ("table", "decks"):
            lines += [_line(key, each) for each in self._take_named(key)]
        return [*lines, *self._time()]

    def _time(self) -> list[str]:
        for column in list(self._left):
            form = time_format(column)
            if form is not None:
                self._left.remove(column)
                options = [f"format = {_quoted(form)}"] if form else []
                options += ['zone = "UTC"'] if "%" in form else []
                return [_line("at", column, *options)]
        return []

    def _hands(self) -> dict[str, list[str]]:
        """Return each hand's line, if the file has it.

        Words found in one column, for example for "no card" or a rank, may occur in the other
        columns after the first rows.
        """
        cards = {side: self._cards(side) for side in SIDES}
        used = [column for hand in cards.values() for card in hand for column in card]
        none = sorted({text for column in used for text in no_cards(column)})
        words = options_for({text for column in used for text in card_texts(column)})
        tables = [f"{name} = {_table(table)}" for name, table in words.items()]
        return {
            side: [_hand(side, hand, none, tables)] if hand else [] for side, hand in cards.items()
        }

    def _cards(self, side: str) -> list[tuple[Column, ...]]:
        """Return the columns of each card of a hand, or the column that holds the whole hand."""
        own = [each for each in self._left if SIDES[side].search(each.lower)][:_LISTED]
        one = [each for each in own if is_of_cards(each)][:1]
        found = pairs(own) or [(each,) for each in card_columns(own) or one]
        used = [column for card in found for column in card]
        self._left = [column for column in self._left if column not in used]
        return found

    def _total(self, side: str) -> list[str]:
        column = self._take(
            lambda each: (
                bool(SIDES[side].search(each.lower) and TOTAL.search(each.lower))
                and each.all(lambda text: re.fullmatch(r"[0-9](\.0+)?", text) is not None)
            )
        )
        return [_line(side, column)] if column is not None else []

    def _outcome(self) -> str | None:
        column = self._take(
            lambda each: not BET.search(each.lower) and each.all(lambda text: bool(meant(text)))
        )
        if column is None:
            return None
        values = {text: meant(text) for text in sorted(set(column.texts))}
        same = all(text == meant for text, meant in values.items())
        return _line("outcome", column, *([] if same else [f"values = {_table(values)}"]))

    def _bets(self) -> list[str]:
        wager = self._take(lambda each: each.all(lambda text: bool(meant(text))))
        patron = self._take(lambda each: named(each, "patron") and bool(each.texts))
        who = '{ constant = "unnamed" }' if patron is None else _quoted(patron.name)
        return self._stakes(who) if wager is None else self._bet_on(wager, who)

    def _bet_on(self, wager: Column, who: str) -> list[str]:
        """Return the lines of the mapping for a bet whose wager is given in a column."""
        amount = self._take(lambda each: is_stake(each) and not each.is_empty)
        if amount is None:
            self._left.append(wager)
            return []
        values = {text: WAGER_ON[meant(text)] for text in sorted(set(wager.texts))}
        same = all(text == name for text, name in values.items())
        lines = ["", "[[bets]]", f"patron = {who}"]
        lines += [_line("wager", wager, *([] if same else [f"values = {_table(values)}"]))]
        lines += [_money("amount", amount), _NO_ZEROS]
        net = self._take(lambda each: named(each, "net") and each.all(is_number))
        return lines + ([_money("net", net)] if net is not None else [])

    def _stakes(self, who: str) -> list[str]:
        """Return the lines of the bets on each wager that has a column of its own."""
        stakes: dict[str, Column] = {}
        for name, pattern in (*SIDES.items(), ("tie", TIE)):
            found = (e for e in self._left if pattern.search(e.lower) and is_stake(e))
            for column in islice(found, 1):
                stakes[name] = column
                self._left.remove(column)
        lines: list[str] = []
        for name, column in stakes.items():
            lines += ["", "[[bets]]", f"patron = {who}", f'wager = {{ constant = "{name}" }}']
            lines += [_money("amount", column, tuple(stakes.values())), _NO_ZEROS]
        return lines


def _hand(
    side: str, cards: Sequence[tuple[Column, ...]], none: Sequence[str], tables: Sequence[str]
) -> str:
    """Return the TOML line that maps a hand's cards, with the options that all hands share."""
    if len(cards) == 1 and len(cards[0]) == 1:
        (column,) = cards[0]
        return _line(side, column, *_hand_options(column), *tables, none=none)
    source = f"[{', '.join(map(_source_of, cards))}]"
    options = [f"none = [{', '.join(map(_quoted, none))}]"] if none else []
    options += tables
    if not options:
        return f"{side} = {source}"
    return f"{side} = {{ {', '.join([f'from = {source}', *options])} }}"


def _hand_options(column: Column) -> list[str]:
    """Return the options that say how a hand in one column is divided into cards."""
    if not any(isinstance(value, list) for value in column.values):
        return [f"separator = {_quoted(separator(column) or '')}"]
    keys = card_keys(column)
    return [] if keys is None else [f"card = [{', '.join(map(_quoted, keys))}]"]


def _money(key: str, column: Column, alike: Sequence[Column] = ()) -> str:
    """Return the line of an amounts column, in whole units.

    ``alike`` are the columns in which amounts are written as in this one.
    """
    options = ["scale = 2"]
    texts = [text for each in alike or (column,) for text in each.texts]
    if any(re.search(r",[0-9]{1,2}$", text) for text in texts):
        options += ['decimal = ","', 'remove = "."']
    elif any("," in text for text in texts):
        options += ['remove = ","']
    elif not all(map(reads(lambda text: whole(text, 2)), texts)):
        options += ['round = "nearest"']
    return _line(key, column, *options)


def _line(key: str, column: Column, *options: str, none: Sequence[str] = ()) -> str:
    """Return the line of a key, with an example of the column's values as a comment.

    ``none`` are the texts that mean "no value", if they are not those of the column.
    """
    every = [*options]
    none = none or column.none
    every += [f"none = [{', '.join(map(_quoted, none))}]"] if none else []
    every += ["optional = true"] if column.lacks else []
    source = _quoted(column.name)
    value = f"{{ {', '.join([f'from = {source}', *every])} }}" if every else source
    return f"{key} = {value}  # {_example(column)}"


def _example(column: Column) -> str:
    """Return a value of a column as a comment."""
    value = next((each for each in column.values if each not in (None, "")), None)
    text = "no values" if value is None else json.dumps(value).replace("\x7f", "?")
    return text if len(text) <= _EXAMPLE else f"{text[: _EXAMPLE - 1]}…"


def _table(values: dict[str, str]) -> str:
    return (
        "{ " + ", ".join(f"{_quoted(key)} = {_quoted(each)}" for key, each in values.items()) + " }"
    )


def _quoted(text: str) -> str:
    """Return a text as a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _source_of(card: tuple[Column, ...]) -> str:
    """Return the column of a card, or its columns of rank and suit."""
    names = [_quoted(column.name) for column in card]
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"
