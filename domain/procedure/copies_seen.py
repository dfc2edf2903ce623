"""How many copies of a card, a rank or ten-valued cards were seen, beside how many there can be."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from sabot.domain.values.cards import Card, format_card, rank_of, suit_of

SUITS: Final = 4
"""How often a deck has each rank."""
TEN_VALUED: Final = 16
"""How many tens and faces a deck has."""


def is_ten_valued(rank: str | None) -> bool:
    """Tell whether a card counts nothing; of one whose rank is not known, no more is known."""
    return rank is None or rank in "TJQK"


class CopiesSeen:
    """Copies seen so far, as exactly as each card is known: suit, rank, or ten-valued."""

    def __init__(self, decks: int, cards: Iterable[Card] = ()) -> None:
        """Count cards of so many decks."""
        self._decks = decks
        self._faces: Counter[str] = Counter()
        self._ranks: Counter[str] = Counter()
        self._tens = 0
        for card in cards:
            self.add(card)

    def add(self, card: Card) -> None:
        """Count a card."""
        rank, suit = rank_of(card), suit_of(card)
        self._tens += is_ten_valued(rank)
        if suit is not None:
            self._faces[card] += 1
        if rank is not None:
            self._ranks[rank] += 1

    def excess(self, card: Card) -> tuple[str, int, int] | None:
        """Return what is too many of with this card, how many there are, and the most there can be.

        Only the finest excess is returned: a ninth seven of clubs is not also too many sevens
        until the sevens themselves are too many.
        """
        rank, suit = rank_of(card), suit_of(card)
        counts: list[tuple[str, int, int]] = []
        if suit is not None:
            counts.append((format_card(card), self._faces[card], self._decks))
        if rank is not None:
            name = f"rank {format_card(card)[: -1 if suit else None]}"
            counts.append((name, self._ranks[rank], SUITS * self._decks))
        if is_ten_valued(rank):
            counts.append(("ten-valued cards", self._tens, TEN_VALUED * self._decks))
        return next((each for each in counts if each[1] > each[2]), None)
