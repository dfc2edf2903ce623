"""A stream joined into one row by the database reads the same as its rows."""

from itertools import chain

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.joined_columns import JOINED, SEPARATOR, columns_of, decode_columns

SHOE = "shoe/A"
ONE = NewEvent(SHOE, ev.CoupOpened(1), 10, "ann", "cam-1", 1)
RECORDED = {
    "one event": [ONE],
    "one device": [ONE, NewEvent(SHOE, ev.NoMoreBets(1), 11, "ann", "cam-1", 2)],
    "two devices, one without numbers": [
        ONE, NewEvent(SHOE, ev.NoMoreBets(1), None, "bob"), NewEvent(SHOE, ev.CoupClosed(1)),
    ],
    "an event id on some": [ONE, NewEvent(SHOE, ev.NoMoreBets(1), event_id="x-1")],
    "an event id on all": [
        NewEvent(SHOE, ev.CoupOpened(1), event_id="x,1"),
        NewEvent(SHOE, ev.NoMoreBets(1), event_id=""),
    ],
    "names with separators": [
        NewEvent(SHOE, ev.CoupOpened(1), actor=f"a{SEPARATOR}a"),
        NewEvent(SHOE, ev.NoMoreBets(1), actor="a"),
        NewEvent(SHOE, ev.CoupClosed(1), actor=f"a{SEPARATOR}a{SEPARATOR}a"),
    ],
    "corrections of corrections": [
        ONE,
        NewEvent(SHOE, ev.EventCorrected(1, "typo", instead=ev.CoupOpened(2))),
        NewEvent(SHOE, ev.EventCorrected(
            2, '"type":"', instead=ev.EventCorrected(1, "typo", instead=ev.CoupOpened(3)),
        )),
        NewEvent(SHOE, ev.EventCorrected(2, "typo")),
    ],
    "line breaks in a text": [NewEvent(SHOE, ev.BetPlaced(1, 1, "p\n}\n{", "banker", 5)), ONE],
}  # fmt: skip


@pytest.mark.parametrize("drafts", RECORDED.values(), ids=RECORDED)
def test_joined_columns_give_the_events_of_the_rows(drafts: list[NewEvent], log: EventLog) -> None:
    log.append([NewEvent("shoe/B", ev.CoupOpened(9))])
    log.append(drafts)
    rows = list(chain.from_iterable(log.scan(streams=[SHOE])))
    assert log.read(SHOE) == rows
    assert log.read(SHOE, after=1) == rows[1:]
    assert log.read(SHOE, until=1) == rows[:1]
    # only texts with separators, and event ids on some, are read row by row
    joined = columns_of(log.database.fetch(JOINED[log.database.is_sqlite], (SHOE, 0, 9))[0])
    separated = any(SEPARATOR in draft.actor for draft in drafts)
    by_rows = separated or len({draft.event_id is None for draft in drafts}) == 2
    assert decode_columns(SHOE, 0, joined) == (None if by_rows else rows)


@pytest.mark.parametrize(
    "payload",
    [
        '{"coup":1}',
        '{"coup":1,"type":"no-more-bets"}',
        '{"coup":1,"type":"coup-opened","type":"no-more-bets"}',
        '{"reason":"","version":1}',
        '{"instead":{"coup":1,"type":"coup-opened"},"reason":"","version":1}',
    ],
)
def test_a_payload_names_its_own_type(payload: str, log: EventLog) -> None:
    log.append([ONE, NewEvent(SHOE, ev.CoupOpened(2))])
    change_rows(log, "UPDATE log_event SET payload = ? WHERE id = ?", (payload, 2))
    with pytest.raises(UntrustedLog, match="event 2 "):
        log.read(SHOE)
    name = "fact-corrected" if "version" in payload else "coup-opened"
    change_rows(log, "UPDATE log_event SET name = ? WHERE id = ?", (name, 2))
    with pytest.raises(UntrustedLog, match="event 2 "):
        log.read(SHOE)


def change_rows(log: EventLog, query: str, *values: tuple[object, ...]) -> None:
    """Change stored rows behind the back of the log."""
    off = {
        "sqlite": "DROP TRIGGER IF EXISTS log_event_keeps",
        "postgresql": "ALTER TABLE log_event DISABLE TRIGGER ALL",
    }
    mark = "?" if log.database.is_sqlite else "%s"
    with log.database.writing() as connection:
        connection.exec_driver_sql(off[connection.dialect.name])
        for each in values:
            connection.exec_driver_sql(query.replace("?", mark), each)


def test_a_time_is_told_from_a_missing_time(postgres_url: str) -> None:
    """PostgreSQL sends a number for a missing time. An event may have just this time."""
    with EventLog.open(postgres_url) as log:
        log.append([ONE, NewEvent(SHOE, ev.NoMoreBets(1)), NewEvent(SHOE, ev.CoupClosed(1))])
        change_rows(log, "UPDATE log_event SET at_us = ? WHERE id = ?", (-(2**62), 3))
        assert [event.at_us for event in log.read(SHOE)] == [10, None, -(2**62)]


def test_events_stored_in_another_order_are_read_in_their_own(postgres_url: str) -> None:
    with EventLog.open(postgres_url) as log:
        log.append([NewEvent(SHOE, ev.CoupOpened(coup)) for coup in (1, 2, 3)])
        # a row that is changed moves to the end of the table
        change_rows(log, "UPDATE log_event SET id = id WHERE id = ?", (1,))
        opened = [*map(ev.CoupOpened, (1, 2, 3))]
        assert [event.payload for event in log.read(SHOE)] == opened
        # and they are joined in it, not read one by one
        joined = columns_of(log.database.fetch(JOINED[False], (SHOE, 0, 3))[0])
        events = decode_columns(SHOE, 0, joined)
        assert events is not None
        assert [event.payload for event in events] == opened


OPENED = '{"coup":1,"type":"coup-opened"}'
WHOLE_TOGETHER = {
    "broken in a text": ('{"coup":1,"person":"ann', 'y","type":"coup-opened"}'),
    "broken between keys": ('{"coup":1', '"type":"coup-opened"}'),
    "broken after an object": ('{"a":{}', '{},"type":"coup-opened"}'),
    "two on one line": (f"{OPENED},{OPENED}", ""),
    "a line of its own": (f"{OPENED}\n{OPENED}", " "),
    "a separator": (f"{OPENED}\ntrue\n{OPENED}", ""),
    "no event": ("true", OPENED),
}


@pytest.mark.parametrize("payloads", WHOLE_TOGETHER.values(), ids=WHOLE_TOGETHER)
def test_payloads_that_are_events_only_together_are_refused(
    payloads: tuple[str, str], log: EventLog
) -> None:
    log.append([NewEvent(SHOE, ev.CoupOpened(1)), NewEvent(SHOE, ev.CoupOpened(2))])
    change_rows(
        log, "UPDATE log_event SET payload = ? WHERE id = ?", (payloads[0], 1), (payloads[1], 2)
    )
    with pytest.raises(UntrustedLog, match="event 1 "):
        log.read(SHOE)
