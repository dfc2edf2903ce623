"""Simulated shoes of cheats and honest patrons, with restarts of detection."""

import math

import msgspec
import pytest

from sabot.domain.protection.detection.detection import detect, observe
from sabot.domain.protection.detection.subjects import Plan, Protection, initial_state
from sabot.domain.protection.e_process.test_martingale import Tally
from sabot.domain.protection.multiplicity import keep_subjects
from sabot.domain.protection.reporting.detection_report import build_report, subjects_of
from sabot.domain.simulation import Patron
from sabot.domain.simulation.cheats.cheats import EdgeSorter
from sabot.domain.simulation.cheats.knowledge import FirstCard
from sabot.domain.simulation.patrons.habits import Copycat
from sabot.domain.simulation.patrons.side_counter import SideCounter
from sabot.domain.state.shoe import fold
from tests.support.coup_notation import Felt
from tests.support.simulated_shoes import HONEST, shoes, sorter
from tests.support.thorough import FULL, slow


def found_in(state):
    return {tuple(finding.subject.items()): finding for finding in build_report(state).findings}


@slow
def test_honest_patrons_are_let_alone():
    state = detect(shoes(HONEST, 3))
    result = build_report(state)
    assert result.findings == []
    assert result.subjects == len(subjects_of(state)) == 4 + 6 + 1
    assert {key[0] for key in subjects_of(state)} == {"patron", "pair", "dealer"}
    assert all(bettor.tally.coups > 150 for bettor in state.patrons.values())


@slow
@pytest.mark.parametrize("accuracy", [1.0, 0.8])
def test_a_sorter_is_found_and_nobody_without_him(accuracy):
    state = detect(shoes((*HONEST, sorter(accuracy)), 3))
    findings = found_in(state)
    finding = findings[("patron", "cheat"),]
    # no pair with him, and no dealer of his
    assert list(findings) == [(("patron", "cheat"),)]
    assert (finding.test, finding.rests) == ("next-card", "theorem")
    assert finding.log10_e > 6
    low, high = finding.interval
    assert low < finding.edge_estimate < high
    if accuracy == 1.0:
        assert finding.shoe.endswith("-1")
        assert finding.first_alarm_coup < 40
        assert low > 0
        assert low < 0.067647 < high
    cards = {event.index for shoe in shoes((*HONEST, sorter(accuracy)), 3) for event in shoe.left}
    assert finding.events
    assert set(finding.events) <= cards


def test_the_bets_are_counted_by_side_and_first_card():
    state = detect(shoes((*HONEST, sorter(1.0)), 1))
    sides = state.patrons["cheat"].tally.sides
    assert (sides.player_before_high, sides.banker_before_low) == (sides.high, sides.low)
    assert sides.high > 10
    honest = state.patrons[HONEST[0].name].tally.sides
    assert honest.player_before_high + honest.banker_before_low < honest.high + honest.low


@slow
def test_who_copies_a_cheat_shares_his_evidence_and_adds_none():
    patrons = (*HONEST, sorter(1.0), Patron(name="copy", seat=6, habit=Copycat(of="cheat")))
    state = detect(shoes(patrons, 2))
    cheat, copy = (state.patrons[name].tally.log_e for name in ("cheat", "copy"))
    pair = state.pairs["cheat", "copy"].log_e
    assert pair <= max(cheat, copy) + 1e-9


@slow
def test_counting_side_bets_is_no_foreknowledge_and_shows_as_a_model():
    counter = Patron(name="counts", seat=1, habit=SideCounter(wager="tie", margin=-0.12))
    state = detect(shoes((counter,), 4))
    assert build_report(state).findings == []
    bets = state.shoes.side_bets["counts", "tie"]
    assert bets.on.coups > 10
    assert bets.z > 5
    assert bets.on.mean > bets.off.mean


def test_french_dealing_is_followed_too():
    state = detect(shoes((*HONEST[:2], sorter(1.0)), 1, pack=("france", 6)))
    assert (("patron", "cheat"),) in found_in(state)


@slow
def test_the_state_is_taken_up_again_where_it_was_left():
    dealt = shoes((*HONEST, sorter(0.8)), 3 if FULL else 2)
    plan = Plan(groups={"two": ("flat", "cheat")})
    whole = detect(dealt, plan)
    state = initial_state(plan)
    for shoe in dealt:
        state = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=Protection)
        observe(state, shoe)
    assert msgspec.msgpack.encode(state) == msgspec.msgpack.encode(whole)
    assert build_report(state) == build_report(whole)


@slow
def test_nothing_rests_on_what_comes_later():
    dealt = shoes((*HONEST, sorter(0.8)), 3)
    early = detect(dealt[:1])
    later = detect(dealt)
    alarm = later.patrons["cheat"].tally.alarm
    if alarm is not None and alarm.shoe == dealt[0].name:
        assert early.patrons["cheat"].tally.alarm == alarm
    assert early.patrons["flat"].tally.coups < later.patrons["flat"].tally.coups


@slow
def test_a_group_is_reported_for_what_is_left_without_the_patrons_named():
    plan = Plan(groups={"team": ("cheat", "flat"), "more": ("cheat", "other", "flat")}, pairs=False)
    other = Patron(name="other", seat=7, habit=EdgeSorter(), channel=FirstCard(accuracy=1.0))
    state = detect(shoes((*HONEST, sorter(1.0), other), 2), plan)
    assert state.pairs == {}
    assert set(state.named) == {"cheat", "other"}
    assert set(found_in(state)) == {(("patron", "cheat"),), (("patron", "other"),)}


def test_partners_who_play_in_turn_are_found_as_a_group():
    """Each plays every other coup: alone neither has evidence enough, together they have."""
    plan = Plan(alpha=1e-9, groups={"team": ("anna", "ben")})
    state = detect(in_turn("anna", "ben"), plan)
    assert not state.named
    assert set(found_in(state)) == {(("group", "team"),)}
    assert found_in(detect(in_turn("anna", "anna"), plan)).keys() == {(("patron", "anna"),)}


def in_turn(*names):
    """One shoe of fifty coups of four cards at which the first card is known."""
    felt = Felt("classic-8").ready("Ac")
    for number in range(1, 47):
        high = number % 4 < 2
        name, side = names[number % 2], "player" if high else "banker"
        cards = "P 9 K  B K 6" if high else "P K 7  B 8 K"
        felt.coup(f"{name} {side} 100 | {cards}", number=number)
    return [felt.shoe]


@pytest.mark.parametrize("pack", ["classic-8", "france"])
def test_who_knows_only_the_first_card_of_banker_is_found(pack):
    """It is the second card of the coup; the first one is 2 or 3, whatever comes."""
    felt = Felt(pack).ready("Ac")
    for number in range(1, 61):
        high, three = number % 3 == 0, number % 2
        side = "banker" if high else "player"
        cards = f"P {3 if three else 2} 5  B {'9 K' if high else 'K 7'}"
        felt.coup(f"anna {side} 100 | {cards}", number=number)
    state = detect([felt.shoe])
    assert set(state.named) == {"anna"}
    # by this account, which begins with a hundredth
    assert state.patrons["anna"].long.shares[6] > 0.1


def test_a_watched_patron_is_found_on_less_evidence():
    state = detect(shoes((*HONEST, sorter(0.8)), 1))
    strong = Tally(math.log(1.1 * 5 / 0.75 * 1000), 40)
    state.patrons["flat"].tally = state.patrons["cheat"].tally = Tally(0.0, 40)
    assert not found_in(state)
    state.patrons["cheat"].tally = strong
    assert set(found_in(state)) == {(("patron", "cheat"),)}
    state.plan = Plan(watched=("flat",))
    assert not found_in(state)
    state.patrons["flat"].tally = Tally(math.log(1.1 * 14 / 10 / 0.75 * 1000), 40)
    assert (("patron", "flat"),) in found_in(state)


@slow
def test_a_report_is_plain_data():
    state = detect(shoes((*HONEST, sorter(1.0)), 2))
    told = msgspec.json.decode(msgspec.json.encode(build_report(state)))
    assert {"alpha", "subjects", "findings", "coverage"} <= set(told)
    assert {
        "test", "subject", "shoe", "coup", "log10_e", "first_alarm_coup", "edge_estimate",
        "interval", "explanation", "events",
    } <= set(told["findings"][0])  # fmt: skip
    assert told["findings"][0]["subject"] == {"patron": "cheat"}


@pytest.mark.parametrize(
    ("evidence", "alpha", "kept"),
    [
        ([100, 1, 1, 1], 0.05, 1),  # 100 >= 4 / 0.05
        ([79, 1, 1, 1], 0.05, 0),
        ([45, 41, 1, 1], 0.05, 2),  # the second needs 4 / 0.05 / 2
        ([79, 39, 27, 1], 0.05, 3),  # the third needs 4 / 0.05 / 3
        ([], 0.05, 0),
    ],
)
def test_e_bh_keeps_the_most_that_stand_together(evidence, alpha, kept):
    log_e = {place: math.log(e) for place, e in enumerate(evidence)}
    assert keep_subjects(log_e, alpha) == list(range(kept))


def test_an_unshuffled_shoe_is_found_by_its_order():
    first, second = shoes(HONEST[:1], 2)
    cards = [event.payload.card for event in first.left if event.payload.card is not None]
    events = list(second.history)
    drawn = [at for at, e in enumerate(events) if type(e.payload).__name__ == "CardDrawn"]
    for at, card in list(zip(drawn, cards[40:], strict=False))[10:40]:
        payload = msgspec.structs.replace(events[at].payload, card=card)
        events[at] = msgspec.structs.replace(events[at], payload=payload)
    state = detect([first, fold(second.stream, events)])
    orders = [x for x in build_report(state).findings if x.test == "order-of-the-shoe"]
    assert [x.subject for x in orders] == [{"table": "T1", "shoe": second.name}]
    assert orders[0].rests == "theorem"
    assert orders[0].log10_e > 9
    assert orders[0].coup is not None
    assert len(orders[0].events) >= 20
