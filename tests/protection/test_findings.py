"""Findings about an edge: the patron, the dealer, and shoes without an edge."""

import pytest

from sabot.domain.protection.detection.subjects import initial_state
from sabot.domain.protection.e_process.late_bets import LateBets
from sabot.domain.protection.e_process.test_martingale import Moment, Tally, start_bettor
from sabot.domain.protection.money.edge_interval import honest_worth, start_edge
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.infrastructure.rule_packs import pack_text

STRONG = 50.0


def strong():
    return Tally(STRONG, 40, Moment("S-1", 3, 9.0), None, Moment("S-1", 40, STRONG))


def worth(*firsts):
    edge = start_edge()
    for first in firsts:
        edge.cards.take(first)
    return edge


@pytest.fixture
def state():
    """A patron who gains 10 % under one dealer and loses 2 % under another."""
    state = initial_state()
    state.patrons["p"] = start_bettor(float, "p")
    state.patrons["p"].tally = strong()
    state.edges["p"] = worth(0.10, 0.10, -0.02, -0.02)
    for dealer, first in (("dora", 0.10), ("dan", -0.02)):
        state.under["p", dealer] = strong()
        state.edges_under["p", dealer] = worth(first, first)
    state.late["p"] = LateBets(tally=strong())
    return state


def found(state, **subject):
    return [one for one in build_report(state).findings if one.subject == subject]


def test_the_edge_under_a_dealer_is_that_under_this_dealer(state):
    whole = next(one for one in found(state, patron="p") if one.test != "late-bets")
    assert whole.edge_estimate == pytest.approx(0.04)
    # who is named is not named again with each dealer
    assert not found(state, patron="p", dealer="dora")
    state.patrons["p"].tally = Tally(0.0, 40, None, None, Moment("S-1", 40, 0.0))
    for dealer, edge in (("dora", 0.10), ("dan", -0.02)):
        (one,) = found(state, patron="p", dealer=dealer)
        assert one.edge_estimate == pytest.approx(edge)
        assert one.interval[0] < edge < one.interval[1]


def test_the_edge_is_set_beside_that_of_who_knows_nothing_by_the_same_bets(state):
    """Half of the money on Banker under Super 6, a quarter on it by commission, one on Player."""
    edge = state.edges["p"]
    for pack, side, stake in (("super-6", 1, 200), ("uk", 1, 100), ("uk", 0, 100)):
        edge.honest.take(honest_worth(8, pack_text(pack))[side], stake)
    whole = next(one for one in found(state, patron="p") if one.test != "late-bets")
    # (2 x 1.4581 + 1.0579 + 1.2351) / 4 percent
    assert "an honest patron loses 1.30 % with the same bets" in whole.explanation


def test_late_bets_have_no_edge(state):
    (late,) = (one for one in found(state, patron="p") if one.test == "late-bets")
    assert (late.edge_estimate, late.interval) == (None, None)
    assert "Edge" not in late.explanation
    assert (late.shoe, late.first_alarm_coup) == ("S-1", 3)


def test_a_finding_from_an_import_says_that_the_record_states_the_order(state):
    (late,) = (one for one in found(state, patron="p") if one.test == "late-bets")
    assert "imported" not in late.explanation
    state.late["p"].tally.imported = 7
    (late,) = (one for one in found(state, patron="p") if one.test == "late-bets")
    assert "7 of these coups are imported: for them only the record says" in late.explanation


def test_the_edge_by_coup_is_beside_the_edge_by_stake(state):
    for first in (0.10, 0.10, -0.02, -0.02):
        state.edges["p"].coups.take(first)
    whole = next(one for one in found(state, patron="p") if one.test != "late-bets")
    assert whole.coup_edge == pytest.approx(0.04)
    low, high = whole.coup_interval
    assert -0.25 <= low < 0.04 < high <= 0.25
    assert "By coup, whatever the stake, the edge by first cards is 4.00 %" in whole.explanation


def test_a_finding_counts_the_bets_by_side_and_first_card(state):
    mine = state.patrons["p"].tally
    for side, value in ((0, 6), (0, 9), (1, 8), (1, 5), (0, 10)):
        mine.sides.add(side, value)
    (whole,) = (one for one in found(state, patron="p") if one.test != "late-bets")
    assert whole.explanation.startswith(
        "p bet on Player before 2 of the 3 cards from 6 to 9, "
        "and on Banker before 1 of the 2 others."
    )


def test_a_finding_states_its_evidence_and_how_much_suffices(state):
    (whole,) = (one for one in found(state, patron="p") if one.test != "late-bets")
    assert "Evidence against honest play: 10^" in whole.explanation
    assert "suffices for a finding (e-BH). An honest patron" in whole.explanation
    assert "ever reaches evidence of E to 1 with a probability of at most 1/E" in whole.explanation
