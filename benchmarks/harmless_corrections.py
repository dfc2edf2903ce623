"""Put corrections that hide nothing into clean histories.

In one coup of twenty, an event is first recorded wrongly and corrected by the next event, or it is
recorded rightly and corrected to the same value after the coup. The event may be of any type, and
any of its fields may be wrong. One of fifty events between the coups is treated alike.
"""

import random
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from tests.faults.correction_faults import told_otherwise

ONE_OF: Final = 20
"""One coup of so many is corrected."""
BETWEEN: Final = 50
"""One event of no coup of so many is corrected."""


def corrected(history: Sequence[RecordedEvent], rng: random.Random) -> list[RecordedEvent]:
    """Return a history with a harmless correction in one coup of twenty."""
    numbers = sorted({getattr(event.payload, "coup", None) or 0 for event in history} - {0})
    chosen = {number for number in numbers if rng.randrange(ONE_OF) == 0}
    payloads: list[ev.Event] = []
    made_at: list[RecordedEvent] = []
    late: dict[int, tuple[int, ev.Event]] = {}
    for event in history:
        payload = event.payload
        number = getattr(payload, "coup", None)
        wrong = None
        if rng.randrange(BETWEEN) == 0 if number is None else number in chosen:
            wrong = _misread(payload, rng)
        payloads.append(wrong or payload)
        made_at.append(event)
        version = len(payloads)
        if wrong is not None:
            chosen.discard(number)
            if number is not None and rng.randrange(2):
                late[number] = version, payload
                payloads[-1] = payload
            else:
                payloads.append(ev.EventCorrected(version, "misread", "sue", payload))
                made_at.append(event)
        if isinstance(payload, ev.CoupClosed) and payload.coup in late:
            named, was = late.pop(payload.coup)
            payloads.append(ev.EventCorrected(named, "checked", "sue", was))
            made_at.append(event)
    return [
        replace(event, index=n, version=n, position=n, seq=None, payload=payload)
        for n, (event, payload) in enumerate(zip(made_at, payloads, strict=True), 1)
    ]


def _misread(payload: ev.Event, rng: random.Random) -> ev.Event | None:
    """Return an event of a coup with one wrong field. Return None for most events."""
    ways = list(told_otherwise(payload))
    return rng.choice(ways) if ways and rng.randrange(3) == 0 else None
