"""Compute the money that moved because a patron took up a stake that had to stay.

Some tables hold a bet after a tie, and a stake à cheval after a split of the tableaux. Such a stake
is due what it would have won or lost in the coup for which it was held.
"""

from msgspec.structs import replace

from sabot.domain.audit.checks.payments import why_payments_unjudged
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import MoneyEffect
from sabot.domain.state.coup_state import Bet


def gains_by_taking_up(view: CoupView, bet: Bet, held: int, lay: int) -> MoneyEffect | None:
    """Return what a patron gained because less than the held stake was on the layout.

    Args:
        view: the coup for which the stake was held.
        bet: the bet, with the number that it has or would have had in the coup.
        held: the stake that was held, in minor units.
        lay: the stake that was on the layout instead.

    Returns:
        The patron with the amount, or the reason why it is unknown. None if chips moved though
            nothing of the bet was left: the finding about those chips has the amount.
    """
    coup = view.coup
    if bet.moves and not lay:
        return None
    unknown = why_payments_unjudged(view)
    if coup.voided is not None:
        unknown = "the coup was voided"
    elif coup.result_called is None or not view.dealt:
        unknown = "the coup was not played out"
    if unknown is not None:
        return unknown
    standing = replace(bet, withdrawn=False)
    due = view.due(standing, held)
    less = view.due(standing, lay) if lay else None
    if due is None or (lay and less is None):
        return f"the recorded cards or the rule pack do not determine the result of {bet.wager}"
    gain = (less.net if less is not None else 0) - due.net
    return ((bet.patron, gain),) if gain else ()


def as_if_carried(view: CoupView, bet: Bet, wager: str) -> Bet:
    """Return a bet of an earlier coup as it would have been carried into a later one."""
    number = max(view.coup.bets, default=0) + 1
    return replace(bet, number=number, wager=wager, carried=True, moves=[], paid=0, taken=0)
