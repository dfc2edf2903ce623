"""Events as record lines, as a device would send them to ``sabot record``."""

from typing import Final

import msgspec

from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import ReviewEvent
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.parsing import show_time
from sabot.infrastructure.imports.record_line import RecordLine

_encode: Final = msgspec.json.Encoder().encode


def record_line(draft: NewEvent) -> bytes:
    """Return the line of an event that is to be recorded, with its newline.

    The same event gives the same bytes.

    Raises:
        BadInput: no device can report such an event.
    """
    if isinstance(draft.payload, ReviewEvent):
        raise BadInput("reviews of findings are not record lines; use `sabot export`")
    line = RecordLine(
        stream=draft.stream,
        payload=draft.payload,
        at=None if draft.at_us is None else show_time(draft.at_us),
        actor=draft.actor or None,
        device=draft.device or None,
        seq=draft.seq,
        id=draft.event_id,
    )
    return _encode(line) + b"\n"
