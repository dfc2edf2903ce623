"""Checkpoints that may be set aside: those that are false, or that nobody signed.

The last checkpoint that this machine signed is one of them if the log does not contain it, as after
the restoring of a backup.
"""

from collections.abc import Iterator

from sabot.domain.values.errors import BadInput, NotFound, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.evidence.checkpoint import open_checkpoint
from sabot.infrastructure.evidence.checkpoint_table import (
    note_sha256,
    set_aside,
    stored_checkpoints,
    stored_keys,
)
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
from sabot.infrastructure.evidence.signed_heads import SignedHeads, own_head, place_of
from sabot.infrastructure.evidence.signing_keys import load_key
from sabot.infrastructure.evidence.stored_events import stored_events


def false_checkpoint(database: Database, origin: str, size: int) -> str:
    """Return the digest of a checkpoint of ``size`` events that is false or unsigned.

    False means that it contradicts the log, unsigned that no key of the log signed it. The
    candidates are the checkpoints stored in the database and the last one that this machine signed.
    The root is computed again from the events.

    Raises:
        NotFound: there is no checkpoint of this size.
        BadInput: the checkpoint matches the log, or was set aside already.
    """
    found = dict(_candidates(database, origin, size))
    if not found:
        raise NotFound(f"there is no checkpoint of {size} events; `sabot verify` lists false ones")
    with database.reading() as connection:
        known = set_aside(connection)
    head = own_head(database, origin)
    own = head.note_sha256 if head is not None and not head.set_aside else None
    left = {
        digest: root
        for digest, root in found.items()
        if digest == own or (size, digest) not in known
    }
    if not left:
        raise BadInput(f"the checkpoint of {size} events is set aside already")
    actual = _root(database, origin, size)
    false = next((digest for digest, root in left.items() if root != actual), None)
    if false is None:
        raise BadInput(f"the checkpoint of {size} events holds, so it is not set aside")
    return false


def set_own_aside(database: Database, origin: str, note_sha256: str) -> None:
    """Set aside the last checkpoint that this machine signed, if that checkpoint has this digest.

    Raises:
        BadInput: the file with it cannot be written.
    """
    key = load_key(origin)
    if key is not None:
        SignedHeads(key.verifier, place_of(database)).set_aside(note_sha256)


def _candidates(database: Database, origin: str, size: int) -> Iterator[tuple[str, bytes | None]]:
    """Yield each checkpoint of this size as its digest and its signed root.

    The root is None if no key of the log signed the checkpoint.
    """
    for stored in stored_checkpoints(database):
        if stored.size == size:
            yield note_sha256(stored.note), _signed_root(database, stored.note, size)
    head = own_head(database, origin)
    if head is not None and head.size == size:
        yield head.note_sha256, head.tree.root()


def _signed_root(database: Database, note: str, size: int) -> bytes | None:
    """Return the root that a key of the log signed for this size, or None."""
    for stored in stored_keys(database):
        try:
            signed = open_checkpoint(note, stored.key).checkpoint
        except (UntrustedLog, BadInput):
            continue
        return signed.root if signed.size == size else None
    return None


def _root(database: Database, origin: str, size: int) -> bytes:
    tree = TreeHead()
    for rows in stored_events(database, until=size):
        tree.append([leaf_hash(event_line(row, origin)) for row in rows])
    return tree.root()
