"""The state of a shoe: everything its events say, folded one by one.

`evolve` never refuses: a bet on a coup that was never opened, a payment of a bet that nobody
placed, a fifth card, a second burn are kept as they came, for the auditor to read.
"""

from typing import Final

from sabot.domain import events as f
from sabot.domain.events import bank as k
from sabot.domain.state import shoe_banks, shoe_bets, shoe_cards, shoe_coups, shoe_people
from sabot.domain.state.projection import Handler, Projection, append_to
from sabot.domain.state.shoe_state import (
    CutCard,
    Shoe,
    asked_now,
    banked_of,
    middle_of,
    order_of_play,
    wings_of,
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
    "wings_of",
]

_HANDLERS: Final[dict[type, Handler[Shoe]]] = {
    **shoe_people.HANDLERS,
    **shoe_bets.HANDLERS,
    **shoe_coups.HANDLERS,
    **shoe_banks.HANDLERS,
    **shoe_cards.HANDLERS,
    f.CardsInspected: append_to("inspected"),
    f.ShoeShuffled: append_to("shuffles"),
    f.OrderCommitted: append_to("committed"),
    f.CutterNamed: append_to("cutters"),
    f.ShoeCut: append_to("cuts"),
    f.StopCardPlaced: append_to("stop_cards"),
    f.LastCoupCalled: append_to("last_coup_called"),
    f.OrderOpened: append_to("order_opened"),
    k.BankBid: append_to("bids"),
    k.BankListed: append_to("listed"),
    k.FundsProven: append_to("funds"),
    k.SessionCalled: append_to("sessions"),
    f.EventCorrected: append_to("corrections"),
}

_FOLDER: Final[Projection[Shoe]] = Projection(Shoe, _HANDLERS)
fold, evolve, apply = _FOLDER.fold, _FOLDER.evolve, _FOLDER.apply
