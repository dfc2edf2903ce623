"""Orientation of card backs against card values: an exact permutation test.

Null hypothesis: the orientation of a back is independent of its face, so given the number of turned
cards, every choice of them is equally likely. The number turned among a class of values is then
hypergeometric. Because the class is chosen after seeing the data, its p-value is multiplied by the
number of classes and directions to choose from.

How far a shoe is dealt may depend on its cards, and the person who stops it may have seen their
backs. So the test is made at fixed points only: after 52 cards, after 104, and so on. The n-th look
spends 1/(n(n+1)) of the shoe's share of the level, and all possible looks spend the whole. Cards
after the last look are not tested.

Within a shoe each card is a different physical card. In shoes of one batch the same cards recur, so
cards of several shoes are never pooled. Their p-values are merged by a rule valid under any
dependence: e times the geometric mean is a p-value (Vovk and Wang 2020).
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import comb

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import events_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import VALUE

VALUES = 10
CHOICES = 2**VALUES - 2
"""Number of classes of values to compare with the rest; a reversed direction is the complement."""
LOOK = 52
"""Number of cards from one look to the next."""


class Backs(Struct, frozen=True):
    """The backs of a shoe at the most significant look.

    ``values`` is the class turned most. ``cards`` had left the shoe with a known back, ``turned``
    of them turned; ``inside`` and ``inside_turned`` are those of the class. ``chance`` is the
    p-value, corrected for the choice of the class and for all looks; it is the float nearest to an
    exact figure.
    """

    shoe: str
    values: tuple[int, ...]
    cards: int
    turned: int
    inside: int
    inside_turned: int
    chance: float


def merge_chances(chances: Iterable[float]) -> float:
    """Merge p-values under any dependence: e times their geometric mean."""
    logs = [math.log(max(chance, 1e-300)) for chance in chances]
    return min(1.0, math.exp(1 + sum(logs) / len(logs)))


def backs_of(shoe: Shoe) -> Backs | None:
    """Test a shoe's backs. None if too few are recorded, or all have the same orientation."""
    cards = [
        (VALUE[event.payload.card], event.payload.back == "turned")
        for event in events_of(ev.CardDrawn, shoe.left)
        if event.payload.back is not None
    ]
    return sort_test(shoe.name, cards)


def sort_test(name: str, cards: Sequence[tuple[int, bool]], look: int = LOOK) -> Backs | None:
    """Test cards in the order of the shoe.

    Each is (value, turned). None if no look had backs of both orientations. Of equally significant
    looks the first is returned.
    """
    best: Backs | None = None
    for nth, end in enumerate(range(look, len(cards) + 1, look), 1):
        best = _at_look(name, cards[:end], CHOICES * nth * (nth + 1), best)
    return best


def _at_look(
    name: str, cards: Sequence[tuple[int, bool]], choices: int, best: Backs | None
) -> Backs | None:
    """Return the more significant of two looks: this one and the best so far."""
    counts, turns = [0] * VALUES, [0] * VALUES
    for value, turned in cards:
        counts[value] += 1
        turns[value] += turned
    every, turned_all = len(cards), sum(turns)
    if not 0 < turned_all < every:
        return best
    # the most extreme class always consists of the values turned most often, down to some rate
    order = sorted(
        (value for value in range(VALUES) if counts[value]),
        key=lambda value: Fraction(turns[value], counts[value]),
        reverse=True,
    )
    for size in range(1, len(order)):
        values = tuple(sorted(order[:size]))
        inside = sum(counts[value] for value in values)
        among = sum(turns[value] for value in values)
        chance = min(1.0, float(choices * at_least(among, inside, turned_all, every)))
        if best is None or chance < best.chance:
            best = Backs(name, values, every, turned_all, inside, among, chance)
    return best


def at_least(among: int, inside: int, turned: int, every: int) -> Fraction:
    """Return the hypergeometric tail probability of a class.

    It is the probability of ``among`` or more turned cards in the class.
    """
    ways = sum(
        comb(inside, many) * comb(every - inside, turned - many)
        for many in range(among, min(inside, turned) + 1)
    )
    return Fraction(ways, comb(every, turned))
