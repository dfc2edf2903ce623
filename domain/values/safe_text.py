"""Text that is safe to show: control characters in a record never reach a terminal or a page."""

import json
import re
import shlex
from typing import Final

_BASIC_PLANE: Final = 0xFFFF
"""The last code point that is written with four digits."""
_LATIN_1: Final = 0xFF
"""The last that is written with two."""

# Characters that move the cursor, change the writing direction or are invisible or undefined.
_UNSAFE = (
    "\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f"
)
_IN_TEXT = re.compile(f"[\x00-\x1f{_UNSAFE}]")
_IN_JSON = re.compile(f"[{_UNSAFE}]")
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def printable(text: str) -> str:
    r"""Return the text with control and bidirectional characters escaped.

    >>> printable("T-1\x1b[2J")
    'T-1\\x1b[2J'
    """
    return _IN_TEXT.sub(_escape, text)


def shell_word(text: str) -> str:
    r"""Return the text as one word of a shell command, without characters that `printable` escapes.

    >>> print(shell_word("H-1"), shell_word("x; $(id)"), shell_word("a'b\n"))
    H-1 'x; $(id)' $'a\'b\x0a'
    """
    if printable(text) == text:
        return shlex.quote(text)
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{_IN_TEXT.sub(_bytes, plain)}'"


def to_json(value: object, indent: int | None = None) -> str:
    """Return JSON text that is safe on a terminal; keys keep their order.

    Raises:
        ValueError: a float is not a number.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, separators=separators, indent=indent
    )
    return _IN_JSON.sub(_json_escape, text)


def _escape(match: re.Match[str]) -> str:
    sign = match.group()
    code = ord(sign)
    if code > _BASIC_PLANE:
        return f"\\U{code:08x}"
    return _NAMED.get(sign) or (f"\\u{code:04x}" if code > _LATIN_1 else f"\\x{code:02x}")


def _bytes(match: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in match.group().encode("utf-8", "surrogatepass"))


def _json_escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]
