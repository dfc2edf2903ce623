"""What a wager is worth from any composition of cards, exactly, in about a millisecond.

Wagers on totals and numbers of cards need point values alone, and one kernel each. Wagers on
pairs need ranks, and perfect pairs suits: they look at the first two cards of either hand, so
what counts is how often two cards are a perfect pair, another pair or none, for both hands
together; that has a closed form. The general walk over everything is `domain.odds`.
"""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import perm
from typing import Final

from domain.cards import VALUE, Card, rank_of, suit_of
from domain.protection.chances import (
    COUP_CARDS,
    VALUES,
    Counts,
    Kernel,
    outcome_ways,
    result_kernel,
)
from domain.result import Result
from domain.settlement import cashier_for
from domain.wagers import PAIR_CONDITIONS, PayLine, Wager

Ways = dict[PayLine | None, int]
"""How often each pay line settles a wager; None is a lost stake."""


OUTCOMES: Final = ("player-wins", "banker-wins", "tie")
_OF_OUTCOME: Final = {
    "player-wins": Result(9, 0, 2, 3),
    "banker-wins": Result(0, 9, 3, 2),
    "tie": Result(7, 7, 2, 2),
}


class Valuer:
    """The expectation of a wager on totals, by one kernel.

    ``pays`` is what a unit brings by pay line, after commission; the last is a lost stake.
    """

    def __init__(self, wager: Wager, commission: Fraction) -> None:
        """Number the pay lines."""
        self._wager = wager
        rate = 1 - commission if wager.commission else Fraction(1)
        self._exact = [*(line.ratio * rate for line in wager.lines), Fraction(-1)]
        self.pays = [float(pay) for pay in self._exact]
        # what the outcome alone decides is counted once for all wagers
        self._by_outcome = [self._line(_OF_OUTCOME[name]) for name in OUTCOMES]
        self.plain = all(line.on in OUTCOMES for line in wager.lines)
        self._kernel: Kernel | None = (
            None if self.plain else result_kernel(self._line, len(self._exact))
        )

    def _line(self, result: Result) -> int:
        lines = self._wager.lines
        line = self._wager.line_on(result)
        return len(lines) if isinstance(line, str) else lines.index(line)

    def ways(self, unseen: Counts) -> list[int]:
        """Count the sequences of cards by pay line."""
        if self._kernel is not None:
            return self._kernel.ways(unseen)
        ways = [0] * len(self.pays)
        for line, many in zip(self._by_outcome, outcome_ways(tuple(unseen)), strict=True):
            ways[line] += many
        return ways

    def brings(self, result: Result) -> float:
        """Return what a unit brings on a result."""
        return self.pays[self._line(result)]

    def exactly(self, unseen: Counts) -> Fraction:
        """Return what a unit brings."""
        ways = self.ways(unseen)
        paid = sum((pay * many for pay, many in zip(self._exact, ways, strict=True)), Fraction(0))
        return paid / sum(ways)

    def expectation(self, unseen: Counts) -> float:
        """Return what a unit brings, within 1e-12 of the exact value.

        The counts are exact and rounded once; a handful of products are added, none above the
        highest pay.
        """
        ways = self.ways(unseen)
        total = sum(ways)
        return sum(pay * (many / total) for pay, many in zip(self.pays, ways, strict=True))


@lru_cache(maxsize=64)
def valuer_for(pack_text: str, wager: str) -> Valuer | None:
    """Return the valuer of a pack's wager; None where it looks at pairs, or is not offered."""
    pack = cashier_for(pack_text).pack
    found = pack.wager(wager)
    if found is None or looks_at_pairs(found):
        return None
    return Valuer(found, Fraction(*pack.commission.ratio))


def looks_at_pairs(wager: Wager) -> bool:
    """Tell whether ranks or suits decide the wager."""
    return any(line.on in PAIR_CONDITIONS for line in wager.lines)


def pair_expectation(
    wager: Wager, cards: Mapping[Card, int], commission: Fraction = Fraction(0)
) -> Fraction | None:
    """Return what a unit brings on a wager that looks at pairs alone.

    None where some card has no rank, or the wager needs a suit that is not known, or looks at
    anything but pairs, or fewer cards are left than a coup may take.
    """
    if any(line.on not in PAIR_CONDITIONS for line in wager.lines):
        return None
    held = {card: many for card, many in cards.items() if many}
    needs_suits = any("perfect" in line.on for line in wager.lines)
    if any(rank_of(card) is None or (needs_suits and not suit_of(card)) for card in held):
        return None
    if sum(held.values()) < COUP_CARDS:
        return None
    rate = 1 - commission if wager.commission else Fraction(1)
    total = perm(sum(held.values()), 4)
    paid = Fraction(0)
    for (player, banker), ways in pair_ways(held).items():
        line = wager.line_on(_pairs_alone(player, banker))
        paid += ways * (Fraction(-1) if isinstance(line, str) else line.ratio * rate)
    return paid / total


NONE, PAIR, PERFECT = range(3)


def pair_ways(cards: Mapping[Card, int]) -> dict[tuple[int, int], int]:
    """Count the ordered first four cards by what the Player and the Banker hand's two are.

    Kinds are none, a pair that is not perfect, a perfect pair. Together they are
    N (N-1) (N-2) (N-3).
    """
    ranks: dict[str | None, int] = defaultdict(int)
    for card, many in cards.items():
        ranks[rank_of(card)] += many
    left = sum(cards.values())
    two = sum(many * (many - 1) for many in ranks.values())
    one = sum(many * (many - 1) for many in cards.values())
    # both hands pairs by rank; both perfect; one perfect, the other a pair by rank
    both = two**2 - sum((many * (many - 1)) ** 2 - perm(many, 4) for many in ranks.values())
    twice = one**2 - sum((many * (many - 1)) ** 2 - perm(many, 4) for many in cards.values())
    mixed = 0
    for card, many in cards.items():
        rank = ranks[rank_of(card)]
        others = two - rank * (rank - 1) + (rank - 2) * (rank - 3)
        mixed += many * (many - 1) * others
    either = perm(left - 2, 2)
    found = {
        (PERFECT, PERFECT): twice,
        (PERFECT, PAIR): mixed - twice,
        (PAIR, PAIR): both - 2 * mixed + twice,
        (PERFECT, NONE): one * either - mixed,
        (PAIR, NONE): (two - one) * either - (both - mixed),
    }
    found |= {(second, first): ways for (first, second), ways in found.items()}
    found[NONE, NONE] = perm(left, 4) - sum(found.values())
    return found


def _pairs_alone(player: int, banker: int) -> Result:
    return Result(
        0,
        0,
        2,
        2,
        player_pair=player != NONE,
        banker_pair=banker != NONE,
        player_perfect=player == PERFECT,
        banker_perfect=banker == PERFECT,
    )


def by_value(cards: Mapping[Card, int]) -> tuple[int, ...]:
    """Count cards by point value."""
    counts = [0] * VALUES
    for card, many in cards.items():
        counts[VALUE[card]] += many
    return tuple(counts)
