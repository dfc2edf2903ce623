"""A bettor's evidence over coups, shoes and days.

Three accounts: one bets what it has learned from all his past; one starts anew with each shoe,
for a scheme that is at work only now and then; one lies idle, and stakes a fifth on each new
shoe. Their sum is a test martingale: it starts at 1 and, if the bettor knows nothing, has mean 1
after every coup, so that it ever reaches 1/alpha with a probability of at most alpha (Ville).
The state is plain data: it can be kept as a projection and taken up again.
"""

import math
from fractions import Fraction
from typing import Final

from msgspec import Struct, field

from sabot.domain.protection.e_process.bet_signals import Custom, Stake, signals_of, stake_of
from sabot.domain.protection.e_process.coup_evidence import Evidence
from sabot.domain.protection.e_process.mixture import Mixture, Test, heaviest_test, start_mixture
from sabot.domain.protection.e_process.predictors import Number

LONG: Final = Fraction(4, 5)
AWAKE: Final = Fraction(1, 5)
RECENT: Final = 4
"""At so many tables one can be at once; shoes before are not gone back to."""


class Moment(Struct, frozen=True):
    """A coup of a shoe, with the evidence (natural logarithm) that stood after it."""

    shoe: str
    coup: int
    log_e: float


class Tally(Struct):
    """Evidence as it grew: its logarithm now, at its highest, and where it first gave alarm.

    ``coups`` are those that could have said something. ``strongest`` are the events (a first
    card, or a late change) of the coups that said most, with the logarithm of their factors.
    """

    log_e: float = 0.0
    coups: int = 0
    alarm: Moment | None = None
    highest: Moment | None = None
    last: Moment | None = None
    strongest: list[tuple[float, str, int, int]] = []

    def take(
        self, factor: float, evidence: Evidence, shoe: str, threshold: float, event: int | None
    ) -> None:
        """Multiply the evidence by a coup's factor.

        Args:
            factor: of the coup.
            evidence: what the coup says.
            shoe: its name.
            threshold: the logarithm of 1/alpha.
            event: the place in the log of what said it, where one event did.
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
    """A patron, or patrons who are read as one: what was learned of him, and his evidence.

    ``shares`` are of the account over all his past, of the idle one, and of the one that began
    with this shoe (``fresh``; in his first shoe it is still the same as ``long``). ``shoes`` are
    the last that he began. ``joined`` tells whether he signalled anything in the last coup before
    its first face.
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
    """Return a bettor of whom nothing is known."""
    rest = 1 - LONG
    shares = [number(LONG), number(rest * (1 - AWAKE)), number(rest * AWAKE)]
    return Bettor(patrons, start_mixture(number), shares)


def enter_shoe(number: Number, bettor: Bettor, shoe: str) -> None:
    """Begin another shoe: the idle account stakes a part of what it has on it."""
    if bettor.shoes:
        slept = bettor.shares[1] + bettor.shares[2]
        bettor.shares[1:] = [number(1 - AWAKE) * slept, number(AWAKE) * slept]
        bettor.fresh = start_mixture(number)
        bettor.long.refresh(number)
        bettor.custom.fade()
    bettor.shoes = [*bettor.shoes, shoe][-RECENT:]


def sit_down(number: Number, bettor: Bettor, shoe: str) -> None:
    """Begin a shoe, unless he was at it lately: who plays at two tables begins neither anew."""
    if shoe not in bettor.shoes:
        enter_shoe(number, bettor, shoe)


def bet_coup(number: Number, bettor: Bettor, evidence: Evidence) -> float:
    """Return the factor of a coup for a bettor, and learn from it.

    Under the null its mean, given all that was seen before the coup, is 1 (at most 1 where the
    record lacks something).
    """
    signals = signals_of(evidence, bettor.patrons, bettor.custom)
    stake = stake_of(evidence.coup.stakes, bettor.patrons)
    bettor.custom.take(stake)
    bettor.joined = signals.before
    # who saw a card that lay face up in the shoe may have said nothing because of it
    least = evidence.least(bettor.patrons)
    if signals.none and not evidence.boxed and not least:
        return number(Fraction(1))
    doubt = evidence.coup.in_doubt(bettor.patrons)
    old = bettor.long.bet(number, evidence, signals, doubt=doubt, least=least)
    new = old
    if bettor.fresh is not None:
        new = bettor.fresh.bet(number, evidence, signals, doubt=doubt, least=least)
    parts = [bettor.shares[0] * old, bettor.shares[1], bettor.shares[2] * new]
    total = sum(parts)
    bettor.shares = [part / total for part in parts]
    return total


def main_stakes(evidence: Evidence, bettor: Bettor) -> Stake:
    """Return what a bettor has on the main wagers before a coup's cards."""
    return stake_of(evidence.coup.stakes, bettor.patrons)
