"""Transfers of chips between purses: all gains and losses add up to zero.

A table has three kinds of purse: each patron's, the bank that a patron posted, and the house's.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
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
"""How each kind of event moves chips."""


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
