"""The channels by which a cheat knows of cards that nobody has shown.

A channel is the only way by which a card still in the shoe reaches a habit, and it says how much
of it does, with an accuracy. Whatever else a cheat does rests on the same spot that honest
patrons see.

Source: field-facts.md 4 (what is known under which scheme).
"""

import random
from collections.abc import Sequence
from typing import ClassVar, Final, Protocol

from msgspec import Struct

from domain.cards import VALUE, Card
from domain.procedure import hand_due
from domain.result import result_of

SORTED: Final = frozenset((6, 7, 8, 9))
"""The optimal split of the first card: in it bet Player, else Banker (field-facts.md 4)."""
COUP_CARDS: Final = 6
_FOUR: Final = 4
_WAGERS: Final = {"P": "player", "B": "banker", "T": "tie"}


class Ahead(Struct, frozen=True):
    """What a simulation can show a channel: the next cards of the shoe, and the coup's own.

    ``place`` is that of the first of ``cards`` in the shoe, from 1. ``player`` and ``banker`` are
    the coup's cards so far, on the felt face down or up. ``known`` are the first and last place
    of the cards whose order somebody knows, 0 and 0 where nobody does.
    """

    cards: Sequence[Card]
    place: int = 1
    player: Sequence[Card] = ()
    banker: Sequence[Card] = ()
    known: tuple[int, int] = (0, 0)


class Channel(Protocol):
    """What tells a cheat something of the cards that come."""

    @property
    def looks(self) -> int:
        """How many cards ahead it reaches."""
        ...

    def read(self, ahead: Ahead, rng: random.Random) -> object:
        """Return what the cheat believes; None where there is nothing to know."""
        ...


class FirstCard(Struct, frozen=True):
    """Tells whether the next card's value is in a class; right with probability ``accuracy``."""

    values: frozenset[int] = SORTED
    accuracy: float = 1.0

    looks: ClassVar[int] = 1

    def read(self, ahead: Ahead, rng: random.Random) -> bool | None:
        """Return whether he believes the next card is in the class; None where none is left."""
        if not ahead.cards:
            return None
        truth = VALUE[ahead.cards[0]] in self.values
        return truth if rng.random() < self.accuracy else not truth


class FirstFour(Struct, frozen=True):
    """Tells the class of each of the four cards that lie on the felt before the bets close.

    Each is read right with probability ``accuracy``. The side with more cards of the class is
    believed to win; Banker where they are level, which is not the best that could be made of it.
    """

    values: frozenset[int] = SORTED
    accuracy: float = 1.0

    looks: ClassVar[int] = 0

    def read(self, ahead: Ahead, rng: random.Random) -> str | None:
        """Return the side; None unless four cards are out."""
        if len(ahead.player) + len(ahead.banker) != _FOUR:
            return None
        high = [
            sum(self._sees(card, rng) for card in hand) for hand in (ahead.player, ahead.banker)
        ]
        return "player" if high[0] > high[1] else "banker"

    def _sees(self, card: Card, rng: random.Random) -> bool:
        truth = VALUE[card] in self.values
        return truth if rng.random() < self.accuracy else not truth


class Outcome(Struct, frozen=True):
    """Tells how the coup will end, where the order of the cards that decide it is known.

    ``everywhere``: whatever the place, as for who sees each card in time (a dealer's signs, an
    image of the shoe). Right with probability ``accuracy``, else one of the other two.
    """

    accuracy: float = 1.0
    everywhere: bool = False

    looks: ClassVar[int] = COUP_CARDS

    def read(self, ahead: Ahead, rng: random.Random) -> str | None:
        """Return the wager that he believes will win."""
        ends = _ending(ahead)
        if ends is None:
            return None
        outcome, used = ends
        first, last = ahead.known
        if not self.everywhere and not (first <= ahead.place and ahead.place + used - 1 <= last):
            return None
        if rng.random() >= self.accuracy:
            return rng.choice([wager for wager in _WAGERS.values() if wager != outcome])
        return outcome


def _ending(ahead: Ahead) -> tuple[str, int] | None:
    """Deal the coup to its end: who wins, and how many cards more it takes."""
    player, banker = list(ahead.player), list(ahead.banker)
    for used in range(len(ahead.cards) + 1):
        hand = hand_due(player, banker)
        if hand is None:
            return _WAGERS[result_of(player, banker).outcome], used
        if used < len(ahead.cards):
            (player if hand == "player" else banker).append(ahead.cards[used])
    return None
