"""Compute the state of a shoe from its events.

No event is refused. A bet on an unopened coup, the payment of an unknown bet, a fifth card or a
second burn are kept for the audit.
"""

from typing import Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.state import shoe_banks, shoe_bets, shoe_cards, shoe_coups, shoe_people
from sabot.domain.state.projection import Handlers, Projection
from sabot.domain.state.shoe_state import (
    CutCard,
    Shoe,
    asked_now,
    banked_of,
    middle_of,
    order_of_play,
    tableaux_of,
)

__all__ = [
    "CutCard",
    "Shoe",
    "apply",
    "asked_now",
    "banked_of",
    "evolve",
    "fold",
    "middle_of",
    "order_of_play",
    "tableaux_of",
]

_HANDLERS: Final = Handlers[Shoe](
    shoe_people.HANDLERS,
    shoe_bets.HANDLERS,
    shoe_coups.HANDLERS,
    shoe_banks.HANDLERS,
    shoe_cards.HANDLERS,
)
_HANDLERS.keep(ev.CardsInspected, lambda shoe: shoe.inspected)
_HANDLERS.keep(ev.ShoeShuffled, lambda shoe: shoe.shuffles)
_HANDLERS.keep(ev.OrderCommitted, lambda shoe: shoe.committed)
_HANDLERS.keep(ev.CutterNamed, lambda shoe: shoe.cutters)
_HANDLERS.keep(ev.ShoeCut, lambda shoe: shoe.cuts)
_HANDLERS.keep(ev.StopCardPlaced, lambda shoe: shoe.stop_cards)
_HANDLERS.keep(ev.LastCoupCalled, lambda shoe: shoe.last_coup_called)
_HANDLERS.keep(ev.OrderOpened, lambda shoe: shoe.order_opened)
_HANDLERS.keep(bank_ev.BankBid, lambda shoe: shoe.bids)
_HANDLERS.keep(bank_ev.BankListed, lambda shoe: shoe.listed)
_HANDLERS.keep(bank_ev.FundsProven, lambda shoe: shoe.funds)
_HANDLERS.keep(bank_ev.SessionCalled, lambda shoe: shoe.sessions)
_HANDLERS.keep(ev.EventCorrected, lambda shoe: shoe.corrections)

_FOLDER: Final[Projection[Shoe]] = Projection(Shoe, _HANDLERS)
fold, evolve, apply = _FOLDER.fold, _FOLDER.evolve, _FOLDER.apply
