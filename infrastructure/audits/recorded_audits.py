"""Audit runs that are recorded in the log, with a check whether they are out of date."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.rulebook import rulebook_sha256
from sabot.domain.events import review as a
from sabot.domain.events.envelope import AppendResult, NewEvent, RecordedEvent, events_of
from sabot.domain.events.points_in_time import format_time
from sabot.domain.events.upcasting import current_code
from sabot.infrastructure.audits.audit_run import CARDS_PREFIX, SHOE_PREFIX, Provenance
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.streams import after_prefix
from sabot.infrastructure.log.table_records import TABLE_PREFIX
from sabot.infrastructure.version import source_sha256


class Run(Struct, frozen=True):
    """A recorded audit run, and the reasons why it is out of date.

    ``since`` counts the events of the audited shoes that were recorded after the run.
    ``other_rules`` is True if this program has other rules or another source than the run.
    ``altered`` says how the log differs now from the log that was audited. It is empty for a run of
    another log.
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
        """The reasons why the run is out of date. Empty if it is current."""
        reasons = [f"{self.since} events since"] if self.since else []
        reasons += ["the rules have changed since"] if self.other_rules else []
        return "; ".join([*reasons, *([self.altered] if self.altered else [])])

    def differs_from(self, result_sha256: str) -> str:
        """Return a sentence on how the result of the same audit differs now; empty if it agrees.

        Only a run of the whole log can be compared, with the same rules and no events since.
        """
        if self.stale or self.run.named or self.run.result_sha256 == result_sha256:
            return ""
        return (
            "the same audit has another result now, with the same rules and no event since, so the "
            "log was altered; run `sabot verify`"
        )


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
    """Return the recorded audit runs, oldest first."""
    return _runs(log, events_of(a.AuditRun, log.read(a.RUNS_STREAM)))


def last_runs(log: EventLog, *, whole: bool) -> list[Run]:
    """Return the audit run that was recorded last.

    If it is of named shoes, ``whole`` asks for the last run of the whole log as well.
    """
    events = events_of(a.AuditRun, log.read(a.RUNS_STREAM))
    of_all = [event for event in events[:-1] if not event.payload.named][-1:]
    if not whole or not events[-1:] or not events[-1].payload.named:
        of_all = []
    return _runs(log, of_all + events[-1:])


def _runs(log: EventLog, runs: Sequence[RecordedEvent[a.AuditRun]]) -> list[Run]:
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
    """Return text on how the log differs from what an audit run counted."""
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
    """Count the events after an index that concern an audit.

    These are the events of all shoes, batches and tables, or of the named shoes. If all are wanted,
    the few other events are subtracted from the number of all events, so that the cost does not
    grow with the log.
    """
    if named:
        since = (log.database.fetch(_SINCE, (SHOE_PREFIX + shoe, last_index)) for shoe in named)
        return sum(int(found[0][0]) for found in since)
    others = (
        sum(log.database.fetch(_BETWEEN, (first, end, last_index))[0][0] for first, end in _OTHERS)
        + log.database.fetch(_BEHIND, (after_prefix(TABLE_PREFIX), last_index))[0][0]
    )
    return max(0, log.head() - last_index) - int(others)


# Names compare by bytes. The plus signs keep the database from reading the events one after the
# other instead of the index of names.
_OTHERS: Final = (
    ("", CARDS_PREFIX),
    (after_prefix(CARDS_PREFIX), SHOE_PREFIX),
    (after_prefix(SHOE_PREFIX), TABLE_PREFIX),
)
_BEHIND: Final = "SELECT count(*) FROM log_event WHERE stream >= ? AND +id > ?"
_SINCE: Final = "SELECT count(*) FROM log_event WHERE stream = ? AND id > ?"
_BETWEEN: Final = "SELECT count(*) FROM log_event WHERE stream >= ? AND stream < ? AND +id > ?"
