"""State of a batch of cards: where it is, its seals, counts and defects.

A batch's stream is ``cards/<batch>``. `evolve` accepts every event, as for shoes and tables. Decks
issued twice, an opened seal that was never closed, and cards returned after their destruction are
all kept for the audit.
"""

from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import card_batch as c
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.state.projection import Handlers, Projection


class TableIssue(Struct):
    """An issue of a batch to a table.

    ``returned`` is the next return from that table, if any. ``elsewhere`` are the issues to other
    tables from which the cards had not come back. It is empty if they were at this table already.
    """

    table: str
    issued: RecordedEvent[c.CardsIssued]
    returned: RecordedEvent[c.CardsReturned] | None = None
    elsewhere: list[RecordedEvent[c.CardsIssued]] = []


class Seal(Struct):
    """A seal from its closing to its opening.

    ``touched`` lists what was done with the cards while the seal was closed. For a maker's seal,
    ``closed`` is the delivery of the cards.
    """

    closed: RecordedEvent[c.CardsReceived | c.CardsSealed]
    number: str
    purpose: c.Purpose
    opened: RecordedEvent[c.SealOpened] | None = None
    touched: list[RecordedEvent[ev.CardsInspected | c.CardsPreshuffled]] = []


class Defect(Struct):
    """Defective cards, and the report about them. ``reported`` is None before the report."""

    found: RecordedEvent[c.CardsFoundBad | c.CardsSorted]
    payload: c.CardsFoundBad
    reported: RecordedEvent[c.DefectReported] | None = None


class Tally(Struct, frozen=True):
    """A count of decks. ``due`` is the number of decks on record at that time."""

    counted: RecordedEvent[c.CardsCounted]
    payload: c.CardsCounted
    due: int


class Batch(Struct):
    """A batch of decks, computed from its events.

    ``decks`` is the number of decks received and not destroyed. ``backs`` are the colours at
    delivery, ``makers`` the maker's seals. ``renewed`` lists deliveries that came after every
    earlier deck was destroyed; nothing is known yet about these cards. ``sortings`` lists each time
    the cards were sorted into the maker's order. Bad cards found while sorting are a defect.

    ``moves`` lists every event in which somebody handled the cards. ``condemned`` is the seal under
    which the cards wait for destruction, ``destruction`` their destruction, ``reused`` what was
    done with them afterwards. A delivery resets both, and ``given_up`` keeps them.
    ``unmatched_events`` lists events that do not fit the state, such as the return of cards that
    were not issued.
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
    given_up: list[RecordedEvent[c.CardsSealed | c.CardsDestroyed]] = []
    reused: list[RecordedEvent] = []
    moves: list[RecordedEvent] = []
    unmatched_events: list[RecordedEvent] = []
    corrections: list[RecordedEvent[ev.EventCorrected]] = []

    @property
    def name(self) -> str:
        """The batch's name: its stream without ``cards/``."""
        return self.stream.removeprefix("cards/")

    @property
    def version(self) -> int:
        """The version of the last event. It is 0 if there is none."""
        return self.history[-1].position if self.history else 0

    @property
    def begins_with_delivery(self) -> bool:
        """Whether the cards were delivered before anybody else handled them."""
        return bool(self.moves) and is_of(self.moves[0], c.CardsReceived)

    @property
    def seal(self) -> Seal | None:
        """The seal of the present cards that is closed now; the outermost if there are several."""
        since = self.renewed[-1].position if self.renewed else 0
        closed = (seal for seal in reversed(self.seals) if seal.closed.position > since)
        return next((seal for seal in closed if seal.opened is None), None)

    @property
    def stay(self) -> TableIssue | None:
        """The current stay at a table. None if the batch is at none."""
        return next((stay for stay in reversed(self.stays) if stay.returned is None), None)

    @property
    def where(self) -> str:
        """The location of the decks, as text."""
        if self.destruction is not None:
            return "destroyed"
        if self.stay is not None:
            return f"at table {self.stay.table}"
        seal = self.seal
        if seal is not None and seal.purpose != "use":
            return "sealed as evidence" if seal.purpose == "evidence" else "sealed for destruction"
        return "in the store" if self.received else "not received"


def _handled(batch: Batch, event: RecordedEvent) -> None:
    """Record an event that handled the cards, and whether they had been destroyed before."""
    batch.moves.append(event)
    if batch.destruction is not None:
        batch.reused.append(event)


def _through_the_seal(
    batch: Batch, event: RecordedEvent[ev.CardsInspected | c.CardsPreshuffled]
) -> None:
    """Record an event that handled the cards, and whether a seal was closed."""
    _handled(batch, event)
    if batch.seal is not None:
        batch.seal.touched.append(event)


def _into_play(batch: Batch, event: RecordedEvent) -> None:
    """Record an event that used the cards although they are sealed for destruction."""
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
    now = batch.seal
    if now is not None and (now.number, now.purpose) == (payload.seal, payload.purpose):
        batch.unmatched_events.append(event)
        return
    _handled(batch, event)
    batch.seals.append(Seal(event, payload.seal, payload.purpose))
    if payload.purpose == "destruction" and batch.condemned is None:
        batch.condemned = event
        if batch.destruction is None:
            batch.given_up.append(event)


def _seal_opened(batch: Batch, event: RecordedEvent[c.SealOpened]) -> None:
    payload = event.payload
    closed = [seal for seal in batch.seals if seal.opened is None]
    makers = [seal for seal in batch.makers if seal.opened is None]
    # a sealed box may contain another sealed box
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
    table = event.payload.table
    since = batch.renewed[-1].position if batch.renewed else 0
    out = [each for each in batch.stays if each.returned is None and each.issued.position > since]
    elsewhere = [] if any(each.table == table for each in out) else [each.issued for each in out]
    batch.stays.append(TableIssue(table, event, elsewhere=elsewhere))


def _returned(batch: Batch, event: RecordedEvent[c.CardsReturned]) -> None:
    payload = event.payload
    _handled(batch, event)
    there = [stay for stay in batch.stays if stay.returned is None]
    if payload.table is not None:
        there = [stay for stay in there if stay.table == payload.table]
    if not there:
        batch.unmatched_events.append(event)
    for stay in there:
        if stay.table == there[-1].table:
            stay.returned = event


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
    # the number of decks is known only if the history starts with a delivery
    known = batch.begins_with_delivery
    if (
        known
        and batch.destruction is None
        and payload.decks is not None
        and payload.decks > batch.decks
    ):
        batch.unmatched_events.append(event)
    batch.decks = 0 if payload.decks is None else max(0, batch.decks - payload.decks)
    if not batch.decks and (known or payload.decks is None) and batch.destruction is None:
        batch.destruction = event
        batch.given_up.append(event)


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
