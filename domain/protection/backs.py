"""The way the backs lie against rank: an exact permutation test.

If nobody sorted the cards, the way a back lies has nothing to do with its face: given how many
of the cards of a shoe came out turned, every choice of which is as likely. For a class of values
the number turned among them is then hypergeometric. The class is chosen by the data, so its
chance is multiplied by the number of classes and directions that could have been chosen.

Within a shoe each card is another physical card. From shoe to shoe of one batch the same cards
come again, so the cards of several shoes are never pooled. Across shoes their chances are merged
by what holds however they hang together: the geometric mean of chances, times e, is a chance
(Vovk and Wang 2020), and finds what is weak in each shoe and there in all; the least of them,
times their number, finds what is strong in one.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import comb

from msgspec import Struct

from domain import facts as f
from domain.cards import VALUE
from domain.shoe import Shoe

VALUES = 10
CHOICES = 2**VALUES - 2
"""Classes of values that can be set against the rest; one turned more is the other turned less."""


class Backs(Struct, frozen=True):
    """What a shoe's backs showed: the class turned most, and the chance of that.

    ``cards`` were seen leave the shoe with a known back, ``turned`` of them turned; ``inside``
    and ``inside_turned`` are those of the class. ``chance`` allows for the choice of the
    class; it is the float nearest to an exact figure.
    """

    shoe: str
    values: tuple[int, ...]
    cards: int
    turned: int
    inside: int
    inside_turned: int
    chance: float


def merged(chances: Iterable[float]) -> float:
    """Merge chances of shoes that may hang together in any way: e times their geometric mean."""
    logs = [math.log(max(chance, 1e-300)) for chance in chances]
    return min(1.0, math.exp(1 + sum(logs) / len(logs)))


def backs_of(shoe: Shoe) -> Backs | None:
    """Test a shoe's backs; None where none is recorded, or all lie the same way."""
    cards = [
        (VALUE[event.fact.card], event.fact.back == "turned")
        for event in shoe.left
        if isinstance(event.fact, f.CardDrawn) and event.fact.back is not None
    ]
    return sort_test(shoe.name, cards)


def sort_test(name: str, cards: Sequence[tuple[int, bool]]) -> Backs | None:
    """Test cards, each its value and whether its back lay turned."""
    counts, turns = [0] * VALUES, [0] * VALUES
    for value, turned in cards:
        counts[value] += 1
        turns[value] += turned
    every, turned_all = len(cards), sum(turns)
    if not 0 < turned_all < every:
        return None
    best: Backs | None = None
    # the class that stands out most is always the values turned most often, down to some rate
    order = sorted(
        (value for value in range(VALUES) if counts[value]),
        key=lambda value: Fraction(turns[value], counts[value]),
        reverse=True,
    )
    for size in range(1, len(order)):
        values = tuple(sorted(order[:size]))
        inside = sum(counts[value] for value in values)
        among = sum(turns[value] for value in values)
        chance = min(1.0, float(CHOICES * at_least(among, inside, turned_all, every)))
        if best is None or chance < best.chance:
            best = Backs(name, values, every, turned_all, inside, among, chance)
    return best


def at_least(among: int, inside: int, turned: int, every: int) -> Fraction:
    """The chance that so many or more of a class are turned: the hypergeometric tail."""
    ways = sum(
        comb(inside, many) * comb(every - inside, turned - many)
        for many in range(among, min(inside, turned) + 1)
    )
    return Fraction(ways, comb(every, turned))
