"""The record of a table is read once for all its shoes, and as it grows."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from benchmarks.audit_evenings import PACKS, audited, evening
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.audits.audit_follow import AuditFollower
from sabot.infrastructure.audits.audit_run import audit_streams, load_floor, load_shoe, shoe_streams
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_records import Tables
from tests.support.coup_notation import START_US
from tests.support.table_streams import (
    CREW,
    LARGE,
    LAWFUL,
    NARROW,
    OUTSIDE,
    OVERPAID,
    SECOND_US,
    WIDE,
    WRONG,
    coups,
    opened,
    recorded,
)
from tests.support.thorough import one_store, slow

pytestmark = one_store


def drafts(events):
    return [NewEvent(each.stream, each.payload, each.at_us, "ann", each.device) for each in events]


def two_shoes():
    """Two shoes at T1 with a bet of 500.00 each. Before the second the table changes its limits."""
    first = recorded(coups(LARGE, OVERPAID), [(0, opened(NARROW, CREW))])
    second = coups(LARGE, OVERPAID, stream="shoe/H-2")
    payloads = [
        NewEvent("table/T1", ev.LimitsChanged(WIDE)),
        NewEvent("table/T1", ev.CrewChanged("dealer", "yan")),
    ]
    payloads += [NewEvent("shoe/H-2", payload) for payload in second]
    # somewhere else nobody bets more than 10.00
    other = NewEvent("table/T2", opened(NARROW, (ev.Crew("dealer", "eve"),)))
    begun = [*drafts(first), other, *payloads]
    return [
        replace(each, at_us=START_US + n * SECOND_US, device=each.stream)
        for n, each in enumerate(begun, 1)
    ]


FOUND = [
    ("H-1", OUTSIDE, 1, "zoe"),
    ("H-1", WRONG, 2, "zoe"),
    ("H-2", WRONG, 2, "yan"),
]


def told(audits):
    return [
        (each.shoe, each.code, each.coup, each.dealer) for one in audits for each in one.findings
    ]


def test_shoes_are_judged_by_the_record_of_their_table_one_or_all(log):
    log.append(two_shoes())
    everything = list(audit_streams(log, shoe_streams(log)))
    assert told(everything) == FOUND
    one = list(audit_streams(log, shoe_streams(log, ["H-2"])))
    assert one[0].findings == everything[1].findings
    assert audit_shoe(load_shoe(log, "shoe/H-1")).findings == everything[0].findings


@slow
def test_many_processes_find_the_same(database_url):
    with EventLog.open(database_url) as log:
        log.append(two_shoes())
        alone = list(audit_streams(log, shoe_streams(log)))
        shared = list(audit_streams(log, shoe_streams(log), workers=2))
    assert [each.findings for each in shared] == [each.findings for each in alone]
    assert told(shared) == FOUND


@slow
def test_the_record_of_the_table_is_read_up_to_the_index_asked_for(log):
    payloads = coups(LARGE)
    log.append(drafts(recorded(payloads, [(0, opened(WIDE)), (len(payloads), ev.TableClosed(1))])))
    until = log.head()
    log.append(
        [NewEvent("table/T1", ev.EventCorrected(1, "misread", instead=opened(NARROW)), START_US)]
    )
    streams = shoe_streams(log)
    assert told(audit_streams(log, streams, until=until)) == []
    assert [code for _, code, _, _ in told(audit_streams(log, streams))] == [OUTSIDE]


@slow
def test_the_record_of_a_table_is_read_once(log, monkeypatch):
    log.append(two_shoes())
    read, times = log.read, []
    monkeypatch.setattr(log, "read", lambda stream: times.append(stream) or read(stream))
    tables = Tables(log, log.head())
    streams = shoe_streams(log)
    traces = [each.trace for each in audit_streams(log, streams, until=log.head(), tables=tables)]
    assert sorted(times) == ["shoe/H-1", "shoe/H-2", "table/T1"]
    load_floor(log, traces, until=log.head(), tables=tables)
    assert sorted(times) == ["shoe/H-1", "shoe/H-2", "table/T1", "table/T2"]


def followed(log, batch):
    """What stands of all that is told of a log, so many events at a time."""
    watch, stand = AuditFollower(log, 0), {}
    for events in log.scan(batch=batch):
        for each in watch.take(events):
            if each.told == "withdrawn":
                del stand[each.finding.fingerprint]
            else:
                stand[each.finding.fingerprint] = each.finding
    return stand


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_a_shoe_that_is_followed_is_judged_by_the_record_of_its_table(sqlite_url, batch):
    with EventLog.open(sqlite_url) as log:
        log.append(two_shoes())
        due = {one.fingerprint: one for each in audit_streams(log, shoe_streams(log))
               for one in each.findings}  # fmt: skip
        assert followed(log, batch) == due


def test_what_the_table_corrects_while_a_shoe_is_dealt_is_judged_anew(sqlite_url):
    payloads = coups(LARGE, LARGE)
    events = recorded(
        payloads,
        [
            (0, opened(NARROW)),
            (len(payloads), ev.EventCorrected(1, "misread", instead=opened(WIDE))),
        ],
    )
    with EventLog.open(sqlite_url) as log:
        log.append(drafts(events))
        watch = AuditFollower(log, 0)
        news = [each for batch in log.scan(batch=1) for each in watch.take(batch)]
    assert [(each.told, each.finding.coup) for each in news] == [
        ("found", 1), ("found", 2), ("withdrawn", 1), ("withdrawn", 2), ("found", None),
    ]  # fmt: skip
    assert "removed L201 bet-outside-limits" in news[-1].finding.message


def test_a_doubt_about_limits_that_stood_before_is_not_told_again(sqlite_url):
    """Within 250 ms of the bet its table forbids it: midi says that nobody knows."""
    payloads = coups(LARGE, rules="midi")
    place = next(n for n, each in enumerate(payloads) if isinstance(each, ev.BetPlaced))
    begun = drafts(recorded(payloads, [(0, opened(WIDE)), (place, ev.LimitsChanged(NARROW))]))
    change, bet = begun[place + 1], begun[place + 2]
    begun[place + 1] = replace(change, at_us=bet.at_us - 100_000)
    said = []
    with EventLog.open(sqlite_url) as log:
        log.append(begun)
        for after in (log.head() - 1, 0):
            watch = AuditFollower(log, after, doubt=lambda _stream, doubt: said.append(doubt.code))
            for batch in log.scan(after=after):
                assert watch.take(batch) == []
    # once, of the watch that began with the log
    assert said == [OUTSIDE]


def test_a_correction_in_the_shoe_leaves_it_at_its_table(sqlite_url):
    payloads = coups(LARGE, LARGE)
    payloads.append(ev.EventCorrected(len(payloads), "not yet"))
    payloads += [ev.CoupClosed(2), ev.CoupOpened(3), ev.BetPlaced(3, 1, "p1", "player", 50_000)]
    payloads.append(ev.NoMoreBets(3))
    with EventLog.open(sqlite_url) as log:
        log.append(drafts(recorded(payloads, [(0, opened(NARROW))])))
        stand = followed(log, 1)
    assert sorted(each.coup for each in stand.values() if each.code == OUTSIDE) == [1, 2, 3]


def test_the_events_of_the_log_are_in_the_order_of_their_clocks():
    """What these tests rest on: a second between any two events that follow one another."""
    clocks = [each.at_us for each in recorded(coups(LAWFUL), [(3, opened(NARROW))])]
    assert all(after - before == SECOND_US for before, after in pairwise(clocks))


@slow
@pytest.mark.parametrize("name", PACKS)
def test_an_evening_whose_limits_and_crew_the_tables_alone_tell_of_is_clean(name):
    """Two tables of 10.00 to 1,000.00. A bet of theirs that is made 5.00 is found."""
    drafts = [
        replace(each, payload=replace(each.payload, limits=(), crew=()))
        if isinstance(each.payload, ev.ShoeLoaded)
        else each
        for each in evening(name, 0)
    ]
    assert audited(drafts) == set()
    place = next(n for n, each in enumerate(drafts) if isinstance(each.payload, ev.BetPlaced))
    bet = drafts[place]
    drafts[place] = replace(bet, payload=replace(bet.payload, amount=500))
    assert OUTSIDE in audited(drafts)
