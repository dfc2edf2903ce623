"""Optimal play of macao and victoria for one punter who draws at most one card.

One punter plays against the banker. Each draws one card or none. Every card comes with the
probabilities of a full pack, independently of earlier cards. If the rule pack permits, a drawn ten
or face is rejected until another card comes. The punter knows their own hand; the banker knows the
bank's total and the punter's drawn card, which is face up. It is a two-person game in which each
side chooses once. It is solved like chemin de fer
(`sabot.domain.odds.optimal_play.chemin_de_fer_solution`): by an exact linear programme, proved by
best responses.

With repeated draws or several punters no solution is published, and none is computed.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm
from typing import Final

from msgspec import Struct

from sabot.domain.odds.optimal_play.linear_programme import minimise
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.macao_hands import CONDITIONS, MacaoRules, Score, compare_hands
from sabot.domain.rules.wagers import Wager
from sabot.domain.values.cards import FIRST_TWO, HIGHEST_TOTAL

_WEIGHTS: Final = (4, *[1] * 9)
"""Number of ranks, of 13, with each value."""


class Punter(Struct, frozen=True, order=True):
    """A position of the punter. ``pays`` is the payment if the hand stands and wins."""

    total: int
    pays: Fraction


class Banker(Struct, frozen=True, order=True):
    """A position of the banker. ``drew`` is the value that the punter drew (None: stood)."""

    total: int
    drew: int | None


class OwnHandSolution(Struct, frozen=True):
    """Optimal play of both sides.

    ``value`` is the punter's average win per unit staked. ``punter`` and ``banker`` give the
    probability of drawing in each position. ``worth`` gives the values of standing and of drawing
    there, against the other's optimal play, in units staked (None: the position is never reached).
    """

    value: Fraction
    punter: dict[Punter, Fraction]
    banker: dict[Banker, Fraction]
    worth: "dict[Punter | Banker, tuple[Fraction, Fraction] | None]"

    def loss(self, position: "Punter | Banker", choice: Choice) -> Fraction | None:
        """Return the average cost of a choice, given that the position is reached."""
        worth = self.worth.get(position)
        if worth is None:
            return None
        stands, draws = worth
        return max(stands, draws) - (draws if choice == "draw" else stands)


class Unsolved(Exception):
    """The best responses of the two sides do not agree, which is an error of the program."""


def punter_at(rules: MacaoRules, wager: Wager, score: Score) -> Punter:
    """Return the punter's position after the first cards."""
    return Punter(score.total, _pays(rules, wager, score))


@lru_cache(maxsize=16)
def solve_own_hand(rules: MacaoRules, wager: Wager) -> OwnHandSolution | None:
    """Return the solution for a rule pack.

    None if a hand may draw more than once, or not at all.

    Raises:
        Unsolved: the proof failed, which would be an error of this program.
    """
    if rules.most_cards != rules.dealt + 1 or (rules.dealt, rules.over_nine) == (2, "bust"):
        return None
    return _Game(rules, wager).solve()


def _pays(rules: MacaoRules, wager: Wager, score: Score) -> Fraction:
    """Return what a hand pays if it wins."""
    beaten = Score(-1, score.cards, natural=False, pair=False, bust=False)
    return _brings(rules, wager, score, beaten)


def _brings(rules: MacaoRules, wager: Wager, punter: Score, banker: Score) -> Fraction:
    """Return the punter's win per unit staked. A loss is -1."""
    shown = compare_hands(rules, punter, banker)
    line = wager.line_where(lambda on: CONDITIONS[on](shown) if on in CONDITIONS else None)
    return Fraction(-1) if isinstance(line, str) else line.ratio


class _Game:
    """The payoffs of every pair of positions, with integer weights."""

    def __init__(self, rules: MacaoRules, wager: Wager) -> None:
        self.rules, self.wager = rules, wager
        first = 1 if rules.reject else 0
        self.draws = [(value, _WEIGHTS[value]) for value in range(first, 10)]
        self.drawn = sum(weight for _, weight in self.draws)
        self.punters = self._hands()
        self.bankers: dict[int, int] = {}
        for (score, _), weight in self.punters.items():
            self.bankers[score.total] = self.bankers.get(score.total, 0) + weight
        self.seen: list[int | None] = [None, *(value for value, _ in self.draws)]
        self.places = [Banker(total, drew) for drew in self.seen for total in sorted(self.bankers)]
        ratios = [line.ratio.denominator for line in wager.lines]
        self.unit = lcm(1, *ratios)
        self.whole = 13 ** (2 * rules.dealt) * self.drawn**2 * self.unit

    def _hands(self) -> dict[tuple[Score, Fraction], int]:
        """Map every first hand to its weight, the number of ways to get it.

        Two ten-valued cards do not count as a pair here, since they pay as other hands do.
        """
        hands: dict[tuple[Score, Fraction], int] = {}
        for values in product(range(10), repeat=self.rules.dealt):
            total = sum(values) % 10 if self.rules.over_nine == "modulo-ten" else sum(values)
            pair = len(values) == FIRST_TWO and values[0] == values[1] != 0
            score = Score(total, len(values), total in (8, 9), pair, bust=False)
            weight = 1
            for value in values:
                weight *= _WEIGHTS[value]
            key = (Score(total, len(values), score.natural, None, bust=False), self._paid(score))
            hands[key] = hands.get(key, 0) + weight
        return dict(sorted(hands.items(), key=lambda each: (each[0][0].total, each[0][1])))

    def _paid(self, score: Score) -> Fraction:
        return _pays(self.rules, self.wager, score)

    def _after(self, total: int, value: int) -> Score:
        """Return the score of a hand after it has drawn."""
        whole = total + value
        bust = self.rules.over_nine == "bust" and whole > HIGHEST_TOTAL
        counted = whole if self.rules.over_nine == "bust" else whole % 10
        return Score(counted, self.rules.dealt + 1, natural=False, pair=False, bust=bust)

    def _finals(self, total: int) -> Iterator[tuple[Score, int]]:
        for value, weight in self.draws:
            yield self._after(total, value), weight

    def _bring(self, punter: Score, pays: Fraction, banker: Score) -> int:
        """Return the punter's win in whole units of the game.

        ``pays`` is the payment if the hand wins.
        """
        shown = compare_hands(self.rules, punter, banker)
        if shown.better == "punter":
            return int(pays * self.unit)
        return int(_brings(self.rules, self.wager, punter, banker) * self.unit)

    # -- The programme --------------------------------------------------------------------------

    def _against(
        self, punter: Score, pays: Fraction, weight: int, place: Banker
    ) -> tuple[int, int]:
        """Return the punter's win with a finished hand, by the banker's choice: stand, draw."""
        total = place.total
        standing = Score(total, self.rules.dealt, total in (8, 9), pair=False, bust=False)
        often = weight * self.bankers[total]
        stands = often * self.drawn * self._bring(punter, pays, standing)
        draws = often * sum(
            each * self._bring(punter, pays, final) for final, each in self._finals(total)
        )
        return stands, draws

    def table(self) -> list[tuple[dict[Banker, tuple[int, int]], dict[Banker, tuple[int, int]]]]:
        """Return the punter's wins for each first hand.

        There is one list for standing and one for drawing. Each has, by position of the banker, the
        wins if the banker stands and if the banker draws.
        """
        rows = []
        for (score, pays), weight in self.punters.items():
            stood = {
                place: self._against(score, pays, weight * self.drawn, place)
                for place in self.places
                if place.drew is None
            }
            drew = {}
            for value, each in self.draws:
                final = self._after(score.total, value)
                paid = self._paid(final)
                for place in self.places:
                    if place.drew == value:
                        drew[place] = self._against(final, paid, weight * each, place)
            rows.append((stood, drew))
        return rows

    def solve(self) -> OwnHandSolution:
        """Solve the game and prove the solution by best responses."""
        table = self.table()
        cost = [0] * len(self.places)
        rows, base = [], []
        place_of = {place: n for n, place in enumerate(self.places)}
        for stood, drew in table:
            row = [0] * len(self.places)
            level = 0
            for sign, side in ((-1, stood), (1, drew)):
                for place, (stands, draws) in side.items():
                    row[place_of[place]] += sign * (draws - stands)
                    level += sign * stands
            for place, (stands, draws) in stood.items():
                cost[place_of[place]] += draws - stands
            rows.append(row)
            base.append(level)
        optimum = minimise(cost, rows, base)
        return self._proved(table, optimum.prices, optimum.x)

    def _proved(
        self,
        table: "list[tuple[dict[Banker, tuple[int, int]], dict[Banker, tuple[int, int]]]]",
        punter: Iterable[Fraction],
        banker: Iterable[Fraction],
    ) -> OwnHandSolution:
        chances = dict(zip(self.places, banker, strict=True))
        worth: dict[Punter | Banker, tuple[Fraction, Fraction] | None] = {}
        draws: dict[Punter, Fraction] = {}
        upper = Fraction(0)
        # the punter's win in each of the banker's positions, by the banker's choice
        answered = {place: [Fraction(0), Fraction(0)] for place in self.places}
        reached = dict.fromkeys(self.places, Fraction(0))
        hands = zip(self.punters.items(), table, punter, strict=True)
        for ((score, pays), weight), sides, chance in hands:
            position = Punter(score.total, pays)
            brings = [
                sum((a + chances[place] * (b - a) for place, (a, b) in side.items()), Fraction(0))
                for side in sides
            ]
            often = weight * 13**self.rules.dealt * self.drawn**2 * self.unit
            worth[position] = (brings[0] / often, brings[1] / often)
            draws[position] = chance
            upper += max(brings)
            for part, side in ((1 - chance, sides[0]), (chance, sides[1])):
                for place, (a, b) in side.items():
                    answered[place][0] += part * a
                    answered[place][1] += part * b
                    reached[place] += part * weight
        lower = sum((min(pair) for pair in answered.values()), Fraction(0))
        if upper != lower:
            raise Unsolved(f"{upper / self.whole} is not {lower / self.whole}")
        for place, (loses, costs) in answered.items():
            each = next((w for value, w in self.draws if value == place.drew), self.drawn)
            sequences = reached[place] * self.bankers[place.total] * self.drawn * each * self.unit
            worth[place] = (-loses / sequences, -costs / sequences) if sequences else None
        return OwnHandSolution(upper / self.whole, draws, chances, worth)
