"""Decide which of two events surely came first.

The log has events in the order of arrival. A card reader's event may arrive late, so a bet made
after the face was shown may precede that face in the log. A bet therefore counts as made before a
face only if this is certain: one device numbered both in that order, or the clocks of two devices
differ by more than the rule pack's tolerance (`sabot.domain.timeline.ordering`). Without a stated
tolerance, or without trusted clocks, the order of two devices' events is unknown. Events of one
device without sequence numbers keep their order, unless its own clock contradicts it.
"""

from collections.abc import Iterable, Mapping, Sequence

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.observation.knowledge_at import Correction
from sabot.domain.rules.pack_sections import Clocks
from sabot.domain.timeline.ordering import Span, by_device, clock_is_trusted, spans_of

_NEVER = -(2**62)
Unsure = dict[str, dict[str, int]]
"""Numbers of bets that may have been made after a face, by patron and by reason."""


class CoupTimeline:
    """The possible times of a coup's events.

    Clocks are carried over from coup to coup.
    """

    def __init__(self, clocks: Clocks | None) -> None:
        """Create the timeline before the first event.

        ``clocks`` is the rule pack's section on clocks.
        """
        self._clocks = clocks
        self._spans: dict[int, Span] = {}
        self._before: dict[int, Span] = {}
        self._last: dict[str, RecordedEvent] = {}

    def take(self, events: Sequence[RecordedEvent]) -> None:
        """Process the events of the next coup that has ended."""
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
        """Keep each device's latest event with a trusted clock.

        Later events are compared with it.
        """
        assert self._clocks is not None
        latest = _NEVER
        for event in payloads:
            if (
                clock_is_trusted(event, latest, self._clocks.jump_us)
                and (event.at_us or 0) >= latest
            ):
                self._last[device], latest = event, event.at_us or 0

    def doubt(self, bet: RecordedEvent, face: RecordedEvent) -> str:
        """Return why a bet may have been made after a face that the log has after it.

        Empty if the bet certainly came first.
        """
        if bet.device == face.device:
            return _as_told(bet, face)
        devices = f"{_named(bet)} reported the bet, {_named(face)} the face"
        if self._clocks is None:
            return f"{devices}, and the pack states no tolerance (clocks.tolerance_ms)"
        first, second = (
            self._spans.get(one.position, self._before.get(one.position)) for one in (bet, face)
        )
        if first is None or second is None:
            return f"{devices}, at an unknown time"
        tolerance_ms = self._clocks.tolerance_ms
        # a clock ahead of the log's is trusted within the tolerance; here no event is taken to be
        # later than its arrival in the log
        earliest = min(second.earliest, face.recorded_us)
        if first.latest + self._clocks.tolerance_us < earliest:
            return ""
        return f"{devices}, at a tolerance of {tolerance_ms} ms"


def _named(event: RecordedEvent) -> str:
    return event.device or "a device without a name"


def _as_told(bet: RecordedEvent, face: RecordedEvent) -> str:
    """Return why one device reported the face before the bet. Empty if it did not.

    The device's numbers decide, or else its clock.
    """
    if bet.seq is not None and face.seq is not None:
        return "" if bet.seq <= face.seq else f"{_named(bet)} numbered the face before the bet"
    if bet.at_us is None or face.at_us is None or bet.at_us <= face.at_us:
        return ""
    return f"by the clock of {_named(bet)} the face came before the bet"


class Told:
    """The events of a coup that concern bets, corrections of them, and faces.

    ``reads`` are the events that showed faces. ``versions`` are the positions of all events about
    bets, including those that changed no bet.
    """

    def __init__(self) -> None:
        """Create an empty collection, before the first event."""
        self.bets: dict[int, tuple[str, RecordedEvent]] = {}
        self.versions: set[int] = set()
        self.corrections: list[RecordedEvent] = []
        self.reads: list[RecordedEvent] = []

    def corrected(self, known: Mapping[int, Correction], first: int) -> frozenset[str]:
        """Return the patrons whose bets were corrected after a face.

        Args:
            known: the corrected bets, by position.
            first: the log index of the first face.
        """
        found: set[str] = set()
        for version in self.versions & known.keys():
            when, named = known[version]
            if when > first:
                found.update((*self._whose(version), *named))
        return frozenset(found)

    def unsure(self, known: Mapping[int, Correction], clockwork: CoupTimeline) -> Unsure:
        """Count the bets that may have been made after a face, by patron and reason."""
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
        """Return the patron of the bet that an event changed. Empty if it changed none."""
        return (self.bets[version][0],) if version in self.bets else ()


def first_doubt(
    event: RecordedEvent, reads: Iterable[RecordedEvent], clockwork: CoupTimeline
) -> str:
    """Return why an event may have happened after a face that the log has after it."""
    behind = (read for read in reads if event.index < read.index)
    return next((why for read in behind if (why := clockwork.doubt(event, read))), "")


def _count(found: Unsure, patron: str, why: str) -> None:
    if why:
        mine = found.setdefault(patron, {})
        mine[why] = mine.get(why, 0) + 1
