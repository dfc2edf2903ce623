"""Decide what counts as known at each moment if events were corrected later.

A correction of cards states what the cards really were, so it counts from the moment at which they
were seen. A correction of people's actions differs: a person who corrects a bet after a face was
shown knows that face. So bets, calls of no more bets, seats and dealers (from the loading of the
shoe on) count as **recorded at the time** of each face. A correction of them takes effect at its
own position. A bet corrected after a face was shown, in either version, counts in the patron's
favour only. A noted irregularity is never removed, and one added by a correction counts from the
corrected event. All of this can only weaken the evidence.
"""

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.corrections import apply_corrections, names_earlier
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.observation.late_notes import LateNotes

OfBets = ev.BetPlaced | ev.BetCarried | ev.BetChanged | ev.BetWithdrawn | ev.NoMoreBets
OF_BETS: Final = get_args(OfBets)
OF_PEOPLE: Final = (ev.PatronSeated, ev.PatronMoved, ev.PatronLeft, ev.CrewChanged)
_FROM_NOW_ON: Final = OF_BETS + OF_PEOPLE
_STAND: Final = (*_FROM_NOW_ON, ev.IrregularityNoted)


Correction = tuple[int, tuple[str, ...]]
"""Log index of an event's last correction, and the patrons named by its corrections."""


class CorrectedView(Struct, frozen=True):
    """The corrections of a stream.

    ``payloads`` maps a position to the payloads that replace its event. ``bets`` maps positions to
    corrected bets. ``late`` are irregularities that were noted in a later coup than theirs.
    """

    payloads: dict[int, tuple[ev.Event, ...]] = {}
    bets: dict[int, Correction] = {}
    late: tuple[ev.IrregularityNoted, ...] = ()


def instead_of(history: Sequence[RecordedEvent]) -> CorrectedView:
    """Return the corrections of a stream, as they apply from its beginning."""
    view = CorrectedView(_at_places(history), _bets_corrected(history))
    late = LateNotes()
    found = (late.take(one) for event in history for one in at_place(event, view))
    return replace(view, late=tuple(note for note in found if note is not None))


def _at_places(history: Sequence[RecordedEvent]) -> dict[int, tuple[ev.Event, ...]]:
    holds = {event.position: event.payload for event in apply_corrections(list(history))}
    found: dict[int, tuple[ev.Event, ...]] = {}
    drawn = (at for at, event in enumerate(history) if isinstance(event.payload, ev.CardDrawn))
    dealt = next(drawn, len(history))
    for event in history:
        now = holds.get(event.position)
        if now is event.payload:
            continue
        if isinstance(event.payload, ev.ShoeLoaded):
            now = _as_loaded(event, now, history[:dealt])
        original = (event.payload,) if isinstance(event.payload, _STAND) else ()
        replacement = () if now is None or isinstance(now, _FROM_NOW_ON) else (now,)
        if (event.payload,) != original + replacement:
            found[event.position] = original + replacement
    return found


def _as_loaded(
    loading: RecordedEvent, now: ev.Event | None, before: Sequence[RecordedEvent]
) -> ev.Event | None:
    """Return the loading that applies from the beginning, if it was corrected.

    The cards in the shoe are taken from the correction. The rule pack and the coverage are those on
    record when the first card was drawn (``before`` ends there), since a later correction is made
    with knowledge of faces. The people are those of the original event.
    """
    recorded = {event.position: event.payload for event in apply_corrections(list(before))}.get(
        loading.position
    )
    if not isinstance(recorded, ev.ShoeLoaded):
        return now
    known = now if isinstance(now, ev.ShoeLoaded) else recorded
    people = loading.payload if isinstance(loading.payload, ev.ShoeLoaded) else recorded
    return replace(
        known,
        pack=recorded.pack,
        pack_sha256=recorded.pack_sha256,
        pack_named=recorded.pack_named,
        coverage=recorded.coverage,
        crew=people.crew,
        seats=people.seats,
    )


def _bets_corrected(history: Sequence[RecordedEvent]) -> dict[int, Correction]:
    payloads = {event.position: event.payload for event in history}
    found: dict[int, Correction] = {}
    for event in history:
        payload: ev.Event | None = event.payload
        position = event.position
        named: tuple[str, ...] = ()
        # a correction may itself have been corrected
        while isinstance(payload, ev.EventCorrected) and names_earlier(payload, position):
            patron = getattr(payload.instead, "patron", None)
            named = named if patron is None else (*named, patron)
            position = payload.version
            payload = payloads.get(position)
        if position != event.position and isinstance(payload, OF_BETS):
            found[position] = (event.index, (*found.get(position, (0, ()))[1], *named))
    return found


def at_place(event: RecordedEvent, instead: CorrectedView) -> Iterator[RecordedEvent]:
    """Yield the events that apply in place of an event; without a correction, the event itself."""
    payloads = instead.payloads.get(event.position)
    if payloads is None:
        yield event
        return
    for payload in payloads:
        yield replace(event, payload=payload)


class Stood:
    """Events about people, with all corrections up to the present event applied."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self._told: list[RecordedEvent] = []

    def take(self, event: RecordedEvent) -> bool:
        """Add the next event. Return whether it corrects an earlier one."""
        if type(event.payload) is not ev.EventCorrected:
            self._told.append(event)
            return False
        if all(one.position != event.payload.version for one in self._told):
            return False
        self._told.append(event)
        return True

    def now(self) -> list[RecordedEvent]:
        """Return the events with the corrections recorded so far."""
        return [
            one
            for one in apply_corrections(self._told)
            if type(one.payload) is not ev.EventCorrected
        ]
