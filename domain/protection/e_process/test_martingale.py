"""The evidence about a bettor over coups, shoes and days.

It is the sum of three accounts. The first uses what was learned from the whole past of the bettor.
The second starts anew with each shoe, for a scheme that is used only now and then. The third is a
reserve that puts a fifth into each new shoe. Their sum is a test martingale: it starts at 1 and,
under the null hypothesis that the bettor knows nothing, has mean 1 after every coup. By Ville's
inequality it ever reaches 1/alpha with probability at most alpha. The state is plain data that can
be stored as a projection and resumed.
"""

import math
from fractions import Fraction
from typing import Final

from msgspec import Struct, field

from sabot.domain.protection.e_process.bet_signals import Custom, Stake, signals_of, stake_of
from sabot.domain.protection.e_process.coup_evidence import Evidence
from sabot.domain.protection.e_process.mixture import Mixture, Test, heaviest_test, start_mixture
from sabot.domain.protection.e_process.predictors import Number, unit_of

LONG: Final = Fraction(4, 5)
AWAKE: Final = Fraction(1, 5)
RECENT: Final = 4
"""Number of recent shoes remembered: the tables that one bettor may play at once."""


class Moment(Struct, frozen=True):
    """A coup of a shoe, with the natural logarithm of the evidence after it."""

    shoe: str
    coup: int
    log_e: float


class Sides(Struct):
    """Coups with a bet on one side only, counted by side and class of the first card.

    ``high`` are cards from 6 to 9, which favour Player; all others favour Banker.
    """

    high: int = 0
    player_before_high: int = 0
    low: int = 0
    banker_before_low: int = 0

    def add(self, side: int, value: int) -> None:
        """Add a coup with a bet on Player (side 0) or Banker (side 1)."""
        if value in HIGH:
            self.high += 1
            self.player_before_high += side == 0
        else:
            self.low += 1
            self.banker_before_low += side == 1


HIGH: Final = range(6, 10)
"""The values of first cards that favour Player."""


class Tally(Struct):
    """The course of the evidence over the coups.

    It has the current logarithm, the maximum and the first alarm. ``coups`` counts the coups
    tested. ``strongest`` are the events (a first card, or a late change) of the coups with the
    largest factors, with the logarithms of these. ``imported`` counts the coups of imported
    records. ``sides`` counts the coups with a bet on one side by that side and the first card.
    """

    log_e: float = 0.0
    coups: int = 0
    alarm: Moment | None = None
    highest: Moment | None = None
    last: Moment | None = None
    strongest: list[tuple[float, str, int, int]] = []
    imported: int = 0
    sides: Sides = field(default_factory=Sides)

    def take(
        self, factor: float, evidence: Evidence, shoe: str, threshold: float, event: int | None
    ) -> None:
        """Multiply the evidence by the factor of a coup.

        Args:
            factor: the factor of the coup.
            evidence: the cards and chances of the coup.
            shoe: the name of the shoe.
            threshold: the logarithm of 1/alpha.
            event: log index of the event with the evidence, if it is a single one.
        """
        gained = math.log(factor)
        self.log_e += gained
        self.coups += 1
        number = evidence.coup.number
        now = self.last = Moment(shoe, number, self.log_e)
        if self.highest is None or self.log_e > self.highest.log_e:
            self.highest = now
        if self.alarm is None and self.log_e >= threshold:
            self.alarm = now
        if gained > 0 and event is not None:
            self._keep((gained, shoe, number, event))

    def _keep(self, entry: tuple[float, str, int, int]) -> None:
        if len(self.strongest) < STRONGEST:
            self.strongest = sorted([*self.strongest, entry], reverse=True)
        elif entry > self.strongest[-1]:
            self.strongest = sorted([*self.strongest[:-1], entry], reverse=True)


STRONGEST: Final = 12


class Bettor(Struct):
    """A patron, or several patrons tested as one bettor.

    ``shares`` are those of the account over the whole past, of the reserve, and of the account that
    began with this shoe (``fresh``; identical with ``long`` in the first shoe). ``shoes`` are the
    shoes begun last. ``joined`` is whether the bettor gave a signal before the first face of the
    last coup.
    """

    patrons: tuple[str, ...]
    long: Mixture
    shares: list[float]
    fresh: Mixture | None = None
    custom: Custom = field(default_factory=Custom)
    tally: Tally = field(default_factory=Tally)
    shoes: list[str] = []
    joined: bool = False

    @property
    def test(self) -> Test:
        """The test that holds most of the evidence."""
        if self.fresh is not None and self.shares[2] > self.shares[0]:
            return heaviest_test(self.fresh)
        return heaviest_test(self.long)


def start_bettor(number: Number, *patrons: str) -> Bettor:
    """Return a bettor without history."""
    rest = 1 - LONG
    shares = [number(LONG), number(rest * (1 - AWAKE)), number(rest * AWAKE)]
    return Bettor(patrons, start_mixture(number), shares)


def enter_shoe(number: Number, bettor: Bettor, shoe: str) -> None:
    """Begin another shoe, and move a part of the reserve into the test of this shoe alone."""
    if bettor.shoes:
        slept = bettor.shares[1] + bettor.shares[2]
        bettor.shares[1:] = [number(1 - AWAKE) * slept, number(AWAKE) * slept]
        bettor.fresh = start_mixture(number)
        bettor.long.refresh(number)
        bettor.custom.fade()
    bettor.shoes = [*bettor.shoes, shoe][-RECENT:]


def sit_down(number: Number, bettor: Bettor, shoe: str) -> None:
    """Begin a shoe, unless the bettor plays at it already.

    A bettor may play at two tables at once.
    """
    if shoe not in bettor.shoes:
        enter_shoe(number, bettor, shoe)


def bet_coup(number: Number, bettor: Bettor, evidence: Evidence) -> float:
    """Return the factor by which a coup multiplies the evidence, and learn from the coup.

    Under the null hypothesis its mean, given everything seen before the coup, is 1. It is at most 1
    if the record lacks something.
    """
    signals = signals_of(evidence, bettor.patrons, bettor.custom)
    stake = stake_of(evidence.coup.stakes, bettor.patrons)
    bettor.custom.take(stake)
    bettor.joined = signals.before
    # after seeing a card face up in the shoe, giving no signal may be due to that card
    least = evidence.least(bettor.patrons)
    if signals.none and not evidence.boxed and not least:
        return unit_of(number)
    doubt = evidence.coup.in_doubt(bettor.patrons)
    old = bettor.long.bet(number, evidence, signals, doubt=doubt, least=least)
    new = old
    if bettor.fresh is not None:
        new = bettor.fresh.bet(number, evidence, signals, doubt=doubt, least=least)
    parts = [bettor.shares[0] * old, bettor.shares[1], bettor.shares[2] * new]
    total = sum(parts)
    bettor.shares = [part / total for part in parts]
    # rounding must not lift a capped coup above 1
    return min(total, unit_of(number)) if doubt or least else total


def main_stakes(evidence: Evidence, bettor: Bettor) -> Stake:
    """Return a bettor's stakes on the main wagers before a coup's cards."""
    return stake_of(evidence.coup.stakes, bettor.patrons)
