"""``sabot detect --follow``: the findings so far, then each new one after its coup."""

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sabot.cli.console import Format, emit, open_log, printable, progress, say
from sabot.cli.output import CaseFormat
from sabot.cli.verbs.accesses import noted
from sabot.cli.verbs.detect_report import (
    COLUMNS,
    LEFT_OUT,
    NAMED_BEFORE,
    WHOLE,
    advantage_line,
    in_scope,
    in_words,
    row_of,
    subjects_of,
    who,
    within,
)
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.detection.detect_follow import DetectionFollower
from sabot.infrastructure.detection.detect_run import check_scope

if TYPE_CHECKING:
    from sabot.domain.protection.reporting.finding import Finding
    from sabot.infrastructure.detection.detect_run import Asked
    from sabot.infrastructure.log.event_log import EventLog


def check_follow(form: CaseFormat, output: str, until: str | None, patron: str | None) -> None:
    """Refuse options that cannot be combined with --follow."""
    if until is not None or patron is not None:
        raise BadInput("--follow cannot be combined with --until or --patron")
    if output != "-" or form in (CaseFormat.JSON, CaseFormat.HTML):
        raise BadInput("--follow writes to standard output only, as table, tsv, jsonl or csv")


def follow(database: str | None, asked: Callable[["EventLog"], "Asked"], form: CaseFormat) -> None:
    """Write the findings so far, then each new one after its coup."""
    with open_log(database, read_only=True) as log:
        question = asked(log)
        check_scope(log, question.scope)
        guard = DetectionFollower(
            log,
            question,
            freed=lambda who: say(f"sabot: no longer found after a correction: {who}"),
            counting=lambda play: say(advantage_line(play)),
        )
        with progress("reading events", question.until) as advance:
            found = guard.begin(advance)
        for name, member in guard.strangers():
            say(f"sabot: {name}: patron {member!r} has not played so far")
        shown = set(map(advantage_line, found.advantage_play))
        told, *more = in_words(found, found.findings, None).split("\n")
        say(f"{told}; following the log, press Ctrl+C to stop")
        if (part := in_scope(question)) != WHOLE:
            say(f"  only {part}: {NAMED_BEFORE}")
        for line in more:
            if line.startswith(LEFT_OUT) or line in shown:
                say(line)
        findings = _as_they_come(log, found.findings, guard.follow(), part)
        if form is CaseFormat.TABLE:
            for finding in findings:
                sys.stdout.write(_line(finding) + "\n")
                sys.stdout.flush()
        else:
            emit(_flushed(findings), COLUMNS, Format(form.value))


def _as_they_come(
    log: "EventLog", before: list["Finding"], batches: Iterator[list["Finding"]], part: str
) -> Iterator["Finding"]:
    """Yield findings. Note in the access log whose cases were shown."""
    for batch in itertools.chain((before,), batches):
        if batch:
            noted(log, "detect --follow", f"case of {subjects_of(batch)}")
        yield from within(batch, part)


def _flushed(findings: Iterator["Finding"]) -> Iterator[dict[str, object]]:
    for finding in findings:
        yield row_of(finding)
        sys.stdout.flush()


def _line(finding: "Finding") -> str:
    """Return a finding as one line for a terminal."""
    at = f"{finding.shoe or ''} coup {finding.coup}" if finding.coup else finding.shoe or ""
    return printable(
        f"{at} {who(finding.subject)}: {finding.explanation} "
        f"[{finding.test}, {finding.rests}, 10^{finding.log10_e:.1f}]"
    )
