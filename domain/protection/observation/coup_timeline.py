"""Which of two events surely came first at the table, by the devices that told them.

The log has events in the order in which they reached it. A card reader's may come late: a bet that
was made once the face lay open then stands before it in the log. So a bet counts as made before a
face only where that is sure: one device numbered both so, or the clocks of two lie further apart
than the tolerance that the pack states (`sabot.domain.timeline.ordering`). Where it states none, or
a device gave no clock that can be believed, the order of two devices' events is unknown. The events
of one device that does not number them stand as they came, unless its own clock tells another
order.
"""

from collections.abc import Iterable, Mapping, Sequence

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.observation.knowledge_at import Correction
from sabot.domain.rules.pack_sections import Clocks
from sabot.domain.timeline.ordering import Span, by_device, clock_is_trusted, spans_of

_NEVER = -(2**62)
Unsure = dict[str, dict[str, int]]
"""How many bets were not sure to have come before a face: by patron, and by why."""


class CoupTimeline:
    """When the events of a coup happened; it goes on from coup to coup."""

    def __init__(self, clocks: Clocks | None) -> None:
        """Begin before the first event; ``clocks`` is what the pack says of them."""
        self._clocks = clocks
        self._spans: dict[int, Span] = {}
        self._before: dict[int, Span] = {}
        self._last: dict[str, RecordedEvent] = {}

    def take(self, events: Sequence[RecordedEvent]) -> None:
        """Take the events of the next coup that is over."""
        if self._clocks is None:
            return
        self._before, self._spans = self._spans, {}
        for device, own in by_device(events).items():
            last = self._last.get(device)
            payloads = own if last is None else [last, *own]
            spans = spans_of(payloads, self._clocks)
            self._spans |= {
                event.position: span for event, span in zip(payloads, spans, strict=True)
            }
            self._keep(device, payloads)

    def _keep(self, device: str, payloads: Iterable[RecordedEvent]) -> None:
        """Keep the latest event of a device whose clock is believed, for those that follow."""
        assert self._clocks is not None
        latest = _NEVER
        for event in payloads:
            if (
                clock_is_trusted(event, latest, self._clocks.jump_us)
                and (event.at_us or 0) >= latest
            ):
                self._last[device], latest = event, event.at_us or 0

    def doubt(self, bet: RecordedEvent, face: RecordedEvent) -> str:
        """Say why a bet may have come after a face that stands behind it in the log.

        Nothing where the bet surely came first.
        """
        if bet.device == face.device:
            return _as_told(bet, face)
        devices = f"{_named(bet)} told of the bet, {_named(face)} of the face"
        if self._clocks is None:
            return f"{devices}, and the pack states no tolerance (clocks.tolerance_ms)"
        first, second = (
            self._spans.get(one.position, self._before.get(one.position)) for one in (bet, face)
        )
        if first is None or second is None:
            return f"{devices}, at a time that nobody knows"
        tolerance_ms = self._clocks.tolerance_ms
        # a clock ahead of the log's is believed within the tolerance; here nothing is later than
        # the log had it
        earliest = min(second.earliest, face.recorded_us)
        if first.latest + self._clocks.tolerance_us < earliest:
            return ""
        return f"{devices}, at a tolerance of {tolerance_ms} ms"


def _named(event: RecordedEvent) -> str:
    return event.device or "a device without a name"


def _as_told(bet: RecordedEvent, face: RecordedEvent) -> str:
    """Say by what one device told of the face first: by its numbers, or else its own clock."""
    if bet.seq is not None and face.seq is not None:
        return "" if bet.seq <= face.seq else f"{_named(bet)} numbered the face before the bet"
    if bet.at_us is None or face.at_us is None or bet.at_us <= face.at_us:
        return ""
    return f"by the clock of {_named(bet)} the face came before the bet"


class Told:
    """Whose bets the events of a coup told of, what corrected them, and when faces were read.

    ``versions`` are of all its events about bets, those among them that moved none.
    """

    def __init__(self) -> None:
        """Begin before the first event."""
        self.bets: dict[int, tuple[str, RecordedEvent]] = {}
        self.versions: set[int] = set()
        self.corrections: list[RecordedEvent] = []
        self.reads: list[RecordedEvent] = []

    def corrected(self, known: Mapping[int, Correction], first: int) -> frozenset[str]:
        """Name those of whom a bet was corrected once a face had been shown.

        Args:
            known: the bets that were corrected, by version.
            first: the place in the log of the first face.
        """
        found: set[str] = set()
        for version in self.versions & known.keys():
            when, named = known[version]
            if when > first:
                found.update((*self._whose(version), *named))
        return frozenset(found)

    def unsure(self, known: Mapping[int, Correction], clockwork: CoupTimeline) -> Unsure:
        """Count the bets that stand before a face that may have come first: of whom, and why."""
        found: Unsure = {}
        for patron, event in self.bets.values():
            _count(found, patron, first_doubt(event, self.reads, clockwork))
        for event in self.corrections:
            why = first_doubt(event, self.reads, clockwork)
            for version in sorted(self.versions & known.keys()) if why else ():
                for patron in dict.fromkeys((*self._whose(version), *known[version][1])):
                    _count(found, patron, why)
        return found

    def _whose(self, version: int) -> Iterable[str]:
        """Name whose bet an event moved; it may have moved none."""
        return (self.bets[version][0],) if version in self.bets else ()


def first_doubt(
    event: RecordedEvent, reads: Iterable[RecordedEvent], clockwork: CoupTimeline
) -> str:
    """Say why an event may have come after one of the faces that stand behind it in the log."""
    behind = (read for read in reads if event.index < read.index)
    return next((why for read in behind if (why := clockwork.doubt(event, read))), "")


def _count(found: Unsure, patron: str, why: str) -> None:
    if why:
        mine = found.setdefault(patron, {})
        mine[why] = mine.get(why, 0) + 1
