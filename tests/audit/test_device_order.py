"""The order of events from several devices and clocks, where it can be known.

A shoe's coup is told in lines of ``device clock fact``, in the order in which they reach the log;
clocks in milliseconds. The tolerance is 250 ms.
"""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import ShoeAudit, audit_part, audit_shoe
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.rules.rule_pack import Clocks, parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.timeline.ordering import order_of
from sabot.domain.values.errors import BadRulePack
from sabot.infrastructure.rule_packs import pack_text, shipped
from tests.support.coup_notation import Felt
from tests.support.device_records import (
    CALL,
    CARDS,
    CLASSIC,
    CLOCKS,
    device_coup,
    device_shoe,
    verdict_on,
)
from tests.support.for_each import for_each
from tests.support.thorough import tries
from tests.support.three_devices import DEVICES, as_told

PAST_POSTED = "past-posted-bet"


def clocked(pack: str) -> str:
    """A pack that says how far clocks are believed, by itself or here."""
    return pack if "[clocks]" in pack else pack + CLOCKS


def test_a_bet_in_time_that_arrives_late_is_no_late_bet():
    shoe = device_coup("""
        terminal 0 call
        chips -300 bet player 500
    """)
    assert audit_shoe(shoe).findings == []
    assert verdict_on(shoe, PAST_POSTED) == (0, {})


def test_a_late_bet_whose_record_came_first_is_found():
    shoe = device_coup("""
        chips 300 bet player 500
        terminal 0 call
    """)
    (found,) = audit_shoe(shoe).findings
    assert (found.code, found.coup, found.patron) == (PAST_POSTED, 1, "p1")
    # the finding names the events by their places in the log, where they still stand
    placed = next(event for event in shoe.history if isinstance(event.payload, ev.BetPlaced))
    assert found.events == (placed.index,)
    assert found.at_us == placed.at_us


@for_each("apart", [-250, -120, 0, 120, 250])
@for_each("first", ["bet", "call"])
def test_within_the_tolerance_nobody_knows_and_the_rule_says_so(apart, first):
    bet, call = f"\nchips {apart} bet player 500", "\nterminal 0 call"
    shoe = device_coup(bet + call if first == "bet" else call + bet)
    assert audit_shoe(shoe).findings == []
    reason = (
        "the order of the bet and of the call of no more bets is doubtful: "
        f"{abs(apart)} ms apart, two devices, tolerance 250 ms"
    )
    assert verdict_on(shoe, PAST_POSTED) == (0, {reason: 1})


@pytest.mark.parametrize(("apart", "late"), [(-251, 0), (251, 1)])
def test_beyond_the_tolerance_the_clocks_tell(apart, late):
    assert verdict_on(
        device_coup(f"\nchips {apart} bet player 500\nterminal 0 call"), PAST_POSTED
    ) == (late, {})
    assert verdict_on(
        device_coup(f"\nterminal 0 call\nchips {apart} bet player 500"), PAST_POSTED
    ) == (late, {})


def test_one_device_knows_its_own_order_however_close():
    assert verdict_on(
        device_coup("\nterminal -1 bet player 500\nterminal 0 call"), PAST_POSTED
    ) == (0, {})
    assert verdict_on(device_coup("\nterminal 0 call\nterminal 1 bet player 500"), PAST_POSTED) == (
        1,
        {},
    )


def test_a_bet_behind_the_first_card_is_late_even_where_the_call_is_in_doubt():
    shoe = device_coup("\nterminal 1400 call\nchips 1300 bet player 500")
    assert verdict_on(shoe, PAST_POSTED) == (1, {})


def test_without_a_clock_a_event_lies_between_its_neighbours():
    sure = device_coup("""
        chips -9000 change 1
        chips - bet player 500
        chips -8000 change 500
        terminal 0 call
    """)
    assert verdict_on(sure, PAST_POSTED) == (0, {})
    unsure = device_coup("\nchips - bet player 500\nterminal 0 call")
    found, doubts = verdict_on(unsure, PAST_POSTED)
    assert found == 0
    assert "one gave no usable clock" in next(iter(doubts))


def test_a_clock_that_jumped_proves_nothing():
    """The chip reader's clock is set back before the bet: the bet is not in time for that."""
    shoe = device_coup("""
        chips 100 change 1
        chips -9000 bet player 500
        terminal 0 call
    """)
    assert verdict_on(shoe, PAST_POSTED)[0] == 0
    assert "no usable clock" in next(iter(verdict_on(shoe, PAST_POSTED)[1]))
    assert any("clock" in found.message for found in audit_shoe(shoe).findings)


def test_the_numbers_of_a_device_go_before_its_coming():
    felt = Felt(CLASSIC + CLOCKS).ready().put(ev.CoupOpened(1))
    felt.tell("terminal", CALL, ev.NoMoreBets(1), seq=2)
    felt.tell("terminal", CALL, ev.BetPlaced(1, 1, "p1", "tie", 500), seq=1)
    assert verdict_on(felt.shoe, PAST_POSTED) == (0, {})


# -- A pack that says nothing of clocks -----------------------------------------------------------


def test_without_a_tolerance_events_stand_as_they_came():
    shoe = device_coup("\nterminal 0 call\nchips 300 bet player 500", CLASSIC)
    assert [found.code for found in audit_shoe(shoe).findings] == [PAST_POSTED]


def test_without_a_tolerance_a_clock_that_speaks_against_the_order_makes_it_doubtful():
    shoe = device_coup("\nterminal 0 call\nchips -300 bet player 500", CLASSIC)
    found, doubts = verdict_on(shoe, PAST_POSTED)
    assert found == 0
    (said,) = doubts
    assert said == (
        "the order of the bet and of the call of no more bets is doubtful: the clocks, 300 ms "
        "apart, contradict the order of the log, and the pack states no tolerance"
    )


def test_without_a_tolerance_the_numbers_of_a_device_go_before_its_coming():
    felt = Felt().ready().put(ev.CoupOpened(1))
    felt.tell("terminal", CALL, ev.NoMoreBets(1), seq=2)
    felt.tell("terminal", CALL, ev.BetPlaced(1, 1, "p1", "tie", 500), seq=1)
    assert verdict_on(felt.shoe, PAST_POSTED) == (0, {})
    late = Felt().ready().put(ev.CoupOpened(1))
    late.tell("terminal", CALL, ev.BetPlaced(1, 1, "p1", "tie", 500), seq=2)
    late.tell("terminal", CALL, ev.NoMoreBets(1), seq=1)
    assert verdict_on(late.shoe, PAST_POSTED) == (1, {})


def test_packs_that_say_nothing_of_clocks_keep_their_words():
    # the classic packs stand in where a record names no rules
    silent = {name for name, text in shipped().items() if parse_pack(text).clocks is None}
    assert {"classic-4", "classic-6", "classic-8"} <= silent
    with pytest.raises(BadRulePack, match="does not fit"):
        parse_pack(CLASSIC + "\n[clocks]\njump_ms = 3\n")
    assert parse_pack(CLASSIC + "\n[clocks]\ntolerance_ms = 3\n").clocks == Clocks(3, None)


# -- The order as a whole -------------------------------------------------------------------------


def test_who_dealt_is_told_by_the_order_at_the_table():
    shoe = device_shoe("""
        chips 300 bet player 500
        terminal -20000 open
        terminal 0 call
    """)
    history = [*shoe.history]
    relief = msgspec.structs.replace(
        history[-1], index=len(history) + 1, version=len(history) + 1,
        position=len(history) + 1, device="pit", seq=1,
        at_us=history[-1].at_us - 10_000_000, payload=ev.CrewChanged("dealer", "bea"),
    )  # fmt: skip
    (found,) = audit_shoe(fold(shoe.stream, [*history, relief])).findings
    assert (found.code, found.dealer) == (PAST_POSTED, "bea")


def test_the_parts_of_a_shoe_and_its_explanation_use_the_same_order():
    shoe = device_shoe("terminal -20000 open\nchips 300 bet player 500\nterminal 0 call" + CARDS)
    assert [found.code for found in audit_part(shoe, [1])] == [PAST_POSTED]


PLANS = [("classic-8", 8, 1), ("midi", 6, 2), ("ez-baccarat", 8, 3), ("macau", 8, 4)]


def dealt(pack: str, decks: int, seed: int) -> Shoe:
    plan = ShoePlan(
        stream="shoe/S-1", pack=clocked(pack_text(pack)), decks=decks, start_us=CALL * 10**6
    )
    lineup = parse_lineup("flat:side=player,martingale,tie-lover,flat:unit=5000", 9)
    croupier = Dealer(plan, lineup, random.Random(seed))
    list(croupier.deal())
    return croupier.shoe


@pytest.mark.parametrize(("pack", "decks", "seed"), PLANS)
def test_a_shoe_that_three_devices_tell_in_their_own_time_is_clean(pack, decks, seed):
    true = dealt(pack, decks, seed)
    events = as_told(true.history, random.Random(seed))
    shoe = fold(true.stream, events)
    came = [event.payload for event in events]
    happened = [event.payload for event in true.history]
    assert came != happened
    audit = audit_shoe(shoe)
    assert audit.findings == []
    order = at_the_table(shoe).order
    assert order is not None
    assert not order.as_recorded
    _as_it_happened_but_within_the_tolerance(order.events, happened)
    assert looked(audit, PAST_POSTED) > 30


def looked(audit: ShoeAudit, code: str) -> int:
    return next(verdict.checked for verdict in audit.verdicts if verdict.code == code)


def _as_it_happened_but_within_the_tolerance(events, happened):
    """Two events stand the wrong way round only where their clocks could not tell."""
    place = {id(payload): n for n, payload in enumerate(happened)}
    by_place = [(place[id(event.payload)], event) for event in events]
    for at, (true, event) in enumerate(by_place):
        for other_true, other in by_place[at + 1 : at + 12]:
            if other_true < true:
                assert event.device != other.device
                assert abs(event.at_us - other.at_us) <= 250_000


def test_what_one_device_tells_costs_no_order():
    assert order_of(dealt("midi", 6, 5).history, Clocks(250)) is None


MOMENTS = st.one_of(st.none(), st.integers(-(10**6), 10**6), st.integers(0, 3))


@tries(37, 150)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("a", "b", "c", "")),
            MOMENTS,
            st.one_of(st.none(), st.integers(1, 50)),
            st.integers(0, 10**6),
        ),
        max_size=30,
    ),
    st.integers(0, 500),
    st.integers(0, 500),
)
def test_any_clocks_and_numbers_have_an_order_that_keeps_what_is_sure(rows, tolerance, jump):
    felt = Felt()
    for n, (device, at, seq, recorded) in enumerate(rows, 1):
        felt.tell(device, at, ev.PatronSeated(n, "p1"), seq=seq or 0, recorded_ms=recorded)
    order = order_of(felt.events, Clocks(tolerance, jump))
    if order is None:
        return
    assert sorted(event.index for event in order.events) == list(range(1, len(rows) + 2))
    assert [event.position for event in order.events] == list(range(1, len(rows) + 2))
    for before, after in zip(order.events, order.events[1:], strict=False):
        first, second = order.spans[before.position], order.spans[after.position]
        if before.device != after.device:
            assert second.latest + tolerance * 1000 >= first.earliest


def test_three_devices_tell_three_kinds_of_events():
    devices = {event.device for event in as_told(dealt("midi", 6, 9).history, random.Random(1))}
    assert devices == {device.name for device in DEVICES}
