"""Find an equilibrium of baccarat banque, for any split of the stakes.

Suppose that the right tableau draws on 5 with probability p. The rest is a game of the left tableau
against the banker. Left sees right's play, so this game falls into parts, one for each result that
right showed. In each part left's gain from drawing on 5 decreases in steps as left draws more often
and the banker responds. Left's probability in equilibrium is where this gain crosses zero. The
banker mixes in the places whose best response changes at that probability. In the same way p in
equilibrium is where right's own gain from drawing crosses zero, given the best responses of left
and the banker.

First p is bracketed in floating point. In some places the response just below p differs from that
just above p. These places give equations for p, which are solved in fractions. If p is the root of
a quadratic equation, or of a continuous gain, it is accurate to 10**-24. A player's regret is then
about as small instead of 0.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Final

from msgspec import Struct

from sabot.domain.odds.optimal_play.banque_equilibrium import (
    FIVES,
    LEFT_ALONE,
    RIGHT,
    RIGHT_ALONE,
    BanqueSolution,
    Five,
)
from sabot.domain.odds.optimal_play.banque_game import THIRDS, BanqueGame, Form, Place
from sabot.domain.odds.optimal_play.banque_parts import Answer, Part
from sabot.domain.values.errors import BadInput

FINE: Final = 10**30
"""The denominator of a probability without an exact fraction."""

STEPS: Final = 44
"""Number of bisections, down to the resolution of floating point."""

CLOSE: Final = Fraction(1, 100)
"""The maximum distance from the bracket of an exact solution."""

REGRET: Final = Fraction(1, 10**20)
"""The maximum gain accepted from a change of one player's play alone; nearly always 0."""


@lru_cache(maxsize=64)
def solve_banque(game: BanqueGame, split: Fraction) -> BanqueSolution:
    """Return an equilibrium, proved by best responses.

    Args:
        game: the cards, and what the banker sees.
        split: right's share of the total stakes.

    Raises:
        BadInput: the split is not between 0 and 1, or no equilibrium was found for it.
    """
    if not 0 <= split <= 1:
        raise BadInput(f"right's share is between 0 and 1, not {split}")
    fives: dict[Five, Fraction] = {}
    banker: dict[Place, Fraction] = {}
    # if one tableau has a natural, the other plays chemin de fer against the banker
    for five in (RIGHT_ALONE, LEFT_ALONE):
        part = Part(game, five, split)
        answer = part.answer(Fraction(0))
        _take(fives, banker, part, Fraction(answer.chance), part.mixed(answer, Fraction(0)))
    parts = [Part(game, Five("left", shown), split) for shown in THIRDS]
    for attempt in _Search(parts).attempts():
        fives[RIGHT] = attempt.chance
        for part, left, draws in zip(parts, attempt.left, attempt.draws, strict=True):
            _take(fives, banker, part, left, draws)
        solution = BanqueSolution(game, split, {five: fives[five] for five in FIVES}, banker)
        if max(solution.regret.values()) <= REGRET:
            return solution
    raise BadInput(f"no equilibrium was found and proved for right's share {split}; give another")


def _take(
    fives: dict[Five, Fraction],
    banker: dict[Place, Fraction],
    part: Part,
    chance: Fraction,
    draws: Sequence[Fraction],
) -> None:
    fives[part.five] = chance
    banker.update((line.place, draw) for line, draw in zip(part.lines, draws, strict=True))


class _Attempt(Struct, frozen=True):
    """A candidate solution.

    ``chance`` is the probability that right draws on 5. ``left`` and ``draws`` are those of left
    and the banker, given what right showed.
    """

    chance: Fraction
    left: list[Fraction]
    draws: list[list[Fraction]]


class _Search:
    """Searches for the right tableau's chance of drawing on 5, and the others' best responses."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts

    def attempts(self) -> Iterator[_Attempt]:
        """Yield candidate equilibria for coups in which neither tableau has a natural."""
        low, high = self._bracket()
        if low == high:
            chance = Fraction(low)
            answers = [part.answer(chance) for part in self.parts]
            left = [Fraction(answer.chance) for answer in answers]
            pairs = zip(self.parts, answers, strict=True)
            yield _Attempt(chance, left, [part.mixed(each, chance) for part, each in pairs])
            return
        ends = [[part.answer(each) for part in self.parts] for each in (low, high)]
        near = Fraction((low + high) / 2)
        # left's probability may jump at right's: then the response may be that of either side
        for first, last in (ends, reversed(ends)):
            yield self._between(self._exactly(near, first, last), first, last)

    def _between(self, chance: Fraction, first: list[Answer], last: list[Answer]) -> _Attempt:
        """Return a mixture of the responses to right's probabilities just below and just above.

        With it right gains the same by drawing and by standing on 5.
        """
        pairs = list(zip(self.parts, first, last, strict=True))
        left = [_left(part, each, chance) for part, *each in pairs]
        ends = [
            [part.mixed(answer, chance) for part, answer in zip(self.parts, side, strict=True)]
            for side in (first, last)
        ]
        gains = [
            sum(
                (
                    Fraction(part.rights(draws, x))
                    for part, draws, x in zip(self.parts, side, left, strict=True)
                ),
                Fraction(0),
            )
            for side in ends
        ]
        share = gains[0] / (gains[0] - gains[1]) if gains[0] != gains[1] else Fraction(0)
        draws = [
            [a + share * (b - a) for a, b in zip(*each, strict=True)]
            for each in zip(*ends, strict=True)
        ]
        for n, (part, one, other) in enumerate(pairs):
            if not one.pivots and not other.pivots and one.chance != other.chance:
                left[n] = Fraction(part.gain(draws[n], chance) > 0)
        return _Attempt(chance, left, draws)

    def _gain(self, chance: float) -> float:
        """Return right's gain from drawing on 5, given the best responses of both others."""
        won = 0.0
        for part in self.parts:
            answer = part.answer(chance)
            low, high = (float(part.gain(each, chance)) for each in (answer.before, answer.after))
            share = low / (low - high) if low != high and answer.before != answer.after else 0.0
            draws = [a + share * (b - a) for a, b in zip(answer.before, answer.after, strict=True)]
            won += float(part.rights(draws, answer.chance))
        return won

    def _bracket(self) -> tuple[float, float]:
        """Return two probabilities between which right's gain crosses zero.

        They are equal if the crossing is at 0 or 1.
        """
        if self._gain(0.0) <= 0:
            return 0.0, 0.0
        if self._gain(1.0) >= 0:
            return 1.0, 1.0
        low, high = 0.0, 1.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            if self._gain(middle) > 0:
                low = middle
            else:
                high = middle
        return low, high

    def _exactly(self, near: Fraction, below: list[Answer], above: list[Answer]) -> Fraction:
        """Return right's exact probability of drawing on 5.

        It follows from the places in which the responses just below this probability differ from
        those just above.
        """
        found = [
            root
            for part, first, last in zip(self.parts, below, above, strict=True)
            for root in _roots(part, first, last, near)
            if abs(root - near) < CLOSE
        ]
        if found:
            return min(found, key=lambda root: abs(root - near))
        # no response changes: right's gain crosses zero continuously
        first, last = near, near + Fraction(1, FINE)
        for _ in range(4):
            gains = [self._gain_by(below, each) for each in (first, last)]
            if gains[0] == gains[1]:
                break
            meets = first + (last - first) * gains[0] / (gains[0] - gains[1])
            first, last = last, Fraction(round(meets * FINE), FINE)
        return last

    def _gain_by(self, answers: list[Answer], chance: Fraction) -> Fraction:
        """Return right's exact gain from drawing on 5 with probability ``chance``.

        The other two mix in the places in which ``answers`` mix.
        """
        return sum(
            (
                Fraction(part.rights(part.mixed(answer, chance), _left(part, [answer], chance)))
                for part, answer in zip(self.parts, answers, strict=True)
            ),
            Fraction(0),
        )


def _left(part: Part, answers: Sequence[Answer], chance: Fraction) -> Fraction:
    """Return the left tableau's probability of drawing.

    ``answers`` are the responses to one or more drawing probabilities of the right tableau next to
    ``chance``.
    """
    for answer in answers:
        if not answer.pivots:
            return Fraction(answer.chance)
    a, b = part.bank(part.lines[answers[0].pivots[0]], chance)
    return Fraction(-a) / Fraction(b)


def _roots(part: Part, below: Answer, above: Answer, near: Fraction) -> list[Fraction]:
    """Return right's probabilities of drawing at which the banker gains nothing by drawing.

    Only positions in which the banker's best reply changes are considered.
    """
    changed = [
        line.bank
        for n, line in enumerate(part.lines)
        if len({below.before[n], below.after[n], above.before[n], above.after[n]}) > 1
    ]
    if (below.before, below.after) == (above.before, above.after):
        return []
    if not below.pivots or not above.pivots:
        left = _left(part, [below, above], near)
        lines = [(bank.one + bank.left * left, bank.right + bank.both * left) for bank in changed]
        return [-a / b for a, b in lines if b]
    first = part.lines[below.pivots[0]].bank
    return [root for bank in changed for root in _meeting(first, bank, near)]


def _meeting(first: Form, second: Form, near: Fraction) -> list[Fraction]:
    """Return right's probability at which two forms are zero for the same probability of left.

    If there are two such probabilities, return the one nearest to ``near``.
    """
    nought = first.one * second.left - second.one * first.left
    one = (
        first.one * second.both
        + first.right * second.left
        - second.one * first.both
        - second.right * first.left
    )
    two = first.right * second.both - second.right * first.both
    if not two:
        return [Fraction(-nought, one)] if one else []
    square = one * one - 4 * nought * two
    if square < 0:
        return []
    root = Fraction(isqrt(square * FINE**2), FINE)
    found = [(-one + sign * root) / (2 * two) for sign in (1, -1)]
    best = min(found, key=lambda each: abs(each - near))
    return [best if root**2 == square else Fraction(round(best * FINE), FINE)]
