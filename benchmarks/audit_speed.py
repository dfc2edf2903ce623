"""How fast shoes are audited out of a log, beside the floor of reading and decoding them.

    python -m benchmarks.audit_speed [--full] [--store NAME] [--postgres URL]

The floor is the driver alone: a SELECT a shoe, whose payloads are decoded to the same facts. The
audit reads the shoe by the log, checks that nothing is missing, folds it, and runs every rule.
Both take turns on one shoe after the other, and of each the quickest turn counts: that which a
busy computer disturbed least. Time is that of this process on its core; what PostgreSQL's server
does meanwhile is in neither. The steps between are the log's own reading, and reading with
folding. It fails where the audit is slower than a third of the floor.

What rules answered to the shape of a coup is known from the first turn on, as it is in a log of
many shoes dealt by one pack; the first shoe of a pack takes longer.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from benchmarks.audit_houses import houses
from benchmarks.store import Driver, postgres, postgres_driver, sqlite_driver
from domain import facts as f
from domain.audit import audit_shoe
from domain.event import Event
from domain.shoe import fold
from domain.simulation import Croupier, ShoePlan, draft_of, parse_lineup
from infrastructure.auditing import load_shoe
from infrastructure.log import EventLog

LINEUP = "flat:side=player,martingale,tie-lover,flat:unit=5000"
THIRD = 1 / 3


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
        dealt = Croupier(plan, parse_lineup(LINEUP, 9), random.Random(stream)).deal()
        log.append([draft_of(event) for event in dealt])
        streams.append(stream)
    return streams


Step = Callable[[str], object]


def steps(log: EventLog, driver: Driver) -> dict[str, Step]:
    """Return what is done with a shoe, by its stream."""
    decode = msgspec.json.Decoder(f.Fact).decode

    def floor(stream: str) -> list[Event]:
        return [
            Event(i, s, v, at, recorded, actor, device, seq, decode(payload), event_id)
            for i, event_id, s, v, at, recorded, actor, device, seq, payload
            in driver.select(stream)
        ]  # fmt: skip

    return {
        "driver, decode": floor,
        "log": log.read,
        "log, fold": lambda stream: fold(stream, log.read(stream)),
        "audit": lambda stream: audit_shoe(load_shoe(log, stream)),
    }


def least_us(of: dict[str, Step], streams: list[str], rounds: int) -> dict[str, float]:
    """Let the steps take turns on each shoe; add up the least time of each, in microseconds."""
    took = dict.fromkeys(of, 0.0)
    for stream in streams:
        least = dict.fromkeys(of, float("inf"))
        for _ in range(rounds):
            for name, step in of.items():
                began = time.process_time()
                step(stream)
                least[name] = min(least[name], time.process_time() - began)
        for name, seconds in least.items():
            took[name] += seconds * 1e6
    return took


def measure(log: EventLog, driver: Driver, *, full: bool) -> float:
    """Print a table; return the audit's speed as a part of the floor's."""
    streams = fill(log, 66 if full else 11)
    of = steps(log, driver)
    if any(of["driver, decode"](stream) != log.read(stream) for stream in streams):
        raise SystemExit("the floor and the log do not read the same")
    facts = sum(log.version(stream) for stream in streams)
    took = least_us(of, streams, 30 if full else 12)
    floor = took["driver, decode"]
    for name, us in took.items():
        speed = f"{facts / us * 1e6:10,.0f} events/s {us / facts:7.2f} µs/event"
        print(f"{name:16}{speed} {floor / us:6.0%}{' of the floor' * (name == 'audit')}")
    return floor / took["audit"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="more shoes, and more rounds")
    parser.add_argument("--postgres", help="a server's URL, instead of one from the wheel")
    parser.add_argument("--store", choices=["sqlite", "postgresql"], help="one store alone")
    asked = parser.parse_args()
    parts = []
    if asked.store != "postgresql":
        print("SQLite")
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "log.db")
            with EventLog.open(path) as log, sqlite_driver(Path(folder), path) as driver:
                parts.append(measure(log, driver, full=asked.full))
    if asked.store != "sqlite":
        print("PostgreSQL")
        with (
            postgres(asked.postgres) as (url, guarded),
            EventLog.open(url) as log,
            postgres_driver(url, guarded) as driver,
        ):
            parts.append(measure(log, driver, full=asked.full))
    sys.exit(0 if min(parts) >= THIRD else 1)


if __name__ == "__main__":
    main()
