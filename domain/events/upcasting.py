"""Facts of earlier shapes, and how each becomes today's.

A stored fact is never rewritten. When a fact changes shape it gets a new tag; the old tag, the
old shape and the way from one to the other move here, and every reader sees today's fact. A
fact that lies within another (the ``instead`` of a correction) is brought up to date alike.

The table is closed: what is neither in it nor among today's facts is not of this program.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast, get_args

import msgspec
from msgspec import Struct

from sabot.domain.events import Fact


class Legacy(Struct, frozen=True):
    """One earlier shape: a Struct without a tag, and what its facts are called today."""

    shape: type[Struct]
    upcast: Callable[[Any], Fact]


LEGACY: Final[Mapping[str, Legacy]] = {}
"""Old tag -> old shape. Empty as long as every fact has the shape of the first release."""

_TODAY: Final = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Fact))
_FACT: Final[Any] = Fact


def upcast(payload: bytes | str, legacy: Mapping[str, Legacy] = LEGACY) -> Fact:
    """Decode a stored fact of any age.

    Raises:
        msgspec.ValidationError: no fact of today's or of the earlier shapes.
        msgspec.DecodeError: not JSON.
    """
    raw = msgspec.json.decode(payload)
    return cast("Fact", msgspec.convert(_brought_up_to_date(raw, legacy), _FACT))


def _brought_up_to_date(raw: object, legacy: Mapping[str, Legacy]) -> object:
    """Replace each old fact in decoded JSON by today's, the innermost first."""
    if isinstance(raw, list):
        return [_brought_up_to_date(item, legacy) for item in raw]
    if not isinstance(raw, dict):
        return raw
    fields = {name: _brought_up_to_date(value, legacy) for name, value in raw.items()}
    old = legacy.get(str(fields.get("type")))
    if old is None:
        return fields
    del fields["type"]
    return msgspec.to_builtins(old.upcast(msgspec.convert(fields, old.shape)))
