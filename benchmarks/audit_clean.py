"""Audit clean shoes and count false alarms.

    python -m benchmarks.audit_clean [--coups N | --full] [--whole | --corrected] [--seed WORD]
                                     [--counts FILE]

A clean shoe has no fault, so every finding in it is a false alarm. Shoes are dealt under every rule
pack of every game (`benchmarks.audit_houses`), to patrons of every betting habit, each shoe with
its own seed. Each shoe is audited as a complete record and once as an incomplete record
(`benchmarks.audit_records`). The kinds of incomplete records take turns. Every sixth shoe of punto
banco is also audited as a record of three devices, each with its own clock and its own delay.
``--whole`` audits the complete records only. ``--corrected`` does the same, with a harmless
correction in one coup of twenty. ``--full`` audits a million coups.

With ``--counts`` the result of each block of shoes is added to a file. A later run skips the blocks
in the file, so a run can be stopped and continued.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from itertools import count
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.audit_houses import House, houses
from benchmarks.audit_records import BANK_RECORDS, RECORDS
from benchmarks.harmless_corrections import corrected
from sabot.domain.audit import ShoeAudit, audit_shoe
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import fold
from tests.support.three_devices import as_told

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
WHOLE = "whole"
"""The records that lack nothing."""
CORRECTED = "corrected"


class Tally(NamedTuple):
    """The counts of a block of shoes: coups by kind of record and by game, and all findings.

    ``judged`` counts by rule how often the rule was checked.
    """

    shoes: int
    coups: Counter[str]
    judged: Counter[str]
    found: list[str]


def lineup(number: int) -> str:
    """Return the patrons of a round. They rotate, so every pack meets all of them."""
    return LINEUPS[(number + number // len(LINEUPS)) % len(LINEUPS)]


def dealt(house: House, seed: str, number: int) -> list[RecordedEvent]:
    """Deal a shoe and return its events in order."""
    plan = ShoePlan(
        stream=f"shoe/{house.name}-{number}", pack=house.pack, decks=house.decks, start_us=10**15
    )
    pack = parse_pack(house.pack)
    words = lineup(number)
    if not words and pack.game != "punto-banco":
        words = LINEUPS[0]  # where patrons bank, nothing is dealt without them
    patrons = parse_lineup(words, pack.table.seats) if words else ()
    croupier = Dealer(plan, patrons, random.Random(f"{seed}/{number}"))
    return list(croupier.deal())


def block(job: tuple[str, int, int, str]) -> Tally:
    """Deal and audit a block of shoes."""
    seed, first, shoes, alone = job
    all_houses = tuple(houses())
    coups: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    found: list[str] = []

    def look(kind: str, house: House, number: int, history: list[RecordedEvent]) -> None:
        audit = audit_shoe(fold(f"shoe/{house.name}-{number}", history))
        coups[kind] += audit.coups
        if kind == WHOLE:
            coups[parse_pack(house.pack).game] += audit.coups
        judged.update(_judged(audit))
        found.extend(
            f"{kind}: {audit.shoe} coup {each.coup}: {each.code}: {each.message}"
            for each in audit.findings
        )

    for number in range(first, first + shoes):
        house = all_houses[number % len(all_houses)]
        history = dealt(house, seed, number)
        if alone == CORRECTED:
            history = corrected(history, random.Random(f"{seed}/corrected/{number}"))
        look(WHOLE, house, number, history)
        if alone:
            continue
        plain = parse_pack(house.pack).game == "punto-banco"
        records = RECORDS if plain else BANK_RECORDS
        record = records[number // len(all_houses) % len(records)]
        look(record.name, house, number, record.of(history))
        if plain and number % DEVICES_EVERY == 0:
            clocked = house if parse_pack(house.pack).clocks else _clocked(house)
            rng = random.Random(f"{seed}/devices/{number}")
            history = as_told(dealt(clocked, seed, number), rng)
            look("three devices", clocked, number, history)
    return Tally(shoes, coups, judged, found)


def _clocked(house: House) -> House:
    return house._replace(pack=house.pack + "\n[clocks]\ntolerance_ms = 250\n")


def _judged(audit: ShoeAudit) -> Counter[str]:
    return Counter({verdict.code: verdict.checked for verdict in audit.verdicts})


def known(file: Path | None, seed: str) -> dict[int, Tally]:
    """Return the blocks of a seed that a file of counts holds."""
    if file is None or not file.exists():
        return {}
    lines = map(json.loads, file.read_text().splitlines())
    return {line["first"]: _tally(line) for line in lines if line["seed"] == seed}


def _tally(line: dict[str, Any]) -> Tally:
    return Tally(line["shoes"], Counter(line["coups"]), Counter(line["judged"]), line["found"])


def run(
    coups: int, seed: str, workers: int, counts: Path | None = None, *, alone: str = ""
) -> Tally:
    """Deal block after block until the complete records hold so many coups."""
    total = Tally(0, Counter(), Counter(), [])
    have = known(counts, seed)
    with Pool(workers) as pool:
        for first in count(1, BLOCK * workers):
            firsts = [first + BLOCK * n for n in range(workers)]
            jobs = [(seed, number, BLOCK, alone) for number in firsts if number not in have]
            done = dict(zip((job[1] for job in jobs), pool.map(block, jobs), strict=True))
            for number in firsts:
                tally = have.get(number) or done[number]
                if counts is not None and number in done:
                    _keep(counts, seed, number, tally)
                total.coups.update(tally.coups)
                total.judged.update(tally.judged)
                total.found.extend(tally.found)
                total = total._replace(shoes=total.shoes + tally.shoes)
            if total.coups[WHOLE] >= coups:
                return total
    raise AssertionError


def _keep(file: Path, seed: str, first: int, tally: Tally) -> None:
    with file.open("a") as lines:
        lines.write(json.dumps({"seed": seed, "first": first, **tally._asdict()}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--coups", type=int, default=SMALL)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--whole", action="store_true", help="audit whole records alone")
    parser.add_argument("--corrected", action="store_true", help="with harmless corrections")
    parser.add_argument("--seed", default="clean")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--counts", type=Path)
    asked = parser.parse_args()
    began = time.perf_counter()
    coups = FULL if asked.full else asked.coups
    alone = CORRECTED if asked.corrected else WHOLE if asked.whole else ""
    tally = run(coups, asked.seed, asked.workers, asked.counts, alone=alone)
    print(f"{tally.shoes:,} shoes, seed {asked.seed!r}, {time.perf_counter() - began:.0f} s")
    for kind, coups in tally.coups.most_common():
        print(f"{coups:>12,} coups  {kind}")
    print(f"{len(tally.found):>12,} findings")
    print("\n".join(tally.found[:20]))
    sys.exit(1 if tally.found else 0)


if __name__ == "__main__":
    main()
