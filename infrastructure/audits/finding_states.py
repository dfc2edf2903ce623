"""The states of the findings of an audit.

People's remarks on findings are in the log. A correction may have removed a reviewed finding, or
brought it back. To find out, the shoe is audited as the log was just before and just after that
correction. Only shoes with reviewed findings and later corrections are audited again.
"""

from collections.abc import Iterable, Sequence

from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.finding_reviews import FindingReview, Sighting, reviews
from sabot.domain.audit.report import AuditReport
from sabot.domain.events import EventCorrected
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.events.points_in_time import format_time
from sabot.domain.events.review import FINDINGS_STREAM
from sabot.infrastructure.audits.audit_run import SHOE_PREFIX, load_floor, load_shoe
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_records import TABLE_PREFIX, Tables

_Correction = RecordedEvent[EventCorrected]


def add_states(log: EventLog, report: AuditReport, *, until: int | None = None) -> None:
    """Add the states of findings to an audit, from the log up to an index.

    Findings that were reviewed and are no longer found are added to ``report.removed``.

    Raises:
        UntrustedLog: an event is missing, out of order, or not written by Sabot.
    """
    last = log.head() if until is None else until
    events = [event for event in log.read(FINDINGS_STREAM) if event.index <= last]
    if not events:
        return
    tables = {SHOE_PREFIX + shoe.name: shoe.table for shoe in report.traces}
    findings = [*report.findings, *report.outside]
    there = {finding.fingerprint for finding in findings}
    past, corrected = _PastAudits(log, report), _Corrections(log, last)
    for recorded, case in reviews(events, findings).items():
        mark = recorded
        of_shoe = case.stream.startswith(SHOE_PREFIX)
        if not (case.stream in tables if of_shoe else report.with_floor):
            continue
        table = tables.get(case.stream)
        streams = [case.stream] if table is None else [case.stream, TABLE_PREFIX + table]
        corrections = corrected.after(case.remarks[0].index, streams)
        found = mark in there
        was, sightings = _look_back(past, case, corrections, found=found)
        if was is not None and not found:
            mark = was.fingerprint  # the review may have a former one
            report.removed.append(was)
        report.reviews[mark] = case
        report.states[mark] = case.state([*sightings, Sighting(last, found)])
    report.limit_removed()


class _Corrections:
    """The corrections made in streams up to an index. Each stream is read only once."""

    def __init__(self, log: EventLog, until: int) -> None:
        self._log, self._until = log, until
        self._known: dict[str, list[_Correction]] = {}

    def after(self, index: int, streams: Iterable[str]) -> list[_Correction]:
        """Return the corrections made in some streams after an index, in their order."""
        made = [each for stream in streams for each in self._of(stream) if each.index > index]
        return sorted(made, key=lambda each: each.index)

    def _of(self, stream: str) -> list[_Correction]:
        if stream not in self._known:
            events = events_of(EventCorrected, self._log.read(stream))
            self._known[stream] = [each for each in events if each.index <= self._until]
        return self._known[stream]


def _look_back(
    past: "_PastAudits", case: FindingReview, corrections: Sequence[_Correction], *, found: bool
) -> tuple[Finding | None, list[Sighting]]:
    """Return a finding with its last details, and the earlier audits that would have found it.

    The audits are those just before and after each correction, and at each remark after the first
    correction.
    """
    if found and not corrections:
        return None, []
    made = {each.index: each for each in corrections}
    said = [remark.index for remark in case.remarks]
    points = {point for index in made for point in (index - 1, index)}
    points |= {index for index in said if made and index > min(made)}
    was: Finding | None = None
    sightings: list[Sighting] = []
    for point in sorted({said[0], *points}):
        seen = past.finding(case, point)
        was = seen or was
        if point > said[0]:
            sightings.append(_sighting(point, made.get(point), found=seen is not None))
    return was, sightings


def _sighting(point: int, correction: _Correction | None, *, found: bool) -> Sighting:
    """Return the result of the audit up to an event.

    Args:
        point: the index of the event.
        correction: the event, if it is a correction.
        found: whether that audit has the finding.
    """
    if correction is None:
        return Sighting(point, found)
    by = correction.payload.by or correction.actor or None
    at = format_time(correction.recorded_us)
    return Sighting(point, found, by, at, correction.payload.reason)


class _PastAudits:
    """Audits of the log at earlier indexes. Each audit is made only once.

    A batch or a table is audited with its events up to the index, and with all shoes as they are
    now.
    """

    def __init__(self, log: EventLog, report: AuditReport) -> None:
        self._log = log
        self._traces = report.traces
        self._known: dict[tuple[str, int], list[Finding]] = {}

    def finding(self, case: FindingReview, index: int) -> Finding | None:
        """Return the finding of a review in the audit at an index, or None if it was not found."""
        of_shoe = case.stream.startswith(SHOE_PREFIX)
        key = (case.stream if of_shoe else "", index)
        if key not in self._known:
            self._known[key] = self._shoe(*key) if of_shoe else self._floor(index)
        marks = {case.finding, case.recorded}
        for each in self._known[key]:
            if each.fingerprint in marks or each.former_fingerprint in marks - {None}:
                return each
        return None

    def _shoe(self, stream: str, index: int) -> list[Finding]:
        tables = Tables(self._log, index)
        return audit_shoe(load_shoe(self._log, stream, until=index, tables=tables)).findings

    def _floor(self, index: int) -> list[Finding]:
        return audit_floor(load_floor(self._log, self._traces, until=index)).findings
