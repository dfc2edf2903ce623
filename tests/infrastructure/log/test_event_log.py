"""The event log: appending, reading and refusals."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import msgspec
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from sabot.domain import events as ev
from sabot.domain.events.envelope import AppendResult, NewEvent, RecordedEvent
from sabot.domain.values.errors import BadInput, ContentConflict, UntrustedLog, VersionConflict
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.log.append import system_login
from sabot.infrastructure.log.bulk_append import BulkAppend
from sabot.infrastructure.log.codec import EVENT_COLUMNS, StoredRow, row_of
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.streams import StreamInfo, after_prefix
from tests.support.for_each import for_each

COLUMNS = ", ".join(EVENT_COLUMNS)


def opened(coup: int, stream: str = "shoe/A", seq: int | None = None, **more) -> NewEvent:
    return NewEvent(stream, ev.CoupOpened(coup), device="cam", seq=seq, **more)


def shoe(stream: str, coups: int, first: int = 1) -> list[NewEvent]:
    """Facts that no retry would recognise."""
    return [NewEvent(stream, ev.CoupOpened(n)) for n in range(first, first + coups)]


def everything(log: EventLog) -> list[RecordedEvent]:
    return list(chain.from_iterable(log.scan()))


def coups(events: list[RecordedEvent]) -> list[int]:
    return [event.payload.coup for event in events]


def test_an_empty_log_has_a_name_and_nothing_else(log: EventLog) -> None:
    assert log.origin.startswith("sabot/")
    assert log.head() == 0
    assert log.version("shoe/A") == 0
    assert log.read("shoe/A") == log.streams() == list(log.scan()) == []
    assert log.append([]) == []
    assert log.load([]) == log.load([[]]) == log.import_events([]) == 0


def test_what_goes_in_comes_out(database_url: str) -> None:
    payload = ev.CardDrawn(1, "player", "Th", place=3)
    with EventLog.open(database_url, clock=lambda: 77) as log:
        assert log.append([NewEvent("shoe/A", payload, 5, "eve", "cam", 9, "e-1")]) == [
            AppendResult(1, "shoe/A", 1)
        ]
    with EventLog.open(database_url) as log:
        assert log.read("shoe/A") == [
            RecordedEvent(1, "shoe/A", 1, 5, 77, "eve", "cam", 9, payload, "e-1", position=1)
        ]


def test_names_of_any_script_come_out_as_they_went_in(log: EventLog) -> None:
    names = ['shoe/"quoted"', "shoe/日本", "shoe/\u202e", "shoe/%s?:x", "shoe/a'b\\c\n\t"]
    log.append(
        [NewEvent(name, ev.PatronLeft(name), actor=name, device=name, seq=1) for name in names]
    )
    log.load(
        [[NewEvent(name, ev.PatronLeft(name), actor=name, device=name, seq=2) for name in names]]
    )
    for name in names:
        for event in log.read(name):
            assert (event.stream, event.actor, event.device, event.payload.patron) == (name,) * 4
    assert [info.stream for info in log.streams()] == names


def test_streams_count_their_versions_apart(log: EventLog) -> None:
    log.append([opened(1, "shoe/A"), opened(1, "shoe/B"), opened(2, "shoe/A")])
    log.append([opened(2, "shoe/B")])
    places = [(event.index, event.stream, event.version) for event in everything(log)]
    assert places == [
        (1, "shoe/A", 1),
        (2, "shoe/B", 1),
        (3, "shoe/A", 2),
        (4, "shoe/B", 2),
    ]
    assert (log.head(), log.version("shoe/A"), log.version("shoe/B")) == (4, 2, 2)


# -- Deciding on what was read --------------------------------------------------------------


def test_a_decision_on_the_present_is_recorded(log: EventLog) -> None:
    log.append([opened(1)], expected={"shoe/A": 0})
    receipts = log.append([opened(2), opened(3)], expected={"shoe/A": 1, "table/T1": 0})
    assert [receipt.version for receipt in receipts] == [2, 3]


@pytest.mark.parametrize("expected", [{"shoe/A": 0}, {"shoe/A": 2}, {"shoe/A": 1, "table/T1": 1}])
def test_a_decision_on_the_past_is_refused_whole(log: EventLog, expected: dict[str, int]) -> None:
    log.append([opened(1)])
    with pytest.raises(VersionConflict, match="read the stream again and decide again"):
        log.append([opened(2, "shoe/B"), opened(2)], expected=expected)
    assert coups(everything(log)) == [1]


def test_a_event_that_rests_on_nothing_is_recorded_whatever_was_written(log: EventLog) -> None:
    log.append(shoe("shoe/A", 5))
    assert log.append([opened(6)])[0].version == 6


def test_a_decision_that_is_recorded_is_acknowledged_again(log: EventLog) -> None:
    """The answer was lost, and meanwhile the shoe went on: the retry must not look like news."""
    log.append([opened(1, seq=1)], expected={"shoe/A": 0})
    log.append([opened(2, seq=2)])
    assert log.append([opened(1, seq=1)], expected={"shoe/A": 0}) == [
        AppendResult(1, "shoe/A", 1, known=True)
    ]
    with pytest.raises(VersionConflict):
        log.append([opened(1, seq=1), opened(3, seq=3)], expected={"shoe/A": 0})
    assert log.head() == 2


def test_of_many_decisions_on_one_version_one_is_recorded(log: EventLog) -> None:
    def decide(n: int) -> bool:
        try:
            log.append([opened(n)], expected={"shoe/A": 0})
        except VersionConflict:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(decide, range(1, 9))) == 1
    assert log.head() == 1


# -- Sending again --------------------------------------------------------------------------

FIRST = [opened(1, seq=1), opened(2, event_id="e-2"), opened(3, seq=3, event_id="e-3")]


def test_what_is_sent_again_is_acknowledged_at_its_place(log: EventLog) -> None:
    assert [receipt.known for receipt in log.append(FIRST)] == [False] * 3
    log.append(shoe("shoe/A", 2))
    assert log.append(FIRST) == [AppendResult(n, "shoe/A", n, known=True) for n in (1, 2, 3)]
    assert log.append(FIRST[::-1]) == [AppendResult(n, "shoe/A", n, known=True) for n in (3, 2, 1)]
    assert log.head() == 5


def test_a_batch_may_be_known_in_part(log: EventLog) -> None:
    log.append(FIRST[:2])
    receipts = log.append([opened(9), FIRST[0], FIRST[2], FIRST[1]])
    assert receipts == [
        AppendResult(3, "shoe/A", 3),
        AppendResult(1, "shoe/A", 1, known=True),
        AppendResult(4, "shoe/A", 4),
        AppendResult(2, "shoe/A", 2, known=True),
    ]


def test_a_batch_may_hold_a_event_twice(log: EventLog) -> None:
    receipts = log.append([FIRST[0], FIRST[0], FIRST[1]])
    assert [(receipt.index, receipt.known) for receipt in receipts] == [
        (1, False),
        (1, True),
        (2, False),
    ]


def test_events_without_an_identity_are_never_the_same(log: EventLog) -> None:
    log.append([opened(1), opened(1)])
    log.append([opened(1)])
    assert coups(everything(log)) == [1, 1, 1]


OTHER_CONTENT = {
    "fact": NewEvent("shoe/A", ev.CoupOpened(2), 1, "eve", "cam", 7, "e-7"),
    "kind": NewEvent("shoe/A", ev.CoupClosed(1), 1, "eve", "cam", 7, "e-7"),
    "stream": NewEvent("shoe/B", ev.CoupOpened(1), 1, "eve", "cam", 7, "e-7"),
    "clock": NewEvent("shoe/A", ev.CoupOpened(1), 2, "eve", "cam", 7, "e-7"),
    "no clock": NewEvent("shoe/A", ev.CoupOpened(1), None, "eve", "cam", 7, "e-7"),
    "actor": NewEvent("shoe/A", ev.CoupOpened(1), 1, "bob", "cam", 7, "e-7"),
    "event id, the same sequence": NewEvent("shoe/A", ev.CoupOpened(1), 1, "eve", "cam", 7, "e-8"),
    "sequence, the same event id": NewEvent("shoe/A", ev.CoupOpened(1), 1, "eve", "cam", 8, "e-7"),
    "device, the same event id": NewEvent("shoe/A", ev.CoupOpened(1), 1, "eve", "eye", 7, "e-7"),
    "the sequence of one, the id of another": NewEvent(
        "shoe/A", ev.CoupOpened(1), 1, "eve", "cam", 7, "e-9"
    ),
}
RECORDED = [
    NewEvent("shoe/A", ev.CoupOpened(1), 1, "eve", "cam", 7, "e-7"),
    NewEvent("shoe/A", ev.CoupOpened(1), 1, "eve", "cam", 9, "e-9"),
]


@for_each("draft", OTHER_CONTENT.values(), ids=OTHER_CONTENT.keys())
def test_an_identity_with_other_content_is_refused_whole(log: EventLog, draft: NewEvent) -> None:
    log.append(RECORDED)
    with pytest.raises(ContentConflict, match="already in event"):
        log.append([opened(5), draft])
    with pytest.raises(ContentConflict, match="already in event"):
        log.load([[opened(5)], [draft]])
    assert log.head() == 2


def test_one_batch_that_contradicts_itself_is_refused(log: EventLog) -> None:
    with pytest.raises(ContentConflict, match="the same batch"):
        log.append([opened(1, seq=1), opened(2, seq=1)])
    with pytest.raises(ContentConflict):
        log.load([[opened(1, seq=1)], [opened(2, seq=1)]])
    assert log.head() == 0


def test_a_retry_of_very_many_finds_each(log: EventLog) -> None:
    drafts = [opened(n, f"shoe/{n % 7}", seq=n) for n in range(1, 1301)]
    first = log.append(drafts)
    again = log.append([*drafts, opened(1301, "shoe/0", seq=1301)])
    assert [receipt.index for receipt in again] == [*(r.index for r in first), 1301]
    assert [receipt.known for receipt in again] == [True] * 1300 + [False]


# -- All or nothing -------------------------------------------------------------------------


def test_what_cannot_be_recorded_takes_its_batch_with_it(log: EventLog) -> None:
    with pytest.raises(BadInput):
        log.append([opened(1), opened(0)])
    with pytest.raises(BadInput):
        log.load([[opened(1)], [opened(0)]])
    assert log.head() == 0


def test_an_index_is_given_once_and_none_is_left_out(log: EventLog) -> None:
    """A writer that fails in the middle of its turn leaves no gap behind."""
    log.append([opened(1)])
    row = "SELECT last_id + 1, NULL, 's', last_id, 'x', NULL, 1, '', '', NULL, '{}' FROM log_head"
    for _ in range(3):
        with pytest.raises(DBAPIError):
            execute(log, f"INSERT INTO log_event ({COLUMNS}) {row}", "DELETE FROM log_event")
    log.append([opened(2)])
    assert [event.index for event in everything(log)] == [1, 2]


# -- Without the guards ---------------------------------------------------------------------


@pytest.fixture
def unguarded(log: EventLog) -> EventLog:
    """A log of three events whose owner has removed its guards."""
    log.append([opened(1), opened(2), opened(3)])
    tables = ("log_event", "log_head")
    guards = [f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in tables]
    if log.database.is_sqlite:
        found = sa.text("SELECT 'DROP TRIGGER ' || name FROM sqlite_master WHERE type = 'trigger'")
        with log.database.reading() as connection:
            guards = list(connection.scalars(found))
    execute(log, *guards)
    return log


def execute(log: EventLog, *statements: str) -> None:
    with log.database.writing() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


@pytest.mark.parametrize("index", [1, 2, 3])
def test_an_event_that_is_gone_is_missed(unguarded: EventLog, index: int) -> None:
    execute(unguarded, f"DELETE FROM log_event WHERE id = {index}")
    with pytest.raises(UntrustedLog, match=f"event {index} of the log is missing"):
        everything(unguarded)
    for scan in (unguarded.scan, unguarded.scan_back):
        with pytest.raises(UntrustedLog, match=f"event {index} of the log is missing"):
            list(scan(batch=1))
    if index < 3:
        with pytest.raises(UntrustedLog, match=f"event {index} of shoe/A is missing"):
            unguarded.read("shoe/A")


def test_an_index_that_was_given_is_not_given_again(unguarded: EventLog) -> None:
    execute(unguarded, "DELETE FROM log_event WHERE id = 3")
    assert unguarded.append([opened(9)])[0].index == 4


def test_an_event_that_was_changed_is_named(unguarded: EventLog) -> None:
    execute(unguarded, "UPDATE log_event SET name = 'coup-closed' WHERE id = 2")
    with pytest.raises(UntrustedLog, match=r"event 2 \(shoe/A version 2"):
        unguarded.read("shoe/A")
    with pytest.raises(UntrustedLog, match="event 2 "):
        everything(unguarded)


def test_a_head_behind_its_log_takes_nothing_new(unguarded: EventLog) -> None:
    execute(unguarded, "UPDATE log_head SET last_id = 1")
    with pytest.raises(UntrustedLog, match="refused a new event"):
        unguarded.append([opened(9)])
    with pytest.raises(UntrustedLog, match="refused a new event"):
        unguarded.append([opened(9, seq=9)])
    with pytest.raises(UntrustedLog, match="refused a new event"):
        unguarded.load([[opened(9)]])


def test_a_log_without_a_head_is_neither_read_nor_written(unguarded: EventLog) -> None:
    execute(unguarded, "DELETE FROM log_head")
    for use in (
        unguarded.head,
        unguarded.check,
        lambda: list(unguarded.scan()),
        lambda: unguarded.append([opened(9)]),
        lambda: unguarded.append([opened(9, seq=9)]),
        lambda: unguarded.load([[opened(9)]]),
    ):
        with pytest.raises(UntrustedLog):
            use()


def test_a_log_that_is_as_long_as_its_head_says_is_whole(unguarded: EventLog) -> None:
    unguarded.check()
    unguarded.check_ends()
    execute(unguarded, "DELETE FROM log_event WHERE id = 3")
    for check in (unguarded.check, unguarded.check_ends):
        with pytest.raises(UntrustedLog, match="has 2, from index 1 to 2, but its head says 3"):
            check()


def test_versions_that_changed_places_are_told(unguarded: EventLog) -> None:
    for old, new in ((1, 9), (2, 1), (9, 2)):
        execute(unguarded, f"UPDATE log_event SET version = {new} WHERE version = {old}")
    with pytest.raises(UntrustedLog, match="event 2 of shoe/A comes before event 1"):
        unguarded.read("shoe/A")


def test_bytes_that_are_no_text_are_not_trusted(sqlite_url: str) -> None:
    with EventLog.open(sqlite_url) as log:
        columns = "1, NULL, 's', 1, 'x', NULL, 1, CAST(x'ff' AS TEXT), '', NULL, '{}'"
        execute(log, f"INSERT INTO log_event ({COLUMNS}) VALUES ({columns})")
        with pytest.raises(UntrustedLog, match="damaged"):
            everything(log)


# -- Many at once ---------------------------------------------------------------------------


def test_a_load_is_recorded_as_an_append_is(log: EventLog) -> None:
    log.append([opened(1), opened(1, "shoe/B")])
    assert log.load([[opened(2), opened(2, "shoe/B")], [], [opened(3), opened(1, "shoe/C")]]) == 4
    places = [(event.index, event.stream, event.version) for event in everything(log)[2:]]
    assert places == [
        (3, "shoe/A", 2),
        (4, "shoe/B", 2),
        (5, "shoe/A", 3),
        (6, "shoe/C", 1),
    ]


def test_a_load_is_seen_whole_or_not_at_all(log: EventLog) -> None:
    """While it is read in, others record. Their events come before all of its own."""
    seen = []

    def batches() -> Iterator[list[NewEvent]]:
        for n in range(1, 4):
            yield shoe("shoe/A", 3000, first=n)
            log.append([opened(n, "shoe/live")])
            seen.append(log.head())

    assert log.load(batches()) == 9000
    assert seen == [1, 2, 3]
    assert [event.stream for event in everything(log)] == ["shoe/live"] * 3 + ["shoe/A"] * 9000


def test_a_load_that_fails_leaves_nothing(log: EventLog) -> None:
    def batches() -> Iterator[list[NewEvent]]:
        yield shoe("shoe/A", 3000)
        raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            log.load(batches())
    assert log.head() == 0
    assert log.load([shoe("shoe/A", 2)]) == 2


def test_a_load_again_adds_what_is_new(log: EventLog) -> None:
    drafts = [opened(n, f"shoe/{n % 3}", seq=n) for n in range(1, 101)]
    assert log.load([drafts]) == 100
    before = everything(log)
    assert log.load([drafts]) == 0
    assert everything(log) == before
    more = [opened(n, f"shoe/{n % 3}", seq=n) for n in range(95, 111)]
    assert log.load([more, more]) == 10
    assert coups(everything(log)) == list(range(1, 111))


def test_a_load_rests_on_versions(log: EventLog) -> None:
    log.append([opened(1, seq=1)])
    with pytest.raises(VersionConflict):
        log.load([[opened(2, seq=2)]], expected={"shoe/A": 0})
    assert log.load([[opened(1, seq=1)]], expected={"shoe/A": 0}) == 0
    assert log.load([[opened(2, seq=2)]], expected={"shoe/A": 1}) == 1


class OvertakenStage(BulkAppend):
    """A stage whose first move comes too late: somebody else records some of it just before."""

    def __init__(self, log: EventLog, drafts: list[NewEvent]) -> None:
        super().__init__(log.database)
        self.overtake = [lambda: log.append(drafts)]

    def _move(self, *arguments: object) -> int:
        if self.overtake:
            self.overtake.pop()()
        return super()._move(*arguments)


def test_what_others_record_meanwhile_is_settled_too(log: EventLog) -> None:
    drafts = [opened(n, seq=n) for n in range(1, 11)]
    with OvertakenStage(log, drafts[2:4]) as stage:
        for draft in drafts:
            stage.put(row_of(draft))
        assert stage.move({}, lambda: 1) == 8
    assert coups(everything(log)) == [3, 4, 1, 2, 5, 6, 7, 8, 9, 10]


# -- Exports come back ----------------------------------------------------------------------


@pytest.fixture
def evening(log: EventLog) -> EventLog:
    """Two shoes and a table, with clocks, devices and identities of all sorts."""
    log.append([NewEvent("table/T1", ev.TableOpened(10**9), 5, "eve", event_id="e-1")])
    for n in range(1, 30):
        log.append([opened(n, f"shoe/{n % 2}", seq=n, at_us=n * 1000), NewEvent("table/T1", FILL)])
    return log


FILL = ev.TableFilled(100)


def stored_rows(log: EventLog) -> list[StoredRow]:
    with log.database.reading() as connection:
        return [StoredRow(*row) for row in connection.execute(sa.select(log_event))]


def test_a_log_restored_into_an_empty_one_is_the_same_log(evening: EventLog) -> None:
    with EventLog.open("sqlite://") as copy:
        assert copy.restore(stored_rows(evening), origin=evening.origin) == 59
        assert copy.origin == evening.origin
        assert stored_rows(copy) == stored_rows(evening)
        assert copy.streams() == evening.streams()
        with pytest.raises(BadInput, match="has 59 events; restore into an empty one"):
            copy.restore(stored_rows(evening), origin=evening.origin)


def test_a_log_is_restored_on_postgresql(evening: EventLog, empty_postgres_url: str) -> None:
    with EventLog.open(empty_postgres_url) as copy:
        copy.restore(stored_rows(evening), origin=evening.origin)
        assert stored_rows(copy) == stored_rows(evening)


def test_a_part_of_a_log_is_not_restored(evening: EventLog) -> None:
    rows = stored_rows(evening)
    with EventLog.open("sqlite://") as copy:
        for part in (rows[1:], [*rows[:3], *rows[4:]]):
            with pytest.raises(BadInput, match="restore the export of a whole log"):
                copy.restore(part, origin=evening.origin)
        assert copy.head() == 0


def test_an_import_has_its_own_name_and_clock_and_keeps_its_source(evening: EventLog) -> None:
    rows = stored_rows(evening)
    with EventLog.open("sqlite://", clock=lambda: 77) as copy:
        assert copy.import_events(rows, origin=evening.origin) == 59
        assert copy.origin != evening.origin
        assert everything(copy) == everything(evening)
        for row, former in zip(stored_rows(copy), rows, strict=True):
            assert (row.stored_us, row.login) == (77, system_login())
            assert row.source == f"{evening.origin}#{former.id}"


def test_an_export_comes_back_into_its_own_log_without_change(evening: EventLog) -> None:
    before, origin = everything(evening), evening.origin
    assert evening.import_events(before, origin="other") == 0
    assert evening.import_events(before[10:20]) == 0
    assert (everything(evening), evening.origin) == (before, origin)


def test_a_log_grows_by_what_an_export_has_more(evening: EventLog) -> None:
    events = everything(evening)
    with EventLog.open("sqlite://") as copy:
        copy.import_events(events[:20])
        assert copy.import_events(events) == 39
        assert everything(copy) == events
        assert copy.origin != evening.origin


def test_streams_of_an_export_go_into_another_log(evening: EventLog) -> None:
    shoes = list(chain.from_iterable(evening.scan(prefix="shoe/")))
    with EventLog.open("sqlite://") as other:
        other.append(shoe("shoe/live", 3))
        assert other.import_events(shoes, origin=evening.origin) == 29
        assert other.origin != evening.origin
        assert other.read("shoe/1") == [
            msgspec.structs.replace(event, index=event.index // 2 + 3)
            for event in evening.read("shoe/1")
        ]


CHANGED = {
    "payload": {"payload": ev.CoupOpened(99)},
    "clock": {"at_us": 7},
    "the log's clock": {"recorded_us": 7},
    "actor": {"actor": "mallory"},
    "sequence": {"seq": 77},
    "event id": {"event_id": "x"},
    "version": {"version": 4},
}


@for_each("change", CHANGED.values(), ids=CHANGED.keys())
def test_an_export_that_was_changed_does_not_come_back(
    evening: EventLog, change: dict[str, object]
) -> None:
    event = msgspec.structs.replace(evening.read("shoe/1")[2], **change)
    with pytest.raises(ContentConflict):
        evening.import_events([event])
    assert evening.head() == 59


def test_an_export_that_lacks_versions_does_not_come_back(evening: EventLog) -> None:
    events = evening.read("shoe/1")
    with EventLog.open("sqlite://") as other:
        for lacking in (events[1:], [*events[:3], *events[5:]], events[::-1]):
            with pytest.raises(BadInput, match="export the whole stream"):
                other.import_events(lacking)
        assert other.head() == 0


# -- Reading --------------------------------------------------------------------------------


def test_a_stream_is_read_between_versions(evening: EventLog) -> None:
    events = evening.read("shoe/1")
    assert coups(events) == list(range(1, 30, 2))
    assert evening.read("shoe/1", after=3) == events[3:]
    assert evening.read("shoe/1", until=5) == events[:5]
    assert evening.read("shoe/1", after=3, until=5) == events[3:5]
    assert evening.read("shoe/1", after=99) == []


def test_the_log_is_read_by_index_in_batches(evening: EventLog) -> None:
    events = everything(evening)
    assert [event.index for event in events] == list(range(1, 60))
    assert list(evening.scan(batch=25)) == [events[:25], events[25:50], events[50:]]
    assert list(evening.scan(after=10, until=20)) == [events[10:20]]
    assert list(evening.scan(until=99)) == [events]
    assert list(evening.scan(after=59)) == list(evening.scan(after=99)) == []


@for_each("batch", [1, 7, 5000])
def test_the_log_is_read_by_what_one_looks_for(evening: EventLog, batch: int) -> None:
    events = everything(evening)

    def found(**wanted) -> list[RecordedEvent]:
        return list(chain.from_iterable(evening.scan(batch=batch, **wanted)))

    assert found(streams=["shoe/1", "table/T1"]) == [e for e in events if e.stream != "shoe/0"]
    assert found(streams=[]) == []
    assert found(prefix="shoe/") == [e for e in events if e.stream.startswith("shoe/")]
    assert found(prefix="shoe/1", streams=["shoe/0"]) == []
    assert found(names=["table-filled"]) == [e for e in events if e.payload == FILL]
    assert found(names=["table-opened", "coup-opened"], after=5, until=50) == [
        e for e in events[5:50] if e.payload != FILL
    ]


def test_streams_are_listed_as_they_began(evening: EventLog) -> None:
    table, odd, even = evening.streams()
    first, last = evening.read("table/T1")[0], evening.read("table/T1")[-1]
    assert table == StreamInfo("table/T1", 30, 1, 59, 5, None, first.recorded_us, last.recorded_us)
    assert (odd.stream, odd.version, odd.first_index, odd.last_index) == ("shoe/1", 15, 2, 58)
    assert (odd.first_at_us, odd.last_at_us) == (1000, 29_000)
    assert evening.streams("shoe/") == [odd, even]
    assert evening.streams("shoe/0") == [even]
    assert evening.streams("z") == []


def test_no_name_is_left_out_by_its_characters(log: EventLog) -> None:
    """A list of shoes that left one out would keep it from the audit."""
    names = [f"shoe/{name}" for name in ("A", "\ud7ff", "\U0010ffff", "\U0010ffff\U0010ffffZ", "")]
    others = ["shoe0", "shoe", "\U0010ffffshoe/A"]
    log.append([NewEvent(name, ev.CoupOpened(1)) for name in (*names, *others)])
    assert [each.stream for each in log.streams("shoe/")] == names
    assert [each.stream for each in log.streams()] == names + others
    assert [event.stream for event in chain.from_iterable(log.scan(prefix="shoe/"))] == names
    assert [log.stream(name).stream for name in names] == names  # type: ignore[union-attr]
    assert log.stream("shoe/B") is None


def test_a_prefix_ends_before_the_next_name() -> None:
    assert after_prefix("shoe/") == "shoe0"
    assert after_prefix("a\U0010ffff\U0010ffff") == "b"
    assert after_prefix("a\ud7ff") == "a\ue000"


# -- Following ------------------------------------------------------------------------------


def test_a_follower_sees_what_was_and_what_comes(log: EventLog) -> None:
    log.append([opened(1), opened(2)])
    followed = log.follow(0)
    assert coups(next(followed)) == [1, 2]
    log.append([opened(3)])
    assert coups(next(followed)) == [3]
    followed.close()
    assert coups(next(log.follow(2))) == [3]


def test_a_follower_stops_when_told(log: EventLog) -> None:
    stop = threading.Event()
    seen: list[int] = []

    def follow() -> None:
        for events in log.follow(0, stop=stop):
            seen.extend(coups(events))

    follower = threading.Thread(target=follow)
    follower.start()
    log.append([opened(1)])
    while not seen:
        stop.wait(0.01)
    stop.set()
    follower.join(60)
    assert not follower.is_alive()
    assert seen == [1]
