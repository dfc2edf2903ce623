"""What a stream says once its corrections have taken effect; the events themselves stay."""

import msgspec

from sabot.domain.events import Event, EventCorrected
from sabot.domain.events.envelope import RecordedEvent


def apply_corrections(history: list[RecordedEvent]) -> list[RecordedEvent]:
    """Return the history with every corrected event replaced, or left out where nothing happened.

    The last correction of an event holds; one that was itself corrected away has no effect, and
    one that names an event still to come never has any: it would change what it cannot know.
    The list given is returned where nothing was corrected. Its events stand as they came, so that
    their positions are the versions by which corrections name them.
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
    """Tell whether a correction names an event before its own place, or before another's."""
    return position > correction.version


def _corrected(event: RecordedEvent, instead: dict[int, Event | None]) -> RecordedEvent | None:
    if event.position not in instead:
        return event
    payload = instead[event.position]
    return None if payload is None else msgspec.structs.replace(event, payload=payload)
