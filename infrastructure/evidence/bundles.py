"""Verify an evidence bundle: the events of one shoe, each with its proof, in a zip file."""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.evidence.checkpoint import open_checkpoint
from sabot.infrastructure.evidence.event_line import MAX_LINE_BYTES, hashed_line
from sabot.infrastructure.evidence.event_proof import EventProof
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.tiles import CHECKPOINT_FILE, KEY_FILE
from sabot.infrastructure.evidence.verification_result import Problem, Verification

EVENTS_FILE: Final = "events.jsonl"
PACK_FILE: Final = "rule-pack.toml"
AUDIT_FILE: Final = "audit.json"
PAGE_FILE: Final = "findings.html"
README_FILE: Final = "README.txt"
_ZIP: Final = b"PK\3\4"
_UNREADABLE: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, NotImplementedError, OSError,
    RuntimeError, ValueError,
)  # fmt: skip
"""What reading a damaged zip file raises."""

_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MAX_MEMBER: Final = 256 * 1024 * 1024
_MAX_TEXT: Final = 1_000_000
"""The most bytes of a member that is read whole: the key, the checkpoint or a proof."""

_MAX_MEMBERS: Final = 100_000
_PROOF: Final = re.compile(r"proofs/([1-9][0-9]*)\.tlog-proof")


def proof_file(index: int) -> str:
    """Return the name of an event's proof in a bundle."""
    return f"proofs/{index}.tlog-proof"


def is_bundle(place: Path) -> bool:
    """Return whether a file is a zip file."""
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP


class _Place(Struct):
    """The keys of a proven line that say which event it is."""

    index: int
    origin: str
    stream: str
    version: int


def verify_bundle(place: Path, key: VerifierKey | None = None) -> Verification:
    """Verify a bundle without any other data, except the public key if the verifier has it.

    Each line is hashed and compared with its proof before it is read.

    Raises:
        BadInput: the file is not a bundle.
        UntrustedLog: the checkpoint is not signed by the key.
    """
    try:
        with zipfile.ZipFile(place) as bundle:
            return _verify(bundle, key)
    except _UNREADABLE as error:
        raise BadInput(f"{place} is no evidence bundle: {error}") from error


def _verify(bundle: zipfile.ZipFile, key: VerifierKey | None) -> Verification:
    names = _member_names(bundle)
    stated = VerifierKey.parse(_text(bundle, KEY_FILE))
    by = key or stated
    checkpoint = open_checkpoint(_text(bundle, CHECKPOINT_FILE), by).checkpoint
    result = Verification(checkpoint.origin, str(by), checkpoints=1)
    proofs = {int(found[1]) for name in names if (found := _PROOF.fullmatch(name))}
    last: _Place | None = None
    with bundle.open(EVENTS_FILE) as lines:
        while line := lines.readline(MAX_LINE_BYTES + 1).removesuffix(b"\n"):
            result.events += 1
            proven = _proven(bundle, line, result.events, by, result)
            if proven is None:
                continue
            proofs.discard(proven.index)
            result.covered += 1
            due = last.version + 1 if last else 1
            if proven.version != due or (last and proven.stream != last.stream):
                result.found(
                    Problem(
                        f"line {result.events} is version {proven.version} of {proven.stream}, "
                        f"and version {due} is due: events were removed from the bundle",
                        proven.index,
                    )
                )
            last = proven
    if proofs:
        result.found(Problem(f"the bundle has proofs of {len(proofs)} events that are not in it"))
    if not result.events:
        result.found(Problem("the bundle has no event"))
    result.remarks += _limits_of(last, has_key=key is not None)
    return result


def _member_names(bundle: zipfile.ZipFile) -> list[str]:
    """Return the names of the files in a bundle.

    Raises:
        BadInput: there are too many files, they are too large, a name occurs twice, or a file is
            packed in a way that Sabot does not use.
    """
    infos = bundle.infolist()
    names = [info.filename for info in infos]
    if len(names) > _MAX_MEMBERS or len(set(names)) != len(names):
        raise BadInput("the bundle has too many members, or one of them twice")
    if any(info.file_size > _MAX_MEMBER for info in infos):
        raise BadInput(f"a member of the bundle is larger than {_MAX_MEMBER} bytes")
    if any(info.compress_type not in _PACKED for info in infos):
        raise BadInput("a member of the bundle is packed by another method than deflate")
    return names


def _limits_of(last: _Place | None, *, has_key: bool) -> Iterator[str]:
    """Yield sentences on what a bundle cannot prove."""
    if last:
        yield f"events of {last.stream} after version {last.version} cannot be seen in a bundle"
    yield (
        f"{PACK_FILE}, {AUDIT_FILE} and {PAGE_FILE} are for reading and are not signed; the rule "
        "pack stands in the first event, and `sabot import` with `sabot audit` gives the audit"
    )
    if not has_key:
        yield (
            "the public key comes from the bundle itself; give the key that you were given with "
            "--key"
        )


def _proven(
    bundle: zipfile.ZipFile, line: bytes, number: int, key: VerifierKey, result: Verification
) -> _Place | None:
    """Return which event a line is, after checking its proof. Report a line that is not proven."""
    # the index is read before the line is proven, to find its proof; the proof then decides
    try:
        place = msgspec.json.decode(line, type=_Place)
        proof = EventProof.parse(_text(bundle, proof_file(place.index)))
        proof.check(hashed_line(line), key)
    except (msgspec.MsgspecError, UntrustedLog, KeyError) as error:
        result.found(Problem(f"line {number} differs from what was signed: {error}"))
        return None
    if proof.number != place.index - 1:
        result.found(Problem(f"line {number} has the proof of another event", place.index))
        return None
    return place


def _text(bundle: zipfile.ZipFile, name: str) -> str:
    if bundle.getinfo(name).file_size > _MAX_TEXT:
        raise UntrustedLog(f"{name} is longer than {_MAX_TEXT} bytes")
    try:
        return bundle.read(name).decode()
    except UnicodeDecodeError as error:
        raise UntrustedLog(f"{name} is not UTF-8 text") from error
