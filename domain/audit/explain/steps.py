"""What an explanation of a coup is made of."""

from typing import Literal

from msgspec import Struct

Kind = Literal[
    "coup", "deal", "draw", "stand", "call", "result", "payment", "bank", "hand",
    "choice", "levy",
]  # fmt: skip


class Step(Struct, frozen=True):
    """One thing that was due in a coup, why, and what was shown.

    ``differs`` is None where nothing was shown that could differ: the coup is in play, or the
    record does not say. ``events`` are indexes of the log.
    """

    kind: Kind
    what: str
    due: str
    why: str
    shown: str | None
    differs: bool | None
    events: tuple[int, ...] = ()
