"""Text that is safe to show on a terminal.

Control characters in a record are escaped. The module also formats money and has words that several
kinds of sentences share.
"""

import contextlib
import json
import re
import sys
from collections.abc import Callable
from typing import Final

from sabot.domain.events import Hand
from sabot.domain.values.money import format_amount as money

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


def say(message: str) -> None:
    """Write a message to standard error."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("\n".join(map(printable, message.split("\n"))) + "\n")


def counted(number: int, what: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "shoe"), counted(12197, "event")
    ('1 shoe', '12,197 events')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def to_json(value: object, indent: int | None = None) -> str:
    """Return JSON text that is safe on a terminal; keys keep their order.

    Raises:
        ValueError: a float is NaN or infinite.
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


def _json_escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


__all__ = ["money"]


Money = Callable[[int], str]
"""A function that writes an amount in minor units in the currency of a pack."""


def by(person: str | None) -> str:
    """Return `` by NAME``, or an empty text if no person is named."""
    return f" by {person}" if person else ""


def in_coup(coup: int | None) -> str:
    """Return ``, in coup N``, or an empty text if no coup is named."""
    return f", in coup {coup}" if coup is not None else ""


def hand_of(hand: Hand, seat: int | None) -> str:
    """Return the name of a hand, with the seat of a patron's own hand."""
    return hand if seat is None else f"{hand} at seat {seat}"
