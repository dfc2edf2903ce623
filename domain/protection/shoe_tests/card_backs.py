"""The way the backs lie against rank: an exact permutation test.

If nobody sorted the cards, the way a back lies has nothing to do with its face: given how many
of the cards of a shoe came out turned, every choice of which is as likely. For a class of values
the number turned among them is then hypergeometric. The class is chosen by the data, so its
chance is multiplied by the number of classes and directions that could have been chosen.

How far a shoe is dealt may hang on its cards, and who stops it may have seen their backs. So it is
looked at where nobody has a say: after so many cards as a pack has, after twice as many, and so on;
the n-th look has 1/(n(n+1)) of what the shoe may say by chance, and all that it can ever have come
to the whole. What lies behind the last look is not looked at.

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

from sabot.domain import events as ev
from sabot.domain.events.envelope import events_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import VALUE

VALUES = 10
CHOICES = 2**VALUES - 2
"""Classes of values that can be set against the rest; one turned more is the other turned less."""
LOOK = 52
"""Cards from one look to the next."""


class Backs(Struct, frozen=True):
    """What a shoe's backs showed at the look that told most: the class turned most, and its chance.

    ``cards`` had left the shoe with a known back, ``turned`` of them turned; ``inside`` and
    ``inside_turned`` are those of the class. ``chance`` allows for the choice of the class and
    for all looks; it is the float nearest to an exact figure.
    """

    shoe: str
    values: tuple[int, ...]
    cards: int
    turned: int
    inside: int
    inside_turned: int
    chance: float


def merge_chances(chances: Iterable[float]) -> float:
    """Merge chances of shoes that may hang together in any way: e times their geometric mean."""
    logs = [math.log(max(chance, 1e-300)) for chance in chances]
    return min(1.0, math.exp(1 + sum(logs) / len(logs)))


def backs_of(shoe: Shoe) -> Backs | None:
    """Test a shoe's backs; None where none is recorded, or all lie the same way, or too few are."""
    cards = [
        (VALUE[event.payload.card], event.payload.back == "turned")
        for event in events_of(ev.CardDrawn, shoe.left)
        if event.payload.back is not None
    ]
    return sort_test(shoe.name, cards)


def sort_test(name: str, cards: Sequence[tuple[int, bool]], look: int = LOOK) -> Backs | None:
    """Test cards in the order in which they left a shoe, each its value and whether it lay turned.

    None where no look saw backs of both ways. Of looks that tell as much, the first is told.
    """
    best: Backs | None = None
    for nth, end in enumerate(range(look, len(cards) + 1, look), 1):
        best = _at_look(name, cards[:end], CHOICES * nth * (nth + 1), best)
    return best


def _at_look(
    name: str, cards: Sequence[tuple[int, bool]], choices: int, best: Backs | None
) -> Backs | None:
    """Return what a look tells, where it is more than the best of those before."""
    counts, turns = [0] * VALUES, [0] * VALUES
    for value, turned in cards:
        counts[value] += 1
        turns[value] += turned
    every, turned_all = len(cards), sum(turns)
    if not 0 < turned_all < every:
        return best
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
        chance = min(1.0, float(choices * at_least(among, inside, turned_all, every)))
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
