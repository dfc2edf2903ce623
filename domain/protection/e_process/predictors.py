"""Bets on a card, made from the past alone.

A learner has watched what a bettor signalled (a side, a stake up or down) before each face, and
which face came. From that it says how likely this signal is before each value of the next card,
m(v). Under the null the card knows nothing of the signal: it is uniform on the cards unseen, so

    factor = m(V) / sum over v of p(v) m(v)

has mean exactly 1 whatever m is, as long as m rests on the past and on the signal. It is the
predictive likelihood ratio of a Bayesian who believes that signals come from the cards, against
the null; being Bayesian it learns the class and the accuracy as it goes, and its evidence stays
within the logarithm of the prior weight of what a test that knew the scheme would have
(docs/protection.md).

The arithmetic is generic: with the weights as `fractions.Fraction` every factor is an exact
rational number, and the tests enumerate small shoes with this very code.

A bet that from some coup of the shoe on the outcomes are known.

Whoever films the cards as the cut card goes through them knows nothing until that stretch of the
shoe is dealt, and then nearly every outcome ("cutters": a lull and then a streak). The change
point is unknown, so all of them are bet on at once: before each coup a twentieth of what still
waits joins the bets on a streak, which believe in fixed accuracies.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import mul
from typing import Final

from msgspec import Struct

Number = Callable[[Fraction], float]
"""Makes the numbers to reckon with: `float`, or `Fraction` itself where they must be exact."""

VALUES = 10
ACCURACIES = tuple(Fraction(right, 128) for right in (127, 118, 104, 84))
"""How often a class that may be any set of values is believed to be read right."""
SMALL = 2.0**-500
"""Weights that have come down to this are brought back to a sum of 1."""


def normaliser(counts: Sequence[int], likelihoods: Sequence[float], lacking: int = 0) -> float:
    """Return the sum of n(v) m(v) over the cards left, the worst case where some may be gone.

    ``lacking`` cards may have been seen by the bettor though the record does not name them.
    They lower the mean the least where they are those with the least likelihood; dividing by
    the sum without them, per card left, keeps the mean at most 1 whichever they were.
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
    """Return m(V) over the mean of m, for the card drawn.

    With nothing lacking the mean over the cards unseen is exactly 1. A mean of nothing, or more
    lacking than there are cards, makes no bet: 1.
    """
    cards = sum(counts) - lacking
    mean = normaliser(counts, likelihoods, lacking)
    if cards < 1 or mean <= 0:
        return 1
    return likelihoods[drawn] * cards / mean


def odds_between(likelihoods: Sequence[float]) -> float:
    """Return the least of m over the greatest: no factor lies below, a mean is never above."""
    return min(likelihoods) / max(likelihoods)


def _hit_rate(number: float, hits: int, seen: int) -> float:
    """The share of hits that a Beta(2, 1/2) believer expects next, times a number.

    The prior leans to accuracy: a scheme that is mostly wrong is not worth the risk.
    """
    return number * (2 * hits + 4) / (2 * seen + 5)


class Threshold(Struct):
    """Believes in a class "v or higher" of point values, with some accuracy; learns which.

    ``weights`` are of the classes from 1 or higher to 9 or higher (index 0 is unused);
    ``hits`` counts where signal and card agreed. "1 or higher" is "neither a ten nor a face".
    """

    prior: list[float]
    weights: list[float]
    hits: list[int]
    seen: int = 0

    def likelihoods(self, *, up: bool) -> list[float]:
        """Return, by value of the card, how likely the signal is (up: the class is coming)."""
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
        """Take in which card followed the signal."""
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
        """Between shoes, let every class keep a little weight: a scheme may change."""
        self.weights = [
            (49 * weight + prior) / 50
            for weight, prior in zip(self.weights, self.prior, strict=True)
        ]


class AnyClass(Struct):
    """Believes in any set of values, each in or out with even chances, with one of some accuracies.

    It is the mixture over all 1024 classes at once: given the accuracy the values are
    independent, so that each keeps by itself how likely it is in the class. ``weights`` are of
    the accuracies, in proportion; ``ins`` by accuracy and value.
    """

    accuracies: list[float]
    weights: list[float]
    ins: list[list[float]]

    def likelihoods(self, *, up: bool) -> list[float]:
        """Return, by value of the card, how likely the signal is, in proportion."""
        # what is inside shows up where it is read right, what is outside where it is not
        told = [right if up else 1 - right for right in self.accuracies]
        outside = sum(w * (1 - t) for w, t in zip(self.weights, told, strict=True))
        pulls = [w * (2 * t - 1) for w, t in zip(self.weights, told, strict=True)]
        return [outside + sum(map(mul, pulls, column)) for column in zip(*self.ins, strict=True)]

    def learn(self, drawn: int, *, up: bool) -> None:
        """Take in which card followed the signal."""
        fresh = []
        for right, weight, ins in zip(self.accuracies, self.weights, self.ins, strict=True):
            told = right if up else 1 - right
            inside = ins[drawn] * told
            likely = inside + (1 - ins[drawn]) * (1 - told)
            ins[drawn] = inside / likely
            fresh.append(weight * likely)
        whole = sum(fresh)
        self.weights = [weight / whole for weight in fresh] if whole < SMALL else fresh


class CardPredictor(Struct):
    """Bets on the value of a card: shares of wealth on `Threshold` and on `AnyClass`."""

    threshold: Threshold
    any_class: AnyClass
    shares: list[float]

    def bet(self, counts: Sequence[int], drawn: int, lacking: int, *, up: bool) -> float:
        """Return the factor of this card, and learn from it."""
        one, other = self._parts(counts, drawn, lacking, up=up)
        both = one + other
        self.shares = [one / both, other / both]
        self.threshold.learn(drawn, up=up)
        self.any_class.learn(drawn, up=up)
        return both

    def least(self, counts: Sequence[int], drawn: int, lacking: int) -> float:
        """Return the least that the factor of this card can be, whatever the signal; learn not."""
        return min(1, *(sum(self._parts(counts, drawn, lacking, up=up)) for up in (True, False)))

    def worst(self, counts: Sequence[int], lacking: int) -> float:
        """Return the least that the factor of any card can be, whatever the signal."""
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
    """Bets on which of two sides comes, a signal being right with some accuracy."""

    hits: int = 0
    seen: int = 0

    def bet(
        self, number: Number, worlds: Sequence[Sequence[int]], signal: int, came: int | None
    ) -> float:
        """Return the factor of this coup, and learn.

        Args:
            number: the arithmetic.
            worlds: how often each side comes (first two counts), for each way in which the cards
                unseen may be; the factor has a mean of at most 1 in every one of them.
            signal: the side that the bettor signalled, 0 or 1.
            came: the side that came, 2 where neither did (no bet), None where it cannot be
                known any more, so that the least that the factor could have been is taken.
        """
        unit = number(Fraction(1))
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
        """Return what no factor lies below, whatever is signalled, whatever comes."""
        right = _hit_rate(number(Fraction(1)), self.hits, self.seen)
        return odds_between([right, 1 - right])


class RareOutcomePredictor(Struct):
    """Bets on whether a rare outcome comes, where a stake on it went up or down.

    ``counts`` are ups and downs before the outcome, and before any other.
    """

    counts: list[int]

    def bet(
        self, number: Number, worlds: Sequence[Sequence[int]], *, up: bool, came: bool | None
    ) -> float:
        """Return the factor of this coup, and learn; worlds count the outcome and all others."""
        unit = number(Fraction(1))
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
        """Return what no factor lies below, whatever is signalled, whatever comes."""
        unit = number(Fraction(1))
        return min(odds_between(self._likely(unit, up=up)) for up in (True, False))

    def _likely(self, unit: float, *, up: bool) -> list[float]:
        """How likely the signal is before the outcome, and before any other."""
        ups, downs, other_ups, other_downs = self.counts
        before = unit * (ups + 1) / (ups + downs + 2)
        # a stake on it is rare before other outcomes: Beta(1/2, 9/2)
        idle = unit * (2 * other_ups + 1) / (2 * (other_ups + other_downs) + 10)
        return [before, idle] if up else [unit - before, unit - idle]


def card_predictor(
    number: Number, classes: Sequence[Fraction], in_order: Fraction
) -> CardPredictor:
    """Return a reader that has seen nothing.

    Args:
        number: the arithmetic.
        classes: prior weights of the classes 1 or higher … 9 or higher; they come to 1.
        in_order: prior share of such classes; the rest is on any class at all.
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
    """What waits, and what bets on each accuracy; together 1.

    ``wakes`` is the share that joins before each coup, ``rights`` are the accuracies.
    """

    waits: float
    bets: list[float]
    wakes: float
    rights: list[float]

    def bet(
        self, number: Number, worlds: Sequence[Sequence[int]], signal: int, came: int | None
    ) -> float:
        """Return the factor of this coup; arguments as of `learner.SideReader`."""
        unit = number(Fraction(1))
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
        """Take the least that the factor of this coup can be, whatever is signalled and comes."""
        waits, awake = self._woken()
        won = [
            held * odds_between([right, 1 - right])
            for held, right in zip(awake, self.rights, strict=True)
        ]
        return self._share_out(waits, won)

    def _woken(self) -> tuple[float, list[float]]:
        """Let a part of what waits join the bets; return what waits still, and what is bet."""
        woken = self.waits * self.wakes
        return self.waits - woken, [held + woken / len(self.bets) for held in self.bets]

    def _share_out(self, waits: float, won: list[float]) -> float:
        total = waits + sum(won)
        self.waits = waits / total
        self.bets = [each / total for each in won]
        return total


def streak_predictor(number: Number) -> StreakPredictor:
    """Return a reader at the beginning of a shoe."""
    rights = [number(right) for right in STREAK_ACCURACIES]
    return StreakPredictor(
        number(Fraction(1)), [number(Fraction(0))] * len(rights), number(WAKES), rights
    )
