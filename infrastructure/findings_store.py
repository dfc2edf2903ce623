"""Remarks on findings, and audit runs, in the log."""

import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.audit.finding_reviews import (
    OUTCOMES,
    FindingReview,
    FindingState,
    Outcome,
    reviews,
)
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.rulebook import rulebook_sha256
from sabot.domain.events import review as a
from sabot.domain.events.envelope import AppendResult, NewEvent, RecordedEvent, events_of
from sabot.domain.events.points_in_time import format_time
from sabot.domain.events.upcasting import current_code
from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.audit_run import CARDS_PREFIX, SHOE_PREFIX, Provenance, load_shoe
from sabot.infrastructure.finding_states import add_states
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_records import TABLE_PREFIX
from sabot.infrastructure.remembered_findings import remembered
from sabot.infrastructure.version import source_sha256

LEAST_DIGITS: Final = 6
"""Minimum number of digits of a shortened fingerprint."""

Verb = Literal["acknowledge", "comment", "dispute", "resolve"]

_NEED_WORDS: Final[tuple[Verb, ...]] = ("comment", "dispute", "resolve")
_NEED_DISTANCE: Final[tuple[Verb, ...]] = ("acknowledge", "resolve")
_STORED: Final = {outcome: stored for stored, outcome in OUTCOMES.items()}


class Reviewed(Struct, frozen=True):
    """A finding to speak of: its review, its state, and the finding as it was last found.

    ``finding`` is None if no rule of this program finds the breach in any state of the log.
    """

    review: FindingReview
    state: FindingState
    finding: Finding | None


class Run(Struct, frozen=True):
    """A recorded audit run, and what makes it outdated.

    ``since`` counts the events recorded after its range in the shoes audited. ``other_rules`` means
    that this program has other rules or another source than the run. ``altered`` tells how the log
    differs in that range from the one audited. It is empty for a run of another log.
    """

    index: int
    at: str
    run: a.AuditRun
    since: int
    other_rules: bool
    altered: str = ""

    @property
    def findings(self) -> int:
        """The number of findings."""
        return sum(each.findings for each in self.run.counts)

    @property
    def stale(self) -> str:
        """The reasons for which the run is outdated. Empty if it is current."""
        reasons = [f"{self.since} events since"] if self.since else []
        reasons += ["other rules since"] if self.other_rules else []
        return "; ".join([*reasons, *([self.altered] if self.altered else [])])

    def differs_from(self, result_sha256: str) -> str:
        """Return how the result of the same audit differs now, in a sentence; empty if it agrees.

        Only a run of the whole log can be compared, with the same rules and no events since.
        """
        if self.stale or self.run.named or self.run.result_sha256 == result_sha256:
            return ""
        return (
            "the same audit has another result now, with the same rules and no event since, so the "
            "log was altered; run `sabot verify`"
        )


def say_of(  # noqa: PLR0913 - a remark is a finding, a person and words
    log: EventLog,
    reviewed: Reviewed,
    verb: Verb,
    *,
    by: str,
    note: str = "",
    outcome: Outcome | None = None,
) -> AppendResult:
    """Record a person's remark on a finding.

    ``outcome`` is that of a resolution.

    Raises:
        BadInput: the name or the note cannot be stored, or is missing where required; the finding
            is resolved already; or it is about the person's own work.
    """
    case = reviewed.review
    if not by.strip():
        raise BadInput("who says so has a name: --by NAME")
    if verb in _NEED_WORDS and not note.strip():
        raise BadInput(f"to {verb} a finding, say why in words: --note TEXT")
    if verb == "resolve" and reviewed.state.state == "resolved":
        raise BadInput(f"{case.finding[:12]} is resolved already; dispute it to open it again")
    if verb in _NEED_DISTANCE and reviewed.finding is not None:
        check_own_work(log, reviewed.finding, by)
    stream = None if case.stream == f"{SHOE_PREFIX}{case.shoe}" else case.stream
    fields = (case.recorded or case.finding, case.code, case.shoe, by, case.coup, note, stream)
    payload: a.FindingEvent
    match verb:
        case "acknowledge":
            payload = a.FindingAcknowledged(*fields)
        case "comment":
            payload = a.FindingCommented(*fields)
        case "dispute":
            payload = a.FindingDisputed(*fields)
        case "resolve":
            if outcome is None:
                raise BadInput("say how the finding is resolved: --as confirmed")
            payload = a.FindingResolved(*fields, outcome=_STORED[outcome])
    (receipt,) = log.append([NewEvent(a.FINDINGS_STREAM, payload, actor=by)])
    return receipt


def check_own_work(log: EventLog, finding: Finding, by: str) -> None:
    """Check that a person has no part in a finding, by the names that the log has.

    These are the dealer and the supervisor on duty, and of each event that shows the breach, the
    actor and the person who is named as doing it.

    Raises:
        BadInput: the person has.
    """
    parts = [
        (finding.dealer, "was the dealer then"),
        (finding.supervisor, "was the supervisor then"),
    ]
    for index in finding.events:
        row = log.stored(index)
        done_by = msgspec.json.decode(row.payload, type=_DoneBy).by
        parts += [
            (row.actor, f"is the actor of event {index}"),
            (done_by, f"is named in event {index}"),
        ]
    part = next((part for name, part in parts if name and _plain(name) == _plain(by)), None)
    if part is not None:
        raise BadInput(
            f"{by} {part}; nobody acknowledges or resolves a finding about their own work: "
            "somebody else does it, or dispute it"
        )


class _DoneBy(Struct, frozen=True):
    """The key of a payload that names who did it."""

    by: str | None = None


def _plain(name: str) -> str:
    """Return a name without differences of case, width and blanks."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def find_reviewed(log: EventLog, digits: str, shoe: str | None = None) -> Reviewed | None:
    """Return a finding by its fingerprint, without an audit of the whole log.

    A unique prefix is enough, and the former fingerprint is accepted too. The shoe is named, or is
    known from an earlier review or from this user's last audits. Only that shoe is audited.

    Args:
        log: the log.
        digits: the fingerprint, or its first digits.
        shoe: the shoe of the finding.

    Returns:
        the finding; None if its shoe is not known, or the finding is not there.

    Raises:
        BadInput: the prefix is too short or ambiguous.
        NotFound: the log has no such shoe.
    """
    digits = check_digits(digits)
    if shoe is not None:
        return find_in(audit_alone(log, SHOE_PREFIX + shoe), digits)
    known = reviews(log.read(a.FINDINGS_STREAM))
    of_prefix = [case for mark, case in known.items() if _begins(digits, mark, case.recorded)]
    shoes, beyond = remembered(log.origin, digits)
    shoes |= {case.stream for case in of_prefix if case.stream.startswith(SHOE_PREFIX)}
    reports = [audit_alone(log, stream) for stream in sorted(shoes)]
    reports += [_report_of(finding, known) for finding in beyond]
    found = [find_in(report, digits) for report in reports]
    matches = [each for each in found if each is not None]
    return _only(matches, digits) if matches else None


def _report_of(finding: Finding, known: dict[str, FindingReview]) -> AuditReport:
    """Return a report of one finding beyond a shoe, with its review."""
    marks = (finding.fingerprint, finding.former_fingerprint or "")
    report = AuditReport(findings=[finding])
    review = next((known[mark] for mark in marks if mark in known), None)
    if review is not None:
        report.reviews[finding.fingerprint] = review
        report.states[finding.fingerprint] = review.state()
    return report


def audit_alone(log: EventLog, stream: str) -> AuditReport:
    """Audit one shoe, and give its findings their states.

    Raises:
        NotFound: the log has no such shoe.
    """
    if not log.version(stream):
        shoe = stream.removeprefix(SHOE_PREFIX)
        raise NotFound(f"no shoe {shoe!r} in the log; list them with: sabot shoes")
    report = AuditReport()
    report.add(audit_shoe(load_shoe(log, stream)))
    add_states(log, report)
    return report


def check_digits(digits: str) -> str:
    """Return the digits of a fingerprint in lower case.

    Raises:
        BadInput: they are too few.
    """
    if len(digits) < LEAST_DIGITS:
        raise BadInput(f"{digits!r} is too short; give {LEAST_DIGITS} digits of it at least")
    return digits.lower()


def find_in(report: AuditReport, digits: str) -> Reviewed | None:
    """Return the finding of an audit with a fingerprint or a former one; None without one.

    Findings that were reviewed and are no longer found are found here too.

    Raises:
        BadInput: the prefix is ambiguous.
    """
    matches = {
        each.fingerprint: Reviewed(
            report.reviews.get(each.fingerprint)
            or FindingReview(each.fingerprint, each.code, each.stream, each.shoe, each.coup),
            report.state_of(each),
            each,
        )
        for each in report.listed(resolved=True)
        if _begins(digits, each.fingerprint, each.former_fingerprint)
    }
    for mark, review in report.reviews.items():
        if _begins(digits, mark, review.recorded) and mark not in matches:
            matches[mark] = Reviewed(review, report.states[mark], None)
    return _only(list(matches.values()), digits) if matches else None


def _only(matches: Sequence[Reviewed], digits: str) -> Reviewed:
    if len(matches) > 1:
        first, second, *_ = sorted(match.review.finding for match in matches)
        raise BadInput(f"{digits!r} may be {first[:20]}… or {second[:20]}…; give more digits")
    return matches[0]


def _begins(digits: str, *marks: str | None) -> bool:
    return any(mark is not None and mark.startswith(digits) for mark in marks)


def record_run(
    log: EventLog, report: AuditReport, of: Provenance, result_sha256: str, *, by: str
) -> AppendResult:
    """Record that an audit was run.

    Raises:
        BadInput: the name cannot be stored, or more shoes are named than an event can hold.
    """
    counts = [(rule.code, rule.findings) for rule in report.rules.values() if rule.findings]
    run = a.AuditRun(
        by=by,
        program=of.program,
        rulebook_sha256=of.rulebook_sha256,
        source_sha256=of.source_sha256,
        origin=of.origin,
        last_index=of.last_index,
        shoes=report.shoes,
        coups=report.coups,
        result_sha256=result_sha256,
        counts=tuple(a.CodeCount(*count) for count in counts),
        packs=tuple(
            a.PackJudged(pack.name, pack.version, pack.sha256, shoes)
            for pack, shoes in sorted(report.packs.items())
        ),
        named=of.named,
        batches=report.batches,
        tables=report.tables,
    )
    (receipt,) = log.append([NewEvent(a.RUNS_STREAM, run, actor=by)])
    return receipt


def read_runs(log: EventLog, *, newest: int = 0) -> list[Run]:
    """Return the recorded audit runs, oldest first, each with its staleness.

    ``newest`` is the number of the last ones to return; 0 returns all.
    """
    runs = events_of(a.AuditRun, log.read(a.RUNS_STREAM))[-newest:]
    if not runs:
        return []
    rules = (rulebook_sha256(), source_sha256())
    return [
        Run(
            event.index,
            format_time(event.recorded_us),
            _in_current_codes(event.payload),
            _events_since(log, event.payload.last_index, event.payload.named),
            (event.payload.rulebook_sha256, event.payload.source_sha256) != rules,
            _altered(log, event),
        )
        for event in runs
    ]


_PREFIXES: Final = {"shoes": SHOE_PREFIX, "batches": CARDS_PREFIX, "tables": TABLE_PREFIX}


def _altered(log: EventLog, event: RecordedEvent[a.AuditRun]) -> str:
    """Return how the log below a run differs from what the run counted, in words."""
    run = event.payload
    if run.origin != log.origin:
        return ""
    if event.index <= run.last_index:
        return f"the log was altered: the audit went up to event #{run.last_index}"
    differences = []
    counted = {"shoes": run.shoes}
    if not run.named:
        counted |= {"batches": run.batches, "tables": run.tables}
    for what, audited in counted.items():
        prefix = _PREFIXES[what]
        begun = [each for each in log.streams(prefix) if each.first_index <= run.last_index]
        names = {each.stream.removeprefix(prefix) for each in begun}
        there = len(names & set(run.named)) if run.named else len(names)
        if there != audited:
            differences.append(f"{audited} {what} were audited, and the log has {there} of them")
    return f"the log was altered: {'; '.join(differences)}" if differences else ""


def _in_current_codes(run: a.AuditRun) -> a.AuditRun:
    counts = tuple(a.CodeCount(current_code(each.code), each.findings) for each in run.counts)
    return replace(run, counts=counts)


def _events_since(log: EventLog, last_index: int, named: Sequence[str]) -> int:
    """Count the events after an index that an audit reads.

    These are the events of all shoes, batches and tables, or of the named shoes. Of all events the
    others are taken off: these are few, so the cost does not grow with the log.
    """
    if named:
        streams = [SHOE_PREFIX + shoe for shoe in named]
        marks = ", ".join("?" * len(streams))
        query = f"SELECT count(*) FROM log_event WHERE stream IN ({marks}) AND id > ?"  # noqa: S608 - only marks are put in
        return int(log.database.fetch(query, (*streams, last_index))[0][0])
    others = sum(
        log.database.fetch(_BETWEEN, (first, end, last_index))[0][0] for first, end in _OTHERS
    )
    return max(0, log.head() - last_index) - int(others)


# Names compare by bytes: "0" follows "/", and nothing sorts after the last character. The plus
# signs keep the database from reading the events one after the other instead of the index of names.
_OTHERS: Final = (
    ("", CARDS_PREFIX),
    (f"{CARDS_PREFIX[:-1]}0", SHOE_PREFIX),
    (f"{SHOE_PREFIX[:-1]}0", TABLE_PREFIX),
    (f"{TABLE_PREFIX[:-1]}0", "\U0010ffff"),
)
_BETWEEN: Final = "SELECT count(*) FROM log_event WHERE stream >= ? AND stream < ? AND +id > ?"
