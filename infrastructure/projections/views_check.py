"""Compare the summary tables with the events, row by row."""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain, islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import URL

from sabot.domain.values.errors import UntrustedLog, shortened
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.database_urls import MEMORY
from sabot.infrastructure.database.driver_errors import first_line
from sabot.infrastructure.database.pages import pages
from sabot.infrastructure.database.schema import rm_tracking
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.projections.views_schema import FOLLOWER, READ_MODELS

MOST: Final = 1000
"""The number of differences that are reported."""

_PAGE: Final = 2000

Row = tuple[Any, ...]


class ViewFault(NamedTuple):
    """A value of a summary table that the events do not give.

    Attributes:
        table: the summary table.
        row: the stream, such as ``shoe/H-1``, and the other keys of the row.
        column: the column; empty for a whole row.
        fault: ``missing``, ``unexpected``, or what the value is and should be. Without a row, why
            the table cannot be read.
    """

    table: str
    row: str
    column: str
    fault: str


def view_faults(log: EventLog, catch_up: Callable[[Projector, int], object]) -> list[ViewFault]:
    """Project the events afresh in memory, and return how the tables in use differ, up to `MOST`.

    The tables are compared up to their own position in the log. Reads every event up to there.
    ``catch_up`` brings a projector's tables up to an index of the log.
    """
    if wrong := Projector(log).fault():
        return [ViewFault(rm_tracking.name, FOLLOWER, "last_id", wrong)]
    stored, position = log.views, Projector(log).position()
    with closing(Database(URL.create("sqlite", database=MEMORY))) as fresh:
        with fresh.writing() as connection:
            for table in (*READ_MODELS, rm_tracking):
                table.create(connection)
        log.keep_views(fresh)
        try:
            catch_up(Projector(log), position)
        finally:
            log.keep_views(stored)
        faults = (fault for table in READ_MODELS for fault in _faults(table, stored, fresh))
        return list(islice(faults, MOST))


def _faults(table: sa.Table, stored: Database, fresh: Database) -> Iterator[ViewFault]:
    """Yield the differences between both, and the error that stops the comparison."""
    try:
        yield from _compared(table, stored, fresh)
    except UntrustedLog as error:
        cause = getattr(error.__cause__, "orig", error)
        yield ViewFault(table.name, "", "", f"cannot be read: {first_line(cause)}")


def _compared(table: sa.Table, stored: Database, fresh: Database) -> Iterator[ViewFault]:
    """Merge the rows of both by their keys. Yield the differences."""
    keys, columns = len(table.primary_key), [column.name for column in _columns(table)]

    def fault(row: Row, column: str, text: str) -> ViewFault:
        values = dict(zip(columns, row, strict=True))
        others = [f"{name} {values[name]}" for name in columns[:keys] if name != "stream"]
        return ViewFault(table.name, ", ".join([values["stream"], *others]), column, text)

    found, due = _rows(table, stored), _rows(table, fresh)
    row, other = next(found, None), next(due, None)
    while row is not None or other is not None:
        if other is None or (row is not None and row[:keys] < other[:keys]):
            assert row is not None
            yield fault(row, "", "unexpected")
            row = next(found, None)
        elif row is None or other[:keys] < row[:keys]:
            yield fault(other, "", "missing")
            other = next(due, None)
        else:
            for column, one, right in zip(columns, row, other, strict=True):
                if one != right:
                    yield fault(
                        row, column, f"is {_shown(one)}, but the events give {_shown(right)}"
                    )
            row, other = next(found, None), next(due, None)


def _columns(table: sa.Table) -> list[sa.Column[Any]]:
    """Return the columns of a table, the keys first."""
    keys = list(table.primary_key)
    return [*keys, *(column for column in table.columns if column not in set(keys))]


def _rows(table: sa.Table, database: Database) -> Iterator[Row]:
    """Return the rows by their keys, some at a time. Both databases order texts by their bytes."""
    columns, keys = _columns(table), list(table.primary_key)
    query = sa.select(*columns).order_by(*keys).limit(_PAGE)

    def read(after: Row) -> list[Row]:
        page = query.where(sa.tuple_(*keys) > sa.tuple_(*after)) if after else query
        with database.reading() as connection:
            return [tuple(row) for row in connection.execute(page)]

    return chain.from_iterable(pages(read, (), _PAGE, key=lambda row: row[: len(keys)]))


def _shown(value: object) -> str:
    return "nothing" if value is None else shortened(str(value))
