"""The sessions of tables in a report: chips, drop, win and hold from one opening to the next."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabot.domain.state.table_state import Session
from sabot.domain.values.periods import Period
from sabot.infrastructure.reports.model import Column, Moment, Row, Table, Unknown, Value
from sabot.infrastructure.reports.records import Currency, Records, currency_of, money_in, times_of

_COLUMNS: Final = (
    Column("opened", "opened", "time"),
    Column("closed", "closed", "time"),
    Column("table", "table"),
    Column("session", "session", "count"),
    Column("opening", "opening inventory", "money"),
    Column("fills", "fills", "money"),
    Column("credits", "credits", "money"),
    Column("drop", "drop", "money"),
    Column("closing", "closing inventory", "money"),
    Column("win", "win", "money"),
    Column("hold", "hold", "rate"),
)


class OpenedSession(Struct, frozen=True):
    """A session of a table, from its opening on."""

    table: str
    session: Session
    opened: Moment
    closed: Moment | None
    currency: Currency


def sessions_in(records: Records, period: Period) -> Iterator[OpenedSession]:
    """Yield the sessions that the tables opened in a period.

    None is given for a report on single dealers or shoes: a session belongs to all of a table's.
    """
    if records.scope.dealers or records.scope.shoes:
        return
    for table in records.tables.values():
        times = times_of(table.history)
        for session in table.sessions:
            if session.opened is None or not period.holds(times[session.opened.index]):
                continue
            yield OpenedSession(
                table.name,
                session,
                Moment(times[session.opened.index]),
                Moment(times[session.closed.index]) if session.closed is not None else None,
                _currency(records, table.name, session),
            )


def sessions_table(records: Records) -> Table:
    """Return the sessions of the report's period, by the time of opening."""
    found = sorted(sessions_in(records, records.scope.period), key=lambda each: each.opened.us)
    return Table(
        "sessions",
        "Sessions of the tables",
        _COLUMNS,
        tuple(map(_row, found)),
        empty="No session of a table opened in this period.",
    )


def _currency(records: Records, table: str, session: Session) -> Currency:
    """Return the currency of a session, or an empty text if the record does not give it."""
    known = dict.fromkeys(currency_of(shoe) for shoe in records.shoes if shoe.table == table)
    if session.currency is None:
        return next(iter(known)) if len(known) == 1 else ("", 2)
    return session.currency, dict(known).get(session.currency, 2)


def _row(each: OpenedSession) -> Row:
    session = each.session
    missing = ", ".join(session.missing)
    unknown = Unknown(f"session {session.number} of table {each.table} lacks: {missing}")

    def money(amount: int | None) -> Value:
        return unknown if amount is None else money_in(each.currency, amount)

    hold: Value = session.hold
    return (
        each.opened,
        each.closed,
        each.table,
        session.number,
        money(session.opening),
        money(session.fills),
        money(session.credits),
        money(session.drop),
        money(session.closing),
        money(session.win),
        unknown if missing else hold,
    )
