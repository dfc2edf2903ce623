"""More bets that are not allowed: too late, too small, too large, too different."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import limit_for
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind

_LATE = ("B201",)
_LATE_CHANGE = ("B203",)
_LIMITS = ("L201",)
_CAPPED = "L207"


def _between_call_and_card(table: SimulatedTable, due: NextAction) -> bool:
    coup = table.shoe.current
    called = coup is not None and coup.no_more_bets is not None and not coup.cards
    return called and due.expects == "card"


def _raised(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or not _between_call_and_card(table, due):
        return None
    for bet in coup.bets.values():
        limit = limit_for(table.shoe, bet.wager)
        if not bet.withdrawn and (limit is None or bet.amount < limit.maximum):
            return (ev.BetChanged(coup.number, bet.number, bet.amount + 1),)
    return None


def _withdrawn(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or not _between_call_and_card(table, due):
        return None
    standing = [bet for bet in coup.bets.values() if not bet.withdrawn]
    return (ev.BetWithdrawn(coup.number, standing[0].number),) if standing else None


def _after_four_cards(table: SimulatedTable, due: NextAction) -> Events | None:
    """A tie bet is placed after the first four cards."""
    coup = table.shoe.current
    if coup is None or not isinstance(due.payload, ev.TotalsCalled) or not table.shoe.seats:
        return None
    seats, number = table.shoe.seats, max(coup.bets, default=0) + 1
    seat = min(seats)
    stake = table.limits.minimum
    return (ev.BetPlaced(coup.number, number, seats[seat], "tie", stake, seat),)


def _after_the_close(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = table.shoe.current
    if not isinstance(payload, ev.CoupClosed) or coup is None or not table.shoe.seats:
        return None
    seats, number = table.shoe.seats, max(coup.bets, default=0) + 1
    seat = min(seats)
    late = ev.BetPlaced(payload.coup, number, seats[seat], "player", table.limits.minimum, seat)
    return (payload, late)


def _under_the_limit(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetPlaced):
        return None
    limit = limit_for(table.shoe, payload.wager)
    return (replace(payload, amount=limit.minimum - 1),) if limit and limit.minimum > 1 else None


def _raised_over_the_limit(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A bet is raised above the maximum before the call."""
    if not isinstance(payload, ev.BetPlaced):
        return None
    limit = limit_for(table.shoe, payload.wager)
    return (payload, ev.BetChanged(payload.coup, payload.bet, limit.maximum + 1)) if limit else None


def _apart(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The bets on Player and on Banker differ too much at the call of no more bets."""
    most, coup = table.pack.limits.differential, table.shoe.current
    if not isinstance(payload, ev.NoMoreBets) or most is None or coup is None or coup.free:
        return None
    if not table.shoe.seats:
        return None
    tilt = {"player": 1, "banker": -1}
    apart = sum(
        tilt.get(bet.wager, 0) * bet.amount for bet in coup.bets.values() if not bet.withdrawn
    )
    number = max(coup.bets, default=0) + 1
    return (*_staked(table, coup.number, number, most - apart + 1), payload)


def _staked(table: SimulatedTable, coup: int, number: int, amount: int) -> Events:
    """Bet an amount on Player, split into several bets if the table's maximum requires it."""
    seats, limit = table.shoe.seats, limit_for(table.shoe, "player")
    seat = min(seats)
    most = limit.maximum if limit is not None else amount
    bets = -(-amount // most)
    for bet in range(bets):
        stake = amount // bets + (bet < amount % bets)
        yield ev.BetPlaced(coup, number + bet, seats[seat], "player", stake, seat)


KINDS = (
    FaultKind(
        name="raised-after-call",
        family="procedure",
        what="a bet is raised by one unit between the call and the first card",
        codes=_LATE_CHANGE,
        acts=_raised,
    ),
    FaultKind(
        name="withdrawn-after-call",
        family="procedure",
        what="a bet is withdrawn between the call and the first card",
        codes=_LATE_CHANGE,
        acts=_withdrawn,
    ),
    FaultKind(
        name="bet-after-four-cards",
        family="procedure",
        what="a bet on the tie is placed once the first four cards lie there",
        codes=_LATE,
        acts=_after_four_cards,
    ),
    FaultKind(
        name="bet-after-close",
        family="procedure",
        what="a bet is placed on a coup that is over",
        codes=(*_LATE, "E201"),
        alters=_after_the_close,
    ),
    FaultKind(
        name="under-the-limit",
        family="procedure",
        what="a bet below the table's minimum is taken in",
        codes=_LIMITS,
        alters=_under_the_limit,
    ),
    FaultKind(
        name="raised-over-the-limit",
        family="procedure",
        what="a bet is raised above the table's maximum",
        codes=(*_LIMITS, _CAPPED),
        alters=_raised_over_the_limit,
    ),
    FaultKind(
        name="sides-too-far-apart",
        family="procedure",
        what="Player and Banker bets differ by one unit more than the table takes",
        codes=(
            "L202",
            "L205",
        ),
        alters=_apart,
    ),
)
