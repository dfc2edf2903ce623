"""The inventory of cards: every batch, from delivery to destruction."""

from collections.abc import Iterable, Sequence
from typing import Final

from sabot.domain.events import card_batch as c
from sabot.domain.state.batch_state import Batch
from sabot.infrastructure.reports.model import Column, Figures, Moment, Report, Row, Table, Value
from sabot.infrastructure.reports.records import Records, times_of

KIND: Final = "card-inventory"
TITLE: Final = "Inventory of cards"

_COLUMNS: Final = (
    Column("batch", "batch"),
    Column("received_at", "received", "time"),
    Column("source", "received from", weight=2),
    Column("received", "decks received", "count"),
    Column("inspected", "inspected", "count"),
    Column("preshuffled", "pre-shuffled", "count"),
    Column("issued_to", "issued to", weight=2),
    Column("returned", "returned", "count"),
    Column("sorted", "sorted", "count"),
    Column("missing", "cards missing", "count"),
    Column("extra", "extra cards", "count"),
    Column("marked", "marked cards", "count"),
    Column("reported", "reported to", weight=2),
    Column("destroyed", "decks destroyed", "count"),
    Column("destroyed_by", "destroyed by, witness", weight=2),
    Column("decks", "decks held", "count"),
    Column("where", "place"),
)
_COUNTS: Final = (
    Column("at", "time", "time"),
    Column("batch", "batch"),
    Column("kind", "count"),
    Column("by", "by"),
    Column("counted", "counted", "count"),
    Column("due", "on record", "count"),
    Column("difference", "difference", "count"),
)


def card_inventory(records: Records) -> Report:
    """Return the batches of cards in their state at the end of the period, with their counts."""
    batches = records.batches
    rows = tuple(_row(batch) for batch in batches)
    counts = tuple(row for batch in batches for row in _counts(batch, records))
    sections = (
        _stock(batches),
        Table(
            "batches",
            "Batches",
            _COLUMNS,
            rows,
            empty="The record has no batch of cards.",
            notes=(
                (
                    'A batch is shown as it was at the end of the period. "Inspected", '
                    '"pre-shuffled", "returned" and "sorted" count how often that was done.'
                ),
            ),
        ),
        Table(
            "counts",
            "Counts in the period",
            _COUNTS,
            counts,
            empty="No batch was counted in this period.",
        ),
    )
    return Report(KIND, TITLE, sections)


def _stock(batches: Sequence[Batch]) -> Figures:
    return Figures(
        "stock",
        "Stock",
        (
            ("batches on record", len(batches)),
            ("decks received", sum(map(_received, batches))),
            ("decks destroyed", sum(map(_destroyed, batches))),
            ("decks left", sum(batch.decks for batch in batches)),
            ("cards missing", sum(_cards(batch, "missing") for batch in batches)),
            ("cards extra", sum(_cards(batch, "extra") for batch in batches)),
            ("cards marked", sum(_cards(batch, "marked") for batch in batches)),
        ),
    )


def _received(batch: Batch) -> int:
    return sum(event.payload.decks for event in batch.received)


def _destroyed(batch: Batch) -> int:
    return _received(batch) - batch.decks if batch.destroyed else 0


def _cards(batch: Batch, kind: str) -> int:
    return sum(int(getattr(defect.payload, kind)) for defect in batch.defects)


def _row(batch: Batch) -> Row:
    times = times_of(batch.history)
    first = batch.received[0] if batch.received else None
    tables = dict.fromkeys(stay.table for stay in batch.stays)
    reports = dict.fromkeys(
        defect.reported.payload.to for defect in batch.defects if defect.reported is not None
    )
    cards: list[Value] = [
        _cards(batch, kind) if batch.sortings or batch.defects else None
        for kind in ("missing", "extra", "marked")
    ]
    return (
        batch.name,
        Moment(times[first.index]) if first is not None else None,
        _joined(event.payload.source for event in batch.received),
        _received(batch) if first is not None else None,
        len(batch.inspected),
        len(batch.preshuffled),
        _joined(tables),
        sum(stay.returned is not None for stay in batch.stays),
        len(batch.sortings),
        *cards,
        _joined(reports),
        _destroyed(batch),
        _joined(map(_hands, (event.payload for event in batch.destroyed))),
        batch.decks,
        batch.where,
    )


def _hands(payload: c.CardsDestroyed) -> str:
    return f"{payload.by}, {payload.witness}" if payload.witness else payload.by


def _joined(names: Iterable[str]) -> str | None:
    return "; ".join(dict.fromkeys(names)) or None


def _counts(batch: Batch, records: Records) -> list[Row]:
    times = times_of(batch.history)
    return [
        (
            Moment(times[tally.counted.index]),
            batch.name,
            tally.payload.kind,
            tally.payload.by,
            tally.payload.decks,
            tally.due,
            tally.payload.decks - tally.due,
        )
        for tally in batch.tallies
        if records.scope.covers(times[tally.counted.index])
    ]
