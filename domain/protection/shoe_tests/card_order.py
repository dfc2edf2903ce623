"""A new shoe's order compared with earlier discards: false shuffle, slug, cooler.

Null hypothesis: the shoe was shuffled, so every order of its cards is equally likely, whatever the
order of the discards. The probability that a run of L cards repeats a run of the earlier cards is
at most the expected number of such runs. That number is exact: it sums, over each earlier run and
each place, the probability that the next cards of a uniform shoe are these. Every place of the shoe
counts, dealt or not, since how far a shoe is dealt depends on its cards; so the bound holds for all
moments of the shoe together. Both directions are compared, and two orders of the discards: as the
cards left the shoe, and as each coup is picked up, hand by hand.

For a pair of shoes and both directions the chance is 3e-5 for 9 ranks and 3e-7 for 7 suited cards.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FULL_DECK, RANKS, Card, rank_of, suit_of

Face = Card | None
"""A card of an order; None for a face-down card, which ends every run."""
Level = Literal["ranks", "suits"]
SEED = 4


class Orders(Struct, frozen=True):
    """The order of a shoe's cards, in two versions.

    ``left`` is the order in which the cards left the shoe, ``picked`` the order in which coups are
    picked up.
    """

    shoe: str
    left: tuple[Face, ...]
    picked: tuple[Face, ...]


class Run(Struct, frozen=True):
    """The longest run of an earlier shoe that a shoe repeats.

    ``at`` and ``earlier_at`` are places from 0 in the shoe's order and in the earlier one's.
    ``expected`` is the expected number of runs of this length by chance, over all comparisons of
    this shoe: an upper bound of the p-value if below 1.
    """

    length: int
    level: Level
    at: int
    earlier: str
    earlier_at: int
    backwards: bool
    picked_up: bool
    expected: float


def orders_of(shoe: Shoe) -> Orders:
    """Read the orders of a shoe."""
    left: list[Face] = []
    hands: dict[int, dict[str, list[Face]]] = {}
    for event in shoe.left:
        payload = event.payload
        if isinstance(payload, ev.CardBurned):
            left.append(payload.card)
        else:
            left.append(payload.card)
            coup = hands.setdefault(payload.coup, {"player": [], "banker": []})
            coup.setdefault(payload.hand, []).append(payload.card)
    picked = [card for coup in hands.values() for hand in coup.values() for card in hand]
    return Orders(shoe.name, tuple(left), tuple(picked))


def longest_repeat(new: Orders, earlier: Sequence[Orders], decks: int) -> Run | None:
    """Return the longest run of an earlier shoe that is repeated.

    The more significant level is used. None if nothing is repeated, or ranks are not recorded.
    """
    runs = []
    every = max(len(new.left), len(FULL_DECK) * decks)
    for level in ("ranks", "suits"):
        found = _longest(new, earlier, level)
        if found is None:
            continue
        expected = 2 * sum(
            (
                expected_runs(every, _names(order, level), found.length, decks, level)
                for before in earlier
                for order in (before.left, before.picked)
            ),
            Fraction(0),
        )
        # correct for the test at both levels
        runs.append(replace(found, expected=float(2 * expected)))
    return min(runs, key=lambda run: run.expected, default=None)


def _names(order: Sequence[Face], level: Level) -> list[str | None]:
    """Return the name of each card at a level: its rank, or its rank and suit.

    A name is None if the card is unseen or the record lacks it.
    """
    if level == "ranks":
        return [None if card is None else rank_of(card) for card in order]
    return [None if card is None or suit_of(card) is None else card for card in order]


def _longest(new: Orders, earlier: Sequence[Orders], level: Level) -> Run | None:
    mine = _names(new.left, level)
    seeds = _seeds(mine)
    best: Run | None = None
    for before in earlier:
        for picked_up, order in ((False, before.left), (True, before.picked)):
            names = _names(order, level)
            for backwards in (False, True):
                other = names[::-1] if backwards else names
                length, at, there = _longest_common(mine, seeds, other)
                if length and (best is None or length > best.length):
                    place = len(other) - there - length if backwards else there
                    best = Run(length, level, at, before.shoe, place, backwards, picked_up, 1.0)
    return best


def _seeds(names: Sequence[str | None]) -> dict[tuple[str | None, ...], list[int]]:
    """Index the places of all runs of ``SEED`` cards."""
    places: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
    for at in range(len(names) - SEED + 1):
        seed = tuple(names[at : at + SEED])
        if None not in seed:
            places[seed].append(at)
    return places


def _longest_common(
    mine: Sequence[str | None],
    seeds: dict[tuple[str | None, ...], list[int]],
    other: Sequence[str | None],
) -> tuple[int, int, int]:
    """Return the longest common run of at least a seed. It is length and both places, or zeros."""
    best = (0, 0, 0)
    for there in range(len(other) - SEED + 1):
        for at in seeds.get(tuple(other[there : there + SEED]), ()):
            length = SEED
            while (
                at + length < len(mine)
                and there + length < len(other)
                and mine[at + length] is not None
                and mine[at + length] == other[there + length]
            ):
                length += 1
            if length > best[0]:
                best = (length, at, there)
    return best


def expected_runs(
    cards: int, earlier: Sequence[str | None], length: int, decks: int, level: Level
) -> Fraction:
    """Return the expected number of runs that a uniform shoe repeats.

    It is for one direction.

    Args:
        cards: number of cards of the new shoe.
        earlier: the earlier order, named at the level.
        length: of the run.
        decks: of the new shoe.
        level: whether cards agree by rank, or by rank and suit.
    """
    copies = decks * 4 if level == "ranks" else decks
    every = copies * len(RANKS) * (1 if level == "ranks" else 4)
    places = cards - length + 1
    if places < 1:
        return Fraction(0)
    orders = 1
    for place in range(length):
        orders *= every - place
    ways = sum(_ways(window, copies) for window in _windows(earlier, length))
    return Fraction(places * ways, orders)


def _windows(order: Sequence[str | None], length: int) -> list[Sequence[str | None]]:
    return [
        order[at : at + length]
        for at in range(len(order) - length + 1)
        if None not in order[at : at + length]
    ]


def _ways(window: Sequence[str | None], copies: int) -> int:
    """Return in how many ways cards with these names can be drawn, in order, from a full shoe."""
    held: dict[str | None, int] = {}
    ways = 1
    for name in window:
        gone = held.get(name, 0)
        ways *= max(0, copies - gone)
        held[name] = gone + 1
    return ways
