"""The views that rules beyond one shoe check: a batch of cards, a table, the floor.

Each stream numbers its own events. The order of events in two streams is therefore computed from
times: those of the tables' clocks, or of the log's clock if the tables' are missing. If two times
differ by less than the tolerance of the rule pack, their order is unknown.

A log has many shoes, and the data of each shoe are kept until all are audited. To save memory a
shoe is kept as a summary, and a coup as six numbers: its number, the log index, the times of its
first and last card, and for both times whether they are the table's clock.
"""

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

import msgspec
from msgspec import Struct, field

from sabot.domain.audit.card_totals import card_counts, end_of
from sabot.domain.audit.late_corrections import Correction
from sabot.domain.audit.store_record import StoreRecord
from sabot.domain.events import Event, ShoeEnded, ShoeLoaded, ShoePassed, ShoeTaken
from sabot.domain.events.bank import SessionCalled
from sabot.domain.events.card_batch import CardsReceived
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.rules.pack_sections import Custody
from sabot.domain.rules.rule_pack import RulePack, pack_sha256
from sabot.domain.state.batch_state import Batch
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_state import Post, Table
from sabot.domain.values.names import plain_name

_NUMBERS: Final = 6
_FIRST, _LAST = 1, 2


def time_of(event: RecordedEvent) -> int:
    """Return the time of an event in microseconds, by the table's clock or else the log's."""
    return event.recorded_us if event.at_us is None else event.at_us


class Moment(Struct, frozen=True, gc=False):
    """An event's index in the log, and its time.

    ``us`` is in microseconds. It is the table's clock if ``clocked`` is True, otherwise the log's.
    """

    index: int
    us: int
    clocked: bool


def moment_of(event: RecordedEvent) -> Moment:
    """Return the log index and the time of an event."""
    return Moment(event.index, time_of(event), event.at_us is not None)


class DealtCoup(Struct, frozen=True, gc=False):
    """A coup from its first card to its last."""

    coup: int
    first: Moment
    last: Moment


class CoupIntervals(Struct, frozen=True):
    """The coups of a shoe with cards, in order."""

    packed: "array[int]" = field(default_factory=lambda: array("q"))

    def __bool__(self) -> bool:
        """Return whether the shoe has a coup with cards."""
        return bool(self.packed)

    def __iter__(self) -> Iterator[DealtCoup]:
        """Yield the coups."""
        return (self._at(start) for start in range(0, len(self.packed), _NUMBERS))

    @property
    def first(self) -> Moment:
        """The first card of the shoe. The shoe must have a card."""
        return self._at(0).first

    @property
    def last(self) -> Moment:
        """The last card of the coup that began last. The shoe must have a card."""
        return self._at(len(self.packed) - _NUMBERS).last

    @property
    def last_begun(self) -> Moment:
        """The first card of the coup that began last. The shoe must have a card."""
        return self._at(len(self.packed) - _NUMBERS).first

    def begun_as(self, other: "CoupIntervals") -> bool:
        """Return whether two shoes' lists have the same coups.

        The last coup may have more cards in one of them.
        """
        behind = len(self.packed) - 3
        return len(self.packed) == len(other.packed) and (
            self.packed[:behind] == other.packed[:behind]
        )

    def _at(self, start: int) -> DealtCoup:
        coup, first, first_us, last, last_us, clocked = self.packed[start : start + _NUMBERS]
        return DealtCoup(
            coup,
            Moment(first, first_us, bool(clocked & _FIRST)),
            Moment(last, last_us, bool(clocked & _LAST)),
        )


def dealt_in(shoe: Shoe) -> CoupIntervals:
    """Return the time intervals of a shoe's coups."""
    begun = [coup for coup in shoe.coups.values() if coup.cards]
    begun.sort(key=lambda coup: coup.cards[0].position)
    packed: list[int] = []
    for coup in begun:
        first, last = coup.cards[0], coup.cards[-1]
        at, until = first.at_us, last.at_us
        packed += (
            coup.number,
            first.index,
            first.recorded_us if at is None else at,
            last.index,
            last.recorded_us if until is None else until,
            (0 if at is None else _FIRST) | (0 if until is None else _LAST),
        )
    return CoupIntervals(array("q", packed))


HOUR_US: Final = 3_600_000_000
MINUTE_US: Final = 60_000_000


NO_CLOCK: Final = "some events have no clock of the table, so their order is unknown"


def of_one_kind_of_clock(events: Iterable[RecordedEvent | None]) -> bool:
    """Return whether the times of several records can be compared.

    Times of tables' clocks can be compared with each other, and times of the log's clock with each
    other. A table's clock cannot be compared with the log's.
    """
    return len({event.at_us is None for event in events if event is not None}) <= 1


class Abandoned(Struct, frozen=True):
    """A bet left by its patron.

    ``amount`` is the stake and winnings on the layout, in minor units.
    """

    event: RecordedEvent
    coup: int
    bet: int
    patron: str
    amount: int


class ShoeSummary(Struct, frozen=True, kw_only=True):
    """The data of a shoe for audits of the floor.

    ``loaded`` is the loading event without the text of the rule pack, which is long. ``pack`` is
    the rule pack, or None if it cannot be read. ``first`` is the first card that left the shoe,
    ``last`` its last event, ``dealt`` the intervals of its coups. ``watched`` names its
    supervisors, with their times. ``off`` is the surplus of cards counted at the end (negative: too
    few), None without a count.

    ``banked`` is the recorded holder of the shoe before this one, ``last_holder`` the last holder
    of this one, and ``held`` the event by which the shoe was last taken or passed. ``sessions`` are
    the announcements of the day's session that this shoe belongs to.

    ``late`` are the late corrections of the shoe's record, and ``uncorrected`` the data without
    them. Both are empty if the corrections change nothing of the data. ``told`` has the fingerprint
    of the shoe's own finding about such a correction, by the index of the correction in the log.
    ``recounted`` is by how much such a finding changed what a patron's abandoned bet is worth, in
    minor units, by coup and patron.
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
    held: RecordedEvent[ShoeTaken | ShoePassed] | None = None
    sessions: tuple[RecordedEvent[SessionCalled], ...] = ()
    late: tuple[tuple[Correction, Event | None], ...] = ()
    uncorrected: "ShoeSummary | None" = None
    told: dict[int, str] = {}
    recounted: dict[tuple[int, str], int] = {}

    @property
    def loading(self) -> tuple[RecordedEvent, ...]:
        """The loading event, if it was recorded."""
        return (self.loaded,) if self.loaded is not None else ()

    @property
    def coups_alone(self) -> bool:
        """Whether the record holds only the coups of the shoe."""
        return self.loaded is not None and self.loaded.payload.coverage == "coups"

    @property
    def begins(self) -> int:
        """The time of the loading in microseconds, or 0 if it was not recorded."""
        return time_of(self.loaded) if self.loaded is not None else 0

    @property
    def until(self) -> RecordedEvent | None:
        """Its recorded end, or else its last event."""
        return self.ended or self.last

    @property
    def ends(self) -> int:
        """The time of its end, or of its last event if no end is on record, in microseconds."""
        return time_of(self.until) if self.until is not None else self.begins

    @property
    def custody(self) -> Custody:
        """The custody requirements of the shoe's rule pack; none if it cannot be read."""
        return _custody(self.pack)

    @property
    def tolerance_us(self) -> int:
        """The clock tolerance of the shoe's rule pack, in microseconds."""
        return _tolerance_us(self.pack)


_NOTHING_ASKED: Final = Custody()


def _custody(pack: RulePack | None) -> Custody:
    return pack.custody or _NOTHING_ASKED if pack is not None else _NOTHING_ASKED


def _tolerance_us(pack: RulePack | None) -> int:
    return pack.clocks.tolerance_us if pack is not None and pack.clocks is not None else 0


def summary_of(shoe: Shoe) -> ShoeSummary:
    """Return a shoe's data, as corrected, for the audit of the floor.

    `sabot.domain.audit.floor_corrections` adds the data as they were before late corrections.
    """
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
        watched=tuple(_supervisors(shoe)),
        inspected=shoe.inspected[0] if shoe.inspected else None,
        first=shoe.left[0] if shoe.left else None,
        ended=shoe.ended,
        last=shoe.history[-1] if shoe.history else None,
        off=_surplus(shoe),
        abandoned=tuple(_abandoned(shoe)),
        dealt=dealt_in(shoe),
        banked=payload.banked if payload is not None else None,
        last_holder=shoe.holder or shoe.last_holder,
        held=next(iter(events_of((ShoeTaken, ShoePassed), reversed(shoe.shoe_moves))), None),
        sessions=tuple(shoe.sessions),
    )


def _surplus(shoe: Shoe) -> int | None:
    """Return the surplus of cards at the end of a shoe (negative: too few).

    If counts differ, the one with the largest deviation is used.
    """
    end = end_of(shoe)
    if shoe.coverage == "coups" or end is None:
        return None
    return max((count - shoe.size for count in card_counts(shoe, end)), key=abs, default=None)


def _supervisors(shoe: Shoe) -> Iterable[Post]:
    """Yield the supervisors of a shoe, each with the times of arrival and departure.

    A supervisor present from the beginning arrived when the shoe was loaded.
    """
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
        yield Abandoned(event, payload.coup, payload.bet, bet.patron, worth_of(bet))


def worth_of(bet: Bet) -> int:
    """Return the stake and winnings of a bet on the layout, in minor units."""
    lies = bet.amount + bet.paid - bet.taken - (0 if bet.marked else bet.collected)
    return max(0, lies)


class Floor(Struct):
    """All batches, tables and shoes that are audited together.

    The shoes are in order of loading. ``batches`` and ``tables`` are keyed by name. ``of_batch``
    and ``at_table`` have the shoes by the name of their batch or table. ``supervised`` has, for the
    plain name of each supervisor, the tables and times from the records of tables and shoes.
    ``stored`` lists what is wrong with the clock and the logins of the store. It is None if they
    are unknown.
    """

    batches: dict[str, Batch]
    tables: dict[str, Table]
    shoes: list[ShoeSummary]
    of_batch: dict[str, list[ShoeSummary]]
    at_table: dict[str, list[ShoeSummary]]
    supervised: dict[str, list[tuple[str, Post]]]
    stored: StoreRecord | None = None


class BatchView(Struct):
    """A batch with the floor's data about it.

    ``shoes`` are the shoes loaded with the batch, in order. ``pack`` is their rule pack, or else
    that of the shoes at the tables where the batch was kept. ``latest_us`` is the last time in the
    records of the batch, its shoes and its present table.
    """

    batch: Batch
    shoes: list[ShoeSummary]
    floor: Floor
    pack: RulePack | None
    latest_us: int

    @property
    def custody(self) -> Custody:
        """The custody requirements of the rule pack; none if there is no pack."""
        return _custody(self.pack)

    @property
    def tolerance_us(self) -> int:
        """The clock tolerance, in microseconds."""
        return _tolerance_us(self.pack)

    @property
    def order_known(self) -> bool:
        """Whether the clocks of the batch and of its shoes can be compared."""
        of_shoes = (event for shoe in self.shoes for event in _ends_of(shoe))
        return of_one_kind_of_clock([*self.batch.history, *of_shoes])

    def surely_before(self, one_us: int, other_us: int) -> bool:
        """Return whether one time is earlier than another by more than the tolerance."""
        return one_us + self.tolerance_us < other_us

    def since(self, shoe: ShoeSummary) -> int:
        """Return when the cards of a shoe came into the batch, in microseconds.

        The result is 0 if the cards of the batch had not been replaced by then. Otherwise earlier
        events of the batch concern other cards, which were destroyed.
        """
        came = [time_of(each) for each in self.batch.renewed]
        return max((at for at in came if self.surely_before(at, shoe.begins)), default=0)

    def deliveries(self, shoe: ShoeSummary) -> list[RecordedEvent[CardsReceived]]:
        """Return the deliveries from which the cards of a shoe may come."""
        since = self.since(shoe)
        return [
            event
            for event in self.batch.received
            if since <= time_of(event) and not self.surely_before(shoe.begins, time_of(event))
        ]


class TableView(Struct):
    """A table with the shoes dealt at it, in order."""

    table: Table
    shoes: list[ShoeSummary]
    floor: Floor

    @property
    def order_known(self) -> bool:
        """Whether the clocks of the table and of its shoes can be compared."""
        return of_one_kind_of_clock([*self.table.packs, *(shoe.loaded for shoe in self.shoes)])


def _ends_of(shoe: ShoeSummary) -> tuple[RecordedEvent | None, ...]:
    return shoe.loaded, shoe.ended, shoe.last


def floor_of(
    batches: Iterable[Batch],
    tables: Iterable[Table],
    shoes: Iterable[ShoeSummary],
    stored: StoreRecord | None = None,
) -> Floor:
    """Return the floor with these batches, tables and shoes.

    ``stored`` is what the store itself recorded, if known.
    """
    floor = Floor(
        {batch.name: batch for batch in batches},
        {table.name: table for table in tables},
        sorted(shoes, key=lambda shoe: (shoe.begins, shoe.name)),
        {},
        {},
        {},
        stored,
    )
    for shoe in floor.shoes:
        if shoe.batch is not None:
            floor.of_batch.setdefault(shoe.batch, []).append(shoe)
        if shoe.table is not None:
            floor.at_table.setdefault(shoe.table, []).append(shoe)
            for post in shoe.watched:
                floor.supervised.setdefault(plain_name(post.person), []).append((shoe.table, post))
    for table in floor.tables.values():
        for post in table.posts:
            if post.post == "supervisor":
                floor.supervised.setdefault(plain_name(post.person), []).append((table.name, post))
    return floor


def view_batch(floor: Floor, batch: Batch) -> BatchView:
    """Return the view of a batch.

    It includes the data of its shoes and its tables.
    """
    shoes = floor.of_batch.get(batch.name, [])
    tables = dict.fromkeys(stay.table for stay in batch.stays)
    at_tables = (shoe for table in tables for shoe in floor.at_table.get(table, []))
    packs = (shoe.pack for shoe in chain(shoes, at_tables) if shoe.pack is not None)
    return BatchView(batch, shoes, floor, next(packs, None), _latest(floor, batch, shoes))


def _latest(floor: Floor, batch: Batch, shoes: list[ShoeSummary]) -> int:
    """Return the last time of a batch and its shoes, and of its table by the same kind of clock."""
    own = [*batch.history, *(shoe.last for shoe in shoes)]
    there: list[RecordedEvent | None] = []
    if batch.stay is not None:
        there = [shoe.last for shoe in floor.at_table.get(batch.stay.table, [])[-1:]]
        table = floor.tables.get(batch.stay.table)
        there += table.history[-1:] if table is not None else []
    alike = [event for event in there if of_one_kind_of_clock([*own, event])]
    return max((time_of(event) for event in (*own, *alike) if event is not None), default=0)


def view_table(floor: Floor, table: Table) -> TableView:
    """Return the view of a table with its shoes."""
    return TableView(table, floor.at_table.get(table.name, []), floor)
