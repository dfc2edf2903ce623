"""Verify a log, a published directory or an export against signed checkpoints.

Events are hashed as stored, and their payload is never parsed. A check says what it covered, what
it found, and what it did not look at. A change is located as closely as the evidence allows: to the
event with tiles, to the column with published lines, and otherwise to the events between two
checkpoints.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from sabot.domain.values.errors import NotFound, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.evidence.checkpoint import Checkpoint, open_checkpoint
from sabot.infrastructure.evidence.checkpoint_table import stored_checkpoints, stored_keys
from sabot.infrastructure.evidence.event_line import MAX_LINE_BYTES, event_line
from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
from sabot.infrastructure.evidence.publishing import Published
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.stored_events import PAGE, stored_events
from sabot.infrastructure.evidence.tiles import WIDTH, TileFolder

_MOST_PROBLEMS: Final = 100
_TABLES: Final = ("log_event", "log_head", "evidence_checkpoint", "evidence_key")


class Problem(Struct, frozen=True):
    """Evidence of a change.

    Attributes:
        message: what is wrong, in a sentence.
        index: the first event that it concerns, or None.
        until: the last one, if the evidence tells only a range.
        stream: the stream of that event, as it stands now.
        column: the column that differs, where the evidence tells it.
    """

    message: str
    index: int | None = None
    until: int | None = None
    stream: str | None = None
    column: str | None = None


class Verification(Struct):
    """What a verification found.

    Attributes:
        origin: the log's name.
        key: the public key that was used.
        events: how many events were read.
        covered: how many of them the newest checkpoint covers.
        checkpoints: how many checkpoints were checked.
        problems: evidence of changes; empty if there is none.
        remarks: what was not checked, in sentences.
        newest: the newest checkpoint, if it holds.
    """

    origin: str
    key: str
    events: int = 0
    covered: int = 0
    checkpoints: int = 0
    problems: list[Problem] = msgspec.field(default_factory=list)
    remarks: list[str] = msgspec.field(default_factory=list)
    newest: str | None = None

    @property
    def altered(self) -> bool:
        """Whether there is evidence of a change."""
        return bool(self.problems)

    def found(self, problem: Problem) -> None:
        """Add a problem, up to a hundred."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)


class Known(Struct, frozen=True):
    """A checkpoint to compare with, and where it comes from."""

    checkpoint: Checkpoint
    source: str
    note: str = ""


def verify_log(
    database: Database,
    *,
    key: VerifierKey | None = None,
    published: tuple[Published, Path] | None = None,
    earlier: str | None = None,
) -> Verification:
    """Verify the log in a database.

    Costs the reading and hashing of every event, and one signature a checkpoint.

    Args:
        database: the log's.
        key: the public key that must have signed; None means those in the database, which an
        insider could have replaced.
        published: a published directory, whose tiles locate a change to the event.
        earlier: a checkpoint that the verifier has kept.

    Raises:
        NotFound: there is no checkpoint.
        UntrustedLog: a kept or published checkpoint is not signed by the key.
    """
    with database.reading() as connection:
        head = connection.execute(sa.text("SELECT origin, last_id FROM log_head")).first()
    if head is None:
        raise UntrustedLog("the log has lost its head, the row that says how long it is")
    keys = (
        [key]
        if key
        else [VerifierKey.parse(stored.verifier_key) for stored in stored_keys(database)]
    )
    if published and published[0].key not in keys and not key:
        keys.append(published[0].key)
    result = Verification(head.origin, ", ".join(map(str, keys)))
    _check_tables(database, result)
    known = list(_stored(database, keys, result))
    known += _given(keys, published, earlier)
    if not known and not result.problems:
        raise NotFound(
            "the log has no checkpoint, so nothing shows whether it was altered; "
            "`sabot evidence init` begins to sign it"
        )
    for checkpoint in known:
        if checkpoint.checkpoint.origin != head.origin:
            result.found(
                Problem(
                    f"the log calls itself {head.origin}, and {checkpoint.source} is of "
                    f"{checkpoint.checkpoint.origin}"
                )
            )
            break
    tiles = TileFolder(published[1], published[0].checkpoint.size) if published else None
    pages = (
        [(row[0], row[2], event_line(row, head.origin), row) for row in rows]
        for rows in stored_events(database, until=2**63 - 1)
    )
    _compare(pages, known, tiles, result)
    if head.last_id != result.events:
        result.found(
            Problem(f"the head says {head.last_id} events, and the log has {result.events}")
        )
    if known and not result.altered:
        result.newest = max(known, key=lambda each: each.checkpoint.size).note or None
    _remark(result, pinned=key is not None, kept=bool(earlier or published))
    return result


def export_file_lines(place: Path) -> Iterator[bytes]:
    """Yield the lines of an export, without their newlines.

    Raises:
        NotFound: there is no such file.
    """
    if not place.is_file():
        raise NotFound(f"there is no file {place}")
    with place.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            yield line.removesuffix(b"\n")


def verify_lines(
    lines: Iterable[bytes],
    *,
    key: VerifierKey,
    published: tuple[Published, Path] | None = None,
    earlier: str | None = None,
) -> Verification:
    """Verify the export of a whole log: its lines, without their newlines.

    Raises:
        UntrustedLog: a checkpoint is not signed by the key.
    """
    result = Verification(key.name, str(key))
    known = _given([key], published, earlier)
    tiles = TileFolder(published[1], published[0].checkpoint.size) if published else None
    numbered = ((number, None, line, None) for number, line in enumerate(lines, 1))
    pages = iter(lambda: list(islice(numbered, PAGE)), [])
    _compare(pages, known, tiles, result)
    _remark(result, pinned=True, kept=True)
    return result


def verify_folder(
    published: Published, folder: Path, *, earlier: str | None = None, pinned: bool
) -> Verification:
    """Verify a published directory by itself: its tiles and lines against its checkpoint."""
    checkpoint = published.checkpoint
    result = Verification(checkpoint.origin, str(published.key))
    tiles = TileFolder(folder, checkpoint.size)
    known = _given([published.key], (published, folder), earlier)
    tree, due, good = TreeHead(), sorted(known, key=lambda each: each.checkpoint.size), 0
    result.checkpoints = len(due)
    lines = True
    for number in range(-(-checkpoint.size // WIDTH)):
        hashes = tiles.tile(0, number)
        leaves = [hashes[at : at + 32] for at in range(0, len(hashes), 32)]
        entries = tiles.entries(number)
        lines = lines and entries is not None
        for place, (leaf, line) in enumerate(zip(leaves, entries or (), strict=False)):
            if leaf_hash(line) != leaf:
                index = number * WIDTH + place + 1
                result.found(Problem(f"the published line of event {index} was changed", index))
        for leaf in leaves:
            tree.append((leaf,))
            good = _check_roots(tree, due, result, since=good) or good
    _check_beyond(tree, due, result, good)
    if tiles.head().root() != checkpoint.root:
        result.found(Problem("the upper tiles do not fit the checkpoint"))
    result.events = result.covered = tree.size
    if not lines:
        result.remarks.append("the directory has hashes alone: no event was looked at")
    if not result.altered:
        result.newest = published.note
    _remark(result, pinned=pinned, kept=earlier is not None)
    return result


# -- Comparing --------------------------------------------------------------------------------


def _stored(
    database: Database, keys: Sequence[VerifierKey], result: Verification
) -> Iterator[Known]:
    """Yield the checkpoints in the database that one of the keys signed."""
    for stored in stored_checkpoints(database):
        checkpoint = _opened(stored.note, keys)
        if checkpoint is None or checkpoint.size != stored.size:
            result.found(
                Problem(
                    f"the checkpoint of {stored.size} events in the database is not signed by "
                    "the log's key: it was changed or planted"
                )
            )
        else:
            source = f"the checkpoint of {stored.size} events in the database"
            yield Known(checkpoint, source, stored.note)


def _opened(note: str, keys: Sequence[VerifierKey]) -> Checkpoint | None:
    for key in keys:
        try:
            return open_checkpoint(note, key).checkpoint
        except UntrustedLog:
            continue
    return None


def _given(
    keys: Sequence[VerifierKey], published: tuple[Published, Path] | None, earlier: str | None
) -> list[Known]:
    """Return the checkpoints that come from outside the database."""
    known = []
    for note, source in (
        (published[0].note if published else None, "the published checkpoint"),
        (earlier, "the checkpoint that was kept"),
    ):
        if note is not None:
            checkpoint = _opened(note, keys)
            if checkpoint is None:
                raise UntrustedLog(f"{source} is not signed by the log's key")
            known.append(Known(checkpoint, f"{source} of {checkpoint.size} events", note))
    return known


Page = Sequence[tuple[int, str | None, bytes, Sequence[Any] | None]]
"""Index, stream, line, and the row if there is one, of events that follow each other."""


def _compare(
    pages: Iterable[Page], known: Sequence[Known], tiles: TileFolder | None, result: Verification
) -> None:
    """Hash events in their order, and compare the tree with each checkpoint."""
    tree = TreeHead()
    due = sorted(known, key=lambda each: each.checkpoint.size)
    result.checkpoints = len(due)
    result.covered = due[-1].checkpoint.size if due else 0
    last_good = _check_roots(tree, due, result)
    where = _Tiles(tiles) if tiles else None
    streams: set[str | None] = set()
    for page in pages:
        _check_indexes(page, tree.size + 1, result)
        leaves = [leaf_hash(line) for _, _, line, _ in page]
        if where:
            for (index, stream, _, row), leaf in zip(page, leaves, strict=True):
                if problem := where.differs(index, leaf, stream, row):
                    result.found(problem)
        done = 0
        while done < len(page):
            wanted = due[0].checkpoint.size - tree.size if due else len(page)
            tree.append(leaves[done : done + wanted])
            streams.update(event[1] for event in page[done : done + wanted])
            done += wanted
            good = _check_roots(tree, due, result, since=last_good, streams=streams)
            if good:
                last_good, streams = good, set()
    _check_beyond(tree, due, result, last_good)
    result.events = tree.size
    result.covered = min(result.covered, tree.size)


def _check_indexes(page: Page, first: int, result: Verification) -> None:
    """Report the first gap of the indexes."""
    indexes = [index for index, _, _, _ in page]
    if result.problems or indexes == list(range(first, first + len(page))):
        return
    place, index = next((n, i) for n, i in enumerate(indexes, first) if n != i)
    result.found(Problem(f"event {place} is missing; event {index} follows", place))


def _check_roots(
    tree: TreeHead,
    due: list[Known],
    result: Verification,
    *,
    since: int = 0,
    streams: Collection[str | None] = (),
) -> int:
    """Compare the tree with the checkpoints of its size. Return its size if all hold."""
    good = 0
    while due and due[0].checkpoint.size == tree.size:
        known = due.pop(0)
        if known.checkpoint.root == tree.root():
            good = tree.size
        elif not any(problem.index for problem in result.problems):
            (name,) = streams if len(streams) == 1 else (None,)
            result.found(
                Problem(
                    f"the events {since + 1} to {tree.size} are not as they were signed: "
                    f"{known.source} does not fit them",
                    since + 1,
                    tree.size,
                    name,
                )
            )
    return good


def _check_beyond(tree: TreeHead, due: Sequence[Known], result: Verification, since: int) -> None:
    """Report checkpoints of more events than there are, after ``since`` events that hold."""
    if due:
        last = due[-1]
        result.found(
            Problem(
                f"{last.source} covers {last.checkpoint.size} events, and there are {tree.size}: "
                "the end was cut off, or an old copy was put back",
                since + 1,
                last.checkpoint.size,
            )
        )


class _Tiles:
    """Compares leaves with published tiles."""

    def __init__(self, tiles: TileFolder) -> None:
        self._tiles = tiles
        self._number = -1
        self._hashes = b""

    def differs(
        self, index: int, leaf: bytes, stream: str | None, row: Sequence[Any] | None
    ) -> Problem | None:
        """Return what is wrong with an event, or None."""
        if index > self._tiles.size:
            return None
        number, place = divmod(index - 1, WIDTH)
        if number != self._number:
            self._number, self._hashes = number, self._tiles.tile(0, number)
        if self._hashes[place * 32 : place * 32 + 32] == leaf:
            return None
        column, was = self._column(number, place, row)
        told = f": {column} was {was}" if column else ""
        name = f" ({stream})" if stream else ""
        return Problem(
            f"event {index}{name} is not as it was published{told}", index, None, stream, column
        )

    def _column(self, number: int, place: int, row: Sequence[Any] | None) -> tuple[str | None, str]:
        """Return the first column that differs from the published line, and what it was."""
        entries = self._tiles.entries(number)
        if entries is None or row is None:
            return None, ""
        line = entries[place]
        if leaf_hash(line) != self._hashes[place * 32 : place * 32 + 32]:
            return None, ""
        published = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        for column, value in zip(log_event.c.keys(), row, strict=True):
            now = value if column == "payload" else msgspec.json.encode(value).decode()
            was = bytes(published["index" if column == "id" else column]).decode()
            if now != was:
                return column, was[:200]
        return None, ""


def _check_tables(database: Database, result: Verification) -> None:
    """Check that the log's tables are tables, not views that show something else."""
    query = (
        "SELECT name, type = 'table' FROM sqlite_master WHERE name IN (?, ?, ?, ?)"
        if database.is_sqlite
        else "SELECT relname, relkind = 'r' FROM pg_class WHERE oid IN"
        " (to_regclass(?), to_regclass(?), to_regclass(?), to_regclass(?))"
    )
    for name, is_table in database.fetch(query, _TABLES):
        if not is_table:
            result.found(Problem(f"{name} is not a table: something else was put in its place"))


def _remark(result: Verification, *, pinned: bool, kept: bool) -> None:
    loose = result.events - result.covered
    if loose > 0:
        result.remarks.append(
            f"the last {loose} events are not covered by a checkpoint: nothing was checked of them"
        )
    if not pinned:
        result.remarks.append(
            "the key is the database's own word; give the key that you were given with --key"
        )
    if not kept:
        result.remarks.append(
            "no checkpoint from outside was compared, so a cut end or an old copy with its own "
            "checkpoints cannot be seen; give --checkpoint or --published"
        )
