"""The steps that an explanation of a coup consists of."""

from typing import Literal

from msgspec import Struct

Kind = Literal[
    "coup", "deal", "draw", "stand", "call", "result", "payment", "bank", "hand",
    "choice", "levy",
]  # fmt: skip


class Step(Struct, frozen=True):
    """One step of a coup: what was due, why, and what was recorded.

    ``differs`` is whether the two differ. It is None if that cannot be established: the coup is in
    play, the record lacks the data, or the audit has no finding about it. ``events`` are indexes of
    the log. ``findings`` are the codes of the findings about the step.
    """

    kind: Kind
    what: str
    due: str
    why: str
    shown: str | None
    differs: bool | None
    events: tuple[int, ...] = ()
    findings: tuple[str, ...] = ()
