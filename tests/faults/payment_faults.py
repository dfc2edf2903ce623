"""Bets that are settled in another way than the pack requires."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction, due_bets
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Bet
from tests.faults.fault import Events, FaultKind

_WINNERS = ("P201",)
_LOSERS = ("P202",)
_OUT_OF_TURN = "E206"
_TOO_EARLY = "E205"
_PUSHES = ("P203",)
_COMMISSION = ("P204",)


def _bet(table: SimulatedTable, number: int) -> Bet:
    coup = table.shoe.current
    assert coup is not None
    return coup.bets[number]


def _overpaid(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (
        (replace(payload, amount=2 * payload.amount),) if isinstance(payload, ev.BetPaid) else None
    )


def _underpaid(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (
        (replace(payload, amount=payload.amount // 2),) if isinstance(payload, ev.BetPaid) else None
    )


def _winner_taken(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetPaid):
        return None
    return (ev.BetTaken(payload.coup, payload.bet, _bet(table, payload.bet).amount),)


def _loser_left(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (ev.BetPushed(payload.coup, payload.bet),) if isinstance(payload, ev.BetTaken) else None


def _loser_paid(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetTaken):
        return None
    return (ev.BetPaid(payload.coup, payload.bet, payload.amount),)


def _push_taken(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetPushed):
        return None
    return (ev.BetTaken(payload.coup, payload.bet, _bet(table, payload.bet).amount),)


def _push_paid(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetPushed):
        return None
    return (ev.BetPaid(payload.coup, payload.bet, _bet(table, payload.bet).amount),)


def _commission_halved(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if isinstance(payload, ev.CommissionMarked):
        return (replace(payload, amount=payload.amount // 2),)
    if isinstance(payload, ev.CommissionCollected) and payload.bet is not None:
        return (replace(payload, amount=payload.amount // 2),)
    return None


def _commission_forgotten(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if due.expects != "settle" or coup is None:
        return None
    owing = [bet for bet, what in due_bets(table.shoe, coup) if what.commission]
    return _settled_but(table, owing[0], commission_alone=True) if owing else None


def _never_settled(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if due.expects != "settle" or coup is None:
        return None
    left = next(bet for bet in coup.bets.values() if not bet.withdrawn)
    return _settled_but(table, left, commission_alone=False)


def _settled_but(table: SimulatedTable, bet: Bet, *, commission_alone: bool) -> Events:
    """Settle every bet and close the coup, but omit one bet or its commission."""
    assert table.shoe.current is not None
    number = table.shoe.current.number
    for payload in table.settlement():
        commission = isinstance(payload, (ev.CommissionMarked, ev.CommissionCollected))
        forgotten = getattr(payload, "bet", None) == bet.number
        if not forgotten or (commission_alone and not commission):
            yield payload
    yield ev.CoupClosed(number)


def _left_owing(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Marked commission is not collected when the shoe ends or the patron leaves."""
    return () if isinstance(payload, ev.CommissionCollected) and payload.bet is None else None


def _voided_after_paying(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if due.expects != "close" or coup is None or not any(bet.net for bet in coup.bets.values()):
        return None
    return (
        ev.IrregularityNoted("wrong-call", "void", coup.number, table.floor),
        ev.CoupVoided(coup.number, "called wrong", table.floor),
    )


KINDS = (
    FaultKind(
        name="winner-overpaid",
        family="payout",
        what="a winning bet is paid twice what is due",
        codes=_WINNERS,
        alters=_overpaid,
    ),
    FaultKind(
        name="winner-underpaid",
        family="payout",
        what="a winning bet is paid half of what is due",
        codes=_WINNERS,
        alters=_underpaid,
    ),
    FaultKind(
        name="winner-taken",
        family="payout",
        what="a winning bet is taken",
        codes=(*_WINNERS, _TOO_EARLY),
        alters=_winner_taken,
    ),
    FaultKind(
        name="loser-left",
        family="payout",
        what="a losing bet is left on the felt",
        codes=_LOSERS,
        alters=_loser_left,
    ),
    FaultKind(
        name="loser-paid",
        family="payout",
        what="a losing bet is paid",
        codes=(*_LOSERS, _TOO_EARLY, _OUT_OF_TURN),
        alters=_loser_paid,
    ),
    FaultKind(
        name="push-taken",
        family="payout",
        what="a bet that the result pushes is taken",
        codes=(*_PUSHES, _TOO_EARLY),
        alters=_push_taken,
    ),
    FaultKind(
        name="push-paid",
        family="payout",
        what="a bet that the result pushes is paid",
        codes=(*_PUSHES, _TOO_EARLY),
        alters=_push_paid,
    ),
    FaultKind(
        name="commission-halved",
        family="payout",
        what="half the commission is charged",
        codes=_COMMISSION,
        alters=_commission_halved,
    ),
    FaultKind(
        name="commission-forgotten",
        family="payout",
        what="no commission is charged on a winning bet that owes it",
        codes=_COMMISSION,
        acts=_commission_forgotten,
    ),
    FaultKind(
        name="bet-never-settled",
        family="payout",
        what="the coup is closed with a bet still on the felt",
        codes=("E201",),
        acts=_never_settled,
    ),
    FaultKind(
        name="voided-after-paying",
        family="payout",
        what="a coup is voided, and its bets stay paid and taken",
        codes=("E202",),
        acts=_voided_after_paying,
    ),
    FaultKind(
        name="commission-left-owing",
        family="procedure",
        what="marked commission is never collected",
        codes=("P206",),
        of_coup=False,
        alters=_left_owing,
    ),
)
