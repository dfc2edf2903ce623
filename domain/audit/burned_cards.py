"""The cards that were burned on the way, each before the card that came instead of it."""

from collections.abc import Iterator

from msgspec import Struct

from sabot.domain.events import CardBurned, CardDrawn
from sabot.domain.events.envelope import RecordedEvent
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
    last: RecordedEvent | None = None
    waiting: list[tuple[int, RecordedEvent]] = []
    for nth, event in enumerate(shoe.left, 1):
        if isinstance(event.payload, CardBurned):
            if event.payload.reason != "opening":
                waiting.append((nth, event))
            continue
        for place, burned in waiting:
            yield _between(shoe, place, burned, last, event)
        waiting, last = [], event


def _between(
    shoe: Shoe, nth: int, burned: RecordedEvent, last: RecordedEvent | None, drawn: RecordedEvent
) -> Burn:
    assert isinstance(burned.payload, CardBurned)
    assert isinstance(drawn.payload, CardDrawn)
    coup = drawn.payload.coup
    before = last.payload.coup if last is not None and isinstance(last.payload, CardDrawn) else None
    since = shoe.coups[before].events[0] if before is not None else None
    behind = (
        event
        for event in shoe.left
        if event.position > drawn.position
        and isinstance(event.payload, CardDrawn)
        and event.payload.coup != coup
    )
    until = next(behind, None)
    within = before == coup
    return Burn(burned, burned.payload, nth, drawn, coup, before, within, since, until)
