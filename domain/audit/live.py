"""What is told of an audit that goes on: what was found, what changed, what no longer holds.

The audit of a shoe that is still being dealt: each breach once, as soon as its event is there.

After each batch of events the shoe as a whole is judged again, and of its coups those that the
events speak of, their neighbours, the one in play, and those whose events stand in another order at
the table than before; a correction, and the end of the shoe, have every coup judged again. So the
cost of an event does not grow with the coups that are over. A breach that no longer holds then is
withdrawn, and one that is otherwise than it was told is told again.

Where several devices tell of a shoe, and the pack says what their clocks are worth, a breach waits
until each of them has spoken of a later moment: what one has not told yet may be on its way. It
waits no longer than until two more coups have begun, or the shoe has ended; and if it is no breach
any more by then, nobody is told of it.

The audit of the floor while it is open: each breach once, as soon as its event is there.

Batches of cards and tables are folded on with each event of theirs; of a shoe the floor keeps
what it has to know. The floor is judged again whenever a batch or a table has a new event, what it
knows of a shoe is otherwise than before, or a shoe has an event of its cards or its end. A breach
that no longer holds then is withdrawn.
"""

from collections.abc import Callable, Iterable
from itertools import dropwhile, zip_longest
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit.engine import audit_floor, judge_part
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.floor_view import Floor, ShoeSummary, floor_of, summary_of, time_of
from sabot.domain.audit.rulebook import FLOOR_RULES, RULES, SHOE_RULES
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.batch_state import Batch
from sabot.domain.state.batch_state import evolve as evolve_batch
from sabot.domain.state.shoe import Shoe, evolve
from sabot.domain.state.table_state import Table
from sabot.domain.state.table_state import evolve as evolve_table
from sabot.domain.timeline.ordering import Span, order_of

if TYPE_CHECKING:
    from sabot.domain.audit.verdicts import InDoubt


class FindingChange(Struct, frozen=True):
    """A finding, and what became of it: ``withdrawn`` as it was told last, else as it is now."""

    told: Literal["found", "changed", "withdrawn"]
    finding: Finding


class Standing:
    """The findings that were told and not withdrawn: what an audit of the whole would find."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        """Take what was told before."""
        self._told = {finding.fingerprint: finding for finding in findings}

    def __contains__(self, finding: Finding) -> bool:
        """Tell whether a finding was told, and not withdrawn; as it is now, or otherwise."""
        return finding.fingerprint in self._told

    @property
    def findings(self) -> list[Finding]:
        """The findings that stand, in the order in which they were told."""
        return list(self._told.values())

    def changes(
        self,
        found: Iterable[Finding],
        judged: Callable[[Finding], bool],
        tells: Callable[[Finding], bool],
    ) -> list[FindingChange]:
        """Take in what is found now; return what is to be told of it.

        Args:
            found: what is found.
            judged: whether a finding that stands would be among them if it held.
            tells: whether a finding that does not stand is told now.
        """
        now = {finding.fingerprint: finding for finding in found}
        news = [
            FindingChange("withdrawn", finding)
            for mark, finding in self._told.items()
            if mark not in now and judged(finding)
        ]
        for mark, finding in now.items():
            before = self._told.get(mark)
            if before is None and tells(finding):
                news.append(FindingChange("found", finding))
            elif before is not None and before != finding:
                news.append(FindingChange("changed", finding))
        for each in news:
            if each.told == "withdrawn":
                del self._told[each.finding.fingerprint]
            else:
                self._told[each.finding.fingerprint] = each.finding
        return news


_EVERY_COUP: Final = (ev.EventCorrected, ev.ShoeEnded, ev.ShoeLoaded)
"""Facts after which a coup that is over may have to be judged otherwise."""

_NOT_LIVE: Final = frozenset(rule.code for rule in RULES if not rule.live)
_OF_SHOES: Final = frozenset(rule.code for rule in SHOE_RULES if rule.looks_at != "coup")

_OF_ONE_DEVICE: Final = ("clock-jump",)
"""Rules that look at one device alone: nothing that another has to tell speaks against them."""

_WAITS: Final = 2
"""How many coups later a breach is told though a device has not spoken since."""


class _Waiting(NamedTuple):
    """When a breach was first found: the latest clock so far, and how many coups there were."""

    clock_us: int
    coup: int
    coups: int


_Placed = tuple[int, Span | None, int | None]
"""The index of an event, when it happened, and the coup that it speaks of."""


class LiveAudit:
    """Follows one shoe; ``standing`` is what was told of it and holds still.

    ``in_doubt`` is what the last `changes` could not judge anew, since an order is doubtful.
    """

    def __init__(self, shoe: Shoe, told: Iterable[Finding] = ()) -> None:
        """Take a shoe as it is, and what was told of it; `changes` begins with all of its coups."""
        self.shoe = shoe
        self.standing = Standing(told)
        self.in_doubt: list[InDoubt] = []
        self._doubted: set[InDoubt] = set()
        self._touched: set[int] = set(shoe.coups)
        self._order: list[_Placed] = []
        self._clocks: dict[str, int] = {}
        self._waiting: dict[str, _Waiting] = {}
        for event in shoe.history:
            self._note_clock(event)

    def know_doubts(self) -> None:
        """Take what cannot be judged of the shoe as it stands now for told: it was, of an audit."""
        if not self.shoe.history:
            return
        if self.shoe.at_table is not None or at_the_table(self.shoe).order is not None:
            self._doubted.update(judge_part(self.shoe, self.shoe.coups)[1])

    @property
    def is_over(self) -> bool:
        """Whether the shoe has ended."""
        return self.shoe.ended is not None

    def add(self, event: RecordedEvent) -> None:
        """Take in the shoe's next event."""
        table = self.shoe.at_table
        self.shoe = evolve(self.shoe, event)
        # a correction makes another shoe of it
        self.shoe.at_table = table
        self._note_clock(event)
        if isinstance(event.payload, _EVERY_COUP):
            self._touched.update(self.shoe.coups)
            return
        number = _coup_of(event)
        self._touch(max(self.shoe.coups, default=0) if number is None else number)
        if self.shoe.current is not None:
            self._touched.add(self.shoe.current.number)

    def see_table(self, table: Table | None) -> None:
        """Take the record of its table, as it is now: every coup may be judged otherwise by it."""
        self.shoe.at_table = table
        self._touched.update(self.shoe.coups)

    def changes(self) -> list[FindingChange]:
        """Return what is found now and was not told, or was told and is otherwise now."""
        self._touched.update(each.coup for each in self._waiting.values())
        self._touch_what_moved()
        touched, coups = self._touched, self.shoe.coups
        self._touched = set()
        found, in_doubt = judge_part(self.shoe, touched)
        new = {each.fingerprint for each in found if each not in self.standing}
        self._waiting = {key: each for key, each in self._waiting.items() if key in new}
        self.in_doubt = sorted(
            {each for each in in_doubt if each.code not in _NOT_LIVE} - self._doubted,
            key=lambda each: (each.coup or 0, each.code, each.reason),
        )
        self._doubted.update(self.in_doubt)
        return self.standing.changes(
            found,
            lambda each: each.code in _OF_SHOES or each.coup in touched or each.coup not in coups,
            lambda each: each.code not in _NOT_LIVE and not self._device_may_lag(each),
        )

    def _touch(self, coup: int) -> None:
        """Have a coup judged again, and its neighbours."""
        self._touched.update((coup - 1, coup, coup + 1))

    def _touch_what_moved(self) -> None:
        """Have the coups judged again whose events stand elsewhere at the table than before."""
        clocks = self.shoe.pack.clocks if self.shoe.pack is not None else None
        order = order_of(self.shoe.history, clocks)
        events = order.events if order is not None else []
        spans = order.spans if order is not None else {}
        placed = [(event.index, spans.get(event.position), _coup_of(event)) for event in events]
        pairs = zip_longest(self._order, placed)
        for was, now in dropwhile(lambda pair: pair[0] == pair[1], pairs):
            for _, _, coup in filter(None, (was, now)):
                if coup is not None:
                    self._touch(coup)
        self._order = placed

    def _note_clock(self, event: RecordedEvent) -> None:
        """Keep the latest clock of each device."""
        if event.at_us is not None:
            self._clocks[event.device] = max(event.at_us, self._clocks.get(event.device, 0))

    def _device_may_lag(self, finding: Finding) -> bool:
        """Tell whether a device may have told of something that is still on its way."""
        pack = self.shoe.pack
        if self.is_over or len(self._clocks) <= 1 or finding.code in _OF_ONE_DEVICE:
            return False
        if pack is None or pack.clocks is None:
            return False
        coups = len(self.shoe.coups)
        since = self._waiting.setdefault(
            finding.fingerprint,
            _Waiting(max(self._clocks.values()), finding.coup or 0, coups),
        )
        spoken = min(self._clocks.values()) >= since.clock_us
        if not spoken and coups < since.coups + _WAITS:
            return True
        del self._waiting[finding.fingerprint]
        return False


def _coup_of(event: RecordedEvent) -> int | None:
    """Return the coup that an event speaks of."""
    return getattr(cast("Any", event.payload), "coup", None)


_OF_THE_FLOOR: Final = (
    ev.ShoeLoaded, ev.CardsInspected, ev.CardBurned, ev.BetAbandoned, ev.ShoeEnded,
    ev.EventCorrected, bank_ev.SessionCalled,
)  # fmt: skip
"""Facts of a shoe after which the floor has to be judged again."""

_FLOOR_NOT_LIVE: Final = frozenset(rule.code for rule in FLOOR_RULES if not rule.live)


class LiveFloor:
    """Follows batches, tables and shoes together; ``standing`` is what was told and holds still."""

    def __init__(self, floor: Floor, told: Iterable[Finding] = ()) -> None:
        """Take the floor as it is, and what was told of it."""
        self.standing = Standing(told)
        self._batches = {batch.stream: batch for batch in floor.batches.values()}
        self._tables = {table.stream: table for table in floor.tables.values()}
        self._shoes = {shoe.name: shoe for shoe in floor.shoes}
        self._changed = True

    def add(self, event: RecordedEvent) -> None:
        """Take in the next event of a batch or a table."""
        stream = event.stream
        if stream.startswith("cards/"):
            batch = self._batches.get(stream) or Batch(stream)
            self._batches[stream] = evolve_batch(batch, event)
        else:
            table = self._tables.get(stream) or Table(stream)
            self._tables[stream] = evolve_table(table, event)
        self._changed = True

    def version(self, stream: str) -> int:
        """Return the version of the last event of a batch or a table; 0 where it has none."""
        known = self._batches.get(stream) or self._tables.get(stream)
        return known.version if known is not None else 0

    def note_shoe(self, shoe: Shoe, events: Iterable[RecordedEvent]) -> None:
        """Take notice of a shoe that has got these events."""
        before, trace = self._shoes.get(shoe.name), summary_of(shoe)
        self._shoes[shoe.name] = trace
        known = (
            before is not None
            and replace(before, last=trace.last, dealt=trace.dealt) == trace
            and before.dealt.begun_as(trace.dealt)
            and (before.dealt == trace.dealt or not self._is_beside(trace))
        )
        if not known or any(isinstance(event.payload, _OF_THE_FLOOR) for event in events):
            self._changed = True

    def _is_beside(self, trace: ShoeSummary) -> bool:
        """Tell whether a card behind the first of a coup says more than that one did.

        It does where the table closed or opened since, or another shoe was begun at it.
        """
        began = trace.dealt.last_begun.us
        table = self._tables.get(f"table/{trace.table}")
        if table is not None and (not table.is_open or time_of(table.history[-1]) >= began):
            return True
        return any(
            other.table == trace.table and other.dealt and other.dealt.first.us >= began
            for other in self._shoes.values()
            if other.name != trace.name
        )

    def changes(self) -> list[FindingChange]:
        """Return what is found now and was not told, or was told and is otherwise now."""
        if not self._changed:
            return []
        self._changed = False
        floor = floor_of(self._batches.values(), self._tables.values(), self._shoes.values())
        return self.standing.changes(
            audit_floor(floor).findings,
            lambda _each: True,
            lambda each: each.code not in _FLOOR_NOT_LIVE,
        )
