"""What a caller would say now: the word of the dealer's side, whatever the game."""

from typing import Literal

from msgspec import Struct

from sabot.domain.events import Hand, ShoeEvent

Awaits = Literal[
    "shoe", "shuffle", "cut", "stop-card", "burn-up", "burn-down", "coup", "bets", "card",
    "turn", "choice", "call", "settle", "close", "holder", "bank", "end", "nothing",
]  # fmt: skip
"""``choice`` awaits what somebody decides about a card, ``bank`` what becomes of the bank."""


class NextAction(Struct, frozen=True):
    """What a caller would say now.

    ``payload`` is what is due, where it is fully determined, or what is due where nobody chooses
    otherwise; ``hand`` is the hand that is due a card, where a card is awaited, with the
    ``seat`` of a patron who has a hand of his own.
    """

    expects: Awaits
    text: str
    payload: ShoeEvent | None = None
    hand: Hand | None = None
    seat: int | None = None
