"""Verification of device numbers: skipped ones are noted, repeated ones are found."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.events import coup as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.evidence.device_numbers import DeviceNumbers
from sabot.infrastructure.evidence.directory_verification import verify_folder
from sabot.infrastructure.evidence.publishing import publish
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.evidence.verification_result import Verification
from sabot.infrastructure.log.event_log import EventLog
from tests.infrastructure.evidence.test_checkpoints import tamper


def bets(log: EventLog, device: str, *numbers: int) -> None:
    log.append([
        NewEvent("shoe/H-1", ev.BetPlaced(1, n, "p-1", "tie", 100), device=device, seq=n)
        for n in numbers
    ])  # fmt: skip


def test_skipped_numbers_are_noted_and_late_ones_are_not(log: EventLog, tmp_path: Path) -> None:
    bets(log, "terminal", 11, 12, 14, 15, 19)
    bets(log, "camera", 7, 9, 10)
    bets(log, "camera", 8)  # late, not lost
    log.checkpoints.write()
    published = publish(log.database, tmp_path, entries=True)
    for result in (verify_log(log.database), verify_folder(published, tmp_path, pinned=True)):
        assert not result.altered
        noted = [remark for remark in result.remarks if "device" in remark]
        assert noted == [
            "device terminal skipped 4 numbers (13, 16 to 18): these events were never recorded"
        ]


def test_an_event_that_was_recorded_again_is_found(log: EventLog) -> None:
    """An insider drops the index that refuses it, and copies a bet to the end of the log."""
    bets(log, "terminal", 1, 2, 3)
    log.checkpoints.write()
    tamper(
        log,
        "DROP INDEX log_event_seq_once",
        "INSERT INTO log_event SELECT 4, NULL, stream, 4, name, at_us, recorded_us, actor, device,"
        " seq, payload, stored_us, login, source FROM log_event WHERE id = 2",
        "UPDATE log_head SET last_id = 4",
    )
    (problem,) = verify_log(log.database).problems
    assert (problem.index, problem.stream, problem.column) == (4, "shoe/H-1", "seq")
    assert "number 2 of device terminal" in problem.message


@given(st.lists(st.integers(-5, 30), max_size=60))
def test_gaps_and_repeats_are_those_of_sets(sent: list[int]) -> None:
    numbers, result = DeviceNumbers(), Verification("log", "key")
    for index, number in enumerate(sent, 1):
        numbers.add(index, None, "d", number)
    numbers.report(result)
    repeated = [n for n, number in enumerate(sent, 1) if number in sent[: n - 1]]
    missing = set(range(min(sent), max(sent))) - set(sent) if sent else set()
    assert [problem.index for problem in result.problems] == repeated
    assert bool(result.remarks) == bool(missing)
    if missing:
        assert f"skipped {len(missing)} number" in result.remarks[0]


def test_a_device_with_ever_more_gaps_is_named_and_not_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sabot.infrastructure.evidence.device_numbers._MOST_RANGES", 3)
    numbers, result = DeviceNumbers(), Verification("log", "key")
    for index in range(1, 10):
        numbers.add(index, None, "d", 2 * index)
    numbers.report(result)
    assert "were not checked" in result.remarks[0]
