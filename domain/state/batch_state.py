"""The state of a batch of cards: where its decks are, under which seal, and what was found.

A batch's stream is ``cards/<batch>``. Like a shoe's and a table's, `evolve` never refuses: decks
issued twice, a seal opened that was never closed, cards that come back after they were destroyed
are kept as they came, for the auditor to read.
"""

from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import card_batch as c
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.projection import Handlers, Projection


class TableIssue(Struct):
    """The batch at a table, from its issue until it came back (None: it has not)."""

    table: str
    issued: RecordedEvent[c.CardsIssued]
    returned: RecordedEvent[c.CardsReturned] | None = None


class Seal(Struct):
    """A seal from its closing to its opening; ``touched`` is what was done through it.

    A maker's seal was closed before the delivery, which stands for its closing.
    """

    closed: RecordedEvent[c.CardsReceived | c.CardsSealed]
    number: str
    purpose: c.Purpose
    opened: RecordedEvent[c.SealOpened] | None = None
    touched: list[RecordedEvent[ev.CardsInspected | c.CardsPreshuffled]] = []


class Defect(Struct):
    """Bad cards, and the report that followed (None: none has)."""

    found: RecordedEvent[c.CardsFoundBad | c.CardsSorted]
    payload: c.CardsFoundBad
    reported: RecordedEvent[c.DefectReported] | None = None


class Tally(Struct, frozen=True):
    """A count, and how many decks there were by the record when it was made."""

    counted: RecordedEvent[c.CardsCounted]
    payload: c.CardsCounted
    due: int


class Batch(Struct):
    """A batch of decks as its events have it.

    ``decks`` are those received and not destroyed. ``backs`` are the colours at delivery,
    ``makers`` the seals under which the maker sent them. ``renewed`` are deliveries that came
    when all that was delivered before had been destroyed: cards of which nothing is known yet.
    ``sortings`` are the times that they were put back in the maker's order; what was found bad
    then is a defect.
    ``moves`` are all events in which somebody had the cards in hand. ``condemned`` is the seal
    under which they wait for destruction, ``destruction`` their destruction; ``reused`` what was
    done with them after that. ``unmatched_events`` are events that found nothing to stand on.
    """

    stream: str
    history: list[RecordedEvent] = []
    received: list[RecordedEvent[c.CardsReceived]] = []
    decks: int = 0
    backs: tuple[str, ...] = ()
    makers: list[Seal] = []
    renewed: list[RecordedEvent[c.CardsReceived]] = []
    inspected: list[RecordedEvent[ev.CardsInspected]] = []
    preshuffled: list[RecordedEvent[c.CardsPreshuffled]] = []
    seals: list[Seal] = []
    stays: list[TableIssue] = []
    defects: list[Defect] = []
    tallies: list[Tally] = []
    sortings: list[RecordedEvent[c.CardsSorted]] = []
    destroyed: list[RecordedEvent[c.CardsDestroyed]] = []
    condemned: RecordedEvent[c.CardsSealed] | None = None
    destruction: RecordedEvent[c.CardsDestroyed] | None = None
    reused: list[RecordedEvent] = []
    moves: list[RecordedEvent] = []
    unmatched_events: list[RecordedEvent] = []
    corrections: list[RecordedEvent[ev.EventCorrected]] = []

    @property
    def name(self) -> str:
        """The name by which people call it: its stream without ``cards/``."""
        return self.stream.removeprefix("cards/")

    @property
    def version(self) -> int:
        """The version of its last event; 0 where it has none."""
        return self.history[-1].position if self.history else 0

    @property
    def seal(self) -> Seal | None:
        """The seal that is closed now, the outermost."""
        return next((seal for seal in reversed(self.seals) if seal.opened is None), None)

    @property
    def stay(self) -> TableIssue | None:
        """The table that it lies at now."""
        return next((stay for stay in reversed(self.stays) if stay.returned is None), None)

    @property
    def where(self) -> str:
        """Where the decks are now, in words."""
        if self.destruction is not None:
            return "destroyed"
        if self.stay is not None:
            return f"at table {self.stay.table}"
        seal = self.seal
        if seal is not None and seal.purpose != "use":
            return "sealed as evidence" if seal.purpose == "evidence" else "sealed for destruction"
        return "in the store" if self.received else "not received"


def _handled(batch: Batch, event: RecordedEvent) -> None:
    """Note that somebody had the cards in hand, and what he had no business to."""
    batch.moves.append(event)
    if batch.destruction is not None:
        batch.reused.append(event)


def _through_the_seal(
    batch: Batch, event: RecordedEvent[ev.CardsInspected | c.CardsPreshuffled]
) -> None:
    """Note that somebody had the cards out, though their seal was closed."""
    _handled(batch, event)
    if batch.seal is not None:
        batch.seal.touched.append(event)


def _into_play(batch: Batch, event: RecordedEvent) -> None:
    """Note what is done to play with the cards, which those to be destroyed are not for."""
    if batch.destruction is None and batch.condemned is not None:
        batch.reused.append(event)


def _received(batch: Batch, event: RecordedEvent[c.CardsReceived]) -> None:
    payload = event.payload
    batch.moves.append(event)
    batch.received.append(event)
    if batch.destruction is not None:
        batch.renewed.append(event)
    batch.decks += payload.decks
    batch.backs = (*batch.backs, *(back for back in payload.backs if back not in batch.backs))
    batch.makers += [Seal(event, number, "use") for number in payload.seals]
    batch.destruction = batch.condemned = None


def _inspected(batch: Batch, event: RecordedEvent[ev.CardsInspected]) -> None:
    _through_the_seal(batch, event)
    batch.inspected.append(event)


def _preshuffled(batch: Batch, event: RecordedEvent[c.CardsPreshuffled]) -> None:
    _through_the_seal(batch, event)
    _into_play(batch, event)
    batch.preshuffled.append(event)


def _sealed(batch: Batch, event: RecordedEvent[c.CardsSealed]) -> None:
    payload = event.payload
    _handled(batch, event)
    batch.seals.append(Seal(event, payload.seal, payload.purpose))
    if payload.purpose == "destruction":
        batch.condemned = batch.condemned or event


def _seal_opened(batch: Batch, event: RecordedEvent[c.SealOpened]) -> None:
    payload = event.payload
    closed = [seal for seal in batch.seals if seal.opened is None]
    makers = [seal for seal in batch.makers if seal.opened is None]
    # a box may lie sealed within a sealed box
    named = [seal for seal in (*makers, *closed) if seal.number == payload.seal]
    known = any(seal.number == payload.seal for seal in batch.makers)
    opened = named or ([] if known else closed or makers)
    if not opened:
        batch.unmatched_events.append(event)
        return
    _handled(batch, event)
    opened[-1].opened = event


def _issued(batch: Batch, event: RecordedEvent[c.CardsIssued]) -> None:
    _handled(batch, event)
    _into_play(batch, event)
    batch.stays.append(TableIssue(event.payload.table, event))


def _returned(batch: Batch, event: RecordedEvent[c.CardsReturned]) -> None:
    payload = event.payload
    _handled(batch, event)
    there = [stay for stay in batch.stays if stay.returned is None]
    if payload.table is not None:
        there = [stay for stay in there if stay.table == payload.table]
    if there:
        there[-1].returned = event
    else:
        batch.unmatched_events.append(event)


def _found_bad(batch: Batch, event: RecordedEvent[c.CardsFoundBad]) -> None:
    batch.defects.append(Defect(event, event.payload))


def _sorted(batch: Batch, event: RecordedEvent[c.CardsSorted]) -> None:
    payload = event.payload
    _handled(batch, event)
    batch.sortings.append(event)
    if payload.missing or payload.extra or payload.marked:
        found = c.CardsFoundBad(payload.by, payload.missing, payload.extra, payload.marked)
        batch.defects.append(Defect(event, found))


def _reported(batch: Batch, event: RecordedEvent[c.DefectReported]) -> None:
    open_defects = [defect for defect in batch.defects if defect.reported is None]
    if not open_defects:
        batch.unmatched_events.append(event)
    for defect in open_defects:
        defect.reported = event


def _counted(batch: Batch, event: RecordedEvent[c.CardsCounted]) -> None:
    batch.tallies.append(Tally(event, event.payload, batch.decks))


def _destroyed(batch: Batch, event: RecordedEvent[c.CardsDestroyed]) -> None:
    payload = event.payload
    _handled(batch, event)
    batch.destroyed.append(event)
    # how many decks there are is known from their delivery on
    known = type(batch.moves[0].payload) is c.CardsReceived
    if (
        known
        and batch.destruction is None
        and payload.decks is not None
        and payload.decks > batch.decks
    ):
        batch.unmatched_events.append(event)
    batch.decks = 0 if payload.decks is None else max(0, batch.decks - payload.decks)
    if not batch.decks and (known or payload.decks is None):
        batch.destruction = batch.destruction or event


_HANDLERS: Final = Handlers[Batch]()
_HANDLERS.on(c.CardsReceived, _received)
_HANDLERS.on(ev.CardsInspected, _inspected)
_HANDLERS.on(c.CardsPreshuffled, _preshuffled)
_HANDLERS.on(c.CardsSealed, _sealed)
_HANDLERS.on(c.SealOpened, _seal_opened)
_HANDLERS.on(c.CardsIssued, _issued)
_HANDLERS.on(c.CardsReturned, _returned)
_HANDLERS.on(c.CardsSorted, _sorted)
_HANDLERS.on(c.CardsFoundBad, _found_bad)
_HANDLERS.on(c.DefectReported, _reported)
_HANDLERS.on(c.CardsCounted, _counted)
_HANDLERS.on(c.CardsDestroyed, _destroyed)
_HANDLERS.keep(ev.EventCorrected, lambda batch: batch.corrections)

_FOLDER: Final[Projection[Batch]] = Projection(Batch, _HANDLERS)
fold, evolve, apply = _FOLDER.fold, _FOLDER.evolve, _FOLDER.apply
