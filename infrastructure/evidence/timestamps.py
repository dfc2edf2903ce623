"""Time stamps of checkpoints by an authority (RFC 3161).

A token is a signed statement of a time-stamping authority that a checkpoint existed at a time. It
is kept in a published directory: ``timestamps/SIZE.checkpoint`` has the bytes that were stamped,
and ``timestamps/SIZE.tsr`` the authority's answer. `openssl ts -verify` can check both.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple

from sabot.domain.values.errors import BadInput, Unavailable, UntrustedLog
from sabot.infrastructure.evidence.checkpoint import Checkpoint, open_checkpoint
from sabot.infrastructure.evidence.http_post import post
from sabot.infrastructure.evidence.publishing import read_published, read_small
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.files.text_input import open_file
from sabot.infrastructure.files.whole_file import write_whole

if TYPE_CHECKING:
    from cryptography import x509

TIMESTAMPS: Final = "timestamps"
_TOKEN: Final = re.compile(r"([1-9][0-9]{0,18})\.tsr")
_MAX_TOKEN: Final = 100_000
_OK: Final = 200


class Stamped(NamedTuple):
    """A checkpoint with the time given by an authority."""

    checkpoint: Checkpoint
    note: str
    at: datetime


def _library() -> ModuleType:
    try:
        return import_module("rfc3161_client")  # an extra
    except ImportError as error:
        raise BadInput(
            "time stamps need the package rfc3161-client: pip install rfc3161-client"
        ) from error


def read_certificates(place: Path) -> "list[x509.Certificate]":
    """Read the certificates of an authority from a PEM file.

    Raises:
        NotFound: there is no such file.
        BadInput: the file has no certificate.
    """
    from cryptography import x509  # noqa: PLC0415 - slow to import

    try:
        return x509.load_pem_x509_certificates(read_small(place).encode())
    except ValueError as error:
        raise BadInput(f"{place} has no certificate in PEM form") from error


def request_timestamp(folder: Path, url: str, roots: "Sequence[x509.Certificate]") -> Stamped:
    """Get a time stamp for the checkpoint of a published directory, and store it there.

    Args:
        folder: the published directory.
        url: the authority's address.
        roots: the certificates with which the token is checked before it is stored.

    Raises:
        Unavailable: the authority does not answer, or gives no token.
        UntrustedLog: the token is not valid.
    """
    library = _library()
    key, note, checkpoint = read_published(folder)
    request = (
        library.TimestampRequestBuilder()
        .data(note.encode())
        .hash_algorithm(library.HashAlgorithm.SHA256)
        .cert_request(cert_request=True)
        .build()
    )
    answer = post(url, request.as_bytes(), "application/timestamp-query")
    if answer.status != _OK:
        raise Unavailable(f"{url} grants no time stamp: status {answer.status}")
    stamped = _checked(answer.body, note, key, roots, nonce=request.nonce)
    at = folder / TIMESTAMPS
    write_whole(at / f"{checkpoint.size}.checkpoint", note.encode())
    write_whole(at / f"{checkpoint.size}.tsr", answer.body)
    return stamped


def timestamps_in(
    folder: Path, key: VerifierKey, roots: "Sequence[x509.Certificate]"
) -> Iterator[Stamped]:
    """Yield the stamped checkpoints of a published directory, by size.

    Raises:
        UntrustedLog: a token is not valid, or its checkpoint is not signed by the key.
    """
    for size in timestamp_sizes(folder):
        at = folder / TIMESTAMPS
        with open_file(str(at / f"{size}.tsr")) as file:
            token = file.read(_MAX_TOKEN)
        stamped = _checked(token, read_small(at / f"{size}.checkpoint"), key, roots)
        if stamped.checkpoint.size != size:
            raise UntrustedLog(
                f"{TIMESTAMPS}/{size}.checkpoint is of {stamped.checkpoint.size} events"
            )
        yield stamped


def timestamp_sizes(folder: Path) -> list[int]:
    """Return the sizes of the checkpoints of a published directory that have a token."""
    names = [place.name for place in (folder / TIMESTAMPS).glob("*.tsr")]
    return sorted(int(found[1]) for name in names if (found := _TOKEN.fullmatch(name)))


def _checked(
    token: bytes,
    note: str,
    key: VerifierKey,
    roots: "Sequence[x509.Certificate]",
    *,
    nonce: int | None = None,
) -> Stamped:
    """Check a token and return the checkpoint that it stamps.

    Raises:
        UntrustedLog: the token is not from the authority, or is for another checkpoint or request.
    """
    library = _library()
    checkpoint = open_checkpoint(note, key).checkpoint
    builder = library.VerifierBuilder()
    for root in roots:
        own = root.issuer == root.subject
        add = builder.add_root_certificate if own else builder.add_intermediate_certificate
        builder = add(root)
    if nonce is not None:
        builder = builder.nonce(nonce)
    try:
        response = library.decode_timestamp_response(token)
        if response.status != library.PKIStatus.GRANTED:
            raise UntrustedLog("the authority granted no time stamp")
        builder.build().verify_message(response, note.encode())
        at = response.tst_info.gen_time
    except (library.VerificationError, ValueError) as error:
        raise UntrustedLog(
            f"the time stamp of the checkpoint of {checkpoint.size} events does not hold: {error}"
        ) from error
    return Stamped(checkpoint, note, at)
