"""Power cuts of a PostgreSQL server that holds a log: is anything lost that was acknowledged?

    python -m benchmarks.power_cuts_postgresql [--cuts N] [--commits N] [--fsync off]

A recorder appends coups, with a CHECKPOINT of the server now and then. `strace` notes each write,
fsync and truncation of every process of the server, with its times. A power cut at any moment
leaves the files as they were copied before, with the writes that were synced. Of the other writes
each may be on the disk, be missing, or be torn: any of its sectors of 512 bytes. New, renamed and
removed files are taken to be on the disk at once, and this is not simulated. A server is started
on what is left, and recovers without help. Then the log is compared with what was acknowledged
before the cut, its checkpoints are verified, and an event is appended. --fsync off shows that the
cuts are real: with that setting, of which Sabot warns, events are lost.
"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import merge
from pathlib import Path
from typing import Final, NamedTuple

import psycopg
from sqlalchemy.engine import make_url

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.power_cuts import Call, Found, apply, compared, tear
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import SabotError
from sabot.infrastructure.log.event_log import EventLog
from tests.conftest import OwnPostgres, fast_folder

CHECKPOINT_EVERY: Final = 25
_LONGEST: Final = 1 << 20
_TRACED: Final = "pwrite64,pwritev,write,fsync,fdatasync,ftruncate,rename,renameat2,unlink"
_LINE: Final = re.compile(r"(\d+\.\d+) (\w+)\((.*)\)\s+= (-?\d+).*<(\d+\.\d+)>$")
_OF_FD: Final = re.compile(r"^\d+<([^>]*)>")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


class Timed(NamedTuple):
    """A call, when it began and when it had ended, in seconds since 1970."""

    ended: float
    began: float
    call: Call


class Run(NamedTuple):
    """What a server did while a recorder appended.

    Attributes:
        base: a copy of the server's folder from before.
        owner: user and group that the server runs as.
        calls: the calls on its files, in the order in which they ended.
        answers: when each acknowledgement was there, and of how many events.
    """

    base: Path
    owner: tuple[int, int]
    calls: list[Timed]
    answers: list[tuple[float, int]]


def recorded(folder: Path, commits: int, fsync: str) -> Run:
    """Record in a log on a server under strace.

    Raises:
        RuntimeError: strace does not work here.
    """
    server = OwnPostgres()
    try:
        with psycopg.connect(server.url, autocommit=True) as owner:
            owner.execute(f"ALTER SYSTEM SET fsync = {fsync}".encode())
            owner.execute("SELECT pg_reload_conf()")
            owner.execute("CREATE DATABASE cuts")
        url = _cuts(server.url)
        with EventLog.open(url) as log, psycopg.connect(url, autocommit=True) as owner:
            (data,) = owner.execute("SHOW data_directory").fetchone() or ("",)
            owner.execute("CHECKPOINT")
            shutil.copytree(data, folder / "base", ignore=_no_sockets)
            status = Path(data).stat()
            with _traced(Path(data), folder):
                answers = list(_answers(log, owner, commits))
        pages = [_calls(file, str(data)) for file in sorted(folder.glob("trace.*"))]
        calls = list(merge(*pages))
        return Run(folder / "base", (status.st_uid, status.st_gid), calls, answers)
    finally:
        server.close()


def _cuts(url: str) -> str:
    return make_url(url).set(database="cuts").render_as_string(hide_password=False)


def _no_sockets(folder: str, names: list[str]) -> list[str]:
    return [n for n in names if _is_of_process(n) or (Path(folder) / n).is_socket()]


def _is_of_process(name: str) -> bool:
    """Tell whether a file belongs to a running server and not to its data."""
    return name in {"postmaster.pid", ".handle_pids.json"} or name.startswith(".s.PGSQL")


@contextmanager
def _traced(data: Path, folder: Path) -> Iterator[None]:
    """Trace all processes of a server, each to a file ``trace.PID``."""
    main = (data / "postmaster.pid").read_text().split()[0]
    children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
    words = ["strace", "-ff", "-ttt", "-T", "-y", "-xx", "-s", str(_LONGEST), "-e",
             f"trace={_TRACED}", "-o", str(folder / "trace")]  # fmt: skip
    for each in (main, *children):
        words += ["-p", each]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr is not None
        attached = 0
        while attached < 1 + len(children):
            line = tracer.stderr.readline()
            if not line or "Operation not permitted" in line:
                raise RuntimeError(f"strace cannot attach to the server: {line}")
            attached += "attached" in line
        try:
            yield
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.stderr.read()


def _answers(
    log: EventLog, owner: "psycopg.Connection", commits: int
) -> Iterator[tuple[float, int]]:
    """Append coups; yield when each was acknowledged."""
    for number in range(1, commits + 1):
        coup = (ev.CoupOpened(number), ev.NoMoreBets(number), ev.CoupClosed(number))
        log.append([NewEvent("shoe/A", payload) for payload in coup[: 1 + number % 3]])
        yield time.time(), log.head()
        if number % CHECKPOINT_EVERY == 0:
            owner.execute("CHECKPOINT")


# -- The trace --------------------------------------------------------------------------------


def _calls(trace: Path, data: str) -> Iterator[Timed]:
    """Yield the calls of one process on files in the server's folder."""
    with trace.open() as lines:
        for line in lines:
            found = _LINE.match(line)
            if found is None or int(found[4]) < 0:
                continue
            began = float(found[1])
            for call in _call(found[2], found[3], data):
                yield Timed(began + float(found[5]), began, call)


def _call(name: str, words: str, data: str) -> Iterator[Call]:
    if name in {"rename", "renameat2", "unlink"}:
        # the server works in its folder, and names files there without it
        paths = [f"{Path(data) / _bytes(each).decode()}" for each in _TEXT.findall(words)]
        yield Call("gone" if name == "unlink" else "moved", paths[0], data=paths[-1].encode())
        return
    descriptor = _OF_FD.match(words)
    path = descriptor[1] if descriptor else ""
    path = _bytes(path).decode() if path.startswith("\\x") else path
    if not path.startswith(data) or _is_of_process(Path(path).name):
        return
    written = b"".join(map(_bytes, _TEXT.findall(words)))
    if name in {"fsync", "fdatasync"}:
        yield Call("sync", path)
    elif name == "ftruncate":
        yield Call("cut", path, int(words.rsplit(", ", 1)[1]))
    elif name == "write":
        yield Call("add", path, data=written)
    else:
        yield Call("write", path, int(words.rsplit(", ", 1)[1]), written)


def _bytes(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))


class Disk:
    """Files that are on the disk for certain, and the writes since the last sync of each."""

    def __init__(self, base: Path, data: str) -> None:
        self._base, self._data = base, data
        self._safe: dict[str, bytearray | None] = {}
        self._loose: dict[str, list[Timed]] = {}

    def _file(self, path: str) -> bytearray:
        """Return the certain bytes of a file, at first those of the copy."""
        if self._safe.get(path) is None:
            place = self._base / Path(path).relative_to(self._data)
            there = place.is_file() and path not in self._safe
            self._safe[path] = bytearray(place.read_bytes() if there else b"")
        found = self._safe[path]
        assert found is not None
        return found

    def make(self, timed: Timed) -> None:
        """Note a call that has ended."""
        call = timed.call
        if call.kind == "sync":
            waiting = self._loose.pop(call.path, [])
            for each in waiting:  # a write that had not ended when the sync began is not certain
                if each.ended <= timed.began:
                    apply(self._file(call.path), each.call)
            if left := [each for each in waiting if each.ended > timed.began]:
                self._loose[call.path] = left
        elif call.kind == "gone":
            self._safe[call.path] = None
            self._loose.pop(call.path, None)
        elif call.kind == "moved":
            to = call.data.decode()
            self._safe[to] = self._file(call.path)
            self._loose[to] = self._loose.pop(call.path, [])
            self._safe[call.path] = None
        else:
            if call.kind == "add":
                call = Call("write", call.path, self._length(call.path), call.data)
            self._loose.setdefault(call.path, []).append(timed._replace(call=call))

    def _length(self, path: str) -> int:
        length = len(self._file(path))
        for each in self._loose.get(path, ()):
            end = each.call.at + len(each.call.data)
            length = end if each.call.kind == "cut" else max(length, end)
        return length

    def after_a_cut(self, data: Path, running: list[Call], dice: random.Random) -> None:
        """Write what a power cut may leave.

        Args:
            data: the new folder.
            running: writes that had begun and not ended.
            dice: decides what is left.
        """
        shutil.copytree(self._base, data)
        loose = {path: [each.call for each in calls] for path, calls in self._loose.items()}
        for call in running:
            if call.kind in {"write", "cut"}:
                loose.setdefault(call.path, []).append(call)
        for path in {*self._safe, *loose}:
            place = data / Path(path).relative_to(self._data)
            if path in self._safe and self._safe[path] is None and path not in loose:
                place.unlink(missing_ok=True)
                continue
            content = bytearray(self._file(path))
            for call in loose.get(path, ()):
                match dice.randrange(3):
                    case 0:
                        apply(content, call)
                    case 1 if call.kind == "write":
                        tear(content, call, dice)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


# -- The cuts ---------------------------------------------------------------------------------


def cuts(number: int, *, commits: int, fsync: str = "on", seed: int = 1) -> Found:
    """Cut the power at random moments of a server.

    Raises:
        RuntimeError: strace does not work here.
    """
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="sabot-power-", dir=fast_folder()) as name:
        run = recorded(Path(name), commits, fsync)
        data = _data_folder(run)
        disk, done, sums = Disk(run.base, data), 0, [0, 0, 0, 0]
        first = run.answers[0][0]
        moments = [t.ended for t in run.calls if t.ended > first] + [at for at, _ in run.answers]
        for moment in sorted(dice.choices(moments, k=number)):
            while done < len(run.calls) and run.calls[done].ended <= moment:
                disk.make(run.calls[done])
                done += 1
            running = [t.call for t in run.calls[done:] if t.began <= moment]
            answered = max((events for at, events in run.answers if at <= moment), default=0)
            with tempfile.TemporaryDirectory(prefix="sabot-cut-", dir=fast_folder()) as left:
                disk.after_a_cut(Path(left) / "data", running, dice)
                for place in Path(left).rglob("*"):
                    os.chown(place, *run.owner, follow_symlinks=False)
                found = _looked(Path(left), answered)
            sums = [sum(pair) for pair in zip(sums, found, strict=True)]
    return Found(number, *sums)


def _data_folder(run: Run) -> str:
    """Return the path that the server's folder had."""
    path = next(t.call.path for t in run.calls if "/pg_wal/" in t.call.path)
    return path.partition("/pg_wal/")[0]


def _looked(left: Path, answered: int) -> tuple[int, int, int, int]:
    """Start a server on what is left. Return acknowledged, lost, unfit and other events.

    If it does not start, or the log cannot be read, all is lost.
    """
    try:
        server = OwnPostgres(left)
    except subprocess.CalledProcessError:
        print((left / "data/log").read_text()[-300:], file=sys.stderr)
        return answered, answered, 1, 0
    try:
        with EventLog.open(_cuts(server.url)) as log:
            return compared(log, answered)
    except SabotError as error:
        print(error, file=sys.stderr)
        return answered, answered, 1, 0
    finally:
        server.close()


def main() -> int:
    """Cut the power."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=50)
    parser.add_argument("--commits", type=int, default=100, help="of the recorder")
    parser.add_argument("--fsync", default="on", choices=("on", "off"))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if shutil.which("strace") is None:
        parser.error("strace is needed")
    began = time.monotonic()
    found = cuts(asked.cuts, commits=asked.commits, fsync=asked.fsync, seed=asked.seed)
    print(*Found._fields, "seconds", sep="\t")
    print(*found, f"{time.monotonic() - began:.0f}", sep="\t")
    return 0 if found.lost == found.unfit == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
