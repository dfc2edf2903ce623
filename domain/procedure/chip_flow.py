"""Conservation of money: every chip moves between two purses, and losses are bounded.

A table has three kinds of purse: each patron's, the bank that a patron posted, and the house's.
Every recorded take, payment, posting, withdrawal, levy or collection is a `Transfer` between two of
them, so all gains and losses add up to zero. `imbalances` reports the errors that remain possible:
payments beyond a bank's balance, and losses beyond a stake.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.bank import BankWithdrawn
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.rules.labels import wager_label
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe

HOUSE: Final = "house"
BANK: Final = "bank"


def purse_of(patron: str) -> str:
    """Return the unique name of a patron's purse."""
    return f"patron {patron}"


class Transfer(Struct, frozen=True):
    """A transfer between two purses, in minor units, with its reason and event."""

    frm: str
    to: str
    amount: int
    why: str
    event: RecordedEvent


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


def transfers(shoe: Shoe) -> Iterator[Transfer]:
    """Yield the transfers between purses in a shoe, in order of events."""
    banker = False
    for event in apply_corrections(shoe.history):
        payload = event.payload
        if isinstance(payload, bank_ev.BankPosted):
            banker = True
        way = _WAYS.get(type(payload))
        if way is None:
            continue
        frm, to, why = way(shoe, payload, BANK if banker else HOUSE)
        yield Transfer(frm, to, getattr(payload, "amount", 0), why, event)


def nets(moved: Iterable[Transfer]) -> dict[str, int]:
    """Return the net gain of each purse. The gains add up to zero."""
    gained: dict[str, int] = {}
    for each in moved:
        gained[each.frm] = gained.get(each.frm, 0) - each.amount
        gained[each.to] = gained.get(each.to, 0) + each.amount
    return gained


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


# -- Which way each event moves money ----------------------------------------------------------

_Way = tuple[str, str, str]


def _staker(shoe: Shoe, payload: "ev.BetTaken | ev.BetPaid") -> str:
    coup = shoe.coups.get(payload.coup)
    bet = coup.bets.get(payload.bet) if coup is not None else None
    return purse_of(bet.patron) if bet is not None else "nobody"


def _taken(shoe: Shoe, payload: ev.BetTaken, against: str) -> _Way:
    return _staker(shoe, payload), against, "a stake lost"


def _paid(shoe: Shoe, payload: ev.BetPaid, against: str) -> _Way:
    return against, _staker(shoe, payload), "a stake won"


_WAYS: Final[dict[type, Callable[[Shoe, Any, str], _Way]]] = {
    ev.BetTaken: _taken,
    ev.BetPaid: _paid,
    ev.CommissionCollected: lambda _s, x, _a: (purse_of(x.patron), HOUSE, "commission"),
    bank_ev.BankPosted: lambda _s, x, _a: (purse_of(x.by), BANK, "a bank put up"),
    bank_ev.BankRaised: lambda _s, x, _a: (purse_of(x.by), BANK, "a bank raised"),
    bank_ev.BankWithdrawn: lambda _s, x, _a: (BANK, purse_of(x.by), "taken out of a bank"),
    bank_ev.LevyTaken: lambda _s, _x, _a: (BANK, HOUSE, "the levy"),
}
