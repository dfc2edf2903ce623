"""Parse TOML from untrusted sources in a bounded time."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from sabot.domain.values.errors import BadInput

MAX_KEYS: Final = 4000
"""The most keys, sections and items of lists in a text."""
MAX_LEVELS: Final = 32
"""The most names that dots join in one key, or on one line."""

_QUOTED: Final = re.compile(
    r'''"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)|"(?:[^"\\\n]|\\[^\n])*"?|'''
    r"""'{3}.*?(?:'{3,5}|\Z)|'[^'\n]*'?|#[^\n]*""",
    re.DOTALL,
)
"""Strings and comments; one that does not end reaches to the end of its line, or of the text."""


WORDS: Final = {
    "int": "a whole number",
    "float": "a number with a fraction",
    "bool": "true or false",
    "str": "a text",
    "array": "a list",
    "object": "an object",
}
"""The types of values in JSON, in words."""
_OF_TOML: Final = {**WORDS, "object": "a section"}
_PATH: Final = re.compile(r" - at `\$\.?([^`]*)`$")


def wrong_value(message: str, words: Mapping[str, str] = _OF_TOML) -> tuple[str, str]:
    """Return where a value is that does not fit its type, and what is wrong, in plain words.

    Args:
        message: the message of msgspec, such as ``Expected `str`, got `int` - at `$.name```.
        words: the types of values, in words.

    >>> wrong_value("Expected `object`, got `int` - at `$.shifts`")
    ('shifts', 'expected a section, got a whole number')
    >>> wrong_value("Object contains unknown field `colour`")
    ('', "the key 'colour' is unknown")
    """

    def named(quoted: re.Match[str]) -> str:
        names = [name for name in quoted.group(1).split(" | ") if name != "null"]
        return " or ".join(words.get(name, name) for name in names) or "null"

    found = _PATH.search(message)
    what = re.sub(r"`([^`]*)`", named, _PATH.sub("", message))
    if unknown := re.search(r"unknown field (.*)$", what, re.DOTALL):
        what = f"the key {unknown.group(1)[:100]!r} is unknown"
    elif missing := re.search(r"missing required field (.*)$", what):
        what = f"the key {missing.group(1)!r} is missing"
    return found.group(1) if found else "", f"{what[0].lower()}{what[1:]}"


def parse_toml(text: str, what: str) -> dict[str, Any]:
    """Parse TOML; a byte order mark before it is ignored.

    The parser's time grows with the square of a key's levels, so they are bounded before it runs.

    Args:
        text: the text.
        what: the name of the text in messages, such as ``the rule pack``.

    Raises:
        BadInput: it is not TOML, is nested too deep, has too many keys, or contains an unpaired
            surrogate.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(
            f"{what} holds half a character at {error.start}; save it as UTF-8"
        ) from None
    bare = _QUOTED.sub("", text)
    if sum(map(bare.count, ("=", ",", "\n["))) > MAX_KEYS:
        raise BadInput(
            f"{what} has more than {MAX_KEYS} keys and items; leave out those that it cannot have"
        )
    if any(line.count(".") > MAX_LEVELS for line in bare.split("\n")):
        raise BadInput(f"{what} is nested too deep; a key has at most {MAX_LEVELS} levels")
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise BadInput(
            f"{what} is nested too deep; a key has at most {MAX_LEVELS} levels"
        ) from None
    except ValueError as error:
        raise BadInput(f"{what} is not TOML: {error}") from None
