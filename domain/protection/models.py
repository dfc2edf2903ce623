"""Counts that claim no level: they say where to look, not what was done.

**Side bets that follow their expectation**: counting side bets is legal and rests on what all
could see; that a patron's side bets fall where they pay says that he counts. **Payments**: which
pairs of dealer and patron have more wrong payments in the patron's favour than their share.
**Win rate**: the z that everybody knows, for comparison with the tests that need no thousand bets.
"""

import math
from collections.abc import Iterable

from msgspec import Struct

from domain.protection.chances import COUP_CARDS
from domain.protection.expectations import valuer_for
from domain.protection.sight import Sight
from domain.result import result_of
from domain.settlement import cashier_for
from domain.shoe import Shoe


class Spread(Struct):
    """Sums of a number over some coups."""

    coups: int = 0
    total: float = 0.0
    squares: float = 0.0

    def take(self, number: float) -> None:
        """Take in a coup."""
        self.coups += 1
        self.total += number
        self.squares += number * number

    def add(self, other: "Spread") -> None:
        """Take in all the coups of another."""
        self.coups += other.coups
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> float:
        """The average; 0 where there is none."""
        return self.total / self.coups if self.coups else 0.0

    @property
    def error(self) -> float:
        """The squared standard error of the average."""
        if self.coups < 2:  # noqa: PLR2004 - a variance takes two
            return math.inf
        spread = max(0.0, self.squares - self.total**2 / self.coups)
        return spread / (self.coups - 1) / self.coups


class SideBets(Struct):
    """A patron's bets on one wager: its true expectation where he bet on it, and where he did not.

    Expectations are per unit staked, from the cards that nobody had seen.
    """

    patron: str
    wager: str
    on: Spread
    off: Spread

    @property
    def z(self) -> float:
        """How many standard errors the expectation lies higher where he bet; no exact chance."""
        error = self.on.error + self.off.error
        if not math.isfinite(error) or error <= 0:
            return 0.0
        return (self.on.mean - self.off.mean) / math.sqrt(error)


class Payments(Struct):
    """Bets of a patron that a dealer settled, those wrongly in his favour, and the money."""

    dealer: str
    patron: str
    bets: int = 0
    favours: int = 0
    amount: int = 0


class WinRate(Struct):
    """What a patron won of main bets, against what was to be expected, in minor units.

    ``variance`` is the sum of the exact variances of his bets, given the cards unseen.
    """

    patron: str
    won: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    @property
    def z(self) -> float:
        """Deviations above the expected win."""
        return (self.won - self.expected) / math.sqrt(self.variance) if self.variance else 0.0


MAIN = ("player", "banker")


def side_bets_of(shoe: Shoe, coups: Iterable[Sight]) -> list[SideBets]:
    """Set the side bets of a shoe's patrons against the expectation at each coup."""
    if shoe.pack is None:
        return []
    seen = [
        coup for coup in coups if coup.looks and not coup.lacking and sum(coup.unseen) >= COUP_CARDS
    ]
    wagers = {
        wager
        for coup in seen
        for stakes in coup.stakes.values()
        for wager in stakes
        if wager not in MAIN
    }
    found: dict[tuple[str, str], SideBets] = {}
    for wager in sorted(wagers):
        valuer = valuer_for(shoe.pack_text, wager)
        if valuer is None:
            continue
        bettors = {patron for coup in seen for patron, on in coup.stakes.items() if on.get(wager)}
        for coup in seen:
            worth = valuer.expectation(coup.unseen)
            for patron in bettors.intersection(coup.patrons):
                key = (patron, wager)
                bets = found.setdefault(key, SideBets(*key, Spread(), Spread()))
                on = bool(coup.stakes.get(patron, {}).get(wager))
                (bets.on if on else bets.off).take(worth)
    return list(found.values())


# -- Payments -----------------------------------------------------------------------------------


def favours_of(shoe: Shoe, coup: Sight) -> list[tuple[str, int]]:
    """List each settled bet's patron, and what it brought him beyond its due, in minor units.

    Due on the cards dealt, by the shoe's pack; bets that the record does not settle, or whose
    due it cannot tell, are left out.
    """
    if shoe.pack is None or coup.voided:
        return []
    record = shoe.coups.get(coup.number)
    if record is None or not record.player or not record.banker:
        return []
    cashier = cashier_for(shoe.pack_text)
    result = result_of(record.player, record.banker)
    found = []
    for bet in record.bets.values():
        due = cashier.due(bet.wager, result, bet.amount)
        if bet.settled and not bet.withdrawn and due is not None:
            found.append((bet.patron, bet.net - due.net))
    return found


def clustering(pairs: Iterable[Payments]) -> list[tuple[Payments, float]]:
    """Rate each pair: the chance of so many favours among its bets, were all bets alike.

    The hypergeometric tail given all favours and all bets. Bets are not alike (amounts, side
    bets, dealers' skill), so it is a model and no level rests on it.
    """
    known = list(pairs)
    bets, favours = sum(p.bets for p in known), sum(p.favours for p in known)
    rated = [
        (pair, _tail(pair.favours, pair.bets, favours, bets)) for pair in known if pair.favours
    ]
    return sorted(rated, key=lambda entry: entry[1])


def _tail(hits: int, drawn: int, good: int, every: int) -> float:
    """The hypergeometric tail in floats, by logarithms of factorials."""

    def log_comb(n: int, k: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    whole = log_comb(every, drawn)
    return min(
        1.0,
        sum(
            math.exp(log_comb(good, many) + log_comb(every - good, drawn - many) - whole)
            for many in range(hits, min(good, drawn) + 1)
            if drawn - many <= every - good
        ),
    )
