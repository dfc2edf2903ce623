"""Recording continues after the database fails, with each event recorded once."""

import errno
import os
import socket
import threading
import time

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import ConnectionLost
from sabot.infrastructure.database.driver_errors import NOT_SAVED
from sabot.infrastructure.log import patient_log
from sabot.infrastructure.log.append import WriterTurn
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.patient_log import PatientLog


def opened(number, **keys):
    return NewEvent("shoe/A", ev.CoupOpened(number), **keys)


def hang_up(log):
    """Cut the connections of a log as a broken network does: the server's side is not told."""
    for connection in tuple(log.database._connections):
        with socket.socket(fileno=os.dup(connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)


def test_a_connection_lost_before_the_first_line_is_waited_for(postgres_url):
    told = []
    with EventLog.open(postgres_url) as log:
        hang_up(log)
        patient = PatientLog(log, told.append)
        assert patient.is_empty()
        assert [receipt.index for receipt in patient.append([opened(1)])] == [1]
        assert not patient.is_empty()
    assert [text.rpartition("; ")[2] for text in told] == [
        "waiting for it, nothing unconfirmed is lost",
        "going on",
    ]


def test_a_commit_whose_answer_was_lost_is_looked_up(postgres_url, monkeypatch):
    """The connection breaks after the commit. Of two equal events each is found once."""
    told = []
    with EventLog.open(postgres_url) as log:
        patient = PatientLog(log, told.append)
        patient.append([opened(1, device="cam", seq=1)])
        append, lost = log.append, []

        def append_and_lose_the_answer(drafts, **keys):
            append(drafts, **keys)
            monkeypatch.setattr(log, "append", append)
            lost.append(len(drafts))
            raise ConnectionLost(f"the answer is lost{NOT_SAVED}")

        monkeypatch.setattr(log, "append", append_and_lose_the_answer)
        group = [opened(2), opened(1, device="cam", seq=1), opened(2), opened(3, event_id="x")]
        assert [(r.index, r.known) for r in patient.append(group)] == [
            (2, False),
            (1, True),
            (3, False),
            (4, False),
        ]
        assert lost == [4]
        assert [event.payload.coup for event in log.read("shoe/A")] == [1, 2, 2, 3]
    assert told == [
        "the answer is lost; waiting for it, nothing unconfirmed is lost",
        "the database is back; going on",
    ]


def test_too_many_open_files_are_waited_for(database_url, monkeypatch):
    """The error comes before one commit, and after another. Each event is recorded once."""
    told, errors = [], [OSError(errno.EMFILE, "Too many open files")] * 2
    monkeypatch.setattr(patient_log, "PAUSE_SECONDS", 0.01)
    with EventLog.open(database_url) as log:
        patient, append = PatientLog(log, told.append), log.append

        def fail(drafts, **keys):
            if len(errors) == 1:
                append(drafts, **keys)
            if errors:
                raise errors.pop()
            return append(drafts, **keys)

        monkeypatch.setattr(log, "append", fail)
        assert [each.index for each in patient.append([opened(1), opened(1)])] == [1, 2]
        assert log.head() == 2
        errors.append(OSError(errno.EIO, "Input/output error"))
        with pytest.raises(OSError, match="Input/output error"):
            patient.append([opened(2)])
    assert told == [
        "Too many open files; waiting until some are closed, nothing unconfirmed is lost"
    ]


def test_a_session_that_was_cut_off_commits_nothing_later(postgres_url):
    """The server does not notice the broken connection, and its session waits to commit."""
    results = []
    with EventLog.open(postgres_url) as log, EventLog.open(postgres_url) as other:
        patient = PatientLog(log, lambda _text: None)
        thread = threading.Thread(
            target=lambda: results.extend(patient.append([opened(1)])), daemon=True
        )
        with other.database.writing() as connection:
            WriterTurn(connection, ["shoe/A"])  # others wait until this ends
            thread.start()
            until(lambda: waiting(other))
            cut_off = waiting(other)
            hang_up(log)
            # the next session of the log waits at once
            until(lambda: cut_off.isdisjoint(waiting(other)))
        thread.join(30)
        assert [(result.index, result.known) for result in results] == [(1, False)]
        assert other.head() == 1


def waiting(log):
    """Return the process ids of the sessions that wait for a lock."""
    query = "SELECT l.pid FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)"
    where = "WHERE NOT l.granted AND a.datname = current_database()"
    return {pid for (pid,) in log.database.fetch(f"{query} {where}")}


def until(true):
    for _ in range(200):
        if true():
            return
        time.sleep(0.02)
    pytest.fail("it did not happen within four seconds")
