"""``sabot audit --follow`` reports breaches of a growing log, on both stores."""

import json
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.cli.verbs.test_audit import DOUBT, shoe_in_doubt
from tests.support.faulty_log import FOUND, clean_shoe, drafts, faulty_shoe, recorded
from tests.support.programs import SABOT, Program

SETTLES = (ev.BetTaken, ev.BetPaid, ev.BetPushed)
UNSETTLED = "unsettled-bet"
PATIENCE_S = 60
"""How long a busy machine may take to start a process."""


@contextmanager
def following(
    url: str, form: str, verb: str = "audit"
) -> Iterator[tuple[subprocess.Popen, "queue.Queue[str]"]]:
    """Run the verb; hand out its lines as they come."""
    process = Program(
        [*SABOT, verb, "--follow",
         "--format", form, "--database", url],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    lines: queue.Queue[str] = queue.Queue()
    reader = threading.Thread(target=lambda: [lines.put(line) for line in process.stdout])
    reader.start()
    try:
        # it speaks once what was there has been audited
        assert "following the log" in process.stderr.readline()
        yield process, lines
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stdout.close()
        process.stderr.close()


def test_each_breach_is_a_line_before_the_next_coup(database_url: str) -> None:
    recorded(database_url, clean_shoe())
    told = []
    with following(database_url, "jsonl") as (process, lines), EventLog.open(database_url) as log:
        wanted = dict.fromkeys(range(1, 5), 0)
        for _, coup in FOUND:
            wanted[coup] += 1
        for event in faulty_shoe():
            log.append(drafts([event]))
            if isinstance(event.payload, ev.CoupClosed):
                while wanted[event.payload.coup]:
                    found = json.loads(lines.get(timeout=PATIENCE_S))
                    if found["told"] == "changed":  # what it moved is known by now
                        assert (found["code"], found["coup"]) in told
                        continue
                    assert (found["told"], found["coup"]) == ("found", event.payload.coup)
                    wanted[event.payload.coup] -= 1
                    told.append((found["code"], found["coup"]))
        assert len(told) == len(FOUND)
        assert set(told) == FOUND
        assert lines.empty()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE_S) == 130


def test_what_was_there_is_told_first_and_once(sqlite_url: str) -> None:
    recorded(sqlite_url)
    with following(sqlite_url, "table") as (_, lines), EventLog.open(sqlite_url) as log:
        first = [lines.get(timeout=PATIENCE_S) for _ in FOUND]
        log.append(drafts(faulty_shoe("H-3")))
        then = [lines.get(timeout=PATIENCE_S) for _ in FOUND]
    for shoe, told in (("H-1", first), ("H-3", then)):
        assert all(f" {shoe} coup " in line for line in told)
        for code, coup in FOUND:
            assert any(f"coup {coup}: " in line and f"[{code} " in line for line in told)


@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_lines_for_other_programs(sqlite_url: str, form: str) -> None:
    recorded(sqlite_url)
    with following(sqlite_url, form) as (_, lines):
        told = [lines.get(timeout=PATIENCE_S) for _ in range(1 + len(FOUND))]
    mark = "\t" if form == "tsv" else ","
    assert told[0].startswith(f"severity{mark}number{mark}shoe{mark}stream{mark}coup{mark}")
    assert [line.strip().rpartition(mark)[2] for line in told] == ["told", *["found"] * len(FOUND)]
    assert all(mark.join(("", "H-1", "")) in line for line in told[1:])


@pytest.mark.parametrize("form", ["jsonl", "table"])
def test_what_no_longer_holds_is_withdrawn(sqlite_url: str, form: str) -> None:
    """A bet of the clean shoe is taken once its coup has been closed: unsettled, then late."""
    events = clean_shoe()
    last = next(
        e for e in reversed(events) if isinstance(e.payload, SETTLES) and e.payload.coup == 1
    )
    behind = [each for each in events if each is not last]
    close = next(n for n, e in enumerate(behind) if isinstance(e.payload, ev.CoupClosed))
    assert isinstance(behind[close].payload, ev.CoupClosed)
    with following(sqlite_url, form) as (_, lines), EventLog.open(sqlite_url) as log:
        log.append(drafts(behind[: close + 1]))
        found = lines.get(timeout=PATIENCE_S)
        log.append(drafts([last]))
        withdrawn, late = lines.get(timeout=PATIENCE_S), lines.get(timeout=PATIENCE_S)
    if form == "jsonl":
        marks = [(json.loads(each)["told"], json.loads(each)["code"]) for each in (found, late)]
        assert marks == [("found", UNSETTLED), ("found", "settlement-after-coup-close")]
        assert json.loads(withdrawn) == {**json.loads(found), "told": "withdrawn"}
    else:
        mark = found.rpartition(" ")[2]
        assert UNSETTLED in found
        assert " WITHDRAWN " in withdrawn
        assert withdrawn.endswith(mark)


def test_what_a_doubtful_order_leaves_unjudged_is_told_as_it_comes(sqlite_url: str) -> None:
    recorded(sqlite_url, clean_shoe())
    with following(sqlite_url, "jsonl") as (process, _), EventLog.open(sqlite_url) as log:
        log.append(
            [
                NewEvent(each.stream, each.payload, each.at_us, "ann", each.device)
                for each in shoe_in_doubt()
            ]
        )
        assert process.stderr is not None
        assert process.stderr.readline() == f"H-4 coup 2: past-posted-bet not judged: {DOUBT}\n"
