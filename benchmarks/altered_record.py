"""Alter the events of a simulated shoe."""

from typing import Any

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent


class Record:
    """The events of a shoe. ``coup`` is the coup of the fault, or None for the shoe as a whole.

    Places are positions in the list. Methods that find none raise LookupError.
    """

    def __init__(self, events: list[RecordedEvent]) -> None:
        self.events = list(events)
        self.coup: int | None = None
        self.loaded: Any = events[0].payload

    def at(self, place: int) -> Any:
        """Return the event at a place."""
        return self.events[place].payload

    def places(self, kind: Any, when: Any = None, since: int = 3) -> list[int]:
        """Return the places of events of a kind, in coups from a number on or outside coups."""
        return [
            place
            for place, event in enumerate(self.events)
            if isinstance(event.payload, kind)
            and (getattr(event.payload, "coup", None) or since) >= since
            and (when is None or when(event.payload))
        ]

    def first(self, kind: Any, when: Any = None, since: int = 3) -> int:
        """Return the first such place. Its coup is the coup of the fault."""
        place = next(iter(self.places(kind, when, since)), None)
        if place is None:
            raise LookupError
        self.coup = getattr(self.at(place), "coup", None)
        return place

    def of_coup(self, kind: Any) -> list[int]:
        """Return the places of events of the fault's coup."""
        found = self.places(kind, lambda payload: payload.coup == self.coup)
        if not found:
            raise LookupError
        return found

    def bet_of(self, place: int) -> int:
        """Return the place of the bet that a settlement is about."""
        bet = self.at(place).bet
        placed = self.of_coup((ev.BetPlaced, ev.BetCarried))
        return next(at for at in placed if self.at(at).bet == bet)

    def change(self, place: int, /, **keys: Any) -> None:
        """Change keys of an event. A function gets the event and returns the value."""
        was = self.at(place)
        values = {key: value(was) if callable(value) else value for key, value in keys.items()}
        self.instead(place, replace(was, **values))

    def instead(self, place: int, payload: ev.Event) -> None:
        """Put another event in place of one."""
        self.events[place] = replace(self.events[place], payload=payload)

    def after(self, place: int, *payloads: ev.Event) -> None:
        """Insert events behind a place, a millisecond apart."""
        before = self.events[place]
        for nth, payload in enumerate(payloads, 1):
            at_us = None if before.at_us is None else before.at_us + 1000 * nth
            event = replace(before, payload=payload, at_us=at_us, event_id=None)
            self.events.insert(place + nth, event)

    def remove(self, *places: int) -> None:
        """Remove events."""
        for place in sorted(places, reverse=True):
            del self.events[place]

    def move(self, place: int, behind: int) -> None:
        """Move an event behind a later or earlier one, whose time it gets."""
        at_us = self.events[behind].at_us
        moved = replace(self.events.pop(place), at_us=at_us)
        self.events.insert(behind + (behind < place), moved)

    def history(self) -> list[RecordedEvent]:
        """Return the events, numbered anew."""
        return [
            replace(event, index=nth, version=nth, seq=None, position=nth)
            for nth, event in enumerate(self.events, 1)
        ]
