"""A projection killed with SIGKILL, again and again, until it is done; both stores."""

import random
import subprocess
import time

import pytest

from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from tests.support import three_tables
from tests.support.programs import SABOT, Program
from tests.support.thorough import FULL, slow

KILLS = 60 if FULL else 3
"""On each store; a kill takes a second, most of it to start the process."""

DRAFTS = three_tables.drafts(seed=3, most=250)


def project(url, *options):
    return Program(
        [*SABOT, "project", "--batch", "1",
         "--database", url, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def in_memory():
    """The same evening in memory, to be brought to any position."""
    with EventLog.open(":memory:", clock=lambda: 7) as log:
        three_tables.fill(log, DRAFTS)
        yield log


def settled(log, reader):
    """The position and the rows that belong to it: a server may still commit for the dead."""
    while True:
        position, rows = reader.position(), three_tables.dump(log)
        if reader.position() == position:
            return position, rows


@slow
def test_a_killed_projection_has_whole_batches_and_goes_on_without_help(database_url, in_memory):
    rng = random.Random(11)
    kills = 0
    with EventLog.open(database_url, clock=lambda: 7) as log:
        three_tables.fill(log, DRAFTS)
        expected, reader = Projector(in_memory), Projector(log)
        expected.rebuild()
        while kills < KILLS:
            before = reader.position()
            if before == len(DRAFTS):
                expected.rebuild()
                before = 0
                reader.rebuild()
            process = project(database_url)
            target = before + rng.randrange(1, 2 + len(DRAFTS) // 8)
            while reader.position() < target and process.poll() is None:
                time.sleep(rng.random() / 500)
            process.kill()
            _out, said = process.communicate()
            position, rows = settled(log, reader)
            if position == len(DRAFTS):
                continue
            kills += 1
            assert process.returncode == -9, said
            assert position >= before
            sum(expected.catch_up(position))
            assert rows == three_tables.dump(in_memory), (kills, position)
        finish = project(database_url, "--batch", "500")
        assert finish.wait(60) == 0, finish.communicate()
        finish.communicate()
        sum(expected.catch_up())
        assert reader.position() == len(DRAFTS)
        assert three_tables.dump(log) == three_tables.dump(in_memory)
