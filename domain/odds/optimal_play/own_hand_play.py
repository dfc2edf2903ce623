"""Optimal play of macao and victoria where a hand draws once at most: one punter alone.

Solved is the game of one punter against the banker, each of whom draws one card or none; every card
comes with the chances of a full pack whatever came before; and a ten or face that is drawn is
rejected, where the pack lets it, until another card comes. The punter goes by his own hand; the
banker by his total and by the punter's drawn card, which lies face up. It is a game of two persons
in which each chooses once, and is solved as chemin de fer is
(`sabot.domain.odds.optimal_play.chemin_de_fer_solution`): an exact linear programme, proved by
letting each side answer the other's play as well as it can.

Where a hand may draw on and on, or several punters play at once, no solution is published, and
none is computed.
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

_WEIGHTS: Final = (4, *[1] * 9)
"""How many of the 13 ranks count each value."""


class Punter(Struct, frozen=True, order=True):
    """Where the punter chooses: his total, and what he is paid if he stands and wins."""

    total: int
    pays: Fraction


class Banker(Struct, frozen=True, order=True):
    """Where the banker chooses: his total, and the value that the punter drew (None: he stood)."""

    total: int
    drew: int | None


class OwnHandSolution(Struct, frozen=True):
    """Optimal play of both sides, and what it comes to for the punter, by unit staked.

    ``punter`` and ``banker`` give the chance of drawing in each position; ``loss_of`` what each
    choice loses there, against the other's optimal play, in units staked (None: the position does
    not come about).
    """

    value: Fraction
    punter: dict[Punter, Fraction]
    banker: dict[Banker, Fraction]
    worth: "dict[Punter | Banker, tuple[Fraction, Fraction] | None]"

    def loss(self, position: "Punter | Banker", choice: Choice) -> Fraction | None:
        """Return what a choice loses on the average, once the position has come about."""
        worth = self.worth.get(position)
        if worth is None:
            return None
        stands, draws = worth
        return max(stands, draws) - (draws if choice == "draw" else stands)


class Unsolved(Exception):
    """The two sides' best answers do not meet: the programme is wrong."""


def punter_at(rules: MacaoRules, wager: Wager, score: Score) -> Punter:
    """Return where a punter is on the cards dealt at first."""
    return Punter(score.total, _pays(rules, wager, score))


@lru_cache(maxsize=16)
def solve_own_hand(rules: MacaoRules, wager: Wager) -> OwnHandSolution | None:
    """Solve the game of a pack; None where a hand may draw more than once, or none may.

    Raises:
        Unsolved: the solution is none, which would be an error of this program.
    """
    if rules.most_cards != rules.dealt + 1 or (rules.dealt, rules.over_nine) == (2, "bust"):
        return None
    return _Game(rules, wager).solve()


def _pays(rules: MacaoRules, wager: Wager, score: Score) -> Fraction:
    """What a hand is paid where it wins."""
    beaten = Score(-1, score.cards, natural=False, pair=False, bust=False)
    return _brings(rules, wager, score, beaten)


def _brings(rules: MacaoRules, wager: Wager, punter: Score, banker: Score) -> Fraction:
    """What a punter's hand brings by unit staked; a loss is -1."""
    shown = compare_hands(rules, punter, banker)
    line = wager.line_where(lambda on: CONDITIONS[on](shown) if on in CONDITIONS else None)
    return Fraction(-1) if isinstance(line, str) else line.ratio


class _Game:
    """The game as numbers: what each pair of positions brings, with all weights whole."""

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
        """Every first hand with its weight; pairs of ten-valued cards pay as others do."""
        hands: dict[tuple[Score, Fraction], int] = {}
        for values in product(range(10), repeat=self.rules.dealt):
            total = sum(values) % 10 if self.rules.over_nine == "modulo-ten" else sum(values)
            pair = len(values) == 2 and values[0] == values[1] != 0  # noqa: PLR2004 - two cards
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
        """Return what a hand comes to once it has drawn."""
        whole = total + value
        bust = self.rules.over_nine == "bust" and whole > 9  # noqa: PLR2004 - over nine
        counted = whole if self.rules.over_nine == "bust" else whole % 10
        return Score(counted, self.rules.dealt + 1, natural=False, pair=False, bust=bust)

    def _finals(self, total: int) -> Iterator[tuple[Score, int]]:
        for value, weight in self.draws:
            yield self._after(total, value), weight

    def _bring(self, punter: Score, pays: Fraction, banker: Score) -> int:
        """What the punter wins, in whole units; ``pays`` is what his hand is paid where it wins."""
        shown = compare_hands(self.rules, punter, banker)
        if shown.better == "punter":
            return int(pays * self.unit)
        return int(_brings(self.rules, self.wager, punter, banker) * self.unit)

    # -- The programme --------------------------------------------------------------------------

    def _against(
        self, punter: Score, pays: Fraction, weight: int, place: Banker
    ) -> tuple[int, int]:
        """What a final hand of the punter's brings where the banker stands, and where he draws."""
        total = place.total
        stood = Score(total, self.rules.dealt, total in (8, 9), pair=False, bust=False)
        often = weight * self.bankers[total]
        stands = often * self.drawn * self._bring(punter, pays, stood)
        draws = often * sum(
            each * self._bring(punter, pays, final) for final, each in self._finals(total)
        )
        return stands, draws

    def table(self) -> list[tuple[dict[Banker, tuple[int, int]], dict[Banker, tuple[int, int]]]]:
        """Return, for each first hand of the punter's, what standing and drawing bring him.

        Both by position of the banker's, and there by what he does: stand or draw.
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
        """Solve, and prove it by best answers."""
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
        # what the banker's positions bring the punter, by what the banker does there
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
