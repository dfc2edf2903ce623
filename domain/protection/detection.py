"""Who knew? A fold over shoes in the order of the log, and what stands at its end.

The state is a projection: plain data that takes in one shoe after the other, can be stored and
taken up again, and is the same whether it was built at once or in pieces. Nothing in it looks
ahead: a subject's evidence after a shoe rests on that shoe and those before.

Subjects of the next-card and whole-coup tests: each patron; each pair of patrons who were at a
table together, and each group named beforehand; each dealer; each patron under each dealer, for
patrons who met several. Where subjects stand for several patrons, who all look at the same card,
their factors are averaged.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

from msgspec import Struct, field

from domain.protection.backs import Backs, backs_of
from domain.protection.edge import Edge, first_card_worth, start_edge
from domain.protection.evidence import Evidence, evidence_of
from domain.protection.models import (
    Payments,
    SideBets,
    Spread,
    WinRate,
    favours_of,
    side_bets_of,
)
from domain.protection.orders import Orders, Run, longest_repeat, orders_of
from domain.protection.process import (
    Bettor,
    Tally,
    bet_coup,
    enter_shoe,
    staked,
    start_bettor,
)
from domain.protection.sight import Sight
from domain.protection.watching import see
from domain.shoe import Shoe

REMEMBERED = 4
"""Earlier shoes of a table or a batch with whose order a new one is compared."""


class Plan(Struct, frozen=True):
    """What is tested, fixed before the evidence.

    ``groups`` are patrons read as one, by name; ``pairs`` tests every pair that was at a table
    together.
    """

    alpha: float = 0.001
    groups: dict[str, tuple[str, ...]] = {}
    pairs: bool = True


class Skipped(Struct, frozen=True):
    """A shoe, or its rest, of which nothing can be said, and why."""

    shoe: str
    reason: str


class Group(Struct):
    """Patrons tested together: read as one bettor, and averaged; the shares of either."""

    as_one: Bettor
    shares: list[float] = field(default_factory=lambda: [0.5, 0.5])
    tally: Tally = field(default_factory=Tally)


class Protection(Struct):
    """Everything that is known of everybody, after the shoes so far."""

    plan: Plan = Plan()
    shoes: int = 0
    coups: int = 0
    patrons: dict[str, Bettor] = {}
    groups: dict[str, Group] = {}
    pairs: dict[tuple[str, str], Tally] = {}
    dealers: dict[str, Tally] = {}
    under: dict[tuple[str, str], Tally] = {}
    edges: dict[str, Edge] = {}
    recent: dict[str, list[Orders]] = {}
    repeats: list[tuple[str, str, Run]] = []
    compared: int = 0
    backs: list[tuple[str, str, Backs]] = []
    side_bets: dict[tuple[str, str], SideBets] = {}
    payments: dict[tuple[str, str], Payments] = {}
    wins: dict[str, WinRate] = {}
    skipped: list[Skipped] = field(default_factory=list)


def start(plan: Plan | None = None) -> Protection:
    """Return the state before the first shoe."""
    state = Protection(plan or Plan())
    for name, patrons in state.plan.groups.items():
        state.groups[name] = Group(start_bettor(float, *patrons))
    return state


def detect(shoes: Iterable[Shoe], plan: Plan | None = None) -> Protection:
    """Fold shoes, in the order of the log."""
    state = start(plan)
    for shoe in shoes:
        observe(state, shoe)
    return state


def observe(state: Protection, shoe: Shoe) -> Protection:
    """Take in a shoe; the state given is changed in place, and returned."""
    seen = see(shoe)
    state.shoes += 1
    if seen.broken:
        state.skipped.append(Skipped(shoe.name, seen.broken))
    if shoe.decks:
        for coup in seen.coups:
            evidence = evidence_of(coup)
            if evidence is not None:
                state.coups += 1
                _observe_coup(state, shoe, evidence)
        _observe_order(state, shoe)
        _add_side_bets(state, side_bets_of(shoe, seen.coups))
    backs = backs_of(shoe)
    if backs is not None:
        state.backs.append((shoe.table or "", _pool(shoe), backs))
    return state


def _pool(shoe: Shoe) -> str:
    """The cards that a shoe was dealt from: its batch, or its table where none is named."""
    fact = shoe.loaded.fact if shoe.loaded is not None else None
    batch = getattr(fact, "batch", None)
    return f"batch {batch}" if batch else f"table {shoe.table or ''}"


# -- A coup -------------------------------------------------------------------------------------


def _observe_coup(state: Protection, shoe: Shoe, evidence: Evidence) -> None:
    coup = evidence.coup
    threshold = -math.log(state.plan.alpha)
    factors: dict[str, float] = {}
    for patron in coup.patrons:
        bettor = state.patrons.get(patron)
        if bettor is None:
            bettor = state.patrons[patron] = start_bettor(float, patron)
        _follow_edge(state, shoe, evidence, bettor)
        factor = _bet(bettor, evidence, shoe.name)
        if factor is not None:
            factors[patron] = factor
            bettor.tally.take(factor, evidence, shoe.name, threshold)
    for group in state.groups.values():
        _bet_group(group, evidence, shoe.name, factors, threshold)
    for subject, tally in _averaged(state, coup, sorted(factors)):
        mean = sum(factors[patron] for patron in subject) / len(subject)
        tally.take(mean, evidence, shoe.name, threshold)
    _count_money(state, shoe, evidence)


def _bet(bettor: Bettor, evidence: Evidence, shoe: str) -> float | None:
    """Let a bettor's account bet on a coup; None where he gave no signal at all."""
    if bettor.shoe != shoe:
        enter_shoe(float, bettor, shoe)
    before = bettor.long.shares
    factor = bet_coup(float, bettor, evidence)
    return None if bettor.long.shares is before else factor


def _bet_group(
    group: Group, evidence: Evidence, shoe: str, factors: dict[str, float], threshold: float
) -> None:
    """Half of a group's evidence reads its bets as one patron's, half averages its members'."""
    if not any(patron in evidence.coup.patrons for patron in group.as_one.patrons):
        return
    members = [factors[patron] for patron in group.as_one.patrons if patron in factors]
    as_one = _bet(group.as_one, evidence, shoe)
    if as_one is None and not members:
        return
    parts = [
        group.shares[0] * (1 if as_one is None else as_one),
        group.shares[1] * (sum(members) / len(members) if members else 1),
    ]
    factor = sum(parts)
    group.shares = [part / factor for part in parts]
    group.tally.take(factor, evidence, shoe, threshold)


def _averaged(
    state: Protection, coup: Sight, active: Sequence[str]
) -> Iterable[tuple[tuple[str, ...], Tally]]:
    """List the subjects that stand for several patrons, or for one under one dealer."""
    if not active:
        return
    if state.plan.pairs:
        for pair in combinations(sorted(coup.patrons), 2):
            members = tuple(patron for patron in pair if patron in active)
            if members:
                yield members, state.pairs.setdefault(pair, Tally())
    if coup.dealer is not None:
        yield tuple(active), state.dealers.setdefault(coup.dealer, Tally())
        for patron in active:
            yield (patron,), state.under.setdefault((patron, coup.dealer), Tally())


# -- Money --------------------------------------------------------------------------------------


def _follow_edge(state: Protection, shoe: Shoe, evidence: Evidence, bettor: Bettor) -> None:
    """Take in what a patron's side was worth, by the first card and by money."""
    stake = staked(evidence, bettor)
    side = stake.side
    if side is None:
        return
    patron = bettor.patrons[0]
    edge = state.edges.get(patron)
    if edge is None:
        edge = state.edges[patron] = start_edge()
    edge.handle += stake.main
    if evidence.first is not None:
        edge.cards.take(first_card_worth(shoe.decks)[evidence.first.value][side])
    chances = evidence.outcome[0] if evidence.outcome else None
    if evidence.came is None or chances is None:
        return
    pays = (1.0, 0.95)
    won = 0.0 if evidence.came == 2 else pays[side] if evidence.came == side else -1.0  # noqa: PLR2004 - a tie
    edge.money.take(won)
    rate = state.wins.setdefault(patron, WinRate(patron))
    total = sum(chances)
    win, loss = chances[side] / total, chances[1 - side] / total
    mean = win * pays[side] - loss
    rate.won += won * stake.main
    rate.expected += mean * stake.main
    rate.variance += (win * pays[side] ** 2 + loss - mean**2) * stake.main**2


def _count_money(state: Protection, shoe: Shoe, evidence: Evidence) -> None:
    dealer = evidence.coup.dealer or ""
    for patron, favour in favours_of(shoe, evidence.coup):
        pair = state.payments.setdefault((dealer, patron), Payments(dealer, patron))
        pair.bets += 1
        pair.favours += favour > 0
        pair.amount += max(0, favour)


def _add_side_bets(state: Protection, found: Iterable[SideBets]) -> None:
    for bets in found:
        key = (bets.patron, bets.wager)
        known = state.side_bets.setdefault(key, SideBets(*key, Spread(), Spread()))
        known.on.add(bets.on)
        known.off.add(bets.off)


# -- Order of the cards -------------------------------------------------------------------------


def _observe_order(state: Protection, shoe: Shoe) -> None:
    """Hold a shoe's order against the shoes before of its table, and of its batch."""
    new = orders_of(shoe)
    pools = sorted({_pool(shoe), f"table {shoe.table or ''}"})
    earlier: dict[str, Orders] = {}
    for pool in pools:
        earlier |= {orders.shoe: orders for orders in state.recent.get(pool, [])}
    state.compared += bool(earlier)
    run = longest_repeat(new, list(earlier.values()), shoe.decks) if earlier else None
    if run is not None:
        state.repeats.append((shoe.name, shoe.table or "", run))
    for pool in pools:
        state.recent[pool] = [*state.recent.get(pool, []), new][-REMEMBERED:]
