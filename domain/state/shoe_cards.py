"""What the care for the cards does to a shoe: who may cut, who deals, where cards go when done."""

from typing import Final

from sabot.domain import events as f
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state import shoe_people
from sabot.domain.state.projection import Handler, append_to
from sabot.domain.state.shoe_state import Shoe


def _crew_changed(shoe: Shoe, event: RecordedEvent, payload: f.CrewChanged) -> None:
    shoe.crew_changes.append(event)
    shoe_people.HANDLERS[f.CrewChanged](shoe, event, payload)


def _cards_cleared(shoe: Shoe, event: RecordedEvent, payload: f.CardsCleared) -> None:
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    if coup.cleared is None:
        coup.cleared = event


def _card_reassigned(shoe: Shoe, event: RecordedEvent, payload: f.CardReassigned) -> None:
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    hand = coup.hand(payload.hand)
    if not hand or payload.hand == payload.to:
        coup.unmatched_events.append(event)
        return
    coup.reassigned.append(event)
    coup.hand(payload.to).append(hand.pop())


HANDLERS: Final[dict[type, Handler[Shoe]]] = {
    f.CutOffered: append_to("cut_offers"),
    f.CutRefused: append_to("cut_offers"),
    f.CrewChanged: _crew_changed,
    f.CardsCleared: _cards_cleared,
    f.CardReassigned: _card_reassigned,
}
