"""Bets that were withdrawn or lowered to nothing before the settlement, and are settled anyway."""

from collections.abc import Iterator

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import NextAction, next_action
from sabot.domain.simulation.dealer import answer
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Bet
from tests.faults.any_bank import unjudged
from tests.faults.fault import Acts, Events, FaultKind

_HELD = ("R401", "P201", "P202", "P203")
"""A held bet is judged as if it lay there: its settlement may be right by chance."""
_NO_GROUND = ("R401", "K517")
"""A patron's bank may have had nothing left to pay a bet that was not there."""


def _settled(
    move: type["ev.BetPaid | ev.BetTaken"], *, lowered: bool = False, carried: bool | None = None
) -> Acts:
    """Have a bet withdrawn before no more bets, and its stake paid or taken before the close.

    ``carried`` is None for a bet that was placed in the coup. Otherwise a tie left the bet on the
    table, and it says whether the rule pack lets the patron withdraw it.
    """

    def acts(table: SimulatedTable, due: NextAction) -> Events | None:
        if not isinstance(due.payload, ev.NoMoreBets):
            return None
        if carried is not None and carried is not table.pack.tie.withdrawable:
            return None
        bet = _one_of_several(table, carried=carried is not None)
        return None if bet is None else _dealt(table, bet, move, lowered=lowered)

    return acts


def _one_of_several(table: SimulatedTable, *, carried: bool) -> Bet | None:
    """Return a carried or placed bet if the coup has at least one other bet."""
    coup = table.shoe.current
    if coup is None or (coup.banked is not None and unjudged(coup)):
        return None
    if any(isinstance(event.payload, bank_ev.ExcessReturned) for event in coup.events):
        return None
    lying = [bet for bet in coup.bets.values() if not bet.withdrawn]
    those = [bet for bet in lying if bet.carried is carried]
    # whoever came first plays by rote, and takes up no bet unasked
    chosen = those[:1] if carried else those[-1:]
    return chosen[0] if chosen and len(lying) > 1 else None


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
    FaultKind(
        name="carried-bet-withdrawn-and-paid",
        family="integrity",
        what="a bet that a tie left is withdrawn as it may be, and paid all the same",
        codes=_NO_GROUND,
        acts=_settled(ev.BetPaid, carried=True),
        games=("punto-banco",),
    ),
    FaultKind(
        name="carried-bet-lowered-and-taken",
        family="integrity",
        what="a bet that a tie left is lowered to nothing as it may be, and taken all the same",
        codes=_NO_GROUND,
        acts=_settled(ev.BetTaken, lowered=True, carried=True),
        games=("punto-banco",),
    ),
    FaultKind(
        name="held-bet-withdrawn-and-paid",
        family="procedure",
        what="a bet that a tie holds on the layout is withdrawn, and paid whatever the result",
        codes=("B213", *_HELD),
        acts=_settled(ev.BetPaid, carried=False),
        games=("punto-banco", "chemin-de-fer"),
    ),
    FaultKind(
        name="held-bet-lowered-and-taken",
        family="procedure",
        what="a bet that a tie holds is lowered to nothing, and taken whatever the result",
        codes=("B213", *_HELD),
        acts=_settled(ev.BetTaken, lowered=True, carried=False),
        games=("punto-banco", "chemin-de-fer"),
    ),
    FaultKind(
        name="held-stake-withdrawn-and-paid",
        family="procedure",
        what="a stake that a tie holds at two tableaux is withdrawn, and paid all the same",
        codes=("W510", *_HELD),
        acts=_settled(ev.BetPaid, carried=False),
        games=("baccarat-banque",),
    ),
    FaultKind(
        name="held-stake-lowered-and-taken",
        family="procedure",
        what="a stake that a tie holds at two tableaux is lowered to nothing, and taken",
        codes=("W510", *_HELD),
        acts=_settled(ev.BetTaken, lowered=True, carried=False),
        games=("baccarat-banque",),
    ),
)
