"""Find a finding by its fingerprint, and record people's remarks on it."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.audit.finding_reviews import FindingReview, FindingState, reviews
from sabot.domain.audit.report import AuditReport
from sabot.domain.events import review as a
from sabot.domain.events.envelope import AppendResult, NewEvent
from sabot.domain.state.table_context import crew_at
from sabot.domain.values.errors import BadInput
from sabot.domain.values.names import plain_name
from sabot.domain.values.suggestions import not_in_log
from sabot.infrastructure.audits.audit_run import SHOE_PREFIX, Progress, load_shoe
from sabot.infrastructure.audits.finding_states import add_states
from sabot.infrastructure.audits.remembered_findings import remember, remembered
from sabot.infrastructure.log.event_log import EventLog

DIGITS_SHOWN: Final = 12
"""Number of digits of a fingerprint in lists and reports."""
LEAST_DIGITS: Final = 6
"""Minimum number of digits of a shortened fingerprint."""

Verb = Literal["acknowledge", "comment", "dispute", "resolve"]

_NEED_WORDS: Final[tuple[Verb, ...]] = ("comment", "dispute", "resolve")
_NEED_DISTANCE: Final[tuple[Verb, ...]] = ("acknowledge", "resolve")
_REMARKS: Final[
    dict[Verb, type[a.FindingAcknowledged | a.FindingCommented | a.FindingDisputed]]
] = {
    "acknowledge": a.FindingAcknowledged,
    "comment": a.FindingCommented,
    "dispute": a.FindingDisputed,
}
_STORED: Final = {outcome: stored for stored, outcome in a.OUTCOMES.items()}


class Reviewed(Struct, frozen=True):
    """A finding with its review and its state.

    ``finding`` has the details of the last audit that found it. It is None if no rule of this
    program finds the breach in any earlier state of the log.
    """

    review: FindingReview
    state: FindingState
    finding: Finding | None


def record_remark(  # noqa: PLR0913 - a remark is a finding, a person and words
    log: EventLog,
    reviewed: Reviewed,
    verb: Verb,
    *,
    by: str,
    note: str = "",
    outcome: a.Outcome | None = None,
) -> AppendResult:
    """Record a person's remark on a finding.

    ``outcome`` is the outcome of a resolution.

    Raises:
        BadInput: the name or the note cannot be stored, or is missing where required; the finding
            is resolved already; or it is about the person's own work.
    """
    case = reviewed.review
    if not by.strip():
        raise BadInput("give the name of the person with --by NAME")
    if verb in _NEED_WORDS and not note.strip():
        raise BadInput(f"to {verb} a finding, give the reason: --note TEXT")
    if verb in _NEED_DISTANCE and reviewed.state.state == "resolved":
        raise BadInput(f"{case.finding[:12]} is resolved already; dispute it to open it again")
    if verb in _NEED_DISTANCE and reviewed.finding is not None:
        check_own_work(log, reviewed.finding, by)
    stream = None if case.stream == f"{SHOE_PREFIX}{case.shoe}" else case.stream
    fields = (case.recorded or case.finding, case.code, case.shoe, by, case.coup, note, stream)
    payload: a.FindingEvent
    if verb == "resolve":
        if outcome is None:
            raise BadInput("state how the finding is resolved, for example --as confirmed")
        payload = a.FindingResolved(*fields, outcome=_STORED[outcome])
    else:
        payload = _REMARKS[verb](*fields)
    (receipt,) = log.append([NewEvent(a.FINDINGS_STREAM, payload, actor=by)])
    return receipt


def check_own_work(log: EventLog, finding: Finding, by: str) -> None:
    """Check that a person is not involved in a finding.

    The crew on duty and the patron are involved. The actor of each event that shows the breach is
    involved too, and the person named as having done it. Neither the name that the person states
    nor the login of this process may be one of theirs.

    Raises:
        BadInput: the person is involved.
    """
    login = log.login()
    people = {plain_name(login): f"the login {login}", plain_name(by): by}
    for name, part in _parts(log, finding):
        person = people.get(plain_name(name)) if name else None
        if person:
            raise BadInput(
                f"{person} {part}; nobody acknowledges or resolves a finding about their own work. "
                "Ask another person to do it, or use `sabot findings dispute`"
            )


def _parts(log: EventLog, finding: Finding) -> Iterator[tuple[str | None, str]]:
    """Yield the people of a finding with their roles."""
    yield finding.dealer, "was the dealer then"
    yield finding.supervisor, "was the supervisor then"
    yield finding.patron, "is the patron concerned"
    if finding.stream.startswith(SHOE_PREFIX):
        shoe, shown = load_shoe(log, finding.stream), set(finding.events)
        for event in shoe.history:
            if event.index in shown:
                for post, person in crew_at(shoe, event).items():
                    yield person, f"was the {post} then"
    for index in finding.events:
        row = log.stored(index)
        done_by = msgspec.json.decode(row.payload, type=_DoneBy).by
        yield row.actor, f"is the actor of event {index}"
        yield done_by, f"is named in event {index}"


class _DoneBy(Struct, frozen=True):
    """The key of a payload that names the person who did it."""

    by: str | None = None


def find_reviewed(log: EventLog, digits: str, shoe: str | None = None) -> Reviewed | None:
    """Return a finding by its fingerprint, without an audit of the whole log.

    A unique prefix is enough, and the former fingerprint is accepted too. The shoe is given, or
    known from an earlier review or from this user's last audits. Only that shoe is audited.

    Args:
        log: the log.
        digits: the fingerprint, or its first digits.
        shoe: the shoe of the finding.

    Returns:
        the finding; None if its shoe is not known, or has no such finding.

    Raises:
        BadInput: the prefix is too short or ambiguous.
        NotFound: the log has no such shoe.
        UntrustedLog: the log does not end at its head, or as `audit_shoe`.
    """
    digits = check_digits(digits)
    log.check_ends()
    if shoe is not None:
        return find_in(audit_alone(log, SHOE_PREFIX + shoe), digits)
    known = reviews(log.read(a.FINDINGS_STREAM))
    of_prefix = [case for mark, case in known.items() if _begins(digits, mark, case.recorded)]
    shoes, beyond = remembered(log.origin, digits)
    shoes |= {case.stream for case in of_prefix if case.stream.startswith(SHOE_PREFIX)}
    # the log may be an older copy of the one that was audited
    reports = [audit_alone(log, stream) for stream in sorted(shoes) if log.version(stream)]
    reports += [_report_of(finding, known) for finding in beyond]
    found = [find_in(report, digits) for report in reports]
    matches = [each for each in found if each is not None]
    return _only(matches, digits) if matches else None


def find_in_newest_shoe(log: EventLog, digits: str, progress: Progress) -> Reviewed | None:
    """Return a finding of a shoe by its fingerprint; the newest shoes are audited first.

    The search ends at the first shoe that has it. Fewer than twelve digits are not searched for,
    because another shoe might have a finding that begins with them too.

    Raises:
        UntrustedLog: as `audit_shoe`.
    """
    digits = digits.lower()
    if len(digits) < DIGITS_SHOWN:
        return None
    newest = sorted(log.streams(SHOE_PREFIX), key=lambda each: -each.first_index)
    with progress(len(newest)) as advance:
        for each in newest:
            findings = audit_shoe(load_shoe(log, each.stream)).findings
            remember(log.origin, findings)
            advance(1)
            if any(_begins(digits, one.fingerprint, one.former_fingerprint) for one in findings):
                return find_in(audit_alone(log, each.stream), digits)
    return None


def _report_of(finding: Finding, known: dict[str, FindingReview]) -> AuditReport:
    """Return a report with one finding that belongs to no shoe, and its review."""
    marks = (finding.fingerprint, finding.former_fingerprint or "")
    report = AuditReport(findings=[finding])
    review = next((known[mark] for mark in marks if mark in known), None)
    if review is not None:
        report.reviews[finding.fingerprint] = review
        report.states[finding.fingerprint] = review.state()
    return report


def audit_alone(log: EventLog, stream: str) -> AuditReport:
    """Audit one shoe, and add the states of its findings.

    Raises:
        NotFound: the log has no such shoe.
    """
    if not log.version(stream):
        shoe = stream.removeprefix(SHOE_PREFIX)
        known = (each.stream.removeprefix(SHOE_PREFIX) for each in log.streams(SHOE_PREFIX))
        raise not_in_log("shoe", shoe, known)
    report = AuditReport()
    report.add(audit_shoe(load_shoe(log, stream)))
    add_states(log, report)
    return report


def check_digits(digits: str) -> str:
    """Return the digits of a fingerprint in lower case.

    Raises:
        BadInput: there are too few digits.
    """
    if len(digits) < LEAST_DIGITS:
        raise BadInput(
            f"{digits!r} is too short: a fingerprint needs its first {LEAST_DIGITS} characters; "
            "list them with: sabot findings"
        )
    return digits.lower()


def find_in(report: AuditReport, digits: str) -> Reviewed | None:
    """Return the finding of an audit with a present or former fingerprint, or None.

    Findings that were reviewed and are no longer found are included.

    Raises:
        BadInput: several findings have this prefix.
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
