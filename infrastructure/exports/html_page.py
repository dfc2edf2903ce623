"""What self-contained HTML pages share: safe text, and a policy that lets one style sheet in."""

import base64
import hashlib
from collections.abc import Callable

import jinja2
import markupsafe

Show = Callable[[str], str]
"""Makes any text of a record safe for the eye: control and bidirectional characters."""


def environment(show: Show) -> jinja2.Environment:
    """Return what fills templates in: everything is escaped, and safe for the eye."""

    def safe(value: object) -> object:
        if isinstance(value, str) and not isinstance(value, markupsafe.Markup):
            return show(value)
        return value

    return jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, finalize=safe, keep_trailing_newline=True
    )


def hash_source(style: str) -> str:
    """Return the source expression by which a policy lets one style sheet through."""
    digest = hashlib.sha256(style.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
