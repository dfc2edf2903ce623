"""Which of two facts surely came first at the table, by the devices that told them.

The log has facts in the order in which they reached it. A card reader's may come late: a bet that
was made once the face lay open then stands before it in the log. So a bet counts as made before a
face only where that is sure: one device numbered both so, or the clocks of two lie further apart
than the tolerance that the pack states (`domain.clocks`). Where it states none, or a device gave
no clock that can be believed, the order of two devices' facts is unknown. The facts of one device
that does not number them stand as they came, unless its own clock tells another order.
"""

from collections.abc import Iterable, Mapping, Sequence

from domain.clocks import Span, believed, by_device, spans_of
from domain.event import Event
from domain.houserules import Clocks
from domain.protection.standing import Correction

_NEVER = -(2**62)


class Clockwork:
    """When the facts of a coup happened; it goes on from coup to coup."""

    def __init__(self, clocks: Clocks | None) -> None:
        """Begin before the first fact; ``clocks`` is what the pack says of them."""
        self._clocks = clocks
        self._spans: dict[int, Span] = {}
        self._last: dict[str, Event] = {}

    def take(self, events: Sequence[Event]) -> None:
        """Take the facts of the next coup that is over."""
        if self._clocks is None:
            return
        self._spans = {}
        for device, own in by_device(events).items():
            last = self._last.get(device)
            facts = own if last is None else [last, *own]
            spans = spans_of(facts, self._clocks.jump_us)
            self._spans |= {event.version: span for event, span in zip(facts, spans, strict=True)}
            self._keep(device, facts)

    def _keep(self, device: str, facts: Iterable[Event]) -> None:
        """Keep the latest fact of a device whose clock is believed, for those that follow."""
        assert self._clocks is not None
        latest = _NEVER
        for event in facts:
            if believed(event, latest, self._clocks.jump_us) and (event.at_us or 0) >= latest:
                self._last[device], latest = event, event.at_us or 0

    def surely(self, one: Event, other: Event) -> bool:
        """Tell whether a fact that stands first in the log surely came first at the table."""
        if one.device == other.device:
            return _as_it_told(one, other)
        first, second = self._spans.get(one.version), self._spans.get(other.version)
        if self._clocks is None or first is None or second is None:
            return False
        # a clock may be ahead of the log's and is believed; but nothing came after it was recorded
        earliest = min(second.earliest, other.recorded_us)
        return first.latest + 1000 * self._clocks.tolerance_ms < earliest


def _as_it_told(one: Event, other: Event) -> bool:
    """Tell whether a device told two facts in this order: by its numbers, or else its own clock."""
    if one.seq is not None and other.seq is not None:
        return one.seq <= other.seq
    return one.at_us is None or other.at_us is None or one.at_us <= other.at_us


class Told:
    """Whose bets the facts of a coup told of, what corrected them, and when faces were read."""

    def __init__(self) -> None:
        """Begin before the first fact."""
        self.bets: dict[int, tuple[str, Event]] = {}
        self.corrections: list[Event] = []
        self.reads: list[Event] = []

    def corrected(self, known: Mapping[int, Correction], first: int) -> frozenset[str]:
        """Name those of whom a bet was corrected once a face had been shown.

        Args:
            known: the bets that were corrected, by version.
            first: the place in the log of the first face.
        """
        found: set[str] = set()
        for version, (patron, _) in self.bets.items():
            when, named = known.get(version, (0, ()))
            if when > first:
                found.update((patron, *named))
        return frozenset(found)

    def unordered(self, known: Mapping[int, Correction], clockwork: Clockwork) -> frozenset[str]:
        """Name those of whom a bet stands before a face that may have come first."""
        found = {patron for patron, event in self.bets.values() if self._late(event, clockwork)}
        if any(self._late(event, clockwork) for event in self.corrections):
            for version in self.bets.keys() & known.keys():
                found.update((self.bets[version][0], *known[version][1]))
        return frozenset(found)

    def _late(self, event: Event, clockwork: Clockwork) -> bool:
        return any(
            event.index < read.index and not clockwork.surely(event, read) for read in self.reads
        )
