"""Audits clean shoes: whatever is found in them is a false alarm.

    python -m benchmarks.audit_clean [--coups N | --full] [--seed WORD] [--workers N]

Shoes of every house (`benchmarks.audit_houses`) are dealt without a fault, to patrons of every
habit, each by its own seed. Each is audited whole; then once as a record that lacks something
(`benchmarks.audit_records`), one kind after the other; every sixth as three devices tell it,
each by its own clock and in its own time. ``--full`` is a million coups.
"""

import argparse
import random
import sys
import time
from collections import Counter
from itertools import count
from multiprocessing import Pool
from typing import NamedTuple

from benchmarks.audit_houses import House, houses
from benchmarks.audit_records import RECORDS
from domain.audit import ShoeAudit, audit_shoe
from domain.event import Event
from domain.rulepack import parse_pack
from domain.shoe import fold
from domain.simulation import Croupier, ShoePlan, parse_lineup
from domain.simulation.devices import as_told

FULL = 1_000_000
SMALL = 4_000
BLOCK = 50
"""Shoes that a worker deals at a time."""

LINEUPS = (
    "flat:side=player,martingale",
    "flat:unit=5000,tie-lover,side-bettor",
    "trend,flat:side=random",
    "copycat,flat,anti-trend",
    "counter,quitter,sitter-out,flat:side=player",
    "",
)
DEVICES_EVERY = 6


class Tally(NamedTuple):
    """What a block of shoes came to: coups by kind of record, and whatever was found."""

    shoes: int
    coups: Counter[str]
    judged: Counter[str]
    found: list[str]


def lineup(number: int) -> str:
    return LINEUPS[number % len(LINEUPS)]


def dealt(house: House, seed: str, number: int) -> list[Event]:
    """Deal a shoe, and return its facts as they happened."""
    plan = ShoePlan(
        stream=f"shoe/{house.name}-{number}", pack=house.pack, decks=house.decks, start_us=10**15
    )
    words = lineup(number)
    seats = parse_pack(house.pack).table.seats
    patrons = parse_lineup(words, seats) if words else ()
    croupier = Croupier(plan, patrons, random.Random(f"{seed}/{number}"))
    return list(croupier.deal())


def block(job: tuple[str, int, int]) -> Tally:
    """Deal and audit a block of shoes."""
    seed, first, shoes = job
    all_houses = tuple(houses())
    coups: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    found: list[str] = []

    def look(kind: str, house: House, number: int, history: list[Event]) -> None:
        audit = audit_shoe(fold(f"shoe/{house.name}-{number}", history))
        coups[kind] += audit.coups
        judged.update(_judged(audit))
        found.extend(
            f"{kind}: {audit.shoe} coup {each.coup}: {each.code}: {each.message}"
            for each in audit.findings
        )

    for number in range(first, first + shoes):
        house = all_houses[number % len(all_houses)]
        history = dealt(house, seed, number)
        look("whole", house, number, history)
        record = RECORDS[number // len(all_houses) % len(RECORDS)]
        look(record.name, house, number, record.of(history))
        if number % DEVICES_EVERY == 0:
            clocked = house if parse_pack(house.pack).clocks else _clocked(house)
            rng = random.Random(f"{seed}/devices/{number}")
            history = as_told(dealt(clocked, seed, number), rng)
            look("three devices", clocked, number, history)
    return Tally(shoes, coups, judged, found)


def _clocked(house: House) -> House:
    return house._replace(pack=house.pack + "\n[clocks]\ntolerance_ms = 250\n")


def _judged(audit: ShoeAudit) -> Counter[str]:
    return Counter({verdict.code: verdict.looked for verdict in audit.verdicts})


def run(coups: int, seed: str, workers: int) -> Tally:
    """Deal blocks until there are so many coups in whole records."""
    total = Tally(0, Counter(), Counter(), [])
    jobs = ((seed, 1 + BLOCK * n, BLOCK) for n in count())
    with Pool(workers) as pool:
        for tally in pool.imap(block, _enough(jobs, coups)):
            total.coups.update(tally.coups)
            total.judged.update(tally.judged)
            total.found.extend(tally.found)
            total = total._replace(shoes=total.shoes + tally.shoes)
    return total


def _enough(jobs, coups):
    """Yield as many blocks as hold so many coups; a shoe has 60 at least with 6 or 8 decks."""
    for _, job in zip(range(-(-coups // (BLOCK * 60))), jobs, strict=False):
        yield job


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--coups", type=int, default=SMALL)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", default="clean")
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    began = time.perf_counter()
    tally = run(FULL if asked.full else asked.coups, asked.seed, asked.workers)
    print(f"{tally.shoes:,} shoes, seed {asked.seed!r}, {time.perf_counter() - began:.0f} s")
    for kind, coups in tally.coups.most_common():
        print(f"{coups:>12,} coups  {kind}")
    print(f"{len(tally.found):>12,} findings")
    print("\n".join(tally.found[:20]))
    sys.exit(1 if tally.found else 0)


if __name__ == "__main__":
    main()
