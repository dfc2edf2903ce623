"""Cards on the felt whose faces have not been shown.

Cards that were exposed and that nobody named: in which coups all may have bet by them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.protection.observation.observed_coup import Stakes
from sabot.domain.values.cards import Card


class Down(Struct):
    """A card on the felt that has not been shown; ``stakes`` lay there before it can have been.

    ``read`` is the event at which they were read.
    """

    place: int
    hand: str
    card: Card
    event: int
    early: bool
    stakes: Stakes
    read: RecordedEvent


_OF_FOUR: Final = 2
"""How many of a hand's cards are among the first four of a coup."""


class Turns:
    """Which cards the events of a coup say to have been turned: by coup, hand and number."""

    def __init__(self, events: Iterable[RecordedEvent] = ()) -> None:
        """Read them, whenever in the coup they were told."""
        payloads = [event.payload for event in events_of(ev.CardTurned, events)]
        self._turned = {(payload.coup, payload.hand, payload.nth) for payload in payloads}
        self._coups = {payload.coup for payload in payloads}
        self._of_four = {payload.coup for payload in payloads if payload.nth <= _OF_FOUR}

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


_EXPOSED: Final = ("card-exposed", "card-face-up", "card-off-the-table")


class Exposure:
    """What was exposed, note by note.

    A card that was exposed is taken to be the next one that is shown, whenever that is: a coup that
    ends before its first face leaves it where it is.
    """

    def __init__(self) -> None:
        """Begin with nothing exposed."""
        self._named: set[int] = set()
        self._waits = False
        self._drawn: set[int] = set()

    def note(self, payload: ev.IrregularityNoted) -> bool:
        """Take an irregularity; tell whether a card was exposed by it."""
        if payload.kind not in _EXPOSED:
            if payload.ruling == "burn-card" and payload.coup is not None:
                self._drawn.add(payload.coup)
            return False
        self._waits = True
        if payload.coup is not None:
            self._named.add(payload.coup)
        return True

    def may_be_known(self, first: int, last: int) -> bool:
        """Tell whether the next card may be known, or a note names one of these coups."""
        return self._waits or not self._named.isdisjoint(range(first, last + 1))

    def names_drawn(self, coup: int) -> bool:
        """Tell whether a card that had been drawn in a coup was ruled to be burned."""
        return coup in self._drawn

    def face(self) -> None:
        """See the first face of a coup: what waited has come."""
        self._waits = False
