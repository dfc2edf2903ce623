"""A continuous shuffler: the cards of a coup go back into it, and no shoe ever ends.

Source: FR_40_1 allows it at punto banco.
"""

import random

from sabot.domain.values.cards import FULL_DECK, Card


class ContinuousShuffler:
    """Whole decks, of which each card that comes next is as likely as any other in the machine.

    ``left`` cards are in it, ``gone`` have ever left it. There is no order that could be bound.
    """

    def __init__(self, decks: int, rng: random.Random) -> None:
        """Put the cards in."""
        self._cards: list[Card] = list(FULL_DECK) * decks
        self._out: list[Card] = []
        self._rng = rng
        self.gone = 0
        self._mix()

    @property
    def left(self) -> int:
        """How many cards are in the machine."""
        return len(self._cards)

    def draw(self) -> Card:
        """Take the next card out."""
        card = self._cards.pop()
        self._out.append(card)
        self.gone += 1
        return card

    def ahead(self, cards: int) -> tuple[Card, ...]:
        """Return the cards that come next, unless cards are put back before."""
        return tuple(reversed(self._cards[-cards:])) if cards else ()

    def give_back(self) -> None:
        """Put the cards of a coup back, and mix."""
        self._cards += self._out
        self._out = []
        self._mix()

    def _mix(self) -> None:
        self._rng.shuffle(self._cards)
