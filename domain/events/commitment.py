"""Commitment to the card order of a shoe.

A program that shuffles could choose cards to suit the bets. To prevent this, a salted hash of the
order is recorded before the first card. The salt and the order are recorded once the shoe has
ended, so that anyone can verify the hash. Until then the order is held in memory only.
"""

import hashlib
from collections.abc import Sequence

from sabot.domain.events import OrderCommitted, OrderOpened
from sabot.domain.values.cards import Card
from sabot.domain.values.errors import Refused


def order_sha256(salt: str, order: Sequence[str]) -> str:
    """Return the hash that commits to an order of cards.

    The hashed text is the salt, a newline, and the cards separated by spaces.
    """
    return hashlib.sha256(f"{salt}\n{' '.join(order)}".encode()).hexdigest()


class SealedOrder:
    """The cards in a shoe, in the order in which they leave it.

    Each card is readable only when drawn. ``salt`` is 16 to 64 bytes in lower-case hex. ``repr``
    shows the number of cards and no face.
    """

    __slots__ = ("_next", "_order", "_salt")

    def __init__(self, order: Sequence[Card], salt: str) -> None:
        """Store the cards with the salt."""
        self._order = tuple(order)
        self._salt = salt
        self._next = 0

    def __repr__(self) -> str:
        """Show the number of cards left, and no face."""
        return f"<SealedOrder: {self.left} cards left>"

    @property
    def left(self) -> int:
        """The number of cards still in the shoe."""
        return len(self._order) - self._next

    def committed(self) -> OrderCommitted:
        """Return the commitment event, recorded before the first card."""
        return OrderCommitted(order_sha256(self._salt, self._order), len(self._order))

    def opened(self) -> OrderOpened:
        """Return the event that reveals the order. It is recorded after the shoe has ended."""
        return OrderOpened(self._salt, self._order)

    def draw(self) -> Card:
        """Draw the next card.

        Raises:
            Refused: the shoe is empty.
        """
        if not self.left:
            raise Refused("the shoe is empty; void the coup and end the shoe")
        card = self._order[self._next]
        self._next += 1
        return card

    def ahead(self, cards: int) -> tuple[Card, ...]:
        """Return the next cards without drawing them."""
        return self._order[self._next : self._next + cards]
