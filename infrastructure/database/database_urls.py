"""The location of a log: a path or a URL, and what of it may be shown."""

import os
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.url_text import SHOWN_PARAMETERS, shown_text

DEFAULT_FILE: Final = "sabot.db"
ENVIRONMENT: Final = "SABOT_DATABASE_URL"
MEMORY: Final = ":memory:"


def database_url(text: str | None = None) -> URL:
    """Parse the location of the log.

    It is a URL, or the path of a SQLite file. None means the environment variable
    ``SABOT_DATABASE_URL``, or else ``sabot.db`` in the current directory.

    Raises:
        BadInput: the text is neither a path nor a URL of SQLite or PostgreSQL.
    """
    text = text or os.environ.get(ENVIRONMENT) or DEFAULT_FILE
    if "://" not in text:
        if not shown_text(text):
            # it may hold a password, so it is not repeated
            raise BadInput("the log is named by a path or a URL, such as postgresql://HOST/NAME")
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise BadInput(
            "this is not a URL of a database; write postgresql://USER@HOST:PORT/NAME, and %40 for "
            "an @ within a part"
        ) from error
    if url.drivername == "sqlite":
        if url.query or url.host or url.username or url.password:
            # it may hold a password, so it is not repeated
            raise BadInput(
                "a SQLite file has no host, user, password or options: give its path, or "
                "sqlite:/// and the path"
            )
        return url.set(database=url.database or MEMORY)
    if not _shown(url):  # neither Sabot nor the server may repeat what may be a password
        raise BadInput(
            "the URL of the database has an @, = or : too many; write "
            "postgresql://USER:PASSWORD@HOST:PORT/NAME, and %40 for an @ in a password"
        )
    if url.drivername in {"postgres", "postgresql", "postgresql+psycopg"}:
        return url.set(drivername="postgresql+psycopg")
    raise BadInput(
        f"no log is kept in {url.drivername}; give the path of a SQLite file or postgresql://…"
    )


def shown_url(url: URL) -> str:
    """Return the URL of a server without its password, and without parameters that may hold one.

    A parameter is shown only if its name is known to hold no secret: a mistyped ``pasword`` holds
    one.
    """
    return _shown(url).replace("+psycopg", "", 1) or "postgresql://***"


def without_secrets(url: URL, text: str) -> str:
    """Return a text without the password and the hidden parameters of a URL."""
    hidden = [
        part for pair in url.query.items() if pair[0] not in SHOWN_PARAMETERS for part in pair
    ]
    for secret in (url.password, *hidden):
        if isinstance(secret, str) and secret:
            text = text.replace(secret, "***")
    return text


def _shown(url: URL) -> str:
    hidden = [key for key in url.query if key not in SHOWN_PARAMETERS]
    bare = url.set(password="").difference_update_query(hidden)
    return shown_text(bare.render_as_string(hide_password=False))
