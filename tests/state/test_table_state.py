"""A table's tray and drop box, corrections, and misplaced events."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.table_state import Table, evolve, fold


def events_of(*payloads: ev.Event) -> list[RecordedEvent]:
    return [
        RecordedEvent(n, "table/T1", n, n, n, "pit", "d", n, payload, position=n)
        for n, payload in enumerate(payloads, 1)
    ]


def table_of(*payloads: ev.Event) -> Table:
    return fold("table/T1", events_of(*payloads))


EVENING = (
    ev.TableOpened(
        10_000_000, "punto-banco", "EUR", (ev.Crew("dealer", "ann"),), (ev.Limit(1, 2),)
    ),
    ev.ChipsBought("p1", 500_000),
    ev.TableFilled(2_000_000, "F-1"),
    ev.ChipsBought("p2", 300_000),
    ev.CreditSent(1_000_000, "C-1"),
    ev.TableClosed(10_450_000),
    ev.DropCounted(800_000, "count room"),
)


def test_win_is_what_the_tray_and_the_box_gained_beyond_what_the_cage_brought():
    # 10.45M + 1M credit + 0.8M drop - 10M opening - 2M fill = 0.25M
    (session,) = table_of(*EVENING).sessions
    assert session.win == 250_000
    assert session.hold == Fraction(250_000, 800_000) == Fraction(5, 16)
    assert session.missing == ()


def test_a_table_that_lost():
    (session,) = table_of(ev.TableOpened(100), ev.TableClosed(40), ev.DropCounted(10)).sessions
    assert session.win == -50
    assert session.hold == -5


@pytest.mark.parametrize(
    ("known", "missing", "estimate"),
    [
        (EVENING[:1], ("closing", "drop"), None),
        (EVENING[:6], ("drop",), 250_000),
        (EVENING[1:], ("opening",), None),
    ],
)
def test_what_is_not_known_yet_is_said_and_not_guessed(known, missing, estimate):
    (session,) = table_of(*known).sessions
    assert session.missing == missing
    assert session.win is None
    assert session.hold is None
    assert session.estimated_win == estimate


def test_an_empty_box_holds_nothing_so_there_is_no_hold():
    (session,) = table_of(ev.TableOpened(5), ev.TableClosed(5), ev.DropCounted(0)).sessions
    assert session.win == 0
    assert session.hold is None


def test_two_boxes_add_up_and_belong_to_the_session_before_the_next_opening():
    table = table_of(
        ev.TableOpened(100),
        ev.TableClosed(100),
        ev.DropCounted(7),
        ev.DropCounted(8),
        ev.TableOpened(100),
        ev.TableClosed(90),
        ev.DropCounted(1),
    )
    assert [(s.number, s.drop, s.win) for s in table.sessions] == [(1, 15, 15), (2, 1, -9)]


def test_a_corrected_count_counts_once_at_its_place():
    table = table_of(
        *EVENING, ev.EventCorrected(7, "the box held more", instead=ev.DropCounted(900_000))
    )
    assert table.sessions[0].win == 350_000
    assert len(table.corrections) == 1
    assert [type(event.payload) for event in table.history][6] is ev.DropCounted


def test_an_opening_that_was_none_leaves_the_money_where_somebody_sees_it():
    table = table_of(*EVENING[:6], ev.EventCorrected(1, "another table"))
    (session,) = table.sessions
    assert session.opened is None
    assert session.bought == 800_000
    assert session.missing == ("opening", "drop")


def test_crew_and_limits_change_and_the_pack_is_the_last_adopted():
    table = table_of(
        *EVENING[:1],
        ev.RulePackAdopted("classic-8", "1", "0" * 64),
        ev.CrewChanged("supervisor", "sue"),
        ev.CrewChanged("dealer", None),
        ev.LimitsChanged((ev.Limit(5, 6),)),
        ev.RulePackAdopted("super-6", "1", "1" * 64),
    )
    assert table.is_open
    assert table.crew == {"supervisor": "sue"}
    assert table.limits == (ev.Limit(5, 6),)
    assert table.pack is not None
    assert table.pack.pack == "super-6"
    assert len(table.packs) == 2


def test_a_second_closing_is_kept_as_a_stray_and_changes_no_money():
    table = table_of(*EVENING[:6], ev.TableClosed(1))
    assert table.sessions[0].closing == 10_450_000
    assert len(table.unmatched_events) == 1
    assert not table.is_open


def test_a_shoes_event_in_a_tables_stream_is_a_stray():
    assert len(table_of(ev.NoMoreBets(1)).unmatched_events) == 1


AMOUNTS = st.integers(0, 10**9)
MONEY = st.one_of(
    st.builds(ev.TableOpened, AMOUNTS),
    st.builds(ev.TableClosed, AMOUNTS),
    st.builds(ev.ChipsBought, st.just("p"), AMOUNTS),
    st.builds(ev.TableFilled, AMOUNTS),
    st.builds(ev.CreditSent, AMOUNTS),
    st.builds(ev.DropCounted, AMOUNTS),
    st.builds(ev.CrewChanged, st.just("dealer"), st.sampled_from(["ann", None])),
)
CORRECTIONS = st.builds(
    ev.EventCorrected, st.integers(1, 20), st.just("why"), st.none(), st.one_of(st.none(), MONEY)
)


@given(st.lists(st.one_of(MONEY, CORRECTIONS), max_size=20))
def test_one_by_one_is_the_same_as_folded_whole(payloads):
    events = events_of(*payloads)
    table = Table("table/T1")
    for event in events:
        table = evolve(table, event)
    assert table == fold("table/T1", events)


@given(st.lists(MONEY, max_size=20))
def test_no_money_is_lost_between_sessions(payloads):
    table = table_of(*payloads)
    for kind, total in (
        (ev.TableFilled, sum(s.fills for s in table.sessions)),
        (ev.CreditSent, sum(s.credits for s in table.sessions)),
        (ev.ChipsBought, sum(s.bought for s in table.sessions)),
        (ev.DropCounted, sum(s.drop or 0 for s in table.sessions)),
    ):
        assert total == sum(payload.amount for payload in payloads if isinstance(payload, kind))


def test_who_stood_where_and_how_long_and_what_was_kept_for_its_owner():
    crew = (ev.Crew("supervisor", "sue"), ev.Crew("dealer", "ann"))
    kept = ev.AbandonedKept("A-1", 500, "H-1", 3, 1)
    claimed = ev.AbandonedClaimed("A-1", 500, "p1")
    relieved = ev.CrewChanged("dealer", "bob")
    table = table_of(ev.TableOpened(5, crew=crew), relieved, kept, claimed, ev.TableClosed(5))
    stood = {(each.person, each.since.version, each.until.version) for each in table.posts}
    assert stood == {("sue", 1, 5), ("ann", 1, 2), ("bob", 2, 5)}
    assert table.crew == {}
    assert [event.version for event in (*table.kept, *table.claimed)] == [3, 4]
