"""Errors of the disk under a recorder: does it stop, and is anything lost that was acknowledged?

    python -m benchmarks.io_errors [--lines N]

`sabot record` takes lines one by one under `strace`, which makes one call on the files of a SQLite
log fail with EIO: each call in turn that the recorder makes on them, from the first commit on, one
a run. The recorder must end with exit code 2 or 3 and a message, and acknowledge nothing after an
error that SQLite reports. The log is then opened without any help and compared with what was
acknowledged, its checkpoints are verified, and an event is appended.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.log.event_log import EventLog

CALLS: Final = ("pread64", "pwrite64", "fdatasync", "fsync", "ftruncate", "openat")
_RECORD: Final = "from sabot.cli.main import run; run()"


class Outcome(NamedTuple):
    """What became of a recorder whose call failed.

    Attributes:
        code: its exit code.
        told: the end of its message.
        acknowledged: how many events.
        lost: how many of them are not in the log.
        unfit: whether a checkpoint does not fit the log, or the log cannot go on.
    """

    code: int
    told: str
    acknowledged: int
    lost: int
    unfit: bool


def _recorded(folder: Path, lines: int, *options: str) -> tuple[int, int, str]:
    """Record lines under strace, each after the answer to the one before.

    Returns:
        the exit code, the number of answers, and what was said on standard error.

    Raises:
        RuntimeError: strace does not work here.
    """
    log = folder / "log.sabot"
    words = ["strace", "-f", "-o", str(folder / "trace"), *options]
    for path in (log, f"{log}-wal"):
        words += ["-P", str(path)]
    words += [sys.executable, "-c", _RECORD, "record", "--database", str(log)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as recorder:
        assert recorder.stdin is not None
        assert recorder.stdout is not None
        assert recorder.stderr is not None
        answers = 0
        for number in range(1, lines + 1):
            event = f'{{"type":"coup-opened","coup":{number}}}'
            try:
                recorder.stdin.write(f'{{"stream":"shoe/A","fact":{event}}}\n')
                recorder.stdin.flush()
            except BrokenPipeError:
                break
            if '"index"' not in recorder.stdout.readline():
                break
            answers += 1
        _, said = recorder.communicate()
    if "strace:" in said:
        raise RuntimeError(said[-300:])
    return recorder.returncode, answers, said


def calls_made(lines: int) -> Counter[str]:
    """Return how many calls of each kind a recorder makes on the files of its log."""
    with _folder() as name:
        folder = _new_log(name)
        _recorded(folder, lines, "-e", f"trace={','.join(CALLS)}")
        names = (line.split()[1].partition("(")[0] for line in (folder / "trace").open())
        return Counter(name for name in names if name in CALLS)


def failed(call: str, nth: int, lines: int) -> Outcome:
    """Let one call of a recorder fail, and return what became of it."""
    with _folder() as name:
        folder = _new_log(name)
        inject = f"inject={call}:error=EIO:when={nth}"
        code, answers, said = _recorded(folder, lines, "-e", f"trace={call}", "-e", inject)
        with EventLog.open(str(folder / "log.sabot")) as log:
            log.check()
            there = len(log.read("shoe/A")) - 1
            try:
                unfit = verify_log(log.database).altered
            except NotFound:
                unfit = False
            (receipt,) = log.append([NewEvent("shoe/A", ev.CoupOpened(10**6))])
        unfit = unfit or receipt.index != there + 2
        return Outcome(code, said[-200:].strip(), answers, max(0, answers - there), unfit)


def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="sabot-io-")


def _new_log(name: str) -> Path:
    with EventLog.open(f"{name}/log.sabot") as log:
        log.append([NewEvent("shoe/A", ev.CoupOpened(10**5))])
    return Path(name)


def run(lines: int) -> Iterator[tuple[str, int, Outcome]]:
    """Yield the outcome of each failing call."""
    for call, count in sorted(calls_made(lines).items()):
        for nth in range(1, count + 1):
            yield call, nth, failed(call, nth, lines)


def main() -> int:
    """Let each call fail in turn, and print the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=5)
    asked = parser.parse_args()
    if shutil.which("strace") is None:
        parser.error("strace is needed")
    began, bad = time.monotonic(), 0
    sums: dict[str, Counter[str]] = {}
    for call, nth, found in run(asked.lines):
        counts = sums.setdefault(call, Counter())
        counts += Counter(
            runs=1, acknowledged=found.acknowledged, lost=found.lost, unfit=int(found.unfit),
            stopped=int(found.code != 0), tracebacks=int("Traceback" in found.told),
        )  # fmt: skip
        if found.lost or found.unfit or "Traceback" in found.told or found.code not in {0, 2, 3}:
            bad += 1
            print(call, nth, found, flush=True)
    columns = ("runs", "stopped", "acknowledged", "lost", "unfit", "tracebacks")
    print("call", *columns, sep="\t")
    for call, counts in sums.items():
        print(call, *(counts[column] for column in columns), sep="\t")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
