"""Tamper with a signed log in every way that the docs name, and count the detected cases.

Each case is a log of its own with one change at one place by one of three kinds of insiders. The
first controls the database. The second also controls the published directory and makes it match.
The third also has the signing key and signs everything again. The verifier has the public key and,
against the second and third kind, a checkpoint kept elsewhere. Clean logs are verified as well.

    python -m benchmarks.evidence_tampering [--events N] [--server postgresql://…] [--write]
"""

import argparse
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
from sqlalchemy.engine import make_url

from benchmarks.evidence import coup, new_log
from sabot.domain.values.errors import NotFound, SabotError
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.evidence.checkpoint import sign_checkpoint
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
from sabot.infrastructure.evidence.publishing import Published, publish, read_published
from sabot.infrastructure.evidence.signed_note import SigningKey
from sabot.infrastructure.evidence.signing_keys import load_key
from sabot.infrastructure.evidence.stored_events import stored_events
from sabot.infrastructure.evidence.tiles import TileWriter
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.evidence.verification_result import Verification
from sabot.infrastructure.files.whole_file import write_whole
from sabot.infrastructure.log.event_log import EventLog

PAGE: Final = Path(__file__).parent / "counts" / "tampering.tsv"
SEED: Final = 20261123
CLEAN: Final = 100

NUMBERS: Final = ("id", "version", "at_us", "recorded_us", "seq", "stored_us")
COLUMNS: Final = tuple(log_event.c.keys())
DATABASE, DIRECTORY, KEY = "database", "database and directory", "database, directory and key"


class Change(NamedTuple):
    """A change of a log.

    Attributes:
        name: a description of the change.
        statements: the change in SQL.
        first: the first event that the change affects.
    """

    name: str
    statements: tuple[str, ...]
    first: int


def changes(events: int, rng: random.Random) -> Iterator[Change]:
    """Yield every change at every place."""
    edges = {1, 2, 256, 257, 258, events - 2, events - 1, events}
    places = sorted(edges | {rng.randint(3, events - 3) for _ in range(10)})
    for place in places:
        for column in COLUMNS:
            if column == "id":
                continue  # moved below
            yield Change(f"{column} changed", (_changed(column, place),), place)
        if place < events:
            yield Change("event removed", (f"DELETE FROM log_event WHERE id = {place}",), place)
            yield Change("event removed, the rest moved up", _closed_up(place, events), place)
            yield Change("two events exchanged", _exchanged(place), place)
            yield Change("end cut off", _cut(place, events), place + 1)
        yield Change("all checkpoints removed", ("DELETE FROM evidence_checkpoint",), place)
        yield Change("actor changed, its checkpoints removed", _uncovered(place), place)
        yield Change("event inserted", _inserted(place), place)


def _changed(column: str, place: int) -> str:
    where = f"WHERE id = {place}"
    if column in NUMBERS:
        return f"UPDATE log_event SET {column} = coalesce({column}, 0) + 1000003 {where}"
    if column == "payload":
        return f"UPDATE log_event SET payload = replace(payload, '\"coup\":', '\"coup\": ') {where}"
    return f"UPDATE log_event SET {column} = coalesce({column}, '') || '~' {where}"


def _closed_up(place: int, events: int) -> tuple[str, ...]:
    return (
        f"DELETE FROM log_event WHERE id = {place}",
        f"UPDATE log_event SET id = -id + 1 WHERE id > {place}",
        "UPDATE log_event SET id = -id WHERE id < 0",
        f"UPDATE log_head SET last_id = {events - 1}",
    )


def _exchanged(place: int) -> tuple[str, ...]:
    return (
        f"UPDATE log_event SET id = -1 WHERE id = {place}",
        f"UPDATE log_event SET id = {place} WHERE id = {place + 1}",
        f"UPDATE log_event SET id = {place + 1} WHERE id = -1",
    )


def _cut(place: int, events: int) -> tuple[str, ...]:
    del events
    return (
        f"DELETE FROM log_event WHERE id > {place}",
        f"UPDATE log_head SET last_id = {place}",
        f"DELETE FROM evidence_checkpoint WHERE size > {place}",
    )


def _uncovered(place: int) -> tuple[str, ...]:
    return (
        _changed("actor", place),
        f"DELETE FROM evidence_checkpoint WHERE size >= {place}",
    )


def _inserted(place: int) -> tuple[str, ...]:
    names = ", ".join(column for column in COLUMNS if column != "id")
    values = names.replace("version", "version + 2000003").replace("seq", "NULL")
    values = values.replace("event_id", "NULL")
    copied = f"SELECT {place}, {values} FROM log_event WHERE id = {place + 1}"
    return (
        f"UPDATE log_event SET id = -id - 1 WHERE id >= {place}",
        "UPDATE log_event SET id = -id WHERE id < 0",
        f"INSERT INTO log_event (id, {names}) {copied}",
        "UPDATE log_head SET last_id = last_id + 1",
    )


# -- Logs to be tampered with -----------------------------------------------------------------


class Copies:
    """Makes copies of one signed and published log."""

    def __init__(self, events: int, server: str | None, folder: Path) -> None:
        self.folder = folder
        self._server = server
        self._numbers = count(1)
        self.file = folder / "log.sabot"
        url = self._create("template") if server else str(self.file)
        with EventLog.open(url) as log:
            for number in range(1, events // 25 + 1):
                log.append(coup(number, f"S-{number // 5}"))
                log.checkpoints.write()  # as at a table, where coups are further apart
            found = load_key(log.origin)
            assert found is not None
            self.key: SigningKey = found
            self.published: Published = publish(log.database, folder / "public", entries=True)

    def _create(self, name: str, template: str = "template0") -> str:
        assert self._server is not None
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS tampering_{name}")
            connection.execute(f"CREATE DATABASE tampering_{name} TEMPLATE {template}")
        url = make_url(self._server).set(database=f"tampering_{name}")
        return url.render_as_string(hide_password=False)

    @contextmanager
    def copy(self, statements: Sequence[str]) -> Iterator[EventLog]:
        """Open a copy after an insider with the database has run some statements on it."""
        if self._server is None:
            place = self.folder / f"copy-{next(self._numbers)}.sabot"
            shutil.copy(self.file, place)
            with closing(sqlite3.connect(place)) as connection, connection:
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'trigger'"
                ).fetchall():
                    connection.execute(f"DROP TRIGGER {name}")
                for statement in statements:
                    connection.execute(statement)
            with EventLog.open(str(place), read_only=True) as log:
                yield log
            for file in self.folder.glob(f"{place.name}*"):
                file.unlink()
            return
        url = self._create("copy", "tampering_template")
        with psycopg.connect(url) as server:
            for table in ("log_event", "log_head", "evidence_key", "evidence_checkpoint"):
                server.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            for statement in statements:
                server.execute(statement)  # type: ignore[arg-type]
        with EventLog.open(url, read_only=True) as log:
            yield log


def make_to_fit(log: EventLog, folder: Path, copies: Copies, *, key: SigningKey | None) -> Path:
    """Return a published directory that matches a changed log, signed again if there is a key."""
    public = folder / "changed"
    shutil.rmtree(public, ignore_errors=True)
    writer, tree = TileWriter(public, 0, entries=True), TreeHead()
    for rows in stored_events(log.database, until=2**62):
        for row in rows:
            line = event_line(row, log.origin)
            tree.append((leaf_hash(line),))
            writer.add(line, leaf_hash(line))
    writer.finish()
    note = sign_checkpoint(log.origin, tree, key) if key else copies.published.note
    write_whole(public / "verifier-key", f"{copies.published.key}\n".encode())
    write_whole(public / "checkpoint", note.encode())
    return public


def located(result: Verification, change: Change) -> str:
    """Return how precisely a change was located."""
    if not result.altered:
        return "not found"
    problem = next((one for one in result.problems if one.index is not None), None)
    if problem is None or problem.index is None:
        return "found"
    if problem.index == change.first and problem.until in (None, problem.index):
        return "event"
    if problem.index <= change.first <= (problem.until or problem.index):
        return "range"
    return "elsewhere"


def judged(check: Callable[[], Verification], change: Change) -> str:
    """Return the result of a verification of a changed log."""
    try:
        return located(check(), change)
    except NotFound:
        return "no checkpoint"
    except SabotError:
        return "found"


def try_change(copies: Copies, change: Change) -> Iterator[tuple[str, str]]:
    """Yield each kind of insider with the verification's result."""
    key, folder = copies.published.key, copies.folder
    outside = (copies.published, folder / "public")
    with copies.copy(change.statements) as log:
        yield (
            "database, no checkpoint from outside",
            judged(lambda: verify_log(log.database, key=key), change),
        )
        yield DATABASE, judged(lambda: verify_log(log.database, key=key, published=outside), change)
        for who, signs in ((DIRECTORY, None), (KEY, copies.key)):
            public = make_to_fit(log, folder, copies, key=signs)
            yield (
                who,
                judged(
                    lambda: verify_log(
                        log.database,
                        key=key,
                        published=(read_published(public, key), public),  # noqa: B023
                        earlier=copies.published.note,
                    ),
                    change,
                ),
            )


def main() -> None:
    """Run all cases and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--events", type=int, default=600)
    parser.add_argument("--server", help="a PostgreSQL server as superuser; default: SQLite")
    parser.add_argument(
        "--write", action="store_true", help="write the counts to benchmarks/counts"
    )
    given = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    false_alarms = 0
    with tempfile.TemporaryDirectory() as place, new_log(None):
        copies = Copies(given.events, given.server, Path(place))
        for change in changes(given.events, random.Random(SEED)):
            for who, what in try_change(copies, change):
                counts[change.name, who, what] += 1
        for _ in range(CLEAN):
            with copies.copy(()) as log:
                result = verify_log(
                    log.database, key=copies.published.key,
                    published=(copies.published, copies.folder / "public"),
                )  # fmt: skip
                false_alarms += result.altered
    rows: list[Any] = [(*key, number) for key, number in sorted(counts.items())]
    lines = ["change\tinsider has\tresult\tcases", *("\t".join(map(str, row)) for row in rows)]
    print("\n".join(lines))
    print(f"{counts.total()} cases; {false_alarms} false alarms on {CLEAN} clean logs")
    if given.write:
        PAGE.with_suffix(f".{'postgresql' if given.server else 'sqlite'}.tsv").write_text(
            "\n".join(lines) + "\n"
        )


if __name__ == "__main__":
    main()
