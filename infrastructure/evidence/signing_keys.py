"""The files in which the signing keys of logs are kept, outside the database.

If a key were kept with the log, a person who changes the log could sign it again. So keys have a
folder of their own, and in a casino a machine of their own. Only a process that finds the key
writes checkpoints.
"""

import os
import secrets
import stat
from pathlib import Path
from typing import Final

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.evidence.signed_note import SigningKey
from sabot.infrastructure.files.whole_file import private_folder

ENVIRONMENT: Final = "SABOT_KEYS"
_SEED_BYTES: Final = 32
_OPEN_TO_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def keys_folder() -> Path:
    """Return the folder of keys.

    It is that of the environment variable ``SABOT_KEYS``, or else ``sabot/keys`` in the user's
    data folder (XDG_DATA_HOME, ``~/.local/share``).
    """
    chosen = os.environ.get(ENVIRONMENT)
    if chosen:
        return Path(chosen)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local/share") / "sabot/keys"


def key_file(origin: str) -> Path:
    """Return the file of a log's key, whether it exists or not."""
    return keys_folder() / f"{origin.replace('/', '-')}.key"


def load_key(origin: str, place: Path | None = None) -> SigningKey | None:
    """Return the signing key of a log. None if this machine has none.

    Raises:
        BadInput: other users can read the file, or it does not contain the key of this log.
    """
    place = place or key_file(origin)
    try:
        with place.open(encoding="ascii") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(1000)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"the signing key {place} cannot be read: {error}") from error
    if mode & _OPEN_TO_OTHERS:
        raise BadInput(
            f"the signing key {place} is open to other users; run `chmod 600 {place}`, and make a "
            "new key if they may have read it"
        )
    key = SigningKey.parse(text)
    if key.verifier.name != origin:
        raise BadInput(f"the signing key {place} is of {key.verifier.name}, not of {origin}")
    return key


def create_key(origin: str, place: Path | None = None) -> SigningKey:
    """Create the signing key of a log, in a file that only its user can read.

    Raises:
        BadInput: there is a key already, or the folder cannot be written.
    """
    place = place or key_file(origin)
    key = SigningKey(origin, secrets.token_bytes(_SEED_BYTES))
    try:
        private_folder(place.parent)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{key}\n")
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError as error:
        raise BadInput(f"there is a signing key already: {place}") from error
    except OSError as error:
        raise BadInput(f"no signing key can be written to {place}: {error.strerror}") from error
    return key
