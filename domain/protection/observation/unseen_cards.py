"""The cards of a shoe that nobody has seen, by value, and how many may have been seen unnamed."""

from sabot.domain.values.cards import VALUE, Card


def full_shoe_counts(decks: int) -> list[int]:
    """Count the cards of so many decks by value, tens and faces first."""
    return [16 * decks] + [4 * decks] * 9


class UnseenCards:
    """What is unseen, as faces are shown and cards leave.

    ``lacking`` cards may have been seen though the record does not name them. ``over`` says that
    more cards of a value were shown than there are, ``returned`` that a place was told twice: a
    card went back.
    """

    def __init__(self, decks: int, shown: list[Card]) -> None:
        """Begin with whole decks; ``shown`` grows by each face that is shown."""
        self.unseen = full_shoe_counts(decks)
        self.shown = shown
        self.lacking = 0
        self.left = 0
        self.over = False
        self.returned = False
        self._places: set[int] = set()

    def has(self, card: Card) -> bool:
        """Tell whether a card of this value can still come."""
        return self.unseen[VALUE[card]] > 0

    def take(self, card: Card) -> None:
        """See a face."""
        if not self.has(card):
            self.over = True
            return
        self.unseen[VALUE[card]] -= 1
        self.shown.append(card)

    def leave(self, place: int | None, *, told: bool) -> None:
        """Let a card leave; ``told`` says that the record would name each one that did.

        Where places are known, a gap is cards that nobody recorded.
        """
        self.left += 1
        if place is not None:
            self.returned = self.returned or place in self._places
            self._places.add(place)
        if place is not None and place > self.left:
            if told:
                self.lacking += place - self.left
            self.left = place
