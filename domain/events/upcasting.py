"""Facts of earlier shapes, and how each becomes today's.

A stored event is never rewritten. When an event changes shape it gets a new tag; the old tag, the
old shape and the way from one to the other move here, and every reader sees today's event. A
event that lies within another (the ``instead`` of a correction) is brought up to date alike.

The table is closed: what is neither in it nor among today's events is not of this program.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast, get_args

import msgspec
from msgspec import Struct

from sabot.domain.events import Event


class Legacy(Struct, frozen=True):
    """One earlier shape: a Struct without a tag, and what its events are called today."""

    shape: type[Struct]
    upcast: Callable[[Any], Event]


LEGACY: Final[Mapping[str, Legacy]] = {}
"""Old tag -> old shape. Empty as long as every event has the shape of the first release."""

_TODAY: Final = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Event))
_EVENT: Final[Any] = Event


def upcast(payload: bytes | str, legacy: Mapping[str, Legacy] = LEGACY) -> Event:
    """Decode a stored event of any age.

    Raises:
        msgspec.ValidationError: no event of today's or of the earlier shapes.
        msgspec.DecodeError: not JSON.
    """
    raw = msgspec.json.decode(payload)
    return cast("Event", msgspec.convert(_brought_up_to_date(raw, legacy), _EVENT))


def _brought_up_to_date(raw: object, legacy: Mapping[str, Legacy]) -> object:
    """Replace each old event in decoded JSON by today's, the innermost first."""
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
