"""The checkpoints and public keys that are stored in the log's own database."""

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sabot.domain.events import MAX_INT
from sabot.domain.events.review import ISOLATED_STREAM, CheckpointSetAside
from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.engines import driver_of
from sabot.infrastructure.database.pages import pages
from sabot.infrastructure.evidence.checkpoint import Checkpoint, open_checkpoint
from sabot.infrastructure.evidence.merkle_tree import TreeHead
from sabot.infrastructure.evidence.signed_note import VerifierKey


class StoredCheckpoint(NamedTuple):
    """A row of ``evidence_checkpoint``.

    Attributes:
        size: the number of events by this column. Only the number in ``note`` is signed.
        note: the signed checkpoint.
        subtrees: base64 of the hashes from which the tree can grow on.
    """

    size: int
    note: str
    subtrees: str


class StoredKey(NamedTuple):
    """A row of ``evidence_key``.

    Attributes:
        verifier_key: the public key as text without spaces.
        since: the number of events that the log had when the key was created.
    """

    verifier_key: str
    since: int

    @property
    def key(self) -> VerifierKey:
        """The public key.

        Raises:
            UntrustedLog: it is damaged.
        """
        try:
            return VerifierKey.parse(self.verifier_key)
        except BadInput as error:
            raise UntrustedLog(f"the public key in the database was changed: {error}") from error


_NEWEST: Final = sa.text(
    "SELECT size, note, subtrees FROM evidence_checkpoint WHERE size <= :size"
    " ORDER BY size DESC LIMIT 1"
)
_SET_ASIDE: Final = sa.text(
    "SELECT payload FROM log_event WHERE stream = :stream AND name = :name"
).bindparams(stream=ISOLATED_STREAM, name=str(CheckpointSetAside.__struct_config__.tag))
_ADD: Final = {
    "sqlite": "INSERT INTO evidence_checkpoint (size, note, subtrees, made_us)"
    " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    # The events are durable already; a checkpoint that a crash takes is written again.
    "postgresql": "SELECT log_checkpoint(%s, %s)"
    " FROM set_config('synchronous_commit', 'off', true)",
}
_NOTE: Final = "SELECT note FROM evidence_checkpoint WHERE size = ?"
_IS_NEWEST: Final = "SELECT size, subtrees FROM evidence_checkpoint ORDER BY size DESC LIMIT 1"
_ADD_KEY: Final = {
    "sqlite": "INSERT INTO evidence_key (verifier_key, since, made_us)"
    " VALUES (:verifier_key, :since, :made_us) ON CONFLICT DO NOTHING",
    "postgresql": "SELECT log_key(:verifier_key, :since)",
}


def add_key(connection: Connection, key: VerifierKey, *, since: int, now_us: int) -> None:
    """Store the public key of a log with ``since`` events.

    PostgreSQL gives the time itself, and takes no second key.

    Raises:
        UntrustedLog: the log has another key by now.
    """
    values = {"verifier_key": str(key), "since": since, "made_us": now_us}
    try:
        connection.execute(sa.text(_ADD_KEY[connection.dialect.name]), values)
    except sa.exc.IntegrityError as error:
        raise UntrustedLog(str(error.orig).splitlines()[0]) from error


def add_checkpoint(connection: Connection, tree: TreeHead, note: str, *, now_us: int) -> bool:
    """Store a checkpoint. Return False if there is another one of the same size, which stays.

    PostgreSQL gives the time itself.

    Raises:
        UntrustedLog: the database finds that it is not a checkpoint of this log.
    """
    subtrees = b64encode(tree.subtrees).decode()
    driver, add = driver_of(connection), _ADD[connection.dialect.name]
    if connection.dialect.name == "postgresql":
        try:
            return bool(driver.execute(add, (note, subtrees)).fetchone()[0])
        except connection.dialect.loaded_dbapi.IntegrityError as error:
            raise UntrustedLog(str(error).splitlines()[0]) from error
    if driver.execute(add, (tree.size, note, subtrees, now_us)).rowcount:
        return True
    found = driver.execute(_NOTE, (tree.size,)).fetchone()
    return bool(found and found[0] == note)


def stored_keys(database: Database) -> list[StoredKey]:
    """Return the public keys in the database, oldest first."""
    query = "SELECT verifier_key, since FROM evidence_key ORDER BY since, made_us, verifier_key"
    return [StoredKey(*row) for row in database.fetch(query)]


def stored_checkpoints(database: Database, *, page: int = 5000) -> Iterator[StoredCheckpoint]:
    """Yield the checkpoints by size."""
    query = (
        "SELECT size, note, subtrees FROM evidence_checkpoint WHERE size > ? ORDER BY size LIMIT ?"
    )
    for rows in pages(lambda after: database.fetch(query, (after, page)), -1, page):
        yield from (StoredCheckpoint(*row) for row in rows)


def note_sha256(note: str) -> str:
    """Return the digest of a checkpoint's note, by which it is set aside."""
    return hashlib.sha256(note.encode()).hexdigest()


def set_aside(connection: Connection) -> dict[tuple[int, str], CheckpointSetAside]:
    """Return the events that set checkpoints aside, by size and digest of the note."""
    found = {}
    for payload in connection.scalars(_SET_ASIDE):
        try:
            event = msgspec.json.decode(payload, type=CheckpointSetAside)
        except (msgspec.MsgspecError, RecursionError):
            continue  # no event of this program; other verbs report it
        found[event.size, event.note_sha256] = event
    return found


def newest_tree(connection: Connection, key: VerifierKey) -> TreeHead:
    """Return the head of the tree at the newest checkpoint of a key, or an empty tree."""
    for _, tree in _signed(connection, key):
        return tree
    return TreeHead()


def newest_signed(connection: Connection, key: VerifierKey, *, until: int = MAX_INT) -> str | None:
    """Return the newest checkpoint over at most ``until`` events that a key signed, or None."""
    for note, _ in _signed(connection, key, until):
        return note
    return None


def _signed(
    connection: Connection, key: VerifierKey, until: int = MAX_INT
) -> Iterator[tuple[str, TreeHead]]:
    """Yield checkpoints from the newest on, each with its tree.

    Some rows are skipped: those that were set aside, those that the key has not signed, and those
    whose subtrees do not give the signed root. The verification reports them.
    """
    aside = set_aside(connection)

    def read(before: int) -> list[StoredCheckpoint]:
        rows = connection.execute(_NEWEST, {"size": before - 1})
        return [StoredCheckpoint(*row) for row in rows]

    for (row,) in pages(read, until + 1, 1, back=True):
        tree = tree_of(row, key)
        if tree is not None and (row.size, note_sha256(row.note)) not in aside:
            yield row.note, tree


def is_newest(connection: Connection, tree: TreeHead) -> bool:
    """Return whether a tree is that of the newest checkpoint."""
    row = driver_of(connection).execute(_IS_NEWEST).fetchone()
    known = (tree.size, b64encode(tree.subtrees).decode()) if tree.size else None
    return (tuple(row) if row else None) == known


def tree_of(stored: StoredCheckpoint, key: VerifierKey) -> TreeHead | None:
    """Return the head of the tree at a stored checkpoint.

    None if the row differs from what was signed.
    """
    try:
        signed: Checkpoint = open_checkpoint(stored.note, key).checkpoint
        tree = TreeHead(signed.size, b64decode(stored.subtrees))
    except (UntrustedLog, BadInput, ValueError):
        return None
    return tree if (tree.root(), tree.size) == (signed.root, stored.size) else None
