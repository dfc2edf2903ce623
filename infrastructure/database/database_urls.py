"""The location of a log: a path or a URL, and what of it may be shown."""

import os
import re
from typing import Final
from urllib.parse import unquote

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from sabot.domain.values.errors import BadInput

DEFAULT_FILE: Final = "sabot.db"
ENVIRONMENT: Final = "SABOT_DATABASE_URL"
MEMORY: Final = ":memory:"
SHOWN_PARAMETERS: Final = frozenset({
    "application_name", "client_encoding", "connect_timeout", "dbname", "fallback_application_name",
    "gssencmode", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle",
    "keepalives_interval", "load_balance_hosts", "port", "require_auth", "sslmode",
    "sslnegotiation", "sslrootcert", "target_session_attrs", "tcp_user_timeout", "user",
})  # fmt: skip
"""Parameters of a URL that hold no secret, so that their values may be shown.

Source: PostgreSQL documentation, section 34.1.2, parameter key words of libpq.
"""


def database_url(text: str | None = None) -> URL:
    """Parse the location of the log.

    It is a URL, or the path of a SQLite file. None means the environment variable
    ``SABOT_DATABASE_URL``, or else ``sabot.db`` in the current directory.

    Raises:
        BadInput: the text is neither a path nor a URL of SQLite or PostgreSQL.
    """
    text = text or os.environ.get(ENVIRONMENT) or DEFAULT_FILE
    if "://" not in text:
        if _NO_PATH.search(text):
            # it may hold a password, so it is not repeated
            raise BadInput("the log is named by a path or a URL, such as postgresql://HOST/NAME")
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise BadInput(
            f"{text.split('://')[0]}://… is not a URL of a database; write "
            "postgresql://USER@HOST:PORT/NAME, and %40 for an @ within a part"
        ) from error
    if url.drivername == "sqlite":
        if url.query or url.host or url.username or url.password:
            # it may hold a password, so it is not repeated
            raise BadInput(
                "a SQLite file has no host, user, password or options: give its path, or "
                "sqlite:/// and the path"
            )
        return url.set(database=url.database or MEMORY)
    if "@" in (url.host or ""):
        raise BadInput("the URL of the database has an @ too many; write %40 for one in a password")
    if url.drivername in {"postgres", "postgresql", "postgresql+psycopg"}:
        return url.set(drivername="postgresql+psycopg")
    raise BadInput(
        f"no log is kept in {url.drivername}; give the path of a SQLite file or postgresql://…"
    )


# A connection string of PostgreSQL, or a URL without its slashes, is no path of a file.
_NO_PATH: Final = re.compile(
    r"^(postgres|postgresql)(\+\w+)?:|\b(password|host|dbname)\s*=", re.IGNORECASE
)


def shown_url(url: URL) -> str:
    """Return the URL of a server without its password.

    Values of parameters are shown only if their names are known to hold no secret: a mistyped
    ``pasword`` holds one.
    """
    hidden = {key: "***" for key in url.query if key not in SHOWN_PARAMETERS}
    shown = url.update_query_dict(hidden).render_as_string(hide_password=True)
    shown = shown.replace("+psycopg", "", 1).replace("%2A", "*")
    # what stands before an @ behind the host was meant to be a user with a password
    return "postgresql://***" if "@" in unquote(str(url.database)) else shown


def without_secrets(url: URL, text: str) -> str:
    """Return a text without the password and the hidden parameters of a URL."""
    hidden = [value for key, value in url.query.items() if key not in SHOWN_PARAMETERS]
    for secret in (url.password, *hidden):
        if isinstance(secret, str) and secret:
            text = text.replace(secret, "***")
    return text
