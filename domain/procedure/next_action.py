"""The next action at a table, in any game."""

from typing import Literal

from msgspec import Struct

from sabot.domain.events import Hand, ShoeEvent

Awaits = Literal[
    "shoe", "shuffle", "cut", "stop-card", "burn-up", "burn-down", "coup", "bets", "card",
    "turn", "choice", "call", "settle", "close", "holder", "bank", "end", "nothing",
]  # fmt: skip
"""What the table waits for.

``choice`` waits for a decision about a card, ``bank`` for a decision about the bank.
"""


class NextAction(Struct, frozen=True):
    """The next action at a table, in words.

    ``payload`` is the event due, if it is determined, or the usual choice. ``hand`` is the hand due
    a card, and ``seat`` the seat of a patron who has a hand of their own.
    """

    expects: Awaits
    text: str
    payload: ShoeEvent | None = None
    hand: Hand | None = None
    seat: int | None = None
