"""A shoe's events with a current position, the state there, and moves to other positions.

Position k is the moment just after event k. Positions begin at 1 (at 0 for an empty shoe). The
state at a position is computed from the events up to it. So a correction takes effect at its own
position, and earlier positions show the original record.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

from sabot.cli.replay.rule_text import Ruling, ruling_of
from sabot.cli.replay.snapshot import snapshot
from sabot.cli.settings import show_point, show_time
from sabot.cli.text.event_text import currency_of, describe
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.audit.checks.third_card import (
    banker_stood_against_table,
    player_stood_against_table,
)
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import (
    CutCardReached,
    Event,
    EventCorrected,
    LastCoupCalled,
    RequestMade,
    name_of,
)
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.events.points_in_time import Index, PointInTime, with_table_times
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, evolve, fold
from sabot.domain.state.table_state import Table
from sabot.domain.values.errors import NotFound

SPACING: Final = 32
"""The number of events between two saved states, and the most that a step back has to replay."""
MOST_KEPT: Final = 64
"""The maximum number of saved states, which limits memory for very long shoes."""


_BESIDE: Final = (RequestMade, LastCoupCalled, CutCardReached)
"""Events that may name a coup before it begins, or one that never begins."""


_SHOW_WHEN_CALLED: Final = (
    code_of(player_stood_against_table),
    code_of(banker_stood_against_table),
)
"""Findings about missing actions: they appear once the result is called."""


class Mark(Struct, frozen=True):
    """A finding, and the first position that shows it.

    By then all events that show it have happened.
    """

    position: int
    finding: Finding


class Playback:
    """A shoe's events and the current position in them.

    ``shoe`` is the state at ``position``; it is valid until the next move.
    """

    def __init__(
        self,
        stream: str,
        events: Iterable[RecordedEvent],
        spacing: int = SPACING,
        *,
        table: Table | None = None,
    ) -> None:
        """Take the events of one shoe, in order of version. Audit them.

        ``table`` is the record of its table, which the audit uses too.
        """
        self.stream = stream
        self.events: Sequence[RecordedEvent] = tuple(events)
        whole = fold(stream, self.events)
        whole.at_table = table
        self.name = whole.name
        self.minor_units, self.currency = currency_of(whole.pack_text)
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
        """The event that has just happened. It is None if there are no events."""
        return self.events[self.position - 1] if self.position else None

    @property
    def coup(self) -> Coup | None:
        """The coup that the event names, or else the one in play, or else the last one."""
        named = getattr(self.event.payload, "coup", None) if self.event is not None else None
        if named in self.shoe.coups:
            return self.shoe.coups[named]
        return self.shoe.current or next(reversed(self.shoe.coups.values()), None)

    # -- Moving ------------------------------------------------------------------------------

    def seek(self, position: int) -> None:
        """Go to a position, or to the nearest existing one."""
        position = max(min(1, len(self.events)), min(position, len(self.events)))
        if position == self.position:
            return
        before = self._at(position - 1)
        event = self.events[position - 1]
        self.ruling = ruling_of(before, event)
        self.shoe = evolve(before, event)
        self.position = position

    def step(self, by: int) -> bool:
        """Go forward by a number of events (back if negative).

        Returns:
            True if the position changed.
        """
        was = self.position
        self.seek(was + by)
        return self.position != was

    def next_coup(self) -> bool:
        """Go to the opening of the next coup, or from the last coup to the end."""
        at = bisect_right(self._starts, self.position)
        return self._go(self._starts[at] if at < len(self._starts) else len(self.events))

    def previous_coup(self) -> bool:
        """Go back to the opening of this coup, or from there to the previous coup."""
        at = bisect_left(self._starts, self.position)
        return self._go(self._starts[at - 1] if at else 1)

    def next_finding(self) -> bool:
        """Go to the next position with a finding. Stay if there is none."""
        ahead = [mark.position for mark in self.marks if mark.position > self.position]
        return self._go(min(ahead, default=self.position))

    def previous_finding(self) -> bool:
        """Go back to the previous position with a finding. Stay if there is none."""
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
        """Go to the last event up to a log index or a time of the table's clock.

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
            begins = f"; it begins at #{first.index}, {show_time(self.clocks[0])}" if first else ""
            raise NotFound(f"shoe {self.name} has nothing as early as {show_point(moment)}{begins}")
        self.seek(position)

    def search(self, words: str, *, back: bool = False) -> bool:
        """Go to the next event whose text, name, actor or device contains the words."""
        wanted = words.casefold()
        ahead = range(self.position + 1, len(self.events) + 1)
        behind = range(self.position - 1, 0, -1)
        for position in behind if back else ahead:
            if wanted in self.text_of(self.events[position - 1]).casefold():
                return self._go(position)
        return False

    # -- Reading -----------------------------------------------------------------------------

    def told(self, payload: Event) -> str:
        """Return an event as one line of text. Amounts name the currency."""
        return describe(payload, self.minor_units, self.currency)

    def text_of(self, event: RecordedEvent) -> str:
        """Return the searchable text of an event."""
        said = self.told(event.payload)
        return f"{name_of(event.payload)} {said} {event.actor} {event.device}"

    def corrections_of(self, position: int) -> list[RecordedEvent[EventCorrected]]:
        """Return the corrections of the event at a position."""
        return self._corrected_by.get(position, [])

    def findings_of(self, event: RecordedEvent | None) -> Sequence[Finding]:
        """Return the findings that an event helps to show."""
        return self._named.get(event.index, ()) if event is not None else ()

    # -- How it is done ----------------------------------------------------------------------

    def _go(self, position: int) -> bool:
        was = self.position
        self.seek(position)
        return self.position != was

    def _at(self, position: int) -> Shoe:
        """Return the state at a position. The caller may change it."""
        if self.position <= position <= self.position + self._spacing and not self._corrected(
            self.position, position
        ):
            return self._evolved(self.shoe, self.position, position)
        base = max(n for n in self._kept if n <= position)
        if not self._corrected(base, position):
            return self._evolved(self._copy(self._kept[base], base), base, position)
        # a correction requires a new fold: one, for the last of them
        last = self._corrections[bisect_right(self._corrections, position) - 1]
        grid = position - position % self._spacing
        base = grid if grid >= last else position
        return self._evolved(
            self._keep(base, fold(self.stream, self.events[:base])), base, position
        )

    def _evolved(self, shoe: Shoe, start: int, end: int) -> Shoe:
        """Advance a state from one position to a later one, and save some states on the way."""
        for n in range(start + 1, end + 1):
            shoe = self._keep(n, evolve(shoe, self.events[n - 1]))
        return shoe

    def _keep(self, position: int, shoe: Shoe) -> Shoe:
        if position % self._spacing == 0 and position not in self._kept:
            self._kept[position] = self._copy(shoe, position)
        return shoe

    def _copy(self, shoe: Shoe, position: int) -> Shoe:
        """Copy a state at a position, sharing everything that later events cannot change."""
        return snapshot(shoe, {coup for coup, end in self._coup_ends.items() if end > position})

    def _corrected(self, start: int, end: int) -> bool:
        """Return whether there is a correction after ``start``, up to and including ``end``."""
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
        """Audit the shoe and return the findings with their positions."""
        found = audit_shoe(whole).findings
        marks = [Mark(self._shows_at(finding, whole), finding) for finding in found]
        return sorted(marks, key=lambda mark: mark.position)

    def _shows_at(self, finding: Finding, whole: Shoe) -> int:
        """Return the position at which a finding is shown: that of the last event that shows it."""
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
    """Return the positions where each coup begins and where an event last names it."""
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
    """Return text for numbers as short ranges, such as ``1 to 80, 82``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return [" to ".join(map(str, run)) for run in runs]


Move = Callable[[Playback], bool]
"""A move in a replay; it returns whether the position changed."""
