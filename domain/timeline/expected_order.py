"""The place of an event in the expected course of a shoe.

The course does not depend on which device reports an event. It contains only the order that every
coup has: bets before the call of no more bets, cards after it, first totals before a third card,
then the result, then the settlement. It is derived from the firm constraints
(`sabot.domain.timeline.sequence`). Events that may happen at any time have no place: arrivals and
departures, limits, irregularities.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.timeline.constraints import Kind, Part, places
from sabot.domain.timeline.sequence import BURN, CONSTRAINTS, CUT_CARD
from sabot.domain.values.cards import FIRST_TWO

_BEFORE_ALL: Final = {*CUT_CARD.kinds, *BURN.kinds}
"""Steps that come before all coups."""
_PLACES: Final[dict[Kind, int]] = places(each for each in CONSTRAINTS.values() if each.firm)
"""Places of the steps of a coup, and of the preparation."""
_STEPS_A_COUP: Final = 1 + max(_PLACES.values())


class Step(NamedTuple):
    """An event and its place in the shoe."""

    place: int
    event: RecordedEvent


def placed_in(own: Sequence[RecordedEvent]) -> list[Step | None]:
    """Return the place of each event of one device. None for an event without a place.

    The events are in order of sequence number, so the third card that the device reports for a hand
    is its third card. A card burned after the first draw has no place.
    """
    cards: dict[tuple[int, str], int] = {}
    return [_placed(event, cards) for event in own]


def coup_of(place: int) -> int:
    """Return the coup to which a place belongs."""
    return place // _STEPS_A_COUP


def begin_of(coup: int) -> int:
    """Return the place at which a coup begins in the expected order of events."""
    return coup * _STEPS_A_COUP


def _placed(event: RecordedEvent, cards: dict[tuple[int, str], int]) -> Step | None:
    payload = event.payload
    kind: Kind = type(payload), _part(payload, cards)
    place = _PLACES.get(kind)
    coup = getattr(payload, "coup", None)
    if place is None:
        return None
    if kind in _BEFORE_ALL:
        return None if coup is not None or cards else Step(place - _STEPS_A_COUP, event)
    return None if coup is None else Step(begin_of(coup) + place, event)


def _part(payload: ev.Event, cards: dict[tuple[int, str], int]) -> Part:
    """Return whether a card event concerns one of a hand's first two cards or a later one."""
    match payload:
        case ev.CardDrawn():
            hand = payload.coup, payload.hand
            nth = cards[hand] = cards.get(hand, 0) + 1
        case ev.CardTurned(nth=nth):
            pass
        case _:
            return ""
    return "third" if nth > FIRST_TWO else "first"
