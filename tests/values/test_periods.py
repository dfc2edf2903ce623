"""Gaming days and shifts by the local clock, over clock changes."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.values.periods import (
    GamingDays,
    Period,
    Shift,
    parse_clock,
    parse_day,
    parse_shift,
)

PARIS = ZoneInfo("Europe/Paris")
SHIFTS = tuple(
    parse_shift(*each)
    for each in (("day", "06:00-14:00"), ("swing", "14:00-22:00"), ("night", "22:00-06:00"))
)
CASINO = GamingDays(PARIS, time(6), SHIFTS)
HOUR = 3_600_000_000


def utc(text: str) -> int:
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        microseconds=1
    )


def spans(period: Period) -> tuple[int | None, int | None]:
    return period.from_us, period.to_us


# A row a gaming day of Paris that begins at 06:00: its date, its moments in UTC, its hours.
# The clocks go forward on 29 March 2026 at 01:00 UTC and back on 25 October 2026 at 01:00 UTC.
@pytest.mark.parametrize(
    ("day", "begins", "ends", "hours"),
    [
        ("2026-03-27", "2026-03-27T05:00Z", "2026-03-28T05:00Z", 24),
        ("2026-03-28", "2026-03-28T05:00Z", "2026-03-29T04:00Z", 23),
        ("2026-10-24", "2026-10-24T04:00Z", "2026-10-25T05:00Z", 25),
        ("2026-12-31", "2026-12-31T05:00Z", "2027-01-01T05:00Z", 24),
    ],
)
def test_a_gaming_day_of_paris(day, begins, ends, hours):
    period = CASINO.day(parse_day(day))
    assert spans(period) == (utc(begins), utc(ends))
    assert utc(ends) - utc(begins) == hours * HOUR


@pytest.mark.parametrize(
    ("day", "begins", "ends"),
    [
        ("2026-11-21", "2026-11-21T21:00Z", "2026-11-22T05:00Z"),  # over midnight: 8 hours
        ("2026-03-28", "2026-03-28T21:00Z", "2026-03-29T04:00Z"),  # 7 hours: clocks go forward
        ("2026-10-24", "2026-10-24T20:00Z", "2026-10-25T05:00Z"),  # 9 hours: clocks go back
    ],
)
def test_the_night_shift_of_paris(day, begins, ends):
    assert spans(CASINO.shift(parse_day(day), "night")) == (utc(begins), utc(ends))


# 02:30 does not occur on 29 March 2026, and occurs twice on 25 October.
@pytest.mark.parametrize(
    ("day", "begins"), [("2026-03-29", "2026-03-29T01:00Z"), ("2026-10-25", "2026-10-25T00:30Z")]
)
def test_a_day_that_begins_at_a_skipped_or_repeated_time(day, begins):
    assert GamingDays(PARIS, time(2, 30)).day(parse_day(day)).from_us == utc(begins)


def test_the_border_belongs_to_the_day_that_begins():
    at = utc("2026-11-22T05:00Z")
    assert (CASINO.day_of(at - 1), CASINO.day_of(at)) == (date(2026, 11, 21), date(2026, 11, 22))
    assert [CASINO.shift_of(us).name for us in (at - 1, at)] == ["night", "day"]  # type: ignore[union-attr]


ZONES = st.sampled_from(
    [
        "Europe/Paris",
        "America/New_York",
        "America/Sao_Paulo",  # the clocks changed at midnight
        "Australia/Lord_Howe",  # by half an hour
        "Pacific/Apia",  # 30 December 2011 was left out
        "Asia/Macau",
    ]
).map(ZoneInfo)
CLOCKS = st.builds(time, st.integers(0, 23), st.integers(0, 59))
DAYS = st.dates(date(2005, 1, 1), date(2030, 1, 1))
MOMENTS = st.integers(utc("2005-01-01T00:00Z"), utc("2030-01-01T00:00Z"))


@st.composite
def casinos(draw):
    """Casinos whose shifts fill the gaming day, cut at any minutes of it."""
    starts = draw(CLOCKS)
    cuts = sorted(draw(st.sets(st.integers(1, 24 * 60 - 1), max_size=4)))
    clocks = [
        (datetime.combine(date(2026, 1, 1), starts) + timedelta(minutes=cut)).time()
        for cut in (0, *cuts, 0)
    ]
    shifts = tuple(Shift(f"s{n}", *two) for n, two in enumerate(pairwise(clocks)))
    return GamingDays(draw(ZONES), starts, shifts)


@given(casinos(), DAYS)
@example(GamingDays(ZoneInfo("Pacific/Apia"), time(6)), date(2011, 12, 29))
@example(GamingDays(ZoneInfo("America/Sao_Paulo")), date(2017, 10, 14))
def test_each_day_ends_where_the_next_begins(casino, day):
    period, after = casino.day(day), casino.day(day + timedelta(days=1))
    assert period.to_us == after.from_us
    assert not period.is_empty


@given(casinos(), MOMENTS)
def test_a_moment_is_in_its_day_and_in_no_other(casino, us):
    day = casino.day_of(us)
    around = [day + timedelta(days=n) for n in range(-2, 3)]
    assert [each for each in around if casino.day(each).holds(us)] == [day]


IN_THE_GAP = GamingDays(
    PARIS, time(2, 15), (parse_shift("a", "02:15-02:45"), parse_shift("b", "02:45-02:15"))
)


@given(casinos(), DAYS)
@example(IN_THE_GAP, date(2026, 3, 29))
def test_shifts_follow_one_another_through_the_day(casino, day):
    whole = casino.day(day)
    at = whole.from_us
    for shift in casino.shifts:
        period = casino.shift(day, shift.name)
        assert period.from_us == at
        assert period.from_us <= period.to_us
        at = period.to_us
    assert at == whole.to_us


@given(casinos(), MOMENTS)
def test_a_moment_is_in_one_shift(casino, us):
    day = casino.day_of(us)
    held = [each for each in casino.shifts if casino.shift(day, each.name).holds(us)]
    assert held == [casino.shift_of(us)]


BOUNDS = st.none() | st.integers(-5, 5)


@given(st.builds(Period, BOUNDS, BOUNDS), st.builds(Period, BOUNDS, BOUNDS), st.integers(-6, 6))
def test_what_two_periods_have_in_common_is_in_both(one, other, us):
    common = one.common(other)
    assert common.holds(us) == (one.holds(us) and other.holds(us))
    assert not (common.is_empty and common.holds(us))


@pytest.mark.parametrize(
    ("shifts", "told"),
    [
        ([("night", "22:00-07:00")], "runs past the start of the gaming day, 06:00"),
        ([("all", "08:00-08:00")], "runs past the start of the gaming day"),
        ([("a", "06:00-14:00"), ("b", "13:00-22:00")], "'b' begins before shift 'a' ends"),
        ([("b", "14:00-22:00"), ("a", "06:00-14:00")], "in their order"),
        ([("a", "06:00-14:00"), ("a", "14:00-22:00")], "given twice"),
    ],
)
def test_shifts_that_cannot_be(shifts, told):
    with pytest.raises(BadInput, match=told):
        GamingDays(PARIS, time(6), tuple(parse_shift(*each) for each in shifts))


def test_words_that_are_no_times():
    for parse, text in (
        (parse_day, "22 November"),
        (parse_day, "2026-02-30"),
        (parse_day, "20261122"),
        (parse_clock, "24:00"),
        (parse_clock, "6"),
    ):
        with pytest.raises(BadInput, match="write for example"):
            parse(text)
    with pytest.raises(BadInput, match="write for example"):
        parse_shift("night", "22:00")
    with pytest.raises(NotFound, match="did you mean 'night'"):
        CASINO.shift(date(2026, 1, 1), "nights")
    with pytest.raises(NotFound, match="no shift is configured"):
        GamingDays().shift(date(2026, 1, 1), "night")
    for day in (date.max, date.min):
        with pytest.raises(BadInput, match="out of range"):
            GamingDays(ZoneInfo("Asia/Macau"), time(6)).day(day)
