"""The steps that an explanation of a coup consists of."""

from typing import Final, Literal

from msgspec import Struct

from sabot.domain.values.cards import HIGHEST_TOTAL, VALUE, Card, format_card, total

Kind = Literal[
    "coup", "deal", "draw", "stand", "call", "result", "payment", "bank", "hand",
    "choice", "levy",
]  # fmt: skip


DEALT_IN_TURN: Final = "cards are dealt in this order: Player, Banker, Player, Banker"
"""The rule for the first four cards."""


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


def cards_added_up(cards: list[Card]) -> str:
    """Return text for cards and their total, for example ``7 8 = 7 + 8 = 15, counts 5``."""
    faces, values = " ".join(map(format_card, cards)), [VALUE[card] for card in cards]
    counts = f", counts {total(cards)}" if sum(values) > HIGHEST_TOTAL else ""
    return f"{faces} = {' + '.join(map(str, values))} = {sum(values)}{counts}"


def cards_and_total(cards: list[Card]) -> str:
    """Return text for cards and their total, for example ``7 8 = 5``."""
    return f"{' '.join(map(format_card, cards))} = {total(cards)}"
