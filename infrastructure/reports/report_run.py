"""Make reports from the log: read the records of a period, and build the report."""

from collections.abc import Iterable
from datetime import date, timedelta

from msgspec.structs import replace

from sabot.domain.audit.audit_scope import AuditScope
from sabot.domain.audit.foreign_events import set_foreign_aside
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.state.batch_state import Batch
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_state import Table
from sabot.domain.values.periods import Period
from sabot.domain.values.suggestions import not_in_log
from sabot.infrastructure.audits.audit_run import (
    CARDS_PREFIX,
    Progress,
    audit_log,
    load_shoe,
    shoe_streams,
    streams_in,
)
from sabot.infrastructure.audits.finding_states import add_states
from sabot.infrastructure.audits.remembered_findings import remember
from sabot.infrastructure.exports.reports.document import Pack
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.people import check_dealer
from sabot.infrastructure.log.table_records import TABLE_PREFIX, Tables
from sabot.infrastructure.log.whole_log import logins_of
from sabot.infrastructure.reports.incident import KIND as INCIDENT
from sabot.infrastructure.reports.model import unknown_in
from sabot.infrastructure.reports.records import Records, Scope, times_of
from sabot.infrastructure.reports.report_cases import (
    Made,
    Request,
    detection_report,
    incident_report,
)
from sabot.infrastructure.reports.statistical_win import KIND as STATISTICAL_WIN
from sabot.infrastructure.reports.statistical_win import Span, statistical_win, sums_of


def make_report(log: EventLog, request: Request, progress: Progress) -> Made:
    """Make a report, with a list of the values that the record does not determine.

    Raises:
        NotFound: the log has no such shoe.
        UntrustedLog: events are missing from the log.
    """
    made = _make(log, request, progress)
    unknown = (*made.report.unknown, *unknown_in(made.report.sections))
    return replace(made, report=replace(made.report, unknown=unknown))


def _make(log: EventLog, request: Request, progress: Progress) -> Made:
    scope, until = request.scope, request.until
    if request.kind.name == STATISTICAL_WIN:
        return _statistical_win(log, request)
    if request.kind.name == INCIDENT:
        return incident_report(log, request, _audited(log, request, progress))
    records = load_records(log, scope, until=until)
    if request.kind.make is None:
        return Made(detection_report(log, request), records)
    if request.kind.findings:
        audited = _audited(log, request, progress)
        findings = (*audited.findings, *audited.removed)
        records = replace(records, findings=findings, states=audited.states, audit=audited)
    return Made(request.kind.make(records), records)


def _audited(log: EventLog, request: Request, progress: Progress) -> AuditReport:
    """Audit the named shoes or the whole log. Add states to the findings in the scope."""
    asked, until = request.scope, request.until
    scope = AuditScope(asked.period, asked.tables, asked.dealers)
    report = audit_log(
        log,
        sorted(asked.shoes),
        until=until,
        workers=request.workers,
        scope=scope,
        progress=progress,
    )
    add_states(log, report, until=until)
    remember(log.origin, [*report.findings, *report.outside])
    return report


def _statistical_win(log: EventLog, request: Request) -> Made:
    """Make the report on statistical win, with month and year to date at the period's end.

    It is compared with the previous year, or with the previous month if no table was open in that
    year.
    """
    end = _end(log, request.scope, request.until)
    if end is None:
        records = load_records(log, request.scope, until=request.until)
        return Made(statistical_win(records), records)
    days, today = request.days, request.days.day_of(end - 1)
    month, year = today.replace(day=1), today.replace(month=1, day=1)
    last_month = (month - timedelta(days=1)).replace(day=1)

    def span(first: date, last_us: int | None) -> Period:
        return Period(days.day(first).from_us, last_us)

    # of the previous year only the sessions are needed, which are on the record of the tables
    from_us, since = days.day(year).from_us, request.scope.period.from_us
    reach = Period(None if since is None or from_us is None else min(since, from_us), end)
    records = load_records(log, request.scope, until=request.until, reach=reach)
    spans = (
        Span("month to date", span(month, end)),
        Span("year to date", span(year, end)),
    )
    base = span(year.replace(year=year.year - 1), days.day(year).from_us)
    if not any(each.sessions for each in sums_of(records, base).values()):
        base = span(last_month, days.day(month).from_us)
    report = statistical_win(records, spans, base)
    inside = tuple(
        shoe for shoe in records.shoes if _is_in(shoe, request.scope, request.scope.period)
    )
    return Made(report, replace(records, shoes=inside))


def _end(log: EventLog, scope: Scope, until: int) -> int | None:
    """Return the end of the period, or the time just after the last event at a table."""
    if scope.period.to_us is not None:
        return scope.period.to_us
    ((last,),) = log.database.fetch(
        "SELECT max(coalesce(at_us, recorded_us)) FROM log_event WHERE id <= ?"
        " AND ((stream >= 'shoe/' AND stream < 'shoe0')"
        " OR (stream >= 'table/' AND stream < 'table0'))",
        (until,),
    )
    return None if last is None else int(last) + 1


def load_records(
    log: EventLog,
    scope: Scope,
    *,
    until: int,
    reach: Period | None = None,
) -> Records:
    """Read the shoes, tables and batches of a scope, up to an index of the log.

    Args:
        log: the log.
        scope: tables, shoes and the period.
        until: the last index to read.
        reach: the period from which shoes are read, if it is longer than that of the scope.

    Raises:
        NotFound: the log has no such shoe, table or dealer.
        UntrustedLog: events are missing from the log.
    """
    tables = Tables(log, until)
    span = scope.period if reach is None else reach
    for dealer in scope.dealers:
        check_dealer(log, dealer)
    shoes, at_tables = [], _named(log, until)
    there = streams_in(log, span)
    if not scope.shoes:
        logins_of(log)
    for stream in shoe_streams(log, sorted(scope.shoes), until=until):
        if there is not None and stream not in there and not scope.tables:
            continue
        shoe = load_shoe(log, stream, until=until, tables=tables)
        at_tables.add(shoe.table or "")
        if _is_in(shoe, scope, span):
            shoes.append(set_foreign_aside(at_the_table(shoe)))
    known = _tables_of(tables, scope, at_tables)
    return Records(scope, tuple(shoes), known, tuple(_batches(log, scope, until)))


def _named(log: EventLog, until: int) -> set[str]:
    """Return the tables that have a stream of their own."""
    streams = [each.stream for each in log.streams(TABLE_PREFIX) if each.first_index <= until]
    return {stream.removeprefix(TABLE_PREFIX) for stream in streams}


def _tables_of(tables: Tables, scope: Scope, names: set[str]) -> dict[str, Table]:
    """Return the tables of a scope that have a record of their own, by name.

    Raises:
        NotFound: the log has no table with a name in the scope.
    """
    for name in sorted(scope.tables - names):
        raise not_in_log("table", name, names)
    found = {name: tables.of(name) for name in sorted(scope.tables or names)}
    return {name: table for name, table in found.items() if table is not None}


def _is_in(shoe: Shoe, scope: Scope, span: Period) -> bool:
    if scope.tables and shoe.table not in scope.tables:
        return False
    times = times_of(shoe.history).values()
    return any(map(span.holds, times))


def _batches(log: EventLog, scope: Scope, until: int) -> Iterable[Batch]:
    """Yield the batches in their state at the end of the period."""
    for each in log.streams(CARDS_PREFIX):
        if each.first_index > until:
            continue
        events = [event for event in log.read(each.stream) if event.index <= until]
        times = times_of(events)
        to_us = scope.period.to_us
        batch = fold_batch(
            each.stream, [event for event in events if to_us is None or times[event.index] < to_us]
        )
        if batch.history and _was_at(batch, scope):
            yield batch


def _was_at(batch: Batch, scope: Scope) -> bool:
    return not scope.tables or any(stay.table in scope.tables for stay in batch.stays)


def packs_of(records: Records) -> tuple[Pack, ...]:
    """Return the rule packs by which the shoes of the period were dealt."""
    found = set()
    for shoe in records.shoes:
        loaded = shoe.loaded
        if shoe.pack is not None and loaded is not None:
            pack = shoe.pack
            found.add(Pack(pack.name, pack.version, loaded.payload.pack_sha256))
    return tuple(sorted(found))
