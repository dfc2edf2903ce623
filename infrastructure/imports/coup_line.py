"""The coup line: a coup recorded by another program, as a JSON object.

There is one JSON object per line. `schemas/coup-line.schema.json` documents every key; `CoupLine`
has the same keys as types.
"""

from typing import Annotated, Final

from msgspec import Meta, Struct

from sabot.domain.events import MAX_INT, Amount, Name, Number, Outcome, Total
from sabot.domain.values.cards import Card, parse_card
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.parsing import parse_time
from sabot.infrastructure.imports.strict_json import StrictReader

MAX_SHOE_BYTES: Final = 380
"""The maximum length of a shoe's name in UTF-8.

The name is part of the stream's name, which has at most 400 bytes.
"""
MAX_HAND: Final = 20
MAX_BURNED: Final = 416
MAX_BETS: Final = 1000

Net = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
"""A patron's win (negative: loss) in minor units, after the commission due."""
Decks = Annotated[int, Meta(ge=1, le=100)]


class _Part(
    Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An object of the line. An optional key may be left out, or be null."""


class Called(_Part, frozen=True):
    """The dealer's announcement of the result. Each part may be missing."""

    player: Total | None = None
    banker: Total | None = None
    outcome: Outcome | None = None


class Wagered(_Part, frozen=True):
    """A patron's stake on a wager. Without ``net`` the payment is unknown."""

    patron: Name
    wager: Name
    amount: Amount
    net: Net | None = None


class CoupLine(_Part, frozen=True):
    """A coup line as written, with cards in any spelling.

    It has both hands, or neither and the outcome that was called.
    """

    shoe: Name
    coup: Number
    player: Annotated[tuple[str, ...], Meta(max_length=MAX_HAND)] | None = None
    banker: Annotated[tuple[str, ...], Meta(max_length=MAX_HAND)] | None = None
    decks: Decks | None = None
    rules: Annotated[str, Meta(min_length=1, max_length=1000)] | None = None
    table: Name | None = None
    at: str | None = None
    burned: Annotated[tuple[str, ...], Meta(max_length=MAX_BURNED)] | None = None
    called: Called | None = None
    bets: Annotated[tuple[Wagered, ...], Meta(max_length=MAX_BETS)] | None = None


class Content(Struct, frozen=True, gc=False, array_like=True):
    """The meaning of a coup line. Two lines with the same meaning have equal contents."""

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    burned: tuple[Card, ...]
    at_us: int | None
    called: Called | None
    bets: tuple[Wagered, ...]


class CoupRecord(Struct, frozen=True, gc=False):
    """A parsed coup line: which coup it is, and the data on the shoe and the coup."""

    shoe: str
    coup: int
    decks: int | None
    rules: str | None
    table: str | None
    content: Content


_MONEY: Final = "money is a whole number of minor units, so 25.00 is 2500"
_CARDS: Final = 'cards are a list of texts, as ["4d","10H","K"]'
_TOTAL: Final = "a called total is 0 to 9"
_NAME: Final = "a name is a text of 1 to 100 characters"
ADVICE: Final = {
    "": "docs/import.md explains coup lines",
    "shoe": _NAME,
    "table": _NAME,
    "patron": _NAME,
    "wager": _NAME,
    "coup": "coups are numbered from 1",
    "decks": "decks are a number from 1 to 100",
    "rules": "rules are the name of a shipped rule pack, as classic-8",
    "player": _CARDS,
    "banker": _CARDS,
    "called.player": _TOTAL,
    "called.banker": _TOTAL,
    "burned": _CARDS,
    "outcome": "the outcome is P, B or T",
    "amount": _MONEY,
    "net": _MONEY,
    "at": "a time is a text, as 2026-01-01T20:00:00Z",
}

_READER: Final = StrictReader(CoupLine, ADVICE)


def read_coup_line(line: bytes) -> CoupRecord:
    """Parse a coup line.

    Raises:
        BadInput: the line is invalid; ``where`` is a column, if known.
    """
    return recorded(_READER.read(line))


def coup_from(value: object) -> CoupRecord:
    """Return a record made from the keys and values of a coup line.

    Raises:
        BadInput: they are invalid.
    """
    return recorded(_READER.convert(value))


def recorded(line: CoupLine) -> CoupRecord:
    """Return a record after parsing the cards and the time of a line.

    Raises:
        BadInput: a card or the time is invalid, or the shoe's name is too long.
    """
    if len(line.shoe.encode()) > MAX_SHOE_BYTES:
        raise BadInput(f"shoe: the name takes more than {MAX_SHOE_BYTES} bytes; shorten it")
    _check_hands(line)
    content = Content(
        _cards("player", line.player or ()),
        _cards("banker", line.banker or ()),
        _cards("burned", line.burned or ()),
        None if line.at is None else _time(line.at),
        None if line.called == _NOTHING_CALLED else line.called,
        line.bets or (),
    )
    return CoupRecord(line.shoe, line.coup, line.decks, line.rules, line.table, content)


def _check_hands(line: CoupLine) -> None:
    """Refuse a line with only one hand, and one without hands and without an outcome."""
    if line.player is not None and line.banker is not None:
        return
    outcome = None if line.called is None else line.called.outcome
    missing = "player" if line.player is None else "banker"
    if line.player is not None or line.banker is not None:
        raise BadInput(f"the key {missing!r} is missing; {_CARDS}")
    if outcome is None:
        raise BadInput(
            f"the key {missing!r} is missing; {_CARDS}; a coup without cards has its outcome in "
            "called"
        )


_NOTHING_CALLED: Final = Called()


def _cards(key: str, texts: tuple[str, ...]) -> tuple[Card, ...]:
    try:
        return tuple([parse_card(text) for text in texts])
    except BadInput as error:
        raise BadInput(f"{key}: {error.message}") from None


def _time(text: str) -> int:
    try:
        return parse_time(text)
    except BadInput as error:
        raise BadInput(f"at: {error.message}") from None
