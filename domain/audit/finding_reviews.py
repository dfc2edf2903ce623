"""The reviews of findings: the remarks of people, and the state that follows from them.

A finding is open until somebody acknowledges, disputes or resolves it. The latest such remark
counts, so a dispute reopens a resolved finding. Two things change the state without a remark:

- A correction of the record removes the breach. The finding is then resolved as corrected, by the
author of the correction. A finding that somebody had resolved keeps that resolution.
- The breach of a resolved finding was gone from the record and comes back. The finding is then
open again.
"""

from collections.abc import Callable, Iterable
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.findings import Finding
from sabot.domain.events import review as a
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import format_time
from sabot.domain.events.upcasting import current_code

State = Literal["open", "acknowledged", "disputed", "resolved"]
What = Literal["acknowledged", "commented", "disputed", "resolved"]


class ReviewEntry(Struct, frozen=True):
    """One remark on a finding, with its author and time."""

    what: What
    by: str
    at: str
    index: int
    note: str = ""
    outcome: a.Outcome | None = None


class Sighting(Struct, frozen=True):
    """The result of an audit of the log up to an index: whether it finds a breach.

    If the event with that index is a correction, ``by``, ``at`` and ``why`` are its author, time
    and reason.
    """

    index: int
    found: bool
    by: str | None = None
    at: str | None = None
    why: str = ""


class FindingState(Struct, frozen=True):
    """The state of a finding: who set it, when (ISO 8601, by the log's clock), and why.

    ``outcome`` is how a finding was resolved. ``found`` is False once the record no longer shows
    the breach. ``found_again`` is True if the breach was gone from the record and came back.
    ``by_correction`` is True if a correction of the record resolved the finding.
    """

    state: State = "open"
    outcome: a.Outcome | None = None
    by: str | None = None
    at: str | None = None
    why: str = ""
    found: bool = True
    found_again: bool = False
    by_correction: bool = False

    @property
    def is_unresolved(self) -> bool:
        """Whether somebody still has to deal with the finding."""
        return self.found and self.state != "resolved"

    @property
    def text(self) -> str:
        """The state in words.

        For example ``resolved as dismissed by sue, 2026-11-22T20:00:00Z: misread``, or ``removed by
        a correction by sue``. The time is that of the log's clock, to the second.
        """
        return self.told(lambda at: f"{at.partition('.')[0].removesuffix('Z')}Z")

    def told(self, show: Callable[[str], str]) -> str:
        """Return the state in words, with its time as ``show`` writes it."""
        gone = "" if self.found or self.by_correction else "; no longer found"
        by = f" by {self.by}" if self.by else ""
        at = f", {show(self.at)}" if self.at else ""
        why = f": {self.why}" if self.why else ""
        return f"{self.name}{by}{at}{why}{gone}"

    @property
    def name(self) -> str:
        """The state without author, time and reason: ``resolved as dismissed``."""
        if self.by_correction:
            return "removed by a correction"
        again = ", found again" if self.found_again and self.found else ""
        return f"{self.state} as {self.outcome}{again}" if self.outcome else f"{self.state}{again}"

    def row(self) -> dict[str, object]:
        """Return the state as a record, with the keys that every list of findings has."""
        return {
            "state": self.state,
            "outcome": self.outcome,
            "state_by": self.by,
            "state_at": self.at,
            "state_why": self.why,
            "found": self.found,
            "found_again": self.found_again,
            "by_correction": self.by_correction,
        }


OPEN: Final = FindingState()


class FindingReview(Struct):
    """The remarks on one finding.

    ``recorded`` is the fingerprint that the log uses for the finding, if it is a former one. New
    remarks are stored under it too, so that all remarks are found together.
    """

    finding: str
    code: str
    stream: str
    shoe: str | None
    coup: int | None
    remarks: list[ReviewEntry] = []
    recorded: str | None = None

    def state(self, sightings: Iterable[Sighting] = ()) -> FindingState:
        """Return the state that follows from the remarks and from later audits.

        The breach was on record when the first remark was made.

        Args:
            sightings: audits of the log up to several indexes, each after the first remark.
        """
        steps: list[ReviewEntry | Sighting] = [*sightings, *self.remarks]
        state = OPEN
        for step in sorted(steps, key=lambda one: one.index):
            if isinstance(step, Sighting):
                state = _seen(state, step)
            elif step.what != "commented":
                state = replace(
                    state, state=step.what, outcome=step.outcome,
                    by=step.by, at=step.at, why=step.note, by_correction=False,
                )  # fmt: skip
        return state


def _seen(state: FindingState, sighting: Sighting) -> FindingState:
    """Return the state after one more audit, which either found the breach or did not."""
    if sighting.found == state.found:
        return state
    by, at, why = sighting.by, sighting.at, sighting.why
    if sighting.found:
        if state.state == "resolved":
            return FindingState(by=by, at=at, why=why, found_again=True)
        return replace(state, found=True, found_again=True)
    if state.state == "resolved" or at is None:
        return replace(state, found=False)
    return FindingState("resolved", "corrected", by, at, why, False, state.found_again, True)


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

    The events must be in the order of the log. A remark under a former fingerprint of one of the
    findings belongs to the review of that finding. If a breach is no longer found, its review keeps
    the recorded fingerprint.
    """
    marks = {each.former_fingerprint: each.fingerprint for each in findings}
    found: dict[str, FindingReview] = {}
    for event in events:
        if isinstance(event.payload, a.FindingEvent):
            mark = marks.get(event.payload.finding, event.payload.finding)
            _add(found, mark, event, event.payload)
    return found


def _add(
    found: dict[str, FindingReview], mark: str, event: RecordedEvent, payload: a.FindingEvent
) -> None:
    case = found.get(mark)
    if case is None:
        stream = payload.stream or f"shoe/{payload.shoe}"
        code = current_code(payload.code)
        case = found[mark] = FindingReview(mark, code, stream, payload.shoe, payload.coup)
    if payload.finding != mark:
        case.recorded = payload.finding
    outcome = a.OUTCOMES[payload.outcome] if isinstance(payload, a.FindingResolved) else None
    what = _WHAT[type(payload)]
    clock = format_time(event.recorded_us)
    case.remarks.append(ReviewEntry(what, payload.by, clock, event.index, payload.note, outcome))
