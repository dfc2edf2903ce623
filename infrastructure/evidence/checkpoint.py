"""Checkpoints: the signed size and root of a log's tree (https://c2sp.org/tlog-checkpoint)."""

from base64 import b64encode
from typing import Final, NamedTuple

from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.evidence.merkle_tree import HASH_BYTES, TreeHead
from sabot.infrastructure.evidence.signed_note import (
    OpenedNote,
    SigningKey,
    VerifierKey,
    decode_base64,
    open_note,
)

_LINES: Final = 3
_MAX_SIZE: Final = 2**63 - 1


class Checkpoint(NamedTuple):
    """The content of a checkpoint.

    Attributes:
        origin: the log's name.
        size: the number of events; the last one has this index.
        root: the hash of the tree over their lines.
    """

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Read the text of a checkpoint. Lines after the third are extensions and are ignored.

        Raises:
            UntrustedLog: the text is not a checkpoint.
        """
        lines = text.split("\n")
        if len(lines) <= _LINES or not lines[0] or "" in lines[:-1]:
            raise UntrustedLog("it is not a checkpoint: origin, size and root are expected")
        origin, size, root = lines[:_LINES]
        digest = decode_base64(root)
        if digest is None or len(digest) != HASH_BYTES:
            raise UntrustedLog("the root of the checkpoint is not 32 bytes in base64")
        if not size.isascii() or not size.isdigit() or str(int(size[:20])) != size:
            raise UntrustedLog(f"the size of the checkpoint is not a number: {size[:20]!r}")
        if int(size) > _MAX_SIZE:
            raise UntrustedLog("the checkpoint states more events than a log can have")
        return cls(origin, int(size), digest)


def sign_checkpoint(origin: str, tree: TreeHead, key: SigningKey) -> str:
    """Return a signed checkpoint of a tree."""
    return key.sign(Checkpoint(origin, tree.size, tree.root()).text)


class OpenedCheckpoint(NamedTuple):
    """A checkpoint whose signatures were checked."""

    checkpoint: Checkpoint
    note: OpenedNote


def open_checkpoint(
    note: str | bytes, key: VerifierKey, *, witnesses: tuple[VerifierKey, ...] = ()
) -> OpenedCheckpoint:
    """Check that a checkpoint is signed by the log's key and belongs to the log of that key.

    Raises:
        UntrustedLog: it is not signed, or belongs to another log.
    """
    opened = open_note(note, (key, *witnesses))
    if key not in opened.signers:
        raise UntrustedLog(f"the checkpoint is not signed by the key of {key.name}")
    checkpoint = Checkpoint.parse(opened.text)
    if checkpoint.origin != key.name:
        raise UntrustedLog(f"the checkpoint is of {checkpoint.origin!r}, not of {key.name!r}")
    return OpenedCheckpoint(checkpoint, opened)
