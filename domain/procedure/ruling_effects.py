"""Effects of a ruling: a void coup, a burned card, or play as dealt.

An irregularity is noted with its kind, the ruling, the person who ruled, and where the card went.
Houses rule differently on the same irregularity, but the effect of a ruling is always the same.
``other`` is a ruling in free text and may have any effect.
"""

from collections.abc import Mapping
from typing import Final

from sabot.domain.events import Irregularity, IrregularityNoted, Ruling
from sabot.domain.state.coup_state import GIVING_BACK

CARDS_STAY: Final[tuple[Ruling, ...]] = ("play-on", "stand", "no-bet-hand", "card-to-banker")
"""Rulings that leave the cards as dealt."""

OF_CARDS: Final[tuple[Irregularity, ...]] = (
    "wrong-draw",
    "card-exposed",
    "card-face-up",
    "card-off-the-table",
    "misdeal",
    "too-few-cards",
    "shuffler-fault",
)
"""Irregularities of cards, rather than of bets, payments or calls."""

Rulings = Mapping[Irregularity, tuple[Ruling, ...]]
"""The rulings that a pack allows for each irregularity; any ruling if not listed."""


def gives_bets_back(payload: IrregularityNoted, *, answered_for: bool) -> bool:
    """Return whether an irregularity permits a void coup or the return of its bets.

    Args:
        payload: the irregularity.
        answered_for: whether a person is recorded as responsible for the void. That counts as the
            ruling if none was noted for an irregularity of the cards.
    """
    if payload.ruling == "none":
        return answered_for and payload.kind in OF_CARDS
    return payload.ruling == "other" or payload.ruling in GIVING_BACK


def takes_card_off(payload: IrregularityNoted, rulings: Rulings) -> bool:
    """Return whether an irregularity permits a dealt card to be removed and burned."""
    unsaid = payload.ruling == "none" and payload.kind in OF_CARDS
    return unsaid or burns_card(payload, rulings)


def burns_card(payload: IrregularityNoted, rulings: Rulings) -> bool:
    """Return whether an irregularity requires a card to be burned by ruling."""
    if payload.ruling in CARDS_STAY or payload.ruling == "none":
        return False
    if payload.ruling in ("burn-card", "other"):
        return True
    may_burn = payload.kind not in rulings or "burn-card" in rulings[payload.kind]
    return may_burn and payload.kind in (*OF_CARDS, "other")
