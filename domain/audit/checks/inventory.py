"""Rules on the stock of cards.

They cover counts, defective cards and their replacement.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Literal, get_args

from sabot.domain.audit import floor_needs
from sabot.domain.audit.checks.custody import destroyed_cards_reused
from sabot.domain.audit.event_words import unmatched_of_batch
from sabot.domain.audit.fingerprints import identity_of_event
from sabot.domain.audit.floor_view import MINUTE_US, BatchView, ShoeSummary, time_of
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import Each, RuleGroup, code_of, each, need
from sabot.domain.events import Event, ShoeEnded, ShoeLoaded
from sabot.domain.events.card_batch import (
    CardsCounted,
    CardsDestroyed,
    CardsFoundBad,
    CardsIssued,
    CardsReceived,
    CardsReturned,
    CardsSealed,
    CardsSorted,
    DefectReported,
)
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.events.labels import event_noun
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_40,
    CMR_205_146_49,
    HOUSE_CONVENTION,
    LAC_42_III_3106,
    LAC_42_III_4323,
    NJAC_13_69E_1_18,
    NYCRR_9_5322_15,
)
from sabot.domain.state.batch_state import Defect, Tally
from sabot.domain.timeline.sequence import (
    DEFECT_REPORTED,
    RECONCILED_IN_TIME,
    STOCK_COUNTED_IN_TIME,
)

STOCK = RuleGroup(family="integrity", concerns="game")
STOCK_IN_TIME = RuleGroup(family="procedure", concerns="game")

# -- Counts ---------------------------------------------------------------------------------------


@each("count", "no count of the cards was recorded", "record-incomplete", "batch")
def _counts(view: BatchView) -> Sequence[Tally]:
    """Return each count of the cards."""
    return view.batch.tallies


@STOCK.rule(
    "V601",
    "card-inventory-mismatch",
    sources=(NJAC_13_69E_1_18, CMR_205_146_49),
    looks_at="batch",
    needs=(floor_needs.begins_with_delivery,),
    each=_counts,
    follows_from=("shoe-batch-mismatch", code_of(destroyed_cards_reused)),
    breach_events=(CardsCounted, CardsReceived, CardsDestroyed),
    breaks="""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-counted {"decks": 7, "by": "sue"}
    """,
    keeps="""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-counted {"decks": 8, "by": "sue"}
    """,
)
def card_inventory_mismatch(view: BatchView, tally: Tally) -> Iterator[Breach]:
    """A count finds as many decks as were received and not destroyed, wherever they are.

    The deliveries and destructions recorded before the count are added up. A destruction that names
    no number destroys all decks. A count of any kind is judged. A count that is too high or too low
    by the same number as the count before it is not a further breach.
    """
    off = _off(tally)
    earlier = view.batch.tallies[: view.batch.tallies.index(tally)]
    if off and off not in map(_off, earlier[-1:]):
        yield Breach(
            f"{tally.payload.decks} decks were counted where {tally.due} should be",
            f"{tally.due} decks: those received and not destroyed",
            f"{tally.payload.decks} decks",
            (tally.counted, *(_behind_excess(view, tally) if off > 0 else ())),
            key=identity_of_event(tally.counted, view.batch.history),
        )


def _behind_excess(view: BatchView, tally: Tally) -> list[RecordedEvent]:
    """Return the deliveries, and the destruction of all decks before a count that is too high."""
    gone = [each for each in view.batch.given_up if each.position < tally.counted.position]
    return [*view.batch.received, *events_of(CardsDestroyed, gone[-1:])]


def _off(tally: Tally) -> int:
    """Return by how many decks a count is too high; negative if it is too low."""
    return tally.payload.decks - tally.due


_Interval = tuple[RecordedEvent, RecordedEvent | None]
"""The event that begins an interval between counts, and the event that ends it, if any."""


def _between_counts(kind: Literal["reconciliation", "stock"]) -> Each[BatchView, _Interval]:
    """Return the subjects of a rule on time between counts of one kind.

    A delivery or a count begins an interval. A count or the destruction of all decks ends it.
    """

    @each("time between two counts", None)
    def intervals(view: BatchView) -> Sequence[_Interval]:
        """Return the intervals between two counts, from the first delivery to the destruction.

        The first interval begins at the first recorded delivery. A further delivery begins an
        interval only after all decks were destroyed. V602 uses counts of the kind reconciliation,
        and V603 counts of the stock. A count that names no kind is a reconciliation. A count is
        ignored if no deck is due, as before a delivery or after the destruction.
        """
        batch = view.batch
        marks: list[RecordedEvent] = [batch.received[0], *batch.renewed]
        marks += [each.counted for each in batch.tallies if each.payload.kind == kind and each.due]
        marks += [each for each in batch.given_up if is_of(each, CardsDestroyed)]
        marks.sort(key=attrgetter("position"))
        ends = zip(marks, (*marks[1:], None), strict=True)
        return [(one, end) for one, end in ends if not is_of(one, CardsDestroyed)]

    return intervals


@STOCK_IN_TIME.ordered(
    "V602",
    "late-card-reconciliation",
    RECONCILED_IN_TIME,
    concerns="form",
    sources=(NJAC_13_69E_1_18, CMR_205_146_49),
    looks_at="batch",
    needs=(
        *floor_needs.CLOCKED_WITH_A_DELIVERY,
        floor_needs.custody_says(
            "how often cards are reconciled", lambda custody: custody.count_hours is not None
        ),
    ),
    each=_between_counts("reconciliation"),
    breach_events=(CardsReceived, CardsCounted),
    breaks="""
        with custody.count_hours = 24
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        +20h
        shoe H-1 {"batch": "B-1"}
        +20h
        cards B-1 cards-destroyed {"by": "sam"}
    """,
    keeps="""
        with custody.count_hours = 24
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        +20h
        shoe H-1 {"batch": "B-1"}
        cards B-1 cards-counted {"decks": 8, "by": "sue"}
        +20h
        cards B-1 cards-destroyed {"by": "sam"}
    """,
)
def late_card_reconciliation(view: BatchView, interval: _Interval) -> Compared:
    """Cards are reconciled within the rule pack's interval, from delivery to destruction.

    The time after the last reconciliation ends at the destruction of all decks, or else at the
    latest event of the cards, their shoes and their present table. Each interval that is too long
    is a breach. The clock tolerance of the rule pack is allowed on top.
    """
    return _counted_within(view, interval, "reconciliation")


@STOCK_IN_TIME.ordered(
    "V603",
    "late-stock-count",
    STOCK_COUNTED_IN_TIME,
    concerns="form",
    sources=(CMR_205_146_49, LAC_42_III_4323),
    looks_at="batch",
    needs=(
        *floor_needs.CLOCKED_WITH_A_DELIVERY,
        floor_needs.custody_says(
            "how often the stock is counted", lambda custody: custody.stock_days is not None
        ),
    ),
    each=_between_counts("stock"),
    breach_events=(CardsReceived, CardsCounted),
    breaks="""
        with custody.stock_days = 92
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        +100d
        shoe H-1 {"batch": "B-1"}
    """,
    keeps="""
        with custody.stock_days = 92
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        +90d
        shoe H-1 {"batch": "B-1"}
    """,
)
def late_stock_count(view: BatchView, interval: _Interval) -> Compared:
    """The stock is counted within the rule pack's interval, from delivery to destruction.

    The time after the last count of the stock ends at the destruction of all decks, or else at the
    latest event of the cards, their shoes and their present table. Each interval that is too long
    is a breach. The clock tolerance of the rule pack is allowed on top.
    """
    return _counted_within(view, interval, "count of the stock")


def _counted_within(view: BatchView, interval: _Interval, count: str) -> Compared:
    since, until = interval
    return Compared(
        [since],
        [until] if until else [],
        lambda time: f"no {count} for {time}",
        events=(since,),
        key=identity_of_event(since, view.batch.history),
    )


# -- Bad cards ------------------------------------------------------------------------------------


@each("defect", "no bad card was found", about="batch")
def _defects(view: BatchView) -> Sequence[Defect]:
    """Return each event in which bad cards were found, as such or while sorting."""
    return view.batch.defects


@STOCK_IN_TIME.rule(
    "V604",
    "unreported-bad-cards",
    needs=(floor_needs.clocks_comparable,),
    order=(DEFECT_REPORTED,),
    sources=(ARRETE_2007_ART_40, NYCRR_9_5322_15),
    looks_at="batch",
    each=_defects,
    breach_events=(CardsFoundBad, CardsSorted, DefectReported),
    live=False,
    breaks="""
        with custody.report_minutes = 15
        shoe H-1 {"batch": "B-1"}
        cards B-1 cards-found-bad {"by": "dora", "marked": 1}
        +1h
        cards B-1 defect-reported {"to": "surveillance", "by": "sue"}
    """,
    keeps="""
        with custody.report_minutes = 15
        shoe H-1 {"batch": "B-1"}
        cards B-1 cards-found-bad {"by": "dora", "marked": 1}
        +14m
        cards B-1 defect-reported {"to": "surveillance", "by": "sue"}
    """,
)
def unreported_bad_cards(view: BatchView, defect: Defect) -> Iterator[Breach]:
    """Missing, extra and marked cards are reported, within the minutes that the rule pack sets.

    One report covers all defects found before it. If the rule pack sets minutes, the time from the
    find to the report is compared with them. Without a report, this time ends at the latest event
    of the cards, their shoes and their present table. The clock tolerance is allowed on top. With
    or without minutes, a missing report is a breach once the cards were handled or loaded again. A
    live audit does not report a breach, since the report may arrive later.
    """
    found, reported, minutes = defect.found, defect.reported, view.custody.report_minutes
    moved = any(event.position > found.position for event in view.batch.moves)
    loaded = any(view.surely_before(time_of(found), shoe.begins) for shoe in view.shoes)
    waited = (view.latest_us if reported is None else time_of(reported)) - time_of(found)
    late = minutes is not None and waited > minutes * MINUTE_US + view.tolerance_us
    if late or (reported is None and (moved or loaded)):
        yield Breach(
            "cards that were missing, extra or marked were not reported at once",
            "a report at once" + ("" if minutes is None else f": within {minutes} minutes"),
            f"reported after {waited // MINUTE_US} minutes" if reported else "not reported",
            (found, *((reported,) if reported is not None else ())),
            key=identity_of_event(found, view.batch.history),
        )


def _bad_cards(view: BatchView) -> list[RecordedEvent]:
    """Return the events that found or sealed defective cards, by clock time."""
    bad: list[RecordedEvent] = [defect.found for defect in view.batch.defects]
    bad += [seal.closed for seal in view.batch.seals if seal.purpose == "evidence"]
    return sorted(bad, key=time_of)


@need("batch", "no bad card was found, and none were sealed as evidence", "nothing-to-check")
def bad_cards_found(view: BatchView) -> bool:
    """Bad cards were found, or cards were sealed as evidence."""
    return bool(_bad_cards(view))


@STOCK_IN_TIME.rule(
    "V605",
    "bad-cards-reused",
    sources=(NYCRR_9_5322_15, ARRETE_2007_ART_40, LAC_42_III_3106),
    family="integrity",
    looks_at="batch",
    needs=(floor_needs.clocks_comparable, floor_needs.custody_stated, bad_cards_found),
    breach_events=(ShoeLoaded, CardsFoundBad, CardsSorted, CardsSealed),
    breaks="""
        with custody.report_minutes = 15
        cards B-1 cards-found-bad {"by": "dora", "marked": 1}
        cards B-1 defect-reported {"to": "surveillance", "by": "sue"}
        shoe H-1 {"batch": "B-1"}
    """,
    keeps="""
        with custody.report_minutes = 15
        cards B-1 cards-found-bad {"by": "dora", "marked": 1}
        cards B-1 defect-reported {"to": "surveillance", "by": "sue"}
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        shoe H-1 {"batch": "B-1"}
    """,
)
def bad_cards_reused(view: BatchView) -> Iterator[Breach]:
    """Cards that were found bad, or sealed as evidence, are replaced before a shoe is loaded.

    Cards are replaced if new ones were delivered, or old ones destroyed, after the find and before
    the shoe was loaded. The number of cards is not compared. Cards that were missing or extra, but
    not marked, also count as replaced if the cards were inspected or sorted since without another
    find. For each defect, only the first shoe certainly loaded after it is judged. If any seal for
    evidence was closed when that shoe was loaded, M606 reports the shoe, and no defect is judged.
    Several defects before one shoe are one finding.
    """
    told_of = set()
    for event in _bad_cards(view):
        shoe = next(
            (each for each in view.shoes if view.surely_before(time_of(event), each.begins)), None
        )
        if shoe is None or shoe.name in told_of:
            continue
        if _sealed_as_evidence(view, shoe) or _replaced(view, event, shoe):
            continue
        told_of.add(shoe.name)
        yield Breach(
            f"shoe {shoe.name} was loaded with cards of which some had been found bad",
            "bad cards are replaced, sealed and signed for",
            "dealt again without a replacement",
            (*shoe.loading, event),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


def _may_precede(view: BatchView, event: RecordedEvent | None, shoe: ShoeSummary) -> bool:
    """Return whether there is such an event, and the shoe was not certainly loaded before it."""
    return event is not None and not view.surely_before(shoe.begins, time_of(event))


def _sealed_as_evidence(view: BatchView, shoe: ShoeSummary) -> bool:
    """Return whether a seal for evidence may have been closed when a shoe was loaded."""
    return any(
        seal.purpose == "evidence"
        and _may_precede(view, seal.closed, shoe)
        and not _may_precede(view, seal.opened, shoe)
        for seal in view.batch.seals
    )


def _replaced(view: BatchView, event: RecordedEvent, shoe: ShoeSummary) -> bool:
    """Return whether bad cards were replaced before a loading.

    They were replaced if new cards came, old ones were destroyed, or a missing card was found.
    """
    batch = view.batch
    fresh: list[RecordedEvent] = [*batch.received, *batch.destroyed]
    defect = next((each.payload for each in batch.defects if each.found is event), None)
    if defect is not None and not defect.marked:
        fresh += [*batch.inspected, *batch.sortings]
    found = {each.found.position for each in batch.defects}
    return any(
        time_of(event) < time_of(each)
        and _may_precede(view, each, shoe)
        and each.position not in found
        for each in fresh
    )


_Counted = tuple[ShoeSummary, int]
"""A shoe, and the surplus in its final count of cards (negative: cards missing)."""


@each("counted shoe", "no shoe of the batch was counted at its end", about="shoe")
def _counted_shoes(view: BatchView) -> Sequence[_Counted]:
    """Return each shoe whose cards were counted at its end, with the surplus.

    A shoe that was not counted, or of which the record holds only the coups, is not checked. A shoe
    to which cards return in play is checked only if all its cards were counted, or if more cards
    remained than the shoe has.
    """
    return [(shoe, shoe.off) for shoe in view.shoes if shoe.off is not None]


@STOCK_IN_TIME.rule(
    "V606",
    "unreported-miscount",
    needs=(floor_needs.clocks_comparable,),
    sources=(ARRETE_2007_ART_40,),
    family="integrity",
    looks_at="batch",
    each=_counted_shoes,
    follows_from=("card-count-mismatch",),
    breach_events=(ShoeEnded,),
    live=False,
    breaks="""
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"} open
        shoe H-1 shoe-ended {"left": 409, "reason": "withdrawn"}
        cards B-1 cards-returned {"by": "sam"}
    """,
    also=("card-count-mismatch",),
    keeps="""
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"} open
        shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}
        cards B-1 cards-returned {"by": "sam"}
    """,
)
def unreported_miscount(view: BatchView, counted: _Counted) -> Iterator[Breach]:
    """A missing or extra card at the end of a shoe is recorded as a defect of its batch.

    A breach is reported only if the clocks show that the cards were handled, or loaded again, after
    the end of the shoe. Counts, finds of bad cards and reports of defects are not handling. Any
    recorded defect of missing or extra cards is accepted, unless it was certainly found before the
    shoe was loaded. The number of cards is not compared. The defect may be recorded later, so a
    live audit reports no breach. If counts of the shoe differ, the one furthest off is used. A
    batch without events is not checked. M608 reports it where the rule pack requires issues.
    """
    shoe, off = counted
    if off and _went_on(view, shoe) and not _noted(view, shoe):
        what = "short" if off < 0 else "too many"
        said = f"{abs(off)} card{'s' if abs(off) > 1 else ''} {what}"
        yield Breach(
            f"shoe {shoe.name} ended {said}, which was not recorded for its batch",
            "a missing or extra card is recorded as a defect of its batch",
            f"{said}, and no defect recorded",
            (shoe.ended,) if shoe.ended is not None else (),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


def _noted(view: BatchView, shoe: ShoeSummary) -> bool:
    return any(
        not view.surely_before(time_of(defect.found), shoe.begins)
        and (defect.payload.missing or defect.payload.extra)
        for defect in view.batch.defects
    )


def _went_on(view: BatchView, shoe: ShoeSummary) -> bool:
    """Return whether the cards were certainly handled or loaded after the shoe ended."""
    assert shoe.ended is not None
    later = [time_of(event) for event in view.batch.moves] + [each.begins for each in view.shoes]
    return any(view.surely_before(time_of(shoe.ended), at) for at in later)


@each("unmatched event", None, about="batch")
def _unmatched(view: BatchView) -> Sequence[RecordedEvent]:
    """Return each event that refers to something never recorded, or is not an event of cards."""
    return view.batch.unmatched_events


@STOCK.rule(
    "R403",
    "unmatched-batch-event",
    sources=(HOUSE_CONVENTION,),
    concerns="record",
    looks_at="batch",
    each=_unmatched,
    follows_from=("cards-not-issued-to-table",),
    breach_events=get_args(Event),
    breaks="""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-returned {"by": "sam"}
    """,
    keeps="""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        cards B-1 cards-returned {"by": "sam"}
    """,
)
def unmatched_batch_event(view: BatchView, event: RecordedEvent) -> Iterator[Breach]:
    """Every event of a batch rests on an earlier one: a return on an issue, a report on a defect.

    An opening needs a seal that is still closed, whatever number it names. It must not name a
    maker's seal that was opened already. M606 compares the numbers. The outermost closed seal is
    not closed again with its number and purpose. Another seal on top is permitted. A report needs a
    defect that is not reported yet. A return ends every issue to its table. If it names a table, it
    needs an issue to that table. If the record begins with a delivery, no more decks may be
    destroyed than there are. M601 reports a destruction after that of all decks. Nothing else is
    checked, except that a batch's record holds only events of cards.
    """
    yield Breach(
        unmatched_of_batch(event.payload),
        "every event refers to earlier events",
        f"{event_noun(event.payload)}, without the event that comes before it",
        (event, *_issue_before(view, event)),
        key=identity_of_event(event, view.batch.history),
    )


def _issue_before(view: BatchView, event: RecordedEvent) -> list[RecordedEvent[CardsIssued]]:
    """Return the last issue before a return of cards: they are not where it says."""
    if not is_of(event, CardsReturned):
        return []
    issued = [stay.issued for stay in view.batch.stays]
    return [each for each in issued if each.position < event.position][-1:]


RULES = (*STOCK.rules, *STOCK_IN_TIME.rules)
"""Every rule of this module."""
