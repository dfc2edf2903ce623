"""Output of ``sabot detect``: rows, an HTML page, a case, a summary."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from sabot.cli.columns import FIRST_AND_COUNT
from sabot.cli.console import Column, Format, emit, open_output, printable, progress
from sabot.cli.output import CaseFormat
from sabot.cli.settings import show_time
from sabot.cli.text.words import counted
from sabot.cli.verbs.detect_case import write_case
from sabot.domain.events.points_in_time import format_time
from sabot.domain.protection.reporting.coverage import TESTS
from sabot.domain.protection.reporting.finding import BASIS
from sabot.domain.rules.labels import percent_label, wager_label
from sabot.infrastructure.audits.audit_run import provenance
from sabot.infrastructure.detection.detect_run import cases
from sabot.infrastructure.exports.case_page import CaseFile, case_page

if TYPE_CHECKING:
    from sabot.domain.protection.reporting.case_file import Case
    from sabot.domain.protection.reporting.detection_report import AdvantagePlay, LeftOut, Report
    from sabot.domain.protection.reporting.finding import Finding
    from sabot.infrastructure.detection.detect_run import Asked, Looked
    from sabot.infrastructure.log.event_log import EventLog


KEYS: Final = (
    "test",
    "subject",
    "shoe",
    "coup",
    "log10_e",
    "first_alarm_coup",
    "edge_estimate",
    "interval",
    "coup_edge",
    "coup_interval",
    "explanation",
    "events",
)
"""The keys of a finding in JSON."""
WHOLE: Final = "the whole log"
LEFT_OUT: Final = "  left out:"
NAMED_BEFORE: Final = "the error rate holds if this was chosen before results were seen"


def who(subject: object) -> str:
    """Return the subject of a finding as text."""
    assert isinstance(subject, dict)
    return ", ".join(f"{kind} {name}" for kind, name in subject.items())


def subjects_of(findings: Iterable["Finding"]) -> str:
    """Return the subjects that findings name, in order, each once."""
    named = dict.fromkeys(str(each) for found in findings for each in found.subject.values())
    return ", ".join(named)


def _evidence(log10_e: object) -> str:
    return f"10^{log10_e:.1f}"


def _edge(edge: object) -> str:
    return f"{100 * edge:.2f} %" if isinstance(edge, float) else ""


def _first_clause(explanation: object) -> str:
    """Return how a finding was made, without the terms of its error rate."""
    return re.split(r"[.;] ", str(explanation), maxsplit=1)[0]


def _number(value: object) -> str:
    return "" if value is None else str(value)


COLUMNS: Final = (
    Column("test", style="bold"),
    Column("subject", show=who, wraps=True, parts=("patron", "group", "dealer", "table", "shoe")),
    Column("shoe", show=_number, rank=4),
    Column("coup", in_table=False),
    Column("log10_e", "evidence", right=True, show=_evidence),
    Column("first_alarm_coup", right=True, show=_number, rank=2),
    Column("edge_estimate", right=True, show=_edge, rank=1),
    Column("interval", in_table=False, parts=("low", "high")),
    Column("coup_edge", in_table=False),
    Column("coup_interval", in_table=False, parts=("low", "high")),
    Column("rests", "error rate from", rank=3),
    Column("explanation", wraps=True, show=_first_clause),
    Column("events", in_table=False, parts=FIRST_AND_COUNT),
)


def write(
    log: "EventLog",
    looked: "Looked",
    shown: list["Finding"],
    where: tuple[CaseFormat, str],
    patron: str | None,
) -> None:
    """Write the findings in the requested format.

    HTML, and the table of one patron, have the full case of each patron.
    """
    form, output = where
    match form:
        case CaseFormat.HTML:
            page = _page(log, looked, shown, patron)
            with open_output(output) as stream:
                stream.write(page)
        case CaseFormat.TABLE if patron is not None:
            with open_output(output) as stream:
                for told in _cases(log, looked, patron):
                    write_case(told, stream)
        case CaseFormat.TABLE if not shown and output == "-":
            pass
        case _:
            document: dict[str, object] = {
                "alpha": looked.report.alpha,
                "subjects": looked.report.subjects,
                "findings": [
                    {key: of for key, of in row.items() if key in KEYS} for row in _rows(shown)
                ],
            }
            counted_bets = advantage_play_of(looked.report, patron)
            document["advantage_play"] = msgspec.to_builtins(counted_bets)
            if left_out := left_out_of(looked.report, patron):
                document["left_out"] = msgspec.to_builtins(left_out)
            emit(_rows(shown), COLUMNS, Format(form.value), output, document=document)


def _cases(log: "EventLog", looked: "Looked", patron: str | None) -> list["Case"]:
    with progress("reading events again", looked.asked.until) as advance:
        return cases(log, looked, patron, advance)


def _page(log: "EventLog", looked: "Looked", shown: list["Finding"], patron: str | None) -> str:
    told = _cases(log, looked, patron)
    asked = looked.asked
    side_bets = [bets for bets in looked.side_bets if patron is None or bets.patron == patron]
    wins = {
        key: rate
        for key, rate in looked.state.wins.items()
        if rate.bets and patron in (None, key[0])
    }
    file = CaseFile(
        looked.report,
        shown,
        told,
        side_bets,
        wins,
        provenance(log, asked.until),
        in_scope(looked.asked, show_time),
        patron,
    )
    return case_page(file, printable, show_time)


def in_scope(asked: "Asked", show: "Callable[[int], str]" = format_time) -> str:
    """Return the selected part of the log as text."""
    scope = asked.scope
    parts = []
    for what, names in (("tables", scope.tables), ("shoes", scope.shoes)):
        if names:
            parts.append(f"{what} {', '.join(sorted(names))}")
    if scope.from_index is not None or scope.from_us is not None:
        start = f"#{scope.from_index}" if scope.from_us is None else show(scope.from_us)
        parts.append(f"coups from {start} on")
    if scope.to_index is not None or scope.to_us is not None:
        end = f"#{scope.to_index}" if scope.to_us is None else show(scope.to_us)
        parts.append(f"coups up to {end}")
    groups = asked.plan.groups
    if groups:
        parts.append(f"groups named beforehand: {', '.join(sorted(groups))}")
    if asked.plan.watched:
        parts.append(f"watched beforehand: {', '.join(asked.plan.watched)}")
    return "; ".join(parts) or WHOLE


def _rows(findings: Iterable["Finding"]) -> Iterator[dict[str, object]]:
    return map(row_of, findings)


def row_of(finding: "Finding") -> dict[str, object]:
    """Return a finding as a row: its JSON keys and its basis."""
    record = msgspec.to_builtins(finding)
    return {key: record[key] for key in (*KEYS, "rests")}


def left_out_of(found: "Report", patron: str | None) -> list["LeftOut"]:
    """Return the bets that do not count as evidence; only those of a patron if one is named."""
    return [one for one in found.left_out if patron in (None, one.patron)]


def advantage_play_of(found: "Report", patron: str | None) -> list["AdvantagePlay"]:
    """Return the patrons who count cards for side bets; only one if a patron is named."""
    return [one for one in found.advantage_play if patron in (None, one.patron)]


def within(findings: Iterable["Finding"], part: str) -> list["Finding"]:
    """Return the findings, each with the part of the log for which their error rate holds.

    If that is the whole log, nothing is added.
    """
    if part == WHOLE:
        return list(findings)
    return [
        replace(one, explanation=f"{one.explanation} Only {part}: {NAMED_BEFORE}.")
        for one in findings
    ]


def in_part(looked: "Looked") -> "Looked":
    """Return the result with the selected part of the log added to each finding."""
    findings = within(looked.report.findings, in_scope(looked.asked))
    return replace(looked, report=replace(looked.report, findings=findings))


def in_words(
    found: "Report", shown: list["Finding"], patron: str | None, *, part: str = WHOLE
) -> str:
    """Return text for the number of tests and findings, and the omitted tests with reasons.

    ``part`` is the selected part of the log.
    """
    if not found.shoes and not found.coups:
        if part == WHOLE:
            return "no shoes in the log: nothing to test"
        return f"no coups in the selected range ({part}): nothing to test"
    if not found.coups:
        head = f"none of the coups of {counted(found.shoes, 'shoe')} could be tested"
        return "\n".join([head, *_not_made(found)])
    many = len(shown)
    whose = f" concerning {patron}" if patron else ""
    head = (
        f"{counted(found.subjects, 'subject')} tested at alpha {found.alpha:g} over "
        f"{counted(found.coups, 'coup')} of {counted(found.shoes, 'shoe')}: "
        f"{counted(many, 'finding') if many else 'no findings'}{whose}"
    )
    named = [] if part == WHOLE else [f"  only {part}: {NAMED_BEFORE}"]
    counting = map(advantage_line, advantage_play_of(found, patron))
    return "\n".join([head, *named, *counting, *_not_made(found), *_left_out(found, patron)])


def advantage_line(play: "AdvantagePlay") -> str:
    """Return a line about a patron who counts cards for a side bet."""
    coups = ", ".join(
        f"{bet.shoe} coup {bet.coup} ({percent_label(bet.expectation, '+.1%')})"
        for bet in play.coups
    )
    staked, idle = percent_label(play.expectation, "+.1%"), percent_label(play.without, "+.1%")
    return (
        f"  advantage play (legal, no finding): {play.patron} bets on {wager_label(play.wager)} "
        f"when the cards seen favour it: {play.bets} bets at an expectation of "
        f"{staked}, without a bet {idle} ({play.z:.1f} standard errors); shown best by {coups}"
    )


def _left_out(found: "Report", patron: str | None) -> Iterator[str]:
    """Yield the number of bets that do not count as evidence, by reason.

    Without these lines the result would look more complete than it is.
    """
    reasons: dict[str, list[LeftOut]] = {}
    for one in left_out_of(found, patron):
        reasons.setdefault(one.why, []).append(one)
    for why, of in reasons.items():
        bets = counted(sum(one.bets for one in of), "bet")
        patrons = counted(len(of), "patron")
        yield f"{LEFT_OUT} {bets} of {patrons}, perhaps placed after a card: {why}"


def _not_made(found: "Report") -> Iterator[str]:
    for test, unit in TESTS.items():
        made = found.coverage.get(test)
        if made is None:
            continue
        why = sorted(made.lacked.items(), key=lambda pair: (-pair[1], pair[0]))
        if made.times:
            yield f"  {test} ({BASIS[test]}): {counted(made.times, unit)} tested"
        elif why:
            yield f"  {test}: not made: {'; '.join(reason for reason, _ in why)}"
    untold = [test for test in TESTS if test not in found.coverage]
    if untold:
        yield f"  not made: {', '.join(untold)}"
    for shoe, why_not in found.skipped:
        yield f"  shoe {shoe}: {why_not}"
