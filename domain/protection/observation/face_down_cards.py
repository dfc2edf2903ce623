"""Face-down cards, and exposed cards that the record does not name."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.protection.observation.observed_coup import Stakes
from sabot.domain.values.cards import Card


class Down(Struct):
    """A card on the table whose face was not shown.

    ``stakes`` are the bets on the layout before the face could be seen, read at the event ``read``.
    ``numbered`` is whether the card's place in the shoe is recorded.
    """

    place: int
    hand: str
    card: Card
    event: int
    early: bool
    stakes: Stakes
    read: RecordedEvent
    numbered: bool = False


_OF_FOUR: Final = 2
"""Number of a hand's cards among the first four of a coup."""


class Turns:
    """The cards recorded as turned, by coup, hand and number."""

    def __init__(self, events: Iterable[RecordedEvent] = ()) -> None:
        """Read the turns of the shoe, whenever in the coup they were recorded."""
        payloads = [event.payload for event in events_of(ev.CardTurned, events)]
        self._turned = {(payload.coup, payload.hand, payload.nth) for payload in payloads}
        self._coups = {payload.coup for payload in payloads}
        self._of_four = {payload.coup for payload in payloads if payload.nth <= _OF_FOUR}

    def any_of(self, coup: int) -> bool:
        """Return whether any turn of a coup is recorded."""
        return coup in self._coups

    def lay_open(self, coup: int, hand: str, nth: int) -> bool:
        """Return whether a card was dealt face up, as far as the record shows.

        The pack must deal face up. A third card may have been turned later if other cards of its
        coup were turned.
        """
        if (coup, hand, nth) in self._turned:
            return False
        return coup not in (self._of_four if nth <= _OF_FOUR else self._coups)

    def mixed(self, coup: int, hand: str, nth: int) -> bool:
        """Return whether a card's turn is missing though others of the first four were turned."""
        return nth <= _OF_FOUR and coup in self._of_four and (coup, hand, nth) not in self._turned

    def all_of(self, coup: int, hands: Sequence[str], down: Iterable[Down]) -> bool:
        """Return whether all face-down cards are recorded as turned."""
        places = {card.place for card in down}
        dealt: Counter[str] = Counter()
        for place, hand in enumerate(hands, 1):
            dealt[hand] += 1
            if place in places and (coup, hand, dealt[hand]) not in self._turned:
                return False
        return True


_EXPOSED: Final = ("card-exposed", "card-face-up", "card-off-the-table")
_NOT_OF_CARDS: Final = ("late-bet", "wrong-payment", "abandoned-bet")
"""Kinds that concern bets alone. A wrong call may have drawn a card too many."""
_ON_CARDS: Final = ("burn-card", "restore-card", "card-to-banker", "other")
"""Rulings that may move a card, whatever the kind."""
_OF_BETS: Final = ("late-bet", "misdeal")


def is_of_cards(note: ev.IrregularityNoted) -> bool:
    """Return whether an irregularity may show or move a card."""
    return note.kind not in _NOT_OF_CARDS or note.ruling in _ON_CARDS


def is_of_bets(note: ev.IrregularityNoted) -> bool:
    """Return whether bets may have been made after a card was seen."""
    return note.kind in _OF_BETS


class Irregularities:
    """The irregularities noted so far, and their coups.

    A note between coups that names none means the coup before and the next.

    An irregularity of the cards may show the next card: it concerns the coup that it names, the one
    after it, and all coups up to the next card shown. A coup that ends before its first face leaves
    it pending. A late bet or a misdeal may put a bet after a card that was already seen.
    """

    def __init__(self) -> None:
        """Create an empty record of irregularities."""
        self._named: set[int] = set()
        self._cards: set[int] = set()
        self._bets: set[int] = set()
        self._waits = False
        self._drawn: set[int] = set()

    def note(self, payload: ev.IrregularityNoted, meant: Sequence[int]) -> bool:
        """Add an irregularity, and return whether it exposed a card.

        Args:
            payload: the note.
            meant: the numbers of the coups that are meant if the note names none.
        """
        coups = meant if payload.coup is None else (payload.coup,)
        self._named.update(coups)
        if is_of_bets(payload):
            self._bets.update(coups)
        if is_of_cards(payload):
            self._cards.update(coups[:1])
            self._waits = True
        if payload.kind not in _EXPOSED and payload.ruling == "burn-card":
            self._drawn.update(coups)
        return payload.kind in _EXPOSED

    def may_be_known(self, first: int, last: int) -> bool:
        """Return whether somebody may know the next card because of an irregularity.

        Irregularities that name one of these coups are included.
        """
        after_cards = (coup + 1 for coup in self._cards)
        return self._waits or any(first <= coup <= last for coup in chain(self._named, after_cards))

    def bets_in_doubt(self, coup: int) -> bool:
        """Return whether bets of a coup may have been made after its cards were seen."""
        return coup in self._bets

    def of_cards(self, coup: int) -> bool:
        """Return whether an irregularity of the cards was noted in a coup."""
        return coup in self._cards

    def names_drawn(self, coup: int) -> bool:
        """Return whether a ruling burned a card that had already been drawn."""
        return coup in self._drawn

    def face(self) -> None:
        """Record that the first face of a coup was shown.

        From then on, an earlier irregularity can no longer have exposed the next card.
        """
        self._waits = False
