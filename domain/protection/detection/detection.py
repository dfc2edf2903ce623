"""The detection: it processes coups in the order in which they end.

The state is plain data. It can be stored and resumed, and does not depend on how the coups were
batched. A subject's evidence after a coup depends only on that coup and on coups that ended before,
at any table.

The next-card and whole-coup tests have these subjects: each patron; each pair of patrons who were
at a table together; each group named in advance; each dealer; and each patron under each dealer, if
the patron had several. For a subject of several patrons, who all bet on the same card, the factors
are averaged. A factor is the number by which a coup multiplies the evidence. Once a patron is named
on their own evidence, the average leaves the patron out. A patron's late bet changes are tested
under a separate null hypothesis.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from sabot.domain.protection.detection.concurrent_play import hold_back
from sabot.domain.protection.detection.subjects import (
    Group,
    Held,
    Plan,
    Protection,
    initial_state,
    patron_share,
)
from sabot.domain.protection.e_process.bet_signals import stake_of
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
from sabot.domain.protection.money.win_rate import (
    NO_TOTALS,
    SIDES,
    WinRate,
    add_bet,
    add_bet_on_outcome,
)
from sabot.domain.protection.observation.observed_coup import CoupObservation
from sabot.domain.protection.observation.watcher import observe_shoe
from sabot.domain.protection.reporting.coverage import count_shoe_test, cover_coup
from sabot.domain.protection.reporting.finding import Key
from sabot.domain.protection.shoe_tests.whole_shoe_tests import close_shoe
from sabot.domain.state.shoe import Shoe

GAME = "punto-banco"
"""The game to which the tests apply."""


Listener = Callable[[Key, Tally, float, Evidence, Shoe], None]
"""Called with every factor of every subject, after the subject's tally is updated."""


def detect(shoes: Iterable[Shoe], plan: Plan | None = None) -> Protection:
    """Process whole shoes, one after the other."""
    state = initial_state(plan)
    for shoe in shoes:
        observe(state, shoe)
    return state


def observe(state: Protection, shoe: Shoe) -> Protection:
    """Add the evidence of a whole shoe to the state, which is changed in place and returned."""
    seen = observe_shoe(shoe)
    for coup in seen.coups:
        observe_coup(state, shoe, coup)
    close_shoe(state.shoes, shoe, seen, seen.coups)
    return state


def observe_coup(
    state: Protection, shoe: Shoe, coup: CoupObservation, listen: Listener | None = None
) -> None:
    """Process a coup that has ended. ``shoe`` is the shoe as loaded and cut."""
    if not shoe.decks or (shoe.pack is not None and shoe.pack.game != GAME):
        return
    evidence = evidence_of(coup)
    if evidence is None:
        _follow_outcome(state, shoe, coup)
        return
    state.coups += 1
    cover_coup(state.coverage, evidence)
    for patron, reasons in coup.unsure.items():
        mine = state.unsure.setdefault(patron, {})
        for why, bets in reasons.items():
            mine[why] = mine.get(why, 0) + bets
    threshold = -math.log(state.plan.alpha)
    for key, tally, factor in list(_moves(state, shoe, evidence)):
        tally.take(factor, evidence, shoe.name, threshold, _evidence_event(key, evidence))
        tally.imported += shoe.coverage == "coups"
        _count_side(state, key, tally, evidence)
        if listen is not None:
            listen(key, tally, factor, evidence, shoe)
    for patron in coup.patrons:
        if patron not in state.named and patron in state.patrons:
            _name_if_strong(state, patron)


def _count_side(state: Protection, key: Key, tally: Tally, evidence: Evidence) -> None:
    """Count the side of a patron or a group with the first card, if both are known."""
    if evidence.card is None or key[0] not in ("patron", "group", "under"):
        return
    patrons = state.plan.groups[key[1]] if key[0] == "group" else key[1:2]
    side = stake_of(evidence.coup.stakes, patrons).side
    if side is not None:
        tally.sides.add(side, evidence.card.value)


def _name_if_strong(state: Protection, patron: str) -> None:
    """Name a patron whose own evidence suffices for a finding.

    Pairs, groups and dealers are tested without the patron from then on. If their evidence is above
    1, it is reset to 1, because it may be the patron's.
    """
    needed = -math.log(state.plan.alpha * patron_share(state, patron))
    if state.patrons[patron].tally.log_e < needed:
        return
    state.named[patron] = None
    tallies = [tally for pair, tally in state.pairs.items() if patron in pair]
    for (name, dealer), tally in state.under.items():
        if name == patron:
            tallies += [tally, state.dealers[dealer]]
    for group, members in state.plan.groups.items():
        if patron in members:
            tallies.append(state.groups[group].tally)
    for tally in tallies:
        tally.log_e = min(tally.log_e, 0.0)
        tally.alarm, tally.strongest = None, []


def _evidence_event(key: Key, evidence: Evidence) -> int | None:
    """Return the log index of a subject's coup evidence."""
    if key[0] == "late":
        mine = [change for change in evidence.coup.changes if change.patron == key[1]]
        return mine[-1].event
    return None if evidence.first is None else evidence.first.event


Moves = Iterator[tuple[Key, Tally, float]]


def _moves(state: Protection, shoe: Shoe, evidence: Evidence) -> Moves:
    """Yield, for each subject, the factor by which a coup multiplies its evidence."""
    coup = evidence.coup
    late = dict.fromkeys(change.patron for change in coup.changes)
    hold_back(state, shoe.name, dict.fromkeys((*coup.patrons, *late)))
    held = state.held.get(shoe.name) or Held(named=frozenset(state.named))
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
    joined = sorted(
        name
        for name in factors
        if name not in held.named and (name in open_to or state.patrons[name].joined)
    )
    for name, group in _groups_left(state, held):
        members = [factors[patron] for patron in group.as_one.patrons if patron in joined]
        together = _bet_group(group, evidence, shoe.name, members, held.groups.get(name))
        if together is not None:
            yield ("group", name), group.tally, together
    for key, averaged, tally in _averaged(state, coup, joined, held.named):
        least = not open_to.isdisjoint(averaged)
        yield key, tally, _together([factors[patron] for patron in averaged], least=least)
    yield from _late_moves(state, late, evidence, held)


def _late_moves(state: Protection, patrons: Iterable[str], evidence: Evidence, held: Held) -> Moves:
    """Yield the factors for patrons who changed bets after a face was shown."""
    for patron in patrons:
        bets = state.late.get(patron) or LateBets()
        factor = _bet_late(bets, evidence, patron, held.late.get(patron))
        if factor is not None:
            state.late[patron] = bets
            yield ("late", patron), bets.tally, factor


def _groups_left(state: Protection, held: Held) -> Iterator[tuple[str, Group]]:
    """Yield the groups without named patrons, if two or more patrons remain."""
    for name, group in state.groups.items():
        left = tuple(one for one in state.plan.groups[name] if one not in held.named)
        if len(left) > 1:
            group.as_one.patrons = left
            if name in held.groups:
                held.groups[name].as_one.patrons = left
            yield name, group


def _together(factors: Sequence[float], *, least: bool) -> float:
    """Return the average factor of patrons who bet on the same card.

    With ``least``, return the smallest factor instead. It is used if a face was, or may have been,
    visible before one of them bet: whether they bet at all may then depend on that face.
    """
    return min(factors) if least else sum(factors) / len(factors)


def _bet(bettor: Bettor, evidence: Evidence, shoe: str, then: Bettor | None = None) -> float | None:
    """Return a bettor's factor for a coup, and let the bettor's predictors learn from the coup.

    None if the bettor gave no signal. ``then`` is the bettor's state at the beginning of the coup,
    if another coup has updated it since. The factor is computed with that state, and the coup
    updates both states.
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
    """Return the factor for a patron's late changes.

    ``then`` is the patron's state at the beginning of the coup, as in `_bet`.
    """
    factor = bets.bet(float, evidence, patron)
    return factor if then is None else then.bet(float, evidence, patron)


def _bet_group(
    group: Group,
    evidence: Evidence,
    shoe: str,
    members: Sequence[float],
    then: Group | None = None,
) -> float | None:
    """Return the factor of a group for a coup.

    Half of the group's evidence treats the group as one bettor, half is the average of its members.
    ``members`` are the factors of those who joined the coup before its first face. If later signals
    counted too, a member could signal only after an unfavourable face, and so weaken unfavourable
    coups but not favourable ones. ``then`` is the group's earlier state, as in `_bet`.
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
    state: Protection, coup: CoupObservation, joined: Sequence[str], named: frozenset[str]
) -> Iterator[tuple[Key, Sequence[str], Tally]]:
    """List the subjects of several patrons, and of patrons under one dealer.

    Patrons who were named already are left out.
    """
    if not joined:
        return
    if state.plan.pairs:
        for pair in combinations(sorted(set(coup.patrons) - named), 2):
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


def _follow_outcome(state: Protection, shoe: Shoe, coup: CoupObservation) -> None:
    """Update the win rates with a coup for which only the outcome is on record."""
    if coup.called is None or coup.dealt or coup.voided or shoe.pack is None:
        return
    valuers = valuers_of(shoe.pack_text)
    for patron in coup.stakes:
        stake = stake_of(coup.stakes, (patron,))
        valuer = None if stake.side is None else valuers.get(SIDES[stake.side])
        if valuer is None:
            continue
        key = (patron, shoe.pack.money.currency, shoe.pack.money.minor_units)
        rate = state.wins.setdefault(key, WinRate())
        known = add_bet_on_outcome(rate, valuer, stake, shoe.decks, coup.called)
        count_shoe_test(state.coverage, "win-rate", "" if known else NO_TOTALS)


def _follow_money(
    state: Protection, shoe: Shoe, evidence: Evidence, bettor: Bettor, then: Edge | None
) -> None:
    """Update the edge of a patron by first card and by money."""
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
            edge.coups.take(worth)
    valuer = valuers_of(shoe.pack_text).get(SIDES[side]) if shoe.pack is not None else None
    if valuer is None or shoe.pack is None:
        return
    key = (patron, shoe.pack.money.currency, shoe.pack.money.minor_units)
    rate = state.wins.setdefault(key, WinRate())
    won = add_bet(rate, valuer, stake, evidence)
    if len(evidence.outcome) == 1:
        # an aborted coup counts as a returned stake: leaving it out would be a selection
        for edge, known in edges:
            edge.money.take(won or 0.0, stake.main, None if known is None else known.money.guess)
