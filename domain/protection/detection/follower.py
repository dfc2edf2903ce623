"""Facts in the order of the log, shoe beside shoe: each coup is taken in as it is over.

What is asked after may be a part of the log (`Scope`); what was seen in a shoe is always read from
its beginning. The state rests on the events that hold. A correction of what was taken in already
calls for another run from the beginning (`Stale`); one of a coup still in play does not.

A shoe is over when it was taken out of play. The tests of whole shoes are made then, or, of one
that lies on the table still or whose record has no end, on a copy, when they are asked for.
"""

from collections.abc import Iterable
from copy import deepcopy

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.concurrent_play import enter_coup, leave_coup
from sabot.domain.protection.detection.detection import GAME, Listener, observe_coup
from sabot.domain.protection.detection.subjects import Plan, Protection, initial_state
from sabot.domain.protection.observation.knowledge_at import CorrectedView, at_place, instead_of
from sabot.domain.protection.observation.observed_coup import CoupObservation
from sabot.domain.protection.observation.watcher import Watcher, patron_of
from sabot.domain.protection.shoe_tests.whole_shoe_tests import (
    ShoeTests,
    begin_shoe,
    close_shoe,
    pools_of,
)
from sabot.domain.state.shoe import Shoe, apply, fold

PREFIX = "shoe/"


class Stale(Exception):
    """A correction changed what was taken in already."""


class Scope(Struct, frozen=True):
    """Which part of the log is asked after.

    Shoes and tables by name; coups by when they began: places in the log, or microseconds since
    1970 on the table's clock (the log's where it gave none), from the first to the last, both
    included.
    """

    shoes: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    from_index: int | None = None
    to_index: int | None = None
    from_us: int | None = None
    to_us: int | None = None

    def has_shoe(self, name: str, table: str | None) -> bool:
        """Tell whether a shoe is asked after."""
        if self.shoes and name not in self.shoes:
            return False
        return not self.tables or table in self.tables

    def has_coup(self, coup: CoupObservation) -> bool:
        """Tell whether a coup began in the time asked after."""
        return self._has(coup.index, coup.at_us or 0)

    def has_event(self, event: RecordedEvent) -> bool:
        """Tell whether an event was told in the time asked after."""
        return self._has(event.index, event.recorded_us if event.at_us is None else event.at_us)

    def _has(self, index: int, at_us: int) -> bool:
        return _within(index, self.from_index, self.to_index) and _within(
            at_us, self.from_us, self.to_us
        )


def _within(place: int, first: int | None, last: int | None) -> bool:
    return (first is None or place >= first) and (last is None or place <= last)


class OpenShoe:
    """A shoe in play: its events so far, and the coups of it that were over.

    ``instead`` is what corrections that are known already put in place of events.
    """

    def __init__(self, stream: str, instead: CorrectedView | None = None) -> None:
        """Begin before its first event."""
        self.history: list[RecordedEvent] = []
        self.corrected = False
        self._begin(stream, instead or CorrectedView())

    def _begin(self, stream: str, instead: CorrectedView) -> None:
        self.shoe = Shoe(stream)
        self.watcher: Watcher | None = None
        self.coups: list[CoupObservation] = []
        self.over = False
        self._instead = instead

    def take(self, event: RecordedEvent, *, known: bool = False) -> list[CoupObservation]:
        """Take the next event; return the coups that are over by it.

        Args:
            event: of this shoe's stream.
            known: a correction was reckoned with from the beginning.

        Raises:
            Stale: it corrects a coup that was over before, or which cards lie in the shoe.
        """
        self.history.append(event)
        if type(event.payload) is not ev.EventCorrected:
            return self._take(event)
        self.corrected = True
        if known:
            return self._take(event)
        before, cards = self.coups, self._cards()
        self._begin(self.shoe.stream, instead_of(self.history))
        for one in self.history:
            self._take(one)
        if self.coups[: len(before)] != before or cards not in (None, self._cards()):
            raise Stale
        return self.coups[len(before) :]

    def _cards(self) -> tuple[list[str], int] | None:
        """Say which cards lie in the shoe, once it was loaded."""
        return None if self.shoe.loaded is None else (pools_of(self.shoe), self.shoe.decks)

    def as_corrected(self) -> Shoe:
        """Return the shoe as its events have it once all corrections have taken effect."""
        return fold(self.shoe.stream, self.history) if self.corrected else self.shoe

    @property
    def in_play(self) -> bool:
        """Tell whether a coup is in play."""
        return not self.over and self.watcher is not None and self.watcher.playing > 0

    def present(self) -> list[str]:
        """List who is at the table."""
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


class Following(Struct):
    """The state, and what it was made of: plain data that can be kept and taken up again.

    ``position`` is the last place in the log that was taken in; ``open`` are the streams of the
    shoes in play, with how many of their coups were over.
    """

    state: Protection
    scope: Scope = Scope()
    position: int = 0
    open: dict[str, int] = {}


class Follower:
    """Takes in the log's events in their order."""

    def __init__(
        self,
        plan: Plan | None = None,
        scope: Scope | None = None,
        *,
        instead: dict[str, CorrectedView] | None = None,
        known: int = 0,
        listen: Listener | None = None,
    ) -> None:
        """Begin before the first event.

        Args:
            plan: what is tested.
            scope: which part of the log is asked after.
            instead: by stream, what the corrections up to ``known`` put in place of events.
            known: a place in the log.
            listen: hears of every factor.
        """
        self.kept = Following(initial_state(plan), scope or Scope())
        self.shoes: dict[str, OpenShoe] = {}
        self._instead = instead or {}
        self._known = known
        self._listen = listen

    @classmethod
    def again(cls, kept: Following, shoes: dict[str, list[RecordedEvent]]) -> "Follower":
        """Take up what was kept; ``shoes`` are the events of the shoes in play, up to its place.

        Raises:
            Stale: these shoes are not what they were.
        """
        follower = cls(known=kept.position)
        follower.kept = kept
        for stream, many in kept.open.items():
            history = shoes[stream]
            opened = follower.shoes[stream] = OpenShoe(stream, instead_of(history))
            for event in history:
                opened.take(event, known=True)
            if len(opened.coups) != many:
                raise Stale
        return follower

    def take(self, events: Iterable[RecordedEvent]) -> None:
        """Take in events.

        Raises:
            Stale: one of them corrects what was taken in already.
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
                # the shoe is over, or not asked after
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
        if shoe.loaded is not None and shoe.name not in tests.begun and kept.scope.has_event(event):
            begin_shoe(tests, shoe)
        for coup in over:
            if kept.scope.has_coup(coup):
                observe_coup(kept.state, shoe, coup, self._listen)
        self._mark(opened, event, over=bool(over))
        if opened.over:
            self._close(tests, opened)
            tests.begun.pop(shoe.name, None)
            self._forget(stream)

    def _mark(self, opened: OpenShoe, event: RecordedEvent, *, over: bool) -> None:
        """Keep apart who is in a coup while it is played: what he learns elsewhere comes later."""
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
        """Make the tests of a whole shoe, if any coup of it is asked after."""
        shoe, watcher = opened.as_corrected(), opened.watcher
        coups = [coup for coup in opened.coups if self.kept.scope.has_coup(coup)]
        if watcher is None or not (coups or watcher.seen.broken or not opened.coups):
            return
        if shoe.pack is not None and shoe.pack.game != GAME:
            tests.shoes += 1
            tests.skipped.append(
                (shoe.name, f"no test was made: they are of {GAME}, not of {shoe.pack.game}")
            )
            return
        close_shoe(tests, shoe, watcher.seen, coups)

    def tests(self) -> ShoeTests:
        """Return the tests of whole shoes, those in play among them."""
        if not self.shoes:
            return self.kept.state.shoes
        tests = deepcopy(self.kept.state.shoes)
        for opened in self.shoes.values():
            self._close(tests, opened)
        return tests
