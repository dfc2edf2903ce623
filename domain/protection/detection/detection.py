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
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from sabot.domain.protection.detection.concurrent_play import hold_back
from sabot.domain.protection.detection.subjects import Group, Held, Plan, Protection, initial_state
from sabot.domain.protection.e_process.coup_evidence import Evidence, evidence_of
from sabot.domain.protection.e_process.late_bets import LateBets
from sabot.domain.protection.e_process.test_martingale import (
    Bettor,
    Tally,
    bet_coup,
    main_stakes,
    sit_down,
    start_bettor,
)
from sabot.domain.protection.money.edge_interval import (
    Edge,
    first_card_worth,
    honest_worth,
    start_edge,
)
from sabot.domain.protection.money.wager_values import valuers_of
from sabot.domain.protection.money.win_rate import SIDES, WinRate, add_bet
from sabot.domain.protection.observation.observed_coup import CoupObservation
from sabot.domain.protection.observation.watcher import observe_shoe
from sabot.domain.protection.reporting.coverage import cover_coup
from sabot.domain.protection.reporting.finding import Key
from sabot.domain.protection.shoe_tests.whole_shoe_tests import close_shoe
from sabot.domain.state.shoe import Shoe

GAME = "punto-banco"
"""The game whose bets foretell cards as these tests read them."""


Listener = Callable[[Key, Tally, float, Evidence, Shoe], None]
"""Hears of every factor of every subject, once it is in the tally."""


def detect(shoes: Iterable[Shoe], plan: Plan | None = None) -> Protection:
    """Fold whole shoes, one after the other."""
    state = initial_state(plan)
    for shoe in shoes:
        observe(state, shoe)
    return state


def observe(state: Protection, shoe: Shoe) -> Protection:
    """Take in a whole shoe; the state given is changed in place, and returned."""
    seen = observe_shoe(shoe)
    for coup in seen.coups:
        observe_coup(state, shoe, coup)
    close_shoe(state.shoes, shoe, seen, seen.coups)
    return state


def observe_coup(
    state: Protection, shoe: Shoe, coup: CoupObservation, listen: Listener | None = None
) -> None:
    """Take in a coup that is over; ``shoe`` is as it was loaded, and cut."""
    if not shoe.decks or (shoe.pack is not None and shoe.pack.game != GAME):
        return
    evidence = evidence_of(coup)
    if evidence is None:
        return
    state.coups += 1
    cover_coup(state.coverage, evidence)
    for patron, reasons in coup.unsure.items():
        mine = state.unsure.setdefault(patron, {})
        for why, bets in reasons.items():
            mine[why] = mine.get(why, 0) + bets
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
    coup = evidence.coup
    late = dict.fromkeys(change.patron for change in coup.changes)
    hold_back(state, shoe.name, dict.fromkeys((*coup.patrons, *late)))
    held = state.held.get(shoe.name, Held())
    factors: dict[str, float] = {}
    for patron in coup.patrons:
        bettor = state.patrons.get(patron)
        if bettor is None:
            bettor = state.patrons[patron] = start_bettor(float, patron)
        _follow_money(state, shoe, evidence, bettor, held.edges.get(patron))
        factor = _bet(bettor, evidence, shoe.name, held.patrons.get(patron))
        if factor is not None:
            factors[patron] = factor
            yield ("patron", patron), bettor.tally, factor
    open_to = {patron for patron in factors if evidence.boxed or evidence.least((patron,))}
    joined = sorted(name for name in factors if name in open_to or state.patrons[name].joined)
    for name, group in state.groups.items():
        theirs = [factors[patron] for patron in group.as_one.patrons if patron in joined]
        together = _bet_group(group, evidence, shoe.name, theirs, held.groups.get(name))
        if together is not None:
            yield ("group", name), group.tally, together
    for key, members, tally in _averaged(state, coup, joined):
        least = not open_to.isdisjoint(members)
        yield key, tally, _together([factors[patron] for patron in members], least=least)
    for patron in late:
        bets = state.late.get(patron) or LateBets()
        factor = _bet_late(bets, evidence, patron, held.late.get(patron))
        if factor is not None:
            state.late[patron] = bets
            yield ("late", patron), bets.tally, factor


def _together(factors: Sequence[float], *, least: bool) -> float:
    """One factor for patrons who look at the same card: their average.

    Where a face lay open before one of them bet, or may have, who bet at all may rest on it, and
    the ``least`` of them counts.
    """
    return min(factors) if least else sum(factors) / len(factors)


def _bet(bettor: Bettor, evidence: Evidence, shoe: str, then: Bettor | None = None) -> float | None:
    """Let a bettor's account bet on a coup; None where he gave no signal at all.

    ``then`` is what was known of him when he entered the coup, where another one has taught
    since: with that he bets, and the coup teaches both.
    """
    if then is not None:
        factor = _bet(then, evidence, shoe)
        _bet(bettor, evidence, shoe)
        bettor.joined = then.joined
        return factor
    sit_down(float, bettor, shoe)
    before = bettor.long.shares
    factor = bet_coup(float, bettor, evidence)
    return None if bettor.long.shares is before else factor


def _bet_late(
    bets: LateBets, evidence: Evidence, patron: str, then: LateBets | None
) -> float | None:
    """Let a patron's late changes bet on a coup; ``then`` as in `_bet`."""
    factor = bets.bet(float, evidence, patron)
    return factor if then is None else then.bet(float, evidence, patron)


def _bet_group(
    group: Group,
    evidence: Evidence,
    shoe: str,
    members: Sequence[float],
    then: Group | None = None,
) -> float | None:
    """Half of a group's evidence reads its bets as one patron's, half averages its members'.

    ``members`` are the factors of those who joined the coup before its first face: were they as
    many as spoke later, whoever speaks after a bad face would water down that coup and no good
    one. ``then`` is as in `_bet`.
    """
    if not any(patron in evidence.coup.patrons for patron in group.as_one.patrons):
        return None
    if then is not None:
        factor = _bet_group(then, evidence, shoe, members)
        _bet_group(group, evidence, shoe, members)
        return factor
    least = evidence.boxed or evidence.least(group.as_one.patrons)
    as_one = _bet(group.as_one, evidence, shoe)
    if as_one is None and not members:
        return None
    parts = [
        group.shares[0] * (1 if as_one is None else as_one),
        group.shares[1] * (_together(members, least=least) if members else 1),
    ]
    factor = sum(parts)
    group.shares = [part / factor for part in parts]
    return factor


def _averaged(
    state: Protection, coup: CoupObservation, joined: Sequence[str]
) -> Iterator[tuple[Key, Sequence[str], Tally]]:
    """List the subjects that stand for several patrons, or for one under one dealer."""
    if not joined:
        return
    if state.plan.pairs:
        for pair in combinations(sorted(coup.patrons), 2):
            members = [patron for patron in pair if patron in joined]
            if members:
                yield ("pair", *pair), members, state.pairs.setdefault(pair, Tally())
    for dealer in dict.fromkeys((coup.dealer, *coup.dealers)):
        if dealer is None:
            continue
        yield ("dealer", dealer), joined, state.dealers.setdefault(dealer, Tally())
        for patron in joined:
            tally = state.under.setdefault((patron, dealer), Tally())
            yield ("under", patron, dealer), [patron], tally


# -- Money --------------------------------------------------------------------------------------


def _follow_money(
    state: Protection, shoe: Shoe, evidence: Evidence, bettor: Bettor, then: Edge | None
) -> None:
    """Take in what a patron's side was worth by the first card, and what it won."""
    stake = main_stakes(evidence, bettor)
    side = stake.side
    if side is None:
        return
    patron, dealer = bettor.patrons[0], evidence.coup.dealer
    edges = [(state.edges.setdefault(patron, start_edge()), then)]
    if dealer is not None:
        edges.append((state.edges_under.setdefault((patron, dealer), start_edge()), None))
    rules = None if shoe.pack is None else shoe.pack_text
    for edge, _ in edges:
        edge.honest.take(honest_worth(shoe.decks, rules)[side], stake.main)
    if evidence.card is not None:
        worth = first_card_worth(shoe.decks, rules)[evidence.card.value][side]
        for edge, known in edges:
            edge.cards.take(worth, stake.main, None if known is None else known.cards.guess)
    valuer = valuers_of(shoe.pack_text).get(SIDES[side]) if shoe.pack is not None else None
    if valuer is None or shoe.pack is None:
        return
    key = (patron, shoe.pack.money.currency, shoe.pack.money.minor_units)
    rate = state.wins.setdefault(key, WinRate())
    won = add_bet(rate, valuer, stake, evidence)
    if len(evidence.outcome) == 1:
        # a coup that was cut short counts as a stake given back: left out, it would be chosen
        for edge, known in edges:
            edge.money.take(won or 0.0, stake.main, None if known is None else known.money.guess)
