"""Queries of patrons' money: stakes, movements, balances, commission.

Amounts are in minor units of the record's currency. Sums over many rows are exact beyond the
database's integers: millions and remainders are added separately.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from sabot.infrastructure.projections.views_schema import (
    rm_bet,
    rm_commission,
    rm_coup,
    rm_ledger,
    rm_shoe,
    rm_table,
)

Record = dict[str, Any]

_MILLION: Final = 1_000_000


def patrons(connection: Connection, table: str | None = None) -> list[Record]:
    """Return each patron's stakes, win, buy-ins and debts, by name and currency.

    ``result`` is the patron's win (negative: loss) less all commission, paid or still owed. Void
    coups and withdrawn bets do not count as stakes.
    """
    found: dict[tuple[str, str], Record] = {}
    for row in connection.execute(_money_of_patrons(table)).mappings():
        record = _patron(found, row)
        record["result"] = _exact(row, "result")
        record["owed"] = _exact(row, "owed")
        record["bought"] = _exact(row, "bought")
        record["last_index"] = max(record["last_index"], row["last_index"])
    for row in connection.execute(_stakes_of_patrons(table)).mappings():
        record = _patron(found, row)
        record["bets"], record["shoes"] = row["bets"], row["shoes"]
        record["handle"] = _exact(row, "handle")
        record["last_index"] = max(record["last_index"], row["last_index"])
    return [found[key] for key in sorted(found)]


def _patron(found: dict[tuple[str, str], Record], row: RowMapping) -> Record:
    key = (row["patron"], row["currency"] or "")
    record = found.setdefault(
        key,
        dict.fromkeys(("bets", "shoes", "handle", "result", "owed", "bought", "last_index"), 0)
        | {"patron": row["patron"], "currency": row["currency"], "minor_units": 2},
    )
    if row["minor_units"] is not None:
        record["minor_units"] = row["minor_units"]
    return record


# Currency of a table's own events: that of its opening, or else of its first shoe.
_ANY_SHOE: Final = rm_shoe.alias()
_TABLE_CURRENCY: Final = sa.func.coalesce(
    rm_table.c.currency,
    sa.select(_ANY_SHOE.c.currency)
    .where(_ANY_SHOE.c.table_name == rm_table.c.name)
    .order_by(_ANY_SHOE.c.first_index)
    .limit(1)
    .scalar_subquery(),
)
_CURRENCY: Final = sa.func.coalesce(rm_shoe.c.currency, _TABLE_CURRENCY)


def _money_of_patrons(table: str | None) -> sa.Select[Any]:
    e = rm_ledger.c
    bought = sa.case((e.kind == "bought", e.chips), else_=0)
    query = (
        sa.select(
            e.patron,
            _CURRENCY.label("currency"),
            sa.func.max(rm_shoe.c.minor_units).label("minor_units"),
            sa.func.max(e.log_index).label("last_index"),
            *_sums(result=e.result, owed=e.owed, bought=bought),
        )
        .select_from(rm_ledger)
        .outerjoin(rm_shoe, rm_shoe.c.stream == e.stream)
        .outerjoin(rm_table, rm_table.c.stream == e.stream)
        .where(e.patron.is_not(None))
        .group_by(e.patron, _CURRENCY)
    )
    return query if table is None else query.where(_at_table(table))


def _stakes_of_patrons(table: str | None) -> sa.Select[Any]:
    b = rm_bet.c
    counts = sa.and_(b.state != "withdrawn", rm_coup.c.state != "voided")
    query = (
        sa.select(
            b.patron,
            rm_shoe.c.currency,
            sa.func.max(rm_shoe.c.minor_units).label("minor_units"),
            sa.func.max(b.last_index).label("last_index"),
            sa.func.sum(sa.case((counts, 1), else_=0)).label("bets"),
            sa.func.count(sa.distinct(b.stream)).label("shoes"),
            *_sums(handle=sa.case((counts, b.amount), else_=0)),
        )
        .join(rm_shoe, rm_shoe.c.stream == b.stream)
        .join(rm_coup, sa.and_(rm_coup.c.stream == b.stream, rm_coup.c.coup == b.coup))
        .group_by(b.patron, rm_shoe.c.currency)
    )
    return query if table is None else query.where(rm_shoe.c.table_name == table)


def _at_table(table: str) -> sa.ColumnElement[bool]:
    return sa.func.coalesce(rm_shoe.c.table_name, rm_table.c.name) == table


def _sums(**columns: sa.ColumnElement[int]) -> Iterator[sa.ColumnElement[int]]:
    for name, column in columns.items():
        # both databases truncate towards zero, and the remainder has the sign of the dividend
        yield sa.func.sum(column // _MILLION).label(f"{name}_millions")
        yield sa.func.sum(column % _MILLION).label(f"{name}_rest")


def _exact(row: RowMapping, name: str) -> int:
    return int(row[f"{name}_millions"] or 0) * _MILLION + int(row[f"{name}_rest"] or 0)


def ledger(connection: Connection, patron: str, *, shoe: str | None = None) -> Iterator[Record]:
    """Yield a patron's movements in order, each with balances.

    ``chips`` is the change of the patron's rack, ``result`` the win, ``owed`` the change of
    commission owed. ``…_balance`` is the sum from the first entry on, in that currency.
    """
    e = rm_ledger.c
    query = (
        sa.select(
            rm_ledger,
            rm_shoe.c.name.label("shoe"),
            sa.func.coalesce(rm_shoe.c.table_name, rm_table.c.name).label("table_name"),
            _CURRENCY.label("currency"),
            sa.func.coalesce(rm_shoe.c.minor_units, 2).label("minor_units"),
        )
        .outerjoin(rm_shoe, rm_shoe.c.stream == e.stream)
        .outerjoin(rm_table, rm_table.c.stream == e.stream)
        .where(e.patron == patron)
        .order_by(e.log_index)
    )
    if shoe is not None:
        query = query.where(e.stream == f"shoe/{shoe}")
    balances: dict[str, dict[str, int]] = {}
    for row in connection.execute(query).mappings():
        balance = balances.setdefault(row["currency"] or "", {"chips": 0, "result": 0, "owed": 0})
        for name in balance:
            balance[name] += row[name]
        yield {**row, **{f"{name}_balance": amount for name, amount in balance.items()}}


def commission(
    connection: Connection, *, shoe: str | None = None, owing: bool = False
) -> list[Record]:
    """Return the commission of each patron in each shoe.

    With ``owing``, patrons who owe nothing are left out.
    """
    query = (
        sa.select(
            rm_commission, rm_shoe.c.name, rm_shoe.c.table_name, rm_shoe.c.currency,
            rm_shoe.c.minor_units, rm_shoe.c.state,
        )
        .join(rm_shoe, rm_shoe.c.stream == rm_commission.c.stream)
        .order_by(rm_shoe.c.first_index, rm_commission.c.patron)
    )  # fmt: skip
    if shoe is not None:
        query = query.where(rm_commission.c.stream == f"shoe/{shoe}")
    if owing:
        query = query.where(rm_commission.c.owed != 0)
    return [dict(row) for row in connection.execute(query).mappings()]


def patron_names(connection: Connection) -> Iterable[str]:
    """Return the names of the patrons who placed a bet."""
    return connection.scalars(sa.select(rm_bet.c.patron).distinct())


def has_bet(connection: Connection, patron: str) -> bool:
    """Return whether a patron ever placed a bet."""
    query = sa.select(rm_bet.c.bet).where(rm_bet.c.patron == patron).limit(1)
    return connection.scalar(query) is not None
