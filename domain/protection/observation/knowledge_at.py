"""What counts as known when, once facts were corrected.

A correction says what the cards really were, and the cards counted from the moment at which they
were seen, whatever the record called them then. What people did is another matter: whoever
corrects a bet after a face was shown knows that face. So a bet, a call of no more bets, who sat
where and who dealt (from the loading of the shoe on) count as they **stood on record** at each
face: a correction of them takes effect where it stands itself. What a bet that was corrected after
a face had been shown says against anybody, as it stood or as it was corrected, does not count; what
it says for him does. An irregularity, once noted, is never taken back, and one that a correction
names counts from the place of the fact corrected. All of this can only weaken what is said.
"""

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as f
from sabot.domain.events.corrections import effective
from sabot.domain.events.envelope import Event

OfBets = f.BetPlaced | f.BetCarried | f.BetChanged | f.BetWithdrawn | f.NoMoreBets
OF_BETS: Final = get_args(OfBets)
OF_PEOPLE: Final = (f.PatronSeated, f.PatronMoved, f.PatronLeft, f.CrewChanged)
_FROM_NOW_ON: Final = OF_BETS + OF_PEOPLE
_STAND: Final = (*_FROM_NOW_ON, f.IrregularityNoted)


Correction = tuple[int, tuple[str, ...]]
"""Where in the log a fact was last corrected, and whom any correction of it names."""


class Instead(Struct, frozen=True):
    """What the corrections in a stream say.

    ``facts`` hold, by version, at the place of a fact where it is not the fact itself. ``bets``
    are those that were corrected, by version.
    """

    facts: dict[int, tuple[f.Fact, ...]] = {}
    bets: dict[int, Correction] = {}


def instead_of(history: Sequence[Event]) -> Instead:
    """Say what the corrections in a stream put in place of its facts, from the first moment on."""
    return Instead(_at_places(history), _bets_corrected(history))


def _at_places(history: Sequence[Event]) -> dict[int, tuple[f.Fact, ...]]:
    holds = {event.version: event.fact for event in effective(list(history))}
    found: dict[int, tuple[f.Fact, ...]] = {}
    drawn = (at for at, event in enumerate(history) if isinstance(event.fact, f.CardDrawn))
    dealt = next(drawn, len(history))
    for event in history:
        now = holds.get(event.version)
        if now is event.fact:
            continue
        if isinstance(event.fact, f.ShoeLoaded):
            now = _as_loaded(event, now, history[:dealt])
        kept = (event.fact,) if isinstance(event.fact, _STAND) else ()
        mended = () if now is None or isinstance(now, _FROM_NOW_ON) else (now,)
        if (event.fact,) != kept + mended:
            found[event.version] = kept + mended
    return found


def _as_loaded(loading: Event, now: f.Fact | None, before: Sequence[Event]) -> f.Fact | None:
    """Say what of a loading that was corrected counts from the beginning.

    Which cards lie in the shoe was so. Under which pack it was dealt, and that it was, stands as it
    stood when the first card was drawn (``before`` is told until then): whoever corrects it later
    has seen faces. Who was there stands as it was told.
    """
    stood = {event.version: event.fact for event in effective(list(before))}.get(loading.version)
    if not isinstance(stood, f.ShoeLoaded):
        return now
    known = now if isinstance(now, f.ShoeLoaded) else stood
    people = loading.fact if isinstance(loading.fact, f.ShoeLoaded) else stood
    return replace(
        known,
        pack=stood.pack,
        pack_sha256=stood.pack_sha256,
        pack_named=stood.pack_named,
        scope=stood.scope,
        crew=people.crew,
        seats=people.seats,
    )


def _bets_corrected(history: Sequence[Event]) -> dict[int, Correction]:
    facts = {event.version: event.fact for event in history}
    found: dict[int, Correction] = {}
    for event in history:
        fact: f.Fact | None = event.fact
        version = event.version
        named: tuple[str, ...] = ()
        # a correction may itself be corrected
        while isinstance(fact, f.FactCorrected) and fact.version < version:
            patron = getattr(fact.instead, "patron", None)
            named = named if patron is None else (*named, patron)
            version = fact.version
            fact = facts.get(version)
        if version != event.version and isinstance(fact, OF_BETS):
            found[version] = (event.index, (*found.get(version, (0, ()))[1], *named))
    return found


def at_place(event: Event, instead: Instead) -> Iterator[Event]:
    """List what holds in place of a fact: itself, mostly."""
    facts = instead.facts.get(event.version)
    if facts is None:
        yield event
        return
    for fact in facts:
        yield replace(event, fact=fact)


class Stood:
    """Facts of people as they stand on record, one after the other; corrections among them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._told: list[Event] = []

    def take(self, event: Event) -> bool:
        """Take the next fact; tell whether it corrects one of those before."""
        if type(event.fact) is not f.FactCorrected:
            self._told.append(event)
            return False
        if all(one.version != event.fact.version for one in self._told):
            return False
        self._told.append(event)
        return True

    def now(self) -> list[Event]:
        """List the facts as they stand now."""
        return [one for one in effective(self._told) if type(one.fact) is not f.FactCorrected]
