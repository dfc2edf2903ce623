"""Handlers for events about cards outside hands: cut, crew changes, discards, moved cards."""

from typing import Final

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state import shoe_people
from sabot.domain.state.projection import Handlers
from sabot.domain.state.shoe_state import Shoe


def _crew_changed(shoe: Shoe, event: RecordedEvent[ev.CrewChanged]) -> None:
    shoe.crew_changes.append(event)
    shoe_people.crew_changed(shoe, event)


def _cut_offered(shoe: Shoe, event: RecordedEvent[ev.CutOffered | ev.CutRefused]) -> None:
    shoe.cut_offers.append(event)


def _cards_cleared(shoe: Shoe, event: RecordedEvent[ev.CardsCleared]) -> None:
    coup = shoe.coup(event.payload.coup)
    coup.events.append(event)
    if coup.cleared is None:
        coup.cleared = event


def _card_reassigned(shoe: Shoe, event: RecordedEvent[ev.CardReassigned]) -> None:
    payload = event.payload
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    hand = coup.hand(payload.hand)
    if not hand or payload.hand == payload.to:
        coup.unmatched_events.append(event)
        return
    coup.reassigned.append(event)
    coup.hand(payload.to).append(hand.pop())


HANDLERS: Final = Handlers[Shoe]()
HANDLERS.on(ev.CutOffered, _cut_offered)
HANDLERS.on(ev.CutRefused, _cut_offered)
HANDLERS.on(ev.CrewChanged, _crew_changed)
HANDLERS.on(ev.CardsCleared, _cards_cleared)
HANDLERS.on(ev.CardReassigned, _card_reassigned)
