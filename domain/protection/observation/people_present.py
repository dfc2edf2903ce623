"""The people at a table: dealer, seated patrons and bettors."""

from collections.abc import Callable
from typing import Any, ClassVar

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.observation.knowledge_at import Stood


class People:
    """The people at a table, event by event.

    A correction counts from its own position. ``regulars`` have bet in this shoe and have not left.
    ``gone`` left since the last coup's first face.
    """

    def __init__(self) -> None:
        """Create the record of an empty table."""
        self._stood = Stood()
        self._posts: dict[str, str | None] = {}
        self.seats: dict[int, str] = {}
        self.regulars: dict[str, None] = {}
        self.gone: dict[str, None] = {}

    def take(self, event: RecordedEvent) -> bool:
        """Add an event about people, or a correction.

        Return whether it corrects an event about people.
        """
        if not self._stood.take(event):
            self._take(event.payload)
            return False
        self._posts, self.seats = {}, {}
        for one in self._stood.now():
            self._take(one.payload)
        return True

    def _take(self, payload: ev.Event) -> None:
        take = self._ON.get(type(payload))
        if take is not None:
            take(self, payload)

    @property
    def dealer(self) -> str | None:
        """The dealer; at a large table, the caller."""
        return self._posts.get("dealer") or self._posts.get("caller")

    def present(self) -> tuple[str, ...]:
        """Return the patrons present."""
        return tuple(dict.fromkeys((*self.seats.values(), *self.regulars)))

    def _loaded(self, payload: ev.ShoeLoaded) -> None:
        self._posts |= {crew.post: crew.person for crew in payload.crew}
        self.seats = {seat.seat: seat.patron for seat in payload.seats}

    def _crew(self, payload: ev.CrewChanged) -> None:
        self._posts[payload.post] = payload.person

    def _seated(self, payload: ev.PatronSeated) -> None:
        self.seats[payload.seat] = payload.patron

    def _moved(self, payload: ev.PatronMoved) -> None:
        left = next((seat for seat, name in self.seats.items() if name == payload.patron), None)
        if left is not None and payload.seat in self.seats:
            # the patron of that seat takes the vacated one
            self.seats[left] = self.seats[payload.seat]
        elif left is not None:
            del self.seats[left]
        self.seats[payload.seat] = payload.patron

    def _left(self, payload: ev.PatronLeft) -> None:
        self.seats = {seat: name for seat, name in self.seats.items() if name != payload.patron}
        self.regulars.pop(payload.patron, None)
        self.gone[payload.patron] = None

    _ON: ClassVar[dict[type, Callable[["People", Any], None]]] = {
        ev.ShoeLoaded: _loaded,
        ev.CrewChanged: _crew,
        ev.PatronSeated: _seated,
        ev.PatronMoved: _moved,
        ev.PatronLeft: _left,
    }
