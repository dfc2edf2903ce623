"""An event as one line: canonical JSON (RFC 8785) of every column of a stored event.

The line is what `sabot export` writes and what a leaf of the log's tree hashes. The payload is
copied as it is stored and never parsed, so that its content cannot mislead a check.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from sabot.domain.events import MAX_INT
from sabot.domain.values.errors import UntrustedLog

FIRST_SCHEMA: Final = "sabot-event-1"
SCHEMA: Final = "sabot-event-2"
MAX_NAME_BYTES: Final = 400
MAX_LINE_BYTES: Final = 64 * 1024

Whole = Annotated[int, Meta(ge=1, le=MAX_INT)]
Number = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
Text = Annotated[str, Meta(max_length=MAX_NAME_BYTES)]


class _Keys(Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True):
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
    seq: Number | None
    stream: Annotated[str, Meta(min_length=1, max_length=MAX_NAME_BYTES)]
    version: Whole


class FirstEventLine(_Keys, frozen=True, gc=False, kw_only=True):
    """The keys of a line for an event stored before the store added its own clock and login."""

    schema: Literal["sabot-event-1"]


class EventLine(_Keys, frozen=True, gc=False, kw_only=True):
    """An exported event, with the time and login that the store recorded.

    ``stored_us`` is the store's own clock and ``login`` the authenticated user. ``source`` is the
    place of an imported event in its former log, ``ORIGIN#INDEX``.
    """

    schema: Literal["sabot-event-2"]
    stored_us: Number | None
    login: Text | None
    source: Text | None


class _Line(Struct, frozen=True, gc=False):
    """A line to be written: the keys of `EventLine` in their order in the line."""

    actor: str
    at_us: int | None
    device: str
    event_id: str | None
    index: int
    login: str | None
    name: str
    origin: str
    payload: Raw
    recorded_us: int
    schema: str
    seq: int | None
    source: str | None
    stored_us: int | None
    stream: str
    version: int


class _FirstLine(Struct, frozen=True, gc=False):
    """A line to be written: the keys of `FirstEventLine` in their order in the line."""

    actor: str
    at_us: int | None
    device: str
    event_id: str | None
    index: int
    name: str
    origin: str
    payload: Raw
    recorded_us: int
    schema: str
    seq: int | None
    stream: str
    version: int


# encoding in the declared order takes half the time of sorting the keys of each line
_encode: Final = msgspec.json.Encoder().encode


def event_line(row: Sequence[Any], origin: str, *, payload: bytes | None = None) -> bytes:
    """Return the line of a ``log_event`` row, without a newline.

    Args:
        row: the columns in their order.
        origin: the log's name.
        payload: the payload of the line, if it differs from the row's.

    Raises:
        UntrustedLog: the row has no payload, as in a damaged file.
    """
    (index, event_id, stream, version, name, at, recorded, actor, device, seq, stated, stored_us,
     login, source) = row  # fmt: skip
    try:
        raw = Raw(stated if payload is None else payload)
    except TypeError as error:
        raise UntrustedLog(
            f"event {index} has no payload: the table of the log is damaged"
        ) from error
    if stored_us is None and login is None and source is None:
        return _encode(
            _FirstLine(
                actor, at, device, event_id, index, name, origin, raw, recorded, FIRST_SCHEMA, seq,
                stream, version,
            )
        )  # fmt: skip
    return _encode(
        _Line(
            actor, at, device, event_id, index, login, name, origin, raw, recorded, SCHEMA, seq,
            source, stored_us, stream, version,
        )
    )  # fmt: skip


class _Stated(Struct):
    """The payload of a line, as text."""

    payload: Raw


def hashed_line(line: bytes) -> bytes:
    """Return the line that the tree hashes, from a line of an export.

    Both are the same unless the payload of the export is a text, since the event is isolated or its
    payload is not canonical JSON. The tree hashes the payload as it is stored.
    """
    if b'"payload":"' not in line:
        return line
    try:
        stated = bytes(msgspec.json.decode(line, type=_Stated).payload)
        text = msgspec.json.decode(stated, type=str).encode()
    except (msgspec.MsgspecError, RecursionError):
        return line
    return line.replace(b'"payload":' + stated, b'"payload":' + text, 1)
