"""Rules of issue: cards reach a table by being issued to it, and their batch is on record."""

from domain.audit.dealt import clock
from domain.audit.floor import BatchView, Floor, ShoeTrace
from domain.audit.rule import Answer, Breach, Rule
from domain.custody import Stay


def _not_issued(view: BatchView) -> Answer:
    if not view.batch.stays and not (view.custody and view.custody.issued):
        return "no issue to a table was recorded"
    shoes = [shoe for shoe in view.shoes if shoe.table is not None]
    if not shoes:
        return (
            "no shoe was loaded with the batch"
            if not view.shoes
            else "no shoe of the batch names its table"
        )
    return tuple(
        Breach(
            f"shoe {shoe.name} was dealt at {shoe.table} with cards that were not issued there",
            f"cards issued to {shoe.table} from the loading of the shoe to its end",
            _whereabouts(view.batch.stays, shoe),
            (shoe.loaded,) if shoe.loaded is not None else (),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for shoe in shoes
        if not any(_covers(stay, shoe, view.tolerance_us) for stay in view.batch.stays)
    )


def _covers(stay: Stay, shoe: ShoeTrace, tolerance: int) -> bool:
    """Tell whether the cards were at the shoe's table from its loading to its last fact."""
    returned = stay.returned
    return (
        stay.table == shoe.table
        and clock(stay.issued) <= shoe.begins + tolerance
        and (returned is None or clock(returned) + tolerance >= shoe.ends)
    )


def _whereabouts(stays: list[Stay], shoe: ShoeTrace) -> str:
    if not stays:
        return "never issued"
    there = [stay for stay in stays if clock(stay.issued) <= shoe.begins]
    last = there[-1] if there else None
    if last is None:
        return "not issued yet"
    if last.returned is None or clock(last.returned) > shoe.begins:
        until = "" if last.table != shoe.table else ", and returned before the shoe ended"
        return f"issued to {last.table}{until}"
    return f"returned from {last.table} before"


def _unrecorded(floor: Floor) -> Answer:
    asked = [shoe for shoe in floor.shoes if shoe.custody is not None and shoe.custody.issued]
    if not asked:
        return "no pack asks that the issue of cards be recorded"
    named = [shoe for shoe in asked if shoe.batch is not None]
    if not named:
        return "no shoe names its batch"
    kept = {batch.name for batch in floor.batches}
    return tuple(
        Breach(
            f"shoe {shoe.name} was dealt with batch {shoe.batch}, of which nothing was recorded",
            "a batch is on record from its issue on",
            "no fact of the batch",
            (shoe.loaded,) if shoe.loaded is not None else (),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for shoe in named
        if shoe.batch not in kept
    )


RULES = (
    Rule(
        "cards-were-dealt-where-they-were-not-issued",
        "integrity",
        "high",
        "Cards reach a table by being issued to it, and stay there until they are returned.",
        ("field-facts.md 3 A22, 4 (cooler: a custody gap)",),
        on_batch=_not_issued,
        by_clock=True,
    ),
    Rule(
        "batch-was-never-recorded",
        "integrity",
        "high",
        "Of cards that nobody recorded nobody knows where they lay, and who had them.",
        ("field-facts.md 3 A22", "NJ 13:69E-1.18(b)"),
        on_floor=_unrecorded,
        live=False,
    ),
)
