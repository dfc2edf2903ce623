"""Reports on one finding, and on one patron."""

from collections.abc import Callable

from msgspec import Struct

from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.audit.explain.steps import Step
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.foreign_events import set_foreign_aside
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.events import Event, name_of
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.follower import Scope as DetectionScope
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.values.periods import GamingDays
from sabot.infrastructure.audits.audit_run import SHOE_PREFIX, load_shoe
from sabot.infrastructure.audits.findings_store import check_digits, find_in
from sabot.infrastructure.detection.detect_run import Asked, cases, check_scope, look
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.people import check_patron
from sabot.infrastructure.reports.detection_case import detection_case
from sabot.infrastructure.reports.incident import KIND as INCIDENT
from sabot.infrastructure.reports.incident import Incident, incident
from sabot.infrastructure.reports.kinds import ReportKind
from sabot.infrastructure.reports.model import Report
from sabot.infrastructure.reports.records import Records, Scope


def _kind_of_event(payload: Event, _minor_units: int) -> str:
    return name_of(payload)


class Request(Struct, frozen=True):
    """A request for a report: its kind, its scope and the last index to read.

    ``days`` decides when months and years begin. ``patron`` is the subject of a detection case,
    ``finding`` the fingerprint of an incident or its first digits. ``describe`` is a function that
    returns an event as a sentence. It takes the number of decimals of the currency.
    """

    kind: ReportKind
    scope: Scope
    until: int
    days: GamingDays = GamingDays()
    workers: int | None = None
    patron: str | None = None
    finding: str | None = None
    describe: Callable[[Event, int], str] = _kind_of_event


class Made(Struct, frozen=True):
    """A report, and the records from which it was made."""

    report: Report
    records: Records

    @property
    def is_empty(self) -> bool:
        """Whether no shoe has an event in the period, and the main table no row."""
        rows = self.report.tables()[0].rows
        return not (self.records.shoes or rows or self.report.kind == INCIDENT)


def incident_report(log: EventLog, request: Request, audited: AuditReport) -> Made:
    """Make the report of one finding.

    Raises:
        BadInput: no finding is named, or its digits are too few, or several findings have them.
        NotFound: there is no such finding.
    """
    if request.finding is None:
        raise BadInput("name the finding: --finding FINGERPRINT; list them with: sabot findings")
    found = find_in(audited, check_digits(request.finding))
    if found is None or found.finding is None:
        raise NotFound(f"no finding {request.finding!r}; list them with: sabot findings")
    finding = found.finding
    stream = SHOE_PREFIX + (finding.shoe or "")
    shoe = load_shoe(log, stream, until=request.until) if finding.shoe is not None else None
    others = [
        each
        for each in audited.findings
        if (each.shoe, each.coup) == (finding.shoe, finding.coup) and each is not finding
    ]
    of_coup = finding.coup is not None and shoe is not None
    of = Incident(
        finding,
        audited.state_of(finding),
        audited.reviews.get(finding.fingerprint),
        None if shoe is None else set_foreign_aside(at_the_table(shoe)),
        _steps(shoe, finding, [finding, *others]),
        _events_of(log, finding, shoe),
        others if of_coup else (),
    )
    units = shoe.pack.money.minor_units if shoe is not None and shoe.pack is not None else 2
    report = incident(of, lambda event: request.describe(event.payload, units))
    return Made(report, Records(request.scope, () if of.shoe is None else (of.shoe,)))


def _steps(shoe: Shoe | None, finding: Finding, found: list[Finding]) -> list[Step]:
    if shoe is None or finding.coup is None or finding.coup not in shoe.coups:
        return []
    return explain(shoe, finding.coup, found).steps


def _events_of(log: EventLog, finding: Finding, shoe: Shoe | None) -> list[RecordedEvent]:
    """Return the events of a finding's coup, and those that show the breach, in order."""
    indexes = set(finding.events)
    if shoe is not None and finding.coup is not None and finding.coup in shoe.coups:
        indexes |= {event.index for event in shoe.coups[finding.coup].events}
    found = [
        event for event in (shoe.history if shoe is not None else ()) if event.index in indexes
    ]
    missing = sorted(indexes - {event.index for event in found})
    others = [event for index in missing for event in _one(log, index)]
    return sorted([*found, *others], key=lambda event: event.index)


def _one(log: EventLog, index: int) -> list[RecordedEvent]:
    """Return the event with an index."""
    return [event for events in log.scan(after=index - 1, until=index) for event in events]


def detection_report(log: EventLog, request: Request) -> Report:
    """Run the detection on the scope. Return the report with its cases.

    Raises:
        NotFound: the log has no such patron, shoe or table.
    """
    scope, period = request.scope, request.scope.period
    to_us = None if period.to_us is None else period.to_us - 1
    within = DetectionScope(scope.shoes, scope.tables, from_us=period.from_us, to_us=to_us)
    check_scope(log, within)
    if request.patron is not None:
        check_patron(log, request.patron)
    looked = look(log, Asked(Plan(), within, request.until))
    shown = [
        each
        for each in looked.report.findings
        if request.patron is None or request.patron in each.subject.values()
    ]
    return detection_case(looked.report, shown, cases(log, looked, request.patron))
