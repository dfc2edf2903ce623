"""Streams are read ahead in a thread, in their order, with the error of each in its turn."""

import sys
import threading

import pytest

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.read_ahead import read_ahead
from tests.support.faulty_log import clean_shoe, recorded

STREAMS = [f"shoe/H-{n}" for n in range(8)]


class DamagedLog:
    """A log in which one stream cannot be read. It notes which were read."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def read(self, stream: str) -> list[RecordedEvent]:
        self.asked.append(stream)
        if stream == STREAMS[3]:
            raise UntrustedLog(stream)
        return []


def test_streams_come_in_their_order_with_all_their_events(database_url: str) -> None:
    recorded(database_url, *(clean_shoe(stream.removeprefix("shoe/")) for stream in STREAMS))
    with EventLog.open(database_url, read_only=True) as log:
        asked = STREAMS[::-1]
        assert list(read_ahead(log, asked)) == [log.read(stream) for stream in asked]
        assert list(read_ahead(log, [])) == []


def test_a_log_in_memory_has_one_connection_for_all() -> None:
    with EventLog.open(":memory:") as log:
        assert list(read_ahead(log, STREAMS)) == [[]] * len(STREAMS)


def test_an_error_is_raised_at_the_stream_that_it_concerns() -> None:
    reading = read_ahead(DamagedLog(), STREAMS)  # type: ignore[arg-type]
    assert [next(reading) for _ in STREAMS[:3]] == [[]] * 3
    with pytest.raises(UntrustedLog, match=STREAMS[3]):
        next(reading)


def test_reading_stops_when_no_more_streams_are_wanted() -> None:
    log, before = DamagedLog(), threading.active_count()
    reading = read_ahead(log, STREAMS)  # type: ignore[arg-type]
    next(reading)
    reading.close()
    assert threading.active_count() == before
    assert len(log.asked) <= 3


def test_the_switching_of_threads_is_as_it_was_afterwards() -> None:
    before = sys.getswitchinterval()
    reading = read_ahead(DamagedLog(), STREAMS)  # type: ignore[arg-type]
    next(reading)
    assert sys.getswitchinterval() < before
    reading.close()
    assert sys.getswitchinterval() == before
