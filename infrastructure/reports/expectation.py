"""Theoretical win: the exact mean and variance of the house's win on given stakes.

The odds are those of a full shoe (`sabot.domain.odds.coup_odds`), so the mean of a stake is its
house edge. The bets of one coup are settled by the same cards; their covariances are exact too.
Coups of a shoe are taken as independent, and rounding to the table's chips is left out. Both
effects are small. The result is a model of the period; it ignores which cards were left at each
coup.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache, lru_cache
from math import sqrt
from typing import Final

from msgspec import Struct, field

from sabot.domain.odds.coup_odds import Odds, full_decks, odds_of
from sabot.domain.procedure.patron_bank import open_bets
from sabot.domain.rules.coup_result import Result
from sabot.domain.rules.payouts import cashier_for
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.unknown_wager import unknown_wager
from sabot.domain.rules.wagers import Wager
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

GAME: Final = "punto-banco"
"""The game whose wagers have one expectation, because no hand has a choice."""
Z_95: Final = 1.959963984540054
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


class Theory:
    """The house's win on a unit of each wager of a rule pack: exact means and covariances."""

    def __init__(self, pack: RulePack, decks: int) -> None:
        """Count the results of a full shoe by what the house wins on each wager."""
        odds = _odds(decks)
        self._wagers = {wager.name: place for place, wager in enumerate(pack.wagers)}
        commission = Fraction(*pack.commission.ratio)
        ways: dict[tuple[Fraction, ...], int] = defaultdict(int)
        for result, many in odds.results.items():
            ways[tuple(_house_wins(wager, result, commission) for wager in pack.wagers)] += many
        self._ways, self._total = dict(ways), odds.total
        self.covariance = cache(self._covariance)
        self.edge = cache(self._edge)

    def offers(self, wager: str) -> bool:
        """Return whether the rule pack offers the wager."""
        return wager in self._wagers

    def _edge(self, wager: str) -> Fraction:
        """Return the house's mean win on a unit staked."""
        place = self._wagers[wager]
        return sum((wins[place] * n for wins, n in self._ways.items()), Fraction(0)) / self._total

    def _covariance(self, one: str, other: str) -> Fraction:
        """Return the covariance of the house's wins on a unit of two wagers in one coup."""
        first, second = self._wagers[one], self._wagers[other]
        product = sum(
            (wins[first] * wins[second] * n for wins, n in self._ways.items()), Fraction(0)
        )
        return product / self._total - self.edge(one) * self.edge(other)


def _house_wins(wager: Wager, result: Result, commission: Fraction) -> Fraction:
    line = wager.line_on(result)
    if isinstance(line, str):
        return Fraction(1)
    return -line.ratio * (1 - commission if wager.commission else 1)


@lru_cache(maxsize=8)
def _odds(decks: int) -> Odds:
    return odds_of(full_decks(decks))


@lru_cache(maxsize=64)
def _theory(pack_text: str, decks: int) -> Theory:
    return Theory(cashier_for(pack_text).pack, decks)


def theory_of(shoe: Shoe) -> Theory | None:
    """Return the expectations of a shoe's wagers. None if they have no single expectation."""
    if shoe.pack is None or shoe.pack.game != GAME or shoe.decks < 1:
        return None
    return _theory(shoe.pack_text, shoe.decks)


def _why_unvalued(shoe: Shoe, wager: str) -> str:
    """Return why a bet has no expectation."""
    if shoe.pack is None:
        return "the rule pack cannot be read"
    if shoe.pack.game != GAME:
        return "the hands may choose, so that the bets have no single expectation"
    if shoe.decks < 1:
        return "the number of decks is not on record"
    offered = frozenset(each.name for each in shoe.pack.wagers)
    return str(unknown_wager(wager, shoe.pack.name, offered))


class Exposure(Struct):
    """Stakes with a known expectation, and the house's win on them, in minor units.

    ``unvalued`` is the total staked on bets without an expectation, and ``reasons`` says why they
    have none.
    """

    coups: int = 0
    bets: int = 0
    handle: int = 0
    won: int = 0
    unvalued: int = 0
    reasons: set[str] = field(default_factory=set)
    _by_wager: dict[tuple[Theory, str], int] = field(default_factory=dict)
    _products: dict[tuple[Theory, str, str], int] = field(default_factory=dict)

    def add(
        self, shoe: Shoe, coup: Coup, *, patron: str | None = None, wager: str | None = None
    ) -> None:
        """Add a coup's settled bets, unless it is void.

        If a patron or a wager is given, only their bets are added.
        """
        theory, stakes = theory_of(shoe), dict[str, int]()
        for bet in [] if coup.voided is not None else open_bets(coup):
            if patron not in (None, bet.patron) or wager not in (None, bet.wager):
                continue
            if not bet.settled or bet.number in coup.refunded_bets:
                continue
            if theory is None or not theory.offers(bet.wager):
                self.unvalued += bet.amount
                self.reasons.add(_why_unvalued(shoe, bet.wager))
                continue
            stakes[bet.wager] = stakes.get(bet.wager, 0) + bet.amount
            self.bets += 1
            self.won -= bet.net
        if theory is None or not stakes:
            return
        self.coups += 1
        self.handle += sum(stakes.values())
        for one, amount in stakes.items():
            self._by_wager[theory, one] = self._by_wager.get((theory, one), 0) + amount
            for other, more in stakes.items():
                key = (theory, one, other)
                self._products[key] = self._products.get(key, 0) + amount * more

    @property
    def expected(self) -> Fraction:
        """The house's mean win, exact, in minor units."""
        return sum(
            (theory.edge(wager) * n for (theory, wager), n in self._by_wager.items()), Fraction(0)
        )

    @property
    def variance(self) -> Fraction:
        """The exact variance of the house's win."""
        return sum(
            (theory.covariance(one, two) * n for (theory, one, two), n in self._products.items()),
            Fraction(0),
        )

    @property
    def deviation(self) -> float:
        """The standard deviation of the house's win, in minor units."""
        return sqrt(self.variance)

    @property
    def z(self) -> float | None:
        """By how many standard deviations the win exceeds its mean. None without stakes."""
        deviation = self.deviation
        return float(self.won - self.expected) / deviation if deviation else None

    @property
    def outside(self) -> bool:
        """Whether the win is outside the range that contains 95 % of the wins of honest play."""
        z = self.z
        return z is not None and abs(z) > Z_95
