"""The order of a shoe, bound by a hash before the first card and shown after the last.

Whoever shuffles by a program could choose the cards as the bets fall. A salted hash of the
order, recorded before the first card, binds it; the salt and the order, recorded when the shoe
has ended, let anybody check it. In between the order is nowhere but in memory.
"""

import hashlib
from collections.abc import Sequence

from sabot.domain.events import OrderCommitted, OrderOpened
from sabot.domain.values.cards import Card
from sabot.domain.values.errors import Refused


def order_sha256(salt: str, order: Sequence[str]) -> str:
    """Return the hash that commits to an order of cards: salt, newline, cards apart by spaces."""
    return hashlib.sha256(f"{salt}\n{' '.join(order)}".encode()).hexdigest()


class SealedOrder:
    """The cards in a shoe, first to leave first, of which nobody reads one before it is drawn.

    ``salt`` is 16 to 64 bytes in lower-case hex. A trace or a log line shows the number of
    cards and no face.
    """

    __slots__ = ("_next", "_order", "_salt")

    def __init__(self, order: Sequence[Card], salt: str) -> None:
        """Seal the order."""
        self._order = tuple(order)
        self._salt = salt
        self._next = 0

    def __repr__(self) -> str:
        """Show how many cards are left, and no face."""
        return f"<SealedOrder: {self.left} cards left>"

    @property
    def left(self) -> int:
        """How many cards are still in the shoe."""
        return len(self._order) - self._next

    def committed(self) -> OrderCommitted:
        """Return the event that binds the order; it belongs before the first card."""
        return OrderCommitted(order_sha256(self._salt, self._order), len(self._order))

    def opened(self) -> OrderOpened:
        """Return the event that shows the order; it belongs after the end of the shoe."""
        return OrderOpened(self._salt, self._order)

    def draw(self) -> Card:
        """Take the next card out of the shoe.

        Raises:
            Refused: the shoe is empty.
        """
        if not self.left:
            raise Refused("the shoe is empty; void the coup and end the shoe")
        card = self._order[self._next]
        self._next += 1
        return card

    def ahead(self, cards: int) -> tuple[Card, ...]:
        """Return the next cards while they lie in the shoe: for a cheat's eyes in a simulation."""
        return self._order[self._next : self._next + cards]
