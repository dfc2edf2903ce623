"""Wrong payments in a patron's favour that cluster on a dealer and a patron.

Overpaid winners and losers left on the felt are errors, which the audit reports one by one. Here
it is asked whether a dealer's errors fall on one patron. The null: given how many errors a dealer
made on bets of a kind (the wager, and how the coup ended), every choice of the bets on which they
fell is as likely. A patron's errors are then a sum of hypergeometric numbers, one for each kind,
and the chance of so many or more is exact. Kinds are kept apart because a tie bet is paid wrongly
more easily than a side, and a winner otherwise than a loser; a coup that was called wrongly is
left out, since its errors are one error.

The chance speaks of how a dealer's errors fall, not of the cards: it is a permutation under that
null, and needs another patron's bets to hold against.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import comb

from msgspec import Struct

from domain.protection.sight import Sight
from domain.result import Result, result_of
from domain.settlement import cashier_for
from domain.shoe import Shoe

EVENTS = 20
"""How many places of errors are kept for each pair, at most."""


class Payments(Struct):
    """A patron's settled bets of a kind: how many, and how many of them wrongly in his favour."""

    bets: int = 0
    favours: int = 0


Kind = tuple[str, str]
"""The wager, and how the coup ended (P, B, T)."""


class Pair(Struct):
    """What a dealer settled for a patron, by kind; ``amount`` is what he got beyond his due.

    ``last`` is the shoe and coup of the last error; ``amount`` is in minor units.
    """

    kinds: dict[Kind, Payments] = {}
    amount: int = 0
    events: list[int] = []
    last: tuple[str, int] | None = None

    @property
    def bets(self) -> int:
        """All that was settled."""
        return sum(kind.bets for kind in self.kinds.values())

    @property
    def favours(self) -> int:
        """All errors in the patron's favour."""
        return sum(kind.favours for kind in self.kinds.values())


Pairs = dict[tuple[str, str], Pair]
"""By dealer and patron."""


def count_payments(pairs: Pairs, shoe: Shoe, coups: Iterable[Sight]) -> int:
    """Take in the bets that a shoe's coups settled; return how many."""
    found = 0
    for coup in coups:
        if coup.dealer is None:
            continue
        for patron, kind, favour, event in favours_of(shoe, coup):
            found += 1
            pair = pairs.setdefault((coup.dealer, patron), Pair())
            count = pair.kinds.setdefault(kind, Payments())
            count.bets += 1
            if favour > 0:
                count.favours += 1
                pair.amount += favour
                pair.last = shoe.name, coup.number
                pair.events = [*pair.events, event][-EVENTS:]
    return found


def favours_of(shoe: Shoe, coup: Sight) -> list[tuple[str, Kind, int, int]]:
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
    outcome = getattr(getattr(called, "fact", None), "outcome", None)
    return outcome is None or outcome == result.outcome


def clustering(pairs: Pairs) -> list[tuple[tuple[str, str], Fraction]]:
    """Give each dealer and patron the chance of so many errors, where it can be held against any.

    Only dealers who made errors, on bets of a kind that they settled for others too.
    """
    of_dealer: dict[tuple[str, Kind], Payments] = {}
    for (dealer, _), pair in pairs.items():
        for kind, mine in pair.kinds.items():
            every = of_dealer.setdefault((dealer, kind), Payments())
            every.bets += mine.bets
            every.favours += mine.favours
    rated = []
    for (dealer, patron), pair in pairs.items():
        draws, hits = [], 0
        for kind, mine in pair.kinds.items():
            every = of_dealer[dealer, kind]
            if every.favours and every.bets > mine.bets:
                draws.append((mine.bets, every.favours, every.bets))
                hits += mine.favours
        if draws:
            rated.append(((dealer, patron), at_least(hits, draws)))
    return sorted(rated, key=lambda entry: (entry[1], entry[0]))


def at_least(hits: int, draws: Iterable[tuple[int, int, int]]) -> Fraction:
    """The chance of so many hits or more over independent draws, each (drawn, good, every)."""
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
    return sum(shares[hits:], Fraction(0))
