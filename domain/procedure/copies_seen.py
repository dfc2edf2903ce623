"""Count the copies seen of each card, of each rank and of ten-valued cards.

The counts are compared with the number that the decks hold.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from sabot.domain.values.cards import Card, format_card, rank_of, suit_of

SUITS: Final = 4
"""Cards of each rank in a deck."""
TEN_VALUED: Final = 16
"""Tens and face cards in a deck."""


def is_ten_valued(rank: str | None) -> bool:
    """Return whether a card is a ten or face card.

    The rank None means a card that is known only as ten-valued.
    """
    return rank is None or rank in "TJQK"


class CopiesSeen:
    """Counts of the cards seen: by face, by rank, and of ten-valued cards."""

    def __init__(self, decks: int, cards: Iterable[Card] = ()) -> None:
        """Count the given cards of a number of decks."""
        self._decks = decks
        self._faces: Counter[str] = Counter()
        self._ranks: Counter[str] = Counter()
        self._tens = 0
        for card, copies in Counter(cards).items():
            self.add(card, copies)

    def add(self, card: Card, copies: int = 1) -> None:
        """Count a card, or several copies of it."""
        rank, suit = rank_of(card), suit_of(card)
        self._tens += copies * is_ten_valued(rank)
        if suit is not None:
            self._faces[card] += copies
        if rank is not None:
            self._ranks[rank] += copies

    def excess(self, card: Card) -> tuple[str, int, int] | None:
        """Return the excess that this card causes: its name, the count and the maximum.

        Only the most specific excess is returned. A ninth 7♣ does not make too many sevens until
        the count of sevens itself exceeds its maximum.
        """
        return next((each for each in self.counts(card) if each[1] > each[2]), None)

    def counts(self, card: Card) -> list[tuple[str, int, int]]:
        """Return the counts that a card belongs to, the most specific first.

        These are its face, its rank, and ten-valued cards: each with its name and the maximum.
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
        return counts
