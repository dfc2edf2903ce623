"""Judge cards that were moved to the right hand on a ruling.

French rules void a coup with a wrong draw unless the card can be restored at once
(ARRETE_2007_ART_55_14). The card then goes to the hand to which it was due, before another card
leaves the shoe and before a bet is settled. The coup continues as if the card had been dealt there.
"""

from typing import Final

from sabot.domain.audit.card_history import hands_at
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.justification import ruled_so_by_house
from sabot.domain.events import (
    BetPaid,
    BetPushed,
    BetTaken,
    CardDrawn,
    CardReassigned,
    CoupClosed,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import hand_due
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import hands_that_disobeyed
from sabot.domain.rules.rule_pack import TWO_HANDS
from sabot.domain.values.cards import FIRST_TWO, Card

NOT_RULED: Final = "no such ruling"
_MOVED_ON: Final = (CardDrawn, BetPaid, BetPushed, BetTaken, CoupClosed)
"""Events after which a card can no longer be restored."""


def hands_of_restored_cards(view: CoupView) -> dict[int, str]:
    """Return the hands of restored cards, by their draws' positions."""
    return {drawn.position: to for drawn, to in _restorations(view).values() if drawn is not None}


def why_not_restorable(view: CoupView, given: RecordedEvent[CardReassigned]) -> str | None:
    """Return why no ruling moves a card to the other hand, or None if one does."""
    if given.position in _restorations(view):
        return None
    if not ruled_so_by_house(view.shoe, view.coup, "restore-card"):
        return NOT_RULED
    return _card_given_wrongly(view, given)[1] or "the ruling is on another card"


def left_wrong(view: CoupView) -> str | None:
    """Return how the cards deviate from a ruling to restore a card, or None if they are right.

    A correction of the record may also put the card in the right hand. At two tableaux no event
    records a restored card.
    """
    coup = view.coup
    if coup.voided is not None or coup.fully_refunded or coup.reassigned:
        return None
    if game_of(view.shoe.pack).name not in TWO_HANDS or not view.dealt:
        return None
    if coup.removed_cards:
        return "the card was burned"
    return None if _lies_right(view) else "no card was given to the other hand"


def _lies_right(view: CoupView) -> bool:
    """Return whether every card of the coup is in the hand to which it was due."""
    hands: dict[str, list[Card]] = {"player": [], "banker": []}
    for event in view.coup.cards:
        hand = event.payload.hand
        if not _is_due(view, hand, hands["player"], hands["banker"]):
            return False
        hands[hand].append(_face(event))
    return not hands_that_disobeyed(view.shoe, view.coup)


def _is_due(view: CoupView, hand: str, player: list[Card], banker: list[Card]) -> bool:
    """Return whether the next card is due to a hand."""
    pack = view.shoe.pack
    if pack is not None and pack.drawing is not None and min(len(player), len(banker)) >= FIRST_TWO:
        return True
    return hand_due(player, banker) == hand


def _restorations(view: CoupView) -> dict[int, tuple[RecordedEvent | None, str]]:
    """Return the cards that were restored on rulings.

    They are keyed by the positions of the events that moved them. Each ruling restores one card.
    """
    rulings = (
        len(ruled_so_by_house(view.shoe, view.coup, "restore-card")) if view.coup.reassigned else 0
    )
    right: dict[int, tuple[RecordedEvent | None, str]] = {}
    for given in view.coup.reassigned:
        drawn, wrong = _card_given_wrongly(view, given)
        if wrong is None and len(right) < rulings:
            right[given.position] = drawn, given.payload.to
    return right


def _card_given_wrongly(
    view: CoupView, given: RecordedEvent[CardReassigned]
) -> tuple[RecordedEvent[CardDrawn] | None, str | None]:
    """Return a moved card that no ruling could restore, with the reason. None if there is none."""
    payload = given.payload
    hands = hands_at(view.coup, given)
    drawn = hands[payload.hand].pop().drawn if hands[payload.hand] else None
    since = drawn.position if drawn is not None else 0
    between = [event for event in view.coup.in_time if since < event.position < given.position]
    if any(isinstance(event.payload, _MOVED_ON) for event in between):
        return drawn, "the coup had continued since the card was drawn"
    player, banker = ([_face(card.drawn) for card in hands[hand]] for hand in ("player", "banker"))
    due = _is_due(view, payload.to, player, banker)
    return drawn, None if due else f"it was not due to {payload.to}"


def _face(drawn: RecordedEvent[CardDrawn]) -> Card:
    return drawn.payload.card
