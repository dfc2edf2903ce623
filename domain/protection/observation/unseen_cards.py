"""The unseen cards of a shoe by value."""

from sabot.domain.values.cards import VALUE, Card


def full_shoe_counts(decks: int) -> list[int]:
    """Return the cards of full decks, counted by value. Tens and faces come first."""
    return [16 * decks] + [4 * decks] * 9


class UnseenCards:
    """The unseen cards, as faces are shown and cards leave the shoe.

    ``lacking`` cards may have been seen although the record does not name them. ``over`` means that
    more cards of a value were shown than exist. ``returned`` means that a place was recorded twice:
    a card was put back.
    """

    def __init__(self, decks: int, shown: list[Card]) -> None:
        """Create the cards of full decks. Each face shown is added to ``shown``."""
        self.unseen = full_shoe_counts(decks)
        self.shown = shown
        self.lacking = 0
        self.left = 0
        self.over = False
        self.returned = False
        self._places: set[int] = set()

    def has(self, card: Card) -> bool:
        """Return whether a card of this value is still unseen."""
        return self.unseen[VALUE[card]] > 0

    def take(self, card: Card) -> None:
        """Record a face that was shown."""
        if not self.has(card):
            self.over = True
            return
        self.unseen[VALUE[card]] -= 1
        self.shown.append(card)

    def untake(self, card: Card) -> None:
        """Count a face as unseen again: it may be one recorded earlier, or another card."""
        self.unseen[VALUE[card]] += 1
        self.lacking += 1

    def leave(self, place: int | None, *, told: bool) -> None:
        """Record a card that left the shoe.

        ``told`` is True if the record names each card that leaves. A gap in the recorded places
        means that cards were not recorded.
        """
        self.left += 1
        if place is not None:
            self.returned = self.returned or place in self._places
            self._places.add(place)
        if place is not None and place > self.left:
            if told:
                self.lacking += place - self.left
            self.left = place
