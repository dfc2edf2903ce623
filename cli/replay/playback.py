"""A shoe's events on a reel: a position on it, the state there, and the ways to another.

Position k is the moment just after the k-th event; a reel begins at 1 (at 0 where it is empty).
The shoe at a position is what a fold of the events up to it comes to, so a correction takes
effect from its own place on, and before it the reel shows what was recorded then.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from sabot.cli.replay.rule_text import Ruling, ruling_of
from sabot.cli.replay.snapshot import snapshot
from sabot.cli.text.event_text import describe, minor_units_of
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.events import CutCardReached, EventCorrected, LastCoupCalled, RequestMade, name_of
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.events.points_in_time import Index, PointInTime, format_time, with_table_times
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, evolve, fold
from sabot.domain.state.table_state import Table
from sabot.domain.values.errors import NotFound

SPACING: Final = 32
"""Facts between two kept states: a step back evolves at most so many."""
MOST_KEPT: Final = 64
"""Kept states at most, so that a shoe without an end does not fill the memory."""


_BESIDE: Final = (RequestMade, LastCoupCalled, CutCardReached)
"""What may speak of a coup that has not begun, or never does."""


_SHOW_WHEN_CALLED: Final = ("player-stood-against-table", "banker-stood-against-table")
"""Findings of what did not happen: they show once the result is called without it."""


class Mark(Struct, frozen=True):
    """A finding, at the position from which on all that shows it has happened."""

    position: int
    finding: Finding


class Playback:
    """A shoe's events, and where one looks at them.

    ``shoe`` is the state at ``position``, and valid until the next move.
    """

    def __init__(
        self,
        stream: str,
        events: Iterable[RecordedEvent],
        spacing: int = SPACING,
        *,
        table: Table | None = None,
    ) -> None:
        """Take the events of one shoe in the order of versions, and audit them.

        ``table`` is the record of its table: what is found is found by it too.
        """
        self.stream = stream
        self.events: Sequence[RecordedEvent] = tuple(events)
        whole = fold(stream, self.events)
        whole.at_table = table
        self.name = whole.name
        self.minor_units = minor_units_of(whole.pack_text)
        self.clocks: Sequence[int] = tuple(clock for _event, clock in with_table_times(self.events))
        self._spacing = max(spacing, len(self.events) // MOST_KEPT + 1)
        self._kept: dict[int, Shoe] = {0: Shoe(stream)}
        self._places = {event.index: n for n, event in enumerate(self.events, 1)}
        self._corrections = [
            n for n, event in enumerate(self.events, 1) if type(event.payload) is EventCorrected
        ]
        self._corrected_by = self._link_corrections()
        self.coup_starts, self._coup_ends = _coup_bounds(self.events)
        self._starts = sorted(self.coup_starts.values())
        self.marks = self._mark(whole)
        self._named: dict[int, list[Finding]] = {}
        for mark in self.marks:
            for index in {*mark.finding.events, self.events[mark.position - 1].index}:
                self._named.setdefault(index, []).append(mark.finding)
        self.position = 0
        self.shoe = Shoe(stream)
        self.ruling = Ruling()
        self.seek(1)

    def __len__(self) -> int:
        return len(self.events)

    @property
    def event(self) -> RecordedEvent | None:
        """The event that has just happened; None on an empty reel."""
        return self.events[self.position - 1] if self.position else None

    @property
    def coup(self) -> Coup | None:
        """The coup that the event speaks of, or the one in play, or the last to be."""
        named = getattr(self.event.payload, "coup", None) if self.event is not None else None
        if named in self.shoe.coups:
            return self.shoe.coups[named]
        return self.shoe.current or next(reversed(self.shoe.coups.values()), None)

    # -- Moving ------------------------------------------------------------------------------

    def seek(self, position: int) -> None:
        """Go to a position, or to the end that is nearest to it."""
        position = max(min(1, len(self.events)), min(position, len(self.events)))
        if position == self.position:
            return
        before = self._at(position - 1)
        event = self.events[position - 1]
        self.ruling = ruling_of(before, event)
        self.shoe = evolve(before, event)
        self.position = position

    def step(self, by: int) -> bool:
        """Go so many events forward (or back); tell whether that moved anything."""
        was = self.position
        self.seek(was + by)
        return self.position != was

    def next_coup(self) -> bool:
        """Go to the opening of the next coup, or past the last one to the end."""
        at = bisect_right(self._starts, self.position)
        return self._go(self._starts[at] if at < len(self._starts) else len(self.events))

    def previous_coup(self) -> bool:
        """Go back to the opening of this coup, or from there to that of the one before."""
        at = bisect_left(self._starts, self.position)
        return self._go(self._starts[at - 1] if at else 1)

    def next_finding(self) -> bool:
        """Go to the next place where a finding shows; stay where there is none."""
        ahead = [mark.position for mark in self.marks if mark.position > self.position]
        return self._go(min(ahead, default=self.position))

    def previous_finding(self) -> bool:
        """Go back to the last place before this where a finding showed; stay where none did."""
        behind = [mark.position for mark in self.marks if mark.position < self.position]
        return self._go(max(behind, default=self.position))

    def to_coup(self, number: int) -> None:
        """Go to the first event of a coup.

        Raises:
            NotFound: the shoe has no such coup.
        """
        if number not in self.coup_starts:
            have = ", ".join(_ranges(sorted(self.coup_starts))) or "none"
            raise NotFound(f"shoe {self.name} has no coup {number}; it has {have}")
        self.seek(self.coup_starts[number])

    def to_moment(self, moment: PointInTime) -> None:
        """Go to the last event at or before a moment, by the log's index or the table's clock.

        Raises:
            NotFound: the moment comes before the shoe's first event.
        """
        if isinstance(moment, Index):
            position = bisect_right(self.events, moment.index, key=lambda event: event.index)
        else:
            known = [n for n, clock in enumerate(self.clocks, 1) if clock <= moment.us]
            position = max(known, default=0)
        if not position:
            first = self.events[0] if self.events else None
            begins = (
                f"; it begins at #{first.index}, {format_time(self.clocks[0])}" if first else ""
            )
            raise NotFound(f"shoe {self.name} has nothing as early as {moment}{begins}")
        self.seek(position)

    def search(self, words: str, *, back: bool = False) -> bool:
        """Go to the next event whose sentence, name, actor or device holds the words."""
        wanted = words.casefold()
        ahead = range(self.position + 1, len(self.events) + 1)
        behind = range(self.position - 1, 0, -1)
        for position in behind if back else ahead:
            if wanted in self.text_of(self.events[position - 1]).casefold():
                return self._go(position)
        return False

    # -- Reading -----------------------------------------------------------------------------

    def text_of(self, event: RecordedEvent) -> str:
        """Return all that can be searched of an event."""
        said = describe(event.payload, self.minor_units)
        return f"{name_of(event.payload)} {said} {event.actor} {event.device}"

    def corrections_of(self, position: int) -> list[RecordedEvent[EventCorrected]]:
        """Return the later events that correct the one at a position."""
        return self._corrected_by.get(position, [])

    def findings_of(self, event: RecordedEvent | None) -> Sequence[Finding]:
        """Return the findings that an event shows, or helps to show."""
        return self._named.get(event.index, ()) if event is not None else ()

    # -- How it is done ----------------------------------------------------------------------

    def _go(self, position: int) -> bool:
        was = self.position
        self.seek(position)
        return self.position != was

    def _at(self, position: int) -> Shoe:
        """Return the state at a position, which its caller may evolve."""
        if self.position <= position <= self.position + self._spacing and not self._corrected(
            self.position, position
        ):
            return self._evolved(self.shoe, self.position, position)
        base = max(n for n in self._kept if n <= position)
        if not self._corrected(base, position):
            return self._evolved(self._copy(self._kept[base], base), base, position)
        # a correction folds everything anew: once, for the last of them
        last = self._corrections[bisect_right(self._corrections, position) - 1]
        grid = position - position % self._spacing
        base = grid if grid >= last else position
        return self._evolved(
            self._keep(base, fold(self.stream, self.events[:base])), base, position
        )

    def _evolved(self, shoe: Shoe, start: int, end: int) -> Shoe:
        """Take a state from one position to a later one, keeping states on the way."""
        for n in range(start + 1, end + 1):
            shoe = self._keep(n, evolve(shoe, self.events[n - 1]))
        return shoe

    def _keep(self, position: int, shoe: Shoe) -> Shoe:
        if position % self._spacing == 0 and position not in self._kept:
            self._kept[position] = self._copy(shoe, position)
        return shoe

    def _copy(self, shoe: Shoe, position: int) -> Shoe:
        """Copy a state that stands at a position, as far as later events can change it."""
        return snapshot(shoe, {coup for coup, end in self._coup_ends.items() if end > position})

    def _corrected(self, start: int, end: int) -> bool:
        """Tell whether a correction happens after one position and up to another."""
        return bisect_right(self._corrections, start) < bisect_right(self._corrections, end)

    def _link_corrections(self) -> dict[int, list[RecordedEvent[EventCorrected]]]:
        versions = {event.version: n for n, event in enumerate(self.events, 1)}
        linked: dict[int, list[RecordedEvent[EventCorrected]]] = {}
        for later in events_of(EventCorrected, self.events):
            n = versions[later.version]
            corrected = versions.get(later.payload.version, n)
            if corrected < n:
                linked.setdefault(corrected, []).append(later)
        return linked

    def _mark(self, whole: Shoe) -> list[Mark]:
        """Audit the shoe, and place each finding where it shows."""
        found = audit_shoe(whole).findings
        marks = [Mark(self._shows_at(finding, whole), finding) for finding in found]
        return sorted(marks, key=lambda mark: mark.position)

    def _shows_at(self, finding: Finding, whole: Shoe) -> int:
        """Return the position of the last event that shows a finding."""
        indexes = list(finding.events)
        coup = whole.coups.get(finding.coup or 0)
        if finding.code in _SHOW_WHEN_CALLED and coup is not None:
            done = coup.result_called or coup.closed
            indexes += [done.index] if done is not None else []
        places = [self._places[index] for index in indexes if index in self._places]
        if places:
            return max(places)
        return self.coup_starts.get(finding.coup or 0, len(self.events))


def _coup_bounds(events: Sequence[RecordedEvent]) -> tuple[dict[int, int], dict[int, int]]:
    """Return where each coup begins, and the last event that speaks of it."""
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    for position, event in enumerate(events, 1):
        number = getattr(event.payload, "coup", None)
        if isinstance(number, int):
            ends[number] = position
            if type(event.payload) not in _BESIDE:
                starts.setdefault(number, position)
    return starts, ends


def _ranges(numbers: Sequence[int]) -> list[str]:
    """Write numbers shortly: 1 to 80, 82."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return [" to ".join(map(str, run)) for run in runs]


Move = Callable[[Playback], bool]
"""A way along a reel; it tells whether it moved."""
