"""``sabot record`` answers each event once it is durable."""

import contextlib
import json
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from sabot.domain import events as ev
from sabot.infrastructure.log.event_log import EventLog
from tests.support.programs import SABOT, Program

LOADED = {"type": "shoe-loaded", "decks": 8, "pack": "", "pack_sha256": "0" * 64}


def line(payload, stream="shoe/H", **keys):
    return json.dumps({"stream": stream, "fact": payload} | keys).encode() + b"\n"


def opened(coup, **keys):
    return line({"type": "coup-opened", "coup": coup}, **keys)


@contextlib.contextmanager
def recording(url, *options):
    """The verb as a device starts it, with its pipes."""
    with Program(
        [
            *SABOT,
            "record",
            "--database",
            url,
            *options,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def said(program):
    return json.loads(program.stdout.readline())


def sent(url, data, *options):
    """Send everything at once; return exit code, answers and talk."""
    with recording(url, *options) as program:
        out, err = program.communicate(data, timeout=60)
    return program.returncode, [json.loads(answer) for answer in out.splitlines()], err.decode()


def test_each_line_is_answered_when_it_is_durable(database_url):
    with recording(database_url) as program, EventLog.open(database_url) as log:
        for number, payload in enumerate(
            [line(LOADED, at="2026-01-01T20:00:00.5Z", actor="a", device="d", seq=1), opened(1)], 1
        ):
            program.stdin.write(payload)
            program.stdin.flush()
            # the program is still waiting for more, and the event is there for everybody
            answer = {"line": number, "index": number, "version": number, "known": False}
            assert said(program) == answer
            assert log.head() == number
        program.stdin.close()
        assert program.wait(30) == 0
        first, second = log.read("shoe/H")
        assert (first.at_us, first.actor, first.device, first.seq) == (
            1_767_297_600_500_000,
            "a",
            "d",
            1,
        )
        assert second.payload == ev.CoupOpened(1)
        assert program.stderr.read() == b""


def test_a_bad_line_is_answered_and_the_rest_goes_on(sqlite_url):
    data = [opened(1), line(LOADED), b"{\n", b"\n", opened(0), opened(2), line(LOADED, "H")]
    code, answers, err = sent(sqlite_url, b"".join(data))
    assert code == 2
    assert [(a["line"], a.get("version")) for a in answers] == [
        (1, None),
        (2, 1),
        (3, None),
        (5, None),
        (6, 2),
        (7, None),
    ]
    assert answers[0]["error"] == "there is no shoe 'H'; its first event is shoe-loaded"
    assert answers[2]["error"].startswith("column 2: this is not JSON")
    assert "sabot: standard input:3: column 2: this is not JSON" in err
    assert answers[3]["error"].startswith("fact.coup: expected a whole number >= 1")


def test_strict_stops_at_the_first_refusal(sqlite_url):
    data = line(LOADED) + opened(1) + opened(0) + opened(2)
    code, answers, _ = sent(sqlite_url, data, "--strict")
    assert code == 2
    assert [a["line"] for a in answers] == [1, 2, 3]
    with EventLog.open(sqlite_url) as log:
        assert log.head() == 2


def test_what_is_absurd_is_recorded(sqlite_url):
    absurd = [
        LOADED,
        {"type": "card-drawn", "coup": 40, "hand": "banker", "card": "10h"},
        {"type": "bet-paid", "coup": 3, "bet": 9, "amount": 2**53 - 1},
        {"type": "shoe-ended"},
        {"type": "coup-opened", "coup": 1},
        LOADED,
    ]
    code, answers, err = sent(sqlite_url, b"".join(map(line, absurd)))
    assert (code, err) == (0, "")
    assert [a["version"] for a in answers] == [1, 2, 3, 4, 5, 6]


def test_a_retry_is_answered_at_its_first_place(database_url):
    data = line(LOADED, device="d", seq=1) + opened(1, id="e-1") + opened(2)
    first = sent(database_url, data)[1]
    assert [a["known"] for a in first] == [False] * 3
    code, again, _ = sent(database_url, data)
    assert code == 0
    assert [(a["version"], a["known"]) for a in again] == [(1, True), (2, True), (4, False)]
    assert [a["index"] for a in again[:2]] == [a["index"] for a in first[:2]]


def test_other_content_under_the_same_identity_is_refused_alone(database_url):
    sent(database_url, line(LOADED, device="d", seq=1))
    data = (
        opened(1, device="d", seq=2) + opened(9, device="d", seq=1) + opened(3, device="d", seq=3)
    )
    code, answers, _ = sent(database_url, data)
    assert code == 2
    assert [a.get("version") for a in answers] == [2, None, 3]
    assert "with another" in answers[1]["error"]


def test_the_same_event_twice_in_one_breath(database_url):
    data = line(LOADED, device="d", seq=1) * 2 + opened(1, id="x") * 2
    code, answers, _ = sent(database_url, data)
    assert code == 0
    assert [(a["version"], a["known"]) for a in answers] == [
        (1, False),
        (1, True),
        (2, False),
        (2, True),
    ]


def test_many_devices_on_one_shoe(database_url):
    sent(database_url, line(LOADED))
    feeds = [
        b"".join(opened(n, device=f"d{who}", seq=n) for n in range(1, 201)) for who in range(4)
    ]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda data: sent(database_url, data), feeds))
    assert [code for code, _, _ in results] == [0] * 4
    versions = [[a["version"] for a in answers] for _, answers, _ in results]
    assert sorted(v for some in versions for v in some) == list(range(2, 802))
    assert all(some == sorted(some) for some in versions)


def test_a_last_line_without_its_end(sqlite_url):
    code, answers, _ = sent(sqlite_url, (line(LOADED) + opened(1)).rstrip(b"\n"))
    assert (code, len(answers)) == (0, 2)
    code, answers, _ = sent(sqlite_url, opened(2)[:-9])
    assert code == 2
    assert "this is not JSON" in answers[0]["error"]


def test_nobody_reads_the_answers(sqlite_url):
    with recording(sqlite_url) as program:
        program.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            program.communicate(line(LOADED) * 3, timeout=60)
    assert program.returncode == 141


def test_an_interrupt_ends_it_between_commits(sqlite_url):
    with recording(sqlite_url) as program:
        program.stdin.write(line(LOADED))
        program.stdin.flush()
        assert said(program)["version"] == 1
        program.send_signal(signal.SIGINT)
        assert program.wait(30) == 130
    with EventLog.open(sqlite_url) as log:
        assert log.head() == 1


def test_nothing_on_standard_input(sqlite_url):
    assert sent(sqlite_url, b"") == (0, [], "")


@pytest.mark.parametrize("actor", ["", "desk"])
def test_the_actor_of_the_command(actor, sqlite_url):
    sent(sqlite_url, line(LOADED) + opened(1, actor="floor"), "--actor", actor)
    with EventLog.open(sqlite_url) as log:
        assert [event.actor for event in log.read("shoe/H")] == [actor, "floor"]


def test_a_log_that_was_begun_for_a_device_s_later_events_is_told_of(sqlite_url):
    late = line(LOADED, device="cam", seq=57)
    code, answers, talk = sent(sqlite_url, late)
    assert (code, answers[0]["line"]) == (2, 1)
    assert "earlier events are in another log" in talk
    assert sent(sqlite_url, late, "--new")[:2] == (
        0,
        [{"line": 1, "index": 1, "version": 1, "known": False}],
    )
    assert sent(sqlite_url, opened(1, device="eye", seq=9))[0] == 0
