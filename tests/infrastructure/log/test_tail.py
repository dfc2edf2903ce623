"""A reader next to four writers misses no event and gets none twice."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain

from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.recorder import Recorder
from tests.support.killed_programs import ROOT
from tests.support.programs import Program
from tests.support.thorough import FULL

WRITERS = 4
EVENTS = 8_000 if FULL else 250
"""Of each writer."""

# Batches of one to five events, by the writer's own device; each tenth batch is rolled back once,
# after its rows are in, and then written.
WRITE = """
import random, sys
from sabot.domain import events as f
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.codec import row_of
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.append import WriterTurn

def roll_back(log, drafts):
    try:
        with log.database.writing() as connection:
            turn = WriterTurn(connection, [drafts[0].stream])
            turn.write([row_of(d) for d in drafts], lambda: 1)
            raise TimeoutError
    except TimeoutError:
        pass

url, writer, events = sys.argv[1], sys.argv[2], int(sys.argv[3])
dice, written = random.Random(writer), 0
with EventLog.open(url) as log:
    print("ready", flush=True)
    sys.stdin.readline()
    while written < events:
        size = min(dice.randint(1, 5), events - written)
        drafts = [
            NewEvent(f"shoe/{writer}", f.CoupOpened(n), device=writer, seq=n)
            for n in range(written + 1, written + 1 + size)
        ]
        if dice.random() < 0.1:
            roll_back(log, drafts)
        log.append(drafts)
        written += size
"""


@contextmanager
def four_writers(url: str) -> Iterator[None]:
    """Let them go all at once, once all of them are ready."""
    writers = [
        Program(
            [sys.executable, "-W", "error", "-c", WRITE, url, f"w{n}", str(EVENTS)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for n in range(WRITERS)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    try:
        yield
    finally:
        for writer in writers:
            writer.communicate(timeout=120)
    assert [writer.returncode for writer in writers] == [0] * WRITERS


ALL = WRITERS * EVENTS


def follow(log: EventLog) -> list[int]:
    seen: list[int] = []
    for events in log.follow(0):
        seen.extend(event.index for event in events)
        if len(seen) >= ALL:
            break
    return seen


def subscribe(log: EventLog) -> list[int]:
    """The same through eventsourcing's interface, from a place on and with a choice of events."""
    seen = list(range(1, 11))
    with Recorder(log.database).subscribe(gt=10, topics=["coup-opened"]) as subscription:
        for notification in subscription:
            seen.append(notification.id)
            if len(seen) >= ALL:
                break
    return seen


def test_readers_at_the_tail_miss_nothing(log: EventLog, database_url: str) -> None:
    with ThreadPoolExecutor() as readers:
        followed = readers.submit(follow, log)
        subscribed = readers.submit(subscribe, log)
        with four_writers(database_url):
            seen = []
            for events in log.follow(0, poll_seconds=0.001):
                seen.extend(events)
                if len(seen) >= ALL:
                    break
    assert [event.index for event in seen] == list(range(1, ALL + 1))
    assert followed.result() == subscribed.result() == list(range(1, ALL + 1))
    assert seen == list(chain.from_iterable(log.scan()))
    for n in range(WRITERS):
        versions = [event.version for event in seen if event.device == f"w{n}"]
        assert versions == list(range(1, EVENTS + 1))
