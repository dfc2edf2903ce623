"""Cards on the felt whose faces have not been shown."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from domain import facts as f
from domain.cards import Card
from domain.event import Event
from domain.protection.sight import Stakes


class Down(Struct):
    """A card on the felt that has not been shown; ``stakes`` lay there before it can have been.

    ``read`` is the fact at which they were read.
    """

    place: int
    hand: str
    card: Card
    event: int
    early: bool
    stakes: Stakes
    read: Event


_OF_FOUR: Final = 2
"""How many of a hand's cards are among the first four of a coup."""


class Turns:
    """Which cards the facts of a coup say to have been turned: by coup, hand and number."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        """Read them, whenever in the coup they were told."""
        facts = [event.fact for event in events if isinstance(event.fact, f.CardTurned)]
        self._turned = {(fact.coup, fact.hand, fact.nth) for fact in facts}
        self._coups = {fact.coup for fact in facts}
        self._of_four = {fact.coup for fact in facts if fact.nth <= _OF_FOUR}

    def any_of(self, coup: int) -> bool:
        """Tell whether a card of a coup was turned on record."""
        return coup in self._coups

    def lay_open(self, coup: int, hand: str, nth: int) -> bool:
        """Tell whether a card of a pack with cards face up was dealt so, as far as is told.

        A third card of a coup in which others were turned may have been turned with them.
        """
        if (coup, hand, nth) in self._turned:
            return False
        return coup not in (self._of_four if nth <= _OF_FOUR else self._coups)

    def mixed(self, coup: int, hand: str, nth: int) -> bool:
        """Tell whether of a coup's first four cards others were turned: when this was, is open."""
        return nth <= _OF_FOUR and coup in self._of_four and (coup, hand, nth) not in self._turned

    def all_of(self, coup: int, hands: Sequence[str], down: Iterable[Down]) -> bool:
        """Tell whether all cards of a coup that lie face down will be turned on record."""
        places = {card.place for card in down}
        dealt: Counter[str] = Counter()
        for place, hand in enumerate(hands, 1):
            dealt[hand] += 1
            if place in places and (coup, hand, dealt[hand]) not in self._turned:
                return False
        return True
