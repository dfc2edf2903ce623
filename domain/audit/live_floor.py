"""The audit of the floor while it is open: each breach once, as soon as its fact is there.

Batches of cards and tables are folded on with each fact of theirs; of a shoe the floor keeps
what it has to know. The floor is judged again whenever a batch or a table has a new fact, or a
shoe has one that speaks of its cards, its end or an abandoned bet.
"""

from collections.abc import Iterable
from typing import Final

from domain import facts as f
from domain.audit.finding import Finding
from domain.audit.floor import Floor, floor_of, trace_of
from domain.audit.floor_engine import audit_floor
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
    """Follows batches, tables and shoes together; ``told`` are fingerprints of what was found."""

    def __init__(self, floor: Floor) -> None:
        """Take the floor as it is, judged or not."""
        self.told: set[str] = set()
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
        self._shoes[shoe.name] = trace_of(shoe)
        if any(isinstance(event.fact, _OF_THE_FLOOR) for event in events):
            self._changed = True

    def findings(self) -> list[Finding]:
        """Return what is found now and was not told before."""
        if not self._changed:
            return []
        self._changed = False
        floor = floor_of(self._batches.values(), self._tables.values(), self._shoes.values())
        new = [
            found
            for found in audit_floor(floor).findings
            if found.fingerprint not in self.told and found.code not in _NOT_LIVE
        ]
        self.told.update(found.fingerprint for found in new)
        return new
