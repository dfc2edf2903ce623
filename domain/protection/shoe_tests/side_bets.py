"""Compare patrons' side bets with each bet's exact expectation.

This is a model without a significance level. Counting side bets is legal and uses public
information. A patron whose side bets coincide with a positive expectation counts cards, or is
advised by somebody who does. The expectation at each coup is exact: it follows from the unseen
cards by rank and suit, and not from a linear count.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.next_card_chances import COUP_CARDS
from sabot.domain.protection.money.wager_values import (
    left_of,
    looks_at_pairs,
    pair_expectation,
    valuers_of,
)
from sabot.domain.protection.money.win_rate import SIDES
from sabot.domain.protection.observation.observed_coup import CoupObservation, ShoeObservation
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card


class Spread(Struct):
    """A number of coups, with the sum and the sum of squares of a value over them."""

    coups: int = 0
    total: float = 0.0
    squares: float = 0.0

    def take(self, number: float) -> None:
        """Add the value of a coup."""
        self.coups += 1
        self.total += number
        self.squares += number * number

    def add(self, other: "Spread") -> None:
        """Add the coups of another spread."""
        self.coups += other.coups
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> float:
        """The average; 0 without coups."""
        return self.total / self.coups if self.coups else 0.0

    @property
    def error(self) -> float:
        """The squared standard error of the average."""
        if self.coups <= 1:  # a variance takes two
            return math.inf
        spread = max(0.0, self.squares - self.total**2 / self.coups)
        return spread / (self.coups - 1) / self.coups


BEST: Final = 12
"""Number of a patron's bets that are shown."""
LEAST_BETS: Final = 10
LEAST_Z: Final = 5.0
"""From here on a patron is reported as counting, which is legal."""


class SideBets(Struct):
    """The exact expectation of a wager in coups with and without a patron's bet.

    Expectations are per unit staked, from the unseen cards. ``best`` are the bets with the highest
    expectation: expectation, shoe and coup.
    """

    patron: str
    wager: str
    on: Spread
    off: Spread
    best: list[tuple[float, str, int]] = []

    def take(self, shoe: str, coup: int, expected: float, *, staked: bool) -> None:
        """Add a coup with its expectation, whether the patron staked on the wager or not."""
        (self.on if staked else self.off).take(expected)
        if staked:
            self.best.append((expected, shoe, coup))

    def add(self, other: "SideBets") -> None:
        """Add the coups of another shoe."""
        self.on.add(other.on)
        self.off.add(other.off)
        self.best = sorted([*self.best, *other.best], reverse=True)[:BEST]

    @property
    def counts(self) -> bool:
        """Return whether the patron seems to count cards.

        That is so if the patron bet often enough, and clearly where the expected value was higher.
        """
        return self.on.coups >= LEAST_BETS and self.z >= LEAST_Z

    @property
    def z(self) -> float:
        """The difference of the two expectations in standard errors.

        It gives no exact p-value.
        """
        error = self.on.error + self.off.error
        if not math.isfinite(error) or error <= 0:
            return 0.0
        return (self.on.mean - self.off.mean) / math.sqrt(error)


def side_bets_of(
    shoe: Shoe, seen: ShoeObservation, coups: Iterable[CoupObservation]
) -> list[SideBets]:
    """Compare each patron's side bets with their exact expectation."""
    if shoe.pack is None:
        return []
    known = [
        coup for coup in coups if coup.looks and not coup.lacking and sum(coup.unseen) >= COUP_CARDS
    ]
    wagers = {on for coup in known for stakes in coup.stakes.values() for on in stakes}
    found: list[SideBets] = []
    for wager in sorted(wagers.difference(SIDES)):
        worth = _worth(shoe, seen.shown, wager)
        if worth is not None:
            found += _bets_on(wager, shoe.name, known, worth)
    return found


def _bets_on(
    wager: str,
    shoe: str,
    coups: Sequence[CoupObservation],
    worth: Callable[[CoupObservation], float | None],
) -> Iterable[SideBets]:
    """Compare the bets of all patrons who bet on a wager with its expectation."""
    found: dict[str, SideBets] = {}
    bettors = {patron for coup in coups for patron, on in coup.stakes.items() if on.get(wager)}
    for coup in coups:
        mine = bettors.intersection(coup.patrons)
        expected = worth(coup) if mine else None
        if expected is None:
            continue
        for patron in sorted(mine):
            bets = found.setdefault(patron, SideBets(patron, wager, Spread(), Spread()))
            staked = bool(coup.stakes.get(patron, {}).get(wager))
            bets.take(shoe, coup.number, expected, staked=staked)
    for bets in found.values():
        bets.best = sorted(bets.best, reverse=True)[:BEST]
    return found.values()


def _worth(
    shoe: Shoe, shown: Sequence[Card], name: str
) -> Callable[[CoupObservation], float | None] | None:
    """Return a function that values a wager at a coup. None if the pack does not offer it."""
    assert shoe.pack is not None
    wager = shoe.pack.wager(name)
    if wager is None:
        return None
    if not looks_at_pairs(wager):
        valuer = valuers_of(shoe.pack_text).get(name)
        return None if valuer is None else lambda coup: valuer.expectation(coup.unseen)
    commission = Fraction(*shoe.pack.commission.ratio)

    def of_pairs(coup: CoupObservation) -> float | None:
        cards = left_of(shoe.decks, shown[: coup.shown])
        found = None if cards is None else pair_expectation(wager, cards, commission)
        return None if found is None else float(found)

    return of_pairs
