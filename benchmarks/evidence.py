"""Measure the cost of signing a log and the speed of verification.

Both are measured relative to a baseline in the same run, in turns, so a busy machine slows both.
Each commit appends one coup, with checkpoints and without. Verification of a complete log is
compared with reading the rows and hashing their payloads.

    python -m benchmarks.evidence [--coups N] [--events N] [--rounds N] [--database postgresql://…]
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from statistics import median

from sabot.domain.events import Event
from sabot.domain.events import coup as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.evidence.stored_events import stored_events
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.log.event_log import EventLog

ROUNDS = 5
AT_ONCE = 50
PAYLOAD = log_event.c.keys().index("payload")
BETS = range(1, 12)


def coup(number: int, shoe: str) -> list[NewEvent]:
    """Return the 25 events of a coup with eleven bets. The values of its cards do not matter."""
    events: list[Event] = [ev.CoupOpened(number)]
    events += [ev.BetPlaced(number, bet, f"p-{bet}", "banker", 5000) for bet in BETS]
    events += [ev.NoMoreBets(number)]
    events += [ev.BetPaid(number, bet, 4750) for bet in BETS]
    events += [ev.CoupClosed(number)]
    return [NewEvent(f"shoe/{shoe}", each, actor="dealer") for each in events]


@contextmanager
def new_log(url: str | None) -> Iterator[EventLog]:
    """Open an empty log: a new SQLite file, or a new schema on a server."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SABOT_KEYS"] = f"{folder}/keys"
        with EventLog.open(url or str(Path(folder) / "log.sabot")) as log:
            yield log


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a function call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def appends(log: EventLog, coups: int) -> None:
    """Print the cost of appending with checkpoints and without.

    Both take turns of a few coups. Events that were appended unsigned are signed between the turns.
    On a busy machine the fastest quarter of the commits is more reliable than the median.
    """
    recorder = log._recorder  # noqa: SLF001 - signing is switched off for the floor
    signing = recorder._checkpoints  # noqa: SLF001
    log.append(coup(1, "S-0"))
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(2 * ROUNDS * max(1, coups // AT_ONCE)):
        signed = turn % 2 == 0
        log.checkpoints.write()
        recorder._checkpoints = signing if signed else None  # noqa: SLF001
        for number in range(1, AT_ONCE + 1):
            batch = coup(number, f"S-{turn + 1}")
            seconds[signed].append(timed(lambda: log.append(batch)))  # noqa: B023
    recorder._checkpoints = signing  # noqa: SLF001
    for what, part in (("middle commit", 2), ("quickest quarter", 4)):
        with_, without = (sorted(times)[len(times) // part] for times in seconds.values())
        print(
            f"append, a coup a commit, {what}: {25 / with_:,.0f} events/s signed, "
            f"{25 / without:,.0f} unsigned: {with_ / without - 1:+.1%}"
        )


def verification(log: EventLog, events: int, rounds: int) -> None:
    """Print the speed of verification and of its baseline."""
    log.load(coup(n, f"V-{n // 80}") for n in range(1, events // 25 + 1))
    head = log.head()

    def floor() -> None:
        for rows in stored_events(log.database, until=head):
            for row in rows:
                sha256(row[PAYLOAD].encode()).digest()

    pairs = [(timed(floor), timed(lambda: verify_log(log.database))) for _ in range(rounds)]
    least, whole = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
    print(
        f"verify {head:,} events: {head / whole:,.0f} events/s; "
        f"reading and hashing alone {head / least:,.0f}: {least / whole:.2f} of the floor"
    )


def main() -> None:
    """Run the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--coups", type=int, default=200)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of the verification")
    parser.add_argument("--database", help="an empty PostgreSQL database; default: SQLite")
    given = parser.parse_args()
    with new_log(given.database) as log:
        appends(log, given.coups)
        verification(log, given.events, given.rounds)


if __name__ == "__main__":
    main()
