"""Where an event stands in the course of a shoe: what comes before what, whoever tells of it.

Only what no coup does otherwise: bets before the call of no more bets, cards behind it, the first
totals before a third card, the result, then the settling. It follows from the constraints that are
firm (`sabot.domain.timeline.sequence`). Events that may stand anywhere have no place: who comes and
goes, limits, irregularities.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.timeline.constraints import Kind, Part, places
from sabot.domain.timeline.sequence import BURN, CONSTRAINTS, CUT_CARD
from sabot.domain.values.cards import FIRST_TWO

_BEFORE_ALL: Final = {*CUT_CARD.kinds, *BURN.kinds}
"""What is done before all coups."""
_PLACES: Final[dict[Kind, int]] = places(each for each in CONSTRAINTS.values() if each.firm)
"""The steps of a coup, and of the preparation."""
_STEPS_A_COUP: Final = 1 + max(_PLACES.values())


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
    kind: Kind = type(payload), _part(payload, cards)
    place = _PLACES.get(kind)
    coup = getattr(payload, "coup", None)
    if place is None:
        return None
    if kind in _BEFORE_ALL:
        return None if coup is not None or cards else Step(place - _STEPS_A_COUP, event)
    return None if coup is None else Step(begin_of(coup) + place, event)


def _part(payload: ev.Event, cards: dict[tuple[int, str], int]) -> Part:
    """Tell whether an event is about the first two cards of a hand, or a later one."""
    match payload:
        case ev.CardDrawn():
            hand = payload.coup, payload.hand
            nth = cards[hand] = cards.get(hand, 0) + 1
        case ev.CardTurned(nth=nth):
            pass
        case _:
            return ""
    return "third" if nth > FIRST_TWO else "first"
