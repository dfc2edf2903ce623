"""Events other than bets that decide which bets are tested.

They are calls of no more bets, arrivals and departures, changes of dealer, and the end of a coup.
If such an event precedes a face in the log but may have followed the face at the table, the event
may depend on the face. The coup then counts at its minimum for the patrons concerned.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.observation.card_exposure import Showing
from sabot.domain.protection.observation.coup_timeline import CoupTimeline, first_doubt
from sabot.domain.protection.observation.knowledge_at import CorrectedView
from sabot.domain.protection.observation.observed_coup import CoupObservation, Stakes
from sabot.domain.state.shoe import Shoe

UNTURNED: Final = "bets were changed after cards were dealt, whose turns are not recorded"
PEOPLE_LATE: Final = "the dealer, or a second deal, may have been reported after a face was shown"
CALL_LATE: Final = "no more bets may have been called after a face, by the devices' clocks"
_OF_PATRON: Final = (ev.PatronSeated, ev.PatronMoved, ev.PatronLeft)


class SurroundingEvents:
    """Events other than bets, from the end of one coup to the end of the next, in log order."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self._patrons: list[tuple[str, RecordedEvent]] = []
        self._everybody: list[RecordedEvent] = []
        self._calls: list[RecordedEvent] = []
        self.dealers: dict[str, None] = {}

    def person(self, event: RecordedEvent, dealer: str | None) -> None:
        """Add an event about people. ``dealer`` was the dealer until then."""
        if isinstance(event.payload, _OF_PATRON):
            self._patrons.append((event.payload.patron, event))
        elif isinstance(event.payload, ev.CrewChanged):
            self.corrected(event, dealer)

    def corrected(self, event: RecordedEvent, dealer: str | None) -> None:
        """Add an event that may name another dealer. ``dealer`` was the dealer until then."""
        self.everybody(event)
        if dealer is not None:
            self.dealers[dealer] = None

    def everybody(self, event: RecordedEvent) -> None:
        """Note an event that may matter to every person at the table."""
        self._everybody.append(event)

    def no_more_bets(self, event: RecordedEvent) -> None:
        """Add a call of no more bets, or a correction of one.

        It matters for face-down cards.
        """
        self._calls.append(event)

    def astray(self, reads: Sequence[RecordedEvent], clockwork: CoupTimeline) -> frozenset[str]:
        """Return patrons whose events may follow a face.

        The log has these events before the face.
        """
        return frozenset(
            patron for patron, event in self._patrons if first_doubt(event, reads, clockwork)
        )

    def doubt(
        self, reads: Sequence[RecordedEvent], clockwork: CoupTimeline, *, face_down: bool
    ) -> str:
        """Return why an event that concerns everyone may have followed a face, or an empty text."""
        if any(first_doubt(event, reads, clockwork) for event in self._everybody):
            return PEOPLE_LATE
        calls = self._calls if face_down else ()
        return CALL_LATE if any(first_doubt(event, reads, clockwork) for event in calls) else ""


class Ordering(Showing):
    """The people at a table, and the events that may have followed a face."""

    def __init__(self, shoe: Shoe, instead: CorrectedView) -> None:
        """Create the record before the first event. ``instead`` are the corrections to apply."""
        super().__init__(shoe)
        self._corrected_bets = instead.bets
        self._around = SurroundingEvents()
        self._lay_down = False
        self._moved: dict[str, None] = {}

    def take_person(self, event: RecordedEvent, _event: ev.Event) -> None:
        """Process an event about people."""
        self._around.person(event, self.people.dealer)
        self.people.take(event)

    def take_correction(self, event: RecordedEvent, payload: ev.EventCorrected) -> None:
        """Process a correction of people's actions. Corrections of cards apply from the start."""
        dealer = self.people.dealer
        if self.people.take(event):
            self._around.corrected(event, dealer)
        self._laid.take(event)
        if payload.version in self._laid.told.versions:
            self._around.no_more_bets(event)

    def _note_moved(self, coup: CoupObservation, now: Stakes) -> None:
        """Record who changed bets between a card and the call of no more bets.

        If the turn of the card had been recorded, their stakes at that time would count.
        """
        for look in coup.looks:
            for patron in dict.fromkeys((*look.stakes, *now)):
                if look.stakes.get(patron) != now.get(patron):
                    self._moved[patron] = None

    def _settle(self, coup: CoupObservation) -> None:
        """Record which events of an ended coup may depend on a face that was recorded late."""
        told, corrected, clockwork = self._laid.told, self._corrected_bets, self._clockwork
        around, reads = self._around, told.reads
        coup.unsure = told.unsure(corrected, clockwork)
        for patron in self._moved:
            coup.unsure.setdefault(patron, {})[UNTURNED] = 1
        coup.astray = around.astray(reads, clockwork)
        coup.disputed = coup.unordered | told.corrected(corrected, coup.looks[0].event)
        coup.patrons = tuple(dict.fromkeys((*coup.patrons, *sorted(coup.unordered))))
        why = around.doubt(reads, clockwork, face_down=self._lay_down)
        if why:
            coup.mixed, coup.dealers = why, tuple(around.dealers)
            # the time of the call and the dealer are unknown
            coup.looks = [replace(look, early=look.place > 0) for look in coup.looks]
        self._around = SurroundingEvents()
