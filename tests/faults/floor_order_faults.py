"""Faults of order on the floor: steps of batches and tables that are missing, late or swapped.

They are derived from the constraints of order (`sabot.domain.timeline.sequence`). An evening is
dealt without a fault, and its record is changed afterwards.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import find_rule
from sabot.domain.events.envelope import NewEvent
from sabot.domain.timeline.constraints import Constraint, Step
from sabot.domain.timeline.sequence import CONSTRAINTS
from tests.faults.floor_fault import DEVICE, MINUTE_US, Drafts, FloorFault
from tests.faults.order_faults import Mutation, in_words

_LATE_US: Final = {"hours": 25 * 60 * MINUTE_US, "days": 93 * 24 * 60 * MINUTE_US}
"""Longer than any rule pack of the evenings allows, by the unit of its key."""


class Pair(NamedTuple):
    """The events of a step that is changed, and the event before which the step is due."""

    moved: Drafts
    due: NewEvent


def told_otherwise(
    drafts: Sequence[NewEvent], constraint: Constraint, mutation: Mutation
) -> Drafts | None:
    """Return an evening with a changed pair of steps. Return None if it has no such pair."""
    if constraint.template == "within":
        return _too_late(drafts, constraint) if mutation == "delayed" else None
    pair = next(_pairs(drafts, constraint), None)
    if pair is None or (mutation == "swapped" and len(pair.moved) > 1):
        return None
    left = [draft for draft in drafts if draft not in pair.moved]
    due_us = pair.due.at_us or 0
    match mutation:
        case "omitted":
            return left
        case "delayed":
            return _in_order([*left, *(_at(each, due_us + MINUTE_US) for each in pair.moved)])
        case "repeated":
            return _in_order([*drafts, _at(pair.moved[-1], due_us + MINUTE_US)])
        case "swapped":
            (moved,) = pair.moved
            others = [draft for draft in left if draft is not pair.due]
            return _in_order([*others, _at(moved, due_us), _at(pair.due, moved.at_us or 0)])


def _pairs(drafts: Sequence[NewEvent], constraint: Constraint) -> Iterator[Pair]:
    """Yield the pairs of steps to which a constraint applies, in order."""
    of_shoe = {draft.stream: draft.payload for draft in _steps(drafts, ev.ShoeLoaded)}
    answered = constraint.template == "answered"
    last = constraint.before if answered else constraint.second
    assert last is not None
    for due in _of(drafts, last):
        step = constraint.second if answered else constraint.first
        earlier = [
            draft
            for draft in _of(drafts, step)
            if (draft.at_us or 0) < (due.at_us or 0) and _belong(draft, due, of_shoe)
        ]
        if earlier:
            yield Pair(earlier[-1:] if answered else earlier, due)


def _too_late(drafts: Sequence[NewEvent], constraint: Constraint) -> Drafts | None:
    """Move a step, and all that follows in its stream, too long after the other step."""
    for second in _of(drafts, constraint.second):
        since = second.at_us or 0
        mine = [each for each in _of(drafts, constraint.first) if each.stream == second.stream]
        if any((each.at_us or 0) < since for each in mine):
            by = _LATE_US[constraint.key.rpartition("_")[2]]
            return _in_order([
                replace(each, at_us=(each.at_us or 0) + by)
                if each.stream == second.stream and (each.at_us or 0) >= since
                else each
                for each in drafts
            ])  # fmt: skip
    return None


def _steps(drafts: Sequence[NewEvent], kind: type) -> Iterator[NewEvent]:
    return (draft for draft in drafts if isinstance(draft.payload, kind))


def _of(drafts: Sequence[NewEvent], step: Step) -> Drafts:
    kinds = {kind for kind, _ in step.kinds}
    return [draft for draft in drafts if type(draft.payload) in kinds]


def _belong(one: NewEvent, other: NewEvent, of_shoe: dict[str, ev.Event]) -> bool:
    """Return whether two events are of one stream, or of a shoe and its cards or its table."""
    for shoe, beside in ((one, other), (other, one)):
        loaded = of_shoe.get(shoe.stream)
        if isinstance(loaded, ev.ShoeLoaded) and beside.stream != shoe.stream:
            return beside.stream in (f"table/{loaded.table}", f"cards/{loaded.batch}")
    return one.stream == other.stream


def _at(draft: NewEvent, at_us: int) -> NewEvent:
    """Return an event as another device records it at another time."""
    return replace(draft, at_us=at_us, device=f"{DEVICE}/{draft.stream}", seq=1)


def _in_order(drafts: Drafts) -> Drafts:
    return sorted(drafts, key=lambda draft: draft.at_us or 0)


# -- The kinds that are injected into evenings -----------------------------------------------------


def _kind(number: str, name: str, mutation: Mutation, *beside: str) -> FloorFault:
    """Make a kind of fault from a constraint whose breach is reported by the rule of a number.

    ``beside`` are numbers of other rules that the moved events break as well.
    """
    constraint = CONSTRAINTS[name]
    return FloorFault(
        name=f"{name}-{mutation}",
        family=find_rule(number).family,
        what=in_words(constraint, mutation),
        codes=(number, *beside),
        tampers=lambda drafts: told_otherwise(drafts, constraint, mutation),
    )


_MOVED: Final = ("M606", "M607", "V607")
"""In what a batch shows besides whose every step comes days late."""
_TOO_LATE: Final = "V602"
KINDS: Final = (
    _kind("M607", "issue-before-loading", "omitted", "R403"),
    _kind("M607", "issue-before-loading", "delayed"),
    _kind("M607", "issue-before-loading", "swapped", "M606"),
    _kind("M606", "seal-opened-before-loading", "omitted"),
    _kind("M606", "seal-opened-before-loading", "delayed"),
    _kind("M606", "seal-opened-before-loading", "swapped"),
    _kind("M609", "inspection-before-cards", "omitted"),
    _kind("M609", "inspection-before-cards", "delayed"),
    _kind("V607", "put-back-before-destruction", "omitted"),
    _kind("V607", "put-back-before-destruction", "delayed", "M601"),
    _kind(
        "V607",
        "put-back-before-destruction",
        "swapped",
        "M601",
        "V601",
    ),
    _kind("M605", "return-within-hours", "delayed", _TOO_LATE),
    _kind(_TOO_LATE, "reconciliation-within-hours", "delayed", *_MOVED),
    _kind("V603", "stock-count-within-days", "delayed", _TOO_LATE, *_MOVED),
    _kind("F601", "table-opened-before-cards", "delayed"),
)
"""Steps of batches and tables out of their order. What is told again is legal, or no step of its
own. A table without an opening or an adoption on record is not judged, and clean evenings have no
bad cards to report."""
