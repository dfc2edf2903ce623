"""Who knew? A fold over coups in the order in which they were over, and what stands at its end.

The state is a projection: plain data that takes in one coup after the other, can be stored and
taken up again, and is the same whether it was built at once or in pieces. Nothing in it looks
ahead: a subject's evidence after a coup rests on that coup and those that were over before, at
whichever tables they were dealt.

Subjects of the next-card and whole-coup tests: each patron; each pair of patrons who were at a
table together, and each group named beforehand; each dealer; each patron under each dealer, for
patrons who met several. Where subjects stand for several patrons, who all look at the same card,
their factors are averaged. A patron's late changes are held against a null of their own.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct, field

from domain.protection.coverage import Coverage, cover_coup
from domain.protection.edge import Edge, first_card_worth, start_edge
from domain.protection.evidence import Evidence, evidence_of
from domain.protection.expectations import valuers_of
from domain.protection.finding import Key
from domain.protection.late import LateBets
from domain.protection.process import (
    Bettor,
    Tally,
    bet_coup,
    enter_shoe,
    staked,
    start_bettor,
)
from domain.protection.shoetests import ShoeTests, close_shoe
from domain.protection.sight import Sight
from domain.protection.watching import see
from domain.protection.winning import SIDES, WinRate, add_bet
from domain.shoe import Shoe

GAME = "punto-banco"
"""The game whose bets foretell cards as these tests read them."""


class Plan(Struct, frozen=True):
    """What is tested, fixed before the evidence.

    ``groups`` are patrons read as one, by name; ``pairs`` tests every pair that was at a table
    together.
    """

    alpha: float = 0.001
    groups: dict[str, tuple[str, ...]] = {}
    pairs: bool = True


class Group(Struct):
    """Patrons tested together: read as one bettor, and averaged; the shares of either."""

    as_one: Bettor
    shares: list[float] = field(default_factory=lambda: [0.5, 0.5])
    tally: Tally = field(default_factory=Tally)


class Protection(Struct):
    """Everything that is known of everybody, after the coups so far."""

    plan: Plan = Plan()
    coups: int = 0
    patrons: dict[str, Bettor] = {}
    groups: dict[str, Group] = {}
    pairs: dict[tuple[str, str], Tally] = {}
    dealers: dict[str, Tally] = {}
    under: dict[tuple[str, str], Tally] = {}
    late: dict[str, LateBets] = {}
    edges: dict[str, Edge] = {}
    wins: dict[tuple[str, str, int], WinRate] = {}
    shoes: ShoeTests = field(default_factory=ShoeTests)
    coverage: Coverage = field(default_factory=dict)


Listener = Callable[[Key, Tally, float, Evidence, Shoe], None]
"""Hears of every factor of every subject, once it is in the tally."""


def start(plan: Plan | None = None) -> Protection:
    """Return the state before the first coup."""
    state = Protection(plan or Plan())
    for name, patrons in state.plan.groups.items():
        state.groups[name] = Group(start_bettor(float, *patrons))
    return state


def detect(shoes: Iterable[Shoe], plan: Plan | None = None) -> Protection:
    """Fold whole shoes, one after the other."""
    state = start(plan)
    for shoe in shoes:
        observe(state, shoe)
    return state


def observe(state: Protection, shoe: Shoe) -> Protection:
    """Take in a whole shoe; the state given is changed in place, and returned."""
    seen = see(shoe)
    for coup in seen.coups:
        observe_coup(state, shoe, coup)
    close_shoe(state.shoes, shoe, seen, seen.coups)
    return state


def observe_coup(
    state: Protection, shoe: Shoe, coup: Sight, listen: Listener | None = None
) -> None:
    """Take in a coup that is over; ``shoe`` is as it was loaded, and cut."""
    if not shoe.decks or (shoe.pack is not None and shoe.pack.game != GAME):
        return
    evidence = evidence_of(coup)
    if evidence is None:
        return
    state.coups += 1
    cover_coup(state.coverage, evidence)
    threshold = -math.log(state.plan.alpha)
    for key, tally, factor in list(_moves(state, shoe, evidence)):
        tally.take(factor, evidence, shoe.name, threshold, _said_by(key, evidence))
        if listen is not None:
            listen(key, tally, factor, evidence, shoe)


def _said_by(key: Key, evidence: Evidence) -> int | None:
    """The place in the log of what a coup says of a subject."""
    if key[0] == "late":
        mine = [change for change in evidence.coup.changes if change.patron == key[1]]
        return mine[-1].event
    return None if evidence.first is None else evidence.first.event


Moves = Iterator[tuple[Key, Tally, float]]


def _moves(state: Protection, shoe: Shoe, evidence: Evidence) -> Moves:
    """List every subject's factor of a coup."""
    factors: dict[str, float] = {}
    for patron in evidence.coup.patrons:
        bettor = state.patrons.get(patron)
        if bettor is None:
            bettor = state.patrons[patron] = start_bettor(float, patron)
        _follow_money(state, shoe, evidence, bettor)
        factor = _bet(bettor, evidence, shoe.name)
        if factor is not None:
            factors[patron] = factor
            yield ("patron", patron), bettor.tally, factor
    joined = sorted(patron for patron in factors if state.patrons[patron].joined)
    for name, group in state.groups.items():
        together = _bet_group(group, evidence, shoe.name, factors, joined)
        if together is not None:
            yield ("group", name), group.tally, together
    for key, members, tally in _averaged(state, evidence.coup, joined):
        yield key, tally, sum(factors[patron] for patron in members) / len(members)
    for patron in dict.fromkeys(change.patron for change in evidence.coup.changes):
        late = state.late.get(patron) or LateBets()
        factor = late.bet(float, evidence, patron)
        if factor is not None:
            state.late[patron] = late
            yield ("late", patron), late.tally, factor


def _bet(bettor: Bettor, evidence: Evidence, shoe: str) -> float | None:
    """Let a bettor's account bet on a coup; None where he gave no signal at all."""
    if bettor.shoe != shoe:
        enter_shoe(float, bettor, shoe)
    before = bettor.long.shares
    factor = bet_coup(float, bettor, evidence)
    return None if bettor.long.shares is before else factor


def _bet_group(
    group: Group,
    evidence: Evidence,
    shoe: str,
    factors: dict[str, float],
    joined: Collection[str],
) -> float | None:
    """Half of a group's evidence reads its bets as one patron's, half averages its members'.

    The mean is over those who ``joined`` the coup before its first face: were they as many as
    spoke later, whoever speaks after a bad face would water down that coup and no good one.
    """
    if not any(patron in evidence.coup.patrons for patron in group.as_one.patrons):
        return None
    members = [factors[patron] for patron in group.as_one.patrons if patron in joined]
    as_one = _bet(group.as_one, evidence, shoe)
    if as_one is None and not members:
        return None
    parts = [
        group.shares[0] * (1 if as_one is None else as_one),
        group.shares[1] * (sum(members) / len(members) if members else 1),
    ]
    factor = sum(parts)
    group.shares = [part / factor for part in parts]
    return factor


def _averaged(
    state: Protection, coup: Sight, joined: Sequence[str]
) -> Iterator[tuple[Key, Sequence[str], Tally]]:
    """List the subjects that stand for several patrons, or for one under one dealer."""
    if not joined:
        return
    if state.plan.pairs:
        for pair in combinations(sorted(coup.patrons), 2):
            members = [patron for patron in pair if patron in joined]
            if members:
                yield ("pair", *pair), members, state.pairs.setdefault(pair, Tally())
    dealer = coup.dealer
    if dealer is not None:
        yield ("dealer", dealer), joined, state.dealers.setdefault(dealer, Tally())
        for patron in joined:
            tally = state.under.setdefault((patron, dealer), Tally())
            yield ("under", patron, dealer), [patron], tally


# -- Money --------------------------------------------------------------------------------------


def _follow_money(state: Protection, shoe: Shoe, evidence: Evidence, bettor: Bettor) -> None:
    """Take in what a patron's side was worth by the first card, and what it won."""
    stake = staked(evidence, bettor)
    side = stake.side
    if side is None:
        return
    patron = bettor.patrons[0]
    edge = state.edges.get(patron)
    if edge is None:
        edge = state.edges[patron] = start_edge()
    worth = 0.0
    if evidence.first is not None:
        worth = first_card_worth(shoe.decks)[evidence.first.value][side]
        edge.cards.take(worth)
    valuer = valuers_of(shoe.pack_text).get(SIDES[side]) if shoe.pack is not None else None
    if valuer is None or shoe.pack is None:
        return
    key = (patron, shoe.pack.money.currency, shoe.pack.money.minor_units)
    rate = state.wins.setdefault(key, WinRate())
    won = add_bet(rate, valuer, stake, evidence)
    if won is not None:
        rate.by_cards += worth * stake.main
        edge.money.take(won)
