"""Measure the cost of a verb that reads one shoe, in logs of different sizes.

    python -m benchmarks.one_shoe [--events N]... [--postgres [URL]]

A log is filled with copies of simulated shoes, each with its own name and devices, and is signed.
Each verb runs as a command in its own process on the last shoe of the log or its table. Summary
tables are emptied before. The time of the same verb in a log with a single shoe is the baseline.
The benchmark fails if a verb takes a second longer than its baseline. On a busy machine compare the
CPU time, which covers the command but not a database server.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.audit_speed import LINEUP
from benchmarks.store import postgres
from sabot.domain.simulation import Dealer, ShoePlan, draft_of, parse_lineup
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.rule_packs import pack_text

MODELS = 10
ROUNDS = 3
AT_MOST_S = 1.0
COPY = """
    INSERT INTO log_event (id, stream, version, name, at_us, recorded_us, actor, device, seq,
                           payload, stored_us, login)
    SELECT id + {shift}, stream || '-{copy}', version, name, at_us, recorded_us, actor,
           device || '-{copy}', seq, payload, stored_us, login
    FROM log_event WHERE id <= {models} ORDER BY id
"""
VERBS = {
    "audit": ["audit", "{shoe}", "--format", "json"],
    "explain": ["explain", "{shoe}", "5"],
    "replay": ["replay", "{shoe}", "--plain", "--coup", "5"],
    "findings": ["findings", "--shoe", "{shoe}"],
    "show": ["show", "{shoe}"],
    "log of a shoe": ["log", "--shoe", "{shoe}", "--coup", "5"],
    "last events": ["log", "-n", "5"],
    "show a table": ["show", "{table}"],
    "at a time": ["show", "{table}", "--at", "02:00"],
    "log of a table": ["log", "--table", "{table}", "-n", "5"],
    "odds": ["odds", "--shoe", "{shoe}", "--coup", "5"],
}


def fill(log: EventLog, events: int) -> str:
    """Fill a new log with at least so many events, sign it, and return the last shoe's name."""
    name = ""
    for number in range(MODELS if events else 1):
        name = f"M{number}"
        plan = ShoePlan(
            stream=f"shoe/{name}", pack=pack_text("classic-8"), decks=8, start_us=10**15,
            device=f"table-{name}", table=f"T{number}",
        )  # fmt: skip
        dealt = Dealer(plan, parse_lineup(LINEUP, 9), random.Random(name)).deal()
        log.append([draft_of(event) for event in dealt])
    models = log.head()
    for copy in range(1, -(-events // models)):
        with log.database.writing() as connection:
            named = {"shift": copy * models, "copy": copy, "models": models}
            connection.exec_driver_sql(COPY.format(**named))
        name = f"M{MODELS - 1}-{copy}"
    if not log.database.is_sqlite:
        with log.database.reading() as connection:
            connection.exec_driver_sql("ANALYZE log_event")
    log.checkpoints.write()
    return name


def forget_views(url: str) -> None:
    """Empty the summary tables of a log, as in a fresh copy."""
    Path(f"{url}-views").unlink(missing_ok=True)
    with EventLog.open(url) as log:
        if Projector(log).position():
            Projector(log).rebuild()


class Took(NamedTuple):
    """Seconds by the wall clock, and seconds of CPU time of the command."""

    clock: float
    own: float


def seconds(url: str, shoe: str, verb: list[str]) -> Took:
    """Run a verb on a shoe several times. Return the shortest time of each kind."""
    command = str(Path(sys.executable).with_name("sabot"))
    table = shoe.partition("-")[0].replace("M", "T")
    words = [word.format(shoe=shoe, table=table) for word in verb]
    took: list[Took] = []
    for _ in range(ROUNDS):
        forget_views(url)
        began, before = time.perf_counter(), os.times()
        done = subprocess.run(
            [command, *words, "--database", url], capture_output=True, check=False
        )
        clock, after = time.perf_counter() - began, os.times()
        own = sum(after[2:4]) - sum(before[2:4])
        took.append(Took(clock, own))
        if done.returncode not in {0, 1}:
            raise SystemExit(f"sabot {' '.join(words)}: {done.stderr.decode()}")
    return Took(min(each.clock for each in took), min(each.own for each in took))


@contextmanager
def new_log(server: str | None, folder: Path) -> Iterator[str]:
    """Return the name of an empty log: a file, or a database on a server."""
    if server is None:
        yield str(folder / "log.sabot")
    else:
        with postgres(server or None) as (url, _):
            yield url


def measure(server: str | None, sizes: list[int], folder: Path) -> bool:
    """Print the seconds of each verb at each size. Return whether no time grows with the log."""
    alone: dict[str, Took] = {}
    flat = True
    for events in [0, *sizes]:
        with new_log(server, folder) as url:
            began = time.perf_counter()
            with EventLog.open(url) as log:
                shoe = fill(log, events)
                head = log.head()
            print(f"{head:,} events, made in {time.perf_counter() - began:.0f} s")
            for name, verb in VERBS.items():
                took = seconds(url, shoe, verb)
                alone.setdefault(name, took)
                more = Took(took.clock - alone[name].clock, took.own - alone[name].own)
                print(
                    f"  {name:14} {took.clock:6.2f} s {more.clock:+6.2f}"
                    f"   processor {took.own:5.2f} s {more.own:+6.2f}",
                    flush=True,
                )
                flat = flat and more.clock <= AT_MOST_S
        for path in folder.glob("log.sabot*"):
            path.unlink()
    return flat


def main() -> None:
    """Run the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--events", type=int, action="append", help="size of a log (repeatable)")
    parser.add_argument(
        "--postgres",
        nargs="?",
        const="",
        metavar="URL",
        help="a log on a server, by default one from the wheel; without this a SQLite file",
    )
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="sabot-one-shoe-"))
    os.environ["SABOT_KEYS"] = str(folder / "keys")
    try:
        flat = measure(asked.postgres, asked.events or [100_000, 1_000_000], folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if flat else 1)


if __name__ == "__main__":
    main()
