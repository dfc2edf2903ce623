"""The order between a table's events and those of its shoes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import fold
from sabot.domain.state.table_context import limits_in_force
from sabot.domain.state.table_state import fold as fold_table
from tests.support.coup_notation import START_US
from tests.support.table_streams import (
    LARGE,
    LAWFUL,
    NARROW,
    SECOND_US,
    WIDE,
    coups,
    opened,
    outside,
    recorded,
    shoe_of,
    skipped,
)


def near_the_bet(rules, ms, lines=(LARGE, LARGE), then=WIDE):
    """A shoe whose table changes its limits so many milliseconds after the second coup's bet."""
    payloads = coups(*lines, rules=rules)
    bets = (
        n for n, each in enumerate(payloads) if isinstance(each, ev.BetPlaced) and each.coup == 2
    )
    place = next(bets)
    events = recorded(payloads, [(0, opened(NARROW)), (place + 1, ev.LimitsChanged(then))])
    (bet,) = (each for each in events if each.payload == payloads[place])
    (change,) = (each for each in events if isinstance(each.payload, ev.LimitsChanged))
    at = bet.at_us + 1000 * ms
    events[change.index - 1] = replace(change, at_us=at, recorded_us=max(at, bet.at_us + 1))
    return shoe_of(events)


def test_within_the_tolerance_of_the_clocks_nobody_knows_which_limits_stood():
    shoe = near_the_bet("midi", 200)
    assert outside(shoe) == [1]
    (reason,) = skipped(shoe)
    assert "doubtful" in reason


@pytest.mark.parametrize(("ms", "found"), [(900, [1, 2]), (-900, [1])])
def test_beyond_the_tolerance_the_clocks_tell(ms, found):
    shoe = near_the_bet("midi", ms)
    assert outside(shoe) == found
    assert skipped(shoe) == {}


@pytest.mark.parametrize(("line", "found"), [(LARGE, [1, 2]), (LAWFUL, [])])
def test_a_doubt_between_limits_that_say_the_same_is_none(line, found):
    shoe = near_the_bet("midi", 200, (line, line), (ev.Limit(200, 2000),))
    assert outside(shoe) == found
    assert skipped(shoe) == {}


def test_where_the_pack_states_no_tolerance_clocks_and_log_have_to_agree():
    shoe = near_the_bet("classic-8", -100)
    assert outside(shoe) == [1]
    (reason,) = skipped(shoe)
    assert "doubtful" in reason
    assert outside(near_the_bet("classic-8", 100)) == [1, 2]


def imported(rules, *, clocks=True):
    """A shoe whose table was recorded behind it, though it had opened an hour before."""
    payloads = coups(LARGE, rules=rules)
    events = recorded(payloads, [(len(payloads), opened(NARROW))])
    events[-1] = replace(events[-1], at_us=START_US - 3600 * SECOND_US if clocks else None)
    return events


def test_a_table_that_was_recorded_afterwards_is_read_by_its_clock():
    assert outside(shoe_of(imported("midi"))) == [1]


def test_events_without_a_clock_stand_as_the_log_has_them():
    after = [replace(each, at_us=None) for each in imported("midi", clocks=False)]
    assert outside(shoe_of(after)) == []
    before = [replace(each, at_us=None) for each in recorded(coups(LARGE), [(0, opened(NARROW))])]
    assert outside(shoe_of(before)) == [1]


def test_where_one_record_has_no_clock_the_logs_own_has_to_settle_it():
    events = recorded(coups(LARGE), [(0, opened(NARROW))])
    events[0] = replace(events[0], at_us=None)
    assert outside(shoe_of(events)) == [1]
    # the same, of a log that got all of it at once, years later
    later = [replace(each, recorded_us=each.recorded_us + 10**14) for each in events]
    assert outside(shoe_of(later)) == []
    (reason,) = skipped(shoe_of(later))
    assert "doubtful" in reason


def test_one_device_numbers_its_events_in_both_records():
    shoe_events = recorded(coups(LARGE), [(0, opened(NARROW))])
    same = [replace(each, device="d", seq=each.index, at_us=START_US) for each in shoe_events]
    assert outside(shoe_of(same)) == [1]


def test_a_shoe_whose_events_are_put_in_their_order_stays_at_its_table():
    """A chip reader's event comes late: the shoe is put together anew."""
    events = recorded(coups(LARGE, LARGE, rules="midi"), [(0, opened(NARROW))])
    late = next(n for n, each in enumerate(events) if each.payload == ev.NoMoreBets(2))
    call, bet = events[late], events[late - 1]
    came = [
        replace(call, version=bet.version, position=bet.position, index=bet.index),
        replace(
            bet,
            version=call.version,
            position=call.position,
            index=call.index,
            device="chips",
            seq=1,
        ),
    ]
    shoe = shoe_of([*events[: late - 1], *came, *events[late + 1 :]])
    assert isinstance(bet.payload, ev.BetPlaced)
    assert outside(shoe) == [1, 2]


class Reference:
    """What may have stood at a moment, found by looking at all that the table's record has.

    For events with clocks that the log never caught ahead, of two devices.
    """

    def __init__(self, told, tolerance_us):
        self.told, self.tolerance_us = told, tolerance_us

    def came_first(self, told, event):
        apart = event.at_us - told.at_us
        if self.tolerance_us is None:
            by_clock = apart > 0 or (apart == 0 and told.index < event.index)
            return by_clock if by_clock == (told.index < event.index) or apart == 0 else None
        if abs(apart) <= self.tolerance_us:
            return None
        return apart > 0

    def when(self, event):
        stood = [()]
        for told in self.told:
            first = self.came_first(told, event)
            if first:
                stood = []
            if first is not False:
                stood.append(told.payload.limits)
        return set(stood)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12),
    st.sampled_from(["midi", "classic-8"]),
    st.integers(0, 2),
)
def test_what_stood_is_what_a_look_at_the_whole_record_tells(told, rules, late):
    """Clocks in any disorder, a quarter of a second apart; the log has them 60 s later, or at once.

    The tolerance of midi is 250 ms, so that clocks one step apart are doubtful there.
    """
    quarter, delay = 250_000, (0, 60 * SECOND_US, 10**12)[late]
    payloads = coups(LAWFUL, rules=rules)
    shoe_events, table_events = [], []
    index = 0
    for place, payload in enumerate(payloads):
        for n, (where, clock) in enumerate(told):
            if where == place:
                index += 1
                at = START_US + clock * quarter
                change = ev.LimitsChanged((ev.Limit(n, 1000 + n),))
                table_events.append(
                    RecordedEvent(
                        index, "table/T1", len(table_events) + 1, at,
                        START_US + 10 * SECOND_US + delay + index, "", "pit", None, change,
                        position=len(table_events) + 1,
                    )
                )  # fmt: skip
        index += 1
        at = START_US + place * quarter
        shoe_events.append(
            RecordedEvent(
                index, "shoe/H-1", place + 1, at, START_US + 10 * SECOND_US + delay + index, "",
                "felt", None, payload,
            position=place + 1)
        )  # fmt: skip
    shoe = fold("shoe/H-1", shoe_events)
    shoe.at_table = fold_table("table/T1", table_events)
    tolerance = quarter if rules == "midi" else None
    reference = Reference(table_events, tolerance)
    for event in shoe.history:
        assert set(limits_in_force(shoe, event)) == reference.when(event)
