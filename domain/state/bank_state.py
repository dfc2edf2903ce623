"""A bank that a patron posts, computed from its events; amounts in minor units."""

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent

MoneyMove: TypeAlias = (
    ev.BetTaken | ev.BetPaid | bank_ev.LevyTaken | bank_ev.BankRaised | bank_ev.BankWithdrawn
)
"""Events that move chips into a bank or out of it."""


class OfferOrder(Struct, frozen=True):
    """Patrons who could be offered the bank at one moment.

    ``order`` holds the seated patrons, starting next to ``last``, the previous banker. ``match`` is
    the amount that the next banker must put up, in minor units. ``unmatched`` declined to put up
    that amount; ``refused`` declined the bank at any amount. ``held`` is whether somebody still
    held the shoe.
    """

    order: tuple[str, ...]
    last: str | None = None
    match: int | None = None
    unmatched: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    held: bool = False

    def turned(self) -> "OfferOrder":
        """Return the order in the opposite direction round the table.

        The previous banker stays last.
        """
        others = [patron for patron in reversed(self.order) if patron != self.last]
        last = [patron for patron in self.order if patron == self.last]
        return replace(self, order=(*others, *last))


class Bank(Struct):
    """A bank from its posting to its end.

    ``amount`` is the balance: chips put in and won, less chips taken out, paid and levied. A wrong
    record can bring it below zero. ``amount_to_match`` is what takes the bank over; None if any
    amount was allowed. ``coups`` counts the coups closed on the bank, and those voided because
    there were no bets. ``withdrawn_last`` is the most recent withdrawal, None before the first.
    ``below`` lists the events that left a limited bank below zero. ``beyond`` lists withdrawals of
    more than the balance, each with the surplus.
    """

    holder: str
    posted: RecordedEvent[bank_ev.BankPosted]
    amount_to_match: int | None
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
        """The banker's net win so far, after the levy. Negative for a loss."""
        return self.won - self.paid - self.levy

    def takes(self, event: RecordedEvent[ev.BetTaken], amount: int) -> None:
        """Add the stake of a lost bet to the bank."""
        self.won += amount
        self._move(event, amount)

    def pays(self, event: RecordedEvent[ev.BetPaid], amount: int) -> None:
        """Pay a winning bet from the bank."""
        self.paid += amount
        self._move(event, -amount)

    def levied(self, event: RecordedEvent[bank_ev.LevyTaken], amount: int) -> None:
        """Pay the house its levy from the bank."""
        self.levy += amount
        self._move(event, -amount)

    def raised(self, event: RecordedEvent[bank_ev.BankRaised], amount: int) -> None:
        """Add chips from the banker."""
        self.put_in += amount
        self._move(event, amount)

    def withdrawn(self, event: RecordedEvent[bank_ev.BankWithdrawn], amount: int) -> None:
        """Pay out a withdrawal by the banker. Record any surplus over the balance."""
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
