"""Constraints on the order of events: templates, steps and requirements.

`sabot.domain.timeline.sequence` declares every constraint.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict, Unpack

from msgspec import Struct

from sabot.domain.rules.rule_pack import GameName

Template = Literal["precedes", "never-after", "once", "answered", "within"]
"""The kind of a constraint.

``precedes``: the second step comes only after the first. ``never-after``: the first step does not
come after the second. ``once``: the step comes once, unless another step undid it. ``answered``:
the first step is followed by the second before a third. ``within``: the time from the first step to
the second is at most the one in the rule pack.
"""
Part = Literal["", "first", "third"]
"""The cards of a hand concerned: any, the first two, or a later one."""
Kind = tuple[type, Part]
"""A type of event, and the cards of a hand that it concerns."""


class Step(Struct, frozen=True):
    """A step of table procedure: its name and the events that record it."""

    name: str
    kinds: tuple[Kind, ...]

    @property
    def types(self) -> tuple[type, ...]:
        """The types of its events."""
        return tuple(kind for kind, _ in self.kinds)


class Constraint(Struct, frozen=True):
    """A constraint on the order of two steps.

    ``requires`` is the requirement, worded as in a finding. ``before`` is the step before which an
    answer is due. After ``undone_by``, the first step must be done again. ``games`` are the games
    in which the constraint holds; empty means all. ``key`` is the key in the rule pack that
    switches the constraint on or states its time. ``firm`` is True if the constraint holds in every
    coup and shoe, even after an error was put right. The expected order of events is derived from
    the firm constraints.
    """

    name: str
    template: Template
    first: Step
    second: Step
    requires: str
    before: Step | None = None
    undone_by: Step | None = None
    games: tuple[GameName, ...] = ()
    key: str = ""
    firm: bool = False


class _More(TypedDict, total=False):
    """Optional fields of a constraint."""

    undone_by: Step
    games: tuple[GameName, ...]
    key: str
    firm: bool


def precedes(
    name: str, first: Step, second: Step, requires: str, **more: Unpack[_More]
) -> Constraint:
    """Declare that the second step comes only after the first."""
    return Constraint(name, "precedes", first, second, requires, **more)


def never_after(
    name: str, first: Step, second: Step, requires: str, **more: Unpack[_More]
) -> Constraint:
    """Declare that the first step never follows the second."""
    return Constraint(name, "never-after", first, second, requires, **more)


def once(name: str, step: Step, requires: str, **more: Unpack[_More]) -> Constraint:
    """Declare that a step comes once, unless another step undid it in between."""
    return Constraint(name, "once", step, step, requires, **more)


def answered(
    name: str, first: Step, second: Step, requires: str, *, before: Step, **more: Unpack[_More]
) -> Constraint:
    """Declare that the second step follows the first, and comes before a third."""
    return Constraint(name, "answered", first, second, requires, before, **more)


def within(name: str, first: Step, second: Step, requires: str, *, key: str) -> Constraint:
    """Declare a maximum time between two steps, stated in the rule pack.

    The key ends in the unit of time: ``custody.table_hours``.
    """
    return Constraint(name, "within", first, second, requires, key=key)


def step(name: str, *types: type, part: Part = "") -> Step:
    """Declare a step by the types of its events."""
    return Step(name, tuple((kind, part) for kind in types))


def either(name: str, *steps: Step) -> Step:
    """Declare a step that is any one of several steps."""
    return Step(name, tuple(kind for step in steps for kind in step.kinds))


# -- The course of a shoe, derived from constraints ----------------------------------------------


def places(constraints: Iterable[Constraint]) -> dict[Kind, int]:
    """Return the earliest place of each kind of event under constraints, from 0.

    A kind has the place after the last kind that must come before it. The constraints must be
    compatible, as those of one game are.
    """
    behind: dict[Kind, set[Kind]] = {}
    for constraint in constraints:
        if constraint.template in ("precedes", "never-after"):
            for kind in constraint.second.kinds:
                behind.setdefault(kind, set()).update(constraint.first.kinds)
    found: dict[Kind, int] = {}

    def place(kind: Kind) -> int:
        if kind not in found:
            found[kind] = 1 + max(map(place, behind.get(kind, ())), default=-1)
        return found[kind]

    for kind in (*behind, *(kind for before in behind.values() for kind in before)):
        place(kind)
    return found


def stages(steps: Sequence[Step], constraints: Iterable[Constraint]) -> dict[type, int]:
    """Return the stage of each type of event in a coup of these steps.

    Types of events that may alternate, such as cards and calls, share a stage.
    """
    kinds = [kind for step in steps for kind in step.kinds]
    at = places(constraints)
    spans: dict[type, list[int]] = {}
    for kind in kinds:
        spans.setdefault(kind[0], []).append(at[kind])
    found: dict[type, int] = {}
    stage = reached = -1
    for of, span in sorted(spans.items(), key=lambda pair: min(pair[1])):
        stage += min(span) > reached
        found[of] = stage
        reached = max(reached, *span)
    return found
