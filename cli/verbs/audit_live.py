"""``sabot audit --follow``: each breach as its event arrives, and each withdrawn finding."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sabot.cli.console import Column, Format, emit, printable, say
from sabot.cli.output import ReportFormat
from sabot.cli.verbs.audit_summary import FINDING_COLUMNS, head, rows_of, where_said
from sabot.domain.audit import Finding
from sabot.domain.audit.gaps import gaps
from sabot.domain.audit.live import FindingChange
from sabot.domain.audit.report import AuditReport
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.audits.audit_follow import AuditFollower
from sabot.infrastructure.audits.audit_run import load_floor

if TYPE_CHECKING:
    from sabot.domain.audit.verdicts import InDoubt
    from sabot.infrastructure.audits.audit_run import Provenance
    from sabot.infrastructure.log.event_log import EventLog


_TOLD: Final = Column("told")
"""The column for the status of a finding: found, changed or withdrawn."""


def check_follow(form: ReportFormat, output: str, until: int | None, *, record: bool) -> None:
    """Refuse options that cannot be combined with --follow.

    Raises:
        BadInput: such an option is given.
    """
    if until is not None or record:
        raise BadInput("--follow cannot be combined with --until or --record")
    whole = (ReportFormat.JSON, ReportFormat.SARIF, ReportFormat.HTML)
    if output != "-" or form in whole:
        raise BadInput("--follow writes to standard output only, as table, tsv, jsonl or csv")


def follow(log: "EventLog", report: AuditReport, of: "Provenance", form: ReportFormat) -> None:
    """Write the findings so far, then each breach as its event arrives.

    A finding that changes or no longer holds is written again with its new status.
    """
    for gap in gaps(report):
        say(gap)
    say(f"{head(report)}; record: {of.signature_and_hint}; following the log, press Ctrl+C to stop")
    floor = None if of.named else load_floor(log, report.traces, until=of.last_index)
    watch = AuditFollower(
        log, of.last_index, shoes=of.named, told=report.findings, floor=floor, doubt=_say_doubt
    )
    news = _as_they_come(report.listed(), watch.follow())
    if form is ReportFormat.TABLE:
        for each in news:
            sys.stdout.write(_line(each) + "\n")
            sys.stdout.flush()
    else:
        emit(_flushed(_rows(report, news)), (*FINDING_COLUMNS, _TOLD), Format(form.value))


def _say_doubt(stream: str, doubt: "InDoubt") -> None:
    """Report a rule that could not be applied to a followed shoe, with the reason."""
    coup = "" if doubt.coup is None else f" coup {doubt.coup}"
    say(f"{where_said(stream)}{coup}: {doubt.code} not judged: {doubt.reason}")


def _as_they_come(
    before: list[Finding], batches: Iterator[list[FindingChange]]
) -> Iterator[FindingChange]:
    yield from (FindingChange("found", finding) for finding in before)
    for batch in batches:
        yield from batch


def _rows(report: AuditReport, news: Iterator[FindingChange]) -> Iterator[dict[str, object]]:
    """Yield findings as rows with their status."""
    return ({**row, "told": each.told} for each in news for row in rows_of(report, [each.finding]))


def _flushed(rows: Iterator[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Yield rows, flushing each at once."""
    for row in rows:
        yield row
        sys.stdout.flush()


def _line(news: FindingChange) -> str:
    """Return a finding as one line for a terminal."""
    finding = news.finding
    told = "" if news.told == "found" else f"{news.told.upper()} "
    coup = "" if finding.coup is None else f" coup {finding.coup}"
    who = "".join(
        f", {what} {name}"
        for what, name in (("patron", finding.patron), ("dealer", finding.dealer))
        if name
    )
    where = f"{where_said(finding.stream)}{coup}"
    return printable(
        f"{finding.at or '-'} {finding.severity:6} {told}{where}: {finding.message}"
        f" (required: {finding.expected}{who}) [{finding.code} {finding.fingerprint[:12]}]"
    )
