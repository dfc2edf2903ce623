"""The cards that were burned on the way, each before the card that came instead of it."""

from collections.abc import Iterator

from msgspec import Struct

from sabot.domain.events import CardBurned, CardDrawn
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.state.shoe import Shoe


class Burn(Struct, frozen=True):
    """A burned card, and the next that was drawn, whose coup it changed.

    ``since`` is the first event of the coup before, ``until`` the first card of the coup behind:
    between them lies what may ask for it. ``within`` says that the coup was being dealt.
    """

    event: RecordedEvent
    payload: CardBurned
    nth: int
    next: RecordedEvent
    coup: int
    before: int | None
    within: bool
    since: RecordedEvent | None
    until: RecordedEvent | None


def any_burned(shoe: Shoe) -> bool:
    """Tell whether any card was burned on the way, be it before a card that was drawn or not."""
    return any(event.payload.reason != "opening" for event in shoe.burned)


def burns(shoe: Shoe) -> Iterator[Burn]:
    """Yield the cards burned on the way, before a card that was drawn."""
    last: RecordedEvent[CardDrawn] | None = None
    waiting: list[tuple[int, RecordedEvent[CardBurned]]] = []
    for nth, event in enumerate(shoe.left, 1):
        if is_of(event, CardDrawn):
            for place, burned in waiting:
                yield _between(shoe, place, burned, last, event)
            waiting, last = [], event
        elif is_of(event, CardBurned) and event.payload.reason != "opening":
            waiting.append((nth, event))


def _between(
    shoe: Shoe,
    nth: int,
    burned: RecordedEvent[CardBurned],
    last: RecordedEvent[CardDrawn] | None,
    drawn: RecordedEvent[CardDrawn],
) -> Burn:
    coup = drawn.payload.coup
    before = last.payload.coup if last is not None else None
    since = shoe.coups[before].events[0] if before is not None else None
    behind = (
        event
        for event in events_of(CardDrawn, shoe.left)
        if event.position > drawn.position and event.payload.coup != coup
    )
    until = next(behind, None)
    within = before == coup
    return Burn(burned, burned.payload, nth, drawn, coup, before, within, since, until)
