"""Compute a record's state without some of its corrections."""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.foreign_events import set_foreign_aside
from sabot.domain.audit.late_corrections import (
    FIXED_BY_FIRST_CARD,
    Late,
    late_loadings,
    numbers_of,
)
from sabot.domain.audit.patron_spellings import with_one_spelling
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.events import ShoeLoaded
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.state.table_state import Table
from sabot.domain.state.table_state import fold as fold_table

_NOT_CORRECTED_LATE: Final = (*FIXED_BY_FIRST_CARD, "pack_sha256", "pack_named")
"""What a loading declares that no correction changes after the first card."""


def as_audited(shoe: Shoe) -> Shoe:
    """Return the shoe that the rules check: in the order of the table, by its own game.

    Each patron has one spelling of the name. The loading is that of `as_loaded`.
    """
    return as_loaded(set_foreign_aside(at_the_table(with_one_spelling(shoe))))


def as_loaded(shoe: Shoe) -> Shoe:
    """Return a shoe with its loading as it was recorded before the first card.

    A later correction of its rule pack, decks, coverage, table or batch is a finding (R405) and has
    no effect on the other rules. What else it corrects is in effect.
    """
    late = late_loadings(shoe.history) if shoe.corrections else []
    if not late:
        return shoe
    first = without_corrections(shoe, late)
    kept = {} if first.loaded is None else _corrected_otherwise(late, first.loaded.payload)
    loaded = without_corrections(shoe, late, kept) if kept else first
    loaded.history, loaded.corrections = shoe.history, shoe.corrections
    loaded.seqs_in_other_streams = shoe.seqs_in_other_streams
    return loaded


def _corrected_otherwise(late: Late, declared: ShoeLoaded) -> dict[int, RecordedEvent]:
    """Return late corrections of a loading, limited to what they may change, by log index.

    Those that change nothing else are left out.
    """
    fixed = {name: getattr(declared, name) for name in _NOT_CORRECTED_LATE}
    kept: dict[int, RecordedEvent] = {}
    for correction, _ in late:
        instead = correction.payload.instead
        if isinstance(instead, ShoeLoaded) and replace(instead, **fixed) != declared:
            payload = replace(correction.payload, instead=replace(instead, **fixed))
            kept[correction.index] = replace(correction, payload=payload)
    return kept


def without_corrections(
    shoe: Shoe, late: Late, in_place: Mapping[int, RecordedEvent] = MappingProxyType({})
) -> Shoe:
    """Return a shoe's state without some corrections of its record and of its table's.

    Args:
        shoe: the shoe.
        late: the corrections.
        in_place: events that take the place of some of them, by log index.
    """
    indexes = {correction.index for correction, _ in late}
    gone = indexes - in_place.keys()
    kept = (event for event in shoe.history if event.index not in gone)
    other = _of_events(shoe, (in_place.get(event.index, event) for event in kept), indexes)
    known = shoe.seqs_in_other_streams
    other.seqs_in_other_streams = known if known == {} else {**(known or {}), **numbers_of(late)}
    return set_foreign_aside(at_the_table(other))


def record_before(shoe: Shoe, event: RecordedEvent) -> Shoe:
    """Return a shoe's state just before an event was recorded."""
    of_table = shoe.at_table.history if shoe.at_table is not None else ()
    later = {each.index for each in of_table if each.index >= event.index}
    before = (each for each in shoe.history if each.index < event.index)
    earlier = _of_events(shoe, before, later)
    earlier.seqs_in_other_streams = shoe.seqs_in_other_streams
    return set_foreign_aside(at_the_table(earlier))


def _of_events(shoe: Shoe, events: Iterable[RecordedEvent], gone: Collection[int]) -> Shoe:
    """Return the state after some events of a shoe, at a table that lacks those of ``gone``."""
    other = fold(shoe.stream, events)
    other.at_table = shoe.at_table
    if shoe.at_table is not None and shoe.at_table.corrections:
        other.at_table = table_without(shoe.at_table, gone)
    return other


def table_without(table: Table, indexes: Collection[int]) -> Table:
    """Return a table's state without the events at these indexes."""
    return fold_table(table.stream, (e for e in table.history if e.index not in indexes))
