"""The incident report: everything in the log about one finding."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from sabot.domain.audit.explain.steps import Step
from sabot.domain.audit.finding_reviews import OPEN, FindingReview, FindingState
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.rulebook import find_rule
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import with_table_times
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.reports.model import (
    Cited,
    Column,
    Figures,
    Moment,
    Money,
    Pictures,
    Report,
    Row,
    Section,
    Table,
    Unknown,
    Value,
)
from sabot.infrastructure.reports.shift_audit import picture_of, where_of

KIND: Final = "incident"
TITLE: Final = "Incident"

_STEPS: Final = (
    Column("kind", "step"),
    Column("what", "what", weight=2),
    Column("due", "due", weight=2),
    Column("shown", "recorded", weight=2),
    Column("why", "why", weight=3),
    Column("differs", "differs"),
)
_EVENTS: Final = (
    Column("index", "event", "count"),
    Column("at", "time", "time"),
    Column("said", "what happened", weight=4),
    Column("actor", "actor"),
    Column("device", "device"),
    Column("evidence", "shows the breach"),
)
_REVIEWS: Final = (
    Column("at", "time"),
    Column("what", "what"),
    Column("by", "by"),
    Column("outcome", "outcome"),
    Column("note", "reason", weight=3),
    Column("index", "event", "count"),
)
_OTHERS: Final = (
    Column("fingerprint", "finding"),
    Column("rule", "rule"),
    Column("message", "what happened", weight=4),
)
_SHORT: Final = 12


class Incident(Struct, frozen=True):
    """The data of an incident report.

    ``shoe`` is None for a finding that belongs to no shoe. ``steps`` explain the coup. ``events``
    are those of the coup, or those that show the breach. ``others`` are the other findings of the
    coup.
    """

    finding: Finding
    state: FindingState = OPEN
    review: FindingReview | None = None
    shoe: Shoe | None = None
    steps: Sequence[Step] = ()
    events: Sequence[RecordedEvent] = ()
    others: Sequence[Finding] = ()


def incident(of: Incident, describe: Callable[[RecordedEvent], str]) -> Report:
    """Return the report of one finding.

    ``describe`` is a function that returns an event as a sentence.
    """
    finding, rule = of.finding, find_rule(of.finding.code)
    sections: list[Section] = [Figures("finding", "Finding", tuple(_figures(of)))]
    picture = picture_of(of.shoe, [finding, *of.others]) if of.shoe is not None else None
    if picture is not None:
        sections.append(Pictures("coup", "The coup", (picture,)))
    if of.steps:
        sections.append(
            Table("steps", "What was due, and what was recorded", _STEPS,
                  tuple(map(_step, of.steps)))
        )  # fmt: skip
    events = tuple(_events(of, describe))
    sections.append(
        Table("events", "Events", _EVENTS, events, empty="The breach is a missing event.")
    )
    remarks = of.review.remarks if of.review is not None else []
    reviews = tuple(
        (each.at, each.what, each.by, each.outcome, each.note or None, each.index)
        for each in remarks
    )
    sections.append(
        Table("reviews", "Reviews", _REVIEWS, reviews, empty="Nobody has reviewed the finding.")
    )
    if of.others:
        others = tuple((each.fingerprint[:_SHORT], each.number, each.message) for each in of.others)
        sections.append(Table("others", "Other findings of the coup", _OTHERS, others))
    notes = tuple(f"{source.cite}: {source.says}" for source in rule.sources)
    sources = tuple(Cited(source.cite, source.url, (rule.number,)) for source in rule.sources)
    return Report(KIND, TITLE, tuple(sections), notes=notes, sources=sources)


def _figures(of: Incident) -> Iterable[tuple[str, Value]]:
    finding, rule = of.finding, find_rule(of.finding.code)
    money, unit = finding.money, (finding.money.currency or "", finding.money.minor_units)
    yield "what happened", finding.message
    yield "rule", f"{rule.number} {rule.code}: {rule.requires}"
    yield "required", finding.expected
    yield "recorded", finding.observed
    yield "severity", finding.severity
    yield "where", where_of(finding)
    clock = {None: "", "table": "", "recorded": " (the log's clock)"}[finding.clock]
    yield (
        f"time{clock}",
        Moment(finding.at_us) if finding.at_us is not None else Unknown("the breach has no time"),
    )
    yield "dealer", finding.dealer or Unknown("the record names no dealer")
    yield "supervisor", finding.supervisor or Unknown("the record names no supervisor")
    yield "patron", finding.patron
    if money.house is None:
        yield "house", money.unknown
    else:
        yield "house", Money(money.house, *unit)
    for patron, amount in sorted(money.patrons.items()):
        yield f"to {patron}", Money(amount, *unit)
    yield "state", of.state.text
    yield "finding", finding.fingerprint


def _step(step: Step) -> Row:
    differs = {None: None, True: "yes", False: "no"}[step.differs]
    return step.kind, step.what, step.due, step.shown, step.why, differs


def _events(of: Incident, describe: Callable[[RecordedEvent], str]) -> Iterable[Row]:
    shown = set(of.finding.events)
    for event, at in with_table_times(of.events):
        yield (
            event.index,
            Moment(at),
            describe(event),
            event.actor or None,
            event.device or None,
            "yes" if event.index in shown else None,
        )
