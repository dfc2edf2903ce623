"""Predict a card or an outcome from a bettor's signals, and return factors of evidence.

A predictor has observed a bettor's signals (a side, a stake up or down) before each face, and the
face that came. From these it derives the likelihood m(v) of the current signal before each value v
of the next card. Under the null hypothesis the card is independent of the signal: it is uniform on
the unseen cards. So

    factor = m(V) / sum over v of p(v) m(v)

has mean exactly 1 for any m that depends only on the past and the signal. The evidence is
multiplied by this factor. It is the likelihood ratio of a Bayesian alternative, in which the
signals depend on the cards, against the null hypothesis. The predictor learns from coup to coup on
which cards the signals depend, and how accurate they are. It loses at most the logarithm of a prior
weight against a test that knew this from the start (docs/protection.md).

The arithmetic is generic: with `fractions.Fraction` weights every factor is an exact rational
number, and the tests enumerate small shoes with this code.

`StreakPredictor` assumes that the outcomes are known from some coup of the shoe onwards. A cheat
who films the cards during the cut knows nothing until that part of the shoe is dealt, and then
nearly every outcome ("cutters": a lull and then a streak). The coup of the change is unknown. So
before each coup a twentieth of the waiting share moves to the predictors of a streak, which assume
fixed accuracies.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from operator import mul
from typing import Final

from msgspec import Struct

Number = Callable[[Fraction], float]
"""Number type of the arithmetic: `float`, or `Fraction` for exact results."""


@cache
def unit_of(number: Number) -> float:
    """Return the number 1 of an arithmetic."""
    return number(Fraction(1))


VALUES = 10
ACCURACIES = tuple(Fraction(right, 128) for right in (127, 118, 104, 84))
"""Assumed accuracies for a class that may be any set of values."""
SMALL = 2.0**-500
"""Weights whose sum falls below this are normalised to 1."""


def normaliser(counts: Sequence[int], likelihoods: Sequence[float], lacking: int = 0) -> float:
    """Return the number by which likelihoods are divided so that the factor has mean 1.

    It is the sum of n(v) m(v) over the unseen cards. Up to ``lacking`` of these cards may have been
    seen by the bettor without being on record. The sum leaves out the ``lacking`` cards with the
    least likelihood, which is the worst case. So the mean of the factor is at most 1 in every case.
    """
    total: float = sum(map(mul, counts, likelihoods))
    gone = lacking
    for least, many in sorted(zip(likelihoods, counts, strict=True)) if gone else ():
        taken = min(gone, many)
        total -= taken * least
        gone -= taken
    return total


def factor(
    counts: Sequence[int], likelihoods: Sequence[float], drawn: int, lacking: int = 0
) -> float:
    """Return m(V) divided by the mean of m, for the card V that was drawn.

    If no card is lacking, the mean of the factor over the unseen cards is exactly 1. The factor is
    1 (no evidence) if the mean of m is 0, or if no more cards are left than may be lacking.
    """
    cards = sum(counts) - lacking
    mean = normaliser(counts, likelihoods, lacking)
    if cards < 1 or mean <= 0:
        return 1
    return likelihoods[drawn] * cards / mean


def odds_between(likelihoods: Sequence[float]) -> float:
    """Return the minimum of m divided by its maximum, a lower bound of every factor."""
    return min(likelihoods) / max(likelihoods)


def _hit_rate(number: float, hits: int, seen: int) -> float:
    """Return the expected next hit rate, multiplied by a number.

    The prior is Beta(2, 1/2). It favours high accuracies, since a scheme with low accuracy does not
    repay its risk.
    """
    return number * (2 * hits + 4) / (2 * seen + 5)


class Threshold(Struct):
    """A predictor for signals that announce a card of value v or higher.

    Both v and the accuracy are learned. ``weights`` are those of the classes from "1 or higher" to
    "9 or higher" (index 0 is unused). ``hits`` counts how often signal and card agreed. "1 or
    higher" means neither a ten nor a face.
    """

    prior: list[float]
    weights: list[float]
    hits: list[int]
    seen: int = 0

    def likelihoods(self, *, up: bool) -> list[float]:
        """Return the likelihood of the signal for each value of the card.

        ``up`` is True if the signal announces a card of the class.
        """
        found = [0 * self.weights[9]] * VALUES
        rise = found[0]
        base = rise
        steps = found.copy()
        for least in range(1, VALUES):
            weight = self.weights[least]
            right = _hit_rate(weight, self.hits[least], self.seen)
            base += weight - right if up else right
            steps[least] = 2 * right - weight
        for value in range(VALUES):
            rise += steps[value]
            found[value] = base + rise if up else base - rise
        return found

    def learn(self, drawn: int, *, up: bool) -> None:
        """Update the weights with the value of the card that followed a bet (the signal)."""
        fresh = self.weights.copy()
        for least in range(1, VALUES):
            right = _hit_rate(self.weights[least], self.hits[least], self.seen)
            hit = (drawn >= least) == up
            fresh[least] = right if hit else self.weights[least] - right
            self.hits[least] += hit
        self.seen += 1
        total = sum(fresh)
        self.weights = [weight / total for weight in fresh]

    def refresh(self) -> None:
        """Restore a small weight to every class between shoes, since a scheme may change."""
        self.weights = [
            (49 * weight + prior) / 50
            for weight, prior in zip(self.weights, self.prior, strict=True)
        ]


class AnyClass(Struct):
    """A predictor for signals that announce a card of any fixed set of values.

    Under the prior each value is in the set with probability 1/2, independently, and there are
    several accuracies. The predictor is the exact mixture over all 1024 sets. Given the accuracy
    the values stay independent, so each keeps a probability of its own. ``weights`` are those of
    the accuracies, up to a common factor; ``ins`` are the probabilities by accuracy and value.
    """

    accuracies: list[float]
    weights: list[float]
    ins: list[list[float]]

    def likelihoods(self, *, up: bool) -> list[float]:
        """Return the likelihood of the signal for each value of the card, up to a common factor."""
        # a card inside the class gives "up" if read rightly, one outside if read wrongly
        agreements = [right if up else 1 - right for right in self.accuracies]
        outside = sum(w * (1 - t) for w, t in zip(self.weights, agreements, strict=True))
        pulls = [w * (2 * t - 1) for w, t in zip(self.weights, agreements, strict=True)]
        return [outside + sum(map(mul, pulls, column)) for column in zip(*self.ins, strict=True)]

    def learn(self, drawn: int, *, up: bool) -> None:
        """Update the weights with the value of the card that followed a bet (the signal)."""
        fresh = []
        for right, weight, ins in zip(self.accuracies, self.weights, self.ins, strict=True):
            agreement = right if up else 1 - right
            inside = ins[drawn] * agreement
            likely = inside + (1 - ins[drawn]) * (1 - agreement)
            ins[drawn] = inside / likely
            fresh.append(weight * likely)
        whole = sum(fresh)
        self.weights = [weight / whole for weight in fresh] if whole < SMALL else fresh


class CardPredictor(Struct):
    """Predicts a card's value by a mixture of `Threshold` and `AnyClass`."""

    threshold: Threshold
    any_class: AnyClass
    shares: list[float]

    def bet(self, counts: Sequence[int], drawn: int, lacking: int, *, up: bool) -> float:
        """Return the factor by which a card multiplies the evidence, and learn from the card."""
        one, other = self._parts(counts, drawn, lacking, up=up)
        both = one + other
        self.shares = [one / both, other / both]
        self.threshold.learn(drawn, up=up)
        self.any_class.learn(drawn, up=up)
        return both

    def least(self, counts: Sequence[int], drawn: int, lacking: int) -> float:
        """Return the smallest factor for this card over all signals, without learning."""
        return min(1, *(sum(self._parts(counts, drawn, lacking, up=up)) for up in (True, False)))

    def worst(self, counts: Sequence[int], lacking: int) -> float:
        """Return the smallest factor over all cards and all signals."""
        cards = (value for value, many in enumerate(counts) if many)
        return min((self.least(counts, value, lacking) for value in cards), default=1)

    def _parts(
        self, counts: Sequence[int], drawn: int, lacking: int, *, up: bool
    ) -> tuple[float, float]:
        in_order = self.threshold.likelihoods(up=up)
        at_will = self.any_class.likelihoods(up=up)
        return (
            self.shares[0] * factor(counts, in_order, drawn, lacking),
            self.shares[1] * factor(counts, at_will, drawn, lacking),
        )


class SidePredictor(Struct):
    """Predicts one of two sides from a signal, whose accuracy it learns."""

    hits: int = 0
    seen: int = 0

    def bet(
        self, number: Number, worlds: Sequence[Sequence[int]], signal: int, came: int | None
    ) -> float:
        """Return the factor by which a coup multiplies the evidence, and learn from the coup.

        Args:
            number: the arithmetic.
            worlds: counts of each side (first two), for each possible composition of the unseen
                cards; the mean of the factor is at most 1 in each.
            signal: the side that the bettor signalled, 0 or 1.
            came: the side that won; 2 for neither (factor 1); None if unknown, in which case the
                smallest possible factor is used.
        """
        unit = unit_of(number)
        right = _hit_rate(unit, self.hits, self.seen)
        likely = [unit - right, unit - right]
        likely[signal] = right
        bets = [
            min((factor(world[:2], likely, side) for world in worlds), default=unit)
            for side in (0, 1)
        ]
        if came is None:
            return min(unit, *bets)
        if came > 1:
            return unit
        self.hits += signal == came
        self.seen += 1
        return bets[came]

    def least(self, number: Number) -> float:
        """Return a lower bound of the factor over all signals and outcomes."""
        right = _hit_rate(unit_of(number), self.hits, self.seen)
        return odds_between([right, 1 - right])


class RareOutcomePredictor(Struct):
    """A predictor of a rare outcome from stake changes.

    ``counts`` are the numbers of raised and lowered stakes before the outcome, then those before
    any other outcome.
    """

    counts: list[int]

    def bet(
        self, number: Number, worlds: Sequence[Sequence[int]], *, up: bool, came: bool | None
    ) -> float:
        """Return the factor of evidence of this coup, and learn from the coup.

        ``worlds`` are counts of the rare outcome and of all others, for each possible composition
        of the unseen cards.
        """
        unit = unit_of(number)
        likely = self._likely(unit, up=up)
        bets = [
            min((factor(world, likely, other) for world in worlds), default=unit)
            for other in (0, 1)
        ]
        if came is None:
            return min(unit, *bets)
        self.counts[(0 if came else 2) + (0 if up else 1)] += 1
        return bets[0 if came else 1]

    def least(self, number: Number) -> float:
        """Return a lower bound of the factor over all signals and outcomes."""
        unit = unit_of(number)
        return min(odds_between(self._likely(unit, up=up)) for up in (True, False))

    def _likely(self, unit: float, *, up: bool) -> list[float]:
        """Return the likelihood of the signal before the rare outcome, then before any other."""
        ups, downs, other_ups, other_downs = self.counts
        before = unit * (ups + 1) / (ups + downs + 2)
        # a raised stake is rare before other outcomes: Beta(1/2, 9/2)
        idle = unit * (2 * other_ups + 1) / (2 * (other_ups + other_downs) + 10)
        return [before, idle] if up else [unit - before, unit - idle]


def card_predictor(
    number: Number, classes: Sequence[Fraction], in_order: Fraction
) -> CardPredictor:
    """Return a predictor that has not learned anything yet.

    Args:
        number: the arithmetic.
        classes: prior weights of the classes 1 or higher … 9 or higher; their sum is 1.
        in_order: prior share of these classes; the rest is on arbitrary classes.
    """
    weights = [number(Fraction(0)), *(number(weight) for weight in classes)]
    half = number(Fraction(1, 2))
    return CardPredictor(
        Threshold(weights.copy(), weights, [0] * VALUES),
        AnyClass(
            [number(right) for right in ACCURACIES],
            [number(Fraction(1, len(ACCURACIES)))] * len(ACCURACIES),
            [[half] * VALUES for _ in ACCURACIES],
        ),
        [number(in_order), number(1 - in_order)],
    )


STREAK_ACCURACIES: Final = (Fraction(4, 5), Fraction(19, 20))
WAKES: Final = Fraction(1, 20)


class StreakPredictor(Struct):
    """A predictor for outcomes that are known from an unknown coup of the shoe on.

    It has a waiting share and a share for each accuracy; their sum is 1. ``wakes`` is the part of
    the waiting share that moves to the accuracies before each coup. ``rights`` are the accuracies.
    """

    waits: float
    bets: list[float]
    wakes: float
    rights: list[float]

    def bet(
        self, number: Number, worlds: Sequence[Sequence[int]], signal: int, came: int | None
    ) -> float:
        """Return the factor of evidence of this coup, with the arguments of `SidePredictor.bet`."""
        unit = unit_of(number)
        waits, awake = self._woken()
        won = []
        for held, right in zip(awake, self.rights, strict=True):
            likely = [unit - right] * 2
            likely[signal] = right
            factors = [
                min((factor(world[:2], likely, side) for world in worlds), default=unit)
                for side in (0, 1)
            ]
            if came is None:
                won.append(held * min(unit, *factors))
            else:
                won.append(held * (unit if came > 1 else factors[came]))
        return self._share_out(waits, won)

    def least(self) -> float:
        """Return a lower bound of the factor of this coup, and update the shares by it."""
        waits, awake = self._woken()
        won = [
            held * odds_between([right, 1 - right])
            for held, right in zip(awake, self.rights, strict=True)
        ]
        return self._share_out(waits, won)

    def _woken(self) -> tuple[float, list[float]]:
        """Return the shares after a part of the waiting share has moved."""
        woken = self.waits * self.wakes
        return self.waits - woken, [held + woken / len(self.bets) for held in self.bets]

    def _share_out(self, waits: float, won: list[float]) -> float:
        total = waits + sum(won)
        self.waits = waits / total
        self.bets = [each / total for each in won]
        return total


def streak_predictor(number: Number) -> StreakPredictor:
    """Return a predictor at the beginning of a shoe."""
    rights = [number(right) for right in STREAK_ACCURACIES]
    return StreakPredictor(
        unit_of(number), [number(Fraction(0))] * len(rights), number(WAKES), rights
    )
