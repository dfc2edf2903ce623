"""An interval for a patron's edge that holds at any time, however often one looks.

For numbers X between known bounds, whatever their means given the past are, and any guess g
made before each,

    E(m, l) = exp(l * sum(X - m) - (-log(1 - l) - l) * sum((X - g)^2)),  0 <= l < 1,

is an e-process for "the running average of those means is m" once X is scaled to a range of 1
(Howard, Ramdas, McAuliffe and Sekhon 2021, theorem 4). A mixture over l is one too; the averages
that no e-process of the family refutes, upwards or downwards, are the interval.

Two edges are followed. By **first cards**: what each first card was worth to the side that he
was on, as in a fresh shoe of those decks; chance after the first card is left out, so the
interval is narrow, and it is his edge as far as it comes from the first card. By **money**:
what he won for each unit staked on a side, coup by coup; nothing is assumed, and it is wide.
"""

import math
from functools import lru_cache
from typing import Final

from msgspec import Struct

from domain.protection.worth import by_first_card

LEVEL: Final = 0.95
_LAMBDAS: Final = tuple(0.9 * 0.62**step for step in range(14))
_LOG_SHARE: Final = -math.log(len(_LAMBDAS))


class Running(Struct):
    """Sums over the coups of numbers between ``low`` and ``high``."""

    low: float
    high: float
    coups: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def guess(self) -> float:
        """What is expected of the next coup, scaled: the average, drawn to the middle at first."""
        return (self.total + 0.5) / (self.coups + 1)

    def take(self, number: float, guess: float | None = None) -> None:
        """Take in a coup; ``guess`` was made before it, by itself from the coups so far."""
        span = self.high - self.low
        scaled = (min(max(number, self.low), self.high) - self.low) / span
        self.squares += (scaled - (self.guess if guess is None else guess)) ** 2
        self.total += scaled
        self.coups += 1

    @property
    def mean(self) -> float | None:
        """The average so far."""
        if not self.coups:
            return None
        return self.low + (self.high - self.low) * self.total / self.coups

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """Return the averages of the means that are not refuted, at this level at any time."""
        if not self.coups:
            return None
        needed = math.log(2 / (1 - level))
        centre = self.total / self.coups
        below = _reach(centre, self.coups, self.squares, needed)
        above = _reach(1 - centre, self.coups, self.squares, needed)
        span = self.high - self.low
        return self.low + span * (centre - below), self.low + span * (centre + above)


def _reach(centre: float, coups: int, squares: float, needed: float) -> float:
    """How far below the average a mean may lie before it is refuted; bisection, to 1e-9."""
    near, far = 0.0, centre
    if _log_evidence(far, coups, squares) < needed:
        return far
    while far - near > 1e-9:  # noqa: PLR2004 - a fine grain
        middle = (near + far) / 2
        if _log_evidence(middle, coups, squares) < needed:
            near = middle
        else:
            far = middle
    return far


def _log_evidence(distance: float, coups: int, squares: float) -> float:
    """The logarithm of the mixture's evidence against a mean so far below the average."""
    logs = [pull * distance * coups - (-math.log1p(-pull) - pull) * squares for pull in _LAMBDAS]
    most = max(logs)
    return most + _LOG_SHARE + math.log(sum(math.exp(log - most) for log in logs))


@lru_cache(maxsize=32)
def first_card_worth(decks: int) -> tuple[tuple[float, float], ...]:
    """What each value of the first card is worth to a unit on Player and on Banker, fresh shoe."""
    fresh = [16 * decks] + [4 * decks] * 9
    return tuple((float(player), float(banker)) for _, player, banker in by_first_card(fresh))


class Edge(Struct):
    """A patron's edge by first cards and by money, for a unit staked on a side."""

    cards: Running
    money: Running


def start_edge() -> Edge:
    """Return an edge of which nothing is known.

    No first card is worth more than a quarter of the stake in shoes of two decks or more.
    """
    return Edge(Running(-0.25, 0.25), Running(-1.0, 1.0))
