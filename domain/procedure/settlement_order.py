"""The order of settlement in every game, once the amount due to each bet is known."""

from collections.abc import Sequence

from sabot.domain import events as ev
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe


def as_far_as_it_goes(dues: Sequence[tuple[Bet, Due]], money: int | None) -> list[tuple[Bet, Due]]:
    """Reduce payments to what a bank can pay, in order of settlement.

    ``money`` is the bank's balance before the first bet, in minor units; None means no limit.
    """
    if money is None:
        return list(dues)
    paid = []
    for bet, due in dues:
        money += due.taken
        given = min(due.paid, max(0, money))
        money -= given
        paid.append((bet, due if given == due.paid else _short(due, given)))
    return paid


def _short(due: Due, given: int) -> Due:
    line = f"{due.line}; the bank reaches no further"
    return Due("pay", given, line=line) if given else Due("push", line=line)


def due_move(shoe: Shoe, coup: Coup, bet: Bet, due: Due) -> ev.ShoeEvent | None:
    """Return the next event that settles a bet. None if it is settled."""
    if not bet.settled:
        if due.kind == "push":
            return ev.BetPushed(coup.number, bet.number)
        if due.kind == "take":
            return ev.BetTaken(coup.number, bet.number, due.taken)
        return ev.BetPaid(coup.number, bet.number, due.paid)
    if not due.commission or bet.commission or bet.after_commission or shoe.pack is None:
        return None
    if shoe.pack.commission.due == "marked":
        return ev.CommissionMarked(coup.number, bet.number, due.commission)
    return ev.CommissionCollected(bet.patron, due.commission, coup.number, bet.number)


def settle_bets(shoe: Shoe, coup: Coup, due: Sequence[tuple[Bet, Due]]) -> NextAction | None:
    """Return the next settlement of an open bet. None if all are settled."""
    for bet, what in due:
        payload = due_move(shoe, coup, bet, what)
        if payload is not None:
            return NextAction(
                "settle", f"{bet.patron}'s bet on {wager_label(bet.wager)}: {what.line}", payload
            )
    for bet in coup.bets.values():
        if not bet.settled and not bet.withdrawn:
            return NextAction(
                "settle",
                f"{bet.patron}'s bet on {wager_label(bet.wager)} is settled by no pay line",
            )
    return None


def close_coup(coup: Coup) -> NextAction:
    """Return the close of the coup as the next action."""
    return NextAction("close", f"close coup {coup.number}", ev.CoupClosed(coup.number))
