"""Payoffs of baccarat banque, in integers: what each choice is worth to each tableau.

Right's hand is played first, then left's, each by Player's rule of chemin de fer: draw on 0 to 4,
choose on 5, stand on 6 and 7. Third cards are dealt face up, so left's choice depends on right's,
and the banker's on both. A natural is shown at once. A natural of the banker, or of both tableaux,
ends the coup. A natural of one tableau is paid, and the coup goes on with the other tableau.

A *place* is the information of a player who chooses. In each place where a tableau may choose, it
has one probability of drawing: right draws on 5 with p, left with q. In a place of the banker, a
tableau's win is then a bilinear form. Its coefficients are integers out of ``BanqueGame.total``
equally likely sequences of nine cards:

    one + p x right + q x left + pq x both

Each stake is one unit, a tie moves no money, and no levy is charged.

Source: ETHIER_LEE_2015_BACCARA_BANQUE_1 (`sabot.domain.rules.sources`).
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from operator import mul
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from sabot.domain.odds.optimal_play.chemin_de_fer_game import Stock
from sabot.domain.rules.drawing_options import Sight
from sabot.domain.rules.third_card_table import NATURAL
from sabot.domain.values.errors import BadInput

Shown = int | Literal["stood", "natural"]
"""The visible result of a tableau: its third card's value, ``stood`` or ``natural``."""

Tableau = Literal["right", "left"]

COUP_CARDS: Final = 9
"""The maximum number of cards in a coup: three hands of three."""

THIRDS: Final[tuple[Shown, ...]] = ("stood", *range(10))
"""The possible visible results of a tableau without a natural."""

SHOWN: Final[tuple[Shown, ...]] = (*THIRDS, "natural")

FREE: Final = 5
"""The two-card total on which a tableau may choose."""


class Form(NamedTuple):
    """A bilinear form in the probabilities with which right and left draw on 5."""

    one: int = 0
    right: int = 0
    left: int = 0
    both: int = 0

    def at(self, right: Fraction, left: Fraction) -> Fraction:
        """Return the value of the form at these probabilities."""
        return self.one + self.right * right + self.left * left + self.both * right * left

    def plus(self, other: "Form", times: int = 1) -> "Form":
        """Return this form plus a multiple of another."""
        return Form(*(a + times * b for a, b in zip(self, other, strict=True)))

    def slope(self, tableau: Tableau, other: Fraction) -> Fraction:
        """Return the change of the form as a tableau's probability of drawing goes from 0 to 1.

        The other tableau's probability stays fixed.
        """
        if tableau == "right":
            return self.right + self.both * other
        return self.left + self.both * other


class Place(Struct, frozen=True, gc=False):
    """The information on which the banker chooses.

    ``hand`` is the banker's total, or the values of both cards, low first; ``right`` and ``left``
    are the visible results of the tableaux.
    """

    hand: tuple[int, ...]
    right: Shown
    left: Shown

    @property
    def total(self) -> int:
        """The total of the banker's hand."""
        return sum(self.hand) % 10

    @property
    def name(self) -> str:
        """The banker's hand as text: the cards (``2+3``), or the total alone (``5``)."""
        return "+".join(map(str, self.hand))


class Terms(Struct, frozen=True, gc=False):
    """The wins of right and left in a place of the banker, for each choice of the banker.

    ``reach`` counts the sequences that reach the place.
    """

    right_stand: Form
    right_draw: Form
    left_stand: Form
    left_draw: Form
    reach: Form


class BanqueGame(Struct, frozen=True, eq=False):
    """The game: the banker's places with their payoffs.

    ``ended`` are right's and left's wins in coups that end without a choice of the banker.
    """

    stock: Stock
    places: dict[Place, Terms]
    ended: dict[Tableau, int]
    total: int


def showing(own: int, shown: Shown) -> tuple[int, int] | None:
    """Return the probability that a hand with this two-card total shows this result.

    It is ``a + b x``, where ``x`` is the probability of drawing on 5. The value of the third card
    is counted elsewhere. None if a hand of this total never shows it.
    """
    if own in NATURAL:
        return (1, 0) if shown == "natural" else None
    if shown == "natural":
        return None
    if own == FREE:
        return (1, -1) if shown == "stood" else (0, 1)
    return (1, 0) if (shown == "stood") == (own > FREE) else None


@lru_cache(maxsize=8)
def banque_game(stock: Stock, banker_sees: Sight = "total") -> BanqueGame:
    """Compute the payoffs for these cards.

    Raises:
        BadInput: the cards may not suffice for a coup.
    """
    if not stock.replaced and sum(stock.left) < COUP_CARDS:
        raise BadInput(f"a coup can take {COUP_CARDS} cards; only {sum(stock.left)} are left")
    ended: dict[Tableau, int] = {"right": 0, "left": 0}
    counted: dict[tuple[int, ...], dict[Stock, int]] = {}
    for low, high, ways in stock.hands():
        rest, total = stock.without(low, high), (low + high) % 10
        _end(ended, _pairs(rest), total, ways * _spare(rest))
        if total not in NATURAL:
            hand: tuple[int, ...] = (low, high) if banker_sees == "cards" else (total,)
            rests = counted.setdefault(hand, {})
            rests[rest] = rests.get(rest, 0) + ways
    joints_of = lru_cache(maxsize=8)(_joints)
    places = {}
    for hand, rests in sorted(counted.items()):
        parts = [(ways, joints_of(rest)) for rest, ways in rests.items()]
        for right in SHOWN:
            for left in SHOWN:
                if (right, left) != ("natural", "natural"):
                    by_cards = [(ways, joints[right, left]) for ways, joints in parts]
                    place = Place(hand, right, left)
                    places[place] = _terms(place, by_cards)
    return BanqueGame(stock, places, ended, stock.sequences(COUP_CARDS))


_Joint = list[list[int]]
"""Number of ways, by right's two-card total and by left's."""


def _zeros() -> _Joint:
    return [[0] * 10 for _ in range(10)]


def _spare(rest: Stock) -> int:
    """Return the number of orders of the last three cards, after the first two of each hand."""
    return rest.sequences(7) // rest.sequences(4)


def _end(ended: dict[Tableau, int], dealt: _Joint, banker: int, ways: int) -> None:
    """Add the tableaux' wins in coups that end with the first two cards of each hand."""
    for right, row in enumerate(dealt):
        for left, number in enumerate(row):
            if banker in NATURAL or (right in NATURAL and left in NATURAL):
                ended["right"] += ways * number * _sign(right - banker)
                ended["left"] += ways * number * _sign(left - banker)


def _pairs(rest: Stock) -> _Joint:
    """Count the first two cards of both tableaux by total. Both draw on the same cards."""
    left, one = rest.left, 0 if rest.replaced else 1
    twice = [sum(left[x] for x in range(10) if 2 * x % 10 == total) for total in range(10)]
    around = [[left[(total - x) % 10] for x in range(10)] for total in range(10)]
    pairs = [sum(map(mul, left, row)) - one * same for row, same in zip(around, twice, strict=True)]
    joint = _zeros()
    for right in range(10):
        # ways in which right's first card x and its second card make this total
        first = [
            left[x] * (left[(right - x) % 10] - (one if 2 * x % 10 == right else 0))
            for x in range(10)
        ]
        for total in range(10):
            number = pairs[right] * pairs[total]
            if one:
                # correct for right's two cards, which left's pairs cannot contain
                doubled = sum(first[x] for x in range(10) if 2 * x % 10 == total)
                number += 4 * (doubled - sum(map(mul, first, around[total])))
                number += 2 * pairs[right] * (right == total)
            joint[right][total] = number
    return joint


def _joints(rest: Stock) -> dict[tuple[Shown, Shown], list[_Joint]]:
    """Return the number of ways by both tableaux's totals.

    There is a table for each next card's value and each pair of visible results. A third card that
    was not drawn may be any card.
    """
    by_three = {}
    for three in combinations_with_replacement(range(10), 3):
        ways = _orders(rest, three)
        joint = _pairs(rest.without(*three)) if ways else _zeros()
        by_three[three] = [[ways * number for number in row] for row in joint]
    drawn: dict[tuple[Shown, Shown], list[_Joint]] = {}
    for a in range(10):
        for b in range(10):
            drawn[a, b] = [by_three[_sorted(a, b, d)] for d in range(10)]
    for a in range(10):
        drawn["stood", a] = drawn[a, "stood"] = [
            _sum(drawn[a, b][d] for b in range(10)) for d in range(10)
        ]
    drawn["stood", "stood"] = [_sum(drawn[a, "stood"][d] for a in range(10)) for d in range(10)]
    for shown in THIRDS:
        drawn["natural", shown] = drawn["stood", shown]
        drawn[shown, "natural"] = drawn[shown, "stood"]
    return drawn


def _sorted(a: int, b: int, c: int) -> tuple[int, int, int]:
    low, middle, high = sorted((a, b, c))
    return low, middle, high


def _orders(rest: Stock, three: tuple[int, int, int]) -> int:
    ways, stock = 1, rest
    for value in three:
        if stock.left[value] <= 0:
            return 0
        ways *= stock.left[value]
        stock = stock.without(value)
    return ways


def _sum(joints: Iterator[_Joint]) -> _Joint:
    whole = _zeros()
    for joint in joints:
        for row, more in zip(whole, joint, strict=True):
            row[:] = map(int.__add__, row, more)
    return whole


class _Own(NamedTuple):
    """A two-card total that a tableau may have, given what it showed.

    With this total the tableau shows the same with the probability ``a + b x``; ``chance`` is
    ``(a, b)``, and x the tableau's probability of drawing on 5. ``stand`` is the tableau's win per
    unit if the banker stands. ``draws`` is its win by the value of the card that the banker draws.
    """

    total: int
    chance: tuple[int, int]
    stand: int
    draws: list[int]


def _terms(place: Place, parts: list[tuple[int, list[_Joint]]]) -> Terms:
    """Add up the payoffs of a place of the banker from its counts, each with a weight."""
    sums = [[0, 0, 0, 0] for _ in Terms.__struct_fields__]
    rights, lefts = _owns(place.right, place.total), _owns(place.left, place.total)
    for weight, joints in parts:
        _add(sums, weight, joints, rights, lefts)
    return Terms(*(Form(*amounts) for amounts in sums))


def _add(
    sums: list[list[int]],
    weight: int,
    joints: list[_Joint],
    rights: list[_Own],
    lefts: list[_Own],
) -> None:
    """Add the terms of one joint count to the sums, in the order of the fields of `Terms`."""
    for right in rights:
        rows = [joint[right.total] for joint in joints]
        for left in lefts:
            ways = [row[left.total] for row in rows]
            number = sum(ways)
            won = (
                number * right.stand,
                sum(map(mul, ways, right.draws)),
                number * left.stand,
                sum(map(mul, ways, left.draws)),
                number,
            )
            (a, b), (c, d) = right.chance, left.chance
            for at, factor in enumerate((a * c, b * c, a * d, b * d)):
                if factor:
                    for amounts, amount in zip(sums, won, strict=True):
                        amounts[at] += factor * weight * amount


def _owns(shown: Shown, banker: int) -> list[_Own]:
    """List the two-card totals that can show a result, against a banker's total."""
    return [
        _Own(
            own,
            chance,
            _won(own, shown, banker),
            [_won(own, shown, (banker + value) % 10) for value in range(10)],
        )
        for own, chance in _totals(shown)
    ]


def _totals(shown: Shown) -> list[tuple[int, tuple[int, int]]]:
    """List the two-card totals that can show a result, each with its probability."""
    return [(own, chance) for own in range(10) if (chance := showing(own, shown)) is not None]


def _won(own: int, shown: Shown, banker: int) -> int:
    """Return a tableau's win per unit. If the tableau has a natural, the banker has none."""
    if shown == "natural":
        return 1
    return _sign((own + (shown if isinstance(shown, int) else 0)) % 10 - banker)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
