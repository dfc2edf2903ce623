"""Schemes that prepare the cards of a shoe before it is dealt.

A scheme takes the plan of an honest shoe and returns the plan of the prepared one. It depends only
on the session's seed and the number of the shoe, so that any shoe can be dealt again without the
others. If a shoe keeps the order of the previous shoe, it is the order before any scheme.

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
"""Maximum number of places taken by a burn; known cards begin after them."""


class Making(Struct, frozen=True):
    """The shoe that a scheme prepares.

    ``patron`` is the patron who benefits. ``number`` counts the shoes of the session from 1.
    ``before`` returns the order of the previous shoe as if no scheme had prepared that shoe.
    ``dice`` returns a random source by name, the same for every shoe of the session.
    """

    plan: ShoePlan
    patron: str
    number: int
    before: Callable[[], Order]
    dice: Callable[[str], random.Random]


class Scheme(Struct, frozen=True):
    """A preparation of the cards of a shoe."""

    def prepared(self, making: Making) -> ShoePlan:
        """Return the plan of the shoe as it is dealt after the preparation."""
        raise NotImplementedError


class SortedBacks(Scheme, frozen=True):
    """A scheme in which the backs of cards of some values are turned.

    The decks are kept in use, and shuffled by machine.
    """

    values: frozenset[int] = SORTED

    def prepared(self, making: Making) -> ShoePlan:
        """Keep the batch, shuffle by machine, and turn the backs."""
        plan = making.plan
        return replace(
            plan,
            turned=self.values | (plan.turned or frozenset()),
            batch=plan.batch or f"{plan.table}-batch",
            shuffler=plan.shuffler or f"{plan.table}-shuffler",
        )


class EarlyCards(SortedBacks, frozen=True):
    """A scheme with turned backs, in which the first four cards are dealt early.

    They lie face down before the bets close.
    """

    def prepared(self, making: Making) -> ShoePlan:
        """Turn the backs, and deal early."""
        return replace(super().prepared(making), early=True)


class FalseShuffle(Scheme, frozen=True):
    """A scheme in which every second shoe keeps a slug: a run of unshuffled cards.

    The run has the order of the previous shoe. ``cards`` is its length. If it exceeds the shoe, the
    whole shoe is unshuffled.
    """

    cards: int = 60

    def prepared(self, making: Making) -> ShoePlan:
        """Insert the slug, and record its places as known."""
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
    """A scheme in which a shoe of fixed order replaces every shoe ``every`` shoes apart.

    It replaces the shoes whose number is a multiple of ``every``.
    """

    every: int = 2

    def prepared(self, making: Making) -> ShoePlan:
        """Replace the shoe by the cooler."""
        plan = making.plan
        if making.number % self.every:
            return plan
        order = tuple(shuffle_cards(plan.decks, making.dice("cooler")))
        return replace(plan, order=order, known=(1, len(order)))


class FilmedCut(Scheme, frozen=True):
    """A scheme in which a camera films the cards' edges during the cut.

    ``cards`` are seen, from place ``begins`` on, which leaves time to evaluate the film.
    """

    cards: int = 120
    begins: int = 150

    def prepared(self, making: Making) -> ShoePlan:
        """Let the patron cut. Record the filmed places as known.

        The order of the cards is unchanged.
        """
        plan = making.plan
        last = min(52 * plan.decks, self.begins + self.cards - 1)
        return replace(plan, cutter=making.patron, known=(self.begins, last))


def with_slug(cards: Sequence[Card], slug: Sequence[Card], place: int, rng: random.Random) -> Order:
    """Return a shuffled order that contains a slug unchanged.

    The slug begins after the first ``place`` of the other cards.
    """
    rest = list(cards)
    for card in slug:
        rest.remove(card)
    rng.shuffle(rest)
    return (*rest[:place], *slug, *rest[place:])
