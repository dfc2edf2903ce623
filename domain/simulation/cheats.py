"""Patrons who know more than the felt shows, and the channels by which they know it.

A channel is the only way by which a card still in the shoe reaches a habit, and it says how
much of it does: the class of the next card, with an accuracy. Whatever else a cheat does rests
on the same spot that honest patrons see.

Source: field-facts.md 4 (Borgata v Ivey: 6 to 9 sorted, and the requests that prepared it).
"""

import random
from collections.abc import Sequence
from typing import ClassVar, Final, Protocol

from msgspec import Struct

from domain.cards import VALUE, Card
from domain.simulation.habits import Ask, Habit, Spot, Stakes, side_of

SORTED: Final = frozenset((6, 7, 8, 9))
"""The optimal split of the first card: in it bet Player, else Banker (field-facts.md 4)."""


class Channel(Protocol):
    """What tells a cheat something of the cards that come."""

    @property
    def looks(self) -> int:
        """How many cards ahead it reaches."""
        ...

    def read(self, ahead: Sequence[Card], rng: random.Random) -> object:
        """Return what the cheat believes, of the next ``looks`` cards (fewer near the end)."""
        ...


class FirstCard(Struct, frozen=True):
    """Tells whether the next card's value is in a class; right with probability ``accuracy``."""

    values: frozenset[int] = SORTED
    accuracy: float = 1.0

    looks: ClassVar[int] = 1

    def read(self, ahead: Sequence[Card], rng: random.Random) -> bool | None:
        """Return whether he believes the next card is in the class; None where none is left."""
        if not ahead:
            return None
        truth = VALUE[ahead[0]] in self.values
        return truth if rng.random() < self.accuracy else not truth


class EdgeSorter(Habit, frozen=True, kw_only=True):
    """Bets on Player where the back of the next card says that it is high, else on Banker.

    ``camouflage`` is the share of coups that he plays by whim; ``spread`` multiplies the unit
    where he knows. Before he bets he asks for what makes the backs readable.
    """

    camouflage: float = 0.0
    spread: int = 1

    rides: ClassVar[bool] = False

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake by what he knows, or by whim where he hides it or knows nothing."""
        if spot.knows is None or rng.random() < self.camouflage:
            return {side_of("random", rng): self.unit}
        return {"player" if spot.knows else "banker": self.unit * self.spread}

    def asks(self, spot: Spot, rng: random.Random) -> tuple[Ask, ...]:
        """Ask for the same decks and the machine, then to have lucky cards turned."""
        if spot.coup == 1:
            return (
                Ask("keep-decks", "the same cards for the whole session"),
                Ask("shuffler", "the automatic shuffler, which turns no card"),
            )
        if spot.coup <= 12 and rng.random() < 0.4:  # noqa: PLR2004 - early in the shoe
            return (Ask("turn-card", "a lucky card, turned end for end before it is discarded"),)
        return ()
