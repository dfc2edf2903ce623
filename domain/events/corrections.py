"""What a stream says once its corrections have taken effect; the events themselves stay."""

import msgspec

from sabot.domain.events import Event, EventCorrected
from sabot.domain.events.envelope import RecordedEvent


def effective(history: list[RecordedEvent]) -> list[RecordedEvent]:
    """Return the history with every corrected event replaced, or left out where nothing happened.

    The last correction of an event holds; one that was itself corrected away has no effect, and
    one that names an event still to come never has any: it would change what it cannot know.
    The list given is returned where nothing was corrected.
    """
    instead: dict[int, Event | None] = {}
    for event in reversed(history):
        payload = instead.get(event.version, event.payload)
        if type(payload) is EventCorrected and payload.version < event.version:
            instead.setdefault(payload.version, payload.instead)
    if not instead:
        return history
    return [event for event in (_corrected(event, instead) for event in history) if event]


def _corrected(event: RecordedEvent, instead: dict[int, Event | None]) -> RecordedEvent | None:
    if event.version not in instead:
        return event
    payload = instead[event.version]
    return None if payload is None else msgspec.structs.replace(event, payload=payload)
