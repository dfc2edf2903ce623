"""A simulated continuous shuffler: the cards of a coup return to it, so no shoe ever ends.

Source: ARRETE_2007_ART_40_1 allows it at punto banco.
"""

import random

from sabot.domain.values.cards import FULL_DECK, Card


class ContinuousShuffler:
    """Full decks that are continuously shuffled.

    Each next card is equally likely to be any card in the machine. ``left`` is the number of cards
    in it, ``gone`` the number ever drawn. There is no card order to commit to.
    """

    def __init__(self, decks: int, rng: random.Random) -> None:
        """Load the cards and mix them."""
        self._cards: list[Card] = list(FULL_DECK) * decks
        self._out: list[Card] = []
        self._rng = rng
        self.gone = 0
        self._mix()

    @property
    def left(self) -> int:
        """The number of cards in the machine."""
        return len(self._cards)

    def draw(self) -> Card:
        """Draw the next card."""
        card = self._cards.pop()
        self._out.append(card)
        self.gone += 1
        return card

    def ahead(self, cards: int) -> tuple[Card, ...]:
        """Return the next cards, on condition that none are put back before."""
        return tuple(reversed(self._cards[-cards:])) if cards else ()

    def give_back(self) -> None:
        """Put the cards of a coup back, and mix."""
        self._cards += self._out
        self._out = []
        self._mix()

    def _mix(self) -> None:
        self._rng.shuffle(self._cards)
