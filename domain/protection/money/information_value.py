"""The exact value of knowing something about the cards.

A patron with information before the bet stakes on the better main wager given it: Player at 1:1, or
Banker at 19:20. Ties push.

Published figures: 6.765 % for 6 to 9 (Borgata v Ivey, 216 F. Supp. 3d 426), about 6.5 % for 7 to 9
(Ivey v Genting [2017] UKSC 67).
"""

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from itertools import product
from math import perm
from typing import Final

from sabot.domain.protection.e_process.coup_evidence import count_from
from sabot.domain.protection.e_process.next_card_chances import (
    COUP_CARDS,
    VALUES,
    Counts,
    outcome_after,
)

BANKER_PAYS: Final = Fraction(19, 20)


def expectations(ways: Iterable[int]) -> tuple[Fraction, Fraction]:
    """Return the value of a unit bet on Player and on Banker.

    ``ways`` counts Player, Banker and tie.
    """
    player, banker, tie = ways
    total = player + banker + tie
    return (
        Fraction(player - banker, total),
        (BANKER_PAYS * banker - player) / total,
    )


def by_first_card(unseen: Counts) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return the probability of each first card, and the values of both sides after it."""
    left = sum(unseen)
    found = []
    for value, many in enumerate(unseen):
        if not many:
            found.append((Fraction(0), Fraction(0), Fraction(0)))
            continue
        rest = list(unseen)
        rest[value] -= 1
        player, banker = expectations(outcome_after(value).ways(rest))
        found.append((Fraction(many, left), player, banker))
    return found


def class_edge(unseen: Counts, values: Iterable[int]) -> Fraction:
    """Return the value of a unit bet if it is known whether the first card is in a class.

    The patron bets on the better side for "in" and for "out".
    """
    inside = frozenset(values)
    return _best(by_first_card(unseen), lambda value: value in inside)


def value_edge(unseen: Counts) -> Fraction:
    """Return the value of a unit bet if the first card's value is known."""
    return _best(by_first_card(unseen), lambda value: value)


def _best(
    cards: list[tuple[Fraction, Fraction, Fraction]], signal: Callable[[int], Hashable]
) -> Fraction:
    """Return the value of betting on the better side for each answer of ``signal(value)``."""
    sums: dict[Hashable, tuple[Fraction, Fraction]] = {}
    for value, (chance, player, banker) in enumerate(cards):
        one, other = sums.get(signal(value), (Fraction(0), Fraction(0)))
        sums[signal(value)] = (one + chance * player, other + chance * banker)
    return sum((max(pair) for pair in sums.values()), Fraction(0))


def four_card_edge(unseen: Counts, values: Iterable[int] | None = None) -> Fraction:
    """Return the value of a unit bet if the classes of four cards are known.

    Without a class, the values of the cards are known. Takes some seconds.
    """
    inside = None if values is None else frozenset(values)
    sums: dict[Hashable, tuple[Fraction, Fraction]] = {}
    for first_four in product(range(VALUES), repeat=4):
        chance, rest = _chance(unseen, first_four)
        if not chance:
            continue
        known = dict(enumerate(first_four, 1))
        player, banker = expectations(count_from(known, rest))
        signal = first_four if inside is None else tuple(value in inside for value in first_four)
        one, other = sums.get(signal, (Fraction(0), Fraction(0)))
        sums[signal] = (one + chance * player, other + chance * banker)
    return sum((max(pair) for pair in sums.values()), Fraction(0))


def _chance(unseen: Counts, cards: Iterable[int]) -> tuple[Fraction, list[int]]:
    rest, ways, drawn = list(unseen), 1, 0
    for value in cards:
        ways *= rest[value]
        rest[value] -= 1
        drawn += 1
    return Fraction(ways, perm(sum(unseen), drawn)), rest


def flat_bets_for(unseen: Counts, values: Iterable[int], deviations: int = 3) -> Fraction:
    """Return how many equal bets an edge sorter needs until the winnings are significant.

    After that many bets the expected win exceeds that of an honest Banker bettor by the given
    number of standard deviations of the sorter's own result.
    """
    inside = frozenset(values)
    mean = square = honest = Fraction(0)
    for value, many in enumerate(unseen):
        rest = list(unseen)
        rest[value] -= 1
        ways = outcome_after(value).ways(rest)
        chance = Fraction(many, sum(unseen)) / perm(sum(rest), COUP_CARDS - 1)
        player, banker, _ = ways
        honest += chance * (BANKER_PAYS * banker - player)
        if value in inside:
            mean += chance * (player - banker)
            square += chance * (player + banker)
        else:
            mean += chance * (BANKER_PAYS * banker - player)
            square += chance * (BANKER_PAYS**2 * banker + player)
    return deviations**2 * (square - mean**2) / (mean - honest) ** 2
