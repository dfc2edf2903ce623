"""How users name a moment, and which events came before it."""

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import (
    Index,
    Time,
    events_until,
    format_time,
    parse_moment,
    with_table_times,
)
from sabot.domain.values.errors import BadInput
from tests.support.for_each import for_each


@for_each(
    ("text", "moment"),
    [
        ("123", Index(123)),
        ("#123", Index(123)),
        (" #7 ", Index(7)),
        ("20260101", Index(20_260_101)),
        ("2026-01-01", Time(1_767_225_600_000_000)),
        ("2026-01-01T20:00", Time(1_767_297_600_000_000)),
        ("2026-01-01T20:00:00Z", Time(1_767_297_600_000_000)),
        ("2026-01-01 20:00:00.25", Time(1_767_297_600_250_000)),
        ("2026-01-01T21:00:00+01:00", Time(1_767_297_600_000_000)),
        ("1969-12-31T23:59:59.999999Z", Time(-1)),
    ],
)
def test_a_moment_as_people_write_it(text, moment):
    assert parse_moment(text) == moment


@for_each(
    "text",
    [
        "", "#", "#0", "0", "-1", "1e3", "12.5", "#12#", "20:00", "yesterday", "2026-13-01",
        "2026-01-01T25:00", "2026-01-01T20:00+99:00", "١٢", "1_0", "9" * 17, "#" + "9" * 5000,
        "\x1b[2J", "2026-01-01T20:00:00Z\x00",
    ],
)  # fmt: skip
def test_what_is_no_moment_is_told_so_with_the_next_step(text):
    with pytest.raises(BadInput, match="2026-01-01T20:00:00Z") as error:
        parse_moment(text)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize(
    ("text", "latest", "moment"),
    [
        ("21:15", "2026-01-02T03:00:00Z", "2026-01-01T21:15:00Z"),
        ("21:15", "2026-01-01T21:15:00Z", "2026-01-01T21:15:00Z"),
        ("21:15:00.5", "2026-01-01T21:15:00Z", "2025-12-31T21:15:00.5Z"),
        ("21:15Z", "2026-01-01T23:00:00Z", "2026-01-01T21:15:00Z"),
        ("21:15+08:00", "2026-01-01T14:00:00Z", "2026-01-01T13:15:00Z"),
        ("23:30-10:00", "2026-01-01T08:00:00Z", "2025-12-31T09:30:00Z"),
        ("02:00+14:00", "2026-01-01T13:00:00Z", "2026-01-01T12:00:00Z"),
    ],
)
def test_a_time_without_its_date_is_the_last_that_was_reached(text, latest, moment):
    assert str(parse_moment(text, lambda: parse_moment(latest).us)) == moment


@pytest.mark.parametrize("text", ["21:15", "24:00", "2026-01-01T24:00", "21:61", "21:15:99"])
def test_a_time_without_its_date_needs_a_record_and_a_clock(text):
    with pytest.raises(BadInput, match="2026-01-01T20:00:00Z"):
        parse_moment(text)
    if text != "21:15":
        with pytest.raises(BadInput, match="neither an event nor a time"):
            parse_moment(text, lambda: 0)


@given(st.datetimes())
def test_a_time_written_is_the_time_read(when):
    us = parse_moment(when.isoformat()).us
    assert parse_moment(format_time(us)) == Time(us)


def events(*clocks):
    """Events of a stream: table clock, and the log's clock at 1000 + index."""
    return [
        RecordedEvent(n, "shoe/x", n, at, 1000 + n, "", "d", n, ev.NoMoreBets(n), position=n)
        for n, at in enumerate(clocks, 1)
    ]


def versions(some):
    return [event.version for event in some]


def test_an_index_cuts_the_stream_and_includes_its_event():
    assert versions(events_until(events(1, 2, 3), Index(2))) == [1, 2]
    assert versions(events_until(events(1, 2, 3), Index(99))) == [1, 2, 3]
    assert versions(events_until(events(1, 2, 3), None)) == [1, 2, 3]


def test_a_time_includes_what_happened_at_it():
    assert versions(events_until(events(10, 20, 30), Time(20))) == [1, 2]
    assert versions(events_until(events(10, 20, 30), Time(9))) == []


def test_a_event_that_came_late_counts_from_when_it_happened():
    assert versions(events_until(events(10, 20, 30, 12), Time(15))) == [1, 4]


def test_one_clock_far_in_the_future_hides_its_own_event_alone():
    assert versions(events_until(events(10, 9999, 11, 12), Time(12))) == [1, 3, 4]


def test_without_a_clock_of_its_own_a_event_is_as_late_as_the_one_before_it():
    assert versions(events_until(events(10, None, 30, None), Time(10))) == [1, 2]


def test_where_the_table_gave_no_clock_the_logs_own_counts():
    assert [clock for _event, clock in with_table_times(events(None, None, 5))] == [1001, 1002, 5]


def test_a_time_without_a_zone_is_in_the_zone_given():
    paris = ZoneInfo("Europe/Paris")
    # summer time, two hours ahead of UTC; winter time, one hour
    assert str(parse_moment("2026-07-01T21:15", zone=paris)) == "2026-07-01T19:15:00Z"
    assert str(parse_moment("2026-01-01T21:15", zone=paris)) == "2026-01-01T20:15:00Z"
    assert str(parse_moment("2026-07-01T21:15Z", zone=paris)) == "2026-07-01T21:15:00Z"
    # 2026-07-01T20:00:00Z is 22:00 in Paris
    latest = 1_782_936_000_000_000
    assert str(parse_moment("21:15", lambda: latest, paris)) == "2026-07-01T19:15:00Z"
