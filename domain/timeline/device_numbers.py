"""Sequence numbers of devices, and numbers missing from a record."""

from collections.abc import Iterator
from itertools import pairwise

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.timeline.ordering import by_device


def skipped_numbers(history: list[RecordedEvent]) -> Iterator[tuple[RecordedEvent, RecordedEvent]]:
    """Yield, for each device, the pairs of events between which sequence numbers are missing."""
    if _counts_on(history):
        return
    numbered = [event for event in history if event.seq is not None]
    if _counts_on(numbered):
        return
    for events in by_device(numbered).values():
        for before, after in pairwise(events):
            if (after.seq or 0) > (before.seq or 0) + 1:
                yield before, after


def _counts_on(events: list[RecordedEvent]) -> bool:
    """Return whether all events are of one device and have consecutive numbers."""
    told = [event.seq for event in events]
    first = told[0] if told else 0
    if first is None or told != list(range(first, first + len(told))):
        return False
    return len({event.device for event in events}) <= 1
