"""Guess what a column of another program's file holds, from its name and its first values."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, takewhile
from typing import Final

from msgspec import Struct

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.card_words import NO_CARD, is_card, is_suit
from sabot.infrastructure.imports.parsing import parse_local, parse_time

_SEPARATORS: Final = (" ", ",", ";", "|", "/", "-", "")
_TIMES: Final = (
    "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%d/%m/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M", "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y",
)  # fmt: skip
_COUNTS: Final = {10: "unix", 13: "unix-ms", 16: "unix-us"}
"""Formats that count from 1970, by their number of digits today."""
SIDES: Final = {
    "player": re.compile(
        r"(?:^|[^a-z])(?:p|p[a-z](?=[0-9])|player|punto|ponte)(?=$|[^a-z])|player"
    ),
    "banker": re.compile(
        r"(?:^|[^a-z])(?:b|b[a-z](?=[0-9])|bank|banker|banco|banque)(?=$|[^a-z])|banker"
    ),
}
TIE: Final = re.compile(r"(?:^|[^a-z])(?:tie|draw|egalite|égalité)s?(?=$|[^a-z])")
BET: Final = re.compile(r"bet|stake|wager|amount|mise")
TOTAL: Final = re.compile(r"total|score|point|pts|sum")
_NAMES: Final = {
    "shoe": re.compile(r"shoe|sabot|game.?id"),
    "coup": re.compile(r"coup|hand|round|game|^no\.?$|^n$|^#$|number|index"),
    "table": re.compile(r"table"),
    "decks": re.compile(r"deck"),
    "patron": re.compile(r"patron|customer|client|user|member|(?:player|punter).?(?:id|name)"),
    "net": re.compile(r"(?:^|[^a-z])net|profit|pnl|p&l|win.?loss"),
}
_OUTCOMES: Final = {
    "P": ("p", "player", "punto", "ponte", "playerwins", "playerwin", "playerwon"),
    "B": ("b", "bank", "banker", "banco", "banque", "bankerwins", "bankerwin", "bankerwon"),
    "T": ("t", "tie", "draw", "egalite", "égalité", "itsatie", "tied"),
}


class Column(Struct):
    """A column, or a path in JSON objects, with its values in the first rows."""

    name: str
    values: list[object]

    @property
    def texts(self) -> list[str]:
        """The values as texts, without those that mean "no value"."""
        texts = (str(value).strip() for value in self.values if not isinstance(value, list | dict))
        return [text for text in texts if text and text != "None" and text not in NO_CARD]

    @property
    def none(self) -> list[str]:
        """The texts that mean "no value"."""
        return sorted({value.strip() for value in self.values if isinstance(value, str)} & NO_CARD)

    @property
    def lower(self) -> str:
        """The name in lower case, with spaces instead of underscores."""
        return self.name.lower().replace("_", " ")

    @property
    def lacks(self) -> bool:
        """Whether a row has no value."""
        return any(value in (None, "") or str(value).strip() in NO_CARD for value in self.values)

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return not any(isinstance(value, list | dict) for value in self.values) and not self.texts

    def all(self, fits: Callable[[str], bool]) -> bool:
        """Whether there are values and all satisfy a condition."""
        return bool(self.texts) and all(map(fits, self.texts))


def named(column: Column, key: str) -> bool:
    """Return whether the name of a column suggests a key of a coup line."""
    return _NAMES[key].search(column.lower) is not None


def is_number(text: str) -> bool:
    """Return whether a text is a number, perhaps with separators."""
    return re.fullmatch(r"[-+]?[0-9][0-9.,]*", text) is not None


def is_stake(column: Column) -> bool:
    """Return whether a column holds the amounts of bets. The first rows may have none."""
    return BET.search(column.lower) is not None and (column.is_empty or column.all(is_number))


def meant(text: str) -> str:
    """Return the outcome that a text means: P, B or T; empty if it means none."""
    if any(map(str.isdigit, text)):
        return ""
    word = re.sub(r"[^a-zé]", "", text.lower())
    return next((sign for sign, words in _OUTCOMES.items() if word in words), "")


def coups_of(column: Column) -> list[object]:
    """Return the coups of a column of whole shoes, or an empty list for any other column.

    A shoe is a text such as ``BPTB``, a list of such signs, or a list of objects. Objects are coups
    if the column is named so, or if they have cards.
    """
    if any(named(column, key) for key in ("shoe", "table", "patron")):
        return []
    shoes = [_elements(value) for value in column.values if value not in (None, "")]
    coups = [coup for shoe in shoes for coup in shoe]
    if len(coups) > len(shoes) and all(isinstance(each, str) and meant(each) for each in coups):
        return coups
    objects = bool(coups) and all(isinstance(each, dict) for each in coups)
    return coups if objects and card_keys(column) is None else []


def _elements(value: object) -> list[object]:
    """Return the elements of a list, or the signs of a text."""
    if isinstance(value, list):
        return value
    return [sign for sign in str(value) if not sign.isspace() and sign not in ",;"]


def is_card_column(column: Column) -> bool:
    """Return whether each value of a column is one card."""
    return column.all(is_card) and TOTAL.search(column.lower) is None


def card_columns(columns: list[Column]) -> list[Column]:
    """Return the columns with one card each, if there are several.

    A column is also included if its name differs from these only in a number, whatever its values.
    The first rows may have no third card, or write "no card" in some way.
    """
    cards = [each for each in columns if is_of_cards(each)]
    if len(cards) <= 1 or not all(map(is_card_column, cards)):
        return []
    stems = {re.sub("[0-9]", "", each.lower) for each in cards}
    return [each for each in columns if re.sub("[0-9]", "", each.lower) in stems]


def is_of_cards(column: Column) -> bool:
    """Return whether a column has one card, or the cards of a hand."""
    if TOTAL.search(column.lower) or BET.search(column.lower):
        return False
    lists = [value for value in column.values if isinstance(value, list)]
    if lists:
        return all(_is_hand(value) for value in lists)
    return is_card_column(column) or separator(column) is not None


def _is_hand(value: list[object]) -> bool:
    if all(isinstance(card, dict) for card in value):
        return _keys_of(value) is not None
    return all(isinstance(card, str | int) and is_card(str(card)) for card in value)


def _keys_of(value: list[object]) -> tuple[str, str] | None:
    """Return the keys of rank and suit, if the cards of a list are JSON objects."""
    keys = [key for card in value if isinstance(card, dict) for key in card]
    rank = next((key for key in keys if re.search("rank|value|face", key.lower())), None)
    suit = next((key for key in keys if "suit" in key.lower()), None)
    return None if rank is None or suit is None else (rank, suit)


def card_keys(column: Column) -> tuple[str, str] | None:
    """Return the keys of rank and suit, if the cards of a column of lists are JSON objects."""
    return next((keys for value in _lists(column) if (keys := _keys_of(value)) is not None), None)


def card_texts(column: Column) -> Iterator[str]:
    """Yield the cards of a column as texts, or their ranks and suits."""
    sign = separator(column)
    for text in column.texts:
        yield from (card.strip() for card in (text.split(sign) if sign else [text]))
    keys = card_keys(column) or ()
    for card in chain.from_iterable(_lists(column)):
        yield from (str(card.get(key)) for key in keys) if isinstance(card, dict) else [str(card)]


def _lists(column: Column) -> list[list[object]]:
    return [value for value in column.values if isinstance(value, list)]


def separator(column: Column) -> str | None:
    """Return the text that separates the cards of a hand in a column."""
    for sign in _SEPARATORS:
        hands = [_parts(text, sign) for text in column.texts]
        cards = [card for hand in hands for card in hand if card not in NO_CARD]
        if len(cards) > len(hands) > 0 and all(map(is_card, cards)):
            return sign
    return None


def no_cards(column: Column) -> set[str]:
    """Return the texts that mean "no card" in a column of cards or of hands."""
    sign = separator(column)
    hands = [] if sign is None else [_parts(text, sign) for text in column.texts]
    return {*column.none, *(card for hand in hands for card in hand if card in NO_CARD)}


def _parts(hand: str, sign: str) -> list[str]:
    """Return the texts of the cards of a hand."""
    parts = hand.split(sign) if sign else list(hand)
    return [part.strip() for part in parts if part.strip()]


def pairs(columns: list[Column]) -> list[tuple[Column, ...]]:
    """Return the columns of rank and suit, for each card with two columns.

    The values show which column has suits and which has ranks. The names show which belong
    together: they differ in one part, as ``p1r`` and ``p1s`` do, and this part has no digit.
    """
    suits = _like(columns, lambda each: each.all(is_suit), "suit")
    if all(each.is_empty for each in suits):
        return []
    others = [each for each in columns if each not in suits]
    ranks = _like(others, is_card_column, "rank|value")
    found: list[tuple[Column, ...]] = []
    for suit in suits:
        near = [(_distance(rank.lower, suit.lower), rank) for rank in ranks]
        fit = [(distance, rank) for distance, rank in near if distance is not None]
        if fit:
            rank = min(fit, key=lambda each: each[0])[1]
            ranks.remove(rank)
            found.append((rank, suit))
    return found


def _like(columns: list[Column], fits: Callable[[Column], bool], words: str) -> list[Column]:
    """Return the columns that satisfy a condition, and the empty ones that are named like them."""
    stems = {re.sub("[0-9]", "", each.lower) for each in columns if fits(each)}
    return [
        each
        for each in columns
        if fits(each)
        or (
            each.is_empty
            and (re.sub("[0-9]", "", each.lower) in stems or re.search(words, each.lower))
        )
    ]


def _distance(one: str, other: str) -> int | None:
    """Return how many characters differ between two names. None if one is a digit."""
    start = _alike(one, other)
    one, other = one[start:], other[start:]
    end = _alike(one[::-1], other[::-1])
    rest = one[: len(one) - end] + other[: len(other) - end]
    return None if any(map(str.isdigit, rest)) else len(rest)


def _alike(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    both = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda signs: signs[0] == signs[1], both))


def time_format(column: Column) -> str | None:
    """Return the format of a column of times. It is empty for RFC 3339, None if it has no times."""
    if not re.search("date|time|start|^at$|when", column.lower) or not column.texts:
        return None
    if column.all(reads(parse_time)):
        return ""
    for form in _TIMES:
        if column.all(reads(partial(parse_local, form=form, zone="UTC"))):
            return form
    digits = {len(text) if text.isdecimal() else 0 for text in column.texts}
    return _COUNTS.get(digits.pop()) if len(digits) == 1 else None


def reads(read: Callable[[str], object]) -> Callable[[str], bool]:
    """Return whether a function reads a text without error."""

    def reads(text: str) -> bool:
        try:
            read(text)
        except BadInput:
            return False
        return True

    return reads
