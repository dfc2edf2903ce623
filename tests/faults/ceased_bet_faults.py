"""Bets that no longer lie on the felt when the coup is settled, and are settled all the same."""

from collections.abc import Iterator

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import NextAction, next_action
from sabot.domain.simulation.dealer import answer
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Bet
from tests.faults.any_bank import unjudged
from tests.faults.fault import Acts, Events, FaultKind

_NO_GROUND = ("unmatched-event", "chip-balance-mismatch")
"""A patron's bank may have had nothing left to pay a bet that was not there."""


def _settled(move: type["ev.BetPaid | ev.BetTaken"], *, lowered: bool = False) -> Acts:
    """Have a bet taken up before no more bets, and its stake paid or taken before the close."""

    def acts(table: SimulatedTable, due: NextAction) -> Events | None:
        if not isinstance(due.payload, ev.NoMoreBets):
            return None
        bet = _one_of_several(table)
        return None if bet is None else _dealt(table, bet, move, lowered=lowered)

    return acts


def _one_of_several(table: SimulatedTable) -> Bet | None:
    """Return a bet that its patron may take up, so that another is left to deal for."""
    coup = table.shoe.current
    if coup is None or (coup.banked is not None and unjudged(coup)):
        return None
    if any(isinstance(event.payload, bank_ev.ExcessReturned) for event in coup.events):
        return None
    lying = [bet for bet in coup.bets.values() if not bet.withdrawn]
    free = [bet for bet in lying if not bet.carried]
    return free[-1] if free and len(lying) > 1 else None


def _dealt(
    table: SimulatedTable, bet: Bet, move: type["ev.BetPaid | ev.BetTaken"], *, lowered: bool
) -> Iterator[ev.ShoeEvent]:
    coup = table.shoe.current
    assert coup is not None
    number, stake = coup.number, bet.amount
    if lowered:
        yield ev.BetChanged(number, bet.number, 0)
    else:
        yield ev.BetWithdrawn(number, bet.number)
    while not isinstance((due := next_action(table.shoe)).payload, ev.CoupClosed):
        yield from answer(table, due)
    yield move(number, bet.number, stake)


KINDS = (
    FaultKind(
        name="withdrawn-bet-paid",
        family="integrity",
        what="a bet is withdrawn in time, and paid all the same",
        codes=_NO_GROUND,
        acts=_settled(ev.BetPaid),
    ),
    FaultKind(
        name="withdrawn-bet-taken",
        family="integrity",
        what="a bet is withdrawn in time, and its stake taken all the same",
        codes=_NO_GROUND,
        acts=_settled(ev.BetTaken),
    ),
    FaultKind(
        name="lowered-bet-paid",
        family="integrity",
        what="a bet is lowered to nothing in time, and paid all the same",
        codes=_NO_GROUND,
        acts=_settled(ev.BetPaid, lowered=True),
    ),
)
