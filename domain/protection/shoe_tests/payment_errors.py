"""Payment errors that cluster on a dealer and a patron.

Only errors in the patron's favour count. Overpaid winners and uncollected losers are errors, which
the audit reports one by one. This test asks whether a dealer's errors concentrate on one patron.
Null hypothesis, coup by coup: given the number of a dealer's errors in a coup on bets of a kind
(wager and outcome), every choice of the bets affected is equally likely, whatever happened before.
Patrons who come, leave or bet because of earlier errors do so before the coup, so this does not
matter. A patron's number of errors H is then a sum of hypergeometric numbers, one for each kind.
For any number w (the odds), w^H divided by its mean has mean exactly 1. So the product over coups
is a test martingale, and so is the average over several w. It ever reaches 1/p with probability at
most p (Ville).

Kinds are separate because a tie bet is paid wrongly more easily than a side, and a winner
differently from a loser. A coup with a wrong call is excluded, since all its errors are one error.
The p-value concerns the distribution of a dealer's errors, not the cards, and needs bets of other
patrons in the same coup for comparison.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import comb
from typing import Final

from msgspec import Struct, field

from sabot.domain.protection.observation.observed_coup import CoupObservation
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.rules.payouts import cashier_for
from sabot.domain.state.shoe import Shoe

ODDS: Final = (3, 12, 48)
"""Odds ratios of an error on an accomplice's bet against another bet of its kind."""
EVENTS = 20
"""Maximum number of log indexes kept for each pair, or shoe."""


class Payments(Struct):
    """A patron's settled bets of one kind.

    ``favours`` counts those settled wrongly in the patron's favour.
    """

    bets: int = 0
    favours: int = 0


Kind = tuple[str, str]
"""The wager and the outcome of the coup (P, B, T)."""


class Pair(Struct):
    """The settlements of one dealer for one patron.

    ``favours`` counts errors in the patron's favour. ``last`` is the shoe and coup of the last
    error. ``nth`` numbers the pairs that could be compared with others; it is 0 before that.
    ``log_e`` is the evidence at each of the odds and ``highest`` the maximum of their average so
    far, as natural logarithms.
    """

    bets: int = 0
    favours: int = 0
    events: list[int] = []
    last: tuple[str, int] | None = None
    nth: int = 0
    log_e: list[float] = field(default_factory=lambda: [0.0] * len(ODDS))
    highest: float = 0.0

    @property
    def chance(self) -> float:
        """The uncorrected p-value of this pair: the probability of ever reaching its maximum."""
        return math.exp(-self.highest)


Kinds = dict[Kind, Payments]
Pairs = dict[tuple[str, str], Pair]
"""Pairs by dealer and patron."""


def count_payments(pairs: Pairs, shoe: Shoe, coups: Iterable[CoupObservation]) -> int:
    """Process the settled bets of a shoe's coups, and return the number of bets."""
    found = 0
    for coup in coups:
        if coup.dealer is None:
            continue
        kinds: dict[tuple[str, str], Kinds] = {}
        for patron, kind, favour, event in favours_of(shoe, coup):
            found += 1
            pair = pairs.setdefault((coup.dealer, patron), Pair())
            count = kinds.setdefault((coup.dealer, patron), {}).setdefault(kind, Payments())
            count.bets += 1
            pair.bets += 1
            if favour > 0:
                count.favours += 1
                pair.favours += 1
                pair.last = shoe.name, coup.number
                pair.events = [*pair.events, event][-EVENTS:]
        rate_payments(pairs, kinds)
    return found


def favours_of(shoe: Shoe, coup: CoupObservation) -> list[tuple[str, Kind, int, int]]:
    """Return each settled bet with the amount paid too much.

    A row is patron, kind, payment beyond the amount due, last event. The amount due follows from
    the cards dealt and the shoe's pack. Bets without a recorded settlement, or whose amount due is
    unknown, are excluded, as are coups voided or called wrongly.
    """
    record = shoe.coups.get(coup.number)
    if shoe.pack is None or coup.voided or record is None:
        return []
    if not record.player or not record.banker:
        return []
    result = result_of(record.player, record.banker)
    if not _called_rightly(record.result_called, result):
        return []
    cashier = cashier_for(shoe.pack_text)
    found: list[tuple[str, Kind, int, int]] = []
    for bet in record.bets.values():
        due = cashier.due(bet.wager, result, bet.amount)
        if bet.settled and not bet.withdrawn and due is not None:
            kind: Kind = (bet.wager, result.outcome)
            found.append((bet.patron, kind, bet.net - due.net, bet.moves[-1].index))
    return found


def _called_rightly(called: object, result: Result) -> bool:
    """Return whether the outcome, if announced, agrees with the cards."""
    outcome = getattr(getattr(called, "payload", None), "outcome", None)
    return outcome is None or outcome == result.outcome


def rate_payments(pairs: Pairs, kinds: dict[tuple[str, str], Kinds]) -> None:
    """Update the evidence about dealers and patrons with the payments of a coup.

    A coup counts only if the dealer erred on a kind of bet that several patrons made.

    Args:
        pairs: changed in place.
        kinds: the settlements of the coup, by dealer and patron, and by kind.
    """
    of_dealer: dict[tuple[str, Kind], Payments] = {}
    for (dealer, _), own in kinds.items():
        for kind, mine in own.items():
            every = of_dealer.setdefault((dealer, kind), Payments())
            every.bets += mine.bets
            every.favours += mine.favours
    known = sum(pair.nth > 0 for pair in pairs.values())
    for key in sorted(kinds):
        draws, hits = [], 0
        for kind, mine in kinds[key].items():
            every = of_dealer[key[0], kind]
            if every.favours and every.bets > mine.bets:
                draws.append((mine.bets, every.favours, every.bets))
                hits += mine.favours
        if draws:
            pair = pairs[key]
            if not pair.nth:
                known += 1
                pair.nth = known
            learn_from_coup(pair, factors(hits, draws))


def learn_from_coup(pair: Pair, found: Sequence[Fraction]) -> None:
    """Multiply the evidence at each of the odds by its factor, and update the maximum."""
    pair.log_e = [log_e + math.log(factor) for log_e, factor in zip(pair.log_e, found, strict=True)]
    most = max(pair.log_e)
    average = sum(math.exp(log_e - most) for log_e in pair.log_e) / len(ODDS)
    pair.highest = max(pair.highest, most + math.log(average))


def factors(hits: int, draws: Iterable[tuple[int, int, int]]) -> list[Fraction]:
    """Return, for each of the odds, the factor for a number of hits.

    It is the odds to the power of the number, divided by the mean of that power.
    """
    shares = hit_count_chances(draws)
    return [
        odds**hits / sum(share * odds**many for many, share in enumerate(shares)) for odds in ODDS
    ]


def hit_count_chances(draws: Iterable[tuple[int, int, int]]) -> list[Fraction]:
    """Return the probabilities of 0, 1, 2 … hits over independent draws without replacement.

    Each draw is a triple: how many are drawn, how many are good, and how many there are.
    """
    shares = [Fraction(1)]
    for drawn, good, every in draws:
        ways = comb(every, drawn)
        one = [
            Fraction(comb(good, many) * comb(every - good, drawn - many), ways)
            for many in range(min(good, drawn) + 1)
        ]
        fresh = [Fraction(0)] * (len(shares) + len(one) - 1)
        for before, share in enumerate(shares):
            for many, chance in enumerate(one):
                fresh[before + many] += share * chance
        shares = fresh
    return shares
