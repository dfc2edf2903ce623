"""``sabot detect``: patrons who bet as if they knew cards not yet shown."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sabot.cli.console import (
    DatabaseOption,
    ExitCode,
    OutputOption,
    open_log,
    progress,
    say,
)
from sabot.cli.output import CaseFormat, CaseFormatOption, report_format
from sabot.cli.settings import show_time
from sabot.cli.verbs.accesses import noted
from sabot.cli.verbs.detect_live import check_follow
from sabot.cli.verbs.detect_live import follow as follow_live
from sabot.cli.verbs.detect_report import in_part, in_scope, in_words, subjects_of, write
from sabot.cli.verbs.freshness import recorded_range
from sabot.domain.events.points_in_time import Index, Time
from sabot.domain.protection.detection.follower import Scope
from sabot.domain.protection.detection.subjects import LEAST_LEVEL, Plan
from sabot.domain.protection.reporting.detection_report import concerns, why_not_named
from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.values.suggestions import did_you_mean
from sabot.infrastructure.audits.audit_run import provenance
from sabot.infrastructure.detection.detect_run import (
    Asked,
    check_names,
    look,
)

if TYPE_CHECKING:
    from sabot.domain.protection.reporting.finding import Finding
    from sabot.infrastructure.detection.detect_run import Looked
    from sabot.infrastructure.log.event_log import EventLog


PatronOption = Annotated[
    str | None,
    typer.Option("--patron", metavar="PATRON", help="Show the full case for one patron."),
]
TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        metavar="TABLE",
        help="Limit to this table (repeatable). Choose it before you see results.",
    ),
]
ShoeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--shoe",
        metavar="SHOE",
        help="Limit to this shoe (repeatable). Choose it before you see results.",
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="WHEN",
        help="Only coups from this event (149 or #149) or time (21:15: its last occurrence) on. "
        "Choose it before you see results.",
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="WHEN",
        help="Only coups up to this event (149 or #149) or time (21:15: its last occurrence). "
        "Choose it before you see results.",
    ),
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="NAME=PATRON,…",
        help="Test these patrons as one (repeatable). Choose them before you see results.",
    ),
]
WatchOption = Annotated[
    list[str] | None,
    typer.Option(
        "--watch",
        metavar="PATRON",
        help="Give this patron more prior weight, as after a tip (repeatable). Choose before "
        "you see results.",
    ),
]
AlphaOption = Annotated[
    float,
    typer.Option("--alpha", help="The accepted chance of a false alarm (significance level)."),
]
FollowOption = Annotated[
    bool,
    typer.Option(
        "--follow", "-f", help="Continue as the log grows and report each alarm as it happens."
    ),
]


_LEAST_GROUP: Final = 2
"""The fewest patrons of a group; one patron is tested alone."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("detect")(_detect)


def _detect(  # noqa: PLR0913 - an option each
    *,
    patron: PatronOption = None,
    table: TableOption = None,
    shoe: ShoeOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    group: GroupOption = None,
    watch: WatchOption = None,
    alpha: AlphaOption = 0.001,
    follow: FollowOption = False,
    database: DatabaseOption = None,
    form: CaseFormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Find patrons who bet as if they knew the next card.

    Tests cover the next card, whole coups, late changes, the order of each shoe, card backs and
    payments. The exit code is 1 if there are findings. Each finding states the strength of its
    evidence, the coup of its first alarm, and the basis of its error rate. All patrons at the
    selected tables are tested together. The error rate holds for one chosen range (--table, --shoe,
    --since, --until) and for groups and watched patrons named in advance; it no longer holds if you
    try several ranges and report the worst. Tests that the record does not allow are listed with
    the reason. The same log always gives the same output.
    """
    plan = _plan(alpha, group or (), watch or ())
    form = report_format(form, output, CaseFormat)
    request = _when(plan, (shoe or (), table or ()), (since, until))
    if follow:
        check_follow(form, output, until, patron)
        follow_live(database, request, form)
    else:
        _report(database, request, patron, form, output)


def _report(
    database: str | None,
    request: Callable[["EventLog"], "Asked"],
    patron: str | None,
    form: CaseFormat,
    output: str,
) -> None:
    """Test the log as it is now, and write what the tests found."""
    with open_log(database, read_only=True) as log:
        asked = request(log)
        check_names(log, asked, patron)
        with progress("reading events", asked.until) as advance:
            looked = in_part(look(log, asked, advance))
        shown = _concerning(looked, patron)
        if patron is not None or shown:
            noted(log, "detect", f"case of {patron or subjects_of(shown)}")
        write(log, looked, shown, (form, output), patron)
        of = provenance(log, looked.asked.until)
    say(in_words(looked.report, shown, patron, part=in_scope(looked.asked, show_time)))
    if patron is not None and not shown:
        say(f"  {why_not_named(looked.state, patron)}")
    say(f"record: {of.signature_and_hint}")
    if shown:
        raise typer.Exit(ExitCode.FINDINGS)


def _plan(alpha: float, groups: Iterable[str], watched: Iterable[str]) -> "Plan":
    if not LEAST_LEVEL <= alpha < 1:
        raise BadInput(
            f"--alpha {alpha:g} is out of range; give {LEAST_LEVEL:g} or more, and less than 1"
        )
    named: dict[str, tuple[str, ...]] = {}
    for text in groups:
        name, _, members = text.partition("=")
        patrons = tuple(dict.fromkeys(one for one in members.split(",") if one))
        if not name or len(patrons) < _LEAST_GROUP:
            raise BadInput(
                f"--group {text!r} is not NAME=PATRON,PATRON; write for example team=p-1,p-2"
            )
        if name in named:
            raise BadInput(f"--group {name!r} is given twice; give each group its own name")
        named[name] = patrons
    return Plan(alpha, named, watched=tuple(dict.fromkeys(watched)))


def _when(
    plan: "Plan", names: tuple[Iterable[str], Iterable[str]], when: tuple[str | None, str | None]
) -> Callable[["EventLog"], "Asked"]:
    """Return a function that makes the detection request once the last log index is known."""

    def asked(log: "EventLog") -> "Asked":
        head = log.head()
        shoes, tables = names
        of = next(iter((*shoes, *tables)), None)
        first, last = recorded_range(log, *when, of)
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


def _concerning(looked: "Looked", patron: str | None) -> list["Finding"]:
    """Return the findings about a patron; all findings if none is named.

    Raises:
        NotFound: the patron did not play at the selected tables.
    """
    findings, state = looked.report.findings, looked.state
    if patron is None:
        return findings
    known = {**state.patrons, **{who: None for who, _, _ in state.wins}}
    if patron not in known:
        hint = did_you_mean(patron, known, "list them with: sabot patrons")
        raise NotFound(f"patron {patron!r} did not play at the selected tables; {hint}")
    groups = state.plan.groups
    return [
        finding
        for finding in findings
        if finding.subject.get("patron") == patron
        or (finding.key and concerns(finding.key, patron, groups))
    ]
