"""Measure the time to acknowledge a finding, in logs of growing length.

    python benchmarks/review_speed.py [--full] [--store NAME] [--postgres URL]

The log holds many copies of one shoe with four breaches. It is audited once, which stores the place
of each finding. Then findings from all over the log are acknowledged, each by its fingerprint in a
newly opened log. The time should not grow with the log. The last column is the time of an audit of
the complete log divided by the time of the review. ``--full`` goes on to a million events.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.store import postgres
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.audits.audit_run import audit_log
from sabot.infrastructure.audits.findings_store import find_reviewed, record_remark
from sabot.infrastructure.audits.remembered_findings import remember
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import faulty_shoe

REVIEWS = 20
APART_US = 30 * 60_000_000


def shoes(first: int, events: int) -> Iterator[list[NewEvent]]:
    """Yield copies of the shoe, one every half hour, until there are so many events."""
    one = faulty_shoe()
    for number in range(first // len(one), events // len(one)):
        stream, later = f"shoe/S-{number}", number * APART_US
        yield [NewEvent(stream, each.payload, (each.at_us or 0) + later, "table") for each in one]


def review(url: str, mark: str) -> float:
    """Acknowledge a finding and return the seconds it took."""
    began = time.perf_counter()
    with EventLog.open(url) as log:
        reviewed = find_reviewed(log, mark)
        assert reviewed is not None
        record_remark(log, reviewed, "acknowledge", by="olga", note="seen")
    return time.perf_counter() - began


def measure(url: str, sizes: list[int]) -> None:
    print(f"{'events':>10} {'findings':>9} {'audit':>9} {'review':>9} {'slowest':>9} {'ratio':>7}")
    before = 0
    for size in sizes:
        with EventLog.open(url) as log:
            log.load(shoes(before, size))
            began = time.perf_counter()
            report = audit_log(log)
            whole = time.perf_counter() - began
            remember(log.origin, report.findings)
            head = log.head()
        before, found = size, report.findings
        # those of earlier sizes were acknowledged; the others lie between them
        step = len(found) // REVIEWS
        marks = [found[place].fingerprint for place in range(size % step, len(found), step)]
        times = [review(url, mark) for mark in marks[:REVIEWS]]
        middle = statistics.median(times)
        print(
            f"{head:>10,} {len(found):>9,} {whole:>7.2f} s {1000 * middle:>6.1f} ms"
            f" {1000 * max(times):>6.1f} ms {whole / middle:>7,.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="up to a million events")
    parser.add_argument("--postgres", help="a server's URL, instead of one from the wheel")
    parser.add_argument("--store", choices=["sqlite", "postgresql"], help="one store alone")
    asked = parser.parse_args()
    sizes = [10_000, 100_000, *[1_000_000] * asked.full]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SABOT_KEYS"] = f"{folder}/keys"
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        if asked.store != "postgresql":
            print("SQLite")
            measure(f"{folder}/log.sabot", sizes)
        if asked.store != "sqlite":
            print("PostgreSQL")
            with postgres(asked.postgres) as (url, _):
                measure(url, sizes)


if __name__ == "__main__":
    main()
