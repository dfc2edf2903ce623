"""Two slips of one payment that cancel: gross and commission are both wrong, the net is right.

What was due, and what is owed to the house, is then wrong on record, though no chip is lacking.
Who pays what is won less its commission, and says nothing of commission, has made no slip; nor
has who gives back, behind it, what he kept too much.
"""

from domain.audit.rule import CoupView
from domain.coup import Bet
from domain.event import Event
from domain.facts import BetPaid, BetTaken, CommissionCollected, CommissionMarked
from domain.settlement import Due


def cancels(view: CoupView, bet: Bet, due: Due) -> bool:
    """Tell whether a bet has its net by a wrong payment and a wrong commission."""
    if not bet.commission or bet.after_commission or bet.net != due.net:
        return False
    return bet.paid - bet.taken != due.paid - due.taken and not _put_right(view, bet)


def _put_right(view: CoupView, bet: Bet) -> bool:
    """Tell whether chips moved once more behind the commission, or perhaps did."""
    moves = [event for event in bet.moves if isinstance(event.fact, BetPaid | BetTaken)]
    if len(moves) < 2:  # noqa: PLR2004 - a payment, and what puts it right
        return False
    if view.shoe.order is not None:
        return True
    charged = max((event.version for event in _charges(view, bet)), default=0)
    return moves[-1].version > charged


def _charges(view: CoupView, bet: Bet) -> list[Event]:
    return [
        event
        for event in view.coup.events
        if isinstance(event.fact, CommissionCollected | CommissionMarked)
        and event.fact.bet == bet.number
    ]
