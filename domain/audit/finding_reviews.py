"""Findings after they were found: who answered for them, what was said, and how they ended."""

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.events import review as a
from sabot.domain.events.envelope import Event
from sabot.domain.events.points_in_time import iso

State = Literal["open", "acknowledged", "disputed", "resolved"]
What = Literal["acknowledged", "commented", "disputed", "resolved"]


class Remark(Struct, frozen=True):
    """What somebody did with a finding, and when the log took it down."""

    what: What
    by: str
    at: str
    index: int
    note: str = ""
    outcome: str | None = None


class Case(Struct):
    """A finding's case: its state, and all that was said of it, in order.

    The last fact that changes the state holds: a dispute opens a resolved case again.
    """

    finding: str
    code: str
    stream: str
    shoe: str | None
    coup: int | None
    state: State = "open"
    outcome: str | None = None
    remarks: list[Remark] = []


_WHAT: Final[dict[type, What]] = {
    a.FindingAcknowledged: "acknowledged",
    a.FindingCommented: "commented",
    a.FindingDisputed: "disputed",
    a.FindingResolved: "resolved",
}


def cases(events: Iterable[Event]) -> dict[str, Case]:
    """Return the cases by fingerprint, from the facts about findings in their order."""
    found: dict[str, Case] = {}
    for event in events:
        if isinstance(event.fact, a.FindingFact):
            _evolve(found, event, event.fact)
    return found


def _evolve(found: dict[str, Case], event: Event, fact: a.FindingFact) -> None:
    case = found.get(fact.finding)
    if case is None:
        stream = fact.stream or f"shoe/{fact.shoe}"
        case = found[fact.finding] = Case(fact.finding, fact.code, stream, fact.shoe, fact.coup)
    outcome = fact.outcome if isinstance(fact, a.FindingResolved) else None
    what = _WHAT[type(fact)]
    clock = iso(event.recorded_us)
    case.remarks.append(Remark(what, fact.by, clock, event.index, fact.note, outcome))
    if what != "commented":
        case.state, case.outcome = what, outcome
