"""When the coups of a shoe were dealt: kept small, for the rules that hold shoes side by side.

A log has many shoes, and what is known of each is kept until all are judged. So a coup is kept as
six numbers: its own; the place in the log and the clock of its first card, and of its last; and
which of the two have a clock of the table.
"""

from array import array
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct, field

from domain.event import Event
from domain.shoe import Shoe

_NUMBERS: Final = 6
_FIRST, _LAST = 1, 2


def clock(event: Event) -> int:
    """Return when an event happened: the table's clock, or else the log's, in microseconds."""
    return event.recorded_us if event.at_us is None else event.at_us


class Sighting(Struct, frozen=True, gc=False):
    """Where a fact stands in the log, and when it happened, of which no more is kept.

    ``us`` is the table's clock where ``clocked``, else the log's, in microseconds.
    """

    index: int
    us: int
    clocked: bool


def sighting_of(event: Event) -> Sighting:
    """Return what is kept of a fact."""
    return Sighting(event.index, clock(event), event.at_us is not None)


class Dealt(Struct, frozen=True, gc=False):
    """A coup from its first card to its last."""

    coup: int
    first: Sighting
    last: Sighting


class DealtCoups(Struct, frozen=True):
    """The coups of a shoe that have cards, in the order in which they began."""

    packed: "array[int]" = field(default_factory=lambda: array("q"))

    def __bool__(self) -> bool:
        """Tell whether a card was dealt."""
        return bool(self.packed)

    def __iter__(self) -> Iterator[Dealt]:
        """Go through the coups."""
        return (self._at(start) for start in range(0, len(self.packed), _NUMBERS))

    @property
    def first(self) -> Sighting:
        """The first card of all; there is one."""
        return self._at(0).first

    @property
    def last(self) -> Sighting:
        """The last card of the coup that began last; there is one."""
        return self._at(len(self.packed) - _NUMBERS).last

    @property
    def last_begun(self) -> Sighting:
        """The first card of the coup that began last; there is one."""
        return self._at(len(self.packed) - _NUMBERS).first

    def begun_as(self, other: "DealtCoups") -> bool:
        """Tell whether the same coups have begun; cards may have followed in the last."""
        behind = len(self.packed) - 3
        return len(self.packed) == len(other.packed) and (
            self.packed[:behind] == other.packed[:behind]
        )

    def _at(self, start: int) -> Dealt:
        coup, first, first_us, last, last_us, clocked = self.packed[start : start + _NUMBERS]
        return Dealt(
            coup,
            Sighting(first, first_us, bool(clocked & _FIRST)),
            Sighting(last, last_us, bool(clocked & _LAST)),
        )


def dealt_in(shoe: Shoe) -> DealtCoups:
    """Return when the coups of a shoe were dealt."""
    begun = [coup for coup in shoe.coups.values() if coup.cards]
    begun.sort(key=lambda coup: coup.cards[0].version)
    packed = array("q")
    for coup in begun:
        packed.extend(_pack(coup.number, coup.cards[0], coup.cards[-1]))
    return DealtCoups(packed)


def _pack(coup: int, first: Event, last: Event) -> Iterable[int]:
    clocked = (_FIRST if first.at_us is not None else 0) | (_LAST if last.at_us is not None else 0)
    return coup, first.index, clock(first), last.index, clock(last), clocked
