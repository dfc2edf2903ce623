"""The number of workers. Tasks of killed workers are repeated."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from sabot.cli.text.words import to_json
from sabot.domain.audit.report import AuditReport
from sabot.domain.values.errors import SabotError
from sabot.infrastructure.audits.audit_run import audit_streams, shoe_streams
from sabot.infrastructure.audits.workers import shared_out, usual_workers
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import clean_shoe, faulty_shoe, recorded

SHOES = 24


def killed(pids: set[int | None]) -> None:
    for pid in pids - {None}:
        os.kill(pid or 0, signal.SIGKILL)


def pids() -> set[int | None]:
    return {child.pid for child in multiprocessing.active_children()}


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
        began: set[int | None] = set()
        for number, audit in enumerate(audit_streams(log, streams, workers=2)):
            shared.add(audit)
            began |= pids()
            if number == 1:
                killed(pids())
    assert len(began) > 2  # new workers took over
    assert shared.shoes == SHOES
    assert to_json(shared.document()) == to_json(alone.document())


def begin() -> None:
    pass


def die(_task: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_workers_that_always_die_end_in_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sabot.infrastructure.audits.workers._DEATHS", 2)
    with pytest.raises(SabotError, match=r"2 times without a result.*fewer --workers"):
        list(shared_out(1, begin, (), die, [1]))


@pytest.mark.parametrize(
    ("events", "processors", "workers"),
    [
        (0, 4, 1),  # an empty log
        (399_999, 4, 1),  # to start a second one would take longer
        (400_000, 4, 2),
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
