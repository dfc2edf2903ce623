"""When the coups of a shoe were dealt: kept small, for the rules that hold shoes side by side.

A log has many shoes, and what is known of each is kept until all are judged. So a coup is kept as
six numbers: its own; the place in the log and the clock of its first card, and of its last; and
which of the two have a clock of the table.

The floor: batches of cards, tables and shoes together, for rules that look beyond one shoe.

Streams have clocks of their own, so what happened first in two of them is told by the table's
clocks (by the log's, where a record lacks them), within the tolerance of the rule pack.
"""

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

import msgspec
from msgspec import Struct, field

from sabot.domain.audit.card_totals import end_of, totals
from sabot.domain.events import ShoeEnded, ShoeLoaded
from sabot.domain.events.bank import SessionCalled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.pack_sections import Custody
from sabot.domain.rules.rule_pack import RulePack, pack_sha256
from sabot.domain.state.batch_state import Batch
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_state import Post, Table

_NUMBERS: Final = 6
_FIRST, _LAST = 1, 2


def clock(event: RecordedEvent) -> int:
    """Return when an event happened: the table's clock, or else the log's, in microseconds."""
    return event.recorded_us if event.at_us is None else event.at_us


class TableInterval(Struct, frozen=True, gc=False):
    """Where an event stands in the log, and when it happened, of which no more is kept.

    ``us`` is the table's clock where ``clocked``, else the log's, in microseconds.
    """

    index: int
    us: int
    clocked: bool


def sighting_of(event: RecordedEvent) -> TableInterval:
    """Return what is kept of an event."""
    return TableInterval(event.index, clock(event), event.at_us is not None)


class Dealt(Struct, frozen=True, gc=False):
    """A coup from its first card to its last."""

    coup: int
    first: TableInterval
    last: TableInterval


class CoupIntervals(Struct, frozen=True):
    """The coups of a shoe that have cards, in the order in which they began."""

    packed: "array[int]" = field(default_factory=lambda: array("q"))

    def __bool__(self) -> bool:
        """Tell whether a card was dealt."""
        return bool(self.packed)

    def __iter__(self) -> Iterator[Dealt]:
        """Go through the coups."""
        return (self._at(start) for start in range(0, len(self.packed), _NUMBERS))

    @property
    def first(self) -> TableInterval:
        """The first card of all; there is one."""
        return self._at(0).first

    @property
    def last(self) -> TableInterval:
        """The last card of the coup that began last; there is one."""
        return self._at(len(self.packed) - _NUMBERS).last

    @property
    def last_begun(self) -> TableInterval:
        """The first card of the coup that began last; there is one."""
        return self._at(len(self.packed) - _NUMBERS).first

    def begun_as(self, other: "CoupIntervals") -> bool:
        """Tell whether the same coups have begun; cards may have followed in the last."""
        behind = len(self.packed) - 3
        return len(self.packed) == len(other.packed) and (
            self.packed[:behind] == other.packed[:behind]
        )

    def _at(self, start: int) -> Dealt:
        coup, first, first_us, last, last_us, clocked = self.packed[start : start + _NUMBERS]
        return Dealt(
            coup,
            TableInterval(first, first_us, bool(clocked & _FIRST)),
            TableInterval(last, last_us, bool(clocked & _LAST)),
        )


def dealt_in(shoe: Shoe) -> CoupIntervals:
    """Return when the coups of a shoe were dealt."""
    begun = [coup for coup in shoe.coups.values() if coup.cards]
    begun.sort(key=lambda coup: coup.cards[0].position)
    packed = array("q")
    for coup in begun:
        packed.extend(_pack(coup.number, coup.cards[0], coup.cards[-1]))
    return CoupIntervals(packed)


def _pack(coup: int, first: RecordedEvent, last: RecordedEvent) -> Iterable[int]:
    clocked = (_FIRST if first.at_us is not None else 0) | (_LAST if last.at_us is not None else 0)
    return coup, first.index, clock(first), last.index, clock(last), clocked


HOUR_US: Final = 3_600_000_000
MINUTE_US: Final = 60_000_000


NO_CLOCK: Final = "some events have no clock of the table, so their order with others is not known"


def doubt_of(events: Iterable[RecordedEvent | None]) -> str:
    """Return why the order of events of several streams is not known; empty where it is.

    Clocks of tables can be held against each other, and so can those of the log; not one kind
    against the other.
    """
    kinds = {event.at_us is None for event in events if event is not None}
    return NO_CLOCK if len(kinds) > 1 else ""


class Abandoned(Struct, frozen=True):
    """A bet that nobody took up, and what lay there, stake and winnings, in minor units."""

    event: RecordedEvent
    coup: int
    bet: int
    patron: str
    amount: int


class ShoeSummary(Struct, frozen=True, kw_only=True):
    """What other streams have to know of a shoe.

    ``loaded`` holds no text of its pack, which is long; ``pack`` is None where it cannot be read.
    ``first`` is the first card that left it, ``last`` its last event, ``dealt`` when its coups
    were. ``watched`` tells who supervised it, and how long. ``off`` is how many cards were counted
    too many at the end (negative: too few), None where nobody counted. ``banked`` is who is said
    to have held the shoe before last, ``last_holder`` who held this one last; ``sessions`` are the
    calls that say of which session of a day it is.
    """

    name: str
    loaded: RecordedEvent[ShoeLoaded] | None
    table: str | None
    batch: str | None
    sabot: str | None
    decks: int
    backs: tuple[str, ...]
    pack: RulePack | None
    pack_sha256: str
    crew: dict[str, str]
    watched: tuple[Post, ...]
    inspected: RecordedEvent | None
    first: RecordedEvent | None
    ended: RecordedEvent[ShoeEnded] | None
    last: RecordedEvent | None
    off: int | None
    abandoned: tuple[Abandoned, ...]
    dealt: CoupIntervals = msgspec.field(default_factory=CoupIntervals)
    banked: str | None = None
    last_holder: str | None = None
    sessions: tuple[RecordedEvent[SessionCalled], ...] = ()

    @property
    def loading(self) -> tuple[RecordedEvent, ...]:
        """Its loading, where that was recorded."""
        return (self.loaded,) if self.loaded is not None else ()

    @property
    def begins(self) -> int:
        """When it was loaded, in microseconds; 0 where that was not recorded."""
        return clock(self.loaded) if self.loaded is not None else 0

    @property
    def ends(self) -> int:
        """When its last event happened, in microseconds."""
        return clock(self.last) if self.last is not None else self.begins

    @property
    def custody(self) -> Custody | None:
        """What its pack says of the custody of cards."""
        return self.pack.custody if self.pack is not None else None


def summary_of(shoe: Shoe) -> ShoeSummary:
    """Return what other streams have to know of a shoe."""
    loaded, payload = shoe.loaded, None
    if loaded is not None:
        payload = loaded.payload
        short = msgspec.structs.replace(payload, pack="")
        loaded = msgspec.structs.replace(loaded, payload=short)
    return ShoeSummary(
        name=shoe.name,
        loaded=loaded,
        table=shoe.table,
        batch=payload.batch if payload is not None else None,
        sabot=payload.sabot if payload is not None else None,
        decks=shoe.decks,
        backs=payload.backs if payload is not None else (),
        pack=shoe.pack,
        pack_sha256=pack_sha256(payload.pack) if payload is not None else "",
        crew={each.post: each.person for each in payload.crew} if payload is not None else {},
        watched=tuple(_watched(shoe)),
        inspected=shoe.inspected[0] if shoe.inspected else None,
        first=shoe.left[0] if shoe.left else None,
        ended=shoe.ended,
        last=shoe.history[-1] if shoe.history else None,
        off=_off(shoe),
        abandoned=tuple(_abandoned(shoe)),
        dealt=dealt_in(shoe),
        banked=payload.banked if payload is not None else None,
        last_holder=shoe.holder or shoe.last_holder,
        sessions=tuple(shoe.sessions),
    )


def _off(shoe: Shoe) -> int | None:
    """Return by how many the cards at the end are too many; the farthest of the counts."""
    end = end_of(shoe)
    if shoe.scope == "coups" or end is None:
        return None
    return max((count - shoe.size for count in totals(shoe, end)), key=abs, default=None)


def _watched(shoe: Shoe) -> Iterable[Post]:
    """Yield who supervised the shoe, from its loading, or from when he came, until he left."""
    loaded = shoe.loaded
    last: RecordedEvent | None = shoe.ended or (shoe.history[-1] if shoe.history else None)
    if loaded is None or last is None:
        return
    changes: list[tuple[RecordedEvent, str | None]] = [
        (event, event.payload.person)
        for event in shoe.crew_changes
        if event.payload.post == "supervisor"
    ]
    there = next((each.person for each in loaded.payload.crew if each.post == "supervisor"), None)
    since: RecordedEvent = msgspec.structs.replace(
        loaded, payload=msgspec.structs.replace(loaded.payload, pack="")
    )
    for event, person in [*changes, (last, None)]:
        if there is not None:
            yield Post("supervisor", there, since, event)
        there, since = person, event


def _abandoned(shoe: Shoe) -> Iterable[Abandoned]:
    for event in shoe.abandoned:
        payload = event.payload
        bet = shoe.coups[payload.coup].bets[payload.bet]
        lies = bet.amount + bet.paid - bet.taken - (0 if bet.marked else bet.collected)
        yield Abandoned(event, payload.coup, payload.bet, bet.patron, max(0, lies))


class Floor(Struct):
    """All batches, tables and shoes that are judged together, shoes in order of their loading.

    ``tables`` stand by their names; ``of_batch`` and ``at_table`` are the shoes by the name of
    their batch, and of their table; ``supervised`` says of each supervisor at which table he
    stood, and from when to when, as the table tells it and as its shoes do.
    """

    batches: list[Batch]
    tables: dict[str, Table]
    shoes: list[ShoeSummary]
    of_batch: dict[str, list[ShoeSummary]]
    at_table: dict[str, list[ShoeSummary]]
    supervised: dict[str, list[tuple[str, Post]]]

    @property
    def doubt(self) -> str:
        """Why the order of what happened in several shoes is not known; empty where it is."""
        return doubt_of(event for shoe in self.shoes for event in (shoe.loaded, shoe.last))


class BatchView(Struct):
    """A batch with what the floor knows of it.

    ``shoes`` are those loaded with it, in order. ``custody`` is what their rule pack says of the
    custody of cards, ``reason`` why nothing is known of it. ``latest_us`` is the last moment of
    which the record of the batch, of its shoes, and of the table where it lies, speaks.
    """

    batch: Batch
    shoes: list[ShoeSummary]
    floor: Floor
    custody: Custody | None
    reason: str
    tolerance_us: int
    latest_us: int

    @property
    def doubt(self) -> str:
        """Why the order of what happened to the cards and in shoes is not known, or nothing."""
        of_shoes = (event for shoe in self.shoes for event in (shoe.loaded, shoe.last))
        return doubt_of([*self.batch.history, *of_shoes])

    def since(self, shoe: ShoeSummary) -> int:
        """Return when the cards of a shoe came, where all that came before were destroyed; else 0.

        In microseconds. What was done to a batch before that was done to other cards.
        """
        came = [clock(each) for each in self.batch.renewed]
        return max((at for at in came if at + self.tolerance_us < shoe.begins), default=0)


class TableView(Struct):
    """A table with the shoes that were dealt at it, in order."""

    table: Table
    shoes: list[ShoeSummary]
    floor: Floor

    @property
    def doubt(self) -> str:
        """Why the order of what happened at the table and in shoes is not known, or nothing."""
        return doubt_of([*self.table.packs, *(shoe.loaded for shoe in self.shoes)])


def floor_of(
    batches: Iterable[Batch], tables: Iterable[Table], shoes: Iterable[ShoeSummary]
) -> Floor:
    """Bring together what is judged together."""
    floor = Floor(list(batches), {table.name: table for table in tables}, [], {}, {}, {})
    floor.shoes = sorted(shoes, key=lambda shoe: (shoe.begins, shoe.name))
    for shoe in floor.shoes:
        if shoe.batch is not None:
            floor.of_batch.setdefault(shoe.batch, []).append(shoe)
        if shoe.table is not None:
            floor.at_table.setdefault(shoe.table, []).append(shoe)
    for shoe in floor.shoes:
        for post in shoe.watched if shoe.table is not None else ():
            floor.supervised.setdefault(post.person, []).append((shoe.table or "", post))
    for table in floor.tables.values():
        for post in table.posts:
            if post.post == "supervisor":
                floor.supervised.setdefault(post.person, []).append((table.name, post))
    return floor


def view_batch(floor: Floor, batch: Batch) -> BatchView:
    """Look at a batch, with what its shoes and its table tell of it."""
    shoes = floor.of_batch.get(batch.name, [])
    tables = dict.fromkeys(stay.table for stay in batch.stays)
    at_tables = (shoe for table in tables for shoe in floor.at_table.get(table, []))
    judged_by = (shoe.pack for shoe in chain(shoes, at_tables) if shoe.pack is not None)
    pack = next(judged_by, None)
    reason = "the pack does not say how cards are kept"
    if pack is None:
        reason = "no shoe tells by which rule pack the cards were kept"
    clocks = pack.clocks if pack is not None else None
    return BatchView(
        batch, shoes, floor, pack.custody if pack is not None else None, reason,
        1000 * clocks.tolerance_ms if clocks is not None else 0,
        _latest(floor, batch, shoes),
    )  # fmt: skip


def _latest(floor: Floor, batch: Batch, shoes: list[ShoeSummary]) -> int:
    moments = [clock(event) for event in batch.history] + [shoe.ends for shoe in shoes]
    stay = batch.stay
    if stay is not None:
        moments += [shoe.ends for shoe in floor.at_table.get(stay.table, [])[-1:]]
        table = floor.tables.get(stay.table)
        moments += [clock(event) for event in table.history[-1:]] if table is not None else []
    return max(moments, default=0)


def view_table(floor: Floor, table: Table) -> TableView:
    """Look at a table, with the shoes dealt at it."""
    return TableView(table, floor.at_table.get(table.name, []), floor)
