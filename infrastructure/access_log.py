"""A list, outside the event log, of who read a case file, an export or names.

On PostgreSQL `sabot store secure` creates the table ``access_log``. The server adds time and login;
the roles may add rows, and only the auditor and the owner may read them. With a SQLite log the list
is a file of JSON lines, named by the environment variable ``SABOT_ACCESS_LOG``. Without that file,
and on read-only media, nothing is noted.
"""

import errno
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.roles import ACCESSES
from sabot.infrastructure.log.append import system_login

if TYPE_CHECKING:
    import psycopg

ENVIRONMENT: Final = "SABOT_ACCESS_LOG"
_LONGEST: Final = 1000
_SECONDS: Final = 5


class Access(Struct, frozen=True):
    """One access: when, by which login, and with which verb."""

    at: str
    login: str
    verb: str
    what: str


def note_access(database: Database, origin: str, verb: str, what: str) -> str:
    """Note an access, and return an empty text.

    If the access should be noted and cannot be, return a sentence with the reason.
    """
    what = what[:_LONGEST]
    if database.is_sqlite:
        place = os.environ.get(ENVIRONMENT)
        return _append(Path(place), origin, verb, what) if place else ""
    import psycopg  # noqa: PLC0415 - a SQLite log does without the driver

    query = f"INSERT INTO {ACCESSES} (verb, what) VALUES (%s, %s)"  # noqa: S608 - a constant
    try:
        with _connected(database) as connection:
            connection.execute(query, (verb, what))
    except (psycopg.errors.UndefinedTable, psycopg.errors.ReadOnlySqlTransaction):
        return ""  # not secured, or a copy that cannot be written
    except psycopg.Error as error:
        return f"this access is not noted: {str(error).splitlines()[0]}"
    return ""


def _append(place: Path, origin: str, verb: str, what: str) -> str:
    keys = {"at": datetime.now(UTC).isoformat(), "login": system_login(), "log": origin}
    line = json.dumps({**keys, "verb": verb, "what": what}, ensure_ascii=False)
    try:
        descriptor = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError as error:
        read_only = error.errno == errno.EROFS
        return "" if read_only else f"this access is not noted: {place}: {error.strerror}"
    return ""


def accesses(database: Database) -> Iterator[Access]:
    """Yield the noted accesses, oldest first.

    Raises:
        BadInput: the log has no access log, or it cannot be read.
    """
    if database.is_sqlite:
        yield from _in_file()
        return
    import psycopg  # noqa: PLC0415 - as above

    query = f"SELECT at, login, verb, what FROM {ACCESSES} ORDER BY id"  # noqa: S608 - a constant
    try:
        with _connected(database) as connection:
            for at, login, verb, what in connection.execute(query):
                yield Access(at.astimezone(UTC).isoformat(), login, verb, what)
    except psycopg.Error as error:
        raise BadInput(
            f"the noted accesses cannot be read: {str(error).splitlines()[0]}; `sabot store "
            "secure` makes their table, and the role of the auditor may read it"
        ) from error


def _in_file() -> Iterator[Access]:
    place = os.environ.get(ENVIRONMENT)
    if not place:
        raise BadInput(f"this log has no access log; set {ENVIRONMENT} to the file to keep it in")
    try:
        with Path(place).open(encoding="utf-8") as file:
            for line in file:
                keys = json.loads(line)
                yield Access(*(str(keys.get(name, "")) for name in Access.__struct_fields__))
    except (OSError, ValueError, AttributeError) as error:
        raise BadInput(f"the accesses noted in {place} cannot be read: {error}") from error


def _connected(database: Database) -> "psycopg.Connection":
    import psycopg  # noqa: PLC0415 - as above

    url = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return psycopg.connect(url, connect_timeout=_SECONDS)
