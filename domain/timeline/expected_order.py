"""Where an event stands in the course of a shoe: what comes before what, whoever tells of it.

Only what no coup does otherwise: bets before the call of no more bets, cards behind it, the first
totals before a third card, the result, then the settling. Events that may stand anywhere have no
place: who comes and goes, limits, irregularities.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent

_PREPARED: Final[dict[type, int]] = {ev.StopCardPlaced: -2, ev.CardBurned: -1}
"""What is done before all coups."""
_STEPS: Final[dict[type, int]] = {
    ev.CoupOpened: 0,
    ev.BetPlaced: 1,
    ev.BetCarried: 1,
    ev.BetChanged: 1,
    ev.BetWithdrawn: 1,
    ev.NoMoreBets: 2,
    ev.CardDrawn: 3,
    ev.CardTurned: 4,
    ev.TotalsCalled: 5,
    ev.ResultCalled: 8,
    ev.CommissionMarked: 9,
    ev.CommissionCollected: 9,
    ev.BetTaken: 10,
    ev.BetPaid: 10,
    ev.BetPushed: 10,
    ev.CoupClosed: 11,
}
"""The steps of a coup."""
_THIRD_CARD: Final = 3
"""How many steps later a third card is drawn, or turned, than the first two."""
_OF_TWO: Final = 2
_STEPS_A_COUP: Final = 12


class Step(NamedTuple):
    """A fact's place in the course of the shoe, and the event."""

    place: int
    event: RecordedEvent


def placed_in(own: Sequence[RecordedEvent]) -> list[Step | None]:
    """Tell of each event of one device where it stands; None of those that may stand anywhere.

    The events are in the order of the device's numbers: a hand's third card is the third that it
    tells of. A card burned once one was drawn may stand anywhere.
    """
    cards: dict[tuple[int, str], int] = {}
    return [_placed(event, cards) for event in own]


def coup_of(place: int) -> int:
    """Return the coup that a place is of."""
    return place // _STEPS_A_COUP


def begin_of(coup: int) -> int:
    """Return the first place of a coup."""
    return coup * _STEPS_A_COUP


def _placed(event: RecordedEvent, cards: dict[tuple[int, str], int]) -> Step | None:
    payload = event.payload
    step = _STEPS.get(type(payload))
    coup = getattr(payload, "coup", None)
    if step is None or coup is None:
        place = _PREPARED.get(type(payload))
        return None if place is None or coup is not None or cards else Step(place, event)
    match payload:
        case ev.CardDrawn():
            hand = coup, payload.hand
            cards[hand] = cards.get(hand, 0) + 1
            step += _THIRD_CARD if cards[hand] > _OF_TWO else 0
        case ev.CardTurned() if payload.nth > _OF_TWO:
            step += _THIRD_CARD
        case _:
            pass
    return Step(begin_of(coup) + step, event)
