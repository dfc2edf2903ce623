"""Payoffs of chemin de fer, in integers.

The payoffs are the values of each pair of choices. Each side chooses at most once in a coup, so
Player's average win is linear in Player's probabilities of drawing and linear in Banker's:

    constant + sum over Player's positions i, Banker's positions k of
        (i's choice) x (k's choice) x (how often both occur, signed by the winner)

All sums are whole numbers out of ``Game.total`` equally likely sequences of six cards, as in
``sabot.domain.odds.coup_odds``. The stake is one unit, a tie moves no money, and no levy is
charged.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import perm
from operator import mul
from typing import Final

from msgspec import Struct

from sabot.domain.events import Hand
from sabot.domain.odds.coup_odds import COUP_CARDS, full_decks
from sabot.domain.rules.drawing_options import (
    CHEMIN_DE_FER,
    THIRDS,
    DrawingTable,
    Position,
    Sight,
    two_cards,
)
from sabot.domain.values.errors import BadInput


class Stock(Struct, frozen=True):
    """The cards to deal from, counted by point value 0 to 9.

    If ``replaced``, cards are drawn with replacement, as in the game solved by Kemeny and Snell in
    1957; otherwise without.
    """

    left: tuple[int, ...]
    replaced: bool = False

    def without(self, *values: int) -> "Stock":
        """Return the stock after removal of cards of these values."""
        if self.replaced:
            return self
        rest = list(self.left)
        for value in values:
            rest[value] -= 1
        return Stock(tuple(rest))

    def sequences(self, cards: int) -> int:
        """Return the number of ordered sequences of this many cards."""
        size = sum(self.left)
        return size**cards if self.replaced else perm(size, cards)

    def hands(self) -> Iterator[tuple[int, int, int]]:
        """Yield every two-card hand, low value first, with its number of orders."""
        for low, many in enumerate(self.left):
            same = many * (many if self.replaced else many - 1)
            if same > 0:
                yield low, low, same
            for high in range(low + 1, 10):
                if many and self.left[high]:
                    yield low, high, 2 * many * self.left[high]


REPLACED: Final = Stock((4, *[1] * 9), replaced=True)
"""Sampling with replacement: each value has probability 1/13, ten-valued cards 4/13."""


def decks(number: int) -> Stock:
    """Return the stock of a full shoe, dealt without replacement.

    Raises:
        BadInput: the number of decks is below 1 or too large.
    """
    full_decks(number)
    return Stock((16 * number, *[4 * number] * 9))


class Cell(Struct, eq=False, gc=False):
    """Player's total win in one pair of positions, summed over all card sequences.

    ``stand`` and ``draw`` are the wins by Banker's choice; ``reach`` counts the sequences that
    reach both positions.
    """

    stand: int = 0
    draw: int = 0
    reach: int = 0


class Game(Struct, frozen=True, eq=False):
    """A drawing game: positions and their payoffs.

    ``stands[i][k]`` and ``draws[i][k]`` are the cells of Player's position i and Banker's position
    k if Player stands and if Player draws. ``naturals`` is Player's total win in coups that end
    before either side chooses.
    """

    drawing: DrawingTable
    stock: Stock
    player: tuple[Position, ...]
    banker: tuple[Position, ...]
    stands: tuple[tuple[Cell, ...], ...]
    draws: tuple[tuple[Cell, ...], ...]
    naturals: int
    total: int


# _WINS[p][b][d]: sign of Player's win with Player at p and Banker at b, after Banker drew d
_WINS: Final = tuple(
    tuple(tuple((p > (b + d) % 10) - (p < (b + d) % 10) for d in range(10)) for b in range(10))
    for p in range(10)
)


@lru_cache(maxsize=32)
def game_of(
    stock: Stock,
    drawing: DrawingTable = CHEMIN_DE_FER,
    player_sees: Sight = "total",
    banker_sees: Sight = "total",
) -> Game:
    """Compute the payoffs for these cards.

    Raises:
        BadInput: the cards may not suffice for a coup.
    """
    if not stock.replaced and sum(stock.left) < COUP_CARDS:
        raise BadInput(f"a coup can take {COUP_CARDS} cards; only {sum(stock.left)} are left")
    player = _positions("player", player_sees)
    banker = _positions("banker", banker_sees)
    at = {position: index for index, position in enumerate(player)}
    beside = {position: index for index, position in enumerate(banker)}
    stands = tuple(tuple(Cell() for _ in banker) for _ in player)
    draws = tuple(tuple(Cell() for _ in banker) for _ in player)
    naturals = 0
    for a, b, player_ways in stock.hands():
        rest = stock.without(a, b)
        mine = at.get(_seen("player", a, b, None, player_sees))
        for c, d, banker_ways in rest.hands():
            ways, player_total, banker_total = player_ways * banker_ways, (a + b) % 10, (c + d) % 10
            last = rest.without(c, d)
            theirs = [beside.get(_seen("banker", c, d, third, banker_sees)) for third in THIRDS]
            columns = [index for index in theirs if index is not None]
            if mine is None or not columns:
                naturals += _WINS[player_total][banker_total][0] * ways * last.sequences(2)
                continue
            _meet(stands[mine][columns[0]], (player_total, banker_total), ways, last, 2)
            for third, many in enumerate(last.left):
                if many:
                    cell, final = draws[mine][columns[third + 1]], (player_total + third) % 10
                    _meet(cell, (final, banker_total), ways * many, last.without(third), 1)
    return Game(drawing, stock, player, banker, stands, draws, naturals, stock.sequences(6))


def _positions(side: Hand, sees: Sight) -> tuple[Position, ...]:
    """List a side's positions, by total and cards, then by third card."""
    hands = {_seen(side, low, high, None, sees) for low, high in two_cards()}
    return tuple(
        Position(side, hand.total, hand.cards, third)
        for hand in sorted(hands)
        for third in (THIRDS if side == "banker" else THIRDS[:1])
    )


def _seen(side: Hand, low: int, high: int, third: int | None, sees: Sight) -> Position:
    cards = (low, high) if sees == "cards" else None
    return Position(side, (low + high) % 10, cards, third)


def _meet(cell: Cell, totals: tuple[int, int], ways: int, rest: Stock, cards: int) -> None:
    """Add to a cell the coups in which Player has finished and Banker stands or draws.

    ``totals`` are Player's final total and Banker's before the choice, ``ways`` the number of
    orders of the cards dealt so far. ``cards`` more of the sequence of six come from ``rest``.
    Those that nobody draws may be any cards.
    """
    player_total, banker_total = totals
    spare = rest.sequences(cards)
    cell.reach += ways * spare
    cell.stand += _WINS[player_total][banker_total][0] * ways * spare
    drawn = sum(map(mul, rest.left, _WINS[player_total][banker_total]))
    cell.draw += drawn * ways * (spare // sum(rest.left))
