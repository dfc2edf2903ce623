"""Find what the late corrections of tables and of batches of cards removed.

The floor is audited again without the late corrections of each record. A breach counts as removed
if all of its events were on record when the last of the corrections was made.

Cost: one more audit of the floor for each table or batch with a late correction.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from sabot.domain.audit.corrected_records import removed_findings, table_without
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.floor_view import Floor, floor_of
from sabot.domain.audit.late_corrections import Correction, late_corrections
from sabot.domain.events import Event
from sabot.domain.state.batch_state import Batch
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.table_state import Table


class RecordCorrections(Struct, frozen=True):
    """The late corrections in the record of a table or a batch, and the breaches that they remove.

    ``corrected`` are the original events, None for an event that is not on record. ``made`` are
    findings that exist only with the corrections.
    """

    stream: str
    corrections: tuple[Correction, ...]
    corrected: tuple[Event | None, ...]
    removed: tuple[Finding, ...]
    made: tuple[Finding, ...]

    def explains(self, finding: Finding) -> bool:
        """Return whether a finding exists only because of the corrections."""
        known = {each.code for each in self.removed}
        made = any(each.fingerprint == finding.fingerprint for each in self.made)
        return made and finding.code not in known


def view_record_corrections(
    floor: Floor, found: list[Finding], audit: Callable[[Floor], list[Finding]]
) -> Iterator[RecordCorrections]:
    """Yield the late corrections of each table and batch, with their effects.

    Args:
        floor: the floor, with corrections applied.
        found: the findings of its audit.
        audit: a function that returns the findings of a floor.
    """
    records: list[Batch | Table] = [*floor.batches.values(), *floor.tables.values()]
    for record in records:
        late = [
            (correction, corrected)
            for _, correction, corrected in late_corrections(record.history)
            if record.corrections
        ]
        if not late:
            continue
        corrections = tuple(dict.fromkeys(correction for correction, _ in late))
        last = max(correction.index for correction in corrections)
        before = audit(_without(floor, record, {correction.index for correction in corrections}))
        yield RecordCorrections(
            record.stream,
            corrections,
            tuple(corrected for _, corrected in late),
            removed=tuple(
                finding
                for finding in removed_findings(before, found)
                if max(finding.events, default=0) < last
            ),
            made=tuple(removed_findings(found, before)),
        )


def _without(floor: Floor, record: Batch | Table, indexes: set[int]) -> Floor:
    """Return the floor without some events of one record."""
    batches, tables = dict(floor.batches), dict(floor.tables)
    if isinstance(record, Batch):
        kept = (event for event in record.history if event.index not in indexes)
        batches[record.name] = fold_batch(record.stream, kept)
    else:
        tables[record.name] = table_without(record, indexes)
    return floor_of(batches.values(), tables.values(), floor.shoes, floor.stored)
