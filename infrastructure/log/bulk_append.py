"""Append very many events at once.

They are first staged in a temporary table of one connection, then moved into the log in one short
transaction. So reading the input blocks no other writer. Events already in the log are removed from
the stage before the log is locked. This stays valid, since the log only grows. If another writer
records the same events meanwhile, the move fails as a whole and is repeated.
"""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import RootTransaction
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.schema import KEY, WHOLE, log_event, log_head
from sabot.infrastructure.log.append import (
    NO_HEAD,
    Clock,
    WriterTurn,
    check_versions,
    explained,
    system_login,
)
from sabot.infrastructure.log.codec import Row, StoredRow, check_same
from sabot.infrastructure.log.idempotency import KnownEvents

BATCH: Final = 2000

_stage: Final = sa.Table(
    "log_stage",
    sa.MetaData(),
    *(sa.Column(c.name, c.type, primary_key=c.primary_key, autoincrement=False)
      for c in log_event.c),
    sa.UniqueConstraint("event_id"),
    sa.UniqueConstraint("device", "seq"),
    sa.UniqueConstraint("stream", "version"),
    prefixes=["TEMPORARY"],
)  # fmt: skip
_s: Final = _stage.c
_e: Final = log_event.c

_AS_SENT: Final = [_stage.c[name] for name in Row.__struct_fields__]

# Identities by which a staged row can already be in the log; the last is for given versions.
_SAME: Final = (
    _e.event_id == _s.event_id,
    sa.and_(_e.device == _s.device, _e.seq == _s.seq),
    sa.and_(_e.stream == _s.stream, _e.version == _s.version),
)

# SQLite's driver binds values faster than json_each parses; PostgreSQL parses one JSON text
# faster than psycopg binds fourteen columns.
_INSERT: Final = {
    True: "INSERT INTO log_stage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    False: "INSERT INTO log_stage SELECT (r->>0)::bigint, r->>1, r->>2, (r->>3)::bigint,"
    " r->>4, (r->>5)::bigint, (r->>6)::bigint, r->>7, r->>8, (r->>9)::bigint, r->>10,"
    " (r->>11)::bigint, r->>12, r->>13 FROM jsonb_array_elements(%s::jsonb) AS r",
}

# Versions of the streams at the beginning of the turn. A query within the insert would scan the
# rows that the insert has just written.
_base: Final = sa.Table(
    "log_stage_base",
    _stage.metadata,
    sa.Column("stream", KEY, primary_key=True),
    sa.Column("version", WHOLE, nullable=False),
    prefixes=["TEMPORARY"],
)
_version: Final = _base.c.version + sa.func.row_number().over(
    partition_by=_s.stream, order_by=_s.id
)
_stage_on_base: Final = _base.c.stream == _s.stream

_APPEND_STAGED: Final = sa.text("""
    WITH staged AS (
      SELECT *, dense_rank() OVER (ORDER BY stream) AS place
      FROM log_stage WHERE id > :after AND id <= :until
    )
    SELECT log_append(jsonb_build_object(
      'streams', jsonb_agg(DISTINCT stream), 'expected', jsonb_build_array(),
      'now', CAST(:now AS bigint), 'events', jsonb_agg(
        jsonb_build_array(
          place, event_id, name, at_us, recorded_us, actor, device, seq, payload, source
        ) ORDER BY id
      )
    ))
    FROM staged HAVING count(*) > 0
""")


class BulkAppend:
    """Rows staged for the log, invisible to other readers."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._count = 0
        self._waiting: list[Row] = []
        self._keeps_versions = False

    def __enter__(self) -> Self:
        with self._database.guarded():
            self._connection = self._database.engine.connect()
            try:
                with self._begin():
                    _stage.metadata.create_all(self._connection, checkfirst=False)
            except BaseException:
                self._connection.close()
                raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            with self._begin():
                _stage.metadata.drop_all(self._connection, checkfirst=False)
        except SQLAlchemyError:
            self._connection.invalidate()  # the stage goes with its connection
        finally:
            self._connection.close()

    def _begin(self, *, writes: bool = False) -> RootTransaction:
        return self._connection.execution_options(sabot_writes=writes).begin()

    def put(self, row: Row) -> None:
        """Stage a row. Rows may be kept in memory until `move`.

        A duplicate is dropped.

        Raises:
            ContentConflict: an identity is already staged with other content.
        """
        self._waiting.append(row)
        if len(self._waiting) == BATCH:
            self._flush()

    def _flush(self) -> None:
        rows, self._waiting = self._waiting, []
        with self._database.guarded():
            try:
                self._insert(rows)
            except IntegrityError:
                with self._begin():
                    book = KnownEvents(self._connection, rows, _stage)
                    rows = [row for row in rows if book.of(row) is None]
                self._insert(rows)
        self._count += len(rows)
        self._keeps_versions = self._keeps_versions or any(row.version for row in rows)

    def _insert(self, rows: Sequence[Row]) -> None:
        values: Any = [
            (n, r.event_id, r.stream, r.version, r.name, r.at_us, r.recorded_us,
             r.actor, r.device, r.seq, r.payload, r.stored_us, r.login, r.source)
            for n, r in enumerate(rows, self._count + 1)
        ]  # fmt: skip
        if not values:
            return
        if not self._database.is_sqlite:
            values = (msgspec.json.encode(values).decode(),)
        with self._begin():
            self._connection.exec_driver_sql(_INSERT[self._database.is_sqlite], values)

    def move(self, expected: Mapping[str, int], clock: Clock) -> int:
        """Move all rows into the log. Return the number of new ones.

        Raises:
            VersionConflict: a stream of ``expected`` is at another version.
            ContentConflict: the log has other content under the same identity.
            BadInput: a row's given version is not the next of its stream.
        """
        self._flush()
        with self._database.guarded():
            self._settle()
            while True:
                try:
                    return self._move(expected, clock)
                except IntegrityError as error:
                    if not self._settle():
                        raise explained(error) from error

    def _settle(self) -> int:
        """Drop the staged rows that the log already has.

        Return the number of dropped rows.

        Raises:
            ContentConflict: the log has other content under the same identity.
            UntrustedLog: the log has lost its head.
        """
        settled = 0
        with self._begin():
            head = self._connection.execute(sa.select(log_head.c.last_id)).scalar()
            if head is None:
                raise UntrustedLog(NO_HEAD)
            seen = _e.id <= head
            for same in _SAME:
                pairs = sa.select(*_AS_SENT, log_event).join_from(_stage, log_event, same)
                for pair in self._connection.execute(pairs.where(seen)):
                    check_same(Row(*pair[: len(_AS_SENT)]), StoredRow(*pair[len(_AS_SENT) :]))
                known = sa.exists().where(same, seen)
                settled += self._connection.execute(sa.delete(_stage).where(known)).rowcount
        return settled

    def _move(self, expected: Mapping[str, int], clock: Clock) -> int:
        connection = self._connection
        with self._begin():
            streams = set(connection.scalars(sa.select(_s.stream).distinct()))
        if not streams:
            # acknowledging known events needs a writer's turn too, which checks the log's files
            with self._begin(writes=True):
                return 0
        with self._begin(writes=True):
            turn = WriterTurn(connection, streams | expected.keys())
            check_versions(turn.versions, expected)
            connection.execute(sa.delete(_base))
            connection.execute(
                sa.insert(_base),
                [{"stream": stream, "version": turn.versions[stream]} for stream in streams],
            )
            if self._keeps_versions:
                self._check_versions()
            if self._database.is_sqlite:
                self._insert_staged(turn.last_id, clock())
            else:
                self._append_staged(clock())
            return self._grown_from(turn.last_id)

    def restore(self, origin: str) -> int:
        """Move all rows, with all their columns, into an empty log, and give the log its name.

        Return the number of rows.

        Raises:
            BadInput: the log is not empty.
        """
        self._flush()
        connection = self._connection
        with self._database.guarded(), self._begin(writes=True):
            turn = WriterTurn(connection, [""])
            if turn.last_id:
                raise BadInput(
                    f"the log at {self._database} has {turn.last_id} events; restore into an empty "
                    "one, or add the events to it with `sabot import`"
                )
            connection.execute(sa.update(log_head).values(origin=origin))
            rows = sa.select(*_s).order_by(_s.id)
            connection.execute(sa.insert(log_event).from_select(list(_e), rows))
            return self._grown_from(0)

    def _insert_staged(self, last_id: int, now: int) -> None:
        rows = sa.select(
            last_id + sa.func.row_number().over(order_by=_s.id),
            _s.event_id, _s.stream, _version, _s.name, _s.at_us,
            sa.func.coalesce(_s.recorded_us, now), _s.actor, _s.device, _s.seq, _s.payload,
            sa.literal(now), sa.literal(system_login()), _s.source,
        ).join_from(_stage, _base, _stage_on_base).order_by(_s.id)  # fmt: skip
        self._connection.execute(sa.insert(log_event).from_select(list(_e), rows))

    def _append_staged(self, now: int) -> None:
        """Pass the staged rows to the database function that appends, some thousands at a time.

        The function cannot read them itself. It has its owner's rights, and must not read what its
        caller created.
        """
        for after in range(0, self._count, BATCH):
            bounds = {"after": after, "until": after + BATCH, "now": now}
            self._connection.execute(_APPEND_STAGED, bounds)

    def _grown_from(self, last_id: int) -> int:
        head: int = self._connection.execute(sa.select(log_head.c.last_id)).scalar_one()
        return head - last_id

    def _check_versions(self) -> None:
        """Check that given versions continue those of the log.

        Raises:
            BadInput: a version of a stream is missing.
        """
        due = sa.select(_s.stream, _s.version, _version.label("due"))
        given = due.join_from(_stage, _base, _stage_on_base).subquery()
        wrong = sa.select(given).where(given.c.version != given.c.due).limit(1)
        found = self._connection.execute(wrong).first()
        if found is not None:
            raise BadInput(
                f"{found.stream} goes on with version {found.due} here, and version "
                f"{found.version} comes next; export the whole stream"
            )
