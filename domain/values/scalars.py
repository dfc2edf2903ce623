"""Values that events and rule packs are made of: amounts, numbers, names, hands, rulings."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

MAX_INT = 2**53 - 1

Amount = Annotated[int, Meta(ge=0, le=MAX_INT)]
"""Money in minor units (cents) of the rule pack's currency."""
Number = Annotated[int, Meta(ge=1, le=MAX_INT)]
"""A running number from 1: a coup of a shoe, a bet of a coup, a place in the shoe."""
Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
Total = Annotated[int, Meta(ge=0, le=9)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
"""A person, patron, table, device or batch, by the pseudonym that the house gives it."""
Words = Annotated[str, Meta(max_length=2000)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
Day = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", max_length=10)]
"""A day of the calendar, as 2026-01-31."""

Outcome = Literal["P", "B", "T"]
Irregularity = Literal[
    "wrong-draw",
    "card-exposed",
    "card-face-up",
    "card-off-the-table",
    "misdeal",
    "too-few-cards",
    "shuffler-fault",
    "late-bet",
    "wrong-payment",
    "wrong-call",
    "abandoned-bet",
    "other",
]
Ruling = Literal[
    "none", "void", "play-on", "burn-card", "restore-card", "return-bets", "stand", "no-bet-hand",
    "card-to-banker", "other",
]  # fmt: skip
"""What somebody ruled. ``no-bet-hand``: the bets go back, and the cards are played out without
any; ``card-to-banker``: Player's card too many is Banker's third, if one is due to Banker."""

Hand = Literal["player", "banker", "right", "left", "patron"]
"""The hands of all games: Player and Banker; the tableaux of baccarat banque; a patron's own (with
his seat)."""


class Part(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A strict value within an event or a rule pack: unknown keys are errors."""
