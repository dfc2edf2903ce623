"""``sabot report``: reports on a period, for reading, printing, signing and further processing."""

from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import Annotated, Final

import typer
from msgspec.structs import replace

from sabot.cli.console import (
    Column,
    DatabaseOption,
    ExitCode,
    Format,
    OnlyShoesOption,
    OutputOption,
    WorkersOption,
    emit,
    open_log,
    open_output,
    progress,
)
from sabot.cli.output import Amount, format_of_extension, format_option
from sabot.cli.output import Row as Record
from sabot.cli.output_files import write_bytes
from sabot.cli.period_options import ASKED, AskedPeriod
from sabot.cli.settings import ZONE
from sabot.cli.text.event_text import describe
from sabot.cli.text.report_text import report_lines
from sabot.cli.text.words import counted, say, to_json
from sabot.cli.verbs.accesses import noted
from sabot.cli.verbs.audit import asked_scope, last_index, nothing_in
from sabot.cli.verbs.freshness import only_checked, read_period
from sabot.domain.events.points_in_time import format_time
from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.casino_settings import casino_settings
from sabot.infrastructure.exports.reports.document import scaled
from sabot.infrastructure.exports.reports.written_report import (
    ReportDocument,
    document_of,
    kind_named,
)
from sabot.infrastructure.reports.detection_case import KIND as CASES
from sabot.infrastructure.reports.kinds import KINDS, ReportKind
from sabot.infrastructure.reports.model import (
    Figures,
    Linked,
    Moment,
    Money,
    Named,
    Report,
    Table,
    Unknown,
    Value,
)
from sabot.infrastructure.reports.records import Scope
from sabot.infrastructure.reports.report_cases import Request


class _Format(StrEnum):
    """The formats of a report."""

    TEXT = "text"
    HTML = "html"
    PDF = "pdf"
    CSV = "csv"
    JSON = "json"


class _Paper(StrEnum):
    """The sizes of paper."""

    A4 = "a4"
    LETTER = "letter"


_KIND_NAMES: Final = ", ".join(kind.name for kind in KINDS)


KindArgument = Annotated[
    str | None,
    typer.Argument(metavar="KIND", help=f"Kind of report: {_KIND_NAMES}."),
]
PatronOption = Annotated[
    str | None,
    typer.Option("--patron", metavar="PATRON", help="Patron of a detection case."),
]
FindingOption = Annotated[
    str | None,
    typer.Option(
        "--finding",
        metavar="FINDING",
        help="Finding of an incident: its fingerprint, or its first digits.",
    ),
]
ByOption = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Author of the report.")]
CasinoOption = Annotated[
    str | None,
    typer.Option(
        "--casino", metavar="NAME", help="Name of the casino. Default: that of SABOT_CONFIG."
    ),
]
AppendicesOption = Annotated[bool, typer.Option("--appendices", help="Add the appendices.")]
PaperOption = Annotated[_Paper, typer.Option("--paper", help="Size of printed pages.")]
FontOption = Annotated[
    str | None,
    typer.Option(
        "--font", metavar="FILE", help="TrueType font for PDF, for scripts other than Latin."
    ),
]
SectionOption = Annotated[
    str | None,
    typer.Option("--section", metavar="KEY", help="Table to write as CSV; default: the main one."),
]
FormOption = Annotated[
    _Format | None,
    format_option(_Format, "text"),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report")(_report)


def _report(  # noqa: PLR0913 - an option each
    context: typer.Context,
    kind: KindArgument = None,
    *,
    shoe: OnlyShoesOption = None,
    patron: PatronOption = None,
    finding: FindingOption = None,
    by: ByOption = None,
    casino: CasinoOption = None,
    appendices: AppendicesOption = False,
    paper: PaperOption = _Paper.A4,
    font: FontOption = None,
    section: SectionOption = None,
    workers: WorkersOption = None,
    database: DatabaseOption = None,
    form: FormOption = None,
    output: OutputOption = "-",
) -> None:
    """Make a report on a period.

    Without KIND the kinds are listed. Times are those of the table's clock. Values that the record
    does not determine are listed with the reasons. The same log gives the same report. The exit
    code is 2 if nothing happened in the period.
    """
    if kind is None:
        _list_kinds(context, database)
        return
    names = (patron, finding)
    shoes = tuple(dict.fromkeys(shoe or ()))
    document = _document(database, kind_named(kind), shoes, names, workers)
    if shoes:
        only_checked(*(f"shoe {name}" for name in shoes))
    document = replace(
        document, casino=casino or casino_settings().casino, by=by, appendices=appendices
    )
    form = form or _format(output)
    match form:
        case _Format.PDF:
            write_bytes(output, document.pdf(paper.value, font))
        case _Format.HTML:
            with open_output(output) as stream:
                stream.write(document.html(paper.value))
        case _:
            _write(document, form, output, section)
    tables = document.report.tables()
    unresolved = sum(len(table.rows) for table in tables if table.key == "findings")
    if output != "-" and (found := _found(document.report)):
        say(found)
    if document.is_empty:
        raise nothing_in(asked_scope())
    if unresolved:
        raise typer.Exit(ExitCode.FINDINGS)


def _found(report: Report) -> str:
    """Return how many findings a report has; empty if it is not about findings."""
    figures = [
        each for part in report.sections if isinstance(part, Figures) for each in part.figures
    ]
    counts = [len(table.rows) for table in report.tables() if table.key == "findings"]
    if not counts:
        return ""
    in_words = [str(value) for name, value in figures if name == "result"]
    return (in_words or [counted(counts[0], "finding")])[0]


def _list_kinds(context: typer.Context, database: str | None) -> None:
    """List the kinds of reports.

    Raises:
        BadInput: an option was given, so that a report was meant; or the environment names a log
            that is not there.
    """
    given = (context.get_parameter_source(each.name or "") for each in context.command.params)
    if any(source is not None and source.name == "COMMANDLINE" for source in given):
        raise BadInput("name the KIND of report; `sabot report` lists the kinds")
    if database is not None:  # the environment may name a log that is not there
        open_log(database, read_only=True).close()
    rows = [{"kind": each.name, "shows": each.shows} for each in KINDS]
    emit(rows, [Column("kind", style="bold"), Column("shows", wraps=True)])


def _document(
    database: str | None,
    kind: ReportKind,
    shoes: tuple[str, ...],
    names: tuple[str | None, str | None],
    workers: int | None,
) -> ReportDocument:
    """Make a report. ``names`` are a patron (detection case) and a finding (incident)."""
    read_period(database, *shoes)
    asked, days = ASKED.get(), casino_settings().days(ZONE.get())
    period = asked.period.period()
    scope = Scope(period, frozenset(asked.tables), frozenset(shoes), frozenset(asked.dealers))
    with open_log(database, read_only=True) as log:
        last = last_index(log, asked.period.until_index)
        request = Request(kind, scope, last, days, workers, *names, describe)
        made = document_of(log, request, ZONE.get(), partial(progress, "auditing shoes"))
        if case := next(filter(None, names), "all patrons" if kind.name == CASES else ""):
            noted(log, "report", f"{kind.name} of {case}")
    return replace(made, span=_span(asked.period), until_event=asked.period.until_index)


def _format(output: str) -> _Format:
    meant = None if output == "-" else format_of_extension(output, _Format)
    return meant or _Format.TEXT


def _span(asked: AskedPeriod) -> str:
    """Return the requested gaming day or shift in words."""
    if asked.gaming_day is None:
        return ""
    return f"{f'shift {asked.shift}, ' if asked.shift else ''}gaming day {asked.gaming_day}"


def _write(document: ReportDocument, form: _Format, output: str, section: str | None) -> None:
    match form:
        case _Format.TEXT:
            with open_output(output) as stream:
                stream.writelines(line + "\n" for line in report_lines(document))
        case _Format.JSON:
            with open_output(output) as stream:
                stream.write(to_json(document.document(), indent=2) + "\n")
        case _Format.CSV:
            table = _chosen(document.report, section)
            emit(_records(table), _columns(table), Format.CSV, output)
        case _Format.HTML | _Format.PDF:
            raise AssertionError(form)


def _chosen(report: Report, section: str | None) -> Table:
    tables = report.tables()
    if section is None:
        return tables[0]
    for table in tables:
        if table.key == section:
            return table
    keys = ", ".join(table.key for table in tables)
    raise NotFound(f"no section {section!r} in this report; it has {keys}")


def _columns(table: Table) -> list[Column]:
    columns = [Column(column.key) for column in table.columns]
    return [*columns, Column("currency")] if _has_money(table) else columns


def _has_money(table: Table) -> bool:
    return any(column.kind == "money" for column in table.columns)


def _records(table: Table) -> Iterator[Record]:
    """Yield the rows of a table as records: amounts are decimals, with the row's currency."""
    for row in table.rows:
        record: dict[str, object] = {
            column.key: _plain(value) for column, value in zip(table.columns, row, strict=True)
        }
        currencies = {value.currency for value in row if isinstance(value, Money)}
        yield record | {"currency": ", ".join(sorted(currencies))} if _has_money(table) else record


def _plain(value: Value) -> object:
    match value:
        case Money():
            return Amount.of(*scaled(value))
        case Moment(us=us):
            return format_time(us)
        case Fraction():
            return float(value)
        case Unknown():
            return "unknown"
        case Linked(text=text) | Named(name=text):
            return text
        case _:
            return value
