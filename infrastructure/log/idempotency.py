"""Idempotent appends: repeating an append stores nothing twice."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from sabot.domain.events.envelope import AppendResult
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.log.append import Clock, WriterTurn, check_versions, explained
from sabot.infrastructure.log.codec import Row, StoredRow, check_same

# Unique keys of an event; a draft has no version, and often only one of the others.
_IDENTITIES: Final = (("event_id",), ("device", "seq"), ("stream", "version"))


class KnownEvents:
    """The events already recorded under the identities of some rows."""

    _AT_ONCE: Final = 500

    def __init__(self, connection: Connection, rows: Sequence[Row], table: sa.Table) -> None:
        self._rows: dict[object, Row | StoredRow] = {}
        for start in range(0, len(rows), self._AT_ONCE):
            some = rows[start : start + self._AT_ONCE]
            for columns in _IDENTITIES:
                keys = [key for row in some if (key := _key(row, columns)) is not None]
                same = sa.tuple_(*(table.c[name] for name in columns)).in_(keys)
                for found in connection.execute(sa.select(table).where(same)) if keys else ():
                    self._keep(StoredRow(*found))

    def of(self, row: Row) -> Row | StoredRow | None:
        """Return the recorded event with a row's identity.

        If there is none, register the row and return None.

        Raises:
            ContentConflict: the recorded event has other content.
        """
        known = [self._rows[key] for key in _keys(row) if key in self._rows]
        for other in known:
            check_same(row, other)
        if known:
            return known[0]
        self._keep(row)
        return None

    def _keep(self, row: Row | StoredRow) -> None:
        self._rows.update(dict.fromkeys(_keys(row), row))


def _key(row: Row | StoredRow, columns: tuple[str, ...]) -> tuple[object, ...] | None:
    values = tuple(getattr(row, name) for name in columns)
    return None if None in values else values


def _keys(row: Row | StoredRow) -> Iterator[object]:
    for columns in _IDENTITIES:
        key = _key(row, columns)
        if key is not None:
            yield columns, key


def record_again(
    database: Database, rows: Sequence[Row], expected: Mapping[str, int], clock: Clock
) -> list[AppendResult]:
    """Record the rows that are new to the log, in one transaction.

    If the log has all of them, expected versions are not checked.

    Raises:
        VersionConflict: a stream of ``expected`` is at another version.
        ContentConflict: an identity is recorded with other content.
        UntrustedLog: the log refuses a new row.
    """
    try:
        with database.writing() as connection:
            turn = WriterTurn(connection, {row.stream for row in rows} | expected.keys())
            book = KnownEvents(connection, rows, log_event)
            known = [book.of(row) for row in rows]
            fresh = [row for row, held in zip(rows, known, strict=True) if held is None]
            if fresh:
                check_versions(turn.versions, expected)
            receipts = turn.write(fresh, clock)
    except IntegrityError as error:
        raise explained(error) from error
    new = {id(row): receipt for row, receipt in zip(fresh, receipts, strict=True)}
    return [_receipt(row, held, new) for row, held in zip(rows, known, strict=True)]


def _receipt(
    row: Row, held: Row | StoredRow | None, new: Mapping[int, AppendResult]
) -> AppendResult:
    """Return the result of appending a row.

    ``held`` is an earlier row with the same identity, in the log or in this batch.
    """
    if held is None:
        return new[id(row)]
    if isinstance(held, StoredRow):
        return AppendResult(held.id, row.stream, held.version, known=True)
    first = new[id(held)]
    return AppendResult(first.index, first.stream, first.version, known=True)
