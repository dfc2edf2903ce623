"""Verify an evidence bundle: the events of one shoe, each with its proof, in a zip file."""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.evidence.checkpoint import Checkpoint, open_checkpoint
from sabot.infrastructure.evidence.event_line import MAX_LINE_BYTES, hashed_line
from sabot.infrastructure.evidence.event_proof import EventProof
from sabot.infrastructure.evidence.merkle_tree import check_inclusion, inclusion_proof, leaf_hash
from sabot.infrastructure.evidence.publishing import Published
from sabot.infrastructure.evidence.signed_note import VerifierKey, open_note
from sabot.infrastructure.evidence.tiles import CHECKPOINT_FILE, KEY_FILE, TileFolder
from sabot.infrastructure.evidence.verification_result import Problem, Verification

EVENTS_FILE: Final = "events.jsonl"
PACK_FILE: Final = "rule-pack.toml"
AUDIT_FILE: Final = "audit.json"
PAGE_FILE: Final = "findings.html"
README_FILE: Final = "README.txt"
LIST_FILE: Final = "signed-list"
"""The digests of all other files but proofs, signed: a bundle that was cut does not fit it."""
LIST_FORMAT: Final = "sabot-bundle-1"
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


def list_text(origin: str, members: Mapping[str, bytes]) -> str:
    """Return the text of a bundle's list: format, origin, and digest and name of each file."""
    lines = [f"{sha256(data).hexdigest()} {name}" for name, data in sorted(members.items())]
    return "\n".join((LIST_FORMAT, origin, *lines)) + "\n"


def is_bundle(place: Path) -> bool:
    """Return whether a file is a zip file."""
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP


def has_events(place: Path) -> bool:
    """Return whether a file is a zip file that has the events of a bundle."""
    try:
        if not is_bundle(place):
            return False
        with zipfile.ZipFile(place) as bundle:
            return EVENTS_FILE in bundle.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


class _Place(Struct):
    """The keys of a proven line that say which event it is."""

    index: int
    origin: str
    stream: str
    version: int


class _PublishedTree:
    """Compares proven lines with a published directory.

    Attributes:
        size: the number of events of its checkpoint.
        later: how many of the lines are of later events, and so were not compared.
    """

    def __init__(self, published: Published, folder: Path) -> None:
        self.size = published.checkpoint.size
        self.later = 0
        self._root = published.checkpoint.root
        self._tiles = TileFolder(folder, self.size)

    def check(self, line: bytes, index: int) -> Problem | None:
        """Return a problem if the published checkpoint covers the event and has another one."""
        if index > self.size:
            self.later += 1
            return None
        try:
            proof = inclusion_proof(self._tiles.node, index - 1, self.size)
            check_inclusion(proof, index - 1, self.size, leaf_hash(line), self._root)
        except UntrustedLog:
            return Problem(f"event {index} differs from the published event", index)
        return None


def verify_bundle(
    place: Path,
    key: VerifierKey | None = None,
    published: tuple[Published, Path] | None = None,
) -> Verification:
    """Verify a bundle without the log.

    Each line is hashed and compared with its proof before it is read.

    Args:
        place: the zip file.
        key: the public key that must have signed. None means the one in the bundle.
        published: a published directory, which must have the same events.

    Raises:
        BadInput: the file is not a bundle.
        UntrustedLog: the checkpoint is not signed by the key.
    """
    tree = _PublishedTree(*published) if published else None
    try:
        with zipfile.ZipFile(place) as bundle:
            return _verify(bundle, key, tree)
    except _UNREADABLE as error:
        raise BadInput(f"{place} is not an evidence bundle: {error}") from error


def _verify(
    bundle: zipfile.ZipFile, key: VerifierKey | None, published: _PublishedTree | None
) -> Verification:
    names = _member_names(bundle)
    stated = VerifierKey.parse(_text(bundle, KEY_FILE))
    by = key or stated
    note = _text(bundle, CHECKPOINT_FILE)
    checkpoint = open_checkpoint(note, by).checkpoint
    result = Verification(checkpoint.origin, str(by), checkpoints=1)
    _check_list(bundle, names, by, result)
    proofs = {int(found[1]) for name in names if (found := _PROOF.fullmatch(name))}
    last: _Place | None = None
    with bundle.open(EVENTS_FILE) as lines:
        while line := lines.readline(MAX_LINE_BYTES + 1).removesuffix(b"\n"):
            result.events += 1
            proven = _proven(bundle, line, (note, checkpoint), result)
            if proven is None:
                continue
            proofs.discard(proven.index)
            result.covered += 1
            _check_next(last, proven, result)
            if published and (problem := published.check(hashed_line(line), proven.index)):
                result.found(problem)
            last = proven
    if proofs:
        result.found(Problem(f"the bundle has proofs of {len(proofs)} events that are not in it"))
    if not result.events:
        result.found(Problem("the bundle has no event"))
    result.remarks += _limits_of(last, has_key=key is not None)
    if published and published.later:
        result.remarks.append(
            f"{published.later} of the events are later than the published checkpoint of "
            f"{published.size} events, and were not compared with it"
        )
    return result


def _check_next(last: _Place | None, proven: _Place, result: Verification) -> None:
    """Report an event that does not follow the one before in the stream."""
    due = last.version + 1 if last else 1
    if proven.version != due or (last and proven.stream != last.stream):
        result.found(
            Problem(
                f"line {result.events} is version {proven.version} of {proven.stream}, "
                f"and version {due} is due: events were removed from the bundle",
                proven.index,
            )
        )


def _check_list(
    bundle: zipfile.ZipFile, names: list[str], key: VerifierKey, result: Verification
) -> None:
    """Report files that differ from the signed list."""
    if LIST_FILE not in names:
        result.found(Problem(f"the bundle has no {LIST_FILE}, so events may have been removed"))
        return
    signed = open_note(_text(bundle, LIST_FILE), (key,))
    if key not in signed.signers:
        raise UntrustedLog(f"the {LIST_FILE} of the bundle is not signed by the log's key")
    listed = [name for name in names if name != LIST_FILE and not _PROOF.fullmatch(name)]
    actual = list_text(key.name, {name: bundle.read(name) for name in listed})
    if actual != signed.text:
        stated = set(signed.text.split("\n"))
        differs = sorted(set(actual.split("\n")) ^ stated)
        named = sorted({line.partition(" ")[2] for line in differs} - {""})
        result.found(
            Problem(
                f"{', '.join(named[:10])}: changed, added or removed after the bundle was signed"
            )
        )


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
        yield (
            f"the bundle has {last.stream} up to version {last.version}, as it was when the holder "
            "of the key made it; later events cannot be seen"
        )
    yield (
        f"{PACK_FILE}, {AUDIT_FILE} and {PAGE_FILE} are as the holder of the key signed them, and "
        "were not computed again; `sabot import` of the events with `sabot audit` gives the audit"
    )
    if not has_key:
        yield (
            "the public key comes from the bundle itself; use --key to name the key that the "
            "casino handed to you"
        )


def _proven(
    bundle: zipfile.ZipFile,
    line: bytes,
    signed: tuple[str, Checkpoint],
    result: Verification,
) -> _Place | None:
    """Return which event a line is, after checking its proof. Report a line that is not proven.

    ``signed`` is the bundle's checkpoint, as its signed note and as it was read from it.
    """
    note, checkpoint = signed
    number = result.events
    # the index is read before the line is proven, to find its proof; the proof then decides
    try:
        place = msgspec.json.decode(line, type=_Place)
        proof = EventProof.parse(_text(bundle, proof_file(place.index)))
        if proof.number == place.index - 1 and proof.checkpoint == note:
            proof.check_in(checkpoint, hashed_line(line))
            return place
    except (msgspec.MsgspecError, UntrustedLog, KeyError) as error:
        result.found(Problem(f"line {number} differs from what was signed: {error}"))
        return None
    result.found(
        Problem(f"line {number} has the proof of another event or checkpoint", place.index)
    )
    return None


def _text(bundle: zipfile.ZipFile, name: str) -> str:
    if bundle.getinfo(name).file_size > _MAX_TEXT:
        raise UntrustedLog(f"{name} is longer than {_MAX_TEXT} bytes")
    try:
        return bundle.read(name).decode()
    except UnicodeDecodeError as error:
        raise UntrustedLog(f"{name} is not UTF-8 text") from error
