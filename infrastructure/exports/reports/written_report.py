"""Reports of a log, ready to be written in each format; `sabot.report` makes them."""

from collections.abc import Iterable
from contextlib import nullcontext
from datetime import tzinfo
from typing import Any

from msgspec.structs import replace

from sabot.domain.values.errors import BadInput
from sabot.domain.values.periods import GamingDays, Period
from sabot.domain.values.safe_text import printable
from sabot.domain.values.suggestions import not_among
from sabot.infrastructure.audits.audit_run import Progress, provenance
from sabot.infrastructure.casino_settings import zone_named
from sabot.infrastructure.exports.reports.document import Document, Paper
from sabot.infrastructure.exports.reports.report_json import report_document
from sabot.infrastructure.exports.reports.report_page import report_page
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.reports.kinds import KINDS, ReportKind
from sabot.infrastructure.reports.records import Scope, first_and_last
from sabot.infrastructure.reports.report_cases import Request
from sabot.infrastructure.reports.report_run import make_report, packs_of


class ReportDocument(Document, frozen=True):
    """A report of a log with its identification, to be written as HTML, PDF or JSON.

    ``report`` has its sections, ``report.tables()`` its tables with typed cells. ``is_empty`` is
    whether nothing happened in its period. The same log gives the same bytes.
    """

    is_empty: bool = False

    def html(self, paper: Paper = "a4") -> str:
        """Return the report as a self-contained HTML page; ``paper`` is its size in print."""
        return report_page(self, printable, paper)

    def pdf(self, paper: Paper = "a4", font: str | None = None) -> bytes:
        """Return the report as a PDF file. ``font`` is the path of a TrueType font.

        Raises:
            BadInput: reportlab is not installed, or the font cannot be read.
        """
        try:
            from sabot.infrastructure.exports.reports.report_pdf import report_pdf  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise BadInput(
                "PDF needs the library reportlab; install it with: pip install reportlab, or "
                "write --format html and print that"
            ) from error
        return report_pdf(self, printable, paper=paper, font=font)

    def document(self) -> dict[str, Any]:
        """Return the report in plain types, as ``sabot report --format json`` writes it."""
        return report_document(self)


def report(  # noqa: PLR0913 - all by name
    log: EventLog,
    kind: str,
    *,
    tables: Iterable[str] = (),
    shoes: Iterable[str] = (),
    dealers: Iterable[str] = (),
    since: int | None = None,
    until: int | None = None,
    zone: str = "UTC",
    by: str | None = None,
    casino: str | None = None,
    patron: str | None = None,
    finding: str | None = None,
    appendices: bool = False,
    workers: int = 1,
) -> ReportDocument:
    """Make a report on a period.

    Args:
        log: the log.
        kind: the kind of report, such as ``shift-audit``; `sabot report` lists them.
        tables: only these tables; by default all.
        shoes: only these shoes; by default all.
        dealers: only while these dealers were dealing.
        since: the beginning of the period, in microseconds since 1970 (UTC).
        until: its end, which does not belong to it.
        zone: the time zone of the times that it shows, and of months and years.
        by: its author.
        casino: the name of the casino.
        patron: the patron of a detection case.
        finding: the finding of an incident: its fingerprint, or its first digits.
        appendices: write the appendices too.
        workers: the number of processes; the report does not depend on it.

    Raises:
        BadInput: the period is empty, or there is no such time zone.
        NotFound: there is no such kind, table, shoe, dealer, patron or finding.
        UntrustedLog: an event is missing, or was not written by Sabot.
    """
    period = Period(since, until)
    if period.is_empty:
        raise BadInput("the period ends before it begins; since is earlier than until")
    scope = Scope(period, frozenset(tables), frozenset(shoes), frozenset(dealers))
    local = zone_named(zone)
    request = Request(
        kind_named(kind), scope, log.head(), GamingDays(local), workers, patron, finding
    )
    return replace(document_of(log, request, local), by=by, casino=casino, appendices=appendices)


def kind_named(name: str) -> ReportKind:
    """Return a kind of report by its name.

    Raises:
        NotFound: there is no such kind.
    """
    for each in KINDS:
        if each.name == name:
            return each
    raise not_among("report", name, [each.name for each in KINDS])


def document_of(
    log: EventLog,
    request: Request,
    zone: tzinfo,
    progress: Progress = lambda _: nullcontext(lambda _: None),
) -> ReportDocument:
    """Make a report, without author and casino; ``zone`` is that of the times that it shows.

    Raises:
        NotFound, UntrustedLog: as `make_report`.
    """
    made, scope = make_report(log, request, progress), request.scope
    named = (("table", scope.tables), ("shoe", scope.shoes), ("dealer", scope.dealers))
    return ReportDocument(
        report=made.report,
        period=scope.period,
        zone=zone,
        zone_name=str(zone),
        provenance=provenance(log, request.until, sorted(scope.shoes)),
        packs=packs_of(made.records),
        covers="; ".join(_those(noun, names) for noun, names in named if names),
        read=first_and_last(made.records),
        is_empty=made.is_empty,
    )


def _those(noun: str, names: frozenset[str]) -> str:
    return f"{noun}{'s' if len(names) > 1 else ''} {', '.join(sorted(names))}"
