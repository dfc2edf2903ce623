"""A long table is read page by page, also in a damaged file."""

import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.database.pages import pages
from sabot.infrastructure.evidence import stored_events
from sabot.infrastructure.exports import event_lines
from sabot.infrastructure.log.event_log import EventLog

ENOUGH = 100
"""More pages than a log of four events has."""


@pytest.mark.parametrize("back", [False, True])
def test_pages_go_on_until_one_is_not_full(back):
    numbers = [(number,) for number in range(1, 8)]

    def read(key):
        behind = [row for row in numbers if (row[0] < key if back else row[0] > key)]
        return (behind[::-1] if back else behind)[:3]

    found = list(pages(read, 8 if back else 0, 3, back=back))
    assert [len(page) for page in found] == [3, 3, 1]
    assert [row for page in found for row in page] == (numbers[::-1] if back else numbers)


@pytest.mark.parametrize("rows", [[(5,)], [(6,), (6,)], [(7,), (6,)], [("x",)], [(None,)]])
def test_rows_that_do_not_belong_behind_a_key_are_refused(rows):
    with pytest.raises(UntrustedLog, match="the database is damaged: behind 5"):
        list(islice(pages(lambda _key: rows, 5, len(rows)), ENOUGH))


def test_keys_of_several_columns_are_compared_as_one():
    rows = [("a", 2, "x"), ("b", 1, "y")]
    assert list(pages(lambda _key: rows, (), 3, key=lambda row: row[:2])) == [rows]
    with pytest.raises(UntrustedLog):
        list(pages(lambda _key: rows[::-1], (), 3, key=lambda row: row[:2]))


@pytest.fixture
def damaged(sqlite_url):
    """A log of four events, the last of which has the index 2 in the page that holds them."""
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("table/T1", ev.TableClosed(5)) for _ in range(4)])
    with closing(sqlite3.connect(sqlite_url)) as file:
        file.execute("PRAGMA journal_mode = DELETE")
        (root,) = file.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'log_event'"
        ).fetchone()
        (size,) = file.execute("PRAGMA page_size").fetchone()
    with Path(sqlite_url).open("r+b") as file:
        start = (root - 1) * size
        file.seek(start)
        page = bytearray(file.read(size))
        assert page[0] == 0x0D  # a leaf
        cell = int.from_bytes(page[14:16], "big")
        index = cell + (2 if page[cell] & 0x80 else 1)  # behind the length
        assert page[index] == 4
        page[index] = 2
        file.seek(start)
        file.write(page)
    with EventLog.open(sqlite_url, read_only=True) as log:
        yield log


READERS = {
    "stored events": lambda log: stored_events.stored_events(log.database, until=4),
    "scan": lambda log: log.scan(batch=2),
    "scan of a stream": lambda log: log.scan(batch=2, streams=["table/T1"]),
    "scan back": lambda log: log.scan_back(batch=2, streams=["table/T1"]),
    "lines": event_lines.export_lines,
    "lines of a stream": lambda log: event_lines.export_lines(log, streams=["table/T1"]),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_of_a_damaged_file_goes_on_forever(damaged, reader, monkeypatch):
    monkeypatch.setattr(stored_events, "PAGE", 2)
    monkeypatch.setattr(event_lines, "PAGE", 2)
    with pytest.raises(UntrustedLog):
        list(islice(READERS[reader](damaged), ENOUGH))
