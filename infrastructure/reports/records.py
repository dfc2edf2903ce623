"""The records of a period: coups with their time, dealer and money.

A coup belongs to the period of its first card, as in the audit. A coup without a card belongs to
the period of its first event. An event outside coups, such as commission collected later, belongs
to the period of its own time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from sabot.domain.audit.finding_reviews import FindingState
from sabot.domain.audit.findings import Finding, unexplained
from sabot.domain.audit.report import AuditReport
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import with_table_times
from sabot.domain.procedure.patron_bank import bank_events_of, bank_won, levy_charged
from sabot.domain.rules.labels import wager_label
from sabot.domain.state.batch_state import Batch
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import crew_at
from sabot.domain.state.table_state import Table
from sabot.domain.values.periods import Period
from sabot.infrastructure.reports.model import (
    Amount,
    Column,
    Moment,
    Money,
    Named,
    Row,
    Unknown,
    Value,
)

Currency: TypeAlias = tuple[str, int]
"""A currency, and the number of its decimals. An empty name is a currency that is not on record."""


OF_COUP: Final = (
    Column("at", "time", "time"),
    Column("table", "table"),
    Column("shoe", "shoe"),
    Column("coup", "coup", "count"),
)
"""The first columns of every table with a row for each coup, bet or claim."""
_PARTLY_UNKNOWN: Final = "an amount of this column is unknown"


class Scope(Struct, frozen=True):
    """The tables, shoes, dealers and period of a report.

    Times are those of the table's clock. An empty collection sets no limit.
    """

    period: Period = Period()
    tables: frozenset[str] = frozenset()
    shoes: frozenset[str] = frozenset()
    dealers: frozenset[str] = frozenset()

    def covers(self, us: int) -> bool:
        """Return whether a time is in the period."""
        return self.period.holds(us)

    def has_dealer(self, dealer: str | None) -> bool:
        """Return whether the scope includes a dealer."""
        return not self.dealers or dealer in self.dealers


class Records(Struct, frozen=True):
    """The records from which reports are made.

    ``shoes`` are in the order in which they began, with their events in the order at the table.
    ``findings`` are those of the period, including those that a correction removed. ``states`` are
    the states of the reviewed ones, by fingerprint. ``audit`` is the audit that found them, None if
    the report needs none.
    """

    scope: Scope
    shoes: tuple[Shoe, ...] = ()
    tables: Mapping[str, Table] = {}
    batches: tuple[Batch, ...] = ()
    findings: tuple[Finding, ...] = ()
    states: Mapping[str, FindingState] = {}
    audit: AuditReport | None = None

    def own_findings(self) -> list[Finding]:
        """Return the findings that count: neither notes nor explained by another finding."""
        return unexplained([each for each in self.findings if each.severity != "note"])


def first_and_last(records: Records) -> tuple[int, int] | None:
    """Return the times of the first and the last event of the period; None without an event.

    Events of batches of cards, such as their destruction after play, count only if there are no
    events of shoes and tables.
    """
    at_tables = [
        *(shoe.history for shoe in records.shoes),
        *(table.history for table in records.tables.values()),
    ]
    of_cards = [batch.history for batch in records.batches]
    for histories in (at_tables, of_cards):
        times = [
            at
            for history in histories
            for at in times_of(history).values()
            if records.scope.covers(at)
        ]
        if times:
            return min(times), max(times)
    return None


class Played(Struct, frozen=True):
    """A coup of the period, with the dealer at its first card.

    ``at_us`` is the time of the first card, ``first_us`` and ``last_us`` those of the first and the
    last event. A coup without a card has the time of its first event.
    """

    shoe: Shoe
    coup: Coup
    at_us: int
    first_us: int
    last_us: int
    dealer: str | None

    @property
    def currency(self) -> Currency:
        """The currency of the shoe."""
        return currency_of(self.shoe)

    @property
    def recorded_number(self) -> int:
        """The number under which the coup was recorded."""
        return self.shoe.recorded_number(self.coup.number)

    def head(self, at_us: int | None = None) -> Row:
        """Return the values of `OF_COUP`, with the time of the coup or another one."""
        at = Moment(self.at_us if at_us is None else at_us)
        return (at, self.shoe.table, self.shoe.name, self.recorded_number)


def currency_of(shoe: Shoe) -> Currency:
    """Return the currency of a shoe's rule pack. An empty name if the pack cannot be read."""
    if shoe.pack is None:
        return "", 2
    return shoe.pack.money.currency, shoe.pack.money.minor_units


def money_in(currency: Currency, minor: Amount) -> Money:
    """Return an amount of minor units in a currency."""
    return Money(minor, *currency)


def named_wager(wager: str) -> Named:
    """Return a wager as a cell."""
    return Named(wager, wager_label(wager))


def totals_of(
    columns: Sequence[Column], rows: Iterable[Row], name: str = "total"
) -> tuple[Row, ...]:
    """Return a row of sums for each currency. A sum with an unknown part is unknown.

    ``name`` is the first cell. Only columns of money are summed. A row that has no amount at all
    belongs to no currency, and is left out.
    """
    places = [n for n, column in enumerate(columns) if column.kind == "money"]
    sums: dict[Currency, dict[int, Value]] = {}
    for row in rows:
        known = {n: value for n in places if isinstance(value := row[n], Money)}
        for each in list(known.values())[:1]:
            have = sums.setdefault((each.currency, each.minor_units), {})
            for n in places:
                have[n] = _sum(have.get(n), row[n])
    return tuple(
        (name, *(have.get(n) for n in range(1, len(columns)))) for _, have in sorted(sums.items())
    )


def _sum(have: Value, more: Value) -> Value:
    match have, more:
        case (Unknown(), _) | (_, Unknown()):
            return Unknown(_PARTLY_UNKNOWN)
        case Money(), Money():
            return Money(have.minor + more.minor, have.currency, have.minor_units)
        case _:
            return have if more is None else more


def times_of(history: Iterable[RecordedEvent]) -> dict[int, int]:
    """Return the time of each event on the table's clock, by log index."""
    return {event.index: us for event, us in with_table_times(history)}


def coups_played(records: Records) -> Iterator[Played]:
    """Yield the coups of the period, shoe by shoe, in order of play."""
    for shoe in records.shoes:
        yield from coups_of(shoe, records.scope)


def coups_of(shoe: Shoe, scope: Scope) -> Iterator[Played]:
    """Yield the coups of a shoe whose first card came in the period, in order of play."""
    times = times_of(shoe.history)
    for coup in sorted(shoe.coups.values(), key=_first_position):
        if not coup.events:
            continue
        first = coup.cards[0] if coup.cards else coup.events[0]
        at = times[first.index]
        if not scope.covers(at):
            continue
        crew = crew_at(shoe, first)
        dealer = crew.get("dealer") or crew.get("caller")
        if scope.has_dealer(dealer):
            opened, closed = (times[event.index] for event in (coup.events[0], coup.events[-1]))
            yield Played(shoe, coup, at, opened, closed, dealer)


def _first_position(coup: Coup) -> int:
    return coup.events[0].position if coup.events else 0


def events_in(shoe: Shoe, scope: Scope) -> Iterator[tuple[RecordedEvent, int]]:
    """Yield the events of a shoe in the period, after corrections, each with its time."""
    times = times_of(shoe.history)
    for event in apply_corrections(shoe.history):
        if scope.covers(times[event.index]):
            yield event, times[event.index]


def house_win(coup: Coup) -> int:
    """Return the house's win in a coup, in minor units.

    It is the amount taken, less the amount paid, plus commission, owed or collected. Against a
    patron's bank the house wins only the levy and the commission.
    """
    commission = sum(bet.commission for bet in coup.bets.values())
    commission += sum(coup.collected.values())
    banked = bank_events_of(coup).banker is not None
    return (0 if banked else bank_won(coup)) + commission + levy_charged(coup)


def staked(coup: Coup) -> int:
    """Return the total stake in a coup, in minor units. Return 0 if the coup was void."""
    if coup.voided is not None:
        return 0
    return sum(bet.amount for bet in coup.bets.values() if not bet.withdrawn)
