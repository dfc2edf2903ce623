"""Optimal play of a drawing game with proof, and the cost of every other choice.

The linear programme gives a probability of drawing for every position, but no proof. ``solve`` then
computes each side's best response to the other, in exact fractions. The win that Player can
guarantee must equal the loss to which Banker can limit it. By von Neumann's minimax theorem that
number is the value of the game.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm
from typing import Final

from msgspec import Struct

from sabot.domain.events import Hand
from sabot.domain.odds.optimal_play.chemin_de_fer_game import Game
from sabot.domain.odds.optimal_play.linear_programme import minimise
from sabot.domain.rules.drawing_options import Choice, Position
from sabot.domain.values.errors import BadInput

_CERTAIN: Final[dict[Choice, Fraction]] = {"draw": Fraction(1), "stand": Fraction(0)}


class Totals(Struct, frozen=True):
    """A side's total win in one position, for each of its choices.

    ``reach`` is the number of sequences that reach the position.
    """

    stand: Fraction
    draw: Fraction
    reach: Fraction

    def of(self, choice: Choice) -> Fraction:
        """Return the win of this choice."""
        return self.draw if choice == "draw" else self.stand


class Worth(Struct, frozen=True):
    """The values of a position's choices to its side, in units staked.

    ``reach`` is the probability of reaching the position; the values are conditional on it.
    """

    draw: Fraction
    stand: Fraction
    reach: Fraction

    @property
    def best(self) -> Fraction:
        """The value of the better choice."""
        return max(self.draw, self.stand)

    def of(self, choice: Choice) -> Fraction:
        """Return the value of this choice."""
        return self.draw if choice == "draw" else self.stand


class Solution:
    """Optimal play and the game's value.

    ``draws`` is the probability of drawing in every position.
    """

    def __init__(self, game: Game, player: Sequence[Fraction], banker: Sequence[Fraction]) -> None:
        """Store both sides' probabilities by position."""
        self.game = game
        self._player = tuple(player)
        self._banker = tuple(banker)
        self.draws: dict[Position, Fraction] = dict(
            zip((*game.player, *game.banker), (*player, *banker), strict=True)
        )

    @cached_property
    def value(self) -> Fraction:
        """Player's average win in units staked. Negative if Banker has the advantage."""
        won = sum(
            (
                chance * totals.draw + (1 - chance) * totals.stand
                for chance, totals in zip(self._player, self._totals["player"], strict=True)
            ),
            Fraction(0),
        )
        return (won + self.game.naturals) / self.game.total

    @cached_property
    def assured(self) -> Fraction:
        """The average win that Player can guarantee, whatever Banker plays."""
        return (self.game.naturals - self._best_answer("banker")) / self.game.total

    @cached_property
    def conceded(self) -> Fraction:
        """The average loss to which Banker can limit the game, whatever Player plays."""
        return (self.game.naturals + self._best_answer("player")) / self.game.total

    def worth(self, position: Position) -> Worth:
        """Return the values of a position's choices, if the other side plays optimally.

        Raises:
            BadInput: the game has no such position, or no coup can reach it.
        """
        positions = self._positions(position.side)
        if position not in positions:
            raise BadInput(f"the game has no position {position.hand} for {position.side}")
        totals = self._totals[position.side][positions.index(position)]
        if not totals.reach:
            raise BadInput("no coup can come to that position; there is nothing to choose in it")
        return Worth(
            draw=totals.draw / totals.reach,
            stand=totals.stand / totals.reach,
            reach=totals.reach / self.game.total,
        )

    def loss(self, position: Position, choice: Choice) -> Fraction | None:
        """Return the average cost of a choice, in units staked.

        It is 0 for the best choice. The cost is conditional on reaching the position, while the
        other side plays optimally. None if the rules leave no choice: a forced play costs nothing,
        and a forbidden one is a breach of the rules, not a loss.

        Raises:
            BadInput: the game has no such position, or no coup can reach it.
        """
        worth = self.worth(position)
        if not self.game.drawing.is_free(position):
            return None
        return worth.best - worth.of(choice)

    def _positions(self, side: Hand) -> tuple[Position, ...]:
        return self.game.player if side == "player" else self.game.banker

    @cached_property
    def _totals(self) -> dict[Hand, list[Totals]]:
        """The wins in every position, against the play of the other side."""
        game = self.game
        return {
            "player": [_against(self._banker, game, i) for i in range(len(game.player))],
            "banker": [_facing(self._player, game, k) for k in range(len(game.banker))],
        }

    def _best_answer(self, side: Hand) -> Fraction:
        """Return the highest total win of a side against the other's play, without naturals."""
        choices = self.game.drawing.choices
        return sum(
            (
                max(totals.of(choice) for choice in choices(position))
                for position, totals in zip(self._positions(side), self._totals[side], strict=True)
            ),
            Fraction(0),
        )


def _whole(chances: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return the probabilities over a common denominator, since sums of integers are fast."""
    scale = lcm(*(chance.denominator for chance in chances))
    return [chance.numerator * (scale // chance.denominator) for chance in chances], scale


def _against(chances: Sequence[Fraction], game: Game, i: int) -> Totals:
    """Return Player's total win in position ``i`` for each choice.

    ``chances`` has Banker's probability of drawing in each position.
    """
    banker, scale = _whole(chances)
    won = [
        sum(q * cell.draw + (scale - q) * cell.stand for q, cell in zip(banker, row, strict=True))
        for row in (game.stands[i], game.draws[i])
    ]
    reach = sum(cell.reach for cell in game.stands[i])
    return Totals(Fraction(won[0], scale), Fraction(won[1], scale), Fraction(reach))


def _facing(chances: Sequence[Fraction], game: Game, k: int) -> Totals:
    """Return Banker's total win in position ``k`` for each choice.

    ``chances`` has Player's probability of drawing in each position.
    """
    player, scale = _whole(chances)
    stand = draw = reach = 0
    for p, stands, draws in zip(player, game.stands, game.draws, strict=True):
        for chance, cell in ((scale - p, stands[k]), (p, draws[k])):
            stand -= chance * cell.stand
            draw -= chance * cell.draw
            reach += chance * cell.reach
    return Totals(Fraction(stand, scale), Fraction(draw, scale), Fraction(reach, scale))


@lru_cache(maxsize=32)
def solve(game: Game) -> Solution:
    """Return optimal play of both sides.

    It is first verified that each side's play is a best response to the other's. If a side has
    several optimal plays, one of them is returned.
    """
    choices = game.drawing.choices
    mine = [i for i, position in enumerate(game.player) if game.drawing.is_free(position)]
    theirs = [k for k, position in enumerate(game.banker) if game.drawing.is_free(position)]
    player = [_CERTAIN[choices(position)[0]] for position in game.player]
    banker = [_CERTAIN[choices(position)[0]] for position in game.banker]
    for i in mine:
        player[i] = Fraction(0)
    for k in theirs:
        banker[k] = Fraction(0)
    by_banker = [_facing(player, game, k) for k in theirs]
    by_player = [_against(banker, game, i) for i in mine]
    optimum = minimise(
        # with Player standing in every free position, drawing costs Banker the win of standing
        cost=[int(totals.stand - totals.draw) for totals in by_banker],
        rows=[[_pull(game, i, k) for k in theirs] for i in mine],
        base=[int(totals.draw - totals.stand) for totals in by_player],
    )
    for i, price in zip(mine, optimum.prices, strict=True):
        player[i] = price
    for k, chance in zip(theirs, optimum.x, strict=True):
        banker[k] = chance
    solution = Solution(game, player, banker)
    if not solution.assured == solution.value == solution.conceded:
        raise AssertionError("the two sides' play are no best answers to each other")
    return solution


def _pull(game: Game, i: int, k: int) -> int:
    """Return how Player's gain from drawing at position i changes if Banker draws at k."""
    stands, draws = game.stands[i][k], game.draws[i][k]
    return (draws.draw - draws.stand) - (stands.draw - stands.stand)
