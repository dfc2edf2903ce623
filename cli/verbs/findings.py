"""``sabot findings``: findings and their reviews."""

from collections.abc import Callable, Collection
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    ExitCode,
    FormatOption,
    OnlyShoesOption,
    OutputOption,
    ResolvedOption,
    YourNameOption,
    emit,
    open_log,
    progress,
    say,
)
from sabot.cli.period_options import ASKED
from sabot.cli.settings import show_moment, show_time
from sabot.cli.verbs.audit import (
    asked_scope,
    check_not_empty,
    last_index,
    report_of,
    tell_stale,
)
from sabot.cli.verbs.audit_summary import (
    MONEY_PARTS,
    STATE_COLUMNS,
    by_severity,
    coup_said,
    house_said,
    left_out,
    rows_of,
    where_said,
)
from sabot.cli.verbs.freshness import only_checked, read_period, up_to_date
from sabot.domain.audit import find_rule
from sabot.domain.audit.finding_reviews import FindingReview
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.report import AuditReport
from sabot.domain.events.review import OUTCOMES
from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.values.suggestions import did_you_mean
from sabot.infrastructure.audits.audit_run import provenance
from sabot.infrastructure.audits.findings_store import (
    find_in,
    find_in_newest_shoe,
    find_reviewed,
    record_remark,
)
from sabot.infrastructure.audits.recorded_audits import read_runs
from sabot.infrastructure.log.people import check_dealer, check_patron

if TYPE_CHECKING:
    from sabot.domain.audit.audit_scope import AuditScope
    from sabot.domain.events.review import Outcome
    from sabot.infrastructure.audits.audit_run import Provenance
    from sabot.infrastructure.audits.findings_store import Reviewed, Verb
    from sabot.infrastructure.log.event_log import EventLog


_STATE_STYLE: Final = {"open": "bold red", "disputed": "bold magenta", "resolved": "green"}

Digits = Annotated[
    str, typer.Argument(metavar="FINDING", help="Fingerprint of the finding, or its first digits.")
]
ShoeOption = Annotated[
    str | None,
    typer.Option(
        "--shoe",
        metavar="SHOE",
        help=(
            "Audit only this shoe, which has the finding. Without it, if no audit or report of "
            "yours on this computer has shown the finding, all shoes are audited, the newest "
            "first, until it is found."
        ),
    ),
]
NoteOption = Annotated[str, typer.Option("--note", metavar="TEXT", help="Comment text.")]


class _State(StrEnum):
    """The state of a finding's review."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    DISPUTED = "disputed"
    RESOLVED = "resolved"


_REMARKS: Final[tuple[tuple["Verb", str], ...]] = (
    ("comment", "Comment on a finding without changing its state."),
    ("dispute", "Dispute a finding or the record behind it; a resolved finding is reopened."),
)
"""Verbs that need words: the recorded action, and the help."""


CodeOption = Annotated[
    list[str] | None,
    typer.Option("--rule", metavar="CODE", help="Only this rule, by code or number (repeatable)."),
]
StateOption = Annotated[
    list[_State] | None,
    typer.Option(
        "--state",
        metavar="STATE",
        help="Only this state: open, acknowledged, disputed or resolved (repeatable).",
    ),
]
SeverityOption = Annotated[
    Literal["high", "medium", "low", "note"] | None,
    typer.Option("--severity", help="Only this severity."),
]
PatronOption = Annotated[
    str | None, typer.Option("--patron", metavar="PATRON", help="Only this patron.")
]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    group = typer.Typer(name="findings", no_args_is_help=False)
    group.callback(invoke_without_command=True)(_findings)
    group.command("show")(_show)
    group.command("ack")(_acknowledge)
    for verb, says in _REMARKS:
        group.command(verb)(_remark(verb, says))
    group.command("resolve")(_resolve)
    group.command("runs")(_runs)
    app.add_typer(group)


def _findings(  # noqa: PLR0913 - one filter an option
    context: typer.Context,
    *,
    shoe: OnlyShoesOption = None,
    code: CodeOption = None,
    state: StateOption = None,
    severity: SeverityOption = None,
    patron: PatronOption = None,
    resolved: ResolvedOption = False,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List findings and review them.

    Each finding is open, acknowledged, disputed or resolved. A resolved one is confirmed, dismissed
    or corrected. The exit code is 1 if one is listed that is neither resolved nor a note, and 2 if
    nothing happened in the period.
    """
    context.obj = database
    if context.invoked_subcommand is not None:
        return
    wanted: dict[str, Collection[object]] = {
        "code": {find_rule(each).code for each in code or ()},
        "state": state or (),
        "severity": {severity} - {None},
        "patron": {patron} - {None},
    }
    read_period(database, *shoe or ())
    scope = asked_scope()
    report, of = _audited(database, shoe or [], scope, patron)
    check_not_empty(report)
    listed = _rows(report, resolved=resolved or "resolved" in wanted["state"])
    rows = [row for row in listed if all(not w or row[key] in w for key, w in wanted.items())]
    emit(rows, _COLUMNS, form, output)
    about = [f"scope: {scope.text}"] if scope.text else []
    say("\n".join([*about, f"record: {of.signature_and_hint}", *left_out(report, listed=resolved)]))
    breaches = {finding.fingerprint for finding in report.breaches}
    if any(row["fingerprint"] in breaches for row in rows):
        raise typer.Exit(ExitCode.FINDINGS)


def _audited(
    database: str | None, shoes: list[str], scope: "AuditScope", patron: str | None
) -> "tuple[AuditReport, Provenance]":
    """Audit the shoes; all of them if none is named.

    Raises:
        NotFound: the log lacks a shoe, the patron or a dealer of the scope.
    """
    with open_log(database, read_only=True) as log:
        last = last_index(log, ASKED.get().period.until_index)
        if patron is not None:
            check_patron(log, patron)
        for dealer in scope.dealers:
            check_dealer(log, dealer)
        of = provenance(log, last, shoes)
        report = report_of(log, shoes, until=last, scope=scope)
        whole = last == log.head() and not (shoes or scope.is_limited)
        tell_stale(log, report if whole else None)
    if shoes:
        only_checked(*(f"shoe {name}" for name in shoes))
    return report, of


_COLUMNS: Final = (
    Column("fingerprint", show=lambda mark: str(mark)[:12], style="bold"),
    Column("state", style=lambda state: _STATE_STYLE.get(str(state), "")),
    Column("severity", style=by_severity),
    Column("at", in_table=False),
    Column("at_us", show=show_time, rank=4),
    Column("shoe", in_table=False),
    Column("stream", "shoe", show=where_said, rank=-2),
    Column("coup", right=True, show=coup_said, rank=-1),
    Column("code", rank=3),
    Column("message", wraps=True, rank=-2, note="note"),
    Column("dealer", rank=3),
    Column("supervisor", in_table=False),
    Column("patron", rank=3),
    Column("money", "over/short", right=True, parts=MONEY_PARTS, show=house_said, rank=1),
    Column("last", in_table=False),
    *[column for column in STATE_COLUMNS if column.key != "state"],
    Column("remarks", in_table=False),
    *[
        Column(key, in_table=False)
        for key in ("number", "group", "former_code", "former_fingerprint")
    ],
)


def _rows(report: AuditReport, *, resolved: bool) -> list[dict[str, object]]:
    """Return the findings as rows of these columns.

    ``resolved`` adds those that are resolved or no longer found.
    """
    findings = report.listed(resolved=resolved)
    rows = [
        row | _said(report.reviews.get(str(row["fingerprint"])))
        for row in rows_of(report, findings)
    ]
    if not resolved or report.scope.is_limited:
        return rows
    there = {finding.fingerprint for finding in findings}
    gone = [(mark, case) for mark, case in report.reviews.items() if mark not in there]
    return rows + [
        {
            "fingerprint": mark, "stream": case.stream, "shoe": case.shoe, "coup": case.coup,
            "code": case.code, "message": "no longer found",
            **dict.fromkeys(("severity", "at", "at_us", "dealer", "supervisor", "patron", "money")),
            **report.states[mark].row(), **_said(case), **_named(case.code),
            "note": report.states[mark].text,
        }
        for mark, case in gone
    ]  # fmt: skip


def _named(code: str) -> dict[str, object]:
    """Return the other names of a rule. Empty for a rule that no longer exists."""
    try:
        known = find_rule(code)
    except NotFound:
        return {}
    return {"number": known.number, "group": known.group, "former_code": known.former_code}


def _said(case: FindingReview | None) -> dict[str, object]:
    """Return the last remark on a finding in words, and all remarks."""
    if case is None:
        return {"last": "", "remarks": []}
    last = case.remarks[-1]
    note = f": {last.note}" if last.note else ""
    return {
        "last": f"{last.what} by {last.by}{note}",
        "remarks": msgspec.to_builtins(case.remarks),
    }


def _of(case: FindingReview) -> str:
    """Return where a finding is, as text: shoe and coup, or a stream."""
    coup = "" if case.coup is None else f", coup {case.coup}"
    shoe = f"shoe {case.shoe}" if case.stream == f"shoe/{case.shoe}" else case.stream
    return f"{shoe}{coup}"


# -- One finding --------------------------------------------------------------------------------


def _show(
    context: typer.Context,
    finding: Digits,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Show all remarks on a finding."""
    with open_log(database or context.obj, read_only=True) as log:
        reviewed = find_reviewed(log, finding)
        if reviewed is None:
            reviewed = _found(log, finding, None)
        elif reviewed.review.shoe is not None:
            only_checked(f"shoe {reviewed.review.shoe}")
        case, found = reviewed.review, reviewed.finding
        rows = [
            {**msgspec.to_builtins(remark), "login": log.stored(remark.index).login}
            for remark in case.remarks
        ]
    message = "no longer found" if found is None else found.message
    say(f"{case.finding}: {reviewed.state.told(show_moment)}\n{case.code}, {_of(case)}: {message}")
    if found is not None:
        say("\n".join(_circumstances(found)))
    columns = [
        Column("at", show=show_moment, rank=2),
        Column("what"),
        Column("by"),
        Column("outcome", show=lambda outcome: str(outcome or ""), rank=1),
        Column("note", wraps=True, rank=-1),
        Column("index", right=True, rank=3),
        Column("login", rank=4),
    ]
    emit(rows, columns, form, output)


def _circumstances(found: Finding) -> list[str]:
    """Return the time and the people of a finding, the amount, and what was required, by line."""
    people = {"dealer": found.dealer, "supervisor": found.supervisor, "patron": found.patron}
    house = house_said(msgspec.to_builtins(found.money))
    facts = {
        "at": show_time(found.at_us) if found.at_us is not None else None,
        **people,
        "house": house,
    }
    said = [f"{name} {value}" for name, value in facts.items() if value]
    return [", ".join(said), f"required: {found.expected}", f"recorded: {found.observed}"]


def _found(log: "EventLog", digits: str, shoe: str | None) -> "Reviewed":
    """Return a finding by its fingerprint.

    If its shoe is not known, the newest shoes are audited first, and in the end the whole log.

    Raises:
        BadInput: the fingerprint is too short or ambiguous.
        NotFound: there is no such finding.
    """
    reviewed = find_reviewed(log, digits, shoe)
    if reviewed is None and shoe is None:
        say("looking for the finding's shoe, newest shoes first; name it with --shoe to be faster")
        searching = partial(progress, "auditing shoes")
        reviewed = find_in_newest_shoe(log, digits, searching) or find_in(
            report_of(log, []), digits
        )
    if reviewed is None:
        raise NotFound(f"no finding {digits!r}; list them with: sabot findings --all")
    return reviewed


def _acknowledge(  # noqa: PLR0913, PLR0917 - an option each
    context: typer.Context,
    finding: Digits,
    by: YourNameOption,
    note: NoteOption = "",
    shoe: ShoeOption = None,
    database: DatabaseOption = None,
) -> None:
    """Acknowledge a finding: you have seen it and take charge of it."""
    _say(database or context.obj, (finding, shoe), "acknowledge", by=by, note=note)


def _remark(verb: "Verb", says: str) -> Callable[..., None]:
    """Return a command that records a remark on a finding."""

    def remark(  # noqa: PLR0913, PLR0917 - an option each
        context: typer.Context,
        finding: Digits,
        by: YourNameOption,
        note: NoteOption,
        shoe: ShoeOption = None,
        database: DatabaseOption = None,
    ) -> None:
        _say(database or context.obj, (finding, shoe), verb, by=by, note=note)

    remark.__doc__ = says
    return remark


def _resolve(  # noqa: PLR0913 - an option each
    context: typer.Context,
    finding: Digits,
    *,
    by: YourNameOption,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Reason.")],
    outcome: Annotated[
        str,
        typer.Option(
            "--as",
            "--outcome",
            metavar="OUTCOME",
            help="confirmed: there was a breach; dismissed: there was none; corrected: the "
            "error was corrected.",
        ),
    ],
    shoe: ShoeOption = None,
    database: DatabaseOption = None,
) -> None:
    """Close a finding as confirmed, dismissed or corrected."""
    given = _outcome(outcome)
    _say(database or context.obj, (finding, shoe), "resolve", by=by, note=note, outcome=given)


def _outcome(text: str) -> "Outcome":
    """Return an outcome from its name on the command line or in stored events."""
    for stored, outcome in OUTCOMES.items():
        if text in {stored, outcome}:
            return outcome
    known = OUTCOMES.values()
    hint = did_you_mean(text, known, f"write one of {', '.join(known)}")
    raise BadInput(f"--as {text[:40]!r} is not an outcome; {hint}")


def _say(  # noqa: PLR0913 - a remark is a finding, a person and words
    database: str | None,
    finding: tuple[str, str | None],
    verb: "Verb",
    *,
    by: str,
    note: str,
    outcome: "Outcome | None" = None,
) -> None:
    with open_log(database) as log:
        reviewed = _found(log, *finding)
        case = reviewed.review
        receipt = record_remark(log, reviewed, verb, by=by, note=note, outcome=outcome)
    say(f"recorded as event #{receipt.index}: {case.finding[:12]}, {case.code}, {_of(case)}")


def _runs(
    context: typer.Context,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List recorded audits, and why some are out of date.

    "findings" also counts findings that another finding explains.
    """
    with up_to_date(database or context.obj) as log:
        runs = read_runs(log)
    rows = [
        {**msgspec.to_builtins(run.run), "index": run.index, "at": run.at, "since": run.since,
         "findings": run.findings, "stale": run.stale}
        for run in runs
    ]  # fmt: skip
    columns = (
        Column("index", right=True, show=lambda index: f"#{index}"),
        Column("at", show=show_moment, rank=1),
        Column("by", rank=2),
        Column("program", rank=5),
        Column("last_index", right=True, show=lambda index: f"#{index}"),
        Column("shoes", right=True, rank=2),
        Column("coups", right=True, rank=3),
        Column("findings", right=True),
        Column("result_sha256", show=lambda digest: str(digest)[:12], rank=6),
        Column("stale", style="yellow", wraps=True, rank=-1),
        Column("since", in_table=False),
        *[
            Column(key, in_table=False)
            for key in ("origin", "rulebook_sha256", "source_sha256", "counts", "packs", "named")
        ],
    )
    emit(rows, columns, form, output)
