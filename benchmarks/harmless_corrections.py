"""Corrections that hide nothing, put into clean histories.

In one coup of twenty an event is first recorded wrongly and corrected by the next event, or it is
recorded rightly and corrected to the same when the coup is over.
"""

import random
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.cards import Card

ONE_OF: Final = 20
"""One coup of so many is corrected."""
_OTHER: Final[dict[Card, Card]] = {"2c": "9c"}


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
        wrong = _misread(payload) if number in chosen and rng.randrange(3) == 0 else None
        payloads.append(wrong or payload)
        made_at.append(event)
        version = len(payloads)
        if wrong is not None:
            chosen.discard(number)
            if rng.randrange(2):
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


def _misread(payload: ev.Event) -> ev.Event | None:
    """Return an event as somebody misread it. None for an event that is left as it is."""
    match payload:
        case ev.BetPlaced(amount=amount) | ev.BetPaid(amount=amount) | ev.BetTaken(amount=amount):
            return replace(payload, amount=amount + 1)
        case ev.CardDrawn(card=card):
            return replace(payload, card=_OTHER.get(card, "2c"))
        case ev.ResultCalled(outcome=outcome):
            return replace(payload, outcome="P" if outcome != "P" else "B")
        case _:
            return None
