"""Queries of the summary tables for verbs that list data.

Each returns a list of records. Amounts are in minor units of the record's currency. Queries of
money by patron are in `patron_money`.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.domain.values.suggestions import not_in_log
from sabot.domain.views.table_view import Felt
from sabot.infrastructure.database.driver_errors import first_line
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_records import TABLE_PREFIX
from sabot.infrastructure.projections.projector import wrong_views
from sabot.infrastructure.projections.views_schema import (
    rm_coup,
    rm_felt,
    rm_session,
    rm_shoe,
    rm_table,
)

Record = dict[str, Any]

_MOST_DECIMALS: Final = 4
_OF_TABLE: Final = ("stream", "currency")


@contextlib.contextmanager
def reading_views(log: EventLog) -> Iterator[Connection]:
    """Begin a transaction that reads the summary tables.

    They are first brought up to date by the function given to `EventLog.prepare_views`.

    Raises:
        BadInput: a value in them is none that a projector of Sabot writes.
    """
    views = log.views
    try:
        with views.reading() as connection:
            if views.is_sqlite and (loose := connection.exec_driver_sql(_UNTYPED).scalar()):
                raise BadInput(
                    f"the summary tables are wrong: the columns of {loose} hold any type of value, "
                    "so somebody made it anew. `sabot store check` lists what was changed; `sabot "
                    "store restore` of a backup makes a file with the tables of Sabot"
                )
            odd = connection.scalar(_ODD_DECIMALS)
            if odd is not None:
                raise wrong_views(f"minor_units of {odd} cannot be read")
            yield connection
    except UntrustedLog as error:
        if not isinstance(error.__cause__, sa.exc.DBAPIError):
            raise
        raise wrong_views(first_line(error.__cause__.orig)) from error


_UNTYPED: Final = "SELECT name FROM pragma_table_list WHERE name GLOB 'rm_*' AND NOT strict"
_ODD_DECIMALS: Final = (
    sa.select(rm_shoe.c.stream).where(~rm_shoe.c.minor_units.between(0, _MOST_DECIMALS)).limit(1)
)


def shoes(connection: Connection, table: str | None = None) -> list[Record]:
    """Return the shoes of a table, or all, in the order in which they began."""
    query = sa.select(rm_shoe).order_by(rm_shoe.c.first_index)
    if table is not None:
        query = query.where(rm_shoe.c.table_name == table)
    return [_with_win(row) for row in connection.execute(query).mappings()]


def tables(connection: Connection) -> list[Record]:
    """Return the tables by name.

    A record has the last session, the shoe in play and total bets. A table is known by its own
    events, or by a shoe that was loaded there.
    """
    found: dict[str, Record] = {}
    for row in connection.execute(sa.select(rm_table)).mappings():
        if row["stream"] != f"{TABLE_PREFIX}{row['name']}":
            raise wrong_views(f"the table of {row['stream']} is named {row['name']!r}")
        found[row["name"]] = {"table": row["name"], **row}
    last = sa.select(rm_session).join(
        rm_table,
        sa.and_(
            rm_table.c.stream == rm_session.c.stream, rm_table.c.sessions == rm_session.c.session
        ),
    )
    by_stream = {row["stream"]: row for row in found.values()}
    for session in connection.execute(last).mappings():
        known = {name: value for name, value in session.items() if name not in _OF_TABLE}
        by_stream[session["stream"]].update(known)
    for shoe in shoes(connection):
        if shoe["table_name"] is not None:
            _add_shoe(found.setdefault(shoe["table_name"], {"table": shoe["table_name"]}), shoe)
    for table in found.values():
        table.update(_in_play(connection, table.get("shoe_stream")))
    return [found[name] for name in sorted(found)]


def _in_play(connection: Connection, stream: str | None) -> Record:
    """Return phase and coup of a table's last shoe."""
    text = None if stream is None else felt(connection, stream)
    if text is None:
        return {"phase": None, "coup": None}
    try:
        shown = msgspec.json.decode(text, type=Felt)
    except msgspec.MsgspecError as error:
        raise wrong_views(f"felt of {stream} cannot be read") from error
    return {"phase": shown.phase, "coup": shown.coup.number if shown.coup is not None else None}


def _add_shoe(table: Record, shoe: Record) -> None:
    """Add a shoe to its table. Shoes are added in the order in which they began."""
    table["shoe"], table["shoe_stream"] = shoe["name"], shoe["stream"]
    table["shoe_pack"], table["minor_units"] = shoe["pack"], shoe["minor_units"]
    table["shoes"] = table.get("shoes", 0) + 1
    table["coups"] = table.get("coups", 0) + shoe["coups"]
    table["currency"] = table.get("currency") or shoe["currency"]
    same = shoe["currency"] == table["currency"]
    if not same and shoe["currency"] is not None:
        # amounts in another currency cannot be added
        table.setdefault("other_currencies", []).append(shoe["currency"])
    for name in ("handle", "won"):
        table[name] = table.get(name, 0) + (shoe[name] if same else 0)


def _with_win(shoe: RowMapping) -> Record:
    """Add the house's win on a shoe's bets to the record.

    The win is the amount taken, minus the amount paid, plus commission. The win of a patron's bank
    is not the house's, but the levy on it is.
    """
    won = shoe["taken"] - shoe["paid"] - shoe["bank_won"]
    return {**shoe, "won": won + shoe["commission"] + shoe["levy"]}


def coups(connection: Connection, stream: str) -> list[Record]:
    """Return the coups of a shoe."""
    query = sa.select(rm_coup).where(rm_coup.c.stream == stream).order_by(rm_coup.c.coup)
    return [dict(row) for row in connection.execute(query).mappings()]


def felt(connection: Connection, stream: str) -> str | None:
    """Return the current table view of a shoe as JSON. None if there is no such shoe."""
    query = sa.select(rm_felt.c.felt).where(rm_felt.c.stream == stream)
    found = connection.scalar(query)
    return None if found is None else str(found)


def knows_table(connection: Connection, table: str) -> bool:
    """Return whether any event names a table."""
    own = sa.select(rm_table.c.name).where(rm_table.c.name == table)
    of_a_shoe = sa.select(rm_shoe.c.table_name).where(rm_shoe.c.table_name == table)
    return connection.scalar(own.union_all(of_a_shoe).limit(1)) is not None


def check_table(connection: Connection, table: str) -> None:
    """Check that a table is known.

    Raises:
        NotFound: no event names it.
    """
    if not knows_table(connection, table):
        known = connection.scalars(sa.select(rm_table.c.name))
        raise not_in_log("table", table, known)


def check_shoe(connection: Connection, shoe: str) -> None:
    """Check that a shoe is known.

    Raises:
        NotFound: the log has no shoe of that name.
    """
    query = sa.select(rm_shoe.c.stream).where(rm_shoe.c.stream == f"shoe/{shoe}")
    if connection.scalar(query) is None:
        known = connection.scalars(sa.select(rm_shoe.c.name))
        raise not_in_log("shoe", shoe, known)


def minor_units(connection: Connection) -> dict[str, int]:
    """Return each shoe's number of decimals, by stream."""
    query = sa.select(rm_shoe.c.stream, rm_shoe.c.minor_units)
    return {row[0]: row[1] for row in connection.execute(query)}
