"""Parameters of a database URL whose values may be shown.

Source: PostgreSQL documentation, section 34.1.2, parameter key words of libpq.
"""

from typing import Final

SHOWN_PARAMETERS: Final = frozenset({
    "application_name", "client_encoding", "connect_timeout", "dbname", "fallback_application_name",
    "gssencmode", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle",
    "keepalives_interval", "load_balance_hosts", "port", "require_auth", "sslmode",
    "sslnegotiation", "sslrootcert", "target_session_attrs", "tcp_user_timeout", "user",
})  # fmt: skip
"""The key words that hold no secret."""
