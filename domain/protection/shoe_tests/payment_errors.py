"""Wrong payments in a patron's favour that cluster on a dealer and a patron.

Overpaid winners and losers left on the felt are errors, which the audit reports one by one. Here
it is asked whether a dealer's errors fall on one patron. The null, coup by coup: given how many
errors a dealer made in a coup on bets of a kind (the wager, and how the coup ended), every choice
of the bets on which they fell is as likely, whatever happened before. Who comes, leaves, and bets
by earlier errors does so before the coup, and moves nothing. A patron's errors H are then a sum of
hypergeometric numbers, one for each kind. For any odds w, w^H over its mean has mean 1, exactly; so
the product over coups is a test martingale, and so is the average over some odds: it ever reaches
1/p with a probability of at most p (Ville). Kinds are kept apart because a tie bet is
paid wrongly more easily than a side, and a winner otherwise than a loser; a coup that was called
wrongly is left out, since its errors are one error.

The chance speaks of how a dealer's errors fall, not of the cards: it is a permutation under that
null, and needs another patron's bets in the same coup to hold against.
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
"""How much likelier an error is on a friend's bet than on another's of its kind."""
EVENTS = 20
"""How many places in the log are kept for each pair, or shoe, at most."""


class Payments(Struct):
    """A patron's settled bets of a kind: how many, and how many of them wrongly in his favour."""

    bets: int = 0
    favours: int = 0


Kind = tuple[str, str]
"""The wager, and how the coup ended (P, B, T)."""


class Pair(Struct):
    """What a dealer settled for a patron, and how many of that wrongly in his favour.

    ``last`` is the shoe and coup of the last error. ``nth`` is the pair's number among those that
    could be held against others, 0 until it could. ``log_e`` is the evidence at each of the odds,
    ``highest`` the most that their average ever came to; natural logarithms.
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
        """The chance that the evidence ever comes to as much, for this pair by itself."""
        return math.exp(-self.highest)


Kinds = dict[Kind, Payments]
Pairs = dict[tuple[str, str], Pair]
"""By dealer and patron."""


def count_payments(pairs: Pairs, shoe: Shoe, coups: Iterable[CoupObservation]) -> int:
    """Take in the bets that a shoe's coups settled; return how many."""
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
    """List each settled bet: patron, kind, what it brought him beyond its due, last event.

    Due on the cards dealt, by the shoe's pack; bets that the record does not settle, or whose
    due it cannot tell, are left out, and coups that were voided or called wrongly.
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
    """Tell whether what was announced, if anything was, is what the cards came to."""
    outcome = getattr(getattr(called, "payload", None), "outcome", None)
    return outcome is None or outcome == result.outcome


def rate_payments(pairs: Pairs, kinds: dict[tuple[str, str], Kinds]) -> None:
    """Rate a coup's payments: where a dealer made errors on bets of a kind that others made too.

    Args:
        pairs: changed in place.
        kinds: what was settled in the coup, by dealer and patron, and by kind.
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
    """Take in what a coup says at each of the odds; the chance is of the most that it came to."""
    pair.log_e = [log_e + math.log(factor) for log_e, factor in zip(pair.log_e, found, strict=True)]
    most = max(pair.log_e)
    average = sum(math.exp(log_e - most) for log_e in pair.log_e) / len(ODDS)
    pair.highest = max(pair.highest, most + math.log(average))


def factors(hits: int, draws: Iterable[tuple[int, int, int]]) -> list[Fraction]:
    """Return for each of the odds what so many hits say: their power over its mean."""
    shares = hit_count_chances(draws)
    return [
        odds**hits / sum(share * odds**many for many, share in enumerate(shares)) for odds in ODDS
    ]


def hit_count_chances(draws: Iterable[tuple[int, int, int]]) -> list[Fraction]:
    """The chances of 0, 1, 2 … hits in all over independent draws, each (drawn, good, every)."""
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
