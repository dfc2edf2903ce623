"""How bets are settled at every table, once what is due to each is known."""

from collections.abc import Sequence
from typing import Final

from domain import facts as f
from domain.coup import Bet, Coup
from domain.prompt import Prompt
from domain.result import result_of
from domain.seating import nearest_first
from domain.settlement import Due, cashier_for
from domain.shoe import Shoe

_ORDER: Final = {"take": 0, "push": 1, "pay": 2}


def losers_first(due: Sequence[tuple[Bet, Due]]) -> list[tuple[Bet, Due]]:
    """Return bets in the order of settling: losers, then pushes, then winners.

    Source: losers are taken before winners are paid (arrêté of 2007, field-facts.md A13).
    """
    return sorted(due, key=lambda pair: (_ORDER[pair[1].kind], pair[0].number))


def cards_due(shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
    """Return what the pack's pay lines say of each bet on Player's and Banker's cards."""
    if shoe.pack is None:
        return []
    cashier = cashier_for(shoe.pack_text)
    result = result_of(coup.player, coup.banker)
    standing = [bet for bet in coup.bets.values() if not bet.withdrawn]
    due = [(bet, cashier.due(bet.wager, result, bet.amount)) for bet in standing]
    return nearest_first(shoe, losers_first([(bet, what) for bet, what in due if what is not None]))


def card_due(shoe: Shoe, coup: Coup, bet: Bet, stake: int) -> Due | None:
    """Return what the pack's pay lines say of a stake on Player's and Banker's cards."""
    if shoe.pack is None:
        return None
    result = result_of(coup.player, coup.banker)
    return cashier_for(shoe.pack_text).due(bet.wager, result, stake)


def two_each(coup: Coup) -> bool:
    """Tell whether Player and Banker have two cards each."""
    return len(coup.player) > 1 and len(coup.banker) > 1


def as_far_as_it_goes(dues: Sequence[tuple[Bet, Due]], money: int | None) -> list[tuple[Bet, Due]]:
    """Cut what is paid to what a bank has; the order is that of settling.

    ``money`` is what it has before the first of them, None where it has no limit.
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


def due_move(shoe: Shoe, coup: Coup, bet: Bet, due: Due) -> f.ShoeFact | None:
    """Return the next fact that settles a bet, or None where it is settled."""
    if not bet.settled:
        if due.kind == "push":
            return f.BetPushed(coup.number, bet.number)
        if due.kind == "take":
            return f.BetTaken(coup.number, bet.number, due.taken)
        return f.BetPaid(coup.number, bet.number, due.paid)
    if not due.commission or bet.commission or bet.after_commission or shoe.pack is None:
        return None
    if shoe.pack.commission.due == "marked":
        return f.CommissionMarked(coup.number, bet.number, due.commission)
    return f.CommissionCollected(bet.patron, due.commission, coup.number, bet.number)


def settle_bets(shoe: Shoe, coup: Coup, due: Sequence[tuple[Bet, Due]]) -> Prompt | None:
    """Say which bet is settled next; None where every bet that stands is."""
    for bet, what in due:
        fact = due_move(shoe, coup, bet, what)
        if fact is not None:
            return Prompt("settle", f"{bet.patron}, {bet.wager}: {what.line}", fact)
    for bet in coup.bets.values():
        if not bet.settled and not bet.withdrawn:
            return Prompt("settle", f"{bet.patron}'s bet on {bet.wager} is settled by no pay line")
    return None


def close_coup(coup: Coup) -> Prompt:
    """Say that the coup is closed next."""
    return Prompt("close", f"close coup {coup.number}", f.CoupClosed(coup.number))
