"""Evidence that a shoe keeps parts of a known order: slug, false or poor shuffle, new packs.

Null hypothesis: the shoe was shuffled uniformly. Then each card is uniform over the cards not yet
shown, whatever the known orders are. So q(card) / p(card) has mean exactly 1 for any prediction q
that adds up to 1 over these cards, and the product over the cards is a test martingale.

A riffled order consists of a few parts of the old order that run side by side: most cards come
right after one of the cards seen lately. A predictor therefore keeps a weight for each place of a
known order: how likely the card of that place comes next. When that card comes, its weight moves to
the following place. A card has several copies, so the weight is divided among them in proportion to
their weights. Weights decay: fast for a slug that is dealt card by card, slowly for an order that
was riffled several times.

The predictors share the evidence. After each card a hundredth of every share is divided again by
the prior shares. Half of it goes to the uniform prediction, so that randomly ordered parts cost
little evidence.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from sabot.domain.protection.shoe_tests.card_order import KnownOrder

Number = Callable[[Fraction], float]
"""Number type of the arithmetic: `float`, or `Fraction` for exact results."""

FADES: Final = (Fraction(1, 2), Fraction(49, 50))
"""What is left of a weight after each card, for slugs and for riffled orders."""
UNEXPECTED: Final = Fraction(1, 4)
"""The weight on any card, beside the weights on the places of a known order."""
IDLE: Final = Fraction(1, 2)
SWITCH: Final = Fraction(1, 100)
_TINY: Final = 1e-100


class OrderPredictor:
    """Predicts the next card from one known order. Cards are numbers."""

    def __init__(
        self,
        number: Number,
        order: Sequence[int],
        *,
        cycle: bool,
        fade: Fraction,
        copies: Sequence[int],
    ) -> None:
        """Create the predictor before the first card.

        Args:
            number: the arithmetic.
            order: the known order.
            cycle: whether it begins again at its end.
            fade: the factor by which a weight decays at each card.
            copies: the cards of a full shoe, by number.
        """
        self._unit, self._fade = number(Fraction(1)), number(fade)
        self._unexpected = number(UNEXPECTED)
        nothing = 0 * self._unit
        self._places: list[list[int]] = [[] for _ in copies]
        for place, card in enumerate(order):
            self._places[card].append(place)
        # of each place: the place behind it, and the card there
        end = (0, order[0]) if cycle else None
        self._behind = [*enumerate(order[1:], 1), end]
        self._cycle = cycle
        self._weights = [nothing] * len(order)
        self._free = [self._unit if copies[card] else nothing for card in order]
        # the weights by card; all weights are to be multiplied by the scale
        self._by_card = [nothing] * len(copies)
        self._scale = self._unit

    def take(self, card: int, blind: float, *, last: bool) -> float:
        """Return the predicted chance of a card that came, and learn from it.

        ``blind`` is its chance under the null hypothesis. ``last`` is whether it was the last card
        of its kind.
        """
        weights, free, by_card, scale = self._weights, self._free, self._by_card, self._scale
        unit, places = self._unit, self._places[card]
        unexpected = self._unexpected
        chance = (by_card[card] * scale + unexpected * blind) / (sum(by_card) * scale + unexpected)
        if places:
            fresh = unexpected * blind / len(places)
            expected = [weights[at] * scale + fresh * free[at] for at in places]
            total = sum(expected)
            next_scale = scale * self._fade
            for at, likely in zip(places, expected, strict=True) if total > 0 else ():
                share = likely / total
                moved = weights[at] * share
                weights[at] -= moved
                by_card[card] -= moved
                if not self._cycle:
                    free[at] *= unit - share
                behind = self._behind[at]
                if behind is not None:
                    weight = share * free[behind[0]] / next_scale
                    weights[behind[0]] += weight
                    by_card[behind[1]] += weight
            if last:
                # no such card can come again
                by_card[card] = 0 * unit
                for at in places:
                    weights[at] = free[at] = 0 * unit
        self._scale = scale * self._fade
        if self._scale < _TINY:
            self._rescale()
        return chance

    def _rescale(self) -> None:
        """Apply the common scale to the weights, before it becomes too small for a float."""
        scale, self._scale = self._scale, self._unit
        self._weights = [weight * scale for weight in self._weights]
        self._by_card = [
            sum((self._weights[at] for at in places), 0 * self._unit) for places in self._places
        ]


class OrderProcess:
    """The evidence about a shoe's order, card by card.

    ``credit`` is what each known order added to the logarithm of the evidence.
    """

    def __init__(
        self, number: Number, orders: Sequence[KnownOrder], copies: dict[str, int]
    ) -> None:
        """Create the process with a full shoe. ``copies`` counts its cards by name."""
        self._numbers = {name: at for at, name in enumerate(copies)}
        self._left = list(copies.values())
        self._cards = sum(self._left)
        self._number = number
        self.orders = [order for order in orders for _ in FADES]
        self._predictors = [
            OrderPredictor(
                number,
                [self._numbers[name] for name in order.cards],
                cycle=order.cycle,
                fade=fade,
                copies=self._left,
            )
            for order in orders
            for fade in FADES
        ]
        each = number((1 - IDLE) / max(1, len(self._predictors)))
        self._prior = [number(IDLE), *(each for _ in self._predictors)]
        self._shares = self._prior.copy()
        self.credit = [0.0] * len(self._predictors)

    def take(self, name: str) -> float | None:
        """Return the factor of evidence of the next card. None if the shoe cannot hold it."""
        card = self._numbers[name]
        left = self._left[card]
        if left < 1:
            return None
        blind, last = self._number(Fraction(left, self._cards)), left == 1
        chances = [blind, *(one.take(card, blind, last=last) for one in self._predictors)]
        parts = [share * chance for share, chance in zip(self._shares, chances, strict=True)]
        whole = sum(parts)
        factor = whole / sum(self._shares) / blind
        self._left[card], self._cards = left - 1, self._cards - 1
        switch = self._number(SWITCH)
        self._shares = [
            (1 - switch) * part / whole + switch * prior
            for part, prior in zip(parts, self._prior, strict=True)
        ]
        gained = math.log(factor)
        if gained > 0:
            for at, part in enumerate(parts[1:]):
                self.credit[at] += gained * float(part / whole)
        return factor


_WELL: Final = math.log(3)
"""A card counts as predicted from here on."""


class OrderEvidence(Struct, frozen=True):
    """The highest evidence of a shoe's order, in base 10.

    ``cards`` is the number of shown cards after which it was reached. ``source`` describes the
    known order that predicted most. ``predicted`` are the places of the cards that it predicted
    best, among the cards shown.
    """

    log10_e: float
    cards: int
    source: str
    predicted: list[int]


def evidence_of_order(
    cards: Sequence[str], orders: Sequence[KnownOrder], copies: dict[str, int]
) -> OrderEvidence:
    """Compute the evidence about the order of a shoe from the cards shown.

    Args:
        cards: their names, in the order in which they left the shoe.
        orders: the known orders, named at the same level.
        copies: the cards of the full shoe by name.
    """
    process = OrderProcess(float, orders, copies)
    log_e = best = 0.0
    at, source = 0, ""
    well: list[int] = []
    predicted = 0
    for place, name in enumerate(cards):
        factor = process.take(name)
        if factor is None:
            break
        gained = math.log(factor)
        log_e += gained
        if gained > _WELL:
            well.append(place)
        if log_e > best and process.orders:
            best, at, predicted = log_e, place + 1, len(well)
            most = max(range(len(process.credit)), key=process.credit.__getitem__)
            source = process.orders[most].source
    return OrderEvidence(best / math.log(10), at, source, well[:predicted])
