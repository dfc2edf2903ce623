"""``sabot audit``: what was wrong, by which rule, and what nobody looked at."""

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from cli.console import (
    Column,
    DatabaseOption,
    ExitCode,
    Format,
    OutputOption,
    emit,
    open_log,
    open_output,
    printable,
    progress,
    say,
)
from cli.money import money
from cli.plain import counted, to_json
from domain.audit import Finding
from domain.audit.report import AuditReport
from domain.audit.timing import DOUBTFUL
from domain.errors import BadInput
from domain.moment import Index, parse_moment

if TYPE_CHECKING:
    from domain.audit.engine import InDoubt
    from infrastructure.auditing import Provenance
    from infrastructure.log import EventLog

SEVERITY_STYLE: Final = {"high": "bold red", "medium": "yellow", "low": "cyan"}


class ReportFormat(StrEnum):
    """The shapes in which an audit can be written."""

    TABLE = "table"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    SARIF = "sarif"
    HTML = "html"


def by_severity(value: object) -> str:
    """Return the style of a severity."""
    return SEVERITY_STYLE.get(str(value), "")


def coup_said(coup: object) -> str:
    """Write the number of a coup; a breach of no coup has none."""
    return "" if coup is None else str(coup)


def where_said(stream: object) -> str:
    """Write what a finding is of: a shoe by its name, all else by its stream."""
    return str(stream).removeprefix("shoe/")


def house_said(effect: object) -> str:
    """Write what the house has too much by a breach; nothing where nobody can say."""
    if not isinstance(effect, dict) or effect["house"] is None:
        return ""
    return money(effect["house"], effect["minor_units"])


FINDING_COLUMNS: Final = (
    Column("severity", "", style=by_severity),
    Column("shoe", in_table=False),
    Column("stream", "where", show=where_said, style="bold"),
    Column("coup", right=True, show=coup_said),
    Column("family", in_table=False),
    Column("code", "rule"),
    Column("message", "what happened"),
    Column("required"),
    Column("shown", in_table=False),
    Column("cites", in_table=False),
    Column(
        "events", show=lambda events: ranges(events) if isinstance(events, (list, tuple)) else ""
    ),
    Column("fingerprint", "finding", show=lambda mark: str(mark)[:12]),
    Column("at", in_table=False),
    Column("at_us", in_table=False),
    Column("clock", in_table=False),
    Column("dealer"),
    Column("supervisor", in_table=False),
    Column("patron"),
    Column("money", "house", right=True, show=house_said),
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("audit")(_audit)


def report_of(
    log: "EventLog", shoes: Sequence[str], *, until: int | None = None, workers: int = 1
) -> AuditReport:
    """Audit the shoes named; or all of them, and the floor: batches, tables and shoes together.

    Shows on standard error how far it has come.
    """
    from domain.audit.floor_engine import audit_floor  # noqa: PLC0415 - slow
    from infrastructure.auditing import audit_streams, load_floor, shoe_streams  # noqa: PLC0415

    streams = shoe_streams(log, shoes, until=until)
    report = AuditReport()
    with progress("auditing shoes", len(streams)) as advance:
        for audit in audit_streams(log, streams, until=until, workers=workers):
            report.add(audit)
            advance(1)
    if shoes:
        report.leave_floor("only some shoes were asked for")
    else:
        report.add_floor(audit_floor(load_floor(log, report.traces, until=until)))
    return report


def _audit(  # noqa: PLR0913 - an option each
    shoes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SHOE]...", help="Shoes to audit; all, where none is named."),
    ] = None,
    *,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="EVENT", help="Audit the log as it stood at this event."),
    ] = None,
    workers: Annotated[
        int,
        typer.Option("--workers", min=1, max=256, help="How many processes share the shoes."),
    ] = 1,
    follow: Annotated[
        bool,
        typer.Option("--follow", "-f", help="Go on as the log grows: each breach as it comes."),
    ] = False,
    record: Annotated[
        bool, typer.Option("--record", help="Record in the log that this audit was run.")
    ] = False,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who records it.")] = None,
    database: DatabaseOption = None,
    form: Annotated[
        ReportFormat | None,
        typer.Option(
            "--format",
            help="How to write: table, tsv, json, jsonl, csv, sarif or html. By itself: as the "
            "name of --output ends, else a table on a terminal and tsv in a pipe.",
            show_default=False,
        ),
    ] = None,
    output: OutputOption = "-",
) -> None:
    """Judge shoes by the rule packs they were dealt by; exit 1 where something is found.

    Draws, totals, payments, composition, procedure and the log's own integrity. Each finding
    names its rule, what was required, what was shown, who was there, what it cost whom, and
    the facts that show it. The same log gives the same bytes.
    """
    from infrastructure.auditing import provenance  # noqa: PLC0415 - slow

    if record != (by is not None):
        raise BadInput("--record and --by go together: an audit is recorded by a named person")
    form = form or _format_for(output)
    if follow:
        _check_follow(form, output, until, record=record)
    # what only looks never makes a log, and never writes to one
    open_log(database, read_only=True).close()
    with open_log(database, read_only=not record) as log:
        last = _last_index(log, until)
        of = provenance(log, last, shoes or ())
        report = report_of(log, shoes or [], until=last, workers=workers)
        if record:
            _record(log, report, of, by or "")
        if follow:
            _follow(log, report, of, form)
            return
    show_audit(report, of, form, output)
    if report.findings:
        raise typer.Exit(ExitCode.FINDINGS)


def _last_index(log: "EventLog", until: str | None) -> int:
    head = log.head()
    if until is None:
        return head
    moment = parse_moment(until)
    if not isinstance(moment, Index):
        raise BadInput(f"{until!r} is a time; --until takes an event, as #123")
    if moment.index > head:
        raise BadInput(f"event {moment.index} is not there yet; the log ends with event {head}")
    return moment.index


def _record(log: "EventLog", report: AuditReport, of: "Provenance", by: str) -> None:
    from infrastructure.casebook import record_run  # noqa: PLC0415 - slow

    digest = hashlib.sha256(_json_of(report).encode()).hexdigest()
    receipt = record_run(log, report, of, digest, by=by)
    say(f"recorded as event {receipt.index}, up to event {of.last_index}; result {digest[:12]}")


def _json_of(report: AuditReport) -> str:
    """Return what ``--format json`` writes: a recorded run names its hash."""
    return to_json(report.document(), indent=2) + "\n"


def _format_for(output: str) -> ReportFormat:
    if output == "-":
        on_terminal = sys.stdout is not None and sys.stdout.isatty()
        return ReportFormat.TABLE if on_terminal else ReportFormat.TSV
    suffix = Path(output).suffix.lower().removeprefix(".")
    suffix = {"htm": "html"}.get(suffix, suffix)
    return next((form for form in ReportFormat if form.value == suffix), ReportFormat.TSV)


def show_audit(
    report: AuditReport, of: "Provenance", form: ReportFormat, output: str = "-"
) -> None:
    """Write the findings, and say on standard error what was looked at and what was not."""
    match form:
        case ReportFormat.HTML:
            from infrastructure.exports.html import audit_page  # noqa: PLC0415 - slow

            with open_output(output) as stream:
                stream.write(audit_page(report, of, printable))
        case ReportFormat.SARIF:
            from infrastructure.exports.sarif import sarif_log  # noqa: PLC0415 - seldom

            with open_output(output) as stream:
                stream.write(to_json(sarif_log(report, of), indent=2) + "\n")
        case ReportFormat.JSON:
            with open_output(output) as stream:
                stream.write(_json_of(report))
        case ReportFormat.TABLE if not report.findings and output == "-":
            pass
        case _:
            emit(_rows(report.findings), FINDING_COLUMNS, Format(form.value), output)
    say(_in_words(report))


def _rows(findings: Iterable[Finding]) -> Iterator[dict[str, object]]:
    return (msgspec.to_builtins(finding) for finding in findings)


def _in_words(report: AuditReport) -> str:
    """Say what was found, what was clean, and what was not looked at and why."""
    if not (report.shoes or report.batches or report.tables):
        return "no shoe in the log: nothing was looked at"
    found = len(report.findings)
    head = (
        f"{counted(report.shoes, 'shoe')}, {counted(report.coups, 'coup')}: "
        f"{counted(found, 'finding') if found else 'no findings'}"
    )
    looked = sum(1 for each in report.rules.values() if each.looked)
    lines = [f"{head}, {looked} of {len(report.rules)} rules looked"]
    batches = f"{report.batches} batch{'es' if report.batches != 1 else ''} of cards"
    beyond = [batches] * bool(report.batches) + [counted(report.tables, "table")] * bool(
        report.tables
    )
    lines += [f"  together with {' and '.join(beyond)}"] if beyond else []
    packs = [f"{pack.name} {pack.version} ({pack.sha256[:12]})" for pack in sorted(report.packs)]
    lines += [f"  judged by {', '.join(packs)}"] if packs else []
    lines += [
        f"  only recalled in {pack.name}, no law: {'; '.join(pack.recalled)}"
        for pack in sorted(report.packs)
        if pack.recalled
    ]
    reasons: dict[str, list[str]] = {}
    for each in report.rules.values():
        if not each.looked and each.skipped:
            reason, _ = each.skipped.most_common(1)[0]
            if DOUBTFUL not in reason:
                reasons.setdefault(reason, []).append(each.code)
    lines += [f"  not looked at, {reason}: {', '.join(codes)}" for reason, codes in reasons.items()]
    return "\n".join([*lines, *_doubts(report)])


def _doubts(report: AuditReport) -> list[str]:
    """Say which rules left something unjudged since an order is doubtful: how much, and why.

    A rule that passes on all else says it too. Its reasons are told together where they differ
    in the time alone; then one of them stands for all.
    """
    lines = []
    for each in report.rules.values():
        alike: dict[str, list[tuple[str, int]]] = {}
        for reason, times in sorted(each.skipped.items()):
            head, in_doubt, why = reason.partition(DOUBTFUL)
            if in_doubt:
                alike.setdefault(head + in_doubt, []).append((why, times))
        for head, whys in alike.items():
            times = sum(times for _, times in whys)
            such_as = "such as " if len(whys) > 1 else ""
            lines.append(
                f"  not judged {counted(times, 'time')} by {each.code}, {head}{such_as}{whys[0][0]}"
            )
    return lines


def ranges(numbers: Sequence[int]) -> str:
    """Write event indexes shortly: ``12-15 19``."""
    parts: list[str] = []
    start = end = None
    for number in sorted(numbers):
        if end is not None and number == end + 1:
            end = number
            continue
        if start is not None:
            parts.append(str(start) if start == end else f"{start}-{end}")
        start = end = number
    if start is not None:
        parts.append(str(start) if start == end else f"{start}-{end}")
    return " ".join(parts)


# -- Live ---------------------------------------------------------------------------------------


def _check_follow(form: ReportFormat, output: str, until: str | None, *, record: bool) -> None:
    if until is not None or record:
        raise BadInput("--follow has no end; leave --until and --record away")
    whole = (ReportFormat.JSON, ReportFormat.SARIF, ReportFormat.HTML)
    if output != "-" or form in whole:
        raise BadInput("--follow never ends its output; write a table, tsv, jsonl or csv to a pipe")


def _follow(log: "EventLog", report: AuditReport, of: "Provenance", form: ReportFormat) -> None:
    """Write what was found so far, and then each breach as its fact arrives."""
    from infrastructure.auditing import load_floor  # noqa: PLC0415 - slow
    from infrastructure.watching import Watch  # noqa: PLC0415 - slow

    say(_in_words(report).split("\n")[0] + "; following the log, interrupt to stop")
    for doubt in _doubts(report):
        say(doubt)
    told = [finding.fingerprint for finding in report.findings]
    floor = None if of.named else load_floor(log, report.traces, until=of.last_index)
    watch = Watch(log, of.last_index, shoes=of.named, told=told, floor=floor, doubt=_say_doubt)
    findings = _as_they_come(report.findings, watch.follow())
    if form is ReportFormat.TABLE:
        for finding in findings:
            sys.stdout.write(_line(finding) + "\n")
            sys.stdout.flush()
    else:
        emit(_flushed(_rows(findings)), FINDING_COLUMNS, Format(form.value))


def _say_doubt(stream: str, doubt: "InDoubt") -> None:
    """Say what is not judged of a shoe that is followed, and why."""
    coup = "" if doubt.coup is None else f" coup {doubt.coup}"
    say(f"{where_said(stream)}{coup}: not judged by {doubt.code}, {doubt.reason}")


def _as_they_come(before: list[Finding], batches: Iterator[list[Finding]]) -> Iterator[Finding]:
    yield from before
    for batch in batches:
        yield from batch


def _flushed(rows: Iterator[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Hand rows on, and what was written of those before it at once."""
    for row in rows:
        yield row
        sys.stdout.flush()


def _line(finding: Finding) -> str:
    """Say a finding in a line, for a terminal that is watched."""
    coup = "" if finding.coup is None else f" coup {finding.coup}"
    who = "".join(
        f", {what} {name}"
        for what, name in (("patron", finding.patron), ("dealer", finding.dealer))
        if name
    )
    where = f"{where_said(finding.stream)}{coup}"
    return printable(
        f"{finding.at or '-'} {finding.severity:6} {where}: {finding.message}"
        f" (required: {finding.required}{who}) [{finding.code} {finding.fingerprint[:12]}]"
    )
