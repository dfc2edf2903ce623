"""Who is at the table: the dealer, who sits there, and who has bet there."""

from collections.abc import Callable
from typing import Any, ClassVar

from sabot.domain import events as f
from sabot.domain.events.envelope import Event
from sabot.domain.protection.observation.knowledge_at import Stood


class People:
    """Those at a table, fact by fact; what was corrected counts from the correction on.

    ``regulars`` have bet from this shoe and have not left; ``gone`` left since the last first face.
    """

    def __init__(self) -> None:
        """Begin with nobody."""
        self._stood = Stood()
        self._posts: dict[str, str | None] = {}
        self.seats: dict[int, str] = {}
        self.regulars: dict[str, None] = {}
        self.gone: dict[str, None] = {}

    def take(self, event: Event) -> bool:
        """Take the next fact about people, or a correction; tell whether it corrects one."""
        if not self._stood.take(event):
            self._take(event.fact)
            return False
        self._posts, self.seats = {}, {}
        for one in self._stood.now():
            self._take(one.fact)
        return True

    def _take(self, fact: f.Fact) -> None:
        take = self._ON.get(type(fact))
        if take is not None:
            take(self, fact)

    @property
    def dealer(self) -> str | None:
        """Who deals; at a big table the caller does."""
        return self._posts.get("dealer") or self._posts.get("caller")

    def present(self) -> tuple[str, ...]:
        """List the patrons who are there."""
        return tuple(dict.fromkeys((*self.seats.values(), *self.regulars)))

    def _loaded(self, fact: f.ShoeLoaded) -> None:
        self._posts |= {crew.post: crew.person for crew in fact.crew}
        self.seats = {seat.seat: seat.patron for seat in fact.seats}

    def _crew(self, fact: f.CrewChanged) -> None:
        self._posts[fact.post] = fact.person

    def _seated(self, fact: f.PatronSeated) -> None:
        self.seats[fact.seat] = fact.patron

    def _moved(self, fact: f.PatronMoved) -> None:
        left = next((seat for seat, name in self.seats.items() if name == fact.patron), None)
        if left is not None and fact.seat in self.seats:
            # whoever sat there takes the place that he left
            self.seats[left] = self.seats[fact.seat]
        elif left is not None:
            del self.seats[left]
        self.seats[fact.seat] = fact.patron

    def _left(self, fact: f.PatronLeft) -> None:
        self.seats = {seat: name for seat, name in self.seats.items() if name != fact.patron}
        self.regulars.pop(fact.patron, None)
        self.gone[fact.patron] = None

    _ON: ClassVar[dict[type, Callable[["People", Any], None]]] = {
        f.ShoeLoaded: _loaded,
        f.CrewChanged: _crew,
        f.PatronSeated: _seated,
        f.PatronMoved: _moved,
        f.PatronLeft: _left,
    }
