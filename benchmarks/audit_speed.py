"""How fast shoes are audited out of a log, beside the floor of reading and decoding them.

    python -m benchmarks.audit_speed [--full] [--store NAME] [--postgres URL]

The floor is the driver alone: a SELECT a shoe, whose payloads are decoded to the same events.

All is done on one core, by the clock: this process, and the database's server where it has one, so
that the work of the database is in both, as SQLite's is. Beside it stands what this process alone
spent, without the server: the driver then seems quicker, since most of its work is done elsewhere.

What counts is the whole verb: `sabot audit` on a log of distinct shoes of every pack of punto
banco, from opening the log to the written report, the shoes one after the other, each once, in
one process. It takes turns with the floor over the same shoes; before each turn all that was
remembered of packs, profiles and stakes is forgotten, so that the first shoe of a pack is among
them. What a process takes to start is not counted. Of the rounds the median of the two times' ratio
counts. Beside it stands the verb with a process for each processor, by the clock, with their start.

Then it tells where the time goes, step by step, and of each pack how its shoes fare: those take
turns shoe by shoe, and of each the quickest turn counts, that which a busy computer disturbed
least; what a coup's profile says is known there, and a shoe's events lie near the processor. So
both are told. It fails where either is less than a third of the floor.
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
    """Deal shoes of every house into the log; return their streams."""
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
    """Return what is done with a shoe, by its stream."""
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
    """Forget what was remembered of packs, profiles and stakes, as a new process."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sabot"):
            for thing in vars(module).values():
                if callable(getattr(thing, "cache_clear", None)):
                    thing.cache_clear()


class Took(NamedTuple):
    """Seconds by the clock, and those that this process spent itself."""

    clock: float
    own: float

    @classmethod
    def by(cls, work: Callable[..., object], *given: object) -> "Took":
        """Do it, and tell how long it took."""
        clock, own = time.perf_counter(), time.process_time()
        work(*given)
        return cls(time.perf_counter() - clock, time.process_time() - own)


def verb(url: str, workers: int) -> None:
    """Audit a log of clean shoes by the command."""
    command = ["audit", "--database", url, "--workers", str(workers)]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = guard(build(), command)
    if code != 0:
        raise SystemExit(f"the audit of clean shoes left with {code}")


def whole(url: str, floor: Step, streams: list[str], rounds: int) -> list[tuple[Took, Took]]:
    """Let the floor and the verb take turns; return what both took, round by round."""

    def read() -> None:
        for stream in streams:
            floor(stream)

    took = []
    for _ in range(rounds):
        first = Took.by(read)
        forget()
        took.append((first, Took.by(verb, url, 1)))
    return took


def on_all_processors(url: str, count: int, alone_s: float) -> None:
    """Print what the verb takes with a process for each processor, beside one process."""
    workers = len(PROCESSORS)
    if workers == 1:
        return
    with on_cores(PROCESSORS):
        clock = min(Took.by(verb, url, workers).clock for _ in range(3))
    print(
        f"  {workers} processes on as many processors: {count / clock:,.0f} events/s,"
        f" {alone_s / clock:.2f} times as fast as one"
    )


def least_us(of: dict[str, Step], stream: str, rounds: int) -> dict[str, float]:
    """Let the steps take turns on a shoe; return the least time of each, in microseconds."""
    least = dict.fromkeys(of, float("inf"))
    for _ in range(rounds):
        for name, step in of.items():
            least[name] = min(least[name], Took.by(step, stream).clock * 1e6)
    return least


def by_steps(of: dict[str, Step], decoded_events: dict[str, int], rounds: int) -> float:
    """Print what each step takes of all shoes, and of each pack the audit as part of the floor.

    Return the latter of all packs together.
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
    """Print what was measured; return the audit's speed as a part of the floor's."""
    streams = fill(log, 192 if full else 96)
    of = steps(log, driver)
    if any(of[FLOOR](stream) != log.read(stream) for stream in streams):
        raise SystemExit("the floor and the log do not read the same")
    decoded_events = {stream: log.version(stream) for stream in streams}
    count = sum(decoded_events.values())
    took = whole(url, of[FLOOR], streams, 21 if full else 7)
    ratios = [floor.clock / verb.clock for floor, verb in took]
    part = statistics.median(ratios)
    rate = count / statistics.median(verb.clock for _, verb in took)
    own = statistics.median(floor.own / verb.own for floor, verb in took)
    print(
        f"  sabot audit, {len(streams)} shoes, {count:,} events: {rate:,.0f} events/s,"
        f" {part:.1%} of the floor ({min(ratios):.1%} to {max(ratios):.1%});"
        f" this process alone {own:.1%}"
    )
    on_all_processors(url, count, min(verb.clock for _, verb in took))
    return min(part, by_steps(of, dict(list(decoded_events.items())[:32]), 15 if full else 7))


@contextlib.contextmanager
def on_cores(cores: set[int]) -> Iterator[None]:
    """Keep this process, and whatever it starts, on some cores where the system allows it."""
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
    parser.add_argument("--full", action="store_true", help="more shoes, and more rounds")
    parser.add_argument("--postgres", help="a server's URL, instead of one from the wheel")
    parser.add_argument("--store", choices=["sqlite", "postgresql"], help="one store alone")
    asked = parser.parse_args()
    with on_cores({max(PROCESSORS)}):
        parts = measure_stores(asked)
    sys.exit(0 if min(parts) >= THIRD else 1)


def measure_stores(asked: argparse.Namespace) -> list[float]:
    """Measure the stores that were asked for; return the least part of the floor on each."""
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
