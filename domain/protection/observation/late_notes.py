"""Irregularities that the log has in a later coup than the one that they concern.

A coup with an irregularity is not evidence against anybody, whenever the irregularity was noted.
"""

from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent

OF_COUP: Final = (
    ev.CoupOpened, ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn, ev.NoMoreBets,
    ev.CardDrawn, ev.CardTurned, ev.TotalsCalled, ev.ResultCalled, ev.CoupClosed, ev.CoupVoided,
)  # fmt: skip
"""The kinds of events that belong to a coup. An event of a later coup ends the current one."""


class LateNotes:
    """Reads the events of a shoe, and finds the irregularities that were noted late."""

    def __init__(self) -> None:
        """Create the reader before the first event."""
        self._last = 0
        self._open = False
        self._device: str | None = None

    def take(self, event: RecordedEvent) -> ev.IrregularityNoted | None:
        """Process the next event. Return an irregularity of an earlier coup that it notes.

        A note that names no coup, by another device than that of the coup in play, may mean the
        coup before.
        """
        payload = event.payload
        if isinstance(payload, OF_COUP):
            if payload.coup > self._last:
                self._last, self._device = payload.coup, event.device
            if payload.coup == self._last:
                self._open = not isinstance(payload, ev.CoupClosed | ev.CoupVoided)
            return None
        note = irregularity_of(payload)
        if note is None:
            return None
        if note.coup is None and self._open and event.device != self._device:
            note = replace(note, coup=self._last - 1)
        return note if 0 < (note.coup or 0) < self._last else None


def irregularity_of(payload: ev.Event) -> ev.IrregularityNoted | None:
    """Return the irregularity that an event notes. None if it notes none.

    A card that was burned face up counts as an exposed card, except at the opening.
    """
    match payload:
        case ev.IrregularityNoted():
            return payload
        case ev.CardBurned(card=str(), reason=reason) if reason != "opening":
            return ev.IrregularityNoted("card-exposed", "burn-card", payload.coup)
        case _:
            return None
