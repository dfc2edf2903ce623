"""What a ruling asks for: that a coup is void, that a card is burned, or that all goes on.

An irregularity is noted with its kind, the ruling, who ruled, and what became of the card. Houses
rule differently on the same one; what a ruling comes to is the same everywhere. ``other`` is a
ruling in words, and may be any of them.
"""

from collections.abc import Mapping
from typing import Final

from sabot.domain.events import Irregularity, IrregularityNoted, Ruling
from sabot.domain.state.coup_state import GIVING_BACK

CARDS_STAY: Final[tuple[Ruling, ...]] = ("play-on", "stand", "no-bet-hand", "card-to-banker")
"""Rulings by which the cards are dealt on as they lie."""

OF_CARDS: Final[tuple[Irregularity, ...]] = (
    "wrong-draw",
    "card-exposed",
    "card-face-up",
    "card-off-the-table",
    "misdeal",
    "too-few-cards",
    "shuffler-fault",
)
"""Irregularities of the cards, and not of bets, payments or calls."""

Rulings = Mapping[Irregularity, tuple[Ruling, ...]]
"""What a pack lets the house rule on each irregularity; of one that it does not name, anything."""


def gives_bets_back(payload: IrregularityNoted, *, answered_for: bool) -> bool:
    """Tell whether an irregularity lets a coup be void, or its bets go back.

    Args:
        payload: what was noted.
        answered_for: whether somebody answers for the void itself: it is his ruling then, where
            none was noted of something that went wrong with the cards.
    """
    if payload.ruling == "none":
        return answered_for and payload.kind in OF_CARDS
    return payload.ruling == "other" or payload.ruling in GIVING_BACK


def takes_card_off(payload: IrregularityNoted, rulings: Rulings) -> bool:
    """Tell whether an irregularity lets a card that was dealt be taken off its hand and burned."""
    unsaid = payload.ruling == "none" and payload.kind in OF_CARDS
    return unsaid or burns_card(payload, rulings)


def burns_card(payload: IrregularityNoted, rulings: Rulings) -> bool:
    """Tell whether an irregularity asks for a card to be burned on a ruling."""
    if payload.ruling in CARDS_STAY or payload.ruling == "none":
        return False
    if payload.ruling in ("burn-card", "other"):
        return True
    may_burn = payload.kind not in rulings or "burn-card" in rulings[payload.kind]
    return may_burn and payload.kind in (*OF_CARDS, "other")
