"""Exact odds of the next coup, counted in integers.

All orders of the remaining cards are counted. A coup takes four to six cards. The count is over
ordered sequences of six cards (of all cards, if fewer than six are left), which are equally likely;
if a coup ends sooner, the rest of its sequence may be any cards. The third-card rules are those of
``sabot.domain.rules.third_card_table`` and the pairs those of ``sabot.domain.rules.coup_result``,
which the dealer and the audit use too.

Cards are exchangeable, so the dealing order P, B, P, B of the first four does not affect the
counts. Both hands are taken as unordered pairs of values, with the number of ways of each. Whether
a hand is a pair depends on the ranks and suits within one value, and only if both cards have that
value; `_PairKinds` counts these cases afterwards.

The results equal the published counts for 8 decks: Banker 2292252566437888, Player
2230518282592256, Tie 475627426473216 of 4998398275503360.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import perm
from typing import Final

from sabot.domain.rules.coup_result import Result, is_pair, is_perfect_pair
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.values.cards import FULL_DECK, VALUE, Card
from sabot.domain.values.errors import BadInput

MOST_CARDS: Final = 1_000_000_000
COUP_CARDS: Final = 6

Composition = Mapping[Card, int]
"""Number of cards left of each kind; a card may be known by rank only or by value only."""

Kind = tuple[bool | None, bool | None]
"""Whether a hand's first two cards are a pair, and a perfect pair; None if unknown."""

NO_PAIR: Final[Kind] = (False, False)

_BY_VALUE: Final[tuple[Card, ...]] = ("0", "A", "2", "3", "4", "5", "6", "7", "8", "9")

_Kinds = tuple[Kind, Kind]
_KindOf = dict[tuple[Card, Card], Kind]


class Odds:
    """The number of card sequences for each result, out of ``total`` equally likely ones."""

    def __init__(self, results: dict[Result, int], total: int) -> None:
        """Store the counts, which add up to the total."""
        self.results = results
        self.total = total

    @cached_property
    def by_totals(self) -> dict[Result, int]:
        """The counts without pairs, for wagers that ignore them. Every pair flag is False."""
        merged: dict[Result, int] = defaultdict(int)
        for result, ways in self.results.items():
            bare = Result(result.player, result.banker, result.player_cards, result.banker_cards)
            merged[bare] += ways
        return dict(merged)

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """The numbers of sequences by outcome.

        They are Banker ("B"), Player ("P") and tie ("T").
        """
        counts = {"B": 0, "P": 0, "T": 0}
        for result, ways in self.by_totals.items():
            counts[result.outcome] += ways
        return counts


def full_decks(decks: int) -> dict[Card, int]:
    """Return the composition of a full shoe.

    Raises:
        BadInput: the number of decks is below 1 or too large.
    """
    most = MOST_CARDS // len(FULL_DECK)
    if not 1 <= decks <= most:
        raise BadInput(f"{decks} decks make no shoe; give 1 to {most}")
    return dict.fromkeys(FULL_DECK, decks)


def of_values(counts: Sequence[int]) -> dict[Card, int]:
    """Return a composition given by point values only.

    Counts of tens and faces come first (N0 to N9). Suits are then unknown, and so are pairs among
    cards that count ten.

    Raises:
        BadInput: there are not ten counts, one is negative, or their sum is too large.
    """
    if len(counts) != len(_BY_VALUE):
        raise BadInput(
            f"{len(counts)} counts are given; give ten, of the values 0 (tens and faces), 1, … 9"
        )
    for points, count in enumerate(counts):
        if count < 0:
            raise BadInput(f"there cannot be {count} cards of value {points}; give 0 or more")
    if sum(counts) > MOST_CARDS:
        raise BadInput(f"{sum(counts)} cards are too many; give at most {MOST_CARDS}")
    return dict(zip(_BY_VALUE, counts, strict=True))


def odds_of(composition: Composition) -> Odds:
    """Return the odds of the next coup from these cards.

    Raises:
        BadInput: the cards may not suffice for a coup, so that it has no odds.
    """
    left = [0] * 10
    for card, count in composition.items():
        left[VALUE[card]] += count
    cards = sum(left)
    taken = min(cards, COUP_CARDS)
    # number of continuations of a sequence after a coup of 0 to 6 cards
    spare = [perm(cards - used, taken - used) if used <= taken else 0 for used in range(7)]
    kinds = _PairKinds(composition)
    cells: dict[_Kinds, list[int]] = defaultdict(lambda: [0] * 400)
    for a, b, player_ways in _hands(left):
        for c, d, banker_ways in _hands(_without(left, a, b)):
            ends = _ends((a + b) % 10, (c + d) % 10, _without(left, a, b, c, d), spare)
            for kind, ways in kinds.share(a, b, c, d, player_ways * banker_ways):
                into = cells[kind]
                for cell, more in ends:
                    into[cell] += ways * more
    results = {
        _result(cell, kind): ways
        for kind, counts in cells.items()
        for cell, ways in enumerate(counts)
        if ways
    }
    total = perm(cards, taken)
    if sum(results.values()) != total:
        raise BadInput(
            f"a coup can run out of cards when {cards} are left, so that it has no odds; "
            f"{COUP_CARDS} cards always suffice"
        )
    return Odds(results, total)


def _hands(left: list[int]) -> list[tuple[int, int, int]]:
    """List the two-card hands by value, lower value first, each with its number of ordered ways."""
    hands = []
    for a, many in enumerate(left):
        if many > 1:
            hands.append((a, a, many * (many - 1)))
        hands += [(a, b, 2 * many * left[b]) for b in range(a + 1, 10) if many and left[b]]
    return hands


def _without(left: list[int], *values: int) -> list[int]:
    """Return the counts after removal of cards of these values."""
    rest = left.copy()
    for value in values:
        rest[value] -= 1
    return rest


def _ends(
    player_total: int, banker_total: int, left: list[int], spare: list[int]
) -> list[tuple[int, int]]:
    """Return how a coup can end after two two-card totals: each result, with its number of ways."""
    if not player_draws(player_total, banker_total):
        if not banker_draws(player_total, banker_total, None):
            return [(_cell(player_total, banker_total, 2, 2), spare[4])]
        return [
            (_cell(player_total, (banker_total + drawn) % 10, 2, 3), many * spare[5])
            for drawn, many in enumerate(left)
            if many
        ]
    ends = []
    for third, many in enumerate(left):
        if not many:
            continue
        final = (player_total + third) % 10
        if not banker_draws(player_total, banker_total, third):
            ends.append((_cell(final, banker_total, 3, 2), many * spare[5]))
            continue
        left[third] -= 1
        ends += [
            (_cell(final, (banker_total + drawn) % 10, 3, 3), many * more)
            for drawn, more in enumerate(left)
            if more
        ]
        left[third] += 1
    return ends


def _cell(player_total: int, banker_total: int, player_cards: int, banker_cards: int) -> int:
    """Return the number, from 0 to 399, of a result without regard to pairs."""
    return player_total * 40 + banker_total * 4 + player_cards * 2 + banker_cards - 6


def _result(cell: int, kinds: _Kinds) -> Result:
    """Return the result with this number and these pair flags."""
    (player_pair, player_perfect), (banker_pair, banker_perfect) = kinds
    return Result(
        player=cell // 40,
        banker=cell // 4 % 10,
        player_cards=cell // 2 % 2 + 2,
        banker_cards=cell % 2 + 2,
        player_pair=player_pair,
        banker_pair=banker_pair,
        player_perfect=player_perfect,
        banker_perfect=banker_perfect,
    )


class _PairKinds:
    """Divides the ways of dealing two hands among the kinds of pair.

    The hands are given by value. The kinds are no pair, pair and perfect pair.
    """

    def __init__(self, composition: Composition) -> None:
        """Count the kinds of pair within each value, for one hand and for two hands."""
        self._one: list[dict[Kind, int]] = []
        self._both: list[dict[_Kinds, int]] = []
        for points in range(10):
            cards = {c: n for c, n in composition.items() if VALUE[c] == points and n}
            kinds = {
                (one, other): (is_pair((one, other)), is_perfect_pair((one, other)))
                for one in cards
                for other in cards
            }
            self._one.append(_count_kinds(cards, kinds))
            self._both.append(_count_both_kinds(cards, kinds))

    def share(self, a: int, b: int, c: int, d: int, ways: int) -> list[tuple[_Kinds, int]]:
        """Divide the ways of two hands.

        Player has values a, b and Banker c, d. Since cards are exchangeable, the other hand's cards
        of a value do not change the proportions, unless both its cards have that value too.
        """
        if a == b == c == d:
            return list(self._both[a].items())
        if a == b:
            one, whole = self._one[a], sum(self._one[a].values())
            if c != d:
                return [((kind, NO_PAIR), ways * n // whole) for kind, n in one.items()]
            other = self._one[c]
            whole *= sum(other.values())
            return [
                ((kind, second), ways * n * m // whole)
                for kind, n in one.items()
                for second, m in other.items()
            ]
        if c == d:
            one, whole = self._one[c], sum(self._one[c].values())
            return [((NO_PAIR, kind), ways * n // whole) for kind, n in one.items()]
        return [((NO_PAIR, NO_PAIR), ways)]


def _count_kinds(cards: Mapping[Card, int], kinds: _KindOf) -> dict[Kind, int]:
    """Count the ordered pairs of cards of one value by their kind."""
    counts: dict[Kind, int] = defaultdict(int)
    for one, many in cards.items():
        for other, more in cards.items():
            counts[kinds[one, other]] += many * (more - (one == other))
    return {kind: ways for kind, ways in counts.items() if ways}


def _count_both_kinds(cards: Mapping[Card, int], kinds: _KindOf) -> dict[_Kinds, int]:
    """Count the ordered pairs of hands of one value by their kinds."""
    counts: dict[_Kinds, int] = defaultdict(int)
    names = list(cards)
    for place, one in enumerate(names):
        for other in names[place:]:
            rest = dict(cards)
            rest[one] -= 1
            rest[other] -= 1
            # two different cards can come in either order
            ways = cards[one] * (cards[other] - 1 if one == other else 2 * cards[other])
            if not ways:
                continue
            for kind, more in _count_kinds(rest, kinds).items():
                counts[kinds[one, other], kind] += ways * more
    return dict(counts)
