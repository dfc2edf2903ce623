"""Payments against a bank of two wings that was called wrong: who pays by the call has one slip.

A limited bank pays as far as it reaches, and how far that is the croupier has called. Where bets
were settled exactly as if there lay what he called, the call is the one finding, and bears what
was moved by it.
"""

from domain.audit.as_called import by_its_call
from domain.audit.costing import too_much
from domain.audit.rule import CoupView, Gains, is_as_due
from domain.audit.wings import is_banque
from domain.coup import Bet
from domain.games import game_of


def settled_by_its_call(view: CoupView, bet: Bet) -> bool:
    """Tell whether a bet was settled as is due where the bank holds what was called wrong."""
    called = by_its_call(view.coup) if is_banque(view) else view.coup
    if called is view.coup:
        return False
    owed = game_of(view.shoe.pack).due_bets(view.shoe, called)
    return any(each.number == bet.number and is_as_due(bet, due) for each, due in owed)


def moved_by_its_call(view: CoupView) -> Gains | None:
    """Return what each patron has too much by a wrong call of the bank; None: nobody has."""
    return (
        tuple(
            (bet.patron, too_much(bet, due))
            for bet, due in view.dues
            if due is not None and not is_as_due(bet, due) and settled_by_its_call(view, bet)
        )
        or None
    )
