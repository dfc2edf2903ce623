"""More wrong settlements: of another stake, of another pay line, at another time."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import due_bets
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Bet
from tests.faults.fault import Alters, Events, FaultKind

_WINNERS = ("P201",)
_LOSERS = ("P202",)
_COMMISSION = ("P204",)


def _bet(table: SimulatedTable, number: int) -> Bet:
    assert table.shoe.current is not None
    return table.shoe.current.bets[number]


def _paid(otherwise: "int | str") -> Alters:
    """Pay a winner an amount more or less than due, or the stake as well."""

    def alters(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
        if not isinstance(payload, ev.BetPaid):
            return None
        more = otherwise if isinstance(otherwise, int) else _bet(table, payload.bet).amount
        return (replace(payload, amount=payload.amount + more),)

    return alters


def _paid_twice(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (payload, payload) if isinstance(payload, ev.BetPaid) else None


def _winner_pushed(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (ev.BetPushed(payload.coup, payload.bet),) if isinstance(payload, ev.BetPaid) else None


def _neighbours(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A winner is paid the amount that is due to another winner of the coup."""
    coup = table.shoe.current
    if not isinstance(payload, ev.BetPaid) or coup is None:
        return None
    others = {due.paid for _, due in due_bets(table.shoe, coup) if due.kind == "pay"}
    wrong = sorted(others - {payload.amount})
    return (replace(payload, amount=wrong[0]),) if wrong else None


def _another_line(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The tie is paid 9 for 1 where the pack pays 8, or 8 for 1 where it pays 9."""
    if not isinstance(payload, ev.BetPaid):
        return None
    bet = _bet(table, payload.bet)
    if bet.wager != "tie":
        return None
    odds = 8 if payload.amount == 9 * bet.amount else 9
    return (replace(payload, amount=odds * bet.amount),)


def _taken_short(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (
        (replace(payload, amount=payload.amount // 2),)
        if isinstance(payload, ev.BetTaken)
        else None
    )


def _taken_twice(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (payload, payload) if isinstance(payload, ev.BetTaken) else None


def _commission_doubled(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if isinstance(payload, ev.CommissionMarked):
        return (replace(payload, amount=2 * payload.amount),)
    if isinstance(payload, ev.CommissionCollected) and payload.bet is not None:
        return (replace(payload, amount=2 * payload.amount),)
    return None


def _commission_on_nothing(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Commission is kept from a winner who owes none."""
    kept = _unowed(table, payload)
    return (payload, kept) if kept is not None else None


def _commission_for_the_coup(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Commission is kept from a winner who owes none, without the number of the bet."""
    kept = _unowed(table, payload)
    return (payload, replace(kept, bet=None)) if kept is not None else None


def _unowed(table: SimulatedTable, payload: ev.ShoeEvent) -> ev.CommissionCollected | None:
    """Return commission on a payment that owes none. Return None for any other event."""
    if not isinstance(payload, ev.BetPaid) or payload.amount < 20:
        return None
    bet = _bet(table, payload.bet)
    wager = table.pack.wager(bet.wager)
    if wager is None or wager.commission:
        return None
    kept = payload.amount // 20
    return ev.CommissionCollected(bet.patron, kept, payload.coup, payload.bet)


def _collected_over(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CommissionCollected) or payload.bet is not None:
        return None
    return (replace(payload, amount=payload.amount + 100),)


def _left_in_debt(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A patron leaves before the marked commission is collected."""
    if not isinstance(payload, ev.CoupOpened):
        return None
    owing = [name for name, owed in sorted(table.shoe.owed_commission.items()) if owed > 0]
    return (ev.PatronLeft(owing[0]), payload) if owing else None


KINDS = (
    FaultKind(
        name="winner-short-of-a-unit",
        family="payout",
        what="a winning bet is paid one minor unit too little",
        codes=_WINNERS,
        alters=_paid(-1),
    ),
    FaultKind(
        name="winner-over-by-a-unit",
        family="payout",
        what="a winning bet is paid one minor unit too much",
        codes=_WINNERS,
        alters=_paid(1),
    ),
    FaultKind(
        name="winner-paid-with-stake",
        family="payout",
        what="a winning bet is paid its stake beside its winnings",
        codes=_WINNERS,
        alters=_paid("stake"),
    ),
    FaultKind(
        name="winner-paid-twice",
        family="payout",
        what="a winning bet is paid twice over, by two payments",
        codes=_WINNERS,
        alters=_paid_twice,
    ),
    FaultKind(
        name="winner-pushed",
        family="payout",
        what="a winning bet is neither paid nor taken",
        codes=_WINNERS,
        alters=_winner_pushed,
    ),
    FaultKind(
        name="neighbours-payment",
        family="payout",
        what="a winning bet is paid what is due to another",
        codes=_WINNERS,
        alters=_neighbours,
    ),
    FaultKind(
        name="tie-by-another-line",
        family="payout",
        what="a tie is paid 9 for 1 where the pack says 8, or 8 where it says 9",
        codes=_WINNERS,
        alters=_another_line,
    ),
    FaultKind(
        name="loser-taken-short",
        family="payout",
        what="half of a losing bet is taken",
        codes=_LOSERS,
        alters=_taken_short,
    ),
    FaultKind(
        name="loser-taken-twice",
        family="payout",
        what="a losing bet is taken twice",
        codes=_LOSERS,
        alters=_taken_twice,
    ),
    FaultKind(
        name="commission-doubled",
        family="payout",
        what="twice the commission is charged",
        codes=_COMMISSION,
        alters=_commission_doubled,
    ),
    FaultKind(
        name="commission-on-nothing",
        family="payout",
        what="commission is kept from a winner that owes none",
        codes=_COMMISSION,
        alters=_commission_on_nothing,
    ),
    FaultKind(
        name="commission-for-the-coup",
        family="payout",
        what="commission is kept for the coup from a winner that owes none",
        codes=("P205",),
        alters=_commission_for_the_coup,
    ),
    FaultKind(
        name="commission-collected-over",
        family="procedure",
        what="more marked commission is collected than was marked",
        codes=("P206",),
        of_coup=False,
        alters=_collected_over,
    ),
    FaultKind(
        name="left-in-debt",
        family="procedure",
        what="a patron leaves, and nobody collects the commission that was marked for him",
        codes=("P207", "B215"),
        of_coup=False,
        alters=_left_in_debt,
    ),
)
