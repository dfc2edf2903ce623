"""What a constraint of order is: its template, its two steps, and what it requires.

`sabot.domain.timeline.sequence` declares every constraint.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict, Unpack

from msgspec import Struct

from sabot.domain.rules.rule_pack import GameName

Template = Literal["precedes", "never-after", "once", "answered", "within"]
"""``precedes``: the second step comes only after the first. ``never-after``: the first step does
not come after the second. ``once``: the step comes once, unless another undid it.
``answered``: the first step is followed by the second before a third. ``within``: no more time than
the rule pack says lies between the first step and the second.
"""
Part = Literal["", "first", "third"]
"""Which cards of a hand an event is about: any, the first two, or a later one."""
Kind = tuple[type, Part]
"""A type of events, and which cards of a hand they are about."""


class Step(Struct, frozen=True):
    """Something that is done at a table: what it is called, and the events that tell of it."""

    name: str
    kinds: tuple[Kind, ...]

    @property
    def types(self) -> tuple[type, ...]:
        """The types of its events."""
        return tuple(kind for kind, _ in self.kinds)


class Constraint(Struct, frozen=True):
    """A constraint of order.

    ``requires`` says what it asks, as a finding does. ``before`` is the step before which an
    answer is due, ``undone_by`` the step after which the first is to be done again. ``games`` are
    those in which it holds (empty: all). ``key`` is the key of the rule pack that switches it on,
    or that says how long. ``firm`` is True where no coup and no shoe goes otherwise, even where
    something was put right: the expected order of events rests on these.
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
    """What else may be said of a constraint."""

    undone_by: Step
    games: tuple[GameName, ...]
    key: str
    firm: bool


def precedes(
    name: str, first: Step, second: Step, requires: str, **more: Unpack[_More]
) -> Constraint:
    """Declare that a step comes only after another."""
    return Constraint(name, "precedes", first, second, requires, **more)


def never_after(
    name: str, first: Step, second: Step, requires: str, **more: Unpack[_More]
) -> Constraint:
    """Declare that a step does not come after another."""
    return Constraint(name, "never-after", first, second, requires, **more)


def once(name: str, step: Step, requires: str, **more: Unpack[_More]) -> Constraint:
    """Declare that a step comes once, unless another undid it in between."""
    return Constraint(name, "once", step, step, requires, **more)


def answered(
    name: str, first: Step, second: Step, requires: str, *, before: Step, **more: Unpack[_More]
) -> Constraint:
    """Declare that a step is followed by another before a third."""
    return Constraint(name, "answered", first, second, requires, before, **more)


def within(name: str, first: Step, second: Step, requires: str, *, key: str) -> Constraint:
    """Declare that no more time lies between two steps than the rule pack says under a key.

    The key ends in the unit of time: ``custody.table_hours``.
    """
    return Constraint(name, "within", first, second, requires, key=key)


def step(name: str, *types: type, part: Part = "") -> Step:
    """Declare a step by the types of its events."""
    return Step(name, tuple((kind, part) for kind in types))


def either(name: str, *steps: Step) -> Step:
    """Declare a step that is one of several."""
    return Step(name, tuple(kind for step in steps for kind in step.kinds))


# -- The course of a shoe that follows ---------------------------------------------------------


def places(constraints: Iterable[Constraint]) -> dict[Kind, int]:
    """Return the earliest place of each kind of event that constraints allow, from 0.

    A kind stands one place behind the last of all that have to come before it. The constraints are
    such as can all be kept: those of one game.
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
    """Return the stage of each type of event in a coup that has these steps alone.

    Types of events that may alternate, as cards and calls do, are of one stage.
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
