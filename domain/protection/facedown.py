"""Cards on the felt whose faces have not been shown."""

from collections import Counter
from collections.abc import Iterable, Sequence

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


class Turns:
    """Which cards the facts of a coup say to have been turned: by coup, hand and number."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        """Read them, whenever in the coup they were told."""
        facts = [event.fact for event in events if isinstance(event.fact, f.CardTurned)]
        self._turned = {(fact.coup, fact.hand, fact.nth) for fact in facts}
        self._coups = {fact.coup for fact in facts}

    def any_of(self, coup: int) -> bool:
        """Tell whether a card of a coup was turned on record."""
        return coup in self._coups

    def all_of(self, coup: int, hands: Sequence[str], down: Iterable[Down]) -> bool:
        """Tell whether all cards of a coup that lie face down will be turned on record."""
        places = {card.place for card in down}
        dealt: Counter[str] = Counter()
        for place, hand in enumerate(hands, 1):
            dealt[hand] += 1
            if place in places and (coup, hand, dealt[hand]) not in self._turned:
                return False
        return True
