"""Repeat faults of the store many times: is any acknowledged event lost?

    python -m benchmarks.store_faults [--runs N] [--crashes N] [--full] [--only PART]

Writers are killed. The files of a SQLite log are removed, renamed, replaced or overwritten under a
writer. A PostgreSQL server is stopped at once under a writer, with each setting that affects
durability or isolation. After each fault the log is opened again without any repair and compared
with the acknowledged events. The program exits with 1 if an event is lost, or if a writer
acknowledged more than the current commit after its files were gone. ``--full`` makes 1,000 kills,
100 faults of each kind on files, and 25 crashes for each setting.

A killed process or server does not lose writes that the operating system already has.
benchmarks/power_cuts.py simulates a loss of power.
"""

import argparse
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import psycopg
from sqlalchemy.engine import make_url

sys.path.insert(0, str(Path(__file__).parents[1]))

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import SabotError
from sabot.infrastructure.evidence.directory_verification import verify_folder
from sabot.infrastructure.evidence.publishing import publish, read_published
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.log.event_log import EventLog
from tests.conftest import OwnPostgres
from tests.support.killed_programs import victims

APPENDS: Final = """
import sys
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog

first = int(sys.stdin.readline())
with EventLog.open(sys.argv[1]) as log:
    for seq in range(first, 10**9):
        log.append([NewEvent("shoe/A", ev.CoupOpened(seq), device="cam", seq=seq)])
        print(seq, flush=True)
"""

PUBLISHES: Final = """
import sys
from pathlib import Path
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.evidence.publishing import publish
from sabot.infrastructure.log.event_log import EventLog

sys.stdin.readline()
with EventLog.open(sys.argv[1]) as log:
    while True:
        coup = log.version("shoe/A") // 2 + 1
        both = (ev.CoupOpened(coup), ev.CoupClosed(coup))
        log.append([NewEvent("shoe/A", payload) for payload in both])
        log.checkpoints.write()
        print(publish(log.database, Path(sys.argv[2]), entries=True).checkpoint.size, flush=True)
"""

SETTINGS: Final = (
    "", "synchronous_commit = off", "synchronous_commit = local", "fsync = off",
    "full_page_writes = off", "commit_delay = 1000", "wal_writer_delay = '10s'",
    "default_transaction_isolation = 'serializable'",
    "default_transaction_isolation = 'repeatable read'", "default_transaction_deferrable = on",
)  # fmt: skip


class Outcome(NamedTuple):
    """The events after a fault: acknowledged, lost, and others.

    ``unanswered`` events are in the log without an answer. ``late`` counts the answers after the
    fault, except for that of the current commit.
    """

    acknowledged: int
    lost: int
    unanswered: int = 0
    late: int = 0


def recorded(url: str) -> list[int]:
    """Return the numbers of the recorded events. Opening and reading check that none is missing."""
    with EventLog.open(url) as log:
        log.check()
        return [event.payload.coup for event in log.read("shoe/A")]  # type: ignore[union-attr]


def compared(url: str, acknowledged: int, before: int = 0, late: int = 0) -> Outcome:
    """Compare the log with the acknowledged events, 1 to ``acknowledged``."""
    there = recorded(url)
    assert there == list(range(1, len(there) + 1)), "events are missing or out of order"
    lost = max(0, acknowledged - len(there))
    return Outcome(acknowledged - before, lost, max(0, len(there) - acknowledged), late)


def draft(seq: int) -> NewEvent:
    """Return an event of a device that numbers its events."""
    return NewEvent("shoe/A", ev.CoupOpened(seq), device="cam", seq=seq)


def _append(log: EventLog, first: int, answers: list[float]) -> None:
    """Append events one by one until the log fails. Note the time of each answer."""
    with suppress(SabotError):
        for seq in range(first, first + 1_000_000):
            log.append([draft(seq)])
            answers.append(time.monotonic())


# -- Killed writers ---------------------------------------------------------------------------


def kills(runs: int, url: str, dice: random.Random) -> Iterator[Outcome]:
    """Kill a writer, again and again, in one log."""
    safe = 0
    for victim in victims(runs, [sys.executable, "-c", APPENDS, url]):
        # a device sends again what was not answered
        said = victim.let_work_then_kill(dice.randint(1, 5), dice.uniform(0, 0.02), str(safe + 1))
        before, safe = safe, safe + len(said)
        yield compared(url, safe, before)


def killed_publishers(runs: int, url: str, folder: Path, dice: random.Random) -> Iterator[Outcome]:
    """Kill a program that signs and publishes, again and again, then publish once more.

    An event that was published and is missing counts as lost. So does a checkpoint that the log or
    the directory does not match.
    """
    said = 0
    command = [sys.executable, "-c", PUBLISHES, url, str(folder)]
    for victim in victims(runs, command):
        before = said
        sizes = victim.let_work_then_kill(dice.randint(1, 4), dice.uniform(0, 0.02))
        said = max(map(int, sizes), default=said)
        lost = max(0, said - read_published(folder).checkpoint.size)
        with EventLog.open(url) as log:
            there = log.head()
            log.checkpoints.write()
            published = publish(log.database, folder, entries=True)
            known = (published, folder)
            altered = verify_log(log.database, published=known).altered
        altered = altered or verify_folder(published, folder, pinned=False).altered
        yield Outcome(said - before, lost + altered, max(0, there - said))
        said = published.checkpoint.size


# -- Files ------------------------------------------------------------------------------------


def _remove(path: Path, _old: Path) -> None:
    path.unlink()


def _rename(path: Path, _old: Path) -> None:
    path.rename(f"{path}.away")


def _replace(path: Path, _old: Path) -> None:
    shutil.copy(path, f"{path}.copy")
    Path(f"{path}.copy").replace(path)


def _restore(path: Path, old: Path) -> None:
    shutil.copy(old, f"{path}.copy")
    Path(f"{path}.copy").replace(path)


def _remove_wal(path: Path, _old: Path) -> None:
    Path(f"{path}-wal").unlink()


def _overwrite(path: Path, old: Path) -> None:
    with _kept_as_it_is(path):
        path.write_bytes(old.read_bytes())


def _truncate_wal(path: Path, _old: Path) -> None:
    with _kept_as_it_is(path):
        os.truncate(f"{path}-wal", 0)


@contextmanager
def _kept_as_it_is(path: Path) -> Iterator[None]:
    """Keep copies of the files. The writer waits meanwhile, so that they have all of its commits.

    tests/infrastructure/database/test_wal_watch.py overwrites files during a transaction.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for each in (path, Path(f"{path}-wal")):
            Path(f"{each}.kept").unlink()
            shutil.copy(each, f"{each}.kept")
        yield


FILE_FAULTS: Final[dict[str, Callable[[Path, Path], None]]] = {
    "file removed": _remove,
    "file renamed": _rename,
    "file replaced by a copy": _replace,
    "old backup renamed to it": _restore,
    "write-ahead log removed": _remove_wal,
    "overwritten in place by an old backup": _overwrite,
    "write-ahead log truncated in place": _truncate_wal,
}


def file_faults(
    runs: int, fault: Callable[[Path, Path], None], dice: random.Random
) -> Iterator[Outcome]:
    """Damage the files of a log under a writer, then restore them."""
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="sabot-fault-") as folder:
            yield _one_file_fault(Path(folder) / "log.sabot", fault, dice)


def _one_file_fault(
    path: Path, fault: Callable[[Path, Path], None], dice: random.Random
) -> Outcome:
    answers: list[float] = []
    old = path.with_name("old.sabot")
    with EventLog.open(str(path)) as log:
        log.append([draft(1)])
        answers.append(time.monotonic())
        with closing(_copy_of(path, old)):
            pass
        writer = threading.Thread(target=_append, args=(log, 2, answers), daemon=True)
        writer.start()
        time.sleep(dice.uniform(0.001, 0.03))
        kept = [path, Path(f"{path}-wal")]
        for each in kept:
            os.link(each, f"{each}.kept")
        fault(path, old)
        done = time.monotonic()
        writer.join(60)
        assert not writer.is_alive(), "the writer goes on although its file is gone"
    for each in (*kept, Path(f"{path}-shm")):
        each.unlink(missing_ok=True)
    for each in kept:
        Path(f"{each}.kept").replace(each)
    after = sum(answer > done for answer in answers)
    return compared(str(path), len(answers), late=max(0, after - 1))


def _copy_of(path: Path, old: Path) -> EventLog:
    """Make a copy of a log like a backup."""
    copy = EventLog.open(str(old))
    with EventLog.open(str(path), read_only=True) as log:
        copy.import_events(event for events in log.scan() for event in events)
    return copy


# -- Crashes of PostgreSQL --------------------------------------------------------------------


def crashes(runs: int, server: OwnPostgres, url: str, dice: random.Random) -> Iterator[Outcome]:
    """Stop a server at once while a writer appends. Start it again."""
    safe = len(recorded(url))
    for _ in range(runs):
        before, answers = safe, list[float]()
        with EventLog.open(url) as log:
            writer = threading.Thread(target=_append, args=(log, safe + 1, answers), daemon=True)
            writer.start()
            time.sleep(dice.uniform(0.02, 0.2))
            server.crash()
            writer.join(60)
            assert not writer.is_alive()
        server.start()
        yield compared(url, before + len(answers), before)
        safe = len(recorded(url))


def _with_setting(server: OwnPostgres, setting: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM RESET ALL")
        if setting:
            connection.execute(f"ALTER SYSTEM SET {setting}")  # type: ignore[arg-type]
    server.crash()
    server.start()


# -- The run ----------------------------------------------------------------------------------


def report(part: str, outcomes: Iterator[Outcome]) -> bool:
    """Print a line on a kind of fault. Return whether nothing was lost."""
    began = time.monotonic()
    found = list(outcomes)
    sums = [sum(column) for column in zip(*found, strict=True)]
    print(part, len(found), *sums, f"{time.monotonic() - began:.0f}", sep="\t", flush=True)
    return sums[1] == sums[3] == 0


def parts(
    runs: int, files: int, stops: int, dice: random.Random
) -> Iterator[tuple[str, Iterator[Outcome]]]:
    """Yield each kind of fault with its outcomes."""
    with tempfile.TemporaryDirectory(prefix="sabot-faults-") as folder:
        yield "SQLite: writer killed", kills(runs, f"{folder}/kills.sabot", dice)
        yield (
            "SQLite: publisher killed",
            killed_publishers(files, f"{folder}/signs.sabot", Path(folder) / "signs", dice),
        )
    for name, fault in FILE_FAULTS.items():
        yield f"SQLite: {name}", file_faults(files, fault, dice)
    with closing(OwnPostgres()) as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            for number in range(len(SETTINGS) + 2):
                connection.execute(f"CREATE DATABASE faults_{number}")  # type: ignore[arg-type]
        urls = [
            make_url(server.url).set(database=f"faults_{n}").render_as_string(hide_password=False)
            for n in range(len(SETTINGS) + 2)
        ]
        yield "PostgreSQL: writer killed", kills(runs, urls[0], dice)
        with tempfile.TemporaryDirectory(prefix="sabot-faults-") as folder:
            yield (
                "PostgreSQL: publisher killed",
                killed_publishers(files, urls[-1], Path(folder) / "signs", dice),
            )
        for setting, url in zip(SETTINGS, urls[1:-1], strict=True):
            _with_setting(server, setting)
            yield (
                f"PostgreSQL: server stopped, {setting or 'as shipped'}",
                crashes(stops, server, url, dice),
            )


def main() -> int:
    """Run the faults."""
    # the keys of these logs are theirs alone
    os.environ["SABOT_KEYS"] = tempfile.mkdtemp(prefix="sabot-keys-")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="kills, and faults on files")
    parser.add_argument("--crashes", type=int, default=2, help="crashes for each setting")
    parser.add_argument("--full", action="store_true", help="1,000, 100 and 25")
    parser.add_argument("--only", default="", help="only parts whose name has this text")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    runs, files, stops = (500, 100, 25) if asked.full else (asked.runs, asked.runs, asked.crashes)
    print("fault", "runs", "acknowledged", "lost", "unanswered", "late", "seconds", sep="\t")
    good = [
        report(name, outcomes)
        for name, outcomes in parts(runs, files, stops, random.Random(asked.seed))
        if asked.only in name
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
