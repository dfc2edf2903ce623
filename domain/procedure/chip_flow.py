"""Conservation of money where patrons bank.

A bank pays no more than it holds, no stake loses more than itself, and a bank that is given up
leaves nothing on the table.
"""

from collections.abc import Iterator

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.bank import BankWithdrawn
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.rules.labels import wager_label
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe


class Imbalance(Struct, frozen=True):
    """Chips paid from an empty bank, lost beyond a stake, or left unclaimed.

    It has the texts of a finding. ``bank`` is the number of the bank in the shoe, from 1; None if
    no bank is concerned.
    """

    message: str
    expected: str
    observed: str
    event: RecordedEvent
    coup: int | None = None
    patron: str | None = None
    bank: int | None = None


def imbalances(shoe: Shoe) -> tuple[Imbalance, ...]:
    """Return the errors in the conservation of money, each with the texts of a finding."""
    return (*_banks(shoe), *_risks(shoe))


def _banks(shoe: Shoe) -> Iterator[Imbalance]:
    """Yield payments beyond a limited bank, withdrawals beyond it, and unclaimed balances."""

    def money(amount: int) -> str:
        return format_money(shoe, amount)

    for nth, bank in enumerate(shoe.banks):
        beyond = _taken_beyond(shoe, bank)
        for below in [] if beyond or _is_open(shoe) else bank.below[:1]:
            yield Imbalance(
                f"{bank.holder}'s bank paid more than it held",
                "a limited bank pays no more than it holds",
                "its amount fell below zero",
                below,
                getattr(below.payload, "coup", None),
                bank.holder,
                nth + 1,
            )
        for event, more in beyond:
            yield Imbalance(
                f"{money(more)} more was taken out of {bank.holder}'s bank than it held",
                "a banker takes out no more than the bank holds",
                f"{money(event.payload.amount)} taken out",
                event,
                None,
                bank.holder,
                nth + 1,
            )
        over = nth + 1 < len(shoe.banks) or shoe.ended is not None or shoe.bank is not bank
        if over and bank.amount > 0:
            last: RecordedEvent = bank.moves[-1] if bank.moves else bank.posted
            yield Imbalance(
                f"{money(bank.amount)} of {bank.holder}'s bank was left unclaimed",
                "a banker who gives the bank up takes out what lies in it",
                f"{money(bank.amount)} lay in it still",
                last,
                None,
                bank.holder,
                nth + 1,
            )


def _taken_beyond(shoe: Shoe, bank: Bank) -> list[tuple[RecordedEvent[BankWithdrawn], int]]:
    """Return the first withdrawal of more than the balance, as a list.

    The list is empty if there is none, or if the bank had already paid more than its balance.
    """
    first = bank.beyond[:1]
    paid = not _is_open(shoe) and bank.below[:1] and first and bank.below[0] is not first[0][0]
    return [] if paid else first


def _is_open(shoe: Shoe) -> bool:
    """Return whether the rule pack has banks cover all stakes without a declaration."""
    tableaux = shoe.pack.tableaux if shoe.pack is not None else None
    return tableaux is not None and tableaux.bank == "open"


def _risks(shoe: Shoe) -> Iterator[Imbalance]:
    """Yield the bets that lost more than their stake."""
    for coup in shoe.coups.values():
        for bet in coup.bets.values():
            if bet.taken > bet.amount:
                yield Imbalance(
                    f"{bet.patron} lost more on {wager_label(bet.wager)} than was at risk",
                    f"{format_money(shoe, bet.amount)} at most",
                    f"{format_money(shoe, bet.taken)} taken",
                    _last(bet),
                    coup.number,
                    bet.patron,
                )


def _last(bet: Bet) -> RecordedEvent:
    return events_of(ev.BetTaken, bet.moves)[-1]
