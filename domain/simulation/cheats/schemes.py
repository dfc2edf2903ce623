"""What a scheme does to the cards of a shoe before it is dealt.

A scheme takes the plan of an honest shoe and returns that of the prepared one. It rests on the
session's seed and the number of the shoe alone, so that any shoe can be dealt again by itself:
where a shoe takes up the order of the one before, the one before is honest.

Source: the public cases that docs/protection.md lists.
"""

import random
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.simulation.cheats.knowledge import SORTED
from sabot.domain.simulation.shoe_plan import ShoePlan, shuffle_cards
from sabot.domain.values.cards import Card

Order = tuple[Card, ...]
_BURN: Final = 12
"""Places that a burn may take: what is known begins behind them."""


class Making(Struct, frozen=True):
    """A shoe in the making.

    ``patron`` is for whom it is prepared; ``number`` counts the session's shoes from 1. ``before``
    gives the order of the shoe before, were it honest; ``dice`` a random source by its name, the
    same for every shoe of the session.
    """

    plan: ShoePlan
    patron: str
    number: int
    before: Callable[[], Order]
    dice: Callable[[str], random.Random]


class Scheme(Struct, frozen=True):
    """What is done to the cards."""

    def prepared(self, making: Making) -> ShoePlan:
        """Return the plan of the shoe as it will really be dealt."""
        raise NotImplementedError


class SortedBacks(Scheme, frozen=True):
    """The backs of a class of values lie turned; the cards stay, and a machine shuffles them."""

    values: frozenset[int] = SORTED

    def prepared(self, making: Making) -> ShoePlan:
        """Keep the batch and the machine, and turn the backs."""
        plan = making.plan
        return replace(
            plan,
            turned=self.values | (plan.turned or frozenset()),
            batch=plan.batch or f"{plan.table}-batch",
            shuffler=plan.shuffler or f"{plan.table}-shuffler",
        )


class EarlyCards(SortedBacks, frozen=True):
    """Sorted backs, and the first four cards of a coup lie face down before the bets close."""

    def prepared(self, making: Making) -> ShoePlan:
        """Turn the backs, and deal early."""
        return replace(super().prepared(making), early=True)


class FalseShuffle(Scheme, frozen=True):
    """Every second shoe keeps a run of cards in the order of the shoe before: a slug.

    ``cards`` are so many; the whole shoe comes unshuffled where that is more than it holds.
    """

    cards: int = 60

    def prepared(self, making: Making) -> ShoePlan:
        """Put the slug among the cards, and let its places be known."""
        plan = making.plan
        if making.number % 2:
            return plan
        earlier = making.before()
        room = len(earlier) - 2 * _BURN - self.cards
        if room <= 0:
            return replace(plan, order=earlier, known=(1, len(earlier)))
        rng = making.dice(f"slug {making.number}")
        at = rng.randrange(_BURN, _BURN + room)
        place = rng.randrange(_BURN, _BURN + room // 2 + 1)
        slug = earlier[at : at + self.cards]
        order = with_slug(earlier, slug, place, rng)
        return replace(plan, order=order, known=(place + 1, place + self.cards))


class Cooler(Scheme, frozen=True):
    """Every so many shoes are switched for one made beforehand, its order always the same."""

    every: int = 2

    def prepared(self, making: Making) -> ShoePlan:
        """Bring in the cooler."""
        plan = making.plan
        if making.number % self.every:
            return plan
        order = tuple(shuffle_cards(plan.decks, making.dice("cooler")))
        return replace(plan, order=order, known=(1, len(order)))


class FilmedCut(Scheme, frozen=True):
    """The cut card is drawn along the pack and shows the cards' edges to a camera.

    ``cards`` are seen, from place ``begins`` on: there is time to work them out before they come.
    """

    cards: int = 120
    begins: int = 150

    def prepared(self, making: Making) -> ShoePlan:
        """Let the patron cut, and the places be known; nothing happens to the cards."""
        plan = making.plan
        last = min(52 * plan.decks, self.begins + self.cards - 1)
        return replace(plan, cutter=making.patron, known=(self.begins, last))


def with_slug(cards: Sequence[Card], slug: Sequence[Card], place: int, rng: random.Random) -> Order:
    """Shuffle all cards but the slug, and put it behind the first ``place`` of them."""
    rest = list(cards)
    for card in slug:
        rest.remove(card)
    rng.shuffle(rest)
    return (*rest[:place], *slug, *rest[place:])
