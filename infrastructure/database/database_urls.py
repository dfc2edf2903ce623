"""The location of a log: a path or a URL, and the part of it that may be shown.

It is shown except for what may be a password, by one rule, `shown_text`. The rule needs no library,
so that messages about a broken installation can use it.
"""

import os
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from sabot.domain.values.errors import BadInput

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

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

# a connection string of PostgreSQL, settings of a shell, or a URL without its scheme or its slashes
_NO_PATH: Final = re.compile(
    r"^(postgres|postgresql)(\+\w+)?:|^\s*\w+\s*=|pass\w*\s*=|\b(host|dbname)\s*="
    r"|^/*[^/]+:[^/]*@|^(.*//)?[^/]+:.*@",
    re.IGNORECASE | re.DOTALL,
)
_TWO_AT: Final = re.compile(r"[^/]*//[^/?]*@[^/?]*@")
_LOGIN: Final = re.compile(r"(\w[\w+.-]*://)(?:([^/@:?]*)(?::[^/@]*)?(@))?(.*)", re.DOTALL)
_PARAMETER: Final = rf"(?:{'|'.join(sorted(SHOWN_PARAMETERS))})=[^&=@]*"
_PLACE: Final = re.compile(
    r"(?:[\w.,%-]|\[[\w.:%]*\]|:\d*(?=[,/?]|$))*(?:/[^@?&=]*)?"
    rf"(?:\?{_PARAMETER}(?:&{_PARAMETER})*)?"
)


def database_url(text: str | None = None) -> "URL":
    """Parse the location of the log.

    It is a URL, or the path of a SQLite file. None means the environment variable
    ``SABOT_DATABASE_URL``, or else ``sabot.db`` in the current directory.

    Raises:
        BadInput: the text is neither a path nor a URL of SQLite or PostgreSQL.
    """
    text = text or os.environ.get(ENVIRONMENT) or DEFAULT_FILE
    url = _parsed(text)
    if "://" not in text:
        return url
    if url.drivername == "sqlite":
        if url.query or url.host or url.username or url.password:
            # it may hold a password, so it is not repeated
            raise BadInput(
                "a SQLite file has no host, user, password or options: give its path, or "
                "sqlite:/// and the path"
            )
        return url.set(database=url.database or MEMORY)
    # neither Sabot nor the server may repeat what may be a password
    if _TWO_AT.match(text) or not _shown(url):
        raise BadInput(
            "the URL of the database has an @, = or : too many; write "
            "postgresql://USER:PASSWORD@HOST:PORT/NAME, and %40 for an @ in a password"
        )
    if url.drivername in {"postgres", "postgresql", "postgresql+psycopg"}:
        return url.set(drivername="postgresql+psycopg")
    raise BadInput(
        f"no log is kept in {url.drivername}; give the path of a SQLite file or postgresql://…"
    )


def _parsed(text: str) -> "URL":
    # importing the library takes longer than running a verb without a log
    from sqlalchemy import engine, exc  # noqa: PLC0415

    if "://" not in text:
        if not shown_text(text):
            # it may hold a password, so it is not repeated
            raise BadInput(
                "the log is named by a path or a URL, such as postgresql://HOST/NAME; write ./FILE "
                "for a file whose name has an = or an @"
            )
        return engine.URL.create("sqlite", database=text)
    try:
        return engine.make_url(text)
    except (exc.ArgumentError, ValueError) as error:
        raise BadInput(
            "this is not a URL of a database; write postgresql://USER@HOST:PORT/NAME, and %40 for "
            "an @ within a part"
        ) from error


def shown_text(text: str) -> str:
    """Return the name of a log without its password; nothing if it may hold one elsewhere.

    >>> shown_text("logs/pit.db"), shown_text("postgresql://aud:PW@host/db?sslmode=require")
    ('logs/pit.db', 'postgresql://aud@host/db?sslmode=require')
    >>> shown_text("aud:PW@host/db"), shown_text("postgresql://host/db?dbname=password=PW")
    ('', '')
    """
    if "://" not in text:
        return "" if _NO_PATH.search(text) else text
    parts = _LOGIN.fullmatch(text)
    if parts is None:
        return ""
    scheme, user, at, place = (part or "" for part in parts.groups())
    plain = unquote(place)
    # a login may be of the form NAME@REALM, written with %40
    odd = re.search(r"[:=/?&]", unquote(user)) or "://" in plain or not _PLACE.fullmatch(plain)
    return "" if odd else f"{scheme}{user}{at}{place}"


def shown_url(url: "URL") -> str:
    """Return the URL of a server without its password, and without parameters that may hold one.

    A parameter is shown only if its name is known to hold no secret: a mistyped ``pasword`` holds
    one.
    """
    return _shown(url).replace("+psycopg", "", 1) or "postgresql://***"


def without_secrets(url: "URL", text: str) -> str:
    """Return a text without the password and the hidden parameters of a URL."""
    hidden = [
        part for pair in url.query.items() if pair[0] not in SHOWN_PARAMETERS for part in pair
    ]
    for secret in (url.password, *hidden):
        if isinstance(secret, str) and secret:
            text = text.replace(secret, "***")
    return text


def _shown(url: "URL") -> str:
    hidden = [key for key in url.query if key not in SHOWN_PARAMETERS]
    bare = url.set(password="").difference_update_query(hidden)
    return shown_text(bare.render_as_string(hide_password=False))
