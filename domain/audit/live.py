"""Audit shoes and the floor while events arrive.

Each finding is reported once. A finding is reported as soon as its events are recorded. It is
reported again if it changes, and withdrawn if it no longer holds.

Shoes: after each batch of events the rules on the whole shoe are applied again. The rules on coups
are applied to the coups of those events, to their neighbours, to the coup in play, and to coups
whose events changed their order at the table. A correction, the loading and the end of the shoe,
and the opening of its order, cause an audit of all coups. So the cost of an event does not grow
with the number of finished coups.

Where several devices record a shoe and the pack gives the accuracy of their clocks, a breach is
held until each device has reported a later time. An event of a slow device may still explain it.
The wait ends after two more coups, or with the shoe. A breach that no longer holds by then is not
reported.

Floor: batches and tables are updated with each event, and each shoe is kept as a summary. The floor
is audited again when a batch or a table has a new event, when the summary of a shoe changes, or
when a shoe has an event about its cards or its end.
"""

from collections.abc import Callable, Collection, Iterable
from itertools import dropwhile, islice, zip_longest
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit.engine import audit_floor, judge_part
from sabot.domain.audit.explained_findings import OF_ONE_CAUSE
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.floor_corrections import summary_with_corrections
from sabot.domain.audit.floor_view import Floor, ShoeSummary, floor_of, time_of
from sabot.domain.audit.patron_spellings import with_one_spelling
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
    """A finding that is new, changed or withdrawn.

    A ``withdrawn`` finding has the details last reported; any other finding has its present
    details.
    """

    told: Literal["found", "changed", "withdrawn"]
    finding: Finding


class Standing:
    """The findings that were reported and not withdrawn.

    They equal the findings of a full audit of the events so far, except for the findings still held
    back.
    """

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        """Take the findings reported earlier."""
        self._told = {finding.fingerprint: finding for finding in findings}

    def __contains__(self, finding: Finding) -> bool:
        """Return whether a finding is reported, even with other details."""
        return finding.fingerprint in self._told

    @property
    def findings(self) -> list[Finding]:
        """The current findings, in the order of their reports."""
        return list(self._told.values())

    def changes(
        self,
        found: Iterable[Finding],
        judged: Callable[[Finding], bool],
        tells: Callable[[Finding], bool],
    ) -> list[FindingChange]:
        """Update the findings, and return the changes to report.

        Args:
            found: the findings of the latest audit.
            judged: returns whether the latest audit covered this finding, so that it would have
                found it again.
            tells: returns whether to report a new finding now instead of holding it back.
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


_EVERY_COUP: Final = (ev.EventCorrected, ev.OrderOpened, ev.ShoeEnded, ev.ShoeLoaded)
"""Events after which every coup must be audited again."""

_NOT_LIVE: Final = frozenset(rule.code for rule in RULES if not rule.live)
_OF_SHOES: Final = frozenset(rule.code for rule in SHOE_RULES if rule.looks_at != "coup")

_OF_ONE_DEVICE: Final = ("clock-jump",)
"""Rules about one device alone, which events of other devices cannot explain."""

_LAST: Final = 3
"""The number of coups at the end of a shoe whose numbers a further coup may put in place."""

_WAITS: Final = 2
"""The number of further coups after which a breach is reported although a device lags."""


class _Waiting(NamedTuple):
    """A breach that is held back, with the state of the clocks when it was first found.

    ``clock_us`` is the latest clock at that time, ``coup`` the breach's coup, and ``coups`` the
    number of coups at that time.
    """

    clock_us: int
    coup: int
    coups: int


_Placed = tuple[int, Span | None, int | None]
"""The log index of an event, the interval of its time, and its coup."""


class LiveAudit:
    """Audits one shoe as its events arrive.

    ``standing`` are the findings reported that still hold. ``in_doubt`` are the checks that the
    last `changes` newly skipped because an order is unknown.
    """

    def __init__(self, shoe: Shoe, told: Iterable[Finding] = ()) -> None:
        """Take a shoe and the findings reported on it.

        The first `changes` audits all its coups.
        """
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
        """Mark the present checks in doubt as reported, because an earlier audit reported them."""
        if not self.shoe.history:
            return
        if self.shoe.at_table is not None or at_the_table(self.shoe).order is not None:
            self._doubted.update(judge_part(self.shoe, self.shoe.coups)[1])

    @property
    def is_over(self) -> bool:
        """Whether the shoe has ended."""
        return self.shoe.ended is not None

    def add(self, event: RecordedEvent) -> None:
        """Apply the shoe's next event."""
        table = self.shoe.at_table
        self.shoe = evolve(self.shoe, event)
        # a correction makes `evolve` return another shoe
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
        """Take the record of the table. Audit every coup again."""
        self.shoe.at_table = table
        self._touched.update(self.shoe.coups)

    def changes(self) -> list[FindingChange]:
        """Audit the coups that recent events concern, and return the changes of findings.

        These are new, changed and withdrawn findings.
        """
        self._touched.update(each.coup for each in self._waiting.values())
        self._touch_findings_of_one_cause()
        self._touch_what_moved()
        touched, coups = self._touched, self.shoe.coups
        self._touched = set()

        def judged(each: Finding) -> bool:
            return each.code in _OF_SHOES or each.coup in touched or each.coup not in coups

        stand = [each for each in self.standing.findings if not judged(each)]
        found, in_doubt = judge_part(self.shoe, touched, stand)
        new = {each.fingerprint for each in found if each not in self.standing}
        self._waiting = {key: each for key, each in self._waiting.items() if key in new}
        self.in_doubt = sorted(
            {each for each in in_doubt if each.code not in _NOT_LIVE} - self._doubted,
            key=lambda each: (each.coup or 0, each.code, each.reason),
        )
        self._doubted.update(self.in_doubt)
        return self.standing.changes(
            found,
            judged,
            lambda each: each.code not in _NOT_LIVE and not self._device_may_lag(each),
        )

    def _touch(self, coup: int) -> None:
        """Mark a coup and its neighbours for another audit.

        The last coups are among them, whatever their numbers: these may be out of place.
        """
        self._touched.update((coup - 1, coup, coup + 1))
        self._touched.update(islice(reversed(self.shoe.coups), _LAST))

    def _touch_findings_of_one_cause(self) -> None:
        """Mark the coups that a reported finding may concern, where it may concern several."""
        firsts = [each.coup for each in self.standing.findings if each.code in OF_ONE_CAUSE]
        first = min((coup for coup in firsts if coup is not None), default=None)
        if first is not None:
            self._touched.update(coup for coup in self.shoe.coups if coup >= first)

    def _touch_what_moved(self) -> None:
        """Mark coups whose events changed their order."""
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
        """Keep the latest clock of the event's device."""
        if event.at_us is not None:
            self._clocks[event.device] = max(event.at_us, self._clocks.get(event.device, 0))

    def _device_may_lag(self, finding: Finding) -> bool:
        """Return whether an event that happened before the breach may still arrive.

        That is possible while the latest clock of a device is before the time of the breach.
        """
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
    """Return the number of an event's coup."""
    return getattr(cast("Any", event.payload), "coup", None)


_OF_THE_FLOOR: Final = (
    ev.ShoeLoaded, ev.CardsInspected, ev.CardBurned, ev.BetAbandoned, ev.ShoeEnded,
    ev.EventCorrected, bank_ev.SessionCalled,
)  # fmt: skip
"""Events of a shoe after which the floor must be audited again."""

_FLOOR_NOT_LIVE: Final = frozenset(rule.code for rule in FLOOR_RULES if not rule.live)


class LiveFloor:
    """Audits batches, tables and shoes as events arrive.

    ``standing`` are the findings reported that still hold.
    """

    def __init__(self, floor: Floor, told: Iterable[Finding] = ()) -> None:
        """Take the floor and the findings reported on it."""
        self.standing = Standing(told)
        self._batches = {batch.stream: batch for batch in floor.batches.values()}
        self._tables = {table.stream: table for table in floor.tables.values()}
        self._shoes = {shoe.name: shoe for shoe in floor.shoes}
        self._changed = True

    def add(self, event: RecordedEvent) -> None:
        """Apply the next event of a batch or a table."""
        stream = event.stream
        if stream.startswith("cards/"):
            batch = self._batches.get(stream) or Batch(stream)
            self._batches[stream] = evolve_batch(batch, event)
        else:
            table = self._tables.get(stream) or Table(stream)
            self._tables[stream] = evolve_table(table, event)
        self._changed = True

    def version(self, stream: str) -> int:
        """Return the version of a batch's or table's last event. 0 where it has none."""
        known = self._batches.get(stream) or self._tables.get(stream)
        return known.version if known is not None else 0

    def note_shoe(
        self, shoe: Shoe, events: Iterable[RecordedEvent], found: Collection[Finding] = ()
    ) -> None:
        """Update the summary of a shoe with new events and its current findings."""
        before = self._shoes.get(shoe.name)
        trace = summary_with_corrections(with_one_spelling(shoe), found)
        self._shoes[shoe.name] = trace
        first = trace.uncorrected
        known = (
            before is not None
            and replace(before, last=trace.last, dealt=trace.dealt, uncorrected=first) == trace
            and before.dealt.begun_as(trace.dealt)
            and (before.dealt == trace.dealt or not self._is_beside(trace))
        )
        if not known or any(isinstance(event.payload, _OF_THE_FLOOR) for event in events):
            self._changed = True

    def _is_beside(self, trace: ShoeSummary) -> bool:
        """Return whether later cards of a coup affect the rules of the floor.

        They may if the table was closed or opened since the coup began, or another shoe was begun
        at the table.
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
        """Audit the floor if needed. Return new, changed and withdrawn findings."""
        if not self._changed:
            return []
        self._changed = False
        floor = floor_of(self._batches.values(), self._tables.values(), self._shoes.values())
        return self.standing.changes(
            audit_floor(floor).findings,
            lambda _each: True,
            lambda each: each.code not in _FLOOR_NOT_LIVE,
        )
