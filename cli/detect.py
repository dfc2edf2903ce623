"""``sabot detect``: who bet as if the cards still face down had been known."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
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
    progress,
    say,
)
from cli.plain import counted
from domain.errors import BadInput, NotFound

if TYPE_CHECKING:
    from domain.moment import Moment
    from domain.protection.detection import Plan
    from domain.protection.finding import Finding
    from domain.protection.findings import Report
    from domain.protection.following import Follower
    from infrastructure.detecting import Asked
    from infrastructure.log import EventLog

KEYS: Final = (
    "test",
    "subject",
    "shoe",
    "coup",
    "log10_e",
    "first_alarm_coup",
    "edge_estimate",
    "interval",
    "explanation",
    "events",
)
"""What a finding is in JSON."""


class ReportFormat(StrEnum):
    """The shapes in which findings can be written."""

    TABLE = "table"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    HTML = "html"


def who(subject: object) -> str:
    """Write a subject in words."""
    assert isinstance(subject, dict)
    return ", ".join(f"{kind} {name}" for kind, name in subject.items())


def _evidence(log10_e: object) -> str:
    return f"10^{log10_e:.1f}"


def _edge(edge: object) -> str:
    return f"{100 * edge:.2f} %" if isinstance(edge, float) else ""


def _number(value: object) -> str:
    return "" if value is None else str(value)


COLUMNS: Final = (
    Column("test", style="bold"),
    Column("subject", show=who),
    Column("shoe", show=_number),
    Column("coup", in_table=False),
    Column("log10_e", "evidence", right=True, show=_evidence),
    Column("first_alarm_coup", "first alarm", right=True, show=_number),
    Column("edge_estimate", "edge", right=True, show=_edge),
    Column("interval", in_table=False),
    Column("explanation"),
    Column("events", in_table=False),
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("detect")(_detect)


def _detect(  # noqa: PLR0913 - an option each
    *,
    patron: Annotated[
        str | None,
        typer.Option("--patron", metavar="NAME", help="What concerns this patron, as a case."),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="TABLE", help="Only at this table; again for more."),
    ] = None,
    shoe: Annotated[
        list[str] | None,
        typer.Option("--shoe", metavar="SHOE", help="Only of this shoe; again for more."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="WHEN", help="Coups from an event (#12) or a time on."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="WHEN", help="Coups up to an event or a time."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="NAME=PATRON,…",
            help="Patrons read as one bettor, named before the evidence is seen; again for more.",
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option("--alpha", help="The level: the share of false findings allowed.")
    ] = 0.001,
    database: DatabaseOption = None,
    form: Annotated[
        ReportFormat | None,
        typer.Option(
            "--format",
            help="How to write: table, tsv, json, jsonl, csv or html. By itself: as the name of "
            "--output ends, else a table on a terminal and tsv in a pipe.",
            show_default=False,
        ),
    ] = None,
    output: OutputOption = "-",
) -> None:
    """Ask of every patron whether he bet as if cards had been known; exit 1 where one did.

    Tests of the next card, of whole coups, of late changes, of the order of each shoe, of the
    backs, of payments. Each finding says how strong its evidence is, since when, and on what its
    level rests. All who were at the tables asked after are tested together, whoever is shown; a
    test that the record did not allow is named with the reason. The same log gives the same
    bytes.
    """
    from infrastructure.detecting import check_names, follow_log, report_of  # noqa: PLC0415 - slow

    plan = _plan(alpha, group or ())
    with open_log(database, read_only=True) as log:
        asked = _asked(log, plan, (shoe or (), table or ()), (since, until))
        check_names(log, asked.scope)
        with progress("reading facts", asked.until) as advance:
            follower = follow_log(log, asked, advance=advance)
        found = report_of(follower)
        shown = _concerning(found, follower, patron)
        _write(found, shown, form, output)
    say(in_words(found, shown, patron))
    if shown:
        raise typer.Exit(ExitCode.FINDINGS)


def _plan(alpha: float, groups: Iterable[str]) -> "Plan":
    from domain.protection.detection import Plan  # noqa: PLC0415 - slow

    if not 0 < alpha < 1:
        raise BadInput(f"--alpha {alpha:g} is no level; give one between 0 and 1, as 0.001")
    named: dict[str, tuple[str, ...]] = {}
    for text in groups:
        name, _, members = text.partition("=")
        patrons = tuple(dict.fromkeys(one for one in members.split(",") if one))
        if not name or len(patrons) < 2:  # noqa: PLR2004 - one patron is tested by himself
            raise BadInput(f"--group {text!r} names no group; write it as team=p-1,p-2")
        if name in named:
            raise BadInput(f"--group names {name!r} twice; give each group a name of its own")
        named[name] = patrons
    return Plan(alpha, named)


def _asked(
    log: "EventLog",
    plan: "Plan",
    names: tuple[Iterable[str], Iterable[str]],
    when: tuple[str | None, str | None],
) -> "Asked":
    from domain.moment import Index, Time  # noqa: PLC0415 - slow
    from domain.protection.following import Scope  # noqa: PLC0415
    from infrastructure.detecting import Asked  # noqa: PLC0415

    head = log.head()
    first, last = (None if text is None else _moment(text, head) for text in when)
    shoes, tables = names
    scope = Scope(
        frozenset(shoes),
        frozenset(tables),
        from_index=first.index if isinstance(first, Index) else None,
        to_index=last.index if isinstance(last, Index) else None,
        from_us=first.us if isinstance(first, Time) else None,
        to_us=last.us if isinstance(last, Time) else None,
    )
    return Asked(plan, scope, head if scope.to_index is None else scope.to_index)


def _moment(text: str, head: int) -> "Moment":
    from domain.moment import Index, parse_moment  # noqa: PLC0415 - slow

    moment = parse_moment(text)
    if isinstance(moment, Index) and moment.index > head:
        raise BadInput(f"event {moment.index} is not there yet; the log ends with event {head}")
    return moment


def _concerning(found: "Report", follower: "Follower", patron: str | None) -> list["Finding"]:
    """Choose what concerns a patron: all findings, where none is named.

    Raises:
        NotFound: he was at none of the tables asked after.
    """
    from domain.protection.findings import concerns  # noqa: PLC0415 - slow

    if patron is None:
        return found.findings
    state = follower.kept.state
    if patron not in state.patrons:
        raise NotFound(f"{patron!r} was at no table that was asked after; see `sabot patrons`")
    groups = state.plan.groups
    return [
        finding
        for finding in found.findings
        if finding.subject.get("patron") == patron
        or (finding.key and concerns(finding.key, patron, groups))
    ]


def _write(found: "Report", shown: list["Finding"], form: ReportFormat | None, output: str) -> None:
    document = {
        "alpha": found.alpha,
        "subjects": found.subjects,
        "findings": [row_of(finding) for finding in shown],
    }
    emit(
        _rows(shown),
        COLUMNS,
        None if form is None else Format(form.value),
        output,
        document=document,
    )


def _rows(findings: Iterable["Finding"]) -> Iterator[dict[str, object]]:
    return map(row_of, findings)


def row_of(finding: "Finding") -> dict[str, object]:
    """Return a finding as JSON has it."""
    record = msgspec.to_builtins(finding)
    return {key: record[key] for key in KEYS}


def in_words(found: "Report", shown: list["Finding"], patron: str | None) -> str:
    """Say what was tested and what was not, and why."""
    if not found.shoes and not found.coups:
        return "no shoe in the record: nothing was looked at"
    many = len(shown)
    whose = f" concerning {patron}" if patron else ""
    head = (
        f"{counted(found.subjects, 'subject')} tested at level {found.alpha:g} over "
        f"{counted(found.coups, 'coup')} of {counted(found.shoes, 'shoe')}: "
        f"{counted(many, 'finding') if many else 'no findings'}{whose}"
    )
    return "\n".join([head, *_not_made(found)])


def _not_made(found: "Report") -> Iterator[str]:
    from domain.protection.coverage import TESTS  # noqa: PLC0415 - slow
    from domain.protection.finding import BASIS  # noqa: PLC0415

    for test, unit in TESTS.items():
        made = found.coverage.get(test)
        if made is None:
            continue
        why = sorted(made.lacked.items(), key=lambda pair: (-pair[1], pair[0]))
        if made.times:
            yield f"  {test} ({BASIS[test]}): made for {counted(made.times, unit)}"
        elif why:
            yield f"  {test}: not made: {'; '.join(reason for reason, _ in why)}"
    for shoe, why_not in found.skipped:
        yield f"  shoe {shoe}: {why_not}"
