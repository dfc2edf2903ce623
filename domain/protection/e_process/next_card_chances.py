"""Exact chances of the next coup from any composition of unseen cards.

`sabot.domain.odds.coup_odds` evaluates the third-card table again for every composition. This
module evaluates it once. Every question about a coup depends only on the 5005 multisets of six card
values, and on how many orders of each give which answer. For a composition, the number of ways of a
multiset is a product over values of falling factorials n (n-1) … . Multisets are split into values
0 to 4 and 5 to 9, which turns the sum into a product of a vector, a matrix and a vector. A question
takes well under a millisecond. All numbers are exact integers, out of N (N-1) … (N-5) equally
likely sequences of the next six cards.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import perm
from operator import mul
from typing import Final

from sabot.domain.rules.coup_result import Result
from sabot.domain.rules.third_card_table import banker_draws, player_draws

VALUES: Final = 10
COUP_CARDS: Final = 6
_HALF: Final = 5
_WIDE: Final = 96
"""Bits for each answer's count, packed into one integer; six cards of 100 decks need 75."""
_MASK: Final = (1 << _WIDE) - 1
_DIGIT: Final = 4
"""Bits for the count of one value in a packed multiset, which has six cards at most."""
_LOW: Final = (1 << (_DIGIT * _HALF)) - 1

Counts = Sequence[int]
"""Number of unseen cards of each point value, 0 to 9."""
Judge = Callable[[Result], int]
"""A function that gives the number, from 0, of the answer to a question about a result.

Pairs are ignored.
"""
Weights = dict[int, int]
"""Packed multisets of values (`_packed`), with the numbers of their orders (`_orders`)."""


def coup_totals(values: Sequence[int]) -> tuple[int, int, int] | None:
    """Deal the next cards by the third-card table.

    Return the final totals and the number of cards used, or None if there are too few cards. The
    table is applied even if the dealer erred, so that the distribution under the null hypothesis is
    known.
    """
    used, third = 4, None
    if len(values) < used:
        return None
    player, banker = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
    player_total, banker_total = player, banker
    if player_draws(player_total, banker_total):
        if len(values) <= used:
            return None
        third = values[used]
        player, used = (player_total + third) % 10, used + 1
    if banker_draws(player_total, banker_total, third):
        if len(values) <= used:
            return None
        banker, used = (banker_total + values[used]) % 10, used + 1
    return player, banker, used


def outcome_number(ahead: int, behind: int) -> int:
    """Return the number of an outcome: 0 Player, 1 Banker, 2 tie."""
    return 2 if ahead == behind else 0 if ahead > behind else 1


class Kernel:
    """A table for one question about a coup: the number of card orders by answer.

    It concerns the next ``cards`` cards.
    """

    def __init__(self, cards: int, answers: int, weights: Weights) -> None:
        """Arrange the multisets by their two halves."""
        self.cards = cards
        self.answers = answers
        self._low = [_multisets(size) for size in range(cards + 1)]
        rows = [
            [[0] * len(self._low[cards - size]) for _ in self._low[size]]
            for size in range(cards + 1)
        ]
        place = {
            _of_counts(half): (size, at)
            for size, halves in enumerate(self._low)
            for at, half in enumerate(halves)
        }
        for packed, orders in weights.items():
            size, at = place[packed & _LOW]
            _, other = place[packed >> (_DIGIT * _HALF)]
            rows[size][at][other] = orders
        self._rows = rows
        self._columns = [list(zip(*of_size, strict=True)) for of_size in rows]

    def ways(self, unseen: Counts) -> list[int]:
        """Count the sequences for each answer. The sum is N (N-1) … with ``cards`` terms."""
        low, high = self._halves(unseen)
        packed = 0
        for size, rows in enumerate(self._rows):
            matrix: Sequence[Sequence[int]] = rows
            mine, other = low[size], high[self.cards - size]
            if len(mine) > len(other):
                matrix, mine, other = self._columns[size], other, mine
            packed += sum(
                [
                    many * sum(map(mul, row, other))
                    for many, row in zip(mine, matrix, strict=True)
                    if many
                ]
            )
        return self._answers(packed, sum(unseen))

    def ways_without_one(self, unseen: Counts) -> list[list[int]]:
        """Count the sequences as `ways`, for each value, with one card of this value removed.

        Only the half of the values with this card changes; the sums over the other half are shared.
        """
        low, high = self._halves(unseen)
        by_low = [
            [sum(map(mul, row, high[self.cards - size])) for row in rows]
            for size, rows in enumerate(self._rows)
        ]
        by_high = [
            [sum(map(mul, column, low[size])) for column in columns]
            for size, columns in enumerate(self._columns)
        ]
        found = []
        for gone, left in enumerate(unseen):
            if not left:
                continue
            rest = [many - (value == gone) for value, many in enumerate(unseen)]
            if gone < _HALF:
                pairs = zip(_half_ways(self._low, rest[:_HALF]), by_low, strict=True)
            else:
                pairs = zip(reversed(_half_ways(self._low, rest[_HALF:])), by_high, strict=True)
            packed = sum(sum(map(mul, many, sums)) for many, sums in pairs)
            found.append(self._answers(packed, sum(rest)))
        return found

    def _halves(self, unseen: Counts) -> tuple[list[list[int]], list[list[int]]]:
        return _half_ways(self._low, unseen[:_HALF]), _half_ways(self._low, unseen[_HALF:])

    def _answers(self, packed: int, cards: int) -> list[int]:
        found = [(packed >> (_WIDE * answer)) & _MASK for answer in range(self.answers - 1)]
        return [*found, perm(cards, self.cards) - sum(found)]


def _multisets(size: int) -> list[tuple[int, ...]]:
    """Return all ways to divide ``size`` cards among five values."""
    return [counts for counts in product(range(size + 1), repeat=_HALF) if sum(counts) == size]


def _half_ways(halves: list[list[tuple[int, ...]]], unseen: Counts) -> list[list[int]]:
    """Count the ordered ways to pick each half multiset."""
    most = len(halves) - 1
    falling = [[1] * (most + 1) for _ in range(_HALF)]
    for value, many in enumerate(unseen):
        for taken in range(most):
            falling[value][taken + 1] = falling[value][taken] * max(0, many - taken)
    a, b, c, d, e = falling
    return [[a[i] * b[j] * c[k] * d[m] * e[n] for i, j, k, m, n in of_size] for of_size in halves]


# -- The questions --------------------------------------------------------------------------


def outcome_of(result: Result) -> int:
    """Return the number of the outcome: 0 Player, 1 Banker, 2 tie."""
    return outcome_number(result.player, result.banker)


@lru_cache(maxsize=1)
def outcome_kernel() -> Kernel:
    """Return the kernel for the outcome of the next coup: Player, Banker or tie."""
    return result_kernel(outcome_of, 3)


@lru_cache(maxsize=4096)
def outcome_ways(unseen: tuple[int, ...]) -> tuple[int, ...]:
    """Count the sequences of six cards by outcome.

    The order is Player, Banker, tie; results are cached.
    """
    return tuple(outcome_kernel().ways(unseen))


@lru_cache(maxsize=1024)
def outcome_ways_without_one(unseen: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Count as `outcome_ways`, for each value, with one unseen card of this value removed."""
    return tuple(map(tuple, outcome_kernel().ways_without_one(unseen)))


@lru_cache(maxsize=10)
def outcome_after(first: int) -> Kernel:
    """Return the kernel for the outcome, given the first card.

    It counts the five cards that follow, from the unseen cards without the first.
    """
    return result_kernel(outcome_of, 3, first)


@lru_cache(maxsize=1)
def lead_kernel() -> Kernel:
    """Return the kernel of the question which side leads after two cards each.

    Its answers are Player, Banker, neither.
    """
    weights: Weights = defaultdict(int)
    for hands in product(range(VALUES), repeat=4):
        weights[_packed(hands)] += _orders(1, outcome_number(*lead_totals(hands)), 3)
    return Kernel(4, 3, weights)


def lead_totals(values: Sequence[int]) -> tuple[int, int]:
    """Return both totals of four cards, dealt P, B, P, B."""
    return (values[0] + values[2]) % 10, (values[1] + values[3]) % 10


def result_kernel(judge: Judge, answers: int, first: int | None = None) -> Kernel:
    """Build the kernel of a question about totals and numbers of cards.

    ``first`` is the value of the first card, if known. Takes a twentieth of a second.
    """
    cards = COUP_CARDS if first is None else COUP_CARDS - 1
    endings = {
        totals: [(_packed(more), len(more), judge(result)) for more, result in _endings(*totals)]
        for totals in product(range(VALUES), repeat=2)
    }
    found: list[Weights] = [defaultdict(int) for _ in range(cards + 1)]
    for held, ways in _first_four(first):
        a, b, c, d = held
        known = held if first is None else held[1:]
        packed = _packed(known)
        for more, drawn, answer in endings[(a + c) % 10, (b + d) % 10]:
            found[len(known) + drawn][packed + more] += _orders(ways, answer, answers)
    return Kernel(cards, answers, _padded(found))


def _first_four(first: int | None) -> Iterator[tuple[tuple[int, int, int, int], int]]:
    """List the first four cards as two unordered hands, with the number of orders."""
    firsts = range(VALUES) if first is None else (first,)
    for a, b, c, d in product(firsts, range(VALUES), range(VALUES), range(VALUES)):
        if b > d or (first is None and a > c):
            continue
        turns = 1 if first is not None or a == c else 2
        yield (a, b, c, d), turns * (1 if b == d else 2)


def _endings(player_total: int, banker_total: int) -> Iterator[tuple[tuple[int, ...], Result]]:
    """Return the possible third cards for two two-card totals, each with the result."""
    if not player_draws(player_total, banker_total):
        if not banker_draws(player_total, banker_total, None):
            yield (), Result(player_total, banker_total, 2, 2)
            return
        for drawn in range(VALUES):
            yield (drawn,), Result(player_total, (banker_total + drawn) % 10, 2, 3)
        return
    for third in range(VALUES):
        final = (player_total + third) % 10
        if not banker_draws(player_total, banker_total, third):
            yield (third,), Result(final, banker_total, 3, 2)
            continue
        for drawn in range(VALUES):
            yield (third, drawn), Result(final, (banker_total + drawn) % 10, 3, 3)


def _packed(values: Iterable[int]) -> int:
    """Return a multiset of values as one integer. The sum of two of them is their union."""
    return sum(1 << (_DIGIT * value) for value in values)


def _of_counts(counts: Iterable[int]) -> int:
    """Return the packed multiset that has these counts of the values from 0."""
    return sum(many << (_DIGIT * value) for value, many in enumerate(counts))


def all_results() -> set[Result]:
    """List all possible results of a coup, ignoring pairs."""
    return {
        result
        for player_total, banker_total in product(range(VALUES), repeat=2)
        for _, result in _endings(player_total, banker_total)
    }


def _orders(number: int, answer: int, answers: int) -> int:
    """Return a number of orders in the place of its answer. The last answer is the remainder."""
    return number << (_WIDE * answer) if answer < answers - 1 else 0


def _padded(found: Sequence[Weights]) -> Weights:
    """Extend shorter coups by all possible further cards, one card at a time.

    All sequences then have the same number of cards. ``found`` has the weights by number of cards.
    """
    shorter: Weights = {}
    for weights in found:
        for packed, orders in shorter.items():
            for value in range(VALUES):
                weights[packed + (1 << (_DIGIT * value))] += orders
        shorter = weights
    return shorter
