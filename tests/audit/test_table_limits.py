"""The limits in a table's record apply to shoes without limits of their own."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, fast_path
from sabot.domain.audit.coup_profile import CoupProfiles
from sabot.domain.audit.coup_view import cashier_of
from sabot.infrastructure.rule_packs import pack_text
from tests.support.rule_examples import with_key
from tests.support.table_streams import (
    CREW,
    LARGE,
    LAWFUL,
    NARROW,
    OUTSIDE,
    WIDE,
    before_coup,
    coups,
    opened,
    outside,
    recorded,
    shoe_of,
    skipped,
)


def test_a_bet_is_held_against_the_limits_of_its_table():
    payloads = coups(LARGE, LAWFUL, LARGE)
    shoe = shoe_of(recorded(payloads, [(0, opened(NARROW))]))
    found = [each for each in audit_shoe(shoe).findings if each.code == OUTSIDE]
    assert [(each.coup, each.expected, each.observed) for each in found] == [
        (1, "1.00 EUR to 10.00 EUR, by the record of table T1", "500.00 EUR"),
        (3, "1.00 EUR to 10.00 EUR, by the record of table T1", "500.00 EUR"),
    ]
    assert skipped(shoe) == {}


def test_without_a_record_of_the_table_nothing_is_otherwise():
    shoe = shoe_of(recorded(coups(LARGE, LAWFUL)))
    assert outside(shoe) == []
    assert skipped(shoe) == {"the record gives no limits": 2}


def test_a_table_that_tells_of_no_limits_gives_none():
    shoe = shoe_of(recorded(coups(LARGE), [(0, opened(crew=CREW))]))
    assert outside(shoe) == []
    assert skipped(shoe) == {"the record gives no limits": 1}


@pytest.mark.parametrize("before", [1, 2])
def test_the_tables_limits_are_not_corrected_after_the_bet(before):
    """The maximum of 10.00 becomes 1000.00, before or after the bet of 500.00 in coup 2."""
    payloads = coups(LAWFUL, LARGE, LAWFUL)
    wider = ev.EventCorrected(1, "misread", instead=opened(WIDE), by="max")
    place = before_coup(payloads, before + 1)
    table = [(0, opened(NARROW)), (place, wider)]
    found = audit_shoe(shoe_of(recorded(payloads, table))).findings
    assert [each.number for each in found] == ([] if before == 1 else ["R413"])
    if found:
        assert "L201 bet-outside-limits, p1's 500.00 EUR on Player" in found[0].message


@pytest.mark.parametrize(("own", "found"), [(NARROW, [1]), (WIDE, [])])
def test_the_limits_of_the_shoes_own_record_come_first(own, found):
    table = WIDE if own is NARROW else NARROW
    shoe = shoe_of(recorded(coups(LARGE, limits=own), [(0, opened(table))]))
    assert outside(shoe) == found


def test_the_shoes_own_limits_hold_from_where_it_tells_of_them():
    payloads = coups(LARGE, LARGE)
    payloads.insert(before_coup(payloads, 2), ev.LimitsChanged(WIDE))
    assert outside(shoe_of(recorded(payloads, [(0, opened(NARROW))]))) == [1]


def test_limits_that_the_shoe_takes_away_are_not_those_of_the_table():
    payloads = coups(LARGE, LARGE)
    payloads.insert(before_coup(payloads, 2), ev.LimitsChanged(()))
    assert outside(shoe_of(recorded(payloads, [(0, opened(NARROW))]))) == [1]


@pytest.mark.parametrize(("first", "then", "found"), [(NARROW, WIDE, [1]), (WIDE, NARROW, [2])])
def test_limits_that_the_table_changes_hold_from_then_on(first, then, found):
    payloads = coups(LARGE, LARGE)
    change = (before_coup(payloads, 2), ev.LimitsChanged(then))
    assert outside(shoe_of(recorded(payloads, [(0, opened(first)), change]))) == found


def test_of_limits_before_the_shoe_the_last_hold_and_of_those_after_it_none():
    payloads = coups(LARGE)
    table = [
        (0, opened(NARROW)),
        (0, ev.LimitsChanged(WIDE)),
        (len(payloads), ev.LimitsChanged(NARROW)),
    ]
    assert outside(shoe_of(recorded(payloads, table))) == []


def test_limits_that_the_table_tells_of_only_later_hold_for_no_bet_before():
    payloads = coups(LARGE, LARGE)
    shoe = shoe_of(recorded(payloads, [(before_coup(payloads, 2), ev.LimitsChanged(NARROW))]))
    assert outside(shoe) == [2]
    assert skipped(shoe) == {"the record gives no limits for that time": 1}


def test_limits_hang_at_the_table_over_an_opening_that_states_none():
    table = [(0, opened(NARROW)), (0, ev.TableClosed(1)), (0, opened())]
    assert outside(shoe_of(recorded(coups(LARGE), table))) == [1]


def test_a_correction_at_the_table_counts():
    table = [(0, opened(NARROW)), (0, ev.EventCorrected(1, "misread", instead=opened(WIDE)))]
    assert outside(shoe_of(recorded(coups(LARGE), table))) == []


def test_a_bet_that_a_tie_left_is_judged_by_the_limits_when_it_was_made():
    payloads = coups("p1 player 5000 | P 4 5  B K 9", "+p1 player 5000 | P 4 5  B K 8")
    change = (before_coup(payloads, 2), ev.LimitsChanged(NARROW))
    assert outside(shoe_of(recorded(payloads, [(0, opened(WIDE)), change]))) == []


def test_the_limits_of_the_table_come_before_those_of_the_pack():
    text = with_key(pack_text("classic-8"), "limits.minimum = 100")
    text = with_key(text, "limits.maximum = 1000")
    assert outside(shoe_of(recorded(coups(LARGE, rules=text)))) == [1]
    shoe = shoe_of(recorded(coups(LARGE, rules=text), [(0, opened(WIDE))]))
    assert outside(shoe) == []


def test_several_bets_of_a_patron_are_held_together_against_the_limits_of_the_table():
    text = with_key(pack_text("classic-8"), 'limits.per = "patron"')
    payloads = coups("p1 player 600, p1 player 700 | P 4 5  B K 8", rules=text)
    (found,) = audit_shoe(shoe_of(recorded(payloads, [(0, opened(NARROW))]))).findings
    assert (found.number, found.observed) == ("L205", "13.00 EUR")
    assert audit_shoe(shoe_of(recorded(payloads, [(0, opened(WIDE))]))).findings == []
    assert skipped(shoe_of(recorded(payloads)), found.code) == {"the record gives no limits": 1}


def test_what_lies_above_the_maximum_of_the_table_goes_back():
    text = with_key(pack_text("classic-8"), 'limits.accepted = "capped"')
    payloads = coups("p1 player 1500 | P 4 5  B K 8", rules=text)
    found = audit_shoe(shoe_of(recorded(payloads, [(0, opened(NARROW))]))).findings
    # 15.00 were paid where 10.00 could be won
    (capped,) = [each for each in found if each.code == "excess-over-limit-not-returned"]
    assert capped.money.patrons == {"p1": 500}
    assert audit_shoe(shoe_of(recorded(payloads, [(0, opened(WIDE))]))).findings == []


def test_limits_of_the_table_keep_the_proportion_that_the_pack_asks_for():
    payloads = coups("p1 player 500 | P 4 5  B K 8", rules="france")
    code = "limit-ratio-not-permitted"
    near = shoe_of(recorded(payloads, [(0, opened((ev.Limit(100, 5000),)))]))
    assert code not in {each.code for each in audit_shoe(near).findings}
    assert skipped(near, code) == {}
    before = [(0, opened((ev.Limit(100, 700),))), (0, ev.LimitsChanged((ev.Limit(100, 900),)))]
    found = audit_shoe(shoe_of(recorded(payloads, before))).findings
    # what was replaced before the shoe is none of it
    assert [each.observed for each in found if each.code == code] == ["1.00 EUR to 9.00 EUR"]


UPSIDE_DOWN = (ev.Limit(1000, 100),)


@pytest.mark.parametrize("own", [(), NARROW])
@pytest.mark.parametrize("told", [opened(UPSIDE_DOWN), ev.LimitsChanged(UPSIDE_DOWN)])
def test_a_minimum_above_the_maximum_is_found_in_the_record_of_the_table(told, own):
    payloads = coups(LAWFUL, LAWFUL, limits=own)
    places = (0, before_coup(payloads, 2), len(payloads))
    shoes = [shoe_of(recorded(payloads, [(place, told)])) for place in places]
    found = [[each.number for each in audit_shoe(shoe).findings] for shoe in shoes]
    assert found == [["L208"], ["L208"], []]


@pytest.mark.parametrize(("displayed", "found"), [(False, 1), (True, 0), (None, 0)])
def test_a_change_at_the_table_is_displayed(displayed, found):
    payloads = coups(LAWFUL, LAWFUL, rules="france")
    change = ev.LimitsChanged((ev.Limit(100, 10_000),), displayed=displayed)
    table = [(0, opened((ev.Limit(100, 5000),))), (before_coup(payloads, 2), change)]
    codes = [each.code for each in audit_shoe(shoe_of(recorded(payloads, table))).findings]
    assert codes.count("limit-change-not-displayed") == found


_CHANGES = st.lists(
    # many of them before the shoe
    st.tuples(st.just(0) | st.integers(0, 60), st.sampled_from([NARROW, WIDE, ()])),
    max_size=4,
)
_CLOCKED = {
    "all": lambda _event: True,
    "none": lambda _event: False,
    "the table": lambda event: event.stream == "table/T1",
    "the shoe": lambda event: event.stream == "shoe/H-1",
    "some of the shoe": lambda event: event.stream == "shoe/H-1" and event.index % 3 > 0,
}


@given(
    _CHANGES,
    st.sampled_from([None, 10, 30]),
    st.sampled_from([(), NARROW]),
    st.sampled_from(sorted(_CLOCKED)),
    st.sampled_from([0, 10, 10**6]),
)
@example([(0, NARROW), (0, WIDE)], None, (), "some of the shoe", 10**6)
def test_coups_are_answered_alike_by_their_shapes_and_closely(table, own, loaded, clocked, late):
    """Wherever limits are told, whatever has a clock, however many seconds later the log got it."""
    payloads = coups(LARGE, LAWFUL, LAWFUL, LARGE, limits=loaded)
    if own is not None:
        payloads.insert(own, ev.LimitsChanged(WIDE))
    events = [
        replace(
            each,
            at_us=each.at_us if _CLOCKED[clocked](each) else None,
            recorded_us=each.recorded_us + late * 1_000_000,
        )
        for each in recorded(
            payloads, [(place, ev.LimitsChanged(limits)) for place, limits in table]
        )
    ]
    shoe = shoe_of(events)
    quick = audit_shoe(shoe)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_path, "has_profiles", lambda _shoe: False)
        closely = audit_shoe(shoe)
    assert (quick.findings, quick.verdicts) == (closely.findings, closely.verdicts)


def test_a_coup_within_the_limits_of_its_table_is_answered_by_its_profile():
    payloads = coups(LAWFUL, LARGE)
    profiles = {}
    for limits in (NARROW, WIDE):
        shoe = shoe_of(recorded(payloads, [(0, opened(limits))]))
        told = CoupProfiles(shoe, cashier_of(shoe))
        profiles[limits] = [told.profile_of(coup).profile.within for coup in shoe.coups.values()]
    assert profiles == {NARROW: [True, False], WIDE: [True, True]}
