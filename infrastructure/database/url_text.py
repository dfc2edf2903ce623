"""What may be shown of the text that names a log: everything but what may be a password.

The one rule is `shown_text`. It needs no library, so that messages about a broken installation can
use it.
"""

import re
from typing import Final
from urllib.parse import unquote

SHOWN_PARAMETERS: Final = frozenset({
    "application_name", "client_encoding", "connect_timeout", "dbname", "fallback_application_name",
    "gssencmode", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle",
    "keepalives_interval", "load_balance_hosts", "port", "require_auth", "sslmode",
    "sslnegotiation", "sslrootcert", "target_session_attrs", "tcp_user_timeout", "user",
})  # fmt: skip
"""Parameters of a URL that hold no secret, so that their values may be shown.

Source: PostgreSQL documentation, section 34.1.2, parameter key words of libpq.
"""

# a connection string of PostgreSQL, or a URL without its scheme or its slashes
_NO_PATH: Final = re.compile(
    r"^(postgres|postgresql)(\+\w+)?:|\b(password|host|dbname)\s*=|^/*[^/]+:[^/]*@|^(.*//)?[^/]+:.*@",
    re.IGNORECASE | re.DOTALL,
)
_LOGIN: Final = re.compile(r"(\w[\w+.-]*://)(?:([^/@:?]*)(?::[^/@]*)?(@))?(.*)", re.DOTALL)
_PARAMETER: Final = rf"(?:{'|'.join(sorted(SHOWN_PARAMETERS))})=[^&=@]*"
_PLACE: Final = re.compile(
    r"(?:[\w.,%-]|\[[\w.:%]*\]|:\d*(?=[,/?]|$))*(?:/[^@?&=]*)?"
    rf"(?:\?{_PARAMETER}(?:&{_PARAMETER})*)?"
)


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
