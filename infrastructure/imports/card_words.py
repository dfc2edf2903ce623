"""Names of ranks and suits in other programs' files, and how a mapping reads them."""

import re
from collections.abc import Iterable
from typing import Final

from sabot.domain.values.cards import parse_card
from sabot.domain.values.errors import BadInput

SUITS: Final = {
    "h": ("h", "heart", "hearts", "♥", "♡"),
    "d": ("d", "diamond", "diamonds", "♦", "♢"),
    "c": ("c", "club", "clubs", "♣", "♧"),
    "s": ("s", "spade", "spades", "♠", "♤"),
}
RANKS: Final = {
    "ace": "A", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "T", "jack": "J", "queen": "Q", "king": "K",
}  # fmt: skip
NO_CARD: Final = frozenset(
    (
        "NA",
        "N/A",
        "na",
        "n/a",
        "-",
        "--",
        "None",
        "none",
        "null",
        "NaN",
        "nan",
        "No card",
        "no card",
    )
)
"""Texts that mean "no value"."""
_RANK: Final = rf"[2-9ajqkt]|10|{'|'.join(RANKS)}"
_SUIT: Final = "|".join(sorted((name for names in SUITS.values() for name in names[1:]), key=len))
_CARD: Final = re.compile(rf"({_RANK})[ _-]?((?:of[ _-])?(?:{_SUIT}))", re.IGNORECASE)


def is_suit(text: str) -> bool:
    """Return whether a text is the name of a suit."""
    return any(text.lower() in names for names in SUITS.values())


def is_card(text: str) -> bool:
    """Return whether a text is a card, perhaps in words as ``Ace of Hearts``."""
    try:
        parse_card(text)
    except BadInput:
        return text.lower() in RANKS or _CARD.fullmatch(text) is not None
    return True


def options_for(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the tables ``ranks`` and ``suits`` with which a mapping reads cards.

    A table is left out if the texts have no words for ranks or suits.

    Args:
        texts: cards, ranks or suits as a file writes them.
    """
    ranks: dict[str, str] = {}
    suits: dict[str, str] = {}
    for text in sorted(texts):
        parts = _CARD.fullmatch(text)
        rank, suit = (text, text) if parts is None else parts.groups()
        if rank.lower() in RANKS and rank not in ranks:
            ranks |= {_spelt(word, rank): sign for word, sign in RANKS.items()}
        if len(suit) > 1 and suit not in suits:
            suits |= _suits(suit)
    return {name: table for name, table in (("ranks", ranks), ("suits", suits)) if table}


def _suits(name: str) -> dict[str, str]:
    """Return the names of all suits, spelt like this name. None if it is no suit's name."""
    word = re.sub(r"^of[ _-]", "", name, flags=re.IGNORECASE)
    names = next((names for names in SUITS.values() if word.lower() in names), None)
    if names is None:
        return {}
    place, before = names.index(word.lower()), name.removesuffix(word)
    return {before + _spelt(words[place], word): suit for suit, words in SUITS.items()}


def _spelt(word: str, example: str) -> str:
    """Return a word in the case of an example: ``Ace``, ``ACE`` or ``ace``."""
    return (str.title if example.istitle() else str.upper if example.isupper() else str.lower)(word)
