"""Checkpoints that may be set aside: those that are false, or that nobody signed."""

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
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.stored_events import stored_events


def false_checkpoint(database: Database, origin: str, size: int) -> str:
    """Return the digest of a stored checkpoint that is false, or that no key of the log signed.

    Reads the events that it covers.

    Raises:
        NotFound: there is no checkpoint of this size.
        BadInput: it holds, or it was set aside already.
    """
    note = next((each.note for each in stored_checkpoints(database) if each.size == size), None)
    if note is None:
        raise NotFound(f"there is no checkpoint of {size} events; `sabot verify` lists false ones")
    digest = note_sha256(note)
    with database.reading() as connection:
        known = set_aside(connection)
    if (size, digest) in known:
        raise BadInput(f"the checkpoint of {size} events is set aside already")
    if _signed_root(database, note, size) == _root(database, origin, size):
        raise BadInput(f"the checkpoint of {size} events holds, so it is not set aside")
    return digest


def _signed_root(database: Database, note: str, size: int) -> bytes | None:
    """Return the root that a key of the log signed for this size, or None."""
    for stored in stored_keys(database):
        try:
            signed = open_checkpoint(note, VerifierKey.parse(stored.verifier_key)).checkpoint
        except (UntrustedLog, BadInput):
            continue
        return signed.root if signed.size == size else None
    return None


def _root(database: Database, origin: str, size: int) -> bytes:
    tree = TreeHead()
    for rows in stored_events(database, until=size):
        tree.append([leaf_hash(event_line(row, origin)) for row in rows])
    return tree.root()
