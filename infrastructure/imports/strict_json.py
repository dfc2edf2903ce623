"""Strict JSON: refuse input that other parsers silently accept.

Duplicate keys, NaN and infinities, NUL, lone surrogates, invalid UTF-8, nesting deeper than 32 and
numbers of thousands of digits are errors with a position. The errors of this module carry only a
column (``:17``); the caller adds file and line.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final, Generic, NoReturn, TypeVar

import msgspec

from sabot.domain.values.errors import BadInput
from sabot.domain.values.toml_text import WORDS, wrong_value

MAX_DEPTH: Final = 32

T = TypeVar("T")


def loads(line: bytes, number: Callable[[str], object] = float) -> object:
    """Parse one JSON value, strictly.

    Args:
        line: the JSON text in UTF-8.
        number: a function that converts a number with a fraction or an exponent.

    Raises:
        BadInput: the text is not JSON, or is JSON that parsers disagree on.
    """
    text = _decode(line)
    try:
        value = json.loads(
            text,
            parse_float=number,
            parse_constant=_not_a_number,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        what = error.msg[0].lower() + error.msg[1:]
        raise BadInput(f"this is not JSON: {what}; {_AFTER_SYNTAX}", f":{error.colno}") from error
    except RecursionError:
        raise BadInput(_TOO_DEEP) from None
    except ValueError:
        raise BadInput("a number has thousands of digits; the largest is 2^53-1") from None
    _inspect(value, text)
    return value


_AFTER_SYNTAX: Final = "write one JSON object a line, in UTF-8"
_TOO_DEEP: Final = (
    f"it is nested deeper than {MAX_DEPTH}; a record is flat, so correct the program that wrote it"
)


def exact_number(text: str) -> Decimal:
    """Return a number exactly as written, as a decimal.

    Raises:
        BadInput: its exponent is out of range.
    """
    try:
        return Decimal(text)
    except InvalidOperation:
        raise BadInput(f"the number {text[:40]} is out of range; the largest is 2^53-1") from None


class StrictReader(Generic[T]):
    """Parses lines into one type, strictly.

    A line is first decoded fast. If there is any doubt (a backslash, a surplus key, an error), it
    is parsed again strictly, and only that result counts. ``advice`` is the hint that ends an error
    about a key, by the key's path (``called.player``) or name. ``spelled`` converts other spellings
    in strictly parsed JSON to those of the type.
    """

    def __init__(
        self,
        kind: type[T],
        advice: Mapping[str, str],
        spelled: Callable[[object], object] | None = None,
    ) -> None:
        self._kind = kind
        self._advice = advice
        self._spelled = spelled
        self._decode = msgspec.json.Decoder(kind).decode
        self._encode = msgspec.json.Encoder().encode

    def read(self, line: bytes) -> T:
        """Parse one line.

        Raises:
            BadInput: it is not strict JSON, or not of this type.
        """
        if b"\\" not in line and line.count(b"{") < MAX_DEPTH - 1:
            try:
                made = self._decode(line)
                # With a duplicate key the line has more colons than its decoded form.
                if self._encode(made).count(b":") == line.count(b":"):
                    return made
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                pass
        value = loads(line)
        return self.convert(value if self._spelled is None else self._spelled(value))

    def convert(self, value: object) -> T:
        """Convert parsed JSON to the type.

        Raises:
            BadInput: it is not of this type.
        """
        try:
            return msgspec.convert(value, self._kind)
        except msgspec.ValidationError as error:
            raise self._explained(error, value) from None
        except RecursionError:
            raise BadInput(_TOO_DEEP) from None

    def _explained(self, error: msgspec.ValidationError, value: object) -> BadInput:
        path, what = wrong_value(str(error), WORDS)
        key = re.sub(r"\[[^\]]*\]", "", path)
        if missing := re.search(r"missing required field `(.*?)`", str(error)):
            key = f"{key}.{missing.group(1)}" if key else missing.group(1)
        shown = "" if not path or path == "..." else f"{path}: "
        whole = "" if isinstance(value, dict) else "the line is not a JSON object; "
        last = self._advice.get(key.rpartition(".")[2], self._advice[""])
        advice = self._advice.get(key, last)
        return BadInput(f"{whole}{shown}{what}; {advice}")


def _decode(line: bytes) -> str:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"byte 0x{line[error.start]:02x} is not UTF-8; save the file as UTF-8",
            f":{error.start + 1}",
        ) from None
    if text.startswith("\ufeff"):
        raise BadInput("a byte order mark stands within the file; join files without it", ":1")
    return text


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise BadInput(f"the key {twice[:100]!r} occurs twice in one object; keep one of them")
    return made


def _not_a_number(text: str) -> NoReturn:
    raise BadInput(f"{text} is not a number in JSON; leave the key out where there is no value")


def _inspect(value: object, text: str) -> None:
    """Refuse text that cannot be stored, and nesting that is too deep."""
    if "\\u" in text or text.count("{") + text.count("[") > MAX_DEPTH:
        _walk(value, 1)


def _walk(value: object, depth: int) -> None:
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            raise BadInput(_TOO_DEEP)
        for part in value:
            _walk(part, depth + 1)
        for part in value.values() if isinstance(value, dict) else ():
            _walk(part, depth + 1)


def _check_text(text: str) -> None:
    if "\0" in text:
        raise BadInput(f"the text {text[:40]!r} has a NUL character; leave it out")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadInput(
            f"the text {text[:40]!r} has half of a surrogate pair; write the character whole"
        ) from None
