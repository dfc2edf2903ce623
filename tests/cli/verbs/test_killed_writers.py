"""`record` and `import` killed with SIGKILL, again and again, on both stores."""

import contextlib
import json
import random
import signal
import subprocess
import threading
import time

import pytest

from sabot.domain import events as ev
from sabot.infrastructure.log.event_log import EventLog
from tests.support.programs import SABOT, Program
from tests.support.thorough import FULL, each_once

KILLS = 100 if FULL else 3
"""Of each verb, on each store; a kill takes a second, most of it to start the process."""

pytestmark = pytest.mark.timeout(60 + 20 * KILLS)


def started(*arguments):
    return Program(
        [*SABOT, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,  # nothing is left to flush into a pipe that broke
    )


def killed(process, rng, most_s):
    """Kill the process a little later. Tell whether it was still alive, and what it had said."""
    time.sleep(rng.random() * most_s)
    process.kill()
    rest, said = process.stdout.read(), process.stderr.read()
    assert process.wait() in (-9, 0), said
    return process.returncode == -9, rest


# -- record -----------------------------------------------------------------------------------


def record_line(seq):
    payload = {"type": "card-drawn", "coup": seq // 5 + 1, "hand": "player", "card": "4d"}
    if seq == 0:
        payload = {"type": "shoe-loaded", "decks": 8, "pack": "", "pack_sha256": "0" * 64}
    keys = {"stream": "shoe/K", "device": "reader", "seq": seq, "fact": payload}
    return json.dumps(keys).encode() + b"\n"


def feed(process, first):
    """Send events from a number on, as a device does that does not wait, until the pipe breaks."""

    def send():
        with contextlib.suppress(OSError, ValueError):
            for seq in range(first, first + 100_000):
                process.stdin.write(record_line(seq))

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    return sender


def test_nothing_acknowledged_is_lost_by_a_killed_recording(database_url):
    rng = random.Random(5)
    kills = acknowledged = lost_answers = 0
    with EventLog.open(database_url) as log:
        while kills < KILLS:
            # a device sends again what was not answered, and a little of what was
            first = max(0, acknowledged - rng.randrange(3))
            with started("record", "--database", database_url) as process:
                sender = feed(process, first)
                answers = [process.stdout.readline() for _ in range(rng.randrange(1, 400))]
                was_alive, rest = killed(process, rng, 0.02)
                sender.join(30)
            assert was_alive
            kills += 1
            answers += rest.splitlines(keepends=True)
            for answer in (json.loads(a) for a in answers if a.endswith(b"\n")):
                seq = first + answer["line"] - 1
                assert answer["version"] == seq + 1, answer
                assert answer["known"] or seq >= acknowledged, answer
                acknowledged = max(acknowledged, seq + 1)
            recorded = log.head()
            assert recorded >= acknowledged
            lost_answers += recorded > acknowledged
            events = log.read("shoe/K")
            # whole, in order, each once: however many were written beyond the last answer
            assert [event.seq for event in events] == list(range(len(events)))
            assert len(events) >= recorded
    if KILLS >= 100:
        # the cases that a retry must be harmless for did come up
        assert lost_answers


# -- import -----------------------------------------------------------------------------------


def batch(number, rng):
    """Coup lines of three shoes that nobody else has."""
    lines = []
    for coup in range(1, 41):
        for shoe in range(3):
            cards = [rng.choice("23456789TJQKA") for _ in range(4)]
            lines.append(
                json.dumps(
                    {
                        "shoe": f"S{number}-{shoe}",
                        "coup": coup,
                        "player": cards[:2],
                        "banker": cards[2:],
                        "bets": [{"patron": "p", "wager": "tie", "amount": 5, "net": -5}],
                    }
                ).encode()
                + b"\n"
            )
    return lines


EVENTS = 3 * (1 + 40 * 9)
"""Of a batch: three loadings, and nine events a coup."""


def test_a_killed_import_is_there_whole_or_not_at_all(database_url):
    rng = random.Random(6)
    kills = number = 0
    last_s = 0.1
    with EventLog.open(database_url) as log:
        while kills < KILLS:
            number += 1
            lines = batch(number, rng)
            before = log.head()
            sent = len(lines) if rng.random() < 0.7 else rng.randrange(len(lines))
            with started("import", "-", "--database", database_url) as process:
                process.stdin.write(b"".join(lines[:sent]))
                if sent == len(lines):
                    process.stdin.close()
                # from before the log is opened to after the last row is moved
                was_alive, _ = killed(process, rng, 1.2 * last_s)
            kills += was_alive
            # a server may still commit for the dead, and then all of it
            assert log.head() in (before, before + EVENTS)
            began = time.monotonic()
            with started("import", "-", "--database", database_url) as process:
                _, said = process.communicate(b"".join(lines), timeout=60)
            last_s = time.monotonic() - began
            assert process.returncode == 0, said
            assert log.head() == before + EVENTS
        assert log.head() == number * EVENTS
        for stream in log.streams("shoe/"):
            events = log.read(stream.stream)
            assert [type(event.payload) for event in events].count(ev.CoupClosed) == 40
            assert [event.version for event in events] == list(range(1, 362))


# -- A new log ----------------------------------------------------------------------------------


@each_once
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("verb", [("record",), ("import", "-")])
def test_an_interrupted_verb_leaves_no_empty_log(verb, number, tmp_path):
    path = tmp_path / "new.sabot"
    process = started(*verb, "--database", str(path))
    until = time.monotonic() + 30
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130}[number], said
    assert list(tmp_path.iterdir()) == []


def test_a_refused_line_leaves_no_empty_log(tmp_path):
    process = started("record", "--database", str(tmp_path / "new.sabot"))
    _, said = process.communicate(b'{"x": 1}\n', timeout=30)
    assert process.returncode == 2, said
    assert list(tmp_path.iterdir()) == []
