"""Ed25519 signatures (RFC 8032) with the cryptography library.

Importing the library takes 25 ms, so it is imported only when a signature is made or checked.
"""

from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


def public_of(seed: bytes) -> bytes:
    """Return the public key of a 32-byte private key."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def sign(seed: bytes, data: bytes) -> bytes:
    """Return the signature of 64 bytes."""
    return _private(seed).sign(data)


@lru_cache(maxsize=4)
def _private(seed: bytes) -> Ed25519PrivateKey:
    # making a key takes longer than signing with it
    return Ed25519PrivateKey.from_private_bytes(seed)


def holds(public: bytes, signature: bytes, data: bytes) -> bool:
    """Return whether a signature is valid."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True
