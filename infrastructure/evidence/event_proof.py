"""The proof that one event is in a log, as a file (https://c2sp.org/tlog-proof).

It holds the event's number from 0, the hashes from its line to the root, and the signed checkpoint.
"""

from base64 import b64encode
from typing import Final, NamedTuple

from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.evidence.checkpoint import Checkpoint, open_checkpoint
from sabot.infrastructure.evidence.merkle_tree import HASH_BYTES, check_inclusion, leaf_hash
from sabot.infrastructure.evidence.signed_note import VerifierKey, decode_base64

FORMAT: Final = "c2sp.org/tlog-proof@v1"
_MAX_HASHES: Final = 63


class EventProof(NamedTuple):
    """A proof that an event is in a log.

    Attributes:
        number: the event's index less one.
        hashes: the hashes from the event's line to the root.
        checkpoint: the signed note.
    """

    number: int
    hashes: tuple[bytes, ...]
    checkpoint: str

    def __str__(self) -> str:
        """Return the file's text."""
        hashes = "".join(f"{b64encode(digest).decode()}\n" for digest in self.hashes)
        return f"{FORMAT}\nindex {self.number}\n{hashes}\n{self.checkpoint}"

    @classmethod
    def parse(cls, text: str) -> "EventProof":
        """Parse the text of a proof file.

        Raises:
            UntrustedLog: the text is not a proof.
        """
        head, _, checkpoint = text.partition("\n\n")
        lines = head.split("\n")
        if lines[0] != FORMAT or not 1 < len(lines) <= _MAX_HASHES + 2:
            raise UntrustedLog(f"it is not a proof: {FORMAT} is expected in the first line")
        number = lines[1].removeprefix("index ")
        if not number.isascii() or not number.isdigit() or str(int(number[:20])) != number:
            raise UntrustedLog("the second line of a proof is the index of its event")
        hashes = tuple(decode_base64(line) or b"" for line in lines[2:])
        if any(len(digest) != HASH_BYTES for digest in hashes):
            raise UntrustedLog("a hash of the proof is not 32 bytes in base64")
        return cls(int(number), hashes, checkpoint)

    def check(self, line: bytes, key: VerifierKey) -> Checkpoint:
        """Check that a line is the event of this proof, and return the checkpoint.

        Raises:
            UntrustedLog: the line is not the event, or the checkpoint is not signed by the key.
        """
        checkpoint = open_checkpoint(self.checkpoint, key).checkpoint
        self.check_in(checkpoint, line)
        return checkpoint

    def check_in(self, checkpoint: Checkpoint, line: bytes) -> None:
        """Check that a line is the event of this proof in the log of a checkpoint.

        Raises:
            UntrustedLog: the line is not the event.
        """
        check_inclusion(self.hashes, self.number, checkpoint.size, leaf_hash(line), checkpoint.root)
