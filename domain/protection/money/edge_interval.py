"""Confidence sequence for a patron's edge: an interval valid at any time.

For numbers X between known bounds, with any conditional means given the past, and any guess g made
before each,

    E(m, l) = exp(sum(l_i * (X - m)) - sum((-log(1 - l_i) - l_i) * (X - g)^2)),  0 <= l_i < 1,

is an e-process for the hypothesis that m are those means, with X scaled to a range of 1 (Howard,
Ramdas, McAuliffe and Sekhon 2021, theorem 4), for any predictable l_i. With l_i = l * s_i, where
s_i is the stake, it is an e-process for the average of the means **weighted by stake**. A patron
who raises stakes when at an advantage thus has the edge of the money, not of the coups. The second
sum is replaced by an upper bound at the largest stake so far, W: (-log(1 - l W) - l W) * sum((s_i /
W)^2 (X - g)^2). A mixture over l is an e-process too, and remains one if components whose l is too
large for a stake are dropped. The interval consists of the averages that are rejected in neither
direction.

By coup, whatever the stakes, the first cards have a **betting confidence sequence** (Waudby-Smith
and Ramdas 2023). A mean m is rejected once the wagers c have won enough against it:

    K(m) = product over the coups of 1 + c (X - m) / (m - low)

is a supermartingale if no conditional mean is above m, for a fixed c in (0, 1), and so is a mixture
over c. The upper end is found in the same way. So the interval covers the mean of a coup if it is
the same in each coup. Otherwise its lower end is a bound for the highest of these means, its upper
end for the lowest.

Two edges are computed. By **first cards**: the value of each first card to the side bet on, in a
fresh shoe of those decks, by the rule pack's payouts. Chance after the first card is excluded, so
the interval is narrow; it measures only the edge that comes from the first card. By **money**: the
win per unit staked on Player or Banker, coup by coup; it needs no assumption, and the interval is
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

_PRECISION: Final = 1e-9
"""To which the bounds of an interval are found."""

LEVEL: Final = 0.95
_MOST: Final = 0.9
_LAMBDAS: Final = tuple(_MOST * 0.5**step for step in range(41))
"""Values of l per minor unit; the smallest are for stakes of thousands of millions."""
_LOG_SHARE: Final = -math.log(len(_LAMBDAS))


class Running(Struct):
    """Stake-weighted sums of numbers between ``low`` and ``high``.

    ``staked`` is the sum of the stakes, ``most`` the largest stake. ``total`` is the sum of the
    numbers times their stakes, ``squares`` that of squared deviations times squared stakes.
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
        """The predicted next number, scaled to 0..1: the average, shrunk towards 1/2."""
        return (self.total + 0.5 * self.most) / (self.staked + self.most) if self.coups else 0.5

    def take(self, number: float, stake: float = 1, guess: float | None = None) -> None:
        """Add a coup, with the number X that the average is about.

        ``guess`` is the prediction made before the coup (default: from the coups so far). ``stake``
        is above 0, in minor units. Both were fixed before the coup.
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
        """The average so far, weighted by stake."""
        if not self.coups:
            return None
        return self.low + (self.high - self.low) * self.total / self.staked

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """Return the confidence sequence's current interval for the average, at this level."""
        if not self.coups:
            return None
        needed = math.log(2 / (1 - level))
        centre = min(1.0, self.total / self.staked)
        below, above = self._reach(centre, needed), self._reach(1 - centre, needed)
        span = self.high - self.low
        return self.low + span * (centre - below), self.low + span * (centre + above)

    def _reach(self, far: float, needed: float) -> float:
        """Return the distance below the average from which the interval excludes a mean.

        The distance is found by bisection.
        """
        near = 0.0
        if self._log_evidence(far) < needed:
            return far
        while far - near > _PRECISION:
            middle = (near + far) / 2
            if self._log_evidence(middle) < needed:
                near = middle
            else:
                far = middle
        return far

    def _log_evidence(self, distance: float) -> float:
        """Return the log evidence against a mean below the average."""
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
"""The value of a unit on Player and on Banker."""


@lru_cache(maxsize=64)
def first_card_worth(decks: int, pack_text: str | None = None) -> tuple[Sides, ...]:
    """Return what a unit on either side is worth after each first card of a fresh shoe.

    It uses the payouts of the rule pack. If there is no pack, or it lacks these wagers, Player pays
    1:1 and Banker 19:20.
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
    """Return what a unit on either side of a fresh shoe is worth without information."""
    cards = full_shoe_counts(decks)
    worth = first_card_worth(decks, pack_text)
    player, banker = (
        sum(many * of[side] for many, of in zip(cards, worth, strict=True)) / sum(cards)
        for side in (0, 1)
    )
    return player, banker


WAGERS: Final = ((0.1, 0.1), (0.3, 0.2), (0.6, 0.2), (0.95, 0.5))
"""The wagers c of the betting confidence sequence, with their prior shares."""
_LEAST: Final = 1e-9


class ByCoup(Struct):
    """The betting confidence sequence of numbers between ``low`` and ``high``.

    ``counts`` has how often each number came. Their order does not matter, because the wagers are
    fixed.
    """

    low: float
    high: float
    counts: dict[float, int] = {}

    def take(self, number: float) -> None:
        """Add a coup."""
        within = min(max(number, self.low), self.high)
        self.counts[within] = self.counts.get(within, 0) + 1

    @property
    def coups(self) -> int:
        """The number of coups."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float | None:
        """The average over the coups so far."""
        if not self.counts:
            return None
        return sum(number * many for number, many in self.counts.items()) / self.coups

    def interval(self, level: float = LEVEL) -> tuple[float, float] | None:
        """Return the confidence sequence's current interval, at this level."""
        mean = self.mean
        if mean is None:
            return None
        needed = math.log(2 / (1 - level))
        above = {number - self.low: many for number, many in self.counts.items()}
        below = {self.high - number: many for number, many in self.counts.items()}
        return (
            self.low + _least_mean(above, mean - self.low, needed),
            self.high - _least_mean(below, self.high - mean, needed),
        )


def _least_mean(counts: dict[float, int], mean: float, needed: float) -> float:
    """Return the smallest mean of numbers above 0 that is not rejected, to 1e-9."""
    low, high = 0.0, mean
    while high - low > _LEAST:
        middle = (low + high) / 2
        if _log_won(counts, middle) >= needed:
            low = middle
        else:
            high = middle
    return low


def _log_won(counts: dict[float, int], mean: float) -> float:
    """Return the logarithm of the capital after betting against this mean, starting from 1."""
    logs = [
        math.log(share)
        + sum(many * math.log1p(wager * (number / mean - 1)) for number, many in counts.items())
        for wager, share in WAGERS
    ]
    most = max(logs)
    return most + math.log(sum(math.exp(log - most) for log in logs))


class Edge(Struct):
    """A patron's edge by first cards and by money, and by coup.

    The edge is the expected win per unit staked on Player or Banker. ``honest`` is the expectation
    of the same stakes on the same sides without information. ``coups`` is the edge by first cards
    of a coup, whatever the stake.
    """

    cards: Running
    money: Running
    honest: Running
    coups: ByCoup


def start_edge() -> Edge:
    """Return an edge without data.

    In shoes of two decks or more no first card is worth more than a quarter of the stake.
    """
    low, high = -0.25, 0.25
    return Edge(Running(low, high), Running(-1.0, 1.0), Running(low, high), ByCoup(low, high))
