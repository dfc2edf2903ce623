"""Bets that are too late, too large, or on something that the table does not offer."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import limit_for
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from tests.faults.fault import Events, FaultKind

_LATE = ("B201",)
_LATE_CHANGE = ("B203",)
_WINNING: dict[ev.Outcome, str] = {"P": "player", "B": "banker", "T": "tie"}


def _bettor(table: SimulatedTable) -> tuple[str, int] | None:
    seats = table.shoe.seats
    return (seats[min(seats)], min(seats)) if seats else None


def _late(table: SimulatedTable, coup: Coup, wager: str) -> Events | None:
    bettor = _bettor(table)
    if bettor is None:
        return None
    number = max(coup.bets, default=0) + 1
    stake = table.limits.minimum
    return (ev.BetPlaced(coup.number, number, bettor[0], wager, stake, bettor[1]),)


def _late_bet(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if due.expects != "card" or coup is None or coup.cards or coup.no_more_bets is None:
        return None
    return _late(table, coup, "banker")


def _past_post(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or not isinstance(due.payload, ev.ResultCalled) or due.payload.outcome is None:
        return None
    return _late(table, coup, _WINNING[due.payload.outcome])


def _capped(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or not isinstance(due.payload, ev.ResultCalled) or due.payload.outcome is None:
        return None
    wager = _WINNING[due.payload.outcome]
    for bet in coup.bets.values():
        if bet.wager == wager and not bet.withdrawn:
            return (ev.BetChanged(coup.number, bet.number, 2 * bet.amount),)
    return None


def _pinched(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if (
        coup is None
        or not isinstance(due.payload, ev.ResultCalled)
        or due.payload.outcome in (None, "T")
    ):
        return None
    lost = "banker" if due.payload.outcome == "P" else "player"
    for bet in coup.bets.values():
        if bet.wager == lost and not bet.withdrawn:
            return (ev.BetWithdrawn(coup.number, bet.number),)
    return None


def _strange_wager(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (replace(payload, wager="royal-nine"),) if isinstance(payload, ev.BetPlaced) else None


def _over_the_limit(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetPlaced):
        return None
    limit = limit_for(table.shoe, payload.wager)
    return (replace(payload, amount=limit.maximum + 1000),) if limit is not None else None


def _no_such_seat(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeLoaded) or not payload.seats:
        return None
    first, *others = payload.seats
    return (replace(payload, seats=(*others, replace(first, seat=table.pack.table.seats + 1))),)


KINDS = (
    FaultKind(
        name="seat-too-many",
        family="procedure",
        what="somebody sits where the table has no seat",
        codes=("B205",),
        alters=_no_such_seat,
    ),
    FaultKind(
        name="over-the-limit",
        family="procedure",
        what="a bet above the table's maximum is taken in",
        codes=("L201", "L207"),
        alters=_over_the_limit,
    ),
    FaultKind(
        name="late-bet",
        family="procedure",
        what="a bet is placed after no more bets",
        codes=_LATE,
        acts=_late_bet,
    ),
    FaultKind(
        name="past-post",
        family="procedure",
        what="a bet on the winning side is placed when the cards lie there",
        codes=_LATE,
        acts=_past_post,
    ),
    FaultKind(
        name="bet-capped",
        family="procedure",
        what="a winning bet is doubled when the cards lie there",
        codes=_LATE_CHANGE,
        acts=_capped,
    ),
    FaultKind(
        name="bet-pinched",
        family="procedure",
        what="a losing bet is taken back when the cards lie there",
        codes=_LATE_CHANGE,
        acts=_pinched,
    ),
    FaultKind(
        name="strange-wager",
        family="procedure",
        what="a bet lies on a wager that the table does not offer",
        codes=("B204",),
        alters=_strange_wager,
    ),
)
