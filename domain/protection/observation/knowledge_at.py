"""What counts as known when, once events were corrected.

A correction says what the cards really were, and the cards counted from the moment at which they
were seen, whatever the record called them then. What people did is another matter: whoever
corrects a bet after a face was shown knows that face. So a bet, a call of no more bets, who sat
where and who dealt (from the loading of the shoe on) count as they **stood on record** at each
face: a correction of them takes effect where it stands itself. What a bet that was corrected after
a face had been shown says against anybody, as it stood or as it was corrected, does not count; what
it says for him does. An irregularity, once noted, is never taken back, and one that a correction
names counts from the place of the event corrected. All of this can only weaken what is said.
"""

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.corrections import apply_corrections, names_earlier
from sabot.domain.events.envelope import RecordedEvent

OfBets = ev.BetPlaced | ev.BetCarried | ev.BetChanged | ev.BetWithdrawn | ev.NoMoreBets
OF_BETS: Final = get_args(OfBets)
OF_PEOPLE: Final = (ev.PatronSeated, ev.PatronMoved, ev.PatronLeft, ev.CrewChanged)
_FROM_NOW_ON: Final = OF_BETS + OF_PEOPLE
_STAND: Final = (*_FROM_NOW_ON, ev.IrregularityNoted)


Correction = tuple[int, tuple[str, ...]]
"""Where in the log an event was last corrected, and whom any correction of it names."""


class CorrectedView(Struct, frozen=True):
    """What the corrections in a stream say.

    ``payloads`` hold, by version, at the place of an event where it is not the event itself.
    ``bets`` are those that were corrected, by version.
    """

    payloads: dict[int, tuple[ev.Event, ...]] = {}
    bets: dict[int, Correction] = {}


def instead_of(history: Sequence[RecordedEvent]) -> CorrectedView:
    """Say what the corrections in a stream put in place of its events, from the first moment on."""
    return CorrectedView(_at_places(history), _bets_corrected(history))


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
        kept = (event.payload,) if isinstance(event.payload, _STAND) else ()
        mended = () if now is None or isinstance(now, _FROM_NOW_ON) else (now,)
        if (event.payload,) != kept + mended:
            found[event.position] = kept + mended
    return found


def _as_loaded(
    loading: RecordedEvent, now: ev.Event | None, before: Sequence[RecordedEvent]
) -> ev.Event | None:
    """Say what of a loading that was corrected counts from the beginning.

    Which cards lie in the shoe was so. Under which pack it was dealt, and that it was, stands as it
    stood when the first card was drawn (``before`` is told until then): whoever corrects it later
    has seen faces. Who was there stands as it was told.
    """
    stood = {event.position: event.payload for event in apply_corrections(list(before))}.get(
        loading.position
    )
    if not isinstance(stood, ev.ShoeLoaded):
        return now
    known = now if isinstance(now, ev.ShoeLoaded) else stood
    people = loading.payload if isinstance(loading.payload, ev.ShoeLoaded) else stood
    return replace(
        known,
        pack=stood.pack,
        pack_sha256=stood.pack_sha256,
        pack_named=stood.pack_named,
        coverage=stood.coverage,
        crew=people.crew,
        seats=people.seats,
    )


def _bets_corrected(history: Sequence[RecordedEvent]) -> dict[int, Correction]:
    payloads = {event.position: event.payload for event in history}
    found: dict[int, Correction] = {}
    for event in history:
        payload: ev.Event | None = event.payload
        version = event.position
        named: tuple[str, ...] = ()
        # a correction may itself be corrected
        while isinstance(payload, ev.EventCorrected) and names_earlier(payload, version):
            patron = getattr(payload.instead, "patron", None)
            named = named if patron is None else (*named, patron)
            version = payload.version
            payload = payloads.get(version)
        if version != event.position and isinstance(payload, OF_BETS):
            found[version] = (event.index, (*found.get(version, (0, ()))[1], *named))
    return found


def at_place(event: RecordedEvent, instead: CorrectedView) -> Iterator[RecordedEvent]:
    """List what holds in place of an event: itself, mostly."""
    payloads = instead.payloads.get(event.position)
    if payloads is None:
        yield event
        return
    for payload in payloads:
        yield replace(event, payload=payload)


class Stood:
    """Facts of people as they stand on record, one after the other; corrections among them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._told: list[RecordedEvent] = []

    def take(self, event: RecordedEvent) -> bool:
        """Take the next event; tell whether it corrects one of those before."""
        if type(event.payload) is not ev.EventCorrected:
            self._told.append(event)
            return False
        if all(one.position != event.payload.version for one in self._told):
            return False
        self._told.append(event)
        return True

    def now(self) -> list[RecordedEvent]:
        """List the events as they stand now."""
        return [
            one
            for one in apply_corrections(self._told)
            if type(one.payload) is not ev.EventCorrected
        ]
