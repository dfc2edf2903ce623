"""Read the events of a shoe and return each coup once the next one begins.

A coup's events are buffered until its end, since only then is it known which of its cards were
dealt face down. The coup is returned when the next one begins: an irregularity noted between the
two still concerns it.
"""

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.observation.knowledge_at import (
    CorrectedView,
    at_place,
    instead_of,
)
from sabot.domain.protection.observation.late_notes import OF_COUP
from sabot.domain.protection.observation.observed_coup import CoupObservation, ShoeObservation
from sabot.domain.protection.observation.shoe_walk import Walk
from sabot.domain.state.shoe import Shoe


def observe_shoe(shoe: Shoe) -> ShoeObservation:
    """Read all events of a shoe. Return its coups as people at the table could see them."""
    instead = instead_of(shoe.history)
    watcher = Watcher(shoe, instead)
    for event in shoe.history:
        for one in at_place(event, instead):
            watcher.take(one)
    watcher.finish()
    return watcher.seen


def patron_of(payload: ev.Event) -> str | None:
    """Return the patron of an event, or None.

    For a correction it is that of the corrected event.
    """
    actual = payload.instead if isinstance(payload, ev.EventCorrected) else payload
    return getattr(actual, "patron", None)


def _shows_burned(payload: ev.Event) -> bool:
    return isinstance(payload, ev.CardBurned) and payload.card is not None


class Watcher:
    """Takes a shoe's events and returns the ended coups.

    ``shoe`` must be loaded; only its loading event is read.
    """

    def __init__(self, shoe: Shoe, instead: CorrectedView) -> None:
        """Create the watcher before the first event.

        ``instead`` are the corrections already known.
        """
        self._walk = Walk(shoe, instead)
        self._late = instead.late
        self._kept: list[RecordedEvent] = []
        self._playing = 0
        self._ended = 0
        self._waiting: list[CoupObservation] = []

    @property
    def seen(self) -> ShoeObservation:
        """The observation up to the last ended coup."""
        return self._walk.seen

    @property
    def lacking(self) -> int:
        """The number of cards that may have been seen without being on record."""
        return self._walk.stock.lacking

    @property
    def playing(self) -> int:
        """The number of the coup in play; 0 between coups."""
        return self._playing

    def present(self) -> list[str]:
        """List the patrons at the table, as far as recorded."""
        present = dict.fromkeys(self._walk.people.present())
        for event in self._kept:
            patron = patron_of(event.payload)
            if patron is not None:
                present[patron] = None
        return list(present)

    @property
    def waiting(self) -> tuple[CoupObservation, ...]:
        """The coups that are over, before the next one."""
        return tuple(self._waiting)

    def release(self) -> list[CoupObservation]:
        """Return the coups held back, which no later irregularity concerns."""
        found, self._waiting = self._waiting, []
        return found

    def _note(self, note: ev.IrregularityNoted) -> None:
        """Apply an irregularity noted between coups to the coups that are over."""
        if not self._playing:
            self._walk.note_after(note, self._waiting)

    def take(self, event: RecordedEvent) -> list[CoupObservation]:
        """Process the next event, with corrections applied. Return the coups that are complete.

        A coup is complete when the next one begins. An irregularity noted between the two still
        concerns it.
        """
        kind = type(event.payload)
        if kind not in Walk.KINDS:
            return []
        if isinstance(event.payload, ev.IrregularityNoted):
            self._note(event.payload)
        elif _shows_burned(event.payload) and not self._playing:
            self._walk.burned_after(event, self._waiting)
        over: list[CoupObservation] = []
        number = 0
        if kind in OF_COUP:
            number = event.payload.coup  # type: ignore[union-attr, assignment] # all have it
            if not self._playing and (number > self._ended or kind is ev.CoupOpened):
                over = self.release()
            if 0 < self._playing < number:
                over = self._concerned([*self._read(), *self._walk.abandon(event)])
            if not self._playing and number <= self._ended and kind is not ev.CoupOpened:
                # recorded late, of a coup that is over
                self._kept.append(event)
                self._waiting += self._read()
                return []
            self._playing = max(number, self._playing)
        self._kept.append(event)
        if kind in (ev.CoupClosed, ev.CoupVoided) and number == self._playing:
            # otherwise it was recorded late and belongs to an earlier coup
            self._waiting += self._read()
            self._playing, self._ended = 0, number
        return over

    def finish(self) -> list[CoupObservation]:
        """Process the buffered events at the end of the record.

        Return their coups, even coups without an end, after those that wait.
        """
        waiting = self.release()
        return [*waiting, *self._read()]

    def _read(self) -> list[CoupObservation]:
        kept, self._kept = self._kept, []
        return self._concerned(self._walk.on(kept))

    def _concerned(self, coups: list[CoupObservation]) -> list[CoupObservation]:
        """Apply the irregularities that were noted in a later coup."""
        for note in self._late:
            self._walk.note_after(
                note, [coup for coup in coups if coup.number - (note.coup or 0) in (0, 1)]
            )
        return coups
