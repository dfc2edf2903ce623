"""`sabot record` and `sabot project --follow` while their PostgreSQL server is restarted."""

import contextlib
import json
import signal
import socket
import subprocess
import threading
import time
from itertools import chain

import pytest
from sqlalchemy.engine import make_url

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.cli.verbs import projections
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.whole_log import check_for_lists
from sabot.infrastructure.projections.projector import Projector
from tests.support.programs import SABOT, Program, run_program
from tests.support.thorough import FULL, slow

RESTARTS = 10 if FULL else 2
CLIENTS = 4
LOADED = {"type": "shoe-loaded", "decks": 8, "pack": "", "pack_sha256": "0" * 64}


@pytest.fixture
def sabot(own_postgres):
    """Start a verb on a log of its own server."""
    started = []

    def start(*arguments, **pipes):
        command = [*SABOT, *arguments]
        started.append(Program([*command, "--database", own_postgres.url], **pipes))
        return started[-1]

    yield start
    for program in started:
        program.kill()
        program.wait()
        for pipe in (program.stdin, program.stdout, program.stderr):
            if pipe is not None:
                pipe.close()


def lines():
    """Events without end: every second one has an identity, and some are equal."""
    yield {"stream": "shoe/H", "fact": LOADED}
    number = 0
    while True:
        number += 1
        yield {"stream": "shoe/H", "fact": {"type": "coup-opened", "coup": number // 3 + 1}}
        yield {"stream": "table/T", "fact": {"type": "table-closed", "inventory": number},
               "device": "cam", "seq": number}  # fmt: skip


def restart(server, answers, ready):
    """Restart the server again and again, each time once recording goes on."""
    for number in range(RESTARTS):
        due = len(answers) + 50
        until(lambda due=due: len(answers) > due and ready())
        server.crash() if number % 2 else server.stop()
        time.sleep(0.3)
        server.start()


def until(true):
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("it did not happen within half a minute")


@slow
def test_no_line_is_lost_or_doubled(own_postgres, sabot, tmp_path):
    EventLog.open(own_postgres.url).close()
    talk = tmp_path / "talk"
    with talk.open("wb") as file:
        follower = sabot("project", "--follow", stdout=subprocess.DEVNULL, stderr=file)
    pipe = subprocess.PIPE
    recorder = sabot("record", stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    sent, answers, ended = [], [], threading.Event()

    def send():
        for sends in lines():
            recorder.stdin.write(json.dumps(sends).encode() + b"\n")
            sent.append(sends)
            if ended.is_set():
                recorder.stdin.close()
                return
            time.sleep(0.0005)

    def take():
        answers.extend(json.loads(answer) for answer in recorder.stdout)

    threads = [threading.Thread(target=each, daemon=True) for each in (send, take)]
    for thread in threads:
        thread.start()
    restart(own_postgres, answers, lambda: b"following" in talk.read_bytes())
    ended.set()
    for thread in threads:
        thread.join(60)
    assert recorder.wait(60) == 0
    assert [answer["line"] for answer in answers] == list(range(1, len(sent) + 1))
    with EventLog.open(own_postgres.url) as log:
        events = [event for batch in log.scan() for event in batch]
        assert len(events) == len(sent)
        # one process sends them all, so line n is event n
        for event, sends, answer in zip(events, sent, answers, strict=True):
            assert (event.index, event.version) == (answer["index"], answer["version"])
            assert event.stream == sends["stream"]
            assert event.seq == sends.get("seq")
        said = recorder.stderr.read().decode().splitlines()
        assert said.count("sabot: the database is back; going on") >= RESTARTS
        assert sum("waiting for it" in each for each in said) >= RESTARTS
        projector = Projector(log)
        until(lambda: projector.position() == log.head())
        assert follower.poll() is None
    assert b"waiting for it" in talk.read_bytes()


@slow
def test_a_follower_waits_for_the_server_during_its_first_update_too(own_postgres, sabot):
    opened = [NewEvent("shoe/H", ev.CoupOpened(number)) for number in range(1, 301)]
    with EventLog.open(own_postgres.url) as log:
        log.append(opened)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        follower = sabot("project", "--follow", "--batch", "1", **quiet)
        projector = Projector(log)
        until(lambda: projector.position() > 0)
        assert projector.position() < len(opened)
    own_postgres.crash()
    assert "waiting for it" in follower.stderr.readline()
    own_postgres.start()
    assert follower.stderr.readline() == "sabot: the database is back; going on\n"
    assert follower.stderr.readline() == "following the log; press Ctrl+C to stop\n"
    with EventLog.open(own_postgres.url) as log:
        assert Projector(log).position() == len(opened)
    assert follower.poll() is None


@slow
def test_a_follower_waits_for_the_server_while_it_checks_the_log_too(
    own_postgres, monkeypatch, capsys
):
    """In a long log the check takes seconds, before the first event is projected."""
    with EventLog.open(own_postgres.url) as log:
        log.append([NewEvent("shoe/H", ev.CoupOpened(1))])
    checks = []

    def crash_and_check(log):
        if not checks:
            own_postgres.crash()
            threading.Timer(0.5, own_postgres.start).start()
        checks.append(log)
        check_for_lists(log)

    monkeypatch.setattr(projections, "check_for_lists", crash_and_check)
    monkeypatch.setattr(projections, "_follow", lambda _projector, _log: None)
    assert guard(build(), ["project", "--follow", "--database", own_postgres.url]) == 0
    assert len(checks) == 2
    out, told = capsys.readouterr()
    assert out.splitlines()[-1].split() == ["1", "1", "1"]
    assert "waiting for it" in told
    assert told.endswith(
        "sabot: the database is back; going on\nfollowing the log; press Ctrl+C to stop\n"
    )


def test_verbs_that_start_before_the_server_wait_for_it(own_postgres, sabot):
    EventLog.open(own_postgres.url).close()
    own_postgres.stop()
    pipe = subprocess.PIPE
    follower = sabot("project", "--follow", stdout=subprocess.DEVNULL, stderr=pipe, text=True)
    recorder = sabot("record", stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    recorder.stdin.write(closed("cam", 1).decode())
    recorder.stdin.close()
    for program in (follower, recorder):
        said = program.stderr.readline()
        assert "cannot be opened: " in said
        assert said.endswith("; waiting for it, nothing unconfirmed is lost\n")
    assert recorder.poll() is None
    own_postgres.start()
    assert json.loads(recorder.stdout.readline())["index"] == 1
    assert recorder.wait(60) == 0
    for program in (follower, recorder):
        assert program.stderr.readline() == "sabot: the database is back; going on\n"
    with EventLog.open(own_postgres.url) as log:
        projector = Projector(log)
        until(lambda: projector.position() == 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"database": "nowhere"}, 'database "nowhere" does not exist'),
        ({"username": "nobody_here"}, 'role "nobody_here" does not exist'),
    ],
)
def test_a_recorder_does_not_wait_for_a_server_that_refuses_it(postgres_server, change, reason):
    url = make_url(postgres_server).set(**change).render_as_string(hide_password=False)
    done = run_program([*SABOT, "record", "--database", url], stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert reason in done.stderr
    assert "waiting" not in done.stderr


@slow
def test_nothing_answered_is_lost_while_clients_come_and_go(own_postgres, sabot):
    """Each client sends again what was not answered. Every second connection is dropped unread."""
    EventLog.open(own_postgres.url).close()
    program = sabot("record", "--listen", "127.0.0.1:0", stderr=subprocess.PIPE, text=True)
    port = int(program.stderr.readline().rpartition(":")[2])
    answered = [{} for _ in range(CLIENTS)]
    ended = threading.Event()

    def work(device):
        mine, attempt = answered[device], 0
        while not ended.is_set() or attempt % 2:
            attempt += 1
            due = range(len(mine), len(mine) + 9)
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", port), timeout=60) as client,
                client.makefile("rb") as answers,
            ):
                client.sendall(b"".join(closed(device, seq) for seq in due))
                if attempt % 2:
                    continue
                for seq in due:
                    mine[seq] = json.loads(answers.readline())["index"]

    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    everything = Total(answered)
    restart(own_postgres, everything, lambda: True)
    ended.set()
    for thread in threads:
        thread.join(60)
    program.send_signal(signal.SIGTERM)
    assert program.wait(60) == 0
    with EventLog.open(own_postgres.url) as log:
        places = {(event.device, event.seq): event.index for event in chain(*log.scan())}
        assert log.head() == len(places)
    for device, mine in enumerate(answered):
        assert list(mine) == list(range(len(mine)))
        assert {seq: places[f"cam {device}", seq] for seq in mine} == mine


class Total:
    """The number of answers to all clients."""

    def __init__(self, answered):
        self._answered = answered

    def __len__(self):
        return sum(map(len, self._answered))


def closed(device, seq):
    sent = {"stream": f"table/T{device}", "fact": {"type": "table-closed", "inventory": seq}}
    return json.dumps(sent | {"device": f"cam {device}", "seq": seq}).encode() + b"\n"
