"""Ask a witness to cosign a checkpoint, and check cosignatures.

A witness keeps the newest checkpoint that it has seen of a log, and cosigns a newer one only if
that continues it. So a log whose checkpoints need a witness cannot show different trees to
different people. Source: https://c2sp.org/tlog-witness and https://c2sp.org/tlog-cosignature.
"""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sabot.domain.values.errors import BadInput, Unavailable, UntrustedLog
from sabot.infrastructure.evidence.checkpoint import open_checkpoint
from sabot.infrastructure.evidence.http_post import Answer, post
from sabot.infrastructure.evidence.merkle_tree import consistency_proof
from sabot.infrastructure.evidence.publishing import read_published
from sabot.infrastructure.evidence.signed_note import COSIGNATURE, VerifierKey, split_note
from sabot.infrastructure.evidence.tiles import CHECKPOINT_FILE, TileFolder
from sabot.infrastructure.files.whole_file import write_whole

_ATTEMPTS: Final = 3
_OK: Final = 200
_CONFLICT: Final = 409
_SIZE_KIND: Final = "text/x.tlog.size"
_REFUSED: Final = {
    400: "finds no valid request",
    403: "does not know the key of the log",
    404: "does not know the log",
    422: "does not accept the proof that the log continues what it has cosigned",
}


def parse_witness(text: str) -> VerifierKey:
    """Read the public key of a witness.

    Raises:
        BadInput: the text is not a key for cosignatures.
    """
    key = VerifierKey.parse(text)
    if key.kind != COSIGNATURE:
        raise BadInput(f"{text[:60]!r} is not a witness's key: those have the type {COSIGNATURE}")
    return key


def request_cosignature(folder: Path, url: str, witness: VerifierKey) -> int:
    """Have a witness cosign a published checkpoint. Add the cosignature to it.

    Args:
        folder: the published directory.
        url: the witness's submission prefix.
        witness: its public key.

    Returns:
        the time of the cosignature, in seconds since 1970 (UTC).

    Raises:
        BadInput: the witness refuses.
        Unavailable: the witness does not answer.
        UntrustedLog: the witness has cosigned a different history, or its answer is not valid.
    """
    key, note, checkpoint = read_published(folder)
    tiles = TileFolder(folder, checkpoint.size)
    old = 0
    for _ in range(_ATTEMPTS):
        proof = consistency_proof(tiles.node, old, checkpoint.size) if old else []
        lines = [f"old {old}", *(b64encode(digest).decode() for digest in proof), "", note]
        answer = post(f"{url.rstrip('/')}/add-checkpoint", "\n".join(lines).encode(), "text/plain")
        if answer.status == _OK:
            return _keep(folder, note, answer, key, witness)
        if answer.status != _CONFLICT:
            break
        seen = _size_in(answer)
        if seen is None or seen > checkpoint.size or seen == old:
            raise UntrustedLog(
                f"{witness.name} has cosigned another history of {checkpoint.origin}"
                f"{'' if seen is None else f', of {seen} events'}; here are {checkpoint.size}. "
                "Keep both, and compare them with `sabot verify`"
            )
        old = seen
    why = _REFUSED.get(answer.status, f"answers with status {answer.status}")
    raise (BadInput if answer.status in _REFUSED else Unavailable)(f"{witness.name} {why}")


def _size_in(answer: Answer) -> int | None:
    """Return the size of the tree that a witness last cosigned, from its answer, or None."""
    text = answer.body.decode("ascii", "replace").removesuffix("\n")
    digits = text.isascii() and text.isdigit() and len(text) < 20  # noqa: PLR2004 - 64 bits
    return int(text) if answer.kind == _SIZE_KIND and digits else None


def _keep(folder: Path, note: str, answer: Answer, key: VerifierKey, witness: VerifierKey) -> int:
    """Add the witness's cosignature to the checkpoint after checking it."""
    whole = note.encode() + answer.body
    opened = open_checkpoint(whole, key, witnesses=(witness,))
    if witness not in opened.note.signers:
        raise UntrustedLog(f"the answer of {witness.name} has no cosignature by its key")
    text, _ = split_note(note)
    lines = dict.fromkeys(whole.decode().removeprefix(f"{text}\n").splitlines(keepends=True))
    others = [line for line in lines if line in note or _is_by(line, witness)]
    write_whole(folder / CHECKPOINT_FILE, f"{text}\n{''.join(others)}".encode())
    return opened.note.times[witness.name]


def _is_by(line: str, witness: VerifierKey) -> bool:
    _, ((name, key_id, _),) = split_note(f"x\n\n{line}")
    return (name, key_id) == (witness.name, witness.key_id)


def check_cosigned(
    note: str, key: VerifierKey, witnesses: Sequence[VerifierKey], *, quorum: int
) -> dict[str, int]:
    """Check that enough witnesses have cosigned a checkpoint.

    Returns:
        when each of them cosigned, in seconds since 1970 (UTC), by name.

    Raises:
        UntrustedLog: too few witnesses have cosigned, or a cosignature is not valid.
    """
    times = open_checkpoint(note, key, witnesses=tuple(witnesses)).note.times
    if len(times) < quorum:
        missing = ", ".join(each.name for each in witnesses if each.name not in times)
        raise UntrustedLog(
            f"{len(times)} of {len(witnesses)} witnesses have cosigned the checkpoint, and "
            f"{quorum} are needed; missing: {missing}"
        )
    return times
