"""Follow the log and process each coup when the next one begins.

Events are read in log order. The `Scope` may be a part of the log, but the cards seen in a shoe are
always read from the shoe's beginning. The state is computed from the corrected events. If a
correction changes events that were already processed, the detection has to start again from the
beginning (`Stale`). A correction within the current coup does not require this. The state can be
asked for at any time and then has the last coup too. An irregularity of that coup that is noted
before the next one also makes the detection start again.

A shoe is over once it was taken out of play. The tests of the whole shoe are made then. An imported
shoe is over when the next shoe of its table is loaded. For a shoe without an end, the tests are
made on a copy when somebody asks for them.
"""

from collections.abc import Iterable

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.concurrent_play import copy_of, enter_coup, leave_coup
from sabot.domain.protection.detection.detection import GAME, Listener, observe_coup
from sabot.domain.protection.detection.subjects import Plan, Protection, initial_state
from sabot.domain.protection.observation.knowledge_at import CorrectedView, at_place, instead_of
from sabot.domain.protection.observation.late_notes import LateNotes
from sabot.domain.protection.observation.observed_coup import CoupObservation
from sabot.domain.protection.observation.watcher import Watcher, patron_of
from sabot.domain.protection.shoe_tests.whole_shoe_tests import (
    ShoeTests,
    begin_shoe,
    close_shoe,
    pools_of,
)
from sabot.domain.rules.labels import game_label
from sabot.domain.state.shoe import Shoe, apply, fold

PREFIX = "shoe/"


class Stale(Exception):
    """A correction, or a noted irregularity, concerns coups that were already processed."""


class Scope(Struct, frozen=True):
    """The part of the log to test.

    Shoes and tables are given by name. Coups are selected by their start: log indexes, or
    microseconds since 1970 on the table's clock (the log's clock if it has none); both ends
    inclusive.
    """

    shoes: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    from_index: int | None = None
    to_index: int | None = None
    from_us: int | None = None
    to_us: int | None = None

    def has_shoe(self, name: str, table: str | None) -> bool:
        """Return whether a shoe is in scope."""
        if self.shoes and name not in self.shoes:
            return False
        return not self.tables or table in self.tables

    def has_coup(self, coup: CoupObservation) -> bool:
        """Return whether a coup began in scope."""
        return self._has(coup.index, coup.at_us or 0)

    def has_event(self, event: RecordedEvent) -> bool:
        """Return whether an event is within the scope's range."""
        return self._has(event.index, event.recorded_us if event.at_us is None else event.at_us)

    def _has(self, index: int, at_us: int) -> bool:
        return _within(index, self.from_index, self.to_index) and _within(
            at_us, self.from_us, self.to_us
        )


def _within(place: int, first: int | None, last: int | None) -> bool:
    return (first is None or place >= first) and (last is None or place <= last)


class OpenShoe:
    """A shoe in play: its events so far, and its ended coups.

    ``instead`` are the corrections already known, which replace events as they are read.
    """

    def __init__(self, stream: str, instead: CorrectedView | None = None) -> None:
        """Create the shoe, before its first event."""
        self.history: list[RecordedEvent] = []
        self.corrected = False
        self._late = LateNotes()
        self._begin(stream, instead or CorrectedView())

    def _begin(self, stream: str, instead: CorrectedView) -> None:
        self.shoe = Shoe(stream)
        self.watcher: Watcher | None = None
        self.coups: list[CoupObservation] = []
        self.over = False
        self._instead = instead

    def take(self, event: RecordedEvent, *, known: bool = False) -> list[CoupObservation]:
        """Process the next event; return the coups that it ends.

        Args:
            event: of this shoe's stream.
            known: whether corrections were applied to the events from the beginning.

        Raises:
            Stale: it corrects a coup that ended earlier, or the cards in the shoe, or notes an
                irregularity of a coup that was tested.
        """
        self.history.append(event)
        corrects = type(event.payload) is ev.EventCorrected
        if self._late.take(event) is None and not corrects:
            return self._take(event)
        self.corrected = self.corrected or corrects
        if known:
            return self._take(event)
        before, cards = self.coups, self._cards()
        self._begin(self.shoe.stream, instead_of(self.history))
        for one in self.history:
            self._take(one)
        if len(self.coups) < len(before):
            self.release()
        if self.coups[: len(before)] != before or cards not in (None, self._cards()):
            raise Stale
        return self.coups[len(before) :]

    def _cards(self) -> tuple[list[str], int] | None:
        """Return the number of decks of a loaded shoe, and the pools its cards come from."""
        return None if self.shoe.loaded is None else (pools_of(self.shoe), self.shoe.decks)

    def as_corrected(self) -> Shoe:
        """Return the shoe with all its corrections applied."""
        return fold(self.shoe.stream, self.history) if self.corrected else self.shoe

    @property
    def in_play(self) -> bool:
        """Return whether a coup is in play."""
        watcher = self.watcher
        return (
            not self.over and watcher is not None and (watcher.playing > 0 or bool(watcher.waiting))
        )

    @property
    def waiting(self) -> tuple[CoupObservation, ...]:
        """The coups that are over, before the next one."""
        return () if self.watcher is None else self.watcher.waiting

    def present(self) -> list[str]:
        """List the patrons at the table."""
        return [] if self.watcher is None else self.watcher.present()

    def _take(self, event: RecordedEvent) -> list[CoupObservation]:
        return [coup for one in at_place(event, self._instead) for coup in self._take_one(one)]

    def _take_one(self, event: RecordedEvent) -> list[CoupObservation]:
        if type(event.payload) is not ev.EventCorrected:
            apply(self.shoe, event)
        if self.watcher is None:
            if self.shoe.loaded is None:
                return []
            self.watcher = Watcher(self.shoe, self._instead)
        found = self.watcher.take(event)
        if type(event.payload) is ev.ShoeEnded:
            found += self.watcher.finish()
            self.over = True
        self.coups += found
        return found

    def release(self) -> list[CoupObservation]:
        """Return the coups that are over, without waiting for the next one.

        An irregularity that is noted later does not concern them.
        """
        found = [] if self.watcher is None else self.watcher.release()
        self.coups += found
        return found


class Following(Struct):
    """The detection state and its progress.

    It is plain data that can be stored and resumed. ``position`` is the last log index processed.
    ``open`` maps the streams of shoes in play to their number of ended coups.
    """

    state: Protection
    scope: Scope = Scope()
    position: int = 0
    open: dict[str, int] = {}


class Follower:
    """Processes the log's events in order."""

    def __init__(
        self,
        plan: Plan | None = None,
        scope: Scope | None = None,
        *,
        instead: dict[str, CorrectedView] | None = None,
        known: int = 0,
        listen: Listener | None = None,
    ) -> None:
        """Create a follower that has read no event yet.

        Args:
            plan: the tests to make.
            scope: the part of the log to test.
            instead: by stream, the corrections up to the log index ``known``.
            known: a log index.
            listen: a function called with every factor.
        """
        self.kept = Following(initial_state(plan), scope or Scope())
        self.shoes: dict[str, OpenShoe] = {}
        self._instead = instead or {}
        self._known = known
        self._listen = listen

    @classmethod
    def again(cls, kept: Following, shoes: dict[str, list[RecordedEvent]]) -> "Follower":
        """Return a follower that continues from a stored state.

        ``shoes`` are the events of the shoes in play, up to the position of the state.

        Raises:
            Stale: these shoes have changed.
        """
        follower = cls(known=kept.position)
        follower.kept = kept
        for stream, many in kept.open.items():
            history = shoes[stream]
            opened = follower.shoes[stream] = OpenShoe(stream, instead_of(history))
            for event in history:
                opened.take(event, known=True)
            if len(opened.coups) < many:
                opened.release()
            if len(opened.coups) != many:
                raise Stale
        return follower

    def look(self) -> Protection:
        """Return a copy of the state in which the coups that wait for the next one are tested too.

        The state itself waits, so that the time of a look does not change the order in which coups
        at two tables are tested.
        """
        state = copy_of(self.kept.state)
        for opened in self.shoes.values():
            self._observe(state, opened, opened.waiting)
        return state

    def _test(self, opened: OpenShoe, over: Iterable[CoupObservation]) -> None:
        """Test coups in scope."""
        self.kept.open[opened.shoe.stream] = len(opened.coups)
        self._observe(self.kept.state, opened, over)

    def _observe(
        self, state: Protection, opened: OpenShoe, over: Iterable[CoupObservation]
    ) -> None:
        scope, shoe = self.kept.scope, opened.shoe
        if not scope.has_shoe(shoe.name, shoe.table):
            return
        for coup in over:
            if scope.has_coup(coup):
                observe_coup(state, shoe, coup, self._listen)

    def take(self, events: Iterable[RecordedEvent]) -> None:
        """Process events.

        Raises:
            Stale: one of them corrects events already processed.
        """
        for event in events:
            self.kept.position = event.index
            if event.stream.startswith(PREFIX):
                self._take(event)

    def _take(self, event: RecordedEvent) -> None:
        kept = self.kept
        stream = event.stream
        known = event.index <= self._known
        opened = self.shoes.get(stream)
        if opened is None:
            if event.position > 1:
                # the shoe is over, or out of scope
                if type(event.payload) is ev.EventCorrected and not known:
                    raise Stale
                return
            opened = self.shoes[stream] = OpenShoe(stream, self._instead.get(stream))
        over = opened.take(event, known=known)
        kept.open[stream] = len(opened.coups)
        shoe = opened.shoe
        if not kept.scope.has_shoe(shoe.name, shoe.table):
            if shoe.loaded is not None:
                self._forget(stream)
            return
        tests = kept.state.shoes
        self._begin(tests, shoe, event)
        self._test(opened, over)
        self._mark(opened, event, over=bool(over))
        if opened.over:
            if shoe.name not in tests.imported:
                self._close(tests, opened)
            tests.begun.pop(shoe.name, None)
            self._forget(stream)

    def _begin(self, tests: ShoeTests, shoe: Shoe, event: RecordedEvent) -> None:
        """Give a loaded shoe its number, and end the imported shoe before it."""
        if type(event.payload) is ev.ShoeLoaded:
            self._end_imported(tests, shoe)
        known = shoe.name in tests.begun or shoe.name in tests.imported
        if shoe.loaded is not None and not known and self.kept.scope.has_event(event):
            begin_shoe(tests, shoe)

    def _end_imported(self, tests: ShoeTests, new: Shoe) -> None:
        """Make the whole-shoe tests of an imported shoe when the next one of its table is loaded.

        The end of an imported shoe need not be recorded. If more of its coups follow, they are
        still tested.
        """
        for opened in self.shoes.values():
            shoe = opened.shoe
            if shoe is new or shoe.table is None or shoe.table != new.table:
                continue
            if shoe.coverage == "coups" and shoe.name in tests.begun:
                self._test(opened, opened.release())
                self._close(tests, opened)
                tests.begun.pop(shoe.name, None)
                tests.imported[shoe.name] = None

    def _mark(self, opened: OpenShoe, event: RecordedEvent, *, over: bool) -> None:
        """Record which patrons take part in the current coup.

        Coups at other tables then do not affect the test of this coup.
        """
        state, name = self.kept.state, opened.shoe.name
        if over:
            leave_coup(state, name)
        patron = patron_of(event.payload)
        if not opened.in_play:
            leave_coup(state, name)
        elif name not in state.held:
            enter_coup(state, name, opened.present())
        elif patron is not None:
            enter_coup(state, name, [patron])

    def _forget(self, stream: str) -> None:
        del self.shoes[stream]
        del self.kept.open[stream]

    def _close(self, tests: ShoeTests, opened: OpenShoe) -> None:
        """Make the whole-shoe tests of a shoe in scope."""
        shoe, watcher = opened.as_corrected(), opened.watcher
        over = (*opened.coups, *opened.waiting)
        coups = [coup for coup in over if self.kept.scope.has_coup(coup)]
        if watcher is None or not (coups or watcher.seen.broken or not opened.coups):
            return
        if shoe.pack is not None and shoe.pack.game != GAME:
            tests.shoes += 1
            game = game_label(shoe.pack.game)
            why = f"no test was made: the tests are for {game_label(GAME)}, the shoe is of {game}"
            tests.skipped.append((shoe.name, why))
            return
        close_shoe(tests, shoe, watcher.seen, coups)

    def tests(self) -> ShoeTests:
        """Return the whole-shoe tests, including those of shoes in play."""
        tests = self.look().shoes
        for opened in self.shoes.values():
            if opened.shoe.name not in tests.imported:
                self._close(tests, opened)
        return tests
