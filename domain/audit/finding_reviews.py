"""The reviews of findings: actions, comments and outcomes."""

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.audit.findings import Finding
from sabot.domain.events import review as a
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import format_time
from sabot.domain.events.upcasting import current_code

State = Literal["open", "acknowledged", "disputed", "resolved"]
What = Literal["acknowledged", "commented", "disputed", "resolved"]


class ReviewEntry(Struct, frozen=True):
    """One action on a finding, with its author and time."""

    what: What
    by: str
    at: str
    index: int
    note: str = ""
    outcome: str | None = None


class FindingReview(Struct):
    """The review of a finding: its state and entries.

    The last event that changes the state counts, so a dispute reopens a resolved review.
    ``recorded`` is the fingerprint under which the log has the review, if that is a former one of
    the finding. New events use it too, so that the review stays one.
    """

    finding: str
    code: str
    stream: str
    shoe: str | None
    coup: int | None
    state: State = "open"
    outcome: str | None = None
    remarks: list[ReviewEntry] = []
    recorded: str | None = None


_WHAT: Final[dict[type, What]] = {
    a.FindingAcknowledged: "acknowledged",
    a.FindingCommented: "commented",
    a.FindingDisputed: "disputed",
    a.FindingResolved: "resolved",
}


def reviews(
    events: Iterable[RecordedEvent], findings: Iterable[Finding] = ()
) -> dict[str, FindingReview]:
    """Return the reviews of findings by fingerprint.

    The events must be in their order. An event under a former fingerprint of one of the findings
    belongs to its review. The review of a breach that is no longer found keeps its recorded
    fingerprint.
    """
    marks = {each.former_fingerprint: each.fingerprint for each in findings}
    found: dict[str, FindingReview] = {}
    for event in events:
        if isinstance(event.payload, a.FindingEvent):
            mark = marks.get(event.payload.finding, event.payload.finding)
            _evolve(found, mark, event, event.payload)
    return found


def _evolve(
    found: dict[str, FindingReview], mark: str, event: RecordedEvent, payload: a.FindingEvent
) -> None:
    case = found.get(mark)
    if case is None:
        stream = payload.stream or f"shoe/{payload.shoe}"
        code = current_code(payload.code)
        case = found[mark] = FindingReview(mark, code, stream, payload.shoe, payload.coup)
    if payload.finding != mark:
        case.recorded = payload.finding
    outcome = payload.outcome if isinstance(payload, a.FindingResolved) else None
    what = _WHAT[type(payload)]
    clock = format_time(event.recorded_us)
    case.remarks.append(ReviewEntry(what, payload.by, clock, event.index, payload.note, outcome))
    if what != "commented":
        case.state, case.outcome = what, outcome
