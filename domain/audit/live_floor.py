"""The audit of the floor while it is open: each breach once, as soon as its fact is there.

Batches of cards and tables are folded on with each fact of theirs; of a shoe the floor keeps
what it has to know. The floor is judged again whenever a batch or a table has a new fact, what it
knows of a shoe is otherwise than before, or a shoe has a fact of its cards or its end. A breach
that no longer holds then is withdrawn.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from domain import facts as f
from domain.audit.dealt import clock
from domain.audit.finding import Finding
from domain.audit.floor import Floor, ShoeTrace, floor_of, trace_of
from domain.audit.floor_engine import audit_floor
from domain.audit.news import News, Standing
from domain.audit.rulebook import FLOOR_RULES
from domain.custody import Batch
from domain.custody import evolve as evolve_batch
from domain.event import Event
from domain.facts import bank as k
from domain.shoe import Shoe
from domain.table import Table
from domain.table import evolve as evolve_table

_OF_THE_FLOOR: Final = (
    f.ShoeLoaded, f.CardsInspected, f.CardBurned, f.BetAbandoned, f.ShoeEnded, f.FactCorrected,
    k.SessionCalled,
)  # fmt: skip
"""Facts of a shoe after which the floor has to be judged again."""

_NOT_LIVE: Final = frozenset(rule.code for rule in FLOOR_RULES if not rule.live)


class LiveFloor:
    """Follows batches, tables and shoes together; ``standing`` is what was told and holds still."""

    def __init__(self, floor: Floor, told: Iterable[Finding] = ()) -> None:
        """Take the floor as it is, and what was told of it."""
        self.standing = Standing(told)
        self._batches = {batch.stream: batch for batch in floor.batches}
        self._tables = {table.stream: table for table in floor.tables.values()}
        self._shoes = {shoe.name: shoe for shoe in floor.shoes}
        self._changed = True

    def add(self, event: Event) -> None:
        """Take in the next fact of a batch or a table."""
        stream = event.stream
        if stream.startswith("cards/"):
            batch = self._batches.get(stream) or Batch(stream)
            self._batches[stream] = evolve_batch(batch, event)
        else:
            table = self._tables.get(stream) or Table(stream)
            self._tables[stream] = evolve_table(table, event)
        self._changed = True

    def version(self, stream: str) -> int:
        """Return the version of the last fact of a batch or a table; 0 where it has none."""
        known = self._batches.get(stream) or self._tables.get(stream)
        return known.version if known is not None else 0

    def see(self, shoe: Shoe, events: Iterable[Event]) -> None:
        """Take notice of a shoe that has got these facts."""
        before, trace = self._shoes.get(shoe.name), trace_of(shoe)
        self._shoes[shoe.name] = trace
        known = (
            before is not None
            and replace(before, last=trace.last, dealt=trace.dealt) == trace
            and before.dealt.begun_as(trace.dealt)
            and (before.dealt == trace.dealt or not self._is_beside(trace))
        )
        if not known or any(isinstance(event.fact, _OF_THE_FLOOR) for event in events):
            self._changed = True

    def _is_beside(self, trace: ShoeTrace) -> bool:
        """Tell whether a card behind the first of a coup says more than that one did.

        It does where the table closed or opened since, or another shoe was begun at it.
        """
        began = trace.dealt.last_begun.us
        table = self._tables.get(f"table/{trace.table}")
        if table is not None and (not table.is_open or clock(table.history[-1]) >= began):
            return True
        return any(
            other.table == trace.table and other.dealt and other.dealt.first.us >= began
            for other in self._shoes.values()
            if other.name != trace.name
        )

    def news(self) -> list[News]:
        """Return what is found now and was not told, or was told and is otherwise now."""
        if not self._changed:
            return []
        self._changed = False
        floor = floor_of(self._batches.values(), self._tables.values(), self._shoes.values())
        return self.standing.news(
            audit_floor(floor).findings,
            lambda _each: True,
            lambda each: each.code not in _NOT_LIVE,
        )
