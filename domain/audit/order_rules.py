"""Apply a rule that consists of one order constraint.

Such a rule (`RuleGroup.ordered`) returns the events to compare and the text of a breach. The
template of its constraint (`sabot.domain.timeline.sequence`) decides whether the events break it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct

from sabot.domain.audit.floor_view import HOUR_US, MINUTE_US, BatchView, time_of
from sabot.domain.audit.rule import Breach
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.labels import event_noun
from sabot.domain.timeline.constraints import Constraint, Template
from sabot.domain.timeline.evidence import Ordered, after, after_any, before, every, some

_UNITS: Final = {"minutes": MINUTE_US, "hours": HOUR_US, "days": 24 * HOUR_US}
"""The time units in the keys of rule packs, in microseconds."""


class Compared(Struct, frozen=True, gc=False):
    """The events that an order rule compares, and a text.

    ``first`` and ``second`` are the events of the constraint's two steps. ``until`` is the event
    before which an answer is due. ``undone_by`` are events that undo the first step. ``message`` is
    the message of the breach, or a function that makes it from the text of what was observed.

    The other fields replace defaults of the breach. ``expected`` replaces the constraint's
    requirement. ``observed`` replaces the text that says which event came after which. ``events``
    replaces the compared events.
    """

    first: Sequence[RecordedEvent]
    second: Sequence[RecordedEvent]
    message: str | Callable[[str], str]
    until: RecordedEvent | None = None
    undone_by: Sequence[RecordedEvent] = ()
    expected: str = ""
    observed: str = ""
    events: tuple[RecordedEvent, ...] = ()
    coup: int | None = None
    patron: str | None = None
    key: tuple[str | int, ...] | None = None
    stake: int | None = None
    offending_event: RecordedEvent | None = None

    def breach(
        self,
        constraint: Constraint,
        observed: str,
        events: tuple[RecordedEvent, ...],
        expected: str = "",
    ) -> Breach:
        """Return the breach of a constraint.

        The arguments are used for the texts and events that the rule itself did not give.
        """
        observed = self.observed or observed
        return Breach(
            self.message if isinstance(self.message, str) else self.message(observed),
            self.expected or expected or constraint.requires,
            observed,
            self.events or events,
            self.coup,
            patron=self.patron,
            key=self.key,
            offending_event=self.offending_event,
            stake=self.stake,
        )


Decides = Callable[[Constraint, Any, Compared], Sequence[Breach]]
"""The type of a template's function.

It returns the breaches of a constraint in the view of a coup, a shoe or a batch of cards. It raises
`Unknown` where the order of the events is not known.
"""


def _precedes(constraint: Constraint, view: Ordered, compared: Compared) -> Sequence[Breach]:
    if view.order is None and not compared.undone_by:
        earliest = min([event.position for event in compared.first], default=None)
        late = [each for each in compared.second if earliest is None or each.position < earliest]
    else:
        late = [event for event in compared.second if not _is_preceded(view, event, compared)]
    if not late:
        return ()
    found = []
    for event in late:
        observed = f"{event_noun(event.payload)} without {constraint.first.name}"
        if compared.first:
            observed = (
                f"{event_noun(event.payload)} came before {event_noun(compared.first[0].payload)}"
            )
        found.append(compared.breach(constraint, observed, (event, *compared.first)))
    return found


def _is_preceded(view: Ordered, event: RecordedEvent, compared: Compared) -> bool:
    """Return whether the first step came before an event and was still valid then."""
    undone = compared.undone_by
    return some(partial(_stands, view, one, event, undone) for one in compared.first)


def _stands(
    view: Ordered, one: RecordedEvent, other: RecordedEvent, undone: Sequence[RecordedEvent]
) -> bool:
    return every((
        partial(after, view, other, one),
        *(partial(_is_spared, view, one, other, by) for by in undone),
    ))  # fmt: skip


def _is_spared(view: Ordered, one: RecordedEvent, other: RecordedEvent, by: RecordedEvent) -> bool:
    """Return whether another event makes the order of the step and the later event irrelevant.

    Such an event undoes the step. It comes before the step, or after the later event.
    """
    return some((partial(after, view, one, by), partial(after, view, by, other)))


def _never_after(constraint: Constraint, view: Ordered, compared: Compared) -> Sequence[Breach]:
    first, second = compared.first, compared.second
    if view.order is None and not [1 for a in first for b in second if a.position > b.position]:
        return ()
    late = [event for event in first if after_any(view, event, second)]
    if not late:
        return ()
    passed = next((each for each in second if each.position < late[0].position), second[0])
    observed = f"{event_noun(late[0].payload)} came after {event_noun(passed.payload)}"
    return (compared.breach(constraint, observed, (*late, passed)),)


def _answered(constraint: Constraint, view: Ordered, compared: Compared) -> Sequence[Breach]:
    until = compared.until
    if until is None or some(partial(before, view, answer, until) for answer in compared.second):
        return ()
    if not compared.second and not before(view, compared.first[-1], until):
        return ()
    observed = f"no {constraint.second.name}"
    if compared.second:
        observed = (
            f"{event_noun(compared.second[0].payload)} came after {event_noun(until.payload)}"
        )
    events = (*compared.first, *compared.second, until)
    return (compared.breach(constraint, observed, events),)


def _within(constraint: Constraint, view: BatchView, compared: Compared) -> Sequence[Breach]:
    """Return the breach of a time limit.

    If the second event is missing, the time runs to the end of the record.
    """
    key = constraint.key.rpartition(".")[2]
    unit, most = key.rpartition("_")[2], getattr(view.custody, key) or 0
    until = time_of(compared.second[0]) if compared.second else view.latest_us
    waited = until - time_of(compared.first[0])
    if waited <= most * _UNITS[unit] + view.tolerance_us:
        return ()
    observed = f"{waited // _UNITS[unit]} {unit}" + ("" if compared.second else " so far")
    expected = f"{most} {unit} {constraint.requires}"
    events = (*compared.first, *compared.second)
    return (compared.breach(constraint, observed, events, expected),)


TEMPLATES: Final[dict[Template, Decides]] = {
    "precedes": _precedes,
    "never-after": _never_after,
    "answered": _answered,
    "within": _within,
}
"""The function that decides each template.

The template ``once`` has none: its rules decide themselves whether a step was undone.
"""
