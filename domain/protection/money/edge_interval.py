"""An interval for a patron's edge that holds at any time, however often one looks.

For numbers X between known bounds, whatever their means given the past are, and any guess g
made before each,

    E(m, l) = exp(sum(l_i * (X - m)) - sum((-log(1 - l_i) - l_i) * (X - g)^2)),  0 <= l_i < 1,

is an e-process for "m are those means" once X is scaled to a range of 1 (Howard, Ramdas, McAuliffe
and Sekhon 2021, theorem 4), for any l_i settled before each. With l_i = l * s_i, s_i the stake, it
is one for the average of those means **by what was staked**: who raises his stakes where he gains
has the edge of his money, not of his coups. Its second sum is taken at the largest stake so far,
W, at (-log(1 - l W) - l W) * sum((s_i / W)^2 (X - g)^2), which is no less. A mixture over l is an
e-process too, and one that an l too large for a stake has left; the averages that it does not
refute, upwards or downwards, are the interval.

Two edges are followed. By **first cards**: what each first card was worth to the side that he
was on, as in a fresh shoe of those decks, by the pack's own pays; chance after the first card is
left out, so the interval is narrow, and it is his edge as far as it comes from the first card. By
**money**: what he won for each unit staked on a side, coup by coup; nothing is assumed, and it is
wide.
"""

import math
from functools import lru_cache
from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.next_card_chances import VALUES
from sabot.domain.protection.money.information_value import by_first_card
from sabot.domain.protection.money.wager_values import valuers_of
from sabot.domain.protection.money.win_rate import SIDES
from sabot.domain.protection.observation.unseen_cards import full_shoe_counts

LEVEL: Final = 0.95
_MOST: Final = 0.9
_LAMBDAS: Final = tuple(_MOST * 0.5**step for step in range(41))
"""For a minor unit; the least of them are for stakes of thousands of millions."""
_LOG_SHARE: Final = -math.log(len(_LAMBDAS))


class Running(Struct):
    """Sums over the coups of numbers between ``low`` and ``high``, each weighed by its stake.

    ``staked`` is the sum of the stakes, ``most`` the largest of them; ``total`` and ``squares``
    are sums by the stakes and by their squares.
    """

    low: float
    high: float
    coups: int = 0
    staked: float = 0.0
    most: float = 0.0
    total: float = 0.0
    squares: float = 0.0

    @property
    def guess(self) -> float:
        """What is expected of the next coup, scaled: the average, drawn to the middle at first."""
        return (self.total + 0.5 * self.most) / (self.staked + self.most) if self.coups else 0.5

    def take(self, number: float, stake: float = 1, guess: float | None = None) -> None:
        """Take in a coup; ``guess`` was made before it, by itself from the coups so far.

        ``stake`` was settled before it too, above 0, in minor units.
        """
        span = self.high - self.low
        scaled = (min(max(number, self.low), self.high) - self.low) / span
        self.squares += (stake * (scaled - (self.guess if guess is None else guess))) ** 2
        self.total += stake * scaled
        self.staked += stake
        self.most = max(self.most, float(stake))
        self.coups += 1

    @property
    def mean(self) -> float | None:
        """The average so far, by what was staked."""
        if not self.coups:
            return None
        return self.low + (self.high - self.low) * self.total / self.staked

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """Return the averages of the means that are not refuted, at this level at any time."""
        if not self.coups:
            return None
        needed = math.log(2 / (1 - level))
        centre = min(1.0, self.total / self.staked)
        below, above = self._reach(centre, needed), self._reach(1 - centre, needed)
        span = self.high - self.low
        return self.low + span * (centre - below), self.low + span * (centre + above)

    def _reach(self, far: float, needed: float) -> float:
        """How far below the average a mean may lie before it is refuted; bisection, to 1e-9."""
        near = 0.0
        if self._log_evidence(far) < needed:
            return far
        while far - near > 1e-9:  # noqa: PLR2004 - a fine grain
            middle = (near + far) / 2
            if self._log_evidence(middle) < needed:
                near = middle
            else:
                far = middle
        return far

    def _log_evidence(self, distance: float) -> float:
        """The logarithm of the mixture's evidence against a mean so far below the average."""
        spread = self.squares / self.most**2
        logs = [
            pull * distance * self.staked
            - (-math.log1p(-pull * self.most) - pull * self.most) * spread
            for pull in _LAMBDAS
            if pull * self.most <= _MOST
        ]
        if not logs:
            return -math.inf
        most = max(logs)
        return most + _LOG_SHARE + math.log(sum(math.exp(log - most) for log in logs))


Sides = tuple[float, float]
"""What a unit brings on Player and on Banker."""


@lru_cache(maxsize=64)
def first_card_worth(decks: int, pack_text: str | None = None) -> tuple[Sides, ...]:
    """What each value of the first card is worth to a unit on either side, in a fresh shoe.

    By the pays of the pack; by 1:1 on Player and 19:20 on Banker where there is none, or it has
    no such wagers.
    """
    valuers = {} if pack_text is None else valuers_of(pack_text)
    if not valuers.keys() >= set(SIDES):
        return tuple(
            (float(one), float(other)) for _, one, other in by_first_card(full_shoe_counts(decks))
        )
    player, banker = (valuers[side] for side in SIDES)
    found = []
    for first in range(VALUES):
        rest = full_shoe_counts(decks)
        rest[first] -= 1
        found.append((float(player.after(first, rest)), float(banker.after(first, rest))))
    return tuple(found)


@lru_cache(maxsize=64)
def honest_worth(decks: int, pack_text: str | None = None) -> Sides:
    """What a unit on either side brings to who knows nothing, in a fresh shoe: its expectation."""
    cards = full_shoe_counts(decks)
    worth = first_card_worth(decks, pack_text)
    player, banker = (
        sum(many * of[side] for many, of in zip(cards, worth, strict=True)) / sum(cards)
        for side in (0, 1)
    )
    return player, banker


class Edge(Struct):
    """A patron's edge by first cards and by money, for a unit staked on a side.

    ``honest`` is what the same stakes on the same sides bring to who knows nothing.
    """

    cards: Running
    money: Running
    honest: Running


def start_edge() -> Edge:
    """Return an edge of which nothing is known.

    No first card is worth more than a quarter of the stake in shoes of two decks or more.
    """
    return Edge(Running(-0.25, 0.25), Running(-1.0, 1.0), Running(-0.25, 0.25))
