"""Verify the log in a database against signed checkpoints.

Events are hashed as stored, and their payload is never parsed. The result says what was checked,
what was found, and what was not checked. A change is located as closely as the evidence allows: to
the event with tiles, to the column with published lines, and otherwise to the events between two
checkpoints.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from sabot.domain.values.errors import NotFound, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.evidence.checkpoint_table import (
    note_sha256,
    set_aside,
    stored_checkpoints,
    stored_keys,
)
from sabot.infrastructure.evidence.comparison import (
    Known,
    Page,
    checkpoints_from_outside,
    compare,
    open_by_any,
    tiles_in,
)
from sabot.infrastructure.evidence.device_numbers import DeviceNumbers
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.evidence.publishing import Published
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.stored_events import stored_events
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
    known = _with_own([*stored, *checkpoints_from_outside(keys, published, earlier)], stamped)
    if not (known or unsigned or result.problems):
        raise NotFound(_NO_CHECKPOINT)
    _check_origin(origin, known, result)
    numbers = DeviceNumbers()
    good = compare(_pages(database, origin, numbers), known, tiles_in(published), result)
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
        checkpoint = open_by_any(stored.note, keys)
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
                    f"should be, `sabot evidence set-aside {size} --by NAME --note REASON` records "
                    "that it is set aside"
                )
            )


def _check_tables(database: Database, result: Verification) -> None:
    """Check that the log's tables are plain tables, which show the same rows to every query."""
    query = (
        "SELECT name, type = 'table' AND rootpage > 0 FROM sqlite_master WHERE name IN (?, ?, ?, ?)"
        if database.is_sqlite
        else "SELECT relname, relkind = 'r' AND NOT (relrowsecurity OR relhasrules OR"
        " relhassubclass) FROM pg_class WHERE oid IN"
        " (to_regclass(?), to_regclass(?), to_regclass(?), to_regclass(?))"
    )
    for name, is_plain in database.fetch(query, _TABLES):
        if not is_plain:
            result.found(
                Problem(
                    f"{name} is not a plain table: a view, a row policy, a rule or another table "
                    "may show other data than was recorded"
                )
            )
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
