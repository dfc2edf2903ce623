"""Verify a log, a published directory or an export against signed checkpoints.

Events are hashed as stored, and their payload is never parsed. The result says what was checked,
what was found, and what was not checked. A change is located as closely as the evidence allows: to
the event with tiles, to the column with published lines, and otherwise to the events between two
checkpoints.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Final

import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct

from sabot.domain.events import MAX_INT
from sabot.domain.values.errors import BadInput, NotFound, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.evidence.checkpoint import Checkpoint, open_checkpoint
from sabot.infrastructure.evidence.checkpoint_table import (
    note_sha256,
    set_aside,
    stored_checkpoints,
    stored_keys,
)
from sabot.infrastructure.evidence.comparison import GrowingTree, Known, Page, compare
from sabot.infrastructure.evidence.device_numbers import DeviceNumbers
from sabot.infrastructure.evidence.event_line import MAX_LINE_BYTES, event_line, hashed_line
from sabot.infrastructure.evidence.event_proof import FORMAT as PROOF_FORMAT
from sabot.infrastructure.evidence.merkle_tree import HASH_BYTES, leaf_hash
from sabot.infrastructure.evidence.publishing import Published
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.stored_events import PAGE, stored_events
from sabot.infrastructure.evidence.tiles import LEVELS_OF_TILE, WIDTH, TileFolder, tile_root
from sabot.infrastructure.evidence.verification_result import Problem, Verification

_MAX_INDEX: Final = 2**63 - 1
_MOST_NAMED: Final = 10
_DEVICE: Final = log_event.c.keys().index("device")
_SEQ: Final = log_event.c.keys().index("seq")
_NO_CHECKPOINT: Final = (
    "the log has no checkpoint, so nothing shows whether it was altered; "
    "`sabot evidence init` begins to sign it"
)
_DELETED: Final = (
    "the log has a signing key, so it had checkpoints, and the database has none: they were deleted"
)
_TABLES: Final = ("log_event", "log_head", "evidence_checkpoint", "evidence_key")


def verify_log(
    database: Database,
    *,
    key: VerifierKey | None = None,
    published: tuple[Published, Path] | None = None,
    earlier: str | None = None,
    stamped: Sequence[Known] = (),
) -> Verification:
    """Verify the log in a database: hash every event, and check a signature per checkpoint.

    Args:
        database: the database of the log.
        key: the public key that must have signed. None means the database's, which an insider
            could have replaced.
        published: a published directory, whose tiles locate a change to the event.
        earlier: a checkpoint that the verifier has kept.
        stamped: checkpoints with a time stamp, and the last one that this machine signed.

    Raises:
        NotFound: the database has no checkpoint.
        UntrustedLog: a kept or published checkpoint is not signed by the key.
    """
    origin, last = _head_of(database)
    keys = [key] if key else _stated_keys(database, published)
    result = Verification(origin, ", ".join(map(str, keys)))
    _check_tables(database, result)
    stored, unsigned = _stored(database, keys, result)
    known = _with_own([*stored, *_given(keys, published, earlier)], stamped)
    if not (known or unsigned or result.problems):
        raise NotFound(_NO_CHECKPOINT)
    _check_origin(origin, known, result)
    numbers = DeviceNumbers()
    good = compare(_pages(database, origin, numbers), known, _tiles_in(published), result)
    _report_unsigned(unsigned, good, result)
    numbers.report(result)
    _check_head(last, result)
    if known and not result.altered:
        result.newest = _newest_note(known)
    _remark_limits(result, key, stamped, kept=bool(earlier or published))
    return result


def _remark_limits(
    result: Verification, key: VerifierKey | None, stamped: Sequence[Known], *, kept: bool
) -> None:
    here = next((each.checkpoint.size for each in stamped if each.own), None)
    result.remark_limits(pinned=key is not None, kept=kept, signed_here=here)


def _newest_note(known: Sequence[Known]) -> str | None:
    """Return the largest checkpoint whose signed text is known."""
    signed = [each for each in known if each.note]
    return max(signed, key=lambda each: each.checkpoint.size).note if signed else None


def _with_own(known: Sequence[Known], more: Sequence[Known]) -> list[Known]:
    """Add checkpoints, but not this machine's own last one if it is known already."""
    there = {each.checkpoint for each in known}
    return [*known, *(each for each in more if not (each.own and each.checkpoint in there))]


def _tiles_in(published: tuple[Published, Path] | None) -> TileFolder | None:
    return TileFolder(published[1], published[0].checkpoint.size) if published else None


def _head_of(database: Database) -> tuple[str, int]:
    """Return the log's name and number of events from the row that holds its head."""
    with database.reading() as connection:
        head = connection.execute(sa.text("SELECT origin, last_id FROM log_head")).first()
    if head is None:
        raise UntrustedLog("the log has lost its head, the row with the number of its events")
    return head.origin, head.last_id


def _check_head(last: int, result: Verification) -> None:
    if last != result.events:
        result.found(Problem(f"the head says {last} events, and the log has {result.events}"))


def _pages(database: Database, origin: str, numbers: DeviceNumbers) -> Iterator[Page]:
    for rows in stored_events(database, until=_MAX_INDEX):
        for row in rows:
            if row[_SEQ] is not None:
                numbers.add(row[0], row[2], row[_DEVICE], row[_SEQ])
        yield [(row[0], row[2], event_line(row, origin), row) for row in rows]


def _stated_keys(database: Database, published: tuple[Published, Path] | None) -> list[VerifierKey]:
    """Return the public keys in the database and the directory, if the verifier has none."""
    keys = [stored.key for stored in stored_keys(database)]
    if published and published[0].key not in keys:
        keys.append(published[0].key)
    return keys


def _check_origin(origin: str, known: Sequence[Known], result: Verification) -> None:
    """Report a checkpoint of another log."""
    other = next((each for each in known if each.checkpoint.origin != origin), None)
    if other is not None:
        result.found(
            Problem(
                f"the log calls itself {origin}, and {other.source} is of {other.checkpoint.origin}"
            )
        )


class _Place(Struct):
    """The keys of a line that say which event it is."""

    index: int
    stream: str
    version: int


def check_whole_log(place: Path) -> None:
    """Check that a file is not the export of one stream, which only a bundle can prove.

    Raises:
        BadInput: it is the export of one stream, or a proof without its event.
    """
    index, stream = 0, ""
    for number, line in enumerate(export_file_lines(place), 1):
        if number == 1 and line == PROOF_FORMAT.encode():
            raise BadInput(
                f"{place} is the proof of an event, without the event; `sabot evidence prove "
                "--shoe` writes a bundle with both, which `sabot verify` checks"
            )
        try:
            event = msgspec.json.decode(line, type=_Place)
        except msgspec.MsgspecError:
            return  # the comparison names the line
        stream = stream or event.stream
        if (event.stream, event.version) != (stream, number):
            return
        index = event.index
    if stream and index != number:
        shoe = stream.removeprefix("shoe/")
        raise BadInput(
            f"{place} has only the events of {stream}, and no proofs: it cannot be verified by "
            f"itself. `sabot evidence prove --shoe {shoe}` writes them with their proofs; or "
            "verify an export of the whole log"
        )


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
    stamped: Sequence[Known] = (),
) -> Verification:
    """Verify the export of a complete log, given as lines without newlines.

    A payload that is text in the export, such as that of an isolated event, is hashed as it is
    stored.

    Raises:
        UntrustedLog: a checkpoint is not signed by the key.
    """
    result = Verification(key.name, str(key))
    known = [*_given([key], published, earlier), *stamped]
    as_text: list[int] = []
    numbers = DeviceNumbers()
    hashed = _hashed(lines, as_text, numbers)
    pages = iter(lambda: list(islice(hashed, PAGE)), [])
    compare(pages, known, _tiles_in(published), result)
    numbers.report(result)
    if as_text:
        named = ", ".join(map(str, as_text[:10]))
        result.remarks.append(
            f"payload as text, since the event is isolated or its JSON is not canonical: "
            f"{len(as_text)} of the events ({named})"
        )
    result.remark_limits(pinned=True, kept=True)
    return result


def _hashed(
    lines: Iterable[bytes], as_text: list[int], numbers: DeviceNumbers
) -> Iterator[tuple[int, None, bytes, None]]:
    """Yield the lines that the tree hashes, each with the index that it states.

    Collect isolated events and devices' numbers.
    """
    for number, line in enumerate(lines, 1):
        numbers.add_line(number, line)
        hashed = hashed_line(line)
        if hashed is not line:
            as_text.append(number)
        yield _index_in(line) or number, None, hashed, None


class _Index(Struct):
    """The key of a line with the index of the event."""

    index: Annotated[int, Meta(ge=1, le=MAX_INT)]


def _index_in(line: bytes) -> int | None:
    """Return the index that a line states, or None if it has no valid one."""
    try:
        return msgspec.json.decode(line, type=_Index).index
    except (msgspec.MsgspecError, RecursionError):
        return None


def verify_folder(
    published: Published,
    folder: Path,
    *,
    earlier: str | None = None,
    stamped: Sequence[Known] = (),
    pinned: bool,
) -> Verification:
    """Verify a published directory without the log: its tiles and lines against its checkpoint."""
    checkpoint = published.checkpoint
    result = Verification(checkpoint.origin, str(published.key))
    tiles = TileFolder(folder, checkpoint.size)
    known = [*_given([published.key], (published, folder), earlier), *stamped]
    tree, numbers, hashes_only = GrowingTree(known, result), DeviceNumbers(), 0
    for number in range(-(-checkpoint.size // WIDTH)):
        hashes = tiles.tile(0, number)
        leaves = [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]
        entries = tiles.entries(number)
        hashes_only += len(leaves) if entries is None else 0
        for place, (leaf, line) in enumerate(zip(leaves, entries or (), strict=False)):
            index = number * WIDTH + place + 1
            numbers.add_line(index, line)
            if leaf_hash(line) != leaf:
                result.found(Problem(f"the published line of event {index} was changed", index))
        tree.append(leaves, [None] * len(leaves))
    tree.finish()
    _check_upper_tiles(tiles, result)
    numbers.report(result)
    if hashes_only == checkpoint.size:
        result.remarks.append("the directory has only hashes: no event was checked")
    elif hashes_only:
        result.remarks.append(
            f"the directory has only the hashes of {hashes_only} events: these were not checked"
        )
    if not result.altered:
        result.newest = published.note
    result.remark_limits(pinned=pinned, kept=earlier is not None, of="directory")
    return result


def _check_upper_tiles(tiles: TileFolder, result: Verification) -> None:
    """Check that each hash of the upper tiles is the root of the full tile below it."""
    for level in count(1):
        full = tiles.size >> (LEVELS_OF_TILE * level)
        if not full:
            return
        for number in range(full):
            actual = tile_root(tiles.tile(level - 1, number))
            if tiles.node(LEVELS_OF_TILE * level, number) != actual:
                first = (number << (LEVELS_OF_TILE * level)) + 1
                message = (
                    f"the hash of the events from {first} on in tile level {level} was changed"
                )
                result.found(Problem(message))


# -- Checkpoints --------------------------------------------------------------------------------


def _stored(
    database: Database, keys: Sequence[VerifierKey], result: Verification
) -> tuple[list[Known], list[int]]:
    """Return the checkpoints in the database that one of the keys signed, and sizes of the others.

    Those that a person set aside are in neither, and are reported.
    """
    signed, unsigned = [], []
    with database.reading() as connection:
        aside = set_aside(connection)
    deleted = True
    for stored in stored_checkpoints(database):
        deleted = False
        said = aside.pop((stored.size, note_sha256(stored.note)), None) if aside else None
        if said is not None:
            result.remarks.append(
                f"{said.by} set aside the checkpoint of {stored.size} events: {said.note}"
            )
            continue
        checkpoint = _opened(stored.note, keys)
        if checkpoint is None or checkpoint.size != stored.size:
            unsigned.append(stored.size)
        else:
            source = f"the checkpoint of {stored.size} events in the database"
            signed.append(Known(checkpoint, source, stored.note))
    result.remarks += [
        f"{said.by} set aside the checkpoint of {said.size} events, which the database does not "
        f"have: {said.note}"
        for said in aside.values()
    ]
    if deleted and any(key.name == result.origin for key in keys):
        result.found(Problem(_DELETED))
    return signed, unsigned


def _report_unsigned(sizes: Sequence[int], good: int, result: Verification) -> None:
    """Report stored checkpoints that the log's key has not signed.

    One that covers no more events than a checkpoint that holds says nothing of the log.
    """
    ignored = [size for size in sizes if size <= good]
    if ignored:
        named = ", ".join(map(str, ignored[:_MOST_NAMED]))
        result.remarks.append(
            f"not signed by the log's key, and ignored: {len(ignored)} of the checkpoints in the "
            f"database ({named} events); the checkpoint of {good} events holds"
        )
    for size in sizes:
        if size > good:
            result.found(
                Problem(
                    f"the checkpoint of {size} events in the database is not signed by the log's "
                    "key: it was changed or planted, and no later one holds; if the log is as it "
                    f"should be, `sabot evidence set-aside {size}` clears this on record"
                )
            )


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
    """Return the verifier's checkpoints from outside the database."""
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


def _check_tables(database: Database, result: Verification) -> None:
    """Check that the log's tables are real tables. A view could show other data."""
    query = (
        "SELECT name, type = 'table' FROM sqlite_master WHERE name IN (?, ?, ?, ?)"
        if database.is_sqlite
        else "SELECT relname, relkind = 'r' FROM pg_class WHERE oid IN"
        " (to_regclass(?), to_regclass(?), to_regclass(?), to_regclass(?))"
    )
    for name, is_table in database.fetch(query, _TABLES):
        if not is_table:
            result.found(Problem(f"{name} is not a table: something else was put in its place"))
    if database.is_sqlite and not result.problems:
        _check_indexes_of_table(database, result)


def _check_indexes_of_table(database: Database, result: Verification) -> None:
    """Check that the indexes of a SQLite log have the same rows as its table.

    The tree is built from the table. A verb that reads one shoe finds its events by an index.
    """
    faults = [text for (text,) in database.fetch("PRAGMA integrity_check(log_event)")]
    if faults != ["ok"]:
        result.found(
            Problem(
                "an index of the log differs from the log, so verbs that read one shoe may read "
                f"other events than were verified: {faults[0]}; `sabot store check` lists the "
                "differences"
            )
        )
