"""The shoes of a table, found in the log without its summary tables."""

from typing import Any

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.points_in_time import Index, Time
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_shoes import check_table, last_begun, last_clock, shoes_at
from sabot.infrastructure.rule_packs import shoe_loaded
from tests.support.for_each import for_each

A, B, C = "shoe/A", "shoe/B", "shoe/C"


def loaded(table: str | None) -> ev.ShoeLoaded:
    return shoe_loaded("classic-8", table=table)


@pytest.fixture
def evening(log: EventLog) -> EventLog:
    """Two shoes at T1, one at T2 between them, and one at no table."""
    log.append([
        NewEvent("table/T1", ev.TableOpened(100_000)),
        NewEvent(A, loaded("T1"), 1000), NewEvent(A, ev.CoupOpened(1), 2000),
        NewEvent(C, loaded("T2"), 3000), NewEvent("shoe/D", loaded(None), 3500),
        NewEvent(B, loaded("T1"), 4000), NewEvent(B, ev.CoupOpened(1)),
        NewEvent(C, ev.CoupOpened(1), 9000),
    ])  # fmt: skip
    return log


def streams_at(log: EventLog, table: str) -> list[str]:
    return [shoe.stream for shoe in shoes_at(log, table)]


def test_shoes_of_a_table_in_the_order_in_which_they_began(evening: EventLog) -> None:
    assert [streams_at(evening, table) for table in ("T1", "T2", "T3")] == [[A, B], [C], []]


def test_the_shoes_are_found_by_the_index_of_their_loadings(
    evening: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries: list[tuple[str, tuple[object, ...]]] = []
    fetch = evening.database.fetch

    def noted(query: str, values: tuple[object, ...] = ()) -> list[Any]:
        queries.append((query, values))
        return fetch(query, values)

    monkeypatch.setattr(evening.database, "fetch", noted)
    shoes_at(evening, "T1")
    query, values = next(each for each in queries if "name IN" in each[0])
    explain = "EXPLAIN QUERY PLAN" if evening.database.is_sqlite else "EXPLAIN"
    assert "log_event_loadings" in str(fetch(f"{explain} {query}", values))


def test_a_correction_moves_a_shoe_to_another_table(evening: EventLog) -> None:
    evening.append([NewEvent(A, ev.EventCorrected(1, "other table", instead=loaded("T2")))])
    assert (streams_at(evening, "T1"), streams_at(evening, "T2")) == ([B], [A, C])
    evening.append([NewEvent(B, ev.EventCorrected(1, "no such shoe"))])
    assert streams_at(evening, "T1") == []


@for_each(
    ("moment", "stream"),
    [
        (None, B),
        (Index(6), B),
        (Index(5), A),
        (Index(1), None),
        (Time(3999), A),
        (Time(4000), B),
        (Time(999), None),
    ],
    ids=str,
)
def test_the_shoe_that_began_last(
    evening: EventLog, moment: Index | Time | None, stream: str | None
) -> None:
    assert last_begun(shoes_at(evening, "T1"), moment) == stream


def test_the_latest_time_at_a_table_is_that_of_its_shoes(evening: EventLog) -> None:
    # the last event of B has no time of the table, so that before it counts
    assert last_clock(evening, shoes_at(evening, "T1")) == 4000
    assert last_clock(evening, evening.streams("shoe/")) == 9000
    assert last_clock(evening, []) is None


def test_a_table_is_known_by_its_own_events_or_by_a_shoe(evening: EventLog) -> None:
    check_table(evening, "T1")
    check_table(evening, "T2")
    with pytest.raises(NotFound, match="no table 'T11' in the log; did you mean 'T1'"):
        check_table(evening, "T11")
