"""Cards, by rank and suit, by rank, or by value.

A ``Card`` is its canonical text: ``"Th"`` is the ten of hearts, ``"T"`` a ten of unknown suit,
``"0"`` any card that counts ten. A point value of 1 to 9 has the same text as the rank (``"A"`` for
1), since no other rank has that value.
"""

from collections.abc import Sequence
from typing import Final, Literal

from sabot.domain.values.errors import BadCard, shortened

Card = Literal[
    "Ac",
    "Ad",
    "Ah",
    "As",
    "2c",
    "2d",
    "2h",
    "2s",
    "3c",
    "3d",
    "3h",
    "3s",
    "4c",
    "4d",
    "4h",
    "4s",
    "5c",
    "5d",
    "5h",
    "5s",
    "6c",
    "6d",
    "6h",
    "6s",
    "7c",
    "7d",
    "7h",
    "7s",
    "8c",
    "8d",
    "8h",
    "8s",
    "9c",
    "9d",
    "9h",
    "9s",
    "Tc",
    "Td",
    "Th",
    "Ts",
    "Jc",
    "Jd",
    "Jh",
    "Js",
    "Qc",
    "Qd",
    "Qh",
    "Qs",
    "Kc",
    "Kd",
    "Kh",
    "Ks",
    "A",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "T",
    "J",
    "Q",
    "K",
    "0",
]

HIGHEST_TOTAL: Final = 9
"""The highest total of a hand: tens are dropped."""
FIRST_TWO: Final = 2
"""The number of cards that each hand is dealt first; a third may follow."""

RANKS: Final = "A23456789TJQK"
SUITS: Final = "cdhs"
TEN_VALUED: Final = "TJQK"

# Point value by the first character of the canonical text; ten and faces count 0.
POINTS: Final[dict[str, int]] = (
    {"0": 0, "A": 1} | {str(n): n for n in range(2, 10)} | dict.fromkeys(TEN_VALUED, 0)
)

FULL_DECK: Final[tuple[Card, ...]] = tuple(f"{rank}{suit}" for rank in RANKS for suit in SUITS)  # type: ignore[misc]

VALUE: Final[dict[Card, int]] = {text: POINTS[text[0]] for text in (*FULL_DECK, *RANKS, "0")}
"""Point value, 0 to 9, of every card."""

_RANK_NAMES: Final = {"10": "T", "1": "A"} | {rank: rank for rank in RANKS}
_SUIT_NAMES: Final = {suit: suit for suit in SUITS} | {
    "\u2663": "c",
    "\u2666": "d",
    "\u2665": "h",
    "\u2660": "s",
    "\u2667": "c",
    "\u2662": "d",
    "\u2661": "h",
    "\u2664": "s",
}


def parse_card(text: str) -> Card:
    """Parse a card as people and devices write it.

    Examples are ``Th``, ``10H``, ``t♥``, ``T``, ``K`` and ``0``.

    Raises:
        BadCard: the text is not a card.
    """
    known = _SPELLINGS.get(text)
    if known is None:
        known = _SPELLINGS.get(text.strip().upper())
    if known is None:
        raise BadCard(
            f"{shortened(text, 20)!r} is not a card; write rank and suit (Th, 10H, A♠), "
            "rank alone (T, 10, K) or a point value (0 to 9)"
        )
    return known


def _spellings() -> dict[str, Card]:
    """Map every spelling to its card. Spellings are in upper case, or canonical."""
    spellings: dict[str, Card] = {card: card for card in VALUE}
    for name, rank in _RANK_NAMES.items():
        spellings[name] = rank  # type: ignore[assignment]
        for sign, suit in _SUIT_NAMES.items():
            spellings[f"{name}{sign.upper()}"] = f"{rank}{suit}"  # type: ignore[assignment]
    return spellings


_SPELLINGS: Final = _spellings()


def value(card: Card) -> int:
    """Return the point value of a card, from 0 to 9: ace 1, ten and faces 0."""
    return VALUE[card]


def total(cards: Sequence[Card]) -> int:
    """Return the total of a hand: the last digit of the sum of the point values."""
    return sum([VALUE[card] for card in cards]) % 10


def rank_of(card: Card) -> str | None:
    """Return the rank. None if only the value ten is known."""
    return None if card == "0" else card[0]


def suit_of(card: Card) -> str | None:
    """Return the suit, or None if it is unknown."""
    return card[1:] or None


def burn_value(card: Card) -> int:
    """Return how many cards to burn after a card burned face up.

    An ace asks for 1, a ten or face for 10.
    """
    return VALUE[card] or 10


def format_cards(cards: Sequence[Card]) -> str:
    """Return cards as text, such as ``9♣ K♣``."""
    return " ".join(map(format_card, cards))


def format_card(card: Card) -> str:
    """Format a card for display: ``10♥``, ``K``, ``0``."""
    rank = "10" if card[0] == "T" else card[0]
    return rank + "".join("♣♦♥♠"[SUITS.index(suit)] for suit in card[1:])
