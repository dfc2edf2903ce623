"""The state of a shoe: everything its facts say, folded one by one.

`evolve` never refuses: a bet on a coup that was never opened, a payment of a bet that nobody
placed, a fifth card, a second burn are kept as they came, for the auditor to read.
"""

from typing import Final

from sabot.domain import events as f
from sabot.domain.events import bank as k
from sabot.domain.state import shoe_banks, shoe_bets, shoe_cards, shoe_coups, shoe_people
from sabot.domain.state.projection import Folder, Handler, kept_in
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
    f.CardsInspected: kept_in("inspected"),
    f.ShoeShuffled: kept_in("shuffles"),
    f.OrderCommitted: kept_in("committed"),
    f.CutterNamed: kept_in("cutters"),
    f.ShoeCut: kept_in("cuts"),
    f.StopCardPlaced: kept_in("stop_cards"),
    f.LastCoupCalled: kept_in("last_coup_called"),
    f.OrderOpened: kept_in("order_opened"),
    k.BankBid: kept_in("bids"),
    k.BankListed: kept_in("listed"),
    k.FundsProven: kept_in("funds"),
    k.SessionCalled: kept_in("sessions"),
    f.FactCorrected: kept_in("corrections"),
}

_FOLDER: Final[Folder[Shoe]] = Folder(Shoe, _HANDLERS)
fold, evolve, apply = _FOLDER.fold, _FOLDER.evolve, _FOLDER.apply
