"""Apply the corrections of a stream. The stored events stay as they are."""

import msgspec

from sabot.domain.events import Event, EventCorrected
from sabot.domain.events.envelope import RecordedEvent


def apply_corrections(history: list[RecordedEvent]) -> list[RecordedEvent]:
    """Return the history with corrected events replaced or removed.

    If an event is corrected more than once, the last correction counts. A correction has no effect
    if it was itself corrected away, or if it names an event that comes later in the stream. A
    history without corrections is returned unchanged. Events keep their positions, because
    corrections refer to them by position.
    """
    instead: dict[int, Event | None] = {}
    for event in reversed(history):
        payload = instead.get(event.position, event.payload)
        if type(payload) is EventCorrected and names_earlier(payload, event.position):
            instead.setdefault(payload.version, payload.instead)
    if not instead:
        return history
    return [event for event in (_corrected(event, instead) for event in history) if event]


def names_earlier(correction: EventCorrected, position: int) -> bool:
    """Return whether a correction at this position refers to an earlier event."""
    return position > correction.version


def _corrected(event: RecordedEvent, instead: dict[int, Event | None]) -> RecordedEvent | None:
    if event.position not in instead:
        return event
    payload = instead[event.position]
    return None if payload is None else msgspec.structs.replace(event, payload=payload)
