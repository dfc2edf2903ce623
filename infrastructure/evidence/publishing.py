"""Publish a log's tree: tiles, the newest checkpoint and the public key, in a directory.

The directory belongs on storage that is not under the casino's control. Published files do not
change: tiles are added, and the checkpoint is replaced by a newer one. A log that does not continue
what was published is refused.
"""

from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from sabot.domain.events import MAX_INT
from sabot.domain.values.errors import BadInput, NotFound, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.evidence.checkpoint import Checkpoint, open_checkpoint
from sabot.infrastructure.evidence.checkpoint_table import newest_signed, stored_keys
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.evidence.event_proof import EventProof
from sabot.infrastructure.evidence.merkle_tree import (
    HASH_BYTES,
    TreeHead,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
)
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.signing_keys import key_file
from sabot.infrastructure.evidence.stored_events import stored_events
from sabot.infrastructure.evidence.tiles import (
    CHECKPOINT_FILE,
    KEY_FILE,
    TileFolder,
    TileWriter,
)
from sabot.infrastructure.files.whole_file import private_folder, write_whole

_MAX_SMALL_FILE: Final = 1_000_000
_CHANGED: Final = (
    "the log's events do not give the root of its checkpoint: they were changed; run `sabot verify`"
)


class Published(NamedTuple):
    """The content of a published directory.

    Attributes:
        key: the log's public key in the directory.
        note: the signed checkpoint.
        checkpoint: the content of the checkpoint.
    """

    key: VerifierKey
    note: str
    checkpoint: Checkpoint


def read_published(folder: Path, key: VerifierKey | None = None) -> Published:
    """Read the checkpoint of a published directory.

    Args:
        folder: the directory.
        key: the key that must have signed; None means the one in the directory.

    Raises:
        NotFound: there is no such directory, or it has no checkpoint.
        UntrustedLog: the checkpoint is not signed by the key.
    """
    if not folder.is_dir():
        raise NotFound(
            f"there is no directory {str(folder)!r}; give one that `sabot evidence publish` wrote"
        )
    if not (folder / CHECKPOINT_FILE).is_file():
        raise NotFound(
            f"{folder} is not a published directory, it has no file {CHECKPOINT_FILE!r}; give one "
            "that `sabot evidence publish` wrote"
        )
    key = key or read_key(folder / KEY_FILE)
    note = read_small(folder / CHECKPOINT_FILE)
    return Published(key, note, open_checkpoint(note, key).checkpoint)


def read_key(place: Path) -> VerifierKey:
    """Read a public key from a file.

    Raises:
        NotFound: there is no such file.
        BadInput: the file does not contain a public key.
    """
    return VerifierKey.parse(read_small(place))


def parse_key(text: str | None) -> VerifierKey | None:
    """Return the public key that a user gave: the key itself, or a file with it.

    Raises:
        NotFound: there is no such file.
        BadInput: it is not a public key.
    """
    if text is None:
        return None
    return VerifierKey.parse(text) if "+" in text else read_key(Path(text))


def read_small(place: Path) -> str:
    """Read a file of at most a megabyte.

    Raises:
        NotFound: there is no such file, or it cannot be read.
        BadInput: the file is longer, or not UTF-8.
    """
    if not place.is_file():
        raise NotFound(f"there is no file {place}; check the path")
    try:
        with place.open("rb") as file:
            data = file.read(_MAX_SMALL_FILE + 1)
        text = data.decode()
    except OSError as error:
        raise NotFound(f"{place} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{place} is not UTF-8 text") from error
    if len(data) > _MAX_SMALL_FILE:
        raise BadInput(f"{place} is longer than {_MAX_SMALL_FILE} bytes")
    return text


def publish(database: Database, folder: Path, *, entries: bool = False) -> Published:
    """Bring a published directory up to the newest checkpoint of a log.

    Cost: it reads the events since the checkpoint in the directory.

    Args:
        database: the database of the log.
        folder: the directory; it is created if needed.
        entries: publish the events too, not only their hashes.

    Raises:
        NotFound: the log has no checkpoint.
        UntrustedLog: the log does not continue what was published. In that case the checkpoint is
            not changed.
    """
    key, note, checkpoint = newest_of(database)
    old = 0
    if (folder / CHECKPOINT_FILE).exists():
        published = read_published(folder)
        if published.key != key:
            raise UntrustedLog(
                f"{folder} publishes the log of {published.key}, and this log has the key {key}"
            )
        old = published.checkpoint.size
    tree = TileFolder(folder, old).head()
    if old and tree.root() != published.checkpoint.root:
        raise UntrustedLog(f"the tiles in {folder} do not fit the checkpoint there")
    if checkpoint.size < old:
        raise UntrustedLog(
            f"{folder} has a checkpoint of {old} events, and the newest of the log is of "
            f"{checkpoint.size}: the log was cut or replaced by an old copy"
        )
    writer = TileWriter(folder, old, entries=entries)
    _add_events(database, writer, tree, checkpoint)
    writer.finish()
    write_whole(folder / KEY_FILE, f"{key}\n".encode())
    if old == checkpoint.size:
        return published  # it may have cosignatures
    write_whole(folder / CHECKPOINT_FILE, note.encode())
    return Published(key, note, checkpoint)


def _add_events(
    database: Database, writer: TileWriter, tree: TreeHead, checkpoint: Checkpoint
) -> None:
    for rows in stored_events(database, after=tree.size, until=checkpoint.size):
        lines = [event_line(row, checkpoint.origin) for row in rows]
        leaves = [leaf_hash(line) for line in lines]
        tree.append(leaves)
        for line, leaf in zip(lines, leaves, strict=True):
            writer.add(line, leaf)
    if (tree.size, tree.root()) != (checkpoint.size, checkpoint.root):
        raise UntrustedLog(_CHANGED)


def newest_of(database: Database, *, until: int = MAX_INT) -> Published:
    """Return the newest checkpoint in a log's database that its key signed.

    It covers at most ``until`` events.

    Raises:
        NotFound: there is no such checkpoint.
    """
    keys = stored_keys(database)
    for stored in reversed(keys):
        key = stored.key
        with database.reading() as connection:
            found = newest_signed(connection, key, until=until)
        if found is not None:
            return Published(key, found, open_checkpoint(found, key).checkpoint)
    if keys:
        raise NotFound(
            "the log has a signing key, but no checkpoint that fits: none covers so few events, or "
            "checkpoints were deleted; run `sabot verify`"
        )
    raise NotFound("the log has no checkpoint; `sabot evidence init` begins to sign it")


# -- Proofs -----------------------------------------------------------------------------------


class EventTree(NamedTuple):
    """The complete tree of a log at its newest checkpoint, in memory: 64 bytes per event.

    Attributes:
        note: the signed checkpoint.
        size: the number of events.
        levels: the hashes of complete subtrees, level by level, joined.
    """

    note: str
    size: int
    levels: list[bytearray]

    def node(self, level: int, number: int) -> bytes:
        """Return the hash of a complete subtree."""
        at = number * HASH_BYTES
        return bytes(self.levels[level][at : at + HASH_BYTES])

    def proof(self, index: int) -> EventProof:
        """Return the proof that an event is in the log.

        Raises:
            NotFound: the checkpoint does not cover it.
        """
        if not 1 <= index <= self.size:
            raise NotFound(
                f"no checkpoint covers event {index}: the newest is of {self.size} events; "
                "`sabot evidence checkpoint` writes one"
            )
        hashes = inclusion_proof(self.node, index - 1, self.size)
        return EventProof(index - 1, tuple(hashes), self.note)


def event_tree(database: Database) -> EventTree:
    """Compute the tree of a log from all its events.

    Raises:
        NotFound: the log has no checkpoint.
        UntrustedLog: the root of the tree differs from that of the newest checkpoint.
    """
    _, note, checkpoint = newest_of(database)
    row, levels = bytearray(), []
    for rows in stored_events(database, until=checkpoint.size):
        for event in rows:
            row += leaf_hash(event_line(event, checkpoint.origin))
    while row:
        levels.append(row)
        hashes = [bytes(row[at : at + HASH_BYTES]) for at in range(0, len(row), HASH_BYTES)]
        row = bytearray().join(map(node_hash, hashes[::2], hashes[1::2]))
    tree = EventTree(note, checkpoint.size, levels)
    whole = len(levels[0]) == checkpoint.size * HASH_BYTES if levels else checkpoint.size == 0
    if not whole or root_of(tree.node, checkpoint.size) != checkpoint.root:
        raise UntrustedLog(_CHANGED)
    return tree


class LastPublished(Struct, frozen=True):
    """What this user published last of a log: how many events, their root in hex, and where."""

    events: int
    root: str
    folder: str


def _note_of(origin: str) -> Path:
    return key_file(origin).with_suffix(".published")


def remember_published(published: Published, folder: Path) -> str:
    """Keep what was published last, beside this user's keys. Return a sentence if that failed."""
    checkpoint = published.checkpoint
    place = _note_of(checkpoint.origin)
    last = LastPublished(checkpoint.size, checkpoint.root.hex(), str(folder.absolute()))
    try:
        private_folder(place.parent)
        write_whole(place, msgspec.json.encode(last) + b"\n", mode=0o600)
    except OSError as error:
        return f"{place} cannot be written, so `sabot store info` will not show this: {error}"
    return ""


def last_published(origin: str) -> LastPublished | None:
    """Return what this user published last of a log. Return None if nothing is known."""
    try:
        return msgspec.json.decode(_note_of(origin).read_bytes(), type=LastPublished)
    except (OSError, msgspec.MsgspecError):
        return None
