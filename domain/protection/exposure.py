"""Cards that were exposed and that nobody named: in which coups all may have bet by them."""

from typing import Final

from domain import facts as f

_EXPOSED: Final = ("card-exposed", "card-face-up", "card-off-the-table")


class Exposure:
    """What was exposed, note by note.

    A card that was exposed is taken to be the next one that is shown, whenever that is: a coup that
    ends before its first face leaves it where it is.
    """

    def __init__(self) -> None:
        """Begin with nothing exposed."""
        self._named: set[int] = set()
        self._waits = False
        self._drawn: set[int] = set()

    def note(self, fact: f.IrregularityNoted) -> bool:
        """Take an irregularity; tell whether a card was exposed by it."""
        if fact.kind not in _EXPOSED:
            if fact.ruling == "burn-card" and fact.coup is not None:
                self._drawn.add(fact.coup)
            return False
        self._waits = True
        if fact.coup is not None:
            self._named.add(fact.coup)
        return True

    def may_be_known(self, first: int, last: int) -> bool:
        """Tell whether the next card may be known, or a note names one of these coups."""
        return self._waits or not self._named.isdisjoint(range(first, last + 1))

    def names_drawn(self, coup: int) -> bool:
        """Tell whether a card that had been drawn in a coup was ruled to be burned."""
        return coup in self._drawn

    def face(self) -> None:
        """See the first face of a coup: what waited has come."""
        self._waits = False
