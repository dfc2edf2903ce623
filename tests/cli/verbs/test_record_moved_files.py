"""`sabot record` while its SQLite files are removed, renamed or replaced.

What is acknowledged is in the log that the path names; nothing else is acknowledged.
"""

import contextlib
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from sabot.infrastructure.log.event_log import EventLog
from tests.support.programs import SABOT, Program
from tests.support.thorough import FULL

BEFORE, AFTER = 5, 20


def line(seq):
    payload = {"type": "card-drawn", "coup": seq, "hand": "player", "card": "4d"}
    if seq == 0:
        payload = {"type": "shoe-loaded", "decks": 8, "pack": "", "pack_sha256": "0" * 64}
    keys = {"stream": "shoe/K", "device": "reader", "seq": seq, "fact": payload}
    return json.dumps(keys).encode() + b"\n"


@contextlib.contextmanager
def recording(path):
    with Program(
        [
            *SABOT,
            "record",
            "--database",
            path,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def send(program, seqs):
    """Send events one by one, each after the answer to the last; return those acknowledged."""
    acknowledged = []
    for seq in seqs:
        with contextlib.suppress(BrokenPipeError):
            program.stdin.write(line(seq))
        answer = program.stdout.readline()
        if not answer:
            break
        assert "version" in json.loads(answer)
        acknowledged.append(seq)
    return acknowledged


def recorded(path):
    with EventLog.open(str(path)) as log:
        return [event.seq for event in log.read("shoe/K")]


def keep(path):
    """Give each file of the log a second name, so that it can be had back."""
    for end in ("", "-wal"):
        os.link(f"{path}{end}", f"{path}.kept{end}")


def put_back(path):
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    for end in ("", "-wal"):
        Path(f"{path}.kept{end}").replace(f"{path}{end}")


def remove(path):
    path.unlink()


def rename(path):
    path.rename(f"{path}.old")


def replace(path):
    shutil.copy(path, f"{path}.copy")
    Path(f"{path}.copy").replace(path)


def rename_folder(path):
    path.parent.rename(f"{path.parent}.old")


def remove_everything(path):
    for end in ("-shm", "-wal", ""):
        Path(f"{path}{end}").unlink()


FAULTS = {
    "removed": (remove, ""),
    "renamed": (rename, ""),
    "replaced": (replace, ""),
    "all removed": (remove_everything, ""),
    "wal removed": (remove, "-wal"),
    "wal renamed": (rename, "-wal"),
    "wal replaced": (replace, "-wal"),
    "shm removed": (remove, "-shm"),
    "shm replaced": (replace, "-shm"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_nothing_is_acknowledged_once_a_file_is_not_at_its_path(name, sqlite_url):
    fault, end = FAULTS[name]
    path = Path(sqlite_url)
    with recording(sqlite_url) as program:
        before = send(program, range(BEFORE))
        keep(path)
        fault(Path(f"{path}{end}"))
        after = send(program, range(BEFORE, BEFORE + AFTER))
        program.stdin.close()
        code, said = program.wait(60), program.stderr.read().decode()
    assert before == list(range(BEFORE))
    assert after == []
    assert code == 3, said
    assert f"sabot: standard input:{BEFORE + 1}: not confirmed, nor any later line" in said
    assert f"{path}{end} is " in said or name == "all removed"
    assert "send again what was not acknowledged" in said
    if end:
        # the database is where it was, and has all that was acknowledged
        assert recorded(path)[:BEFORE] == before
    put_back(path)
    assert recorded(path)[:BEFORE] == before


def test_a_folder_that_is_renamed(sqlite_url, tmp_path):
    folder = tmp_path / "pit"
    folder.mkdir()
    path = shutil.move(sqlite_url, folder / "log.sabot")
    with recording(str(path)) as program:
        before = send(program, range(BEFORE))
        rename_folder(path)
        assert send(program, range(BEFORE, BEFORE + AFTER)) == []
        program.stdin.close()
        assert program.wait(60) == 3
    assert recorded(tmp_path / "pit.old" / "log.sabot")[:BEFORE] == before


def test_a_symbolic_link_that_is_turned_to_another_log(sqlite_url, sqlite_template, tmp_path):
    link = tmp_path / "link.sabot"
    link.symlink_to(sqlite_url)
    other = shutil.copy(sqlite_template, tmp_path / "other.sabot")
    with recording(str(link)) as program:
        before = send(program, range(BEFORE))
        assert before == list(range(BEFORE))
        assert Path(f"{sqlite_url}-wal").exists()
        link.unlink()
        link.symlink_to(other)
        assert send(program, range(BEFORE, BEFORE + AFTER)) == []
        program.stdin.close()
        assert program.wait(60) == 3
    assert recorded(sqlite_url)[:BEFORE] == before


@pytest.mark.parametrize("end", ["", "-wal"])
def test_a_file_removed_under_a_fast_sender(end, sqlite_url):
    """The file goes at any moment of a commit: whatever was answered had been stored before."""
    path = Path(sqlite_url)
    with recording(sqlite_url) as program:
        assert send(program, [0]) == [0]
        keep(path)

        def feed():
            with contextlib.suppress(OSError, ValueError):
                for seq in range(1, 100_000):
                    program.stdin.write(line(seq))

        sender = threading.Thread(target=feed, daemon=True)
        sender.start()
        answers = [program.stdout.readline() for _ in range(100)]
        Path(f"{path}{end}").unlink()
        answers += program.stdout.read().splitlines()
        assert program.wait(60) == 3
        sender.join(60)
    versions = [json.loads(answer)["version"] for answer in answers]
    assert versions == list(range(2, len(versions) + 2))
    put_back(path)
    assert len(recorded(path)) >= versions[-1]


def test_a_file_put_back_before_the_next_event_is_the_same_log(sqlite_url):
    path = Path(sqlite_url)
    with recording(sqlite_url) as program:
        before = send(program, range(BEFORE))
        path.rename(f"{path}.old")
        Path(f"{path}.old").rename(path)
        after = send(program, range(BEFORE, BEFORE + AFTER))
        program.stdin.close()
        assert program.wait(60) == 0
    assert recorded(path) == before + after == list(range(BEFORE + AFTER))


def test_recordings_that_begin_and_end_beside_each_other_raise_no_alarm(sqlite_url):
    """The last one that closes removes ``-wal``. Whoever opens next makes another."""
    send_each, processes = 6, 12 if FULL else 6

    def work(who):
        with recording(sqlite_url) as program:
            assert send(program, range(1 + who * send_each, 1 + (who + 1) * send_each))
            program.stdin.close()
            results[who] = (program.wait(60), program.stderr.read())

    results = {}
    with recording(sqlite_url) as first:
        assert send(first, [0]) == [0]
        for start in range(0, processes, 3):
            together = [threading.Thread(target=work, args=(n,)) for n in range(start, start + 3)]
            for thread in together:
                thread.start()
            with EventLog.open(sqlite_url, read_only=True) as reader:
                assert reader.head()
            for thread in together:
                thread.join(120)
            if start == processes - 6:
                # from here on nobody else keeps the files open
                first.stdin.close()
                assert (first.wait(60), first.stderr.read()) == (0, b"")
    assert results == dict.fromkeys(range(processes), (0, b""))
    assert sorted(recorded(sqlite_url)) == list(range(send_each * processes + 1))
