"""Burns during a shoe: when another dealer takes over or a dead game resumes."""

from typing import Final, Literal

from msgspec import Struct

from sabot.domain.events import CrewChanged
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import first_event_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.names import plain_name

_DEALERS: Final = ("dealer", "caller")
"""Posts of those who deal or direct the deal."""

Why = Literal["relief", "dead-game"]


class Change(Struct, frozen=True):
    """An event that may require a burned card, such as a change of dealer.

    ``since`` is the event that left the dealing post empty, if there was one, since the card may
    already be burned then. Otherwise it is ``event``.
    """

    event: RecordedEvent
    since: RecordedEvent


class Occasion(Struct, frozen=True):
    """A change that requires a burned card, with the reason and the deadline.

    ``until`` is the first card of the first coup begun after the change; the card is due before
    it. None if no such card was drawn.
    """

    event: RecordedEvent
    since: RecordedEvent
    why: Why
    until: RecordedEvent | None


def burn_causes(shoe: Shoe, why: Why) -> list[Change]:
    """Return the changes that may require a burned card for a reason.

    For the reason ``relief`` these are takeovers by a dealer, for ``dead-game`` the first arrivals
    at an empty table.
    """
    return _takeovers(shoe) if why == "relief" else _awakenings(shoe)


def burn_occasions(shoe: Shoe, why: Why) -> list[Occasion]:
    """Return the occasions on which a card has to be burned for a reason.

    Of several occasions before the same card, only the last counts.
    """
    due = _reliefs(shoe) if why == "relief" else _awakenings(shoe)
    found = [Occasion(each.event, each.since, why, _next_card(shoe, each.event)) for each in due]
    return list({each.until.position if each.until else 0: each for each in found}.values())


def cards_burned_on(shoe: Shoe, occasion: Occasion) -> list[RecordedEvent]:
    """Return the cards that were burned on an occasion."""
    last = occasion.until.position if occasion.until is not None else None
    return [
        event
        for event in shoe.burned
        if event.payload.reason == occasion.why
        and event.position not in shoe.burned_off_hands
        and event.position > occasion.since.position
        and (last is None or event.position < last)
    ]


def burn_owed(shoe: Shoe) -> Why | None:
    """Return why a card must be burned now, between two coups, or None."""
    if shoe.pack is None:
        return None
    reasons: tuple[tuple[Why, int | None], ...] = (
        ("relief", shoe.pack.burn.relief),
        ("dead-game", shoe.pack.burn.dead_game),
    )
    for why, cards in reasons:
        waiting = (
            [each for each in burn_occasions(shoe, why) if each.until is None] if cards else []
        )
        if cards and waiting and len(cards_burned_on(shoe, waiting[-1])) < cards:
            return why
    return None


def _reliefs(shoe: Shoe) -> list[Change]:
    """Return the changes of dealer after the first card."""
    loaded = shoe.loaded.payload if shoe.loaded is not None else None
    crew = loaded.crew if loaded is not None else ()
    dealt: dict[str, str] = {each.post: plain_name(each.person) for each in crew}
    found = []
    for change in _takeovers(shoe):
        event, payload = change.event, change.event.payload
        assert isinstance(payload, CrewChanged)
        assert payload.person is not None
        begun = shoe.left and shoe.left[0].position < event.position
        person = plain_name(payload.person)
        if begun and dealt.get(payload.post, person) != person:
            found.append(change)
        dealt[payload.post] = person
    return found


def _takeovers(shoe: Shoe) -> list[Change]:
    """Return every event in which a dealer took over a dealing post, the first included."""
    found = []
    left: dict[str, RecordedEvent] = {}
    for event in shoe.crew_changes:
        payload = event.payload
        if payload.post not in _DEALERS:
            continue
        if payload.person is None:
            left.setdefault(payload.post, event)
        else:
            found.append(Change(event, left.pop(payload.post, event)))
    return found


def _awakenings(shoe: Shoe) -> list[Change]:
    """Return each arrival of a patron at a table that all patrons had left."""
    moves: list[tuple[RecordedEvent, bool, str]] = [
        (event, True, patron) for event, _, patron in shoe.seatings
    ]
    moves += [(event, False, patron) for event, patron, _ in shoe.leavings]
    here: set[str] = set()
    dead, found = False, []
    for event, sits, patron in sorted(moves, key=lambda move: move[0].position):
        if sits:
            here.add(patron)
            if dead:
                found.append(Change(event, event))
            dead = False
        elif patron in here:
            here.discard(patron)
            dead = not here
    return found


def _next_card(shoe: Shoe, after: RecordedEvent) -> RecordedEvent | None:
    """Return the first card of the first coup that began after an event."""
    later = (
        coup.cards[0]
        for coup in shoe.coups.values()
        if coup.cards and (begun := first_event_of(coup)) and begun.position > after.position
    )
    return min(later, key=lambda card: card.position, default=None)
