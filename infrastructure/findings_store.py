"""Remarks on findings, and audit runs, in the log."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit import Finding
from sabot.domain.audit.finding_reviews import FindingReview, reviews
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.rulebook import rulebook_sha256
from sabot.domain.events import review as a
from sabot.domain.events.envelope import AppendResult, NewEvent, RecordedEvent, events_of
from sabot.domain.events.points_in_time import format_time
from sabot.domain.events.upcasting import current_code
from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.audit_run import CARDS_PREFIX, SHOE_PREFIX, Provenance
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_records import TABLE_PREFIX
from sabot.infrastructure.version import source_sha256

LEAST_DIGITS: Final = 6
"""Minimum number of digits of a shortened fingerprint."""

Verb = Literal["acknowledge", "comment", "dispute", "resolve"]
Outcome = Literal["upheld", "dismissed", "mended"]

_NEED_WORDS: Final[tuple[Verb, ...]] = ("comment", "dispute", "resolve")


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


def read_cases(log: EventLog, findings: Iterable[Finding] = ()) -> dict[str, FindingReview]:
    """Return every case of the log by fingerprint. ``findings`` are the current ones."""
    return reviews(log.read(a.FINDINGS_STREAM), findings)


def say_of(  # noqa: PLR0913 - a remark is a finding, a person and words
    log: EventLog,
    case: FindingReview,
    verb: Verb,
    *,
    by: str,
    note: str = "",
    outcome: Outcome | None = None,
) -> AppendResult:
    """Record a person's remark on a finding.

    ``outcome`` is that of a resolution.

    Raises:
        BadInput: the name or the note cannot be stored, or is missing where required.
    """
    if not by.strip():
        raise BadInput("who says so has a name: --by NAME")
    if verb in _NEED_WORDS and not note.strip():
        raise BadInput(f"to {verb} a finding, say why in words: --note TEXT")
    if verb == "resolve" and case.state == "resolved":
        raise BadInput(f"{case.finding[:12]} is resolved already; dispute it to open it again")
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
                raise BadInput("a finding is resolved to something: --outcome")
            payload = a.FindingResolved(*fields, outcome=outcome)
    (receipt,) = log.append([NewEvent(a.FINDINGS_STREAM, payload, actor=by)])
    return receipt


def find_case(
    findings: Iterable[Finding], known: dict[str, FindingReview], digits: str
) -> FindingReview:
    """Return the case of a finding by its fingerprint.

    A unique prefix is enough. The former fingerprint of a finding is accepted too. A finding
    without remarks has an open case. A case whose breach is no longer found is still returned.

    Raises:
        BadInput: the prefix is too short or ambiguous.
        NotFound: no finding has this prefix.
    """
    digits = digits.lower()
    if len(digits) < LEAST_DIGITS:
        raise BadInput(f"{digits!r} is too short; give {LEAST_DIGITS} digits of it at least")
    open_cases = {
        found.fingerprint: known.get(found.fingerprint)
        or FindingReview(found.fingerprint, found.code, found.stream, found.shoe, found.coup)
        for found in findings
        if _begins(digits, found.fingerprint, found.former_fingerprint)
    }
    reviewed = {mark: case for mark, case in known.items() if _begins(digits, mark, case.recorded)}
    matches = {**open_cases, **reviewed}
    if not matches:
        raise NotFound(f"no finding {digits!r}; list them with: sabot findings")
    if len(matches) > 1:
        first, second, *_ = sorted(matches)
        raise BadInput(f"{digits!r} may be {first[:20]}… or {second[:20]}…; give more digits")
    return next(iter(matches.values()))


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


def read_runs(log: EventLog) -> list[Run]:
    """Return the recorded audit runs, oldest first, each with its staleness."""
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
        for event in events_of(a.AuditRun, log.read(a.RUNS_STREAM))
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

    These are the events of all shoes, batches and tables, or of the named shoes.
    """
    e = log_event.c
    query = sa.select(sa.func.count()).where(e.id > last_index)
    if named:
        query = query.where(e.stream.in_([SHOE_PREFIX + shoe for shoe in named]))
    else:
        looked_at = (SHOE_PREFIX, CARDS_PREFIX, TABLE_PREFIX)
        query = query.where(
            sa.or_(*(sa.and_(e.stream >= at, e.stream < at[:-1] + "0") for at in looked_at))
        )
    with log.database.reading() as connection:
        return int(connection.scalar(query) or 0)
