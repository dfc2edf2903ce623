"""An event as one line: canonical JSON (RFC 8785) of every column of a stored event.

The line is what `sabot export` writes and what a leaf of the log's tree hashes. The payload goes
into it as it is stored and is never parsed, so that nothing in it can mislead a check.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from sabot.domain.events import MAX_INT

SCHEMA: Final = "sabot-event-1"
MAX_NAME_BYTES: Final = 400
MAX_LINE_BYTES: Final = 64 * 1024

Whole = Annotated[int, Meta(ge=1, le=MAX_INT)]
Number = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
Text = Annotated[str, Meta(max_length=MAX_NAME_BYTES)]


class EventLine(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The keys of a line.

    Each is always present, and null if the event has no such value. ``at_us`` is the table's clock
    and ``recorded_us`` the log's, in microseconds since 1970 (UTC). ``name`` is the tag of the
    event in ``payload``.
    """

    actor: Text
    at_us: Number | None
    device: Text
    event_id: Text | None
    index: Whole
    name: Text
    origin: Text
    payload: Raw
    recorded_us: Number
    schema: Literal["sabot-event-1"]
    seq: Number | None
    stream: Annotated[str, Meta(min_length=1, max_length=MAX_NAME_BYTES)]
    version: Whole


_encode: Final = msgspec.json.Encoder(order="sorted").encode


def event_line(row: Sequence[Any], origin: str) -> bytes:
    """Return the line of a row of ``log_event``, without its newline.

    Args:
        row: the columns in their order.
        origin: the log's name.
    """
    index, event_id, stream, version, name, at, recorded, actor, device, seq, payload = row
    return _encode(
        EventLine(
            actor, at, device, event_id, index, name, origin,
            Raw(payload.encode()), recorded, SCHEMA, seq, stream, version,
        )
    )  # fmt: skip
