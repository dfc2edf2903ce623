"""Kills, full disks and restarts lose no acknowledged event.

Each test goes on with the same log after each fault, without repairing anything.
"""

import random
import shutil
import sys
import time
from collections.abc import Callable
from itertools import chain, groupby
from typing import TypeVar

import pytest

from benchmarks.io_errors import failed
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.values.errors import Unavailable
from sabot.infrastructure.log.append import WriterTurn
from sabot.infrastructure.log.codec import row_of
from sabot.infrastructure.log.event_log import EventLog
from tests.conftest import OwnPostgres
from tests.support.killed_programs import KILLS, ROOT, victims
from tests.support.programs import run_program
from tests.support.thorough import slow

# What both programs write: for n = 1, 2, … some events of shoe n, by a device that counts.
COMMON = """
import sys
from sabot.domain import events as f
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog

def shoe(n, size):
    return [
        NewEvent(f"shoe/{n}", f.CoupOpened(k), n, "eve", "cam", n * 10_000 + k)
        for k in range(1, size + 1)
    ]

def work(url, do):
    first = int(sys.stdin.readline())
    with EventLog.open(url) as log:
        for n in range(first, 10**9):
            do(log, n)
            print(n, flush=True)
"""
APPEND = COMMON + "work(sys.argv[1], lambda log, n: log.append(shoe(n, n % 7 + 1)))"
LOAD = COMMON + "work(sys.argv[1], lambda log, n: log.load([shoe(n, 30 * (n % 7 + 1))]))"


@pytest.mark.parametrize(("program", "size"), [(APPEND, 1), (LOAD, 30)], ids=["append", "load"])
def test_a_kill_loses_nothing_that_was_acknowledged(
    database_url: str, program: str, size: int
) -> None:
    dice = random.Random(size)
    safe = 0
    for victim in victims(KILLS, [sys.executable, "-W", "error", "-c", program, database_url]):
        # The last shoe, which was not acknowledged, is sent again, as a device would.
        said = victim.let_work_then_kill(dice.randint(1, 4), dice.uniform(0, 0.05), str(safe + 1))
        assert said == [str(n) for n in range(safe + 1, safe + 1 + len(said))]
        safe += len(said)
        recorded = shoes_in(database_url)
        # One more than was acknowledged may be there: its answer was lost on the way.
        assert len(recorded) - safe in (0, 1)
        for n, (stream, events) in enumerate(recorded.items(), 1):
            coups = list(range(1, size * (n % 7 + 1) + 1))
            assert stream == f"shoe/{n}"
            assert [event.version for event in events] == coups
            assert [event.payload.coup for event in events] == coups
    assert safe >= KILLS


def shoes_in(url: str) -> dict[str, list[RecordedEvent]]:
    """The log's shoes, from a fresh connection. Reading checks that no index is left out."""
    with EventLog.open(url) as log:
        events = list(chain.from_iterable(log.scan()))
    found: dict[str, list[RecordedEvent]] = {}
    for stream, some in groupby(events, lambda event: event.stream):
        assert stream not in found, "another shoe's events came between"
        found[stream] = list(some)
    return found


FULL_DISK = (
    COMMON
    + """
import resource
from sabot.domain.values.errors import Unavailable

with EventLog.open(sys.argv[1]) as log:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    n = 0
    try:
        while True:
            log.append(shoe(n + 1, 50))
            n += 1
    except Unavailable as error:
        print(n, error)
"""
)


def test_a_full_disk_is_told_and_survived(sqlite_url: str) -> None:
    command = [sys.executable, "-W", "error", "-c", FULL_DISK, sqlite_url]
    ended = run_program(command, cwd=ROOT)
    assert ended.stderr == ""
    written, told = ended.stdout.split(" ", 1)
    assert told.startswith(f"{sqlite_url} cannot be read or written: ")
    assert told.endswith("sending them again is safe\n")
    assert int(written) > 5
    assert len(shoes_in(sqlite_url)) == int(written)
    with EventLog.open(sqlite_url) as log:
        assert log.append([NewEvent("shoe/x", ev.CoupOpened(1))])[0].version == 1


def test_a_full_disk_is_named(sqlite_url: str) -> None:
    with EventLog.open(sqlite_url) as log:
        with log.database.writing() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 60")
        drafts = [NewEvent("shoe/A", ev.CoupOpened(n)) for n in range(1, 5000)]
        with pytest.raises(Unavailable, match=f"the disk with {sqlite_url} is full"):
            log.append(drafts)


@slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
def test_an_error_of_the_disk_stops_the_recorder() -> None:
    """A write and a sync fail once; `benchmarks/io_errors.py` lets every call fail in turn."""
    for call in ("pwrite64", "fdatasync"):
        try:
            found = failed(call, 3, lines=3)
        except RuntimeError as error:
            pytest.skip(f"strace does not work here: {error}")
        assert (found.code, found.lost, found.unfit) == (2, 0, False)
        assert found.told.endswith("sending them again is safe")


@slow
def test_a_server_that_falls_over_is_waited_for(own_postgres: OwnPostgres) -> None:
    """The log object outlives the server: what failed is sent again, and recorded once."""
    with EventLog.open(own_postgres.url) as log:
        log.append([draft(1)])
        own_postgres.crash()
        with pytest.raises(Unavailable):
            log.append([draft(2)])
        with pytest.raises(Unavailable):
            log.read("shoe/A")
        own_postgres.start()
        assert until_available(log.head) == 1
        receipts = [until_available(lambda n=n: log.append([draft(n)])) for n in (1, 2, 3)]
        assert [(r.index, r.known) for (r,) in receipts] == [(1, True), (2, False), (3, False)]


def test_a_session_that_is_ended_in_its_turn_leaves_the_turn(postgres_url: str) -> None:
    with EventLog.open(postgres_url) as log, EventLog.open(postgres_url) as other:

        def end_in_turn() -> None:
            with log.database.writing() as connection:
                turn = WriterTurn(connection, ["shoe/A"])
                pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
                with other.database.writing() as killer:
                    killer.exec_driver_sql(f"SELECT pg_terminate_backend({pid})")
                turn.write([row_of(draft(1))], lambda: 1)

        with pytest.raises(Unavailable):
            end_in_turn()
        assert other.append([draft(2)])[0].index == 1
        assert log.append([draft(3)])[0].index == 2


T = TypeVar("T")


def draft(n: int) -> NewEvent:
    return NewEvent("shoe/A", ev.CoupOpened(n), device="cam", seq=n)


def until_available(do: Callable[[], T]) -> T:
    for _ in range(100):
        try:
            return do()
        except Unavailable:
            time.sleep(0.1)
    return do()
