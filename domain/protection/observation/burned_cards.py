"""Which burned cards may have been seen although the record does not name their faces.

A burned card without a recorded face counts as unseen only if the procedure burns it face down. The
rule pack states how many cards are burned at the opening, and which of them are shown.
"""

from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card, burn_value


class BurnedCards:
    """The burned cards of a shoe, compared with the procedure of its rule pack."""

    def __init__(self, shoe: Shoe) -> None:
        """Create the record before the first card. ``shoe`` must be loaded."""
        self._rule = None if shoe.pack is None else shoe.pack.burn
        self._decks = shoe.decks
        self._opening: list[Card | None] = []
        self.face_up = self._rule is None or self._rule.option == "first-card-value"

    @property
    def begun(self) -> bool:
        """Whether the opening burn is on record."""
        return bool(self._opening)

    def add(self, burned: ev.CardBurned) -> bool:
        """Add a burned card. Return whether it may have been seen without being named.

        Cards burned by procedure lie face down, except the first of a shoe if the pack shows it. It
        is unknown whether the pack also shows a card burned on a relief.
        """
        first = not self._opening
        if burned.reason == "opening":
            self._opening.append(burned.card)
        if burned.card is not None:
            return False
        match burned.reason:
            case "opening":
                return self.face_up and first
            case "relief" | "dead-game":
                return self.face_up
            case _:
                return True

    def not_due(self) -> int:
        """Return how many unnamed cards of the opening burn may have been seen.

        If the number of burned cards is not the one that the pack states, the cards that make the
        difference were not burned by procedure. So they may have lain face up.
        """
        due = self._due()
        if due is None:
            return 0
        unnamed = sum(card is None for card in self._opening)
        return min(unnamed, abs(len(self._opening) - due))

    def _due(self) -> int | None:
        """Return how many cards the pack burns at the opening. None if that is unknown."""
        match None if self._rule is None else self._rule.option:
            case "none":
                return 0
            case "fixed":
                assert self._rule is not None
                return self._rule.cards
            case "deck-count":
                return self._decks
            case "first-card-value":
                first = self._opening[0] if self._opening else None
                return None if first is None else 1 + burn_value(first)
            case _:
                return None
