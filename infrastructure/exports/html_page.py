"""Common parts of self-contained HTML pages: escaping and the content security policy."""

import base64
import hashlib
from collections.abc import Callable

import jinja2
import markupsafe

Show = Callable[[str], str]
"""Makes text of a record safe to display: control and bidirectional characters."""


def environment(show: Show) -> jinja2.Environment:
    """Return the template environment, which escapes all values and makes them safe to display."""

    def safe(value: object) -> object:
        if isinstance(value, str) and not isinstance(value, markupsafe.Markup):
            return show(value)
        return value

    return jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, finalize=safe, keep_trailing_newline=True
    )


def hash_source(style: str) -> str:
    """Return the source expression of one style sheet for the content security policy."""
    digest = hashlib.sha256(style.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
