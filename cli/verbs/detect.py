"""``sabot detect``: who bet as if the cards still face down had been known."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from sabot.cli.console import DatabaseOption, ExitCode, OutputOption, open_log, progress, say
from sabot.cli.output import ReportFormat, report_format
from sabot.cli.verbs.detect_live import check_follow
from sabot.cli.verbs.detect_live import follow as follow_live
from sabot.cli.verbs.detect_report import in_part, in_scope, in_words, write
from sabot.domain.values.errors import BadInput, NotFound

if TYPE_CHECKING:
    from sabot.domain.events.points_in_time import Index, PointInTime, Time
    from sabot.domain.protection.detection.subjects import Plan
    from sabot.domain.protection.reporting.finding import Finding
    from sabot.infrastructure.detect_run import Asked, Looked
    from sabot.infrastructure.log.event_log import EventLog


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
        typer.Option(
            "--table",
            metavar="TABLE",
            help="Only at this table; again for more; named before the evidence is seen.",
        ),
    ] = None,
    shoe: Annotated[
        list[str] | None,
        typer.Option(
            "--shoe",
            metavar="SHOE",
            help="Only of this shoe; again for more; named before the evidence is seen.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="WHEN",
            help="Coups from an event (#12) or a time on; named before the evidence is seen.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="WHEN",
            help="Coups up to an event or a time; named before the evidence is seen.",
        ),
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
    follow: Annotated[
        bool,
        typer.Option("--follow", "-f", help="Go on as the log grows: each alarm as it comes."),
    ] = False,
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
    level rests. All who were at the tables asked after are tested together, whoever is shown.
    Levels hold for a range (--table, --shoe, --since, --until) and for groups that were named
    before the evidence was seen, among the subjects in that range; not for the worst of several.
    A test that the record did not allow is named with the reason. The same log gives the same
    bytes.
    """
    from sabot.infrastructure.detect_run import check_groups, check_names, look  # noqa: PLC0415 - slow

    plan = _plan(alpha, group or ())
    form = report_format(form, output, without=(ReportFormat.SARIF,))
    if follow:
        check_follow(form, output, until, patron)
        follow_live(database, _when(plan, (shoe or (), table or ()), (since, until)), form)
        return
    with open_log(database, read_only=True) as log:
        asked = _when(plan, (shoe or (), table or ()), (since, until))(log)
        check_names(log, asked.scope)
        with progress("reading facts", asked.until) as advance:
            looked = in_part(look(log, asked, advance))
        check_groups(looked)
        shown = _concerning(looked, patron)
        write(log, looked, shown, (form, output), patron)
    say(in_words(looked.report, shown, patron, part=in_scope(looked.asked)))
    if shown:
        raise typer.Exit(ExitCode.FINDINGS)


def _plan(alpha: float, groups: Iterable[str]) -> "Plan":
    from sabot.domain.protection.detection.subjects import LEAST_LEVEL, Plan  # noqa: PLC0415 - slow

    if not LEAST_LEVEL <= alpha < 1:
        raise BadInput(
            f"--alpha {alpha:g} is no level; give one from {LEAST_LEVEL:g} to below 1, as 0.001"
        )
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


def _when(
    plan: "Plan", names: tuple[Iterable[str], Iterable[str]], when: tuple[str | None, str | None]
) -> Callable[["EventLog"], "Asked"]:
    """Return what makes the question, once it is known how far the log goes."""

    def asked(log: "EventLog") -> "Asked":
        from sabot.domain.events.points_in_time import Index, Time  # noqa: PLC0415 - slow
        from sabot.domain.protection.detection.follower import Scope  # noqa: PLC0415
        from sabot.infrastructure.detect_run import Asked  # noqa: PLC0415

        head = log.head()
        first, last = (None if text is None else _moment(text, head) for text in when)
        _check_range(first, last, when)
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

    return asked


def _check_range(
    first: "Index | Time | None", last: "Index | Time | None", when: tuple[str | None, str | None]
) -> None:
    from sabot.domain.events.points_in_time import Index, Time  # noqa: PLC0415 - slow

    backwards = (
        isinstance(first, Index) and isinstance(last, Index) and first.index > last.index
    ) or (isinstance(first, Time) and isinstance(last, Time) and first.us > last.us)
    if backwards:
        raise BadInput(f"--since {when[0]} is later than --until {when[1]}; give the earlier first")


def _moment(text: str, head: int) -> "PointInTime":
    from sabot.domain.events.points_in_time import Index, parse_moment  # noqa: PLC0415 - slow

    moment = parse_moment(text)
    if isinstance(moment, Index) and moment.index > head:
        raise BadInput(f"event {moment.index} is not there yet; the log ends with event {head}")
    return moment


def _concerning(looked: "Looked", patron: str | None) -> list["Finding"]:
    """Choose what concerns a patron: all findings, where none is named.

    Raises:
        NotFound: he was at none of the tables asked after.
    """
    from sabot.domain.protection.reporting.detection_report import concerns  # noqa: PLC0415 - slow

    findings, state = looked.report.findings, looked.state
    if patron is None:
        return findings
    if patron not in state.patrons:
        raise NotFound(f"{patron!r} was at no table that was asked after; see `sabot patrons`")
    groups = state.plan.groups
    return [
        finding
        for finding in findings
        if finding.subject.get("patron") == patron
        or (finding.key and concerns(finding.key, patron, groups))
    ]
