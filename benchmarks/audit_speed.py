"""Measure how fast `sabot audit` audits shoes from a log, relative to reading the log.

    python -m benchmarks.audit_speed [--full] [--store NAME] [--postgres URL]

The baseline, called the floor, reads the same shoes with the database driver: one SELECT for each
shoe, with the payloads decoded into the same events. The benchmark fails if the audit runs at less
than a third of the floor's speed.

Unless stated, all runs on one core and is measured by the wall clock, so the work of a database
server counts in both. A second figure is the CPU time of this process without the server. It makes
the floor look faster, because a server does most of the floor's work.

The main figure is the speed of the whole verb `sabot audit` in one process, on a log of distinct
shoes of every pack of punto banco. It runs from opening the log to the written report and audits
each shoe once. The verb and the floor take turns over the same shoes. Before each turn the caches
of packs, profiles and stakes are cleared. The start of the process is not counted. The result is
the median of the ratios of the rounds. Further figures are of all processors: of one process, which
reads ahead in a thread, and of as many processes as `sabot audit` takes by default, including the
start of all but the first. A log has to be long for more than one process: ``--full`` has a million
events.

Two tables follow. The first shows the time of each step of the audit. The second shows the ratio
for each rule pack: there the audit and the floor take turns shoe by shoe with filled caches, and
the fastest turn of each shoe counts. The ratio of all packs together must be at least a third too.
"""

import argparse
import contextlib
import io
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.audit_houses import houses
from benchmarks.store import Driver, postgres, postgres_driver, sqlite_driver
from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.simulation import Dealer, ShoePlan, draft_of, parse_lineup
from sabot.domain.state.shoe import fold
from sabot.infrastructure.audits.audit_run import load_shoe
from sabot.infrastructure.audits.workers import usual_workers
from sabot.infrastructure.log.event_log import EventLog

LINEUP = "flat:side=player,martingale,tie-lover,flat:unit=5000"
THIRD = 1 / 3
FLOOR = "driver, decode"


def processors() -> set[int]:
    """Return the processors that this process may use."""
    if sys.platform == "linux":
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


PROCESSORS = processors()


def fill(log: EventLog, shoes: int) -> list[str]:
    """Deal shoes under every rule pack into the log. Return their streams."""
    tables = list(houses("punto-banco"))
    streams = []
    for number in range(shoes):
        house = tables[number % len(tables)]
        stream = f"shoe/{house.name}-{number}"
        plan = ShoePlan(
            stream=stream, pack=house.pack, decks=house.decks, start_us=10**15, device=stream
        )
        dealt = Dealer(plan, parse_lineup(LINEUP, 9), random.Random(stream)).deal()
        log.append([draft_of(event) for event in dealt])
        streams.append(stream)
    return streams


Step = Callable[[str], object]


def steps(log: EventLog, driver: Driver) -> dict[str, Step]:
    """Return the steps that are measured, each a function of a shoe's stream."""
    decode = msgspec.json.Decoder(ev.Event).decode

    def floor(stream: str) -> list[RecordedEvent]:
        return [
            RecordedEvent(i, s, v, at, recorded, actor, device, seq, decode(payload), event_id, v)
            for i, event_id, s, v, at, recorded, actor, device, seq, payload
            in driver.select(stream)
        ]  # fmt: skip

    return {
        FLOOR: floor,
        "log": log.read,
        "log, fold": lambda stream: fold(stream, log.read(stream)),
        "audit": lambda stream: audit_shoe(load_shoe(log, stream)),
    }


def forget() -> None:
    """Clear the caches of packs, profiles and stakes, as in a new process."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sabot"):
            for thing in vars(module).values():
                if callable(getattr(thing, "cache_clear", None)):
                    thing.cache_clear()


class Took(NamedTuple):
    """Seconds by the wall clock, and seconds of CPU time of this process."""

    clock: float
    own: float

    @classmethod
    def by(cls, work: Callable[..., object], *given: object) -> "Took":
        """Run some work and return the time it took."""
        clock, own = time.perf_counter(), time.process_time()
        work(*given)
        return cls(time.perf_counter() - clock, time.process_time() - own)


def verb(url: str, workers: int | None) -> None:
    """Audit a log of clean shoes with the command. None takes its usual number of processes."""
    command = ["audit", "--database", url]
    if workers is not None:
        command += ["--workers", str(workers)]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = guard(build(), command)
    if code != 0:
        raise SystemExit(f"the audit of clean shoes left with {code}")


def whole(
    url: str, floor: Step, streams: list[str], rounds: int, workers: int | None
) -> list[tuple[Took, Took]]:
    """Run the floor and the verb in turns. Return the times of both, round by round."""

    def read() -> None:
        for stream in streams:
            floor(stream)

    took = []
    for _ in range(rounds):
        first = Took.by(read)
        forget()
        took.append((first, Took.by(verb, url, workers)))
    return took


def on_all_processors(url: str, floor: Step, streams: list[str], count: int, rounds: int) -> None:
    """Print the speed of the verb on all processors, in one process and as called by default."""
    if len(PROCESSORS) == 1:
        return
    with on_cores(PROCESSORS):
        usual = usual_workers(count)
        for workers in (1, None) if usual > 1 else (1,):
            took = whole(url, floor, streams, rounds, workers)
            part = statistics.median(floor.clock / verb.clock for floor, verb in took)
            rate = count / statistics.median(verb.clock for _, verb in took)
            name = "one process" if workers else f"{usual} processes, the default here"
            print(
                f"  on {len(PROCESSORS)} processors, {name}: {rate:,.0f} events/s,"
                f" {part:.1%} of the floor there"
            )


def least_us(of: dict[str, Step], stream: str, rounds: int) -> dict[str, float]:
    """Run the steps in turns on a shoe. Return the shortest time of each, in microseconds."""
    least = dict.fromkeys(of, float("inf"))
    for _ in range(rounds):
        for name, step in of.items():
            least[name] = min(least[name], Took.by(step, stream).clock * 1e6)
    return least


def by_steps(of: dict[str, Step], decoded_events: dict[str, int], rounds: int) -> float:
    """Print the time of each step over all shoes, and the audit's speed for each pack.

    Return the audit's speed over all packs together, as a fraction of the floor's.
    """
    took: dict[str, float] = dict.fromkeys(of, 0.0)
    packs: dict[str, list[float]] = {}
    for stream in decoded_events:
        least = least_us(of, stream, rounds)
        for name, us in least.items():
            took[name] += us
        pack = packs.setdefault(stream.removeprefix("shoe/").rpartition("-")[0], [0.0, 0.0])
        pack[0] += least[FLOOR]
        pack[1] += least["audit"]
    count = sum(decoded_events.values())
    for name, us in took.items():
        print(f"  {name:16}{us / count:7.2f} µs/event {took[FLOOR] / us:6.0%}")
    print("  " + ", ".join(f"{pack} {floor / us:.0%}" for pack, (floor, us) in packs.items()))
    return took[FLOOR] / took["audit"]


def measure(log: EventLog, driver: Driver, url: str, *, full: bool) -> float:
    """Print the measurements. Return the audit's speed as a fraction of the floor's."""
    streams = fill(log, 640 if full else 96)
    of = steps(log, driver)
    if any(of[FLOOR](stream) != log.read(stream) for stream in streams):
        raise SystemExit("the floor and the log do not read the same")
    decoded_events = {stream: log.version(stream) for stream in streams}
    count = sum(decoded_events.values())
    took = whole(url, of[FLOOR], streams, 7, 1)
    ratios = [floor.clock / verb.clock for floor, verb in took]
    part = statistics.median(ratios)
    rate = count / statistics.median(verb.clock for _, verb in took)
    own = statistics.median(floor.own / verb.own for floor, verb in took)
    print(
        f"  sabot audit, {len(streams)} shoes, {count:,} events: {rate:,.0f} events/s,"
        f" {part:.1%} of the floor ({min(ratios):.1%} to {max(ratios):.1%});"
        f" this process alone {own:.1%}"
    )
    on_all_processors(url, of[FLOOR], streams, count, len(took))
    return min(part, by_steps(of, dict(list(decoded_events.items())[:32]), 15 if full else 7))


@contextlib.contextmanager
def on_cores(cores: set[int]) -> Iterator[None]:
    """Keep this process and its children on some cores, where the system permits it."""
    before = processors()
    if sys.platform == "linux":
        os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        if sys.platform == "linux":
            os.sched_setaffinity(0, before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="more shoes")
    parser.add_argument("--postgres", help="a server's URL, instead of one from the wheel")
    parser.add_argument("--store", choices=["sqlite", "postgresql"], help="one store alone")
    asked = parser.parse_args()
    with on_cores({max(PROCESSORS)}):
        parts = measure_stores(asked)
    sys.exit(0 if min(parts) >= THIRD else 1)


def measure_stores(asked: argparse.Namespace) -> list[float]:
    """Measure the stores that were asked for. Return the least part of the floor on each."""
    parts = []
    if asked.store != "postgresql":
        print("SQLite")
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "log.db")
            with EventLog.open(path) as log, sqlite_driver(Path(folder), path) as driver:
                parts.append(measure(log, driver, path, full=asked.full))
    if asked.store != "sqlite":
        print("PostgreSQL")
        with (
            postgres(asked.postgres) as (url, guarded),
            EventLog.open(url) as log,
            postgres_driver(url, guarded) as driver,
        ):
            parts.append(measure(log, driver, url, full=asked.full))
    return parts


if __name__ == "__main__":
    main()
