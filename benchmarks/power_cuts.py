"""Simulate power cuts of a machine that records in a SQLite log, and look for lost events.

    python -m benchmarks.power_cuts [--cuts N] [--full] [--commits N] [--synchronous LEVEL]

A recorder appends coups under `strace`, which notes each write to the log's files, each fsync and
each acknowledgement. A power cut at one of these calls keeps everything that was synced before.
Each write since the last fsync of its file may be on the disk, missing or torn at any sector of 512
bytes. A file whose folder was not synced may be missing.

The log is then opened from this state without any repair and compared with the acknowledged events.
Its checkpoints are verified, and an event is appended. ``--full`` makes 10,000 cuts.
``--synchronous NORMAL``, a setting of SQLite that Sabot does not use, loses events and shows that
the simulation works.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.log.event_log import EventLog

SECTOR: Final = 512
RECORDER: Final = """
import sys
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.database import sqlite_files
from sabot.infrastructure.evidence import checkpoint_writer
from sabot.infrastructure.log.event_log import EventLog

path, commits, level = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sqlite_files.CHECKPOINT_COMMITS = 7   # many of them in a short run
checkpoint_writer.SECONDS = 10**6     # strace follows one thread: no other one writes
checkpoint_writer.APART_SECONDS = 0
prepare = sqlite_files._prepare

def prepared(connection, **how):
    journal = prepare(connection, **how)
    connection.execute(f"PRAGMA synchronous = {level}").close()
    return journal

sqlite_files._prepare = prepared
with EventLog.open(path) as log:
    for number in range(1, commits + 1):
        coup = [ev.CoupOpened(number), ev.NoMoreBets(number), ev.CoupClosed(number)]
        log.append([NewEvent("shoe/A", payload) for payload in coup[: 1 + number % 3]])
        assert not log.checkpoints._soon.is_set()
        sys.stdout.write(f"{log.head()}\\n")
        sys.stdout.flush()
"""


class Call(NamedTuple):
    """A call that changes or syncs a file, or acknowledges events.

    ``kind`` is ``write``, ``cut`` (truncate), ``sync``, ``new``, ``gone`` or ``answer``.
    """

    kind: str
    path: str
    at: int = 0
    data: bytes = b""


_CALL: Final = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)")
_PATH: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


def _bytes(text: str) -> bytes:
    found = _PATH.search(text)
    return bytes.fromhex(found[1].replace("\\x", "")) if found else b""


def traced(folder: Path, commits: int, level: str) -> list[Call]:
    """Record in a log under strace and return its calls.

    Raises:
        RuntimeError: strace does not work here.
    """
    trace = folder / "trace"
    calls = "openat,close,pwrite64,write,fdatasync,fsync,ftruncate,unlink"
    done = subprocess.run(
        [
            "strace", "-xx", "-s", "70000", "-e", f"trace={calls}", "-o", str(trace),
            sys.executable, "-c", RECORDER, str(folder / "log.sabot"), str(commits), level,
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    with trace.open() as lines:
        return list(_calls(lines, str(folder / "log.sabot")))


def _calls(lines: Iterator[str], path: str) -> Iterator[Call]:
    """Yield the calls on the files of a log."""
    opened: dict[int, str] = {}
    for line in lines:
        found = _CALL.match(line)
        if found is None or int(found[3]) < 0:
            continue
        name, words = found[1], found[2]
        if name == "openat":
            file = opened[int(found[3])] = _bytes(words).decode()
        elif name == "unlink":
            file = _bytes(words).decode()
        else:
            number = int(words.split(",")[0])
            file = opened.pop(number, "") if name == "close" else opened.get(number, "")
        if name == "write" and words.startswith("1,"):
            yield Call("answer", "", int(_bytes(words)))
        elif name in {"fsync", "fdatasync"}:
            yield Call("sync", file)
        elif file.startswith(path):
            yield from _change(name, file, words)


def _change(name: str, file: str, words: str) -> Iterator[Call]:
    match name:
        case "openat" if "O_CREAT" in words:
            yield Call("new", file)
        case "unlink":
            yield Call("gone", file)
        case "ftruncate":
            yield Call("cut", file, int(words.split(", ")[1]))
        case "pwrite64":
            yield Call("write", file, int(words.rsplit(", ", 1)[1]), _bytes(words))


class Disk:
    """A disk: the synced content, and the writes since the last sync of each file."""

    def __init__(self, path: Path) -> None:
        self._folder = str(path.parent)
        self._safe: dict[str, bytearray] = {str(path): bytearray(path.read_bytes())}
        self._loose: dict[str, list[Call]] = {}
        self._names: dict[str, bool] = {}
        self.answered = 0

    def make(self, call: Call) -> None:
        """Apply a call."""
        if call.kind == "answer":
            self.answered = call.at
        elif call.kind == "sync" and call.path in {self._folder, self._folder + "/"}:
            self._names.clear()
        elif call.kind == "sync":
            for each in self._loose.pop(call.path, ()):
                apply(self._safe.setdefault(call.path, bytearray()), each)
        elif call.kind == "new":
            if call.path not in self._safe:
                self._safe[call.path] = bytearray()
                self._names[call.path] = True
        elif call.kind == "gone":
            self._safe.pop(call.path, None)
            self._loose.pop(call.path, None)
        else:
            self._loose.setdefault(call.path, []).append(call)

    def after_a_cut(self, folder: Path, dice: random.Random) -> Path:
        """Write a possible state after a power cut into a folder. Return the log's path there."""
        for path, safe in self._safe.items():
            if path.endswith("-shm") or (path in self._names and dice.random() < 0.5):
                continue
            data = bytearray(safe)
            for call in self._loose.get(path, ()):
                if call.kind == "cut":
                    if dice.random() < 0.5:
                        apply(data, call)
                    continue
                match dice.randrange(3):
                    case 0:
                        apply(data, call)
                    case 1:
                        tear(data, call, dice)
            (folder / Path(path).name).write_bytes(data)
        return folder / "log.sabot"


def apply(data: bytearray, call: Call) -> None:
    if call.kind == "cut":
        del data[call.at :]
        data.extend(bytes(call.at - len(data)))
        return
    data.extend(bytes(max(0, call.at - len(data))))
    data[call.at : call.at + len(call.data)] = call.data


def tear(data: bytearray, call: Call, dice: random.Random) -> None:
    """Write only some sectors of a write."""
    for at in range(call.at - call.at % SECTOR, call.at + len(call.data), SECTOR):
        if dice.random() < 0.5:
            first, last = max(at, call.at), min(at + SECTOR, call.at + len(call.data))
            part = call.data[first - call.at : last - call.at]
            apply(data, Call("write", call.path, first, part))


class Found(NamedTuple):
    """The results of power cuts: lost events, and logs that do not match a checkpoint."""

    cuts: int
    acknowledged: int
    lost: int
    unfit: int
    kept_besides: int


def cuts(number: int, *, commits: int, level: str = "FULL", seed: int = 1) -> Found:
    """Cut the power at random calls of a recorder.

    Raises:
        RuntimeError: strace does not work here.
    """
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="sabot-power-", dir=_fast()) as name:
        folder = Path(name)
        path = folder / "log.sabot"
        EventLog.open(str(path)).close()
        disk = Disk(path)
        calls = traced(folder, commits, level)
        points = sorted(dice.choices(range(len(calls)), k=number))
        sums = [0, 0, 0, 0]
        done = 0
        for point in points:
            for call in calls[done : point + 1]:
                disk.make(call)
            done = max(done, point + 1)
            with tempfile.TemporaryDirectory(prefix="sabot-cut-", dir=_fast()) as left:
                found = _look(disk.after_a_cut(Path(left), dice), disk.answered)
            sums = [sum(pair) for pair in zip(sums, found, strict=True)]
    return Found(number, *sums)


def _fast() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _look(path: Path, answered: int) -> Sequence[int]:
    """Open a log without repair. Return the acknowledged, lost, unfit and other events."""
    with EventLog.open(str(path)) as log:
        return compared(log, answered)


def compared(log: EventLog, answered: int) -> tuple[int, int, int, int]:
    """Return the acknowledged, lost, unfit and other events of a log after a cut."""
    log.check()
    there = len(log.read("shoe/A"))
    try:
        unfit = verify_log(log.database).altered
    except NotFound:
        unfit = False  # cut before the first checkpoint
    (receipt,) = log.append([NewEvent("shoe/A", ev.CoupOpened(10**6))])
    unfit = unfit or receipt.index != there + 1
    return answered, max(0, answered - there), int(unfit), max(0, there - answered)


def main() -> int:
    """Read the options and simulate the cuts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=300)
    parser.add_argument("--commits", type=int, default=60, help="of the recorder")
    parser.add_argument("--synchronous", default="FULL", choices=("OFF", "NORMAL", "FULL"))
    parser.add_argument("--full", action="store_true", help="10,000 cuts of 300 commits")
    asked = parser.parse_args()
    if shutil.which("strace") is None:
        parser.error("strace is needed")
    number, commits = (10_000, 300) if asked.full else (asked.cuts, asked.commits)
    began = time.monotonic()
    found = cuts(number, commits=commits, level=asked.synchronous)
    print(*Found._fields, "seconds", sep="\t")
    print(*found, f"{time.monotonic() - began:.0f}", sep="\t")
    return 0 if found.lost == found.unfit == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
