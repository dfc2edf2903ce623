"""The names of patrons, kept outside the log so that they can be erased.

The log has only the ids that a sender gives, such as ``p-3301``. The person's name is in a separate
file, which only its user can read: a CSV file with the columns ``patron`` and ``name``. No event
and no proof contains the name, so the log still verifies after it is erased.
"""

import csv
import io
import os
from pathlib import Path
from typing import Final

from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.files.whole_file import private_folder, write_whole

ENVIRONMENT: Final = "SABOT_NAMES"
_HEAD: Final = ["patron", "name"]
_LONGEST: Final = 200


def names_file(origin: str) -> Path:
    """Return the file with the patrons' names for a log.

    Its path is in the environment variable ``SABOT_NAMES``. Otherwise it is
    ``sabot/names/ORIGIN.csv`` in the user's data folder (XDG_DATA_HOME, ``~/.local/share``).
    """
    chosen = os.environ.get(ENVIRONMENT)
    if chosen:
        return Path(chosen)
    data = os.environ.get("XDG_DATA_HOME")
    folder = (Path(data) if data else Path.home() / ".local/share") / "sabot/names"
    return folder / f"{origin.replace('/', '-')}.csv"


def read_names(origin: str) -> dict[str, str]:
    """Return the names by patron; none without the file.

    Raises:
        BadInput: the file cannot be read.
    """
    place = names_file(origin)
    try:
        text = place.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"the names in {place} cannot be read: {error}") from error
    rows = list(csv.reader(io.StringIO(text)))
    if not rows or rows[0] != _HEAD or any(len(row) != len(_HEAD) for row in rows):
        raise BadInput(f"{place} is not a file of names, whose columns are {' and '.join(_HEAD)}")
    return dict(row for row in rows[1:])


def set_name(origin: str, patron: str, name: str) -> Path:
    """Store the name of a patron, and return the file.

    Raises:
        BadInput: a text cannot be stored, or the file cannot be written.
    """
    for text in (patron, name):
        if not text.strip() or len(text) > _LONGEST or not text.isprintable():
            raise BadInput(
                f"{text[:40]!r} is not a name: give 1 to {_LONGEST} printable characters"
            )
    return _write(origin, {**read_names(origin), patron: name})


def erase_name(origin: str, patron: str) -> Path:
    """Erase the name of a patron, and return the file.

    Raises:
        NotFound: the file has no name for that patron.
        BadInput: the file cannot be written.
    """
    names = read_names(origin)
    if names.pop(patron, None) is None:
        raise NotFound(f"no name is kept of patron {patron!r} in {names_file(origin)}")
    return _write(origin, names)


def _write(origin: str, names: dict[str, str]) -> Path:
    place = names_file(origin)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    writer.writerows(sorted(names.items()))
    try:
        private_folder(place.parent)
        write_whole(place, text.getvalue().encode(), mode=0o600)
    except OSError as error:
        raise BadInput(f"the names cannot be kept in {place}: {error.strerror}") from error
    return place
