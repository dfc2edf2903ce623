"""Scalar types of events and rule packs: amounts, numbers, names, hands, rulings."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

MAX_INT = 2**53 - 1

Amount = Annotated[int, Meta(ge=0, le=MAX_INT)]
"""Money in minor units (cents) of the rule pack's currency."""
Number = Annotated[int, Meta(ge=1, le=MAX_INT)]
"""A running number from 1: of a coup, of a bet in a coup, of a card in the shoe."""
Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
Total = Annotated[int, Meta(ge=0, le=9)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
"""A person, patron, table, device or batch, by the house's pseudonym for it."""
Words = Annotated[str, Meta(max_length=2000)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
Day = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", max_length=10)]
"""A calendar day, such as 2026-01-31."""

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
"""A ruling on an irregularity.

``no-bet-hand``: bets are returned and the cards are played out without bets. ``card-to-banker``: a
surplus card of Player becomes Banker's third card, if one is due.
"""

Hand = Literal["player", "banker", "right", "left", "patron"]
"""The hands of all games.

Player and Banker; the two tableaux of baccarat banque; a patron's own hand, identified by seat.
"""


class Part(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A strict value within an event or a rule pack. Unknown keys are errors."""
