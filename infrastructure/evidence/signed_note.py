"""Signed notes: short texts with signatures, used for checkpoints and cosignatures.

A note is a text that ends in a newline, an empty line, and one line for each signature: an em dash,
the key's name, and base64 of the key's id (4 bytes) and the signature. Signatures are Ed25519. The
format is https://c2sp.org/signed-note; that of cosignatures is https://c2sp.org/tlog-cosignature.
"""

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from types import ModuleType
from typing import Final, NamedTuple

from sabot.domain.values.errors import BadInput, UntrustedLog

ED25519: Final = 1
COSIGNATURE: Final = 4
_KINDS: Final = {ED25519, COSIGNATURE}
_DASH: Final = "\N{EM DASH} "
_KEY_BYTES: Final = 32
_ID_BYTES: Final = 4
_TIME_BYTES: Final = 8
_SIGNATURE_BYTES: Final = 64
_MAX_NOTE_BYTES: Final = 1_000_000
_MAX_SIGNATURES: Final = 100
_PRIVATE: Final = "PRIVATE+KEY+"
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")


def _ed25519() -> ModuleType:
    from sabot.infrastructure.evidence import ed25519  # noqa: PLC0415 - 25 ms

    return ed25519


class VerifierKey(NamedTuple):
    """The public key that checks a signature.

    Attributes:
        name: the name of the signer. The key of a log has the log's origin as its name.
        kind: 1 for Ed25519, 4 for the cosignature of a witness.
        public: the 32 bytes of the Ed25519 key.
    """

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The first four bytes of the hash of name, kind and key."""
        text = self.name.encode() + b"\n" + bytes((self.kind,)) + self.public
        return sha256(text).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        """Return the key as text without spaces: name, id and key, joined by plus signs."""
        encoded = b64encode(bytes((self.kind,)) + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{encoded}"

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """Read a key from the text that `__str__` writes.

        Raises:
            BadInput: the text is not a public key.
        """
        name, _, rest = text.strip().partition("+")
        key_id, _, encoded = rest.partition("+")
        check_key_name(name)
        raw = decode_base64(encoded)
        if raw is None or len(raw) != 1 + _KEY_BYTES or raw[0] not in _KINDS:
            raise BadInput(f"{text[:60]!r} is not a verifier key: NAME+ID+BASE64 is expected")
        key = cls(name, raw[0], raw[1:])
        if key.key_id.hex() != key_id:
            raise BadInput(f"the verifier key {text[:60]!r} is damaged: its id does not fit it")
        return key


class SigningKey:
    """The private Ed25519 key for one log's checkpoints.

    Attributes:
        verifier: the public key, which verifiers need.
    """

    def __init__(self, name: str, seed: bytes) -> None:
        check_key_name(name)
        self._seed = seed
        self.verifier = VerifierKey(name, ED25519, _ed25519().public_of(seed))

    def __str__(self) -> str:
        """Return the private key as text without spaces. Keep it secret."""
        encoded = b64encode(bytes((ED25519,)) + self._seed).decode()
        return f"{_PRIVATE}{self.verifier.name}+{self.verifier.key_id.hex()}+{encoded}"

    def __repr__(self) -> str:
        """Return the public part only."""
        return f"SigningKey({self.verifier})"

    @classmethod
    def parse(cls, text: str) -> "SigningKey":
        """Read a key from the text that `__str__` writes.

        Raises:
            BadInput: the text is not a signing key.
        """
        body = text.strip()
        name, _, rest = body.removeprefix(_PRIVATE).partition("+")
        key_id, _, encoded = rest.partition("+")
        raw = decode_base64(encoded)
        if not body.startswith(_PRIVATE) or raw is None or len(raw) != 1 + _KEY_BYTES:
            raise BadInput("it is not a signing key: PRIVATE+KEY+NAME+ID+BASE64 is expected")
        key = cls(name, raw[1:])
        if raw[0] != ED25519 or key.verifier.key_id.hex() != key_id:
            raise BadInput("the signing key is damaged: its id does not fit it")
        return key

    def sign(self, text: str) -> str:
        """Return a note of this text with this key's signature.

        Raises:
            BadInput: the text does not have the form of a note.
        """
        if not text.endswith("\n") or _has_control(text):
            raise BadInput("a note is text of lines, each with a newline, without control signs")
        return f"{text}\n{signature_line(self.verifier, self.sign_bytes(text.encode()))}"

    def sign_bytes(self, data: bytes) -> bytes:
        """Return the signature of some bytes."""
        signature: bytes = _ed25519().sign(self._seed, data)
        return signature


def signature_line(key: VerifierKey, signature: bytes) -> str:
    """Return the line of a signature."""
    return f"{_DASH}{key.name} {b64encode(key.key_id + signature).decode()}\n"


def check_key_name(name: str) -> None:
    """Check the name of a key.

    Raises:
        BadInput: the name is empty, or has a space or a plus sign.
    """
    if not name or "+" in name or not _is_utf8(name) or any(sign.isspace() for sign in name):
        raise BadInput(f"{name[:60]!r} cannot name a key: it needs text without spaces and plus")


class OpenedNote(NamedTuple):
    """A note whose signatures were checked.

    Attributes:
        text: the text that was signed, with its last newline.
        signers: the keys whose signatures are valid, each once.
        unchecked: names of signers whose key is not known here.
        times: when each witness cosigned, in seconds since 1970 (UTC), by name.
    """

    text: str
    signers: tuple[VerifierKey, ...]
    unchecked: tuple[str, ...]
    times: dict[str, int]


def open_note(note: str | bytes, keys: Iterable[VerifierKey]) -> OpenedNote:
    """Check the signatures of a note.

    Signatures by unknown keys are ignored, as the format requires.

    Raises:
        UntrustedLog: the text is not a note, or a signature by one of these keys is not valid.
    """
    text, signatures = split_note(note)
    known = {(key.name, key.key_id): key for key in keys}
    signers: list[VerifierKey] = []
    unchecked: list[str] = []
    times: dict[str, int] = {}
    for name, key_id, signature in signatures:
        key = known.get((name, key_id))
        if key is None:
            unchecked.append(name)
            continue
        if key in signers:
            continue
        time = _check_signature(key, text, signature)
        if time is not None:
            times[name] = time
        signers.append(key)
    return OpenedNote(text, tuple(signers), tuple(unchecked), times)


def split_note(note: str | bytes) -> tuple[str, list[tuple[str, bytes, bytes]]]:
    """Return a note's text, and the name, key id and signature of each signature line.

    Raises:
        UntrustedLog: the text is not a note.
    """
    if len(note) > _MAX_NOTE_BYTES:
        raise UntrustedLog("the note is too long")
    try:
        whole = note.decode() if isinstance(note, bytes) else note
    except UnicodeDecodeError as error:
        raise UntrustedLog("the note is not UTF-8") from error
    if not _is_utf8(whole):
        raise UntrustedLog("the note is not UTF-8")
    if _has_control(whole):
        raise UntrustedLog("the note has control signs")
    at = whole.rfind("\n\n")
    if at < 0 or not whole.endswith("\n"):
        raise UntrustedLog("the note has no signatures")
    lines = whole[at + 2 :].removesuffix("\n").split("\n")
    if len(lines) > _MAX_SIGNATURES:
        raise UntrustedLog("the note has too many signatures")
    return whole[: at + 1], [_signature_of(line) for line in lines]


def _signature_of(line: str) -> tuple[str, bytes, bytes]:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    raw = decode_base64(encoded)
    if not line.startswith(_DASH) or not name or raw is None or len(raw) <= _ID_BYTES:
        raise UntrustedLog(f"{line[:60]!r} is not a signature line")
    return name, raw[:_ID_BYTES], raw[_ID_BYTES:]


def _check_signature(key: VerifierKey, text: str, signature: bytes) -> int | None:
    """Check one signature, and return the time of a cosignature.

    Raises:
        UntrustedLog: the signature is not valid.
    """
    time, signed = None, text
    if key.kind == COSIGNATURE:
        if len(signature) != _TIME_BYTES + _SIGNATURE_BYTES:
            raise UntrustedLog(f"the cosignature of {key.name} is not of the length that it has")
        time = int.from_bytes(signature[:_TIME_BYTES], "big")
        signed, signature = cosigned_text(text, time), signature[_TIME_BYTES:]
    if not _ed25519().holds(key.public, signature, signed.encode()):
        raise UntrustedLog(f"the signature of {key.name} does not hold")
    return time


def cosigned_text(text: str, time: int) -> str:
    """Return the text that a witness signs at a time, in seconds since 1970 (UTC)."""
    return f"cosignature/v1\ntime {time}\n{text}"


def _is_utf8(text: str) -> bool:
    """Return whether text can be encoded. A command line or JSON may have lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_control(text: str) -> bool:
    return _CONTROL.search(text) is not None


def decode_base64(text: str) -> bytes | None:
    """Return the bytes of base64 text. None if the text is not its canonical encoding."""
    try:
        raw = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if b64encode(raw).decode() == text else None
