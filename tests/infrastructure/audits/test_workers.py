"""The number of workers. Tasks of killed workers are repeated."""

import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from sabot.cli.text.words import to_json
from sabot.domain.audit.report import AuditReport
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.audits.audit_run import audit_streams, shoe_streams
from sabot.infrastructure.audits.workers import shared_out, usual_workers
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import clean_shoe, faulty_shoe, recorded
from tests.support.thorough import slow

SHOES = 24


def pids() -> set[int]:
    return {child.pid for child in multiprocessing.active_children() if child.pid is not None}


def kill_the_first(killed: set[int]) -> None:
    """Kill the first worker once it has tasks. This process audits others meanwhile."""
    while not killed:
        time.sleep(0.01)
        killed |= pids()
    for pid in killed:
        os.kill(pid, signal.SIGKILL)


@slow
def test_an_audit_whose_workers_are_killed_in_the_middle_gives_the_same_bytes(
    tmp_path: Path,
) -> None:
    url = str(tmp_path / "log.sabot")
    shoes = [(faulty_shoe, clean_shoe)[n % 2](f"H-{n}") for n in range(SHOES)]
    recorded(url, *shoes)
    with EventLog.open(url, read_only=True) as log:
        streams = shoe_streams(log)
        alone, shared = AuditReport(), AuditReport()
        for audit in audit_streams(log, streams):
            alone.add(audit)
        killed, began = set[int](), set[int]()
        killer = threading.Thread(target=kill_the_first, args=(killed,))
        killer.start()
        for audit in audit_streams(log, streams, workers=2):
            shared.add(audit)
            began |= pids()
        killer.join()
    assert began - killed  # a new worker took over
    assert shared.shoes == SHOES
    assert to_json(shared.document()) == to_json(alone.document())


def begin() -> None:
    pass


def die(_task: int) -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


@slow
def test_what_workers_that_always_die_leave_is_done_here_in_its_order() -> None:
    assert list(shared_out(2, begin, die, str, range(5))) == list(map(str, range(5)))


def same_unless_3_or_5(task: int) -> int:
    if task in (3, 5):
        raise NotFound(f"task {task}")
    return task


@slow
def test_of_two_errors_the_first_in_order_is_raised_wherever_it_occurs() -> None:
    results = shared_out(2, begin, same_unless_3_or_5, same_unless_3_or_5, range(8))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(NotFound, match="task 3"):
        next(results)


@pytest.mark.parametrize(
    ("events", "processors", "workers"),
    [
        (0, 4, 1),  # an empty log
        (199_999, 4, 1),  # a second one would have started when the first is done
        (200_000, 4, 2),
        (10_000_000, 4, 4),
        (10_000_000, 64, 8),
    ],
)
def test_long_logs_get_a_worker_for_each_processor(
    monkeypatch: pytest.MonkeyPatch, events: int, processors: int, workers: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    assert usual_workers(events) == workers
