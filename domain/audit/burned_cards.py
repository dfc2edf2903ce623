"""The cards that were burned on the way, each before the card that came instead of it."""

from collections.abc import Iterator

from msgspec import Struct

from sabot.domain.events import CardBurned, CardDrawn
from sabot.domain.events.envelope import Event
from sabot.domain.state.shoe import Shoe


class Burn(Struct, frozen=True):
    """A burned card, and the next that was drawn, whose coup it changed.

    ``since`` is the first fact of the coup before, ``until`` the first card of the coup behind:
    between them lies what may ask for it. ``within`` says that the coup was being dealt.
    """

    event: Event
    fact: CardBurned
    nth: int
    next: Event
    coup: int
    before: int | None
    within: bool
    since: Event | None
    until: Event | None


def any_burned(shoe: Shoe) -> bool:
    """Tell whether any card was burned on the way, be it before a card that was drawn or not."""
    return any(event.fact.reason != "opening" for event in shoe.burned)  # type: ignore[union-attr]


def burns(shoe: Shoe) -> Iterator[Burn]:
    """Yield the cards burned on the way, before a card that was drawn."""
    last: Event | None = None
    waiting: list[tuple[int, Event]] = []
    for nth, event in enumerate(shoe.left, 1):
        if isinstance(event.fact, CardBurned):
            if event.fact.reason != "opening":
                waiting.append((nth, event))
            continue
        for place, burned in waiting:
            yield _between(shoe, place, burned, last, event)
        waiting, last = [], event


def _between(shoe: Shoe, nth: int, burned: Event, last: Event | None, drawn: Event) -> Burn:
    assert isinstance(burned.fact, CardBurned)
    assert isinstance(drawn.fact, CardDrawn)
    coup = drawn.fact.coup
    before = last.fact.coup if last is not None and isinstance(last.fact, CardDrawn) else None
    since = shoe.coups[before].events[0] if before is not None else None
    behind = (
        event
        for event in shoe.left
        if event.version > drawn.version
        and isinstance(event.fact, CardDrawn)
        and event.fact.coup != coup
    )
    until = next(behind, None)
    within = before == coup
    return Burn(burned, burned.fact, nth, drawn, coup, before, within, since, until)
