"""``sabot audit``: findings, and the rules that were applied."""

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from sabot.cli.console import (
    DatabaseOption,
    ExitCode,
    Format,
    OutputOption,
    ResolvedOption,
    WorkersOption,
    emit,
    open_log,
    open_output,
    printable,
    progress,
    say,
)
from sabot.cli.hints import with_database
from sabot.cli.output import ReportFormat, ReportFormatOption, report_format
from sabot.cli.period_options import ASKED
from sabot.cli.settings import show_moment, zone_option
from sabot.cli.text.words import to_json
from sabot.cli.verbs.audit_live import check_follow
from sabot.cli.verbs.audit_live import follow as follow_log
from sabot.cli.verbs.audit_summary import FINDING_COLUMNS, rows_of, summary
from sabot.cli.verbs.freshness import only_checked, read_period
from sabot.cli.verbs.isolation_notes import tell_isolations
from sabot.domain.audit.audit_scope import AuditScope
from sabot.domain.audit.report import AuditReport
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.audits.audit_run import audit_log, provenance
from sabot.infrastructure.audits.finding_states import add_states
from sabot.infrastructure.audits.recorded_audits import Run, last_runs, record_run
from sabot.infrastructure.audits.remembered_findings import remember
from sabot.infrastructure.exports.audit_page import audit_page
from sabot.infrastructure.exports.sarif import sarif_log
from sabot.infrastructure.log.people import check_dealer

if TYPE_CHECKING:
    from sabot.infrastructure.audits.audit_run import Provenance
    from sabot.infrastructure.log.event_log import EventLog


ShoesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="SHOE", help="Shoes to audit; default: all."),
]
FollowOption = Annotated[
    bool,
    typer.Option(
        "--follow", "-f", help="Continue as the log grows and report each breach as it happens."
    ),
]
RecordOption = Annotated[
    bool,
    typer.Option("--record", help="Record in the log that this audit was run; needs --by."),
]
ByOption = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Your name, with --record.")
]
ExplainSkipsOption = Annotated[
    bool,
    typer.Option("--explain-skips", help="List the rules that were not applied, and why."),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("audit")(_audit)


def report_of(
    log: "EventLog",
    shoes: Sequence[str],
    *,
    until: int | None = None,
    workers: int | None = None,
    scope: AuditScope | None = None,
) -> AuditReport:
    """Return the audit of the named shoes; by default of all shoes and the floor.

    The floor is batches, tables and shoes together. Findings have their states. Progress is shown
    on standard error.
    """
    shown = partial(progress, "auditing shoes")
    report = audit_log(log, shoes, until=until, workers=workers, scope=scope, progress=shown)
    add_states(log, report, until=until)
    remember(log.origin, [*report.findings, *report.outside])
    return report


def _audit(  # noqa: PLR0913 - an option each
    shoes: ShoesArgument = None,
    *,
    workers: WorkersOption = None,
    follow: FollowOption = False,
    record: RecordOption = False,
    by: ByOption = None,
    resolved: ResolvedOption = False,
    explain_skips: ExplainSkipsOption = False,
    database: DatabaseOption = None,
    form: ReportFormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Check shoes against their rule packs.

    The exit code is 1 if there are findings that are neither resolved nor notes, and 2 if there is
    nothing to audit. Each finding names its rule, what was required, what happened, who was at the
    table, what it cost, and the events that show it. The column "over/short" has the amount that
    the house is over because of the breach; below zero, the house is short. The same log always
    gives the same output.
    """
    read_period(database, *shoes or ())
    scope, until = asked_scope(), ASKED.get().period.until_index
    _check_together(by, scope, record=record, follow=follow)
    form = report_format(form, output, ReportFormat)
    if follow:
        check_follow(form, output, until, record=record)
    with open_log(database, read_only=not record) as log:
        last = last_index(log, until)
        for dealer in sorted(scope.dealers):
            check_dealer(log, dealer)
        of = provenance(log, last, shoes or ())
        report = report_of(log, shoes or [], until=last, workers=workers, scope=scope)
        check_not_empty(report, follow=follow)
        if shoes:
            only_checked(*(f"shoe {name}" for name in shoes))
        tell_isolations(log)
        whole = last == log.head() and not (shoes or scope.is_limited)
        _record_or_compare(log, report, of, by, whole=whole)
        if follow:
            follow_log(log, report, of, form)
            return
    show_audit(report, of, (form, output), explain_skips=explain_skips, resolved=resolved)
    if report.breaches:
        raise typer.Exit(ExitCode.FINDINGS)


def _check_together(by: str | None, scope: AuditScope, *, record: bool, follow: bool) -> None:
    """Refuse options that cannot be combined."""
    if record != (by is not None):
        raise BadInput("--record needs --by NAME, and --by needs --record")
    if (record or follow) and scope.is_limited:
        raise BadInput(
            "--record and --follow audit the whole log; leave out the options that limit it"
        )


def asked_scope() -> AuditScope:
    """Return the scope that the options of this command line ask for.

    Raises:
        BadInput: an option has an invalid value, or the period is empty.
        NotFound: no such shift is configured.
    """
    asked = ASKED.get()
    period = asked.period.period()
    names = (("table", asked.tables), ("dealer", asked.dealers))
    parts = [f"{what} {' or '.join(given)}" for what, given in names if given]
    parts += [text] if (text := asked.period.text()) else []
    tables, dealers = frozenset(asked.tables), frozenset(asked.dealers)
    return AuditScope(period, tables, dealers, ", ".join(parts))


def last_index(log: "EventLog", until: int | None) -> int:
    """Return the last event to audit.

    Raises:
        BadInput: the log has no such event.
    """
    head = log.head()
    if until is not None and until > head:
        raise BadInput(f"no event #{until}; the last event is #{head}")
    return head if until is None else until


def check_not_empty(report: AuditReport, *, follow: bool = False) -> None:
    """Check that there was something to audit.

    Raises:
        BadInput: there was nothing to audit.
    """
    of_scope = report.shoes or report.findings
    whole = follow or report.traces or report.batches or report.tables
    if not (of_scope if report.scope.is_limited else whole):
        raise nothing_in(report.scope)


def nothing_in(scope: AuditScope) -> BadInput:
    """Return the error of an audit or a report in whose scope nothing happened."""
    if scope.is_limited:
        return BadInput(
            f"no shoe has an event in the scope ({scope.text}): nothing to audit; `sabot shoes` "
            "lists the shoes with their times"
        )
    return BadInput(
        "no shoes in the log: nothing to audit; check --database and --until, or begin with "
        "`sabot import`"
    )


def _record_or_compare(
    log: "EventLog", report: AuditReport, of: "Provenance", by: str | None, *, whole: bool
) -> None:
    """Record this audit if requested. Otherwise compare it with the last recorded one.

    ``whole`` is whether it covers the log as it is now.
    """
    if by is None:
        tell_stale(log, report if whole else None)
        return
    digest = report_sha256(report)
    receipt = record_run(log, report, of, digest, by=by)
    say(f"recorded as event #{receipt.index}, up to event #{of.last_index}; result {digest[:12]}")


def _json_of(report: AuditReport, *, resolved: bool = False) -> str:
    """Return the output of ``--format json``.

    If the run is recorded, its hash is that of the output without --all.
    """
    return to_json(report.document(resolved=resolved), indent=2) + "\n"


def report_sha256(report: AuditReport) -> str:
    """Return the SHA-256 of the output of ``--format json``, which a recorded run names."""
    return hashlib.sha256(_json_of(report).encode()).hexdigest()


def tell_stale(log: "EventLog", report: AuditReport | None) -> None:
    """Warn on standard error if the last recorded audit is out of date.

    It is also out of date if the same audit gives another result now. ``report`` is the audit of
    the whole log as it is; it is compared with the last one of the whole log.
    """
    for last in last_runs(log, whole=report is not None):
        if last.stale:
            say(f"the last recorded audit (event #{last.index}) is out of date: {last.stale}")
        elif report and (differs := last.differs_from(report_sha256(_as_of(log, report, last)))):
            say(f"the last recorded audit (event #{last.index}) does not hold: {differs}")


def _as_of(log: "EventLog", report: AuditReport, run: Run) -> AuditReport:
    """Return an audit with the states that its findings had when a run was recorded."""
    then = replace(report, reviews={}, states={}, removed=[])
    add_states(log, then, until=run.run.last_index)
    return then


def _page(report: AuditReport, of: "Provenance", *, resolved: bool) -> str:
    """Return the page of ``--format html``, with times in the zone of --zone."""
    return audit_page(
        report,
        of,
        printable,
        resolved=resolved,
        show_moment=show_moment,
        complete=lambda command: with_database(f"{command}{zone_option()}"),
    )


def show_audit(
    report: AuditReport,
    of: "Provenance",
    to: tuple[ReportFormat, str],
    *,
    explain_skips: bool = False,
    resolved: bool = False,
) -> None:
    """Write the findings, then on standard error their number and the rules applied.

    ``to`` is the format and the file. ``resolved`` lists the resolved findings too. SARIF always
    has them, as suppressed results.
    """
    form, output = to
    listed = report.listed(resolved=resolved)
    match form:
        case ReportFormat.HTML:
            with open_output(output) as stream:
                stream.write(_page(report, of, resolved=resolved))
        case ReportFormat.SARIF:
            with open_output(output) as stream:
                stream.write(to_json(sarif_log(report, of), indent=2) + "\n")
        case ReportFormat.JSON:
            with open_output(output) as stream:
                stream.write(_json_of(report, resolved=resolved))
        case ReportFormat.TABLE if not listed and output == "-":
            pass
        case _:
            emit(rows_of(report, listed), FINDING_COLUMNS, Format(form.value), output)
    if report.scope.text:
        say(f"scope: {report.scope.text}")
    say(f"record: {of.signature_and_hint}")
    say(summary(report, explain_skips=explain_skips, resolved=resolved))
