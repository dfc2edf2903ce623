"""The exact value of a wager for any composition of unseen cards.

One value takes about a millisecond. Wagers on totals and numbers of cards need point values only,
and all of a pack share one kernel. Wagers on pairs need ranks, and perfect pairs need suits. They
depend on the first two cards of each hand. So it is enough to count how often two cards are a
perfect pair, another pair or no pair, jointly for both hands, which has a closed form.
`sabot.domain.odds.coup_odds` has the general count.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import perm
from typing import Final

from sabot.domain.protection.e_process.next_card_chances import (
    COUP_CARDS,
    VALUES,
    Counts,
    Kernel,
    all_results,
    outcome_after,
    outcome_ways,
    result_kernel,
)
from sabot.domain.rules.coup_result import Result
from sabot.domain.rules.payouts import cashier_for
from sabot.domain.rules.wagers import PAIR_CONDITIONS, PayLine, Wager
from sabot.domain.values.cards import FULL_DECK, RANKS, VALUE, Card, parse_card, rank_of, suit_of
from sabot.domain.values.scalars import Outcome

Ways = dict[PayLine | None, int]
"""Number of sequences settled by each pay line; None is a lost stake."""


OUTCOMES: Final = ("player-wins", "banker-wins", "tie")
_OF_OUTCOME: Final = {
    "player-wins": Result(9, 0, 2, 3),
    "banker-wins": Result(0, 9, 3, 2),
    "tie": Result(7, 7, 2, 2),
}


Lines = tuple[int, ...]
"""For each wager, the number of the pay line that settles it; one beyond the last is a loss."""


class Counted:
    """The number of card sequences for each pay line of each wager.

    All wagers of a pack are counted at once. Results that settle all wagers in the same way are
    counted together. The count for a composition is cached.
    """

    def __init__(self, wagers: Sequence[Wager]) -> None:
        """Group the results by the pay lines that they settle."""
        self._wagers = wagers
        answers: dict[Lines, int] = {}
        for result in all_results():
            answers.setdefault(self._lines(result), len(answers))
        self.answers = list(answers)
        kernel = result_kernel(lambda result: answers[self._lines(result)], len(answers))
        self.ways = lru_cache(maxsize=1024)(lambda unseen: tuple(kernel.ways(unseen)))

    def _lines(self, result: Result) -> Lines:
        return tuple(line_of(wager, result) for wager in self._wagers)


def line_of(wager: Wager, result: Result) -> int:
    """Return the number of the pay line that settles a wager on a result.

    The number after the last line is a lost stake.
    """
    line = wager.line_on(result)
    return len(wager.lines) if isinstance(line, str) else wager.lines.index(line)


class Valuer:
    """The expectation of a wager on totals.

    ``pays`` is the net win per unit by pay line, after commission; the last is a lost stake.
    """

    def __init__(
        self, wager: Wager, commission: Fraction, counted: Counted | None = None, place: int = 0
    ) -> None:
        """Take a wager, with the shared count and the wager's place in it.

        Without a shared count the wager gets a count of its own.
        """
        self._wager = wager
        rate = 1 - commission if wager.commission else Fraction(1)
        self._exact = [*(line.ratio * rate for line in wager.lines), Fraction(-1)]
        self.pays = [float(pay) for pay in self._exact]
        self._place = place
        # a wager on the outcome alone needs no kernel of its own
        self._counted = None if is_plain(wager) else counted or Counted([wager])
        self._by_outcome = [line_of(wager, _OF_OUTCOME[name]) for name in OUTCOMES]

    def ways(self, unseen: Counts) -> list[int]:
        """Return the number of card sequences for each pay line."""
        ways = [0] * len(self.pays)
        if self._counted is None:
            for line, many in zip(self._by_outcome, outcome_ways(tuple(unseen)), strict=True):
                ways[line] += many
            return ways
        found = self._counted.ways(tuple(unseen))
        for lines, many in zip(self._counted.answers, found, strict=True):
            ways[lines[self._place]] += many
        return ways

    def after(self, first: int, unseen: Counts) -> Fraction:
        """Return the value of a unit after this first card, which ``unseen`` does not contain."""
        if self._counted is None:
            kernel, lines = outcome_after(first), self._by_outcome
        else:
            kernel, lines = _after(self._wager, first), list(range(len(self._exact)))
        ways = kernel.ways(unseen)
        paid = (self._exact[line] * many for line, many in zip(lines, ways, strict=True))
        return sum(paid, Fraction(0)) / sum(ways)

    def brings_by_outcome(self, outcome: Outcome) -> float | None:
        """Return the net win of a unit on an outcome.

        None if the win depends on more than the outcome.
        """
        if self._counted is not None:
            return None
        return self.pays[self._by_outcome["PBT".index(outcome)]]

    def brings(self, result: Result) -> float:
        """Return the net win of a unit on a result."""
        return self.pays[line_of(self._wager, result)]

    def exactly(self, unseen: Counts) -> Fraction:
        """Return the exact expectation of a unit."""
        ways = self.ways(unseen)
        paid = sum((pay * many for pay, many in zip(self._exact, ways, strict=True)), Fraction(0))
        return paid / sum(ways)

    def expectation(self, unseen: Counts) -> float:
        """Return the expectation of a unit, within 1e-12 of the exact value.

        The counts are exact and rounded once. Only a few products are added, none above the highest
        payout.
        """
        ways = self.ways(unseen)
        total = sum(ways)
        return sum(pay * (many / total) for pay, many in zip(self.pays, ways, strict=True))


@lru_cache(maxsize=128)
def _after(wager: Wager, first: int) -> Kernel:
    """Return the kernel for a wager's pay line, given the first card."""
    return result_kernel(lambda result: line_of(wager, result), len(wager.lines) + 1, first)


@lru_cache(maxsize=64)
def valuers_of(pack_text: str) -> dict[str, Valuer]:
    """Return the valuers of a pack's wagers by name. Wagers on pairs are excluded."""
    pack = cashier_for(pack_text).pack
    commission = Fraction(*pack.commission.ratio)
    wagers = [wager for wager in pack.wagers if not looks_at_pairs(wager)]
    shared = [wager for wager in wagers if not is_plain(wager)]
    counted = Counted(shared) if shared else None
    return {
        wager.name: Valuer(
            wager, commission, counted, shared.index(wager) if wager in shared else 0
        )
        for wager in wagers
    }


def is_plain(wager: Wager) -> bool:
    """Return whether a wager depends only on the outcome."""
    return all(line.on in OUTCOMES for line in wager.lines)


def looks_at_pairs(wager: Wager) -> bool:
    """Return whether a wager depends on ranks or suits."""
    return any(line.on in PAIR_CONDITIONS for line in wager.lines)


def pair_expectation(
    wager: Wager, cards: Mapping[Card, int], commission: Fraction = Fraction(0)
) -> Fraction | None:
    """Return a unit's expectation on a wager that depends on pairs only.

    None if it depends on anything else, a card has no rank, a suit that it needs is unknown, or
    fewer cards are left than a coup may take.
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
    """Count the ordered first four cards by kinds of pair.

    The kinds are those of the Player and the Banker hand. The kinds are none, a pair that is not
    perfect, and a perfect pair. The sum is N (N-1) (N-2) (N-3).
    """
    ranks: dict[str | None, int] = defaultdict(int)
    for card, many in cards.items():
        ranks[rank_of(card)] += many
    left = sum(cards.values())
    two = sum(many * (many - 1) for many in ranks.values())
    one = sum(many * (many - 1) for many in cards.values())
    # both hands pairs by rank; both perfect; one perfect and the other a pair by rank
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


def left_of(decks: int, shown: Sequence[Card]) -> dict[Card, int] | None:
    """Count the cards left of this many decks, as precisely as all shown faces are known.

    They are counted by rank and suit, by rank, or by value only. None if more of a card were shown
    than the decks contain.
    """
    if all(suit_of(card) is not None for card in shown):
        return _without(dict.fromkeys(FULL_DECK, decks), shown)
    ranks = [rank_of(card) for card in shown]
    named = [parse_card(rank) for rank in ranks if rank is not None]
    if len(named) == len(shown):
        return _without({parse_card(rank): 4 * decks for rank in RANKS}, named)
    values = [_OF_VALUE[VALUE[card]] for card in shown]
    return _without(dict(zip(_OF_VALUE, [16 * decks] + [4 * decks] * 9, strict=True)), values)


_OF_VALUE: Final = tuple(map(parse_card, "0A23456789"))


def _without(cards: dict[Card, int], gone: Sequence[Card]) -> dict[Card, int] | None:
    left = Counter(cards)
    left.subtract(gone)
    return None if min(left.values()) < 0 else dict(left)
