"""What the care for the cards does to a shoe: who may cut, who deals, where cards go when done."""

from typing import Final

from sabot.domain import events as f
from sabot.domain.events.envelope import Event
from sabot.domain.state import shoe_people
from sabot.domain.state.projection import Handler, kept_in
from sabot.domain.state.shoe_state import Shoe


def _crew_changed(shoe: Shoe, event: Event, fact: f.CrewChanged) -> None:
    shoe.crew_changes.append(event)
    shoe_people.HANDLERS[f.CrewChanged](shoe, event, fact)


def _cards_cleared(shoe: Shoe, event: Event, fact: f.CardsCleared) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    if coup.cleared is None:
        coup.cleared = event


def _card_reassigned(shoe: Shoe, event: Event, fact: f.CardReassigned) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    hand = coup.hand(fact.hand)
    if not hand or fact.hand == fact.to:
        coup.strays.append(event)
        return
    coup.reassigned.append(event)
    coup.hand(fact.to).append(hand.pop())


HANDLERS: Final[dict[type, Handler[Shoe]]] = {
    f.CutOffered: kept_in("cut_offers"),
    f.CutRefused: kept_in("cut_offers"),
    f.CrewChanged: _crew_changed,
    f.CardsCleared: _cards_cleared,
    f.CardReassigned: _card_reassigned,
}
