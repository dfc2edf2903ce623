"""Combine several tests of one bettor into one factor for each coup.

Each test is an account that holds a share of the bettor's evidence. Three accounts test the first
card: by the side, by the side of large bets, and by the stake. Others test the outcome, the tie,
and the second to fourth card, which were also hidden when the bets were made. If the first four
cards were dealt face down before the bets closed, one account tests which side leads after two
cards each. One tests the outcome against a late change. One tests the outcome from an unknown coup
of the shoe on, for cheats who filmed the cards behind the cut. Accounts that test the same card are
averaged, never multiplied.
"""

from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.protection.e_process.bet_signals import Signals
from sabot.domain.protection.e_process.coup_evidence import TIE, Evidence
from sabot.domain.protection.e_process.predictors import (
    CardPredictor,
    Number,
    RareOutcomePredictor,
    SidePredictor,
    StreakPredictor,
    card_predictor,
    streak_predictor,
    unit_of,
)
from sabot.domain.protection.observation.observed_coup import Look

Test = Literal["next-card", "whole-coup", "first-four", "late-change"]

# Name of each account, the test that it belongs to, and its prior share in percent.
ACCOUNTS: Final[tuple[tuple[str, Test, int], ...]] = (
    ("side", "next-card", 45),
    ("bold", "next-card", 27),
    ("size", "next-card", 8),
    ("outcome", "whole-coup", 5),
    ("tie", "whole-coup", 3),
    ("lead", "first-four", 3),
    ("second", "next-card", 1),
    ("third", "next-card", 1),
    ("fourth", "next-card", 1),
    ("change", "late-change", 3),
    ("streak", "whole-coup", 3),
)

# Prior weights of the classes "1 or higher" to "9 or higher" in percent: proportional to the
# square of the gain from knowing the class of the first card, since cheats prefer profitable
# classes (`sabot.domain.protection.money.information_value`; a test compares them).
CLASSES: Final = (5, 7, 10, 13, 16, 18, 16, 11, 4)
_OF_CARDS: Final = (0, 1, 2, 6, 7, 8)
"""The accounts that bet on a single card, in the order of their predictors."""
_IN_ORDER: Final = {"side": 80, "bold": 80, "size": 50}


class Mixture(Struct):
    """The accounts of a bettor, with their learned values. Their shares sum to 1."""

    cards: list[CardPredictor]
    outcome: SidePredictor
    tie: RareOutcomePredictor
    lead: SidePredictor
    change: SidePredictor
    streak: StreakPredictor
    shares: list[float]

    def bet(
        self,
        number: Number,
        evidence: Evidence,
        signals: Signals,
        *,
        doubt: bool = False,
        least: bool = False,
    ) -> float:
        """Return the factor by which a coup multiplies the evidence, and learn from the coup.

        Its mean under the null hypothesis is 1. If there is ``doubt`` about the record, only
        evidence in the bettor's favour counts. With ``least``, each account counts its smallest
        factor over all possible signals.
        """
        factors = self._factors(number, evidence, signals, least=least)
        if doubt:
            factors = [min(factor, unit_of(number)) for factor in factors]
        shares = [share * factor for share, factor in zip(self.shares, factors, strict=True)]
        total = sum(shares)
        self.shares = [share / total for share in shares]
        return total

    def _factors(
        self, number: Number, evidence: Evidence, signals: Signals, *, least: bool
    ) -> list[float]:
        unit = unit_of(number)
        factors = [unit] * len(ACCOUNTS)
        self._bet_cards(unit, evidence, signals, factors, least=least)
        if evidence.boxed or least:
            self._take_least(number, evidence, factors)
            return factors
        if evidence.outcome:
            self._bet_outcomes(number, evidence, signals, factors)
        if evidence.lead and signals.side is not None:
            factors[5] = self.lead.bet(number, evidence.lead, signals.side, evidence.led)
        if signals.change is not None:
            side, chances = signals.change
            factors[9] = self.change.least(number)
            if chances:
                factors[9] = self.change.bet(number, chances, side, evidence.came)
        return factors

    def _bet_cards(
        self,
        unit: float,
        evidence: Evidence,
        signals: Signals,
        factors: list[float],
        *,
        least: bool,
    ) -> None:
        coup, first = evidence.coup, evidence.first
        if coup.cut:
            for account, reader in zip(_OF_CARDS, self.cards, strict=True):
                factors[account] = reader.worst(coup.unseen, coup.lacking)
            return
        if first is not None:
            for account, up in enumerate(_ups(signals)):
                factors[account] = self._read(unit, account, first, up, least=least)
        for look in evidence.others:
            factors[look.place + 4] = self._read(
                unit, look.place + 1, look, signals.of(look), least=least
            )

    def _take_least(self, number: Number, evidence: Evidence, factors: list[float]) -> None:
        """Use the smallest possible factor for the accounts that depend on the whole coup.

        This applies if, for example, a card was face up in the shoe. A person who saw the card may
        have bet or not bet because of it. The factor never exceeds that of any signal given with
        the card face down.
        """
        if evidence.outcome:
            factors[3], factors[4] = self.outcome.least(number), self.tie.least(number)
            factors[10] = self.streak.least()
        if any(look.early for look in evidence.coup.looks):
            factors[5] = self.lead.least(number)
        factors[9] = self.change.least(number)

    def _bet_outcomes(
        self, number: Number, evidence: Evidence, signals: Signals, factors: list[float]
    ) -> None:
        worlds, came = evidence.outcome, evidence.came
        if signals.side is not None:
            factors[3] = self.outcome.bet(number, worlds, signals.side, came)
            factors[10] = self.streak.bet(number, worlds, signals.side, came)
        if signals.tie is not None:
            rare = [[world[TIE], world[0] + world[1]] for world in worlds]
            tied = None if came is None else came == TIE
            factors[4] = self.tie.bet(number, rare, up=signals.tie, came=tied)

    def _read(self, unit: float, reader: int, look: Look, up: bool | None, *, least: bool) -> float:
        if look.plain or least:
            return self.cards[reader].least(look.unseen, look.value, look.lacking)
        if up is None:
            return unit
        return self.cards[reader].bet(look.unseen, look.value, look.lacking, up=up)

    def refresh(self, number: Number) -> None:
        """Restore a small weight to every account and class, between shoes."""
        self.streak = streak_predictor(number)
        for reader in self.cards:
            reader.threshold.refresh()
        self.shares = [
            (49 * share + number(Fraction(percent, 100))) / 50
            for share, (_, _, percent) in zip(self.shares, ACCOUNTS, strict=True)
        ]


def _ups(signals: Signals) -> tuple[bool | None, bool | None, bool | None]:
    """Return for three signals whether they announce a high first card.

    The signals are the side, the side of a large bet, and the stake. A high first card favours
    Player.
    """
    return (
        None if signals.side is None else signals.side == 0,
        None if signals.bold is None else signals.bold == 0,
        signals.size,
    )


def start_mixture(number: Number) -> Mixture:
    """Return the accounts of a bettor at the beginning."""
    classes = [Fraction(percent, 100) for percent in CLASSES]
    names = ("side", "bold", "size", "second", "third", "fourth")
    return Mixture(
        [card_predictor(number, classes, Fraction(_IN_ORDER.get(name, 80), 100)) for name in names],
        SidePredictor(),
        RareOutcomePredictor([0, 0, 0, 0]),
        SidePredictor(),
        SidePredictor(),
        streak_predictor(number),
        [number(Fraction(percent, 100)) for _, _, percent in ACCOUNTS],
    )


def heaviest_test(mixture: Mixture) -> Test:
    """Return the test that holds most of the evidence."""
    held: dict[Test, float] = {}
    for share, (_, test, _) in zip(mixture.shares, ACCOUNTS, strict=True):
        held[test] = held.get(test, 0) + share
    return max(held, key=lambda test: held[test])
