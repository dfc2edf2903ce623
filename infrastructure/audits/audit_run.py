"""Audits of many shoes, read from the log."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Final

from msgspec import Struct

from sabot.domain.audit import ShoeAudit, audit_shoe
from sabot.domain.audit.audit_scope import AuditScope
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.floor_view import Floor, ShoeSummary, floor_of
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.rulebook import rulebook_sha256
from sabot.domain.audit.store_record import StoreRecord
from sabot.domain.events import MAX_INT
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.timeline.device_numbers import skipped_numbers
from sabot.domain.timeline.evidence import Reason
from sabot.domain.values.errors import NotFound
from sabot.domain.values.periods import Period
from sabot.domain.values.suggestions import not_in_log
from sabot.infrastructure.audits.garbage_collection import seldom_collected
from sabot.infrastructure.audits.workers import can_be_started, shared_out, usual_workers
from sabot.infrastructure.database.database_urls import MEMORY
from sabot.infrastructure.evidence.checkpoint import Checkpoint
from sabot.infrastructure.evidence.publishing import newest_of
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.read_ahead import read_ahead
from sabot.infrastructure.log.store_times import store_record
from sabot.infrastructure.log.table_records import TABLE_PREFIX, Tables
from sabot.infrastructure.log.whole_log import check_streams_besides
from sabot.infrastructure.version import program_version, source_sha256

ONLY_SOME: Final = Reason("not-asked", "only some shoes were asked for")
"""The reason for not applying the rules beyond single shoes when shoes are named."""

SHOE_PREFIX: Final = "shoe/"
CARDS_PREFIX: Final = "cards/"

_AT_ONCE: Final = 16
"""Maximum number of shoes in a worker's task."""


class Provenance(Struct, frozen=True):
    """The log, program and rules behind an audit.

    ``last_index`` is the last index read. ``named`` lists the shoes if only some were audited.
    ``signed`` is the number of events that the newest checkpoint up to that index covers, 0 without
    a checkpoint, and ``root`` its Merkle tree root in hex. Without one, ``signed_later`` is the
    number of events that the newest checkpoint of the log covers. An audit verifies no checkpoint.
    """

    origin: str
    last_index: int
    program: str
    rulebook_sha256: str
    source_sha256: str
    named: tuple[str, ...] = ()
    signed: int = 0
    root: str = ""
    signed_later: int = 0

    @property
    def signature(self) -> str:
        """A sentence about the number of signed events."""
        if self.signed_later:
            return (
                f"no checkpoint up to event {self.last_index}; the log is signed up to event "
                f"{self.signed_later}"
            )
        return (
            f"signed up to event {self.signed} (root {self.root[:8]})"
            if self.signed
            else "not signed"
        )

    @property
    def signature_and_hint(self) -> str:
        """`signature` with the command to enter next."""
        if self.signed or self.signed_later:
            return f"{self.signature}; check it with: sabot verify"
        return f"{self.signature}; `sabot evidence init` begins to sign the log"


def provenance(log: EventLog, until: int, shoes: Sequence[str] = ()) -> Provenance:
    """Return the provenance of an audit up to an index."""
    newest = _newest(log, until)
    signed, root = (0, "") if newest is None else (newest.size, newest.root.hex())
    later = _newest(log, MAX_INT) if newest is None else None
    return Provenance(
        log.origin, until, program_version(), rulebook_sha256(), source_sha256(), tuple(shoes),
        signed, root, 0 if later is None else later.size,
    )  # fmt: skip


def _newest(log: EventLog, until: int) -> Checkpoint | None:
    """Return the newest checkpoint of at most this number of events. None if there is none."""
    try:
        return newest_of(log.database, until=until).checkpoint
    except NotFound:
        return None


def shoe_streams(
    log: EventLog, shoes: Sequence[str] = (), *, until: int | None = None
) -> list[str]:
    """Return the streams of the named shoes, or of all.

    They are in the order in which they began. A shoe that began after the index ``until`` is
    excluded. The events of the log are counted only if all shoes are wanted. So reading named shoes
    takes the same time in a log of any size.

    Raises:
        NotFound: the log has no shoe of that name.
        UntrustedLog: events are missing from the log, possibly at its end; or, if all shoes are
        wanted, a stream besides those of shoes, tables and batches is damaged.
    """
    if not shoes:
        log.check()
        check_streams_besides(log, (SHOE_PREFIX, TABLE_PREFIX, CARDS_PREFIX))
        return _names(log, SHOE_PREFIX, until)
    log.check_ends()
    wanted = [SHOE_PREFIX + shoe for shoe in dict.fromkeys(shoes)]
    for stream in wanted:
        found = log.stream(stream)
        if found is None or (until is not None and found.first_index > until):
            name = stream.removeprefix(SHOE_PREFIX)
            known = (each.removeprefix(SHOE_PREFIX) for each in _names(log, SHOE_PREFIX, until))
            raise not_in_log("shoe", name, known)
    return wanted


def load_floor(
    log: EventLog,
    traces: Iterable[ShoeSummary],
    *,
    until: int | None = None,
    tables: Tables | None = None,
    store: StoreRecord | None = None,
) -> Floor:
    """Read batches and tables up to an index of the log, and combine them with the shoes.

    ``tables`` are those already read, and ``store`` is the result of `store_record` if known.

    Raises:
        UntrustedLog: an event is missing, out of order, or not written by Sabot.
    """
    batches = [
        fold_batch(stream, _until(log.read(stream), until))
        for stream in _names(log, CARDS_PREFIX, until)
    ]
    known = Tables(log, until) if tables is None else tables
    names = (stream.removeprefix(TABLE_PREFIX) for stream in _names(log, TABLE_PREFIX, until))
    tables_there = filter(None, map(known.of, names))
    times = store_record(log, until) if store is None else store
    return floor_of(batches, tables_there, traces, times)


def _names(log: EventLog, prefix: str, until: int | None) -> list[str]:
    """List the streams with this prefix that had begun by an index."""
    streams = log.streams(prefix)
    return [each.stream for each in streams if until is None or each.first_index <= until]


def _until(events: list[RecordedEvent], until: int | None) -> list[RecordedEvent]:
    """Return the first events, up to an index."""
    if until is None or not events or events[-1].index <= until:
        return events
    return [event for event in events if event.index <= until]


def load_shoe(
    log: EventLog, stream: str, *, until: int | None = None, tables: Tables | None = None
) -> Shoe:
    """Read and fold a shoe's events up to an index.

    The state includes its table. ``tables`` are those already read.

    Raises:
        UntrustedLog: an event is missing, out of order, or not written by Sabot.
    """
    known = Tables(log, until) if tables is None else tables
    return _shoe_of(log, stream, _until(log.read(stream), until), until, known)


def _shoe_of(
    log: EventLog, stream: str, events: list[RecordedEvent], until: int | None, tables: Tables
) -> Shoe:
    """Fold a shoe's events, which were read up to an index."""
    shoe = fold(stream, events)
    shoe.seqs_in_other_streams = _numbers_in_other_streams(
        log, events, MAX_INT if until is None else until
    )
    shoe.at_table = tables.of(shoe.table)
    return shoe


def _numbers_in_other_streams(
    log: EventLog, events: list[RecordedEvent], until: int
) -> dict[tuple[str, int], int]:
    """Count a device's skipped numbers used in other streams."""
    counts = {}
    for before, after in skipped_numbers(events):
        first, last = (before.seq or 0) + 1, (after.seq or 0) - 1
        counts[before.device, first] = log.count_numbers(before.device, first, last, until=until)
    return counts


Progress = Callable[[int], AbstractContextManager[Callable[[int], None]]]
"""A function that shows progress.

It takes the number of shoes and returns a context manager. The value of the context is called with
1 after each shoe.
"""


def audit_log(  # noqa: PLR0913 - all by name
    log: EventLog,
    shoes: Sequence[str] = (),
    *,
    until: int | None = None,
    workers: int | None = 1,
    scope: AuditScope | None = None,
    progress: Progress = lambda _: nullcontext(lambda _: None),
) -> AuditReport:
    """Audit the named shoes, or all shoes with the floor.

    The floor is batches, tables and shoes together. All shoes are audited, whatever the scope,
    because a rule beyond one shoe needs every shoe.

    Args:
        log: the log.
        shoes: the names of shoes. The rules of the floor need all shoes, so they are applied only
        if none is named.
        until: the last index to read; None reads the whole log.
        workers: the number of processes; the report does not depend on it. None chooses it by the
        number of events and of processors, for a command: a program that starts processes must be
        written for that.
        scope: the tables, dealers and period to which the findings are limited.
        progress: shows how far the audit is.

    Raises:
        NotFound: as `shoe_streams`, or the log has no such table.
        UntrustedLog: as `shoe_streams` and `load_shoe`.
    """
    streams, tables = shoe_streams(log, shoes, until=until), Tables(log, until)
    report = AuditReport(scope=scope or AuditScope())
    if workers is None:
        workers = 1 if shoes else usual_workers(log.head() if until is None else until)
    in_scope = _shoes_in(log, report.scope)
    # nothing else needs the store's clock, so it is read at the same time as the shoes
    with ThreadPoolExecutor(1) as aside, progress(len(streams)) as advance:
        store = None if shoes else aside.submit(store_record, log, until)
        for audit in audit_streams(log, streams, until=until, workers=workers, tables=tables):
            report.add(audit, in_scope=in_scope(audit))
            advance(1)
    _check_tables(log, report)
    if store is None:
        report.leave_floor(ONLY_SOME)
    else:
        floor = load_floor(log, report.traces, until=until, tables=tables, store=store.result())
        report.add_floor(audit_floor(floor))
    return report


def _shoes_in(log: EventLog, scope: AuditScope) -> Callable[[ShoeAudit], bool]:
    """Return the condition that a shoe was at a table of the scope, and in use in its period."""
    at_times = streams_in(log, scope.period)

    def within(audit: ShoeAudit) -> bool:
        at_table = not scope.tables or audit.trace.table in scope.tables
        return at_table and (at_times is None or SHOE_PREFIX + audit.shoe in at_times)

    return within


def streams_in(log: EventLog, period: Period) -> set[str] | None:
    """Return the streams that have an event in a period. None if the period has no bounds."""
    if not period.is_bounded:
        return None
    from_us = -MAX_INT if period.from_us is None else period.from_us
    to_us = MAX_INT if period.to_us is None else period.to_us
    found = log.database.fetch(
        "SELECT DISTINCT stream FROM log_event"
        " WHERE coalesce(at_us, recorded_us) >= ? AND coalesce(at_us, recorded_us) < ?",
        (from_us, to_us),
    )
    return {stream for (stream,) in found}


def _check_tables(log: EventLog, report: AuditReport) -> None:
    """Check that the log has the tables of the scope.

    Raises:
        NotFound: the log lacks one of them.
    """
    known = {trace.table for trace in report.traces if trace.table is not None}
    known |= {each.stream.removeprefix(TABLE_PREFIX) for each in log.streams(TABLE_PREFIX)}
    for table in sorted(report.scope.tables - known):
        raise not_in_log("table", table, known)


def audit_streams(
    log: EventLog,
    streams: Iterable[str],
    *,
    until: int | None = None,
    workers: int = 1,
    tables: Tables | None = None,
) -> Iterator[ShoeAudit]:
    """Audit shoes one by one.

    Memory use is that of a few shoes, since the next ones are read ahead. The input of rules beyond
    single shoes is part of each audit (`ShoeAudit.trace`).

    Args:
        log: the log.
        streams: the shoes' streams, in the order wanted.
        until: the last index to read; None reads the whole log.
        workers: the number of processes; the result does not depend on it.
        tables: those already read up to the same index; extended by those read here.

    Raises:
        UntrustedLog: as `load_shoe`.
    """
    chosen = list(streams)
    # other processes cannot open a database in memory
    can_be_shared = log.database.url.database != MEMORY and can_be_started()
    known = Tables(log, until) if tables is None else tables
    if workers > 1 and len(chosen) > 1 and can_be_shared:
        yield from _shared(log, chosen, known, min(workers, len(chosen)))
        return
    with seldom_collected():
        for stream, events in zip(chosen, read_ahead(log, chosen), strict=True):
            yield audit_shoe(_shoe_of(log, stream, _until(events, until), until, known))


def _shared(log: EventLog, streams: list[str], tables: Tables, workers: int) -> Iterator[ShoeAudit]:
    """Audit shoes in several processes, this one included."""

    def here(some: list[str]) -> list[ShoeAudit]:
        return list(audit_streams(log, some, until=tables.until, tables=tables))

    url = log.database.url.render_as_string(hide_password=False)
    begin = partial(_Worker.begin, url, tables.until)
    size = max(1, min(_AT_ONCE, len(streams) // (4 * workers)))
    parts = [streams[start : start + size] for start in range(0, len(streams), size)]
    for audits in shared_out(workers, begin, _Worker.audit, here, parts):
        yield from audits


class _Worker:
    """The state that a worker process keeps between its tasks.

    It has its own connection to the log, and the tables already read.
    """

    log: EventLog | None = None
    tables: Tables | None = None

    @classmethod
    def begin(cls, url: str, until: int | None) -> None:
        cls.log = EventLog.open(url, read_only=True)
        cls.tables = Tables(cls.log, until)
        # otherwise Python takes the modules of the worker apart at its end
        gc.freeze()

    @classmethod
    def audit(cls, streams: list[str]) -> list[ShoeAudit]:
        assert cls.log is not None
        assert cls.tables is not None
        return list(audit_streams(cls.log, streams, until=cls.tables.until, tables=cls.tables))
