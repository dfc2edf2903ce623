"""The last checkpoint that this machine signed of a log, in a file beside the signing key.

A person who can write in the database cannot change this file. So a machine with the key notices if
an old copy was put in the place of the log, or if signed events were changed, and does not sign the
log.

Each key has one file for each place (path or server) from which this machine signs the log. So a
copy of a log has a file of its own, and does not hinder the log itself.

The file is written after the checkpoint is committed, so it never names a checkpoint that a crash
took. Only a person on this machine can set it aside, so an entry in the database does not make the
machine sign an old copy. After a power cut the file may be older by what the system had not yet
written to the disk, up to half a minute. It has two slots with a digest each, which are written
alternately, so one is always valid.
"""

import fcntl
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.evidence.merkle_tree import TreeHead
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.signing_keys import key_file, load_key

_SLOT: Final = 4096
_MOST_OF_PLACE: Final = 400
_DIGEST: Final = 64


class SignedHead(Struct, frozen=True):
    """A checkpoint that this machine signed.

    Attributes:
        number: counts how often the file was written.
        size: the number of events.
        subtrees: base64 of the hashes from which the tree grows on.
        note_sha256: the digest of the signed checkpoint.
        place: the log's file or server.
        set_aside: whether a person on this machine set it aside.
    """

    number: int
    size: int
    subtrees: str
    note_sha256: str
    place: str
    set_aside: bool = False

    @property
    def tree(self) -> TreeHead:
        """The head of the tree at the checkpoint."""
        return TreeHead(self.size, b64decode(self.subtrees))


def own_head(database: Database, origin: str) -> SignedHead | None:
    """Return the last checkpoint of a log signed on this machine. None if there is none.

    Raises:
        BadInput: the machine's signing key, or the file beside it, cannot be read.
    """
    key = load_key(origin)
    try:
        return SignedHeads(key.verifier, place_of(database)).last() if key else None
    except UntrustedLog as error:
        raise BadInput(str(error)) from error


def other_log_signed_here(database: Database, origin: str) -> tuple[str, int] | None:
    """Return the key's file and the size of another log that this machine signed at this place.

    It is the one that was signed last. None if there is none.
    """
    place, own = place_of(database)[:_MOST_OF_PLACE], key_file(origin).stem
    found: list[tuple[float, str, int]] = []
    for file in key_file(origin).parent.glob("*.head"):
        key = file.stem.rpartition("-")[0]
        try:
            head = newest_head(file.read_bytes(), file)
            changed = file.stat().st_mtime
        except (OSError, UntrustedLog):
            continue
        if head is not None and head.place == place and key != own:
            found.append((changed, f"{key}.key", head.size))
    return max(found)[1:] if found else None


def place_of(database: Database) -> str:
    """Return the file or server of a log, without user and password."""
    if database.is_sqlite:
        return str(Path(str(database.url.database)).absolute())
    return re.sub(r"//[^/@]*@", "//", str(database))


class SignedHeads:
    """Reads and writes the last checkpoint that this machine signed of a log at one place.

    Attributes:
        file: the file.
        problem: the reason why the file cannot be written, or empty.
    """

    def __init__(self, key: VerifierKey, place: str) -> None:
        stem = key_file(key.name).with_suffix("")
        digest = sha256(f"{key}\n{place}".encode()).hexdigest()
        self.file = stem.with_name(f"{stem.name}-{digest[:16]}.head")
        self.problem = ""
        self._place = place
        self._read: tuple[bytes, SignedHead | None] = (b"", None)

    def last(self) -> SignedHead | None:
        """Return the last checkpoint that was signed. None if none was signed at this place.

        Raises:
            UntrustedLog: the file cannot be read, or is damaged.
        """
        try:
            descriptor = os.open(self.file, os.O_RDONLY)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UntrustedLog(f"{self.file} cannot be read: {error.strerror}") from error
        try:
            return self._content(descriptor)
        finally:
            os.close(descriptor)

    def keep(self, tree: TreeHead, note: str) -> None:
        """Keep a checkpoint that was signed and stored, unless a larger one is kept.

        One that was set aside is replaced. If the file cannot be written, `problem` says why.

        Args:
            tree: the head of the tree.
            note: the signed checkpoint.
        """
        try:
            with self._locked() as descriptor:
                kept = self._content(descriptor)
                if kept and kept.size >= tree.size and not kept.set_aside:
                    return
                number = kept.number + 1 if kept else 0
                subtrees = b64encode(tree.subtrees).decode()
                digest = sha256(note.encode()).hexdigest()
                head = SignedHead(number, tree.size, subtrees, digest, self._place[:_MOST_OF_PLACE])
                self._write(descriptor, head)
                if kept is None:
                    os.fsync(descriptor)
        except OSError as error:
            self.problem = f"{self.file} cannot be written: {error.strerror}"
        except UntrustedLog as error:
            self.problem = str(error)

    def set_aside(self, note_sha256: str) -> None:
        """Mark the stored checkpoint as set aside, if its digest is the given one.

        Raises:
            BadInput: the file cannot be written.
        """
        try:
            with self._locked(create=False) as descriptor:
                kept = self._content(descriptor)
                if kept is not None and kept.note_sha256 == note_sha256:
                    self._write(descriptor, replace(kept, number=kept.number + 1, set_aside=True))
                    os.fsync(descriptor)
        except FileNotFoundError:
            return
        except OSError as error:
            raise BadInput(f"{self.file} cannot be written: {error.strerror}") from error

    def _write(self, descriptor: int, head: SignedHead) -> None:
        at = head.number % 2 * _SLOT
        os.pwrite(descriptor, slot := _slot(head), at)
        data = self._read[0].ljust(at)
        self._read = (data[:at] + slot + data[at + _SLOT :], head)

    def sync(self) -> None:
        """Bring the file to the disk."""
        try:
            with self._locked(create=False) as descriptor:
                os.fsync(descriptor)
        except OSError:
            return  # there is no file, or the system writes it later

    @contextmanager
    def _locked(self, *, create: bool = True) -> Iterator[int]:
        flags = os.O_RDWR | (os.O_CREAT if create else 0)
        descriptor = os.open(self.file, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def _content(self, descriptor: int) -> SignedHead | None:
        """Return what a file says. None if it is new."""
        data = os.pread(descriptor, 2 * _SLOT, 0)
        if data != self._read[0]:
            self._read = (data, newest_head(data, self.file))
        return self._read[1]


def _slot(head: SignedHead) -> bytes:
    text = msgspec.json.encode(head)
    return (sha256(text).hexdigest().encode() + b" " + text).ljust(_SLOT - 1) + b"\n"


def newest_head(data: bytes, file: Path) -> SignedHead | None:
    """Return the newer of a file's whole slots. None if nothing was written yet.

    Raises:
        UntrustedLog: neither is whole.
    """
    heads = [head for at in (0, _SLOT) if (head := _head_in(data[at : at + _SLOT])) is not None]
    if not heads and data.strip(b"\0"):
        raise UntrustedLog(
            f"{file}, which holds the last checkpoint that this machine signed, is damaged; verify "
            "the log with a checkpoint from outside, then remove the file"
        )
    return max(heads, key=lambda head: head.number, default=None)


def _head_in(slot: bytes) -> SignedHead | None:
    text = slot[_DIGEST + 1 :].rstrip()
    if sha256(text).hexdigest().encode() != slot[:_DIGEST]:
        return None
    try:
        head = msgspec.json.decode(text, type=SignedHead)
        _ = head.tree
    except (msgspec.MsgspecError, BadInput, ValueError):
        return None
    return head
