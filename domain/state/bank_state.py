"""A bank that a patron puts up, as its events have it; amounts in minor units."""

from typing import TypeAlias

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent

MoneyMove: TypeAlias = (
    ev.BetTaken | ev.BetPaid | bank_ev.LevyTaken | bank_ev.BankRaised | bank_ev.BankWithdrawn
)
"""What moves chips into a bank or out of it."""


class OfferOrder(Struct, frozen=True):
    """Who could be asked to take the bank at a moment.

    ``order`` are those who sit, from beside whoever banked ``last``; ``match`` is what he left
    to be matched, ``unmatched`` who would not match it, ``refused`` who would not bank at all.
    """

    order: tuple[str, ...]
    last: str | None = None
    match: int | None = None
    unmatched: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class Bank(Struct):
    """A bank, from its posting until its banker gives it up.

    ``amount`` lies in it now: what was put in, less what was taken out, plus what it won, less
    what it paid and what the house levied. Events may bring it below nothing. ``matches`` is what
    had to be put up to take it over, None where any amount would do. ``coups`` counts those that
    were closed on it, or void since nobody staked; ``withdrawn_last`` is what was last taken
    out, None before. ``below`` are the events after which it had less than nothing, though it was
    limited; ``beyond`` the takings of more than lay there, each with how much more.
    """

    holder: str
    posted: RecordedEvent[bank_ev.BankPosted]
    matches: int | None
    amount: int
    put_in: int = 0
    taken_out: int = 0
    won: int = 0
    paid: int = 0
    levy: int = 0
    coups: int = 0
    unlimited: bool = False
    withdrawn_last: int | None = None
    below: list[RecordedEvent[MoneyMove]] = []
    beyond: list[tuple[RecordedEvent[bank_ev.BankWithdrawn], int]] = []
    moves: list[RecordedEvent[MoneyMove | bank_ev.BankUnlimited]] = []

    @property
    def result(self) -> int:
        """What its banker won by it so far (or lost, negative), after the levy."""
        return self.won - self.paid - self.levy

    def takes(self, event: RecordedEvent[ev.BetTaken], amount: int) -> None:
        """Take in a bet that lost."""
        self.won += amount
        self._move(event, amount)

    def pays(self, event: RecordedEvent[ev.BetPaid], amount: int) -> None:
        """Pay a bet that won."""
        self.paid += amount
        self._move(event, -amount)

    def levied(self, event: RecordedEvent[bank_ev.LevyTaken], amount: int) -> None:
        """Give the house its levy."""
        self.levy += amount
        self._move(event, -amount)

    def raised(self, event: RecordedEvent[bank_ev.BankRaised], amount: int) -> None:
        """Take in what the banker adds."""
        self.put_in += amount
        self._move(event, amount)

    def withdrawn(self, event: RecordedEvent[bank_ev.BankWithdrawn], amount: int) -> None:
        """Give the banker what he takes out."""
        over = amount - max(0, self.amount)
        if over > 0:
            self.beyond.append((event, over))
        self.taken_out += amount
        self.withdrawn_last = amount
        self._move(event, -amount)

    def _move(self, event: RecordedEvent[MoneyMove], amount: int) -> None:
        self.moves.append(event)
        self.amount += amount
        if self.amount < 0 and not self.unlimited:
            self.below.append(event)
