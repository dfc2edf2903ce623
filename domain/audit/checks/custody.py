"""Rules on custody of cards.

A batch is on record from its delivery. It is at one table at a time, to which it was issued. Cards
surrendered for destruction do not return.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import get_args

from sabot.domain.audit import floor_needs
from sabot.domain.audit.fingerprints import identity_of_event
from sabot.domain.audit.floor_view import BatchView, ShoeSummary, time_of
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import MAX_INT, CardsInspected, ShoeEvent, ShoeLoaded
from sabot.domain.events import card_batch as c
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.events.labels import event_noun
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_39,
    ARRETE_2007_ART_58,
    CMR_205_146_49,
    NJAC_13_69E_1_18,
    NSW_BACCARAT_RULE_3,
)
from sabot.domain.state.batch_state import TableIssue
from sabot.domain.timeline.sequence import ISSUED_FIRST, TIME_ON_TABLE

_HANDLED = (CardsInspected, c.CardsPreshuffled, c.SealOpened, c.CardsIssued, c.CardsReturned)
"""Events that handle cards which are still to be dealt."""

CUSTODY = RuleGroup(family="integrity", concerns="game")

# -- What was given up ----------------------------------------------------------------------------

_GivenUp = tuple[RecordedEvent, list[RecordedEvent]]
"""A destruction, or a seal for destruction, and later events that handled the cards."""


@each(
    "destruction", "the cards were neither destroyed nor sealed for destruction", "not-due", "batch"
)
def _given_up(view: BatchView) -> Sequence[_GivenUp]:
    """Return each destruction or sealing for destruction, with later uses of the cards.

    Cards are destroyed once no deck is left. A seal for another purpose is not checked. New cards
    that are delivered into the batch afterwards may be used.
    """
    batch = view.batch
    ends: list[RecordedEvent] = [*batch.destroyed]
    ends += [seal.closed for seal in batch.seals if seal.purpose == "destruction"]
    found: dict[int, _GivenUp] = {end.position: (end, []) for end in batch.given_up}
    for event in batch.reused:
        before = [end for end in ends if end.position < event.position]
        end = max(before, key=attrgetter("position"))
        found.setdefault(end.position, (end, []))[1].append(event)
    return list(found.values())


@CUSTODY.rule(
    "M601",
    "destroyed-cards-reused",
    needs=(floor_needs.clocks_comparable,),
    sources=(ARRETE_2007_ART_39, NJAC_13_69E_1_18),
    looks_at="batch",
    each=_given_up,
    breach_events=(c.CardsDestroyed, c.CardsSealed, *_HANDLED, c.CardsSorted, ShoeLoaded),
    breaks="""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-destroyed {"by": "sam", "witness": "sue"}
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
    """,
    keeps="""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        cards B-1 cards-destroyed {"by": "sam", "witness": "sue"}
    """,
)
def destroyed_cards_reused(view: BatchView, given_up: _GivenUp) -> Iterator[Breach]:
    """Cards destroyed or sealed for destruction are not handled or dealt again.

    After the destruction every event of the cards is a breach, even another destruction. A count, a
    defect found or reported, and a delivery are not breaches. After a seal for destruction, only
    issuing or pre-shuffling the cards is a breach. All later uses are one finding. Without such an
    event, a shoe is reported if the clocks show that it was loaded after the destruction and before
    a delivery.
    """
    end, handled = given_up
    said = "destroyed" if isinstance(end.payload, c.CardsDestroyed) else "sealed for destruction"
    required = "cards destroyed or sealed for destruction are not used again"
    if handled:
        yield Breach(
            f"batch {view.batch.name} was handled after it was {said}",
            required,
            f"{event_noun(handled[0].payload)} after it was {said}",
            (handled[0], end, *handled[1:]),
            key=identity_of_event(handled[0], view.batch.history),
        )
        return
    later = (*view.batch.given_up, *view.batch.received)
    until = min((time_of(each) for each in later if each.position > end.position), default=MAX_INT)
    for shoe in view.shoes:
        if view.surely_before(time_of(end), shoe.begins) and view.surely_before(shoe.begins, until):
            yield Breach(
                f"shoe {shoe.name} was loaded with cards that had been {said}",
                required,
                f"loaded after it was {said}",
                (*shoe.loading, end),
                shoe=shoe.name,
                key=("shoe", shoe.name),
            )


# -- Where cards are ------------------------------------------------------------------------------


@need("batch", "the cards were not issued, nor loaded into a shoe", "not-due")
def in_use(view: BatchView) -> bool:
    """The cards were issued to a table, or loaded into a shoe."""
    return bool(view.batch.stays or view.shoes)


@CUSTODY.rule(
    "M602",
    "cards-in-two-places",
    sources=(NJAC_13_69E_1_18,),
    looks_at="batch",
    needs=(in_use,),
    breach_events=(c.CardsIssued, *get_args(ShoeEvent)),
    breaks="""
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        cards B-1 cards-issued {"table": "T2", "by": "sam"}
    """,
    keeps="""
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        cards B-1 cards-returned {"by": "sam"}
        cards B-1 cards-issued {"table": "T2", "by": "sam"}
    """,
)
def cards_in_two_places(view: BatchView) -> Iterator[Breach]:
    """The same cards are at only one table and in only one shoe at a time.

    The cards are at a table from their issue to their return, or until new cards are delivered
    after all of them were destroyed. Another issue to the same table is permitted, and one return
    ends both issues. The cards are in a shoe from its loading to its end, or to its last event if
    no end is on record. Each shoe is compared with the one loaded before it. Two shoes are reported
    only if the clocks show that they overlap. The shoes are not judged if only some events of the
    cards and their shoes have times of the table's clock. A batch without any event of its own on
    record is not checked; M608 reports it where the rule pack requires issues.
    """
    yield from _at_two_tables(view)
    yield from _in_two_shoes(view)


def _at_two_tables(view: BatchView) -> Iterator[Breach]:
    for stay in view.batch.stays:
        for first in stay.elsewhere[:1]:
            yield Breach(
                f"the cards were issued to {stay.table} while they were at {first.payload.table}",
                "cards come back from a table before they go to another",
                "no return in between",
                (stay.issued, *stay.elsewhere),
                key=(*identity_of_event(stay.issued, view.batch.history), first.payload.table),
            )


def _in_two_shoes(view: BatchView) -> Iterator[Breach]:
    if len(view.shoes) > 1 and not view.order_known:
        raise floor_needs.clocks_apart()
    for before, shoe in pairwise(view.shoes):
        if view.surely_before(shoe.begins, before.ends):
            yield Breach(
                f"shoe {shoe.name} got the cards of shoe {before.name}, which was still in play",
                "the same cards are in one shoe at a time",
                f"shoe {before.name} went on after that",
                (*shoe.loading, *((before.until,) if before.until is not None else ())),
                shoe=shoe.name,
                key=("shoe", shoe.name),
            )


# -- How long cards are used ----------------------------------------------------------------------


@each("shoe", "no shoe was loaded with the batch")
def _numbered_shoes(view: BatchView) -> Sequence[tuple[int, ShoeSummary]]:
    """Return each shoe loaded with the cards, counted from 1.

    The count starts again with new cards, delivered after all decks of the batch were destroyed.
    """
    shoes = Counter[int]()
    numbered: list[tuple[int, ShoeSummary]] = []
    for shoe in view.shoes:
        came = view.since(shoe)
        shoes[came] += 1
        numbered.append((shoes[came], shoe))
    return numbered


@CUSTODY.rule(
    "M604",
    "overused-cards",
    sources=(NSW_BACCARAT_RULE_3, ARRETE_2007_ART_58),
    family="procedure",
    concerns="form",
    looks_at="batch",
    needs=(
        floor_needs.clocks_comparable,
        floor_needs.custody_says(
            "for how many shoes the same cards are used", lambda custody: custody.shoes is not None
        ),
    ),
    each=_numbered_shoes,
    breach_events=(ShoeLoaded,),
    breaks="""
        with custody.shoes = 1
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        shoe H-1 {"batch": "B-1"}
        shoe H-2 {"batch": "B-1"}
    """,
    keeps="""
        with custody.shoes = 2
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        shoe H-1 {"batch": "B-1"}
        shoe H-2 {"batch": "B-1"}
    """,
)
def overused_cards(view: BatchView, numbered: tuple[int, ShoeSummary]) -> Iterator[Breach]:
    """No more shoes are dealt from the same cards than the rule pack allows.

    A shoe is counted from its loading, even if no card was drawn. Each shoe too many is a breach.
    A batch without any event of its own on record is not checked; M608 reports it where the rule
    pack requires issues.
    """
    (nth, shoe), most = numbered, view.custody.shoes or 0
    if nth > most:
        yield Breach(
            f"shoe {shoe.name}, number {nth} of its batch of cards, was loaded with used cards",
            f"new cards after {most} shoe{'s' if most > 1 else ''}",
            f"shoe number {nth} of the batch",
            shoe.loading,
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


@each("issue", "no issue to a table was recorded", "record-incomplete", "batch")
def _issues(view: BatchView) -> Sequence[TableIssue]:
    """Return each issue of the cards to a table."""
    return view.batch.stays


@CUSTODY.ordered(
    "M605",
    "cards-too-long-on-table",
    TIME_ON_TABLE,
    sources=(NJAC_13_69E_1_18, CMR_205_146_49),
    family="procedure",
    concerns="form",
    looks_at="batch",
    needs=(
        floor_needs.clocks_comparable,
        floor_needs.custody_says(
            "how long cards may stay at a table", lambda custody: custody.table_hours is not None
        ),
    ),
    each=_issues,
    breach_events=(c.CardsIssued, c.CardsReturned, c.CardsDestroyed),
    breaks="""
        with custody.table_hours = 24
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"}
        +25h
        cards B-1 cards-returned {"by": "sam"}
    """,
    keeps="""
        with custody.table_hours = 24
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"}
        +23h
        cards B-1 cards-returned {"by": "sam"}
    """,
)
def cards_too_long_on_table(view: BatchView, stay: TableIssue) -> Compared:
    """Cards are returned from a table within the hours that the rule pack allows.

    The time runs from the issue to the return of the cards, or else to the destruction of all of
    them. Without either, it runs to the latest event of the cards, their shoes and the last table
    that they did not return from. A seal, or an issue to another table, does not end this time. The
    clock tolerance of the rule pack is allowed on top.
    """
    destroyed = events_of(c.CardsDestroyed, view.batch.given_up)
    gone = [event for event in destroyed if event.position > stay.issued.position][:1]
    return Compared(
        [stay.issued],
        [stay.returned] if stay.returned else gone,
        lambda hours: f"the cards were at {stay.table} for {hours}",
        key=identity_of_event(stay.issued, view.batch.history),
    )


# -- Issue ----------------------------------------------------------------------------------------


@need("batch", "no issue to a table was recorded")
def issues_on_record(view: BatchView) -> bool:
    """The record holds an issue of the cards to a table, or the rule pack requires one."""
    return bool(view.batch.stays) or view.custody.issued


@each("shoe", "no shoe of the batch names its table", "record-incomplete", "shoe")
def _shoes_at_tables(view: BatchView) -> Sequence[ShoeSummary]:
    """Return each shoe that was loaded with the cards and names its table.

    A shoe that names no table is not checked.
    """
    return [shoe for shoe in view.shoes if shoe.table is not None]


@CUSTODY.rule(
    "M607",
    "cards-not-issued-to-table",
    order=(ISSUED_FIRST,),
    sources=(NJAC_13_69E_1_18,),
    looks_at="batch",
    needs=(floor_needs.clocks_comparable, issues_on_record, floor_needs.loaded),
    each=_shoes_at_tables,
    breach_events=(ShoeLoaded, c.CardsIssued, c.CardsReturned),
    breaks="""
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        cards B-1 cards-returned {"by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"}
    """,
    keeps="""
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"}
        cards B-1 cards-returned {"by": "sam"}
    """,
)
def cards_not_issued_to_table(view: BatchView, shoe: ShoeSummary) -> Iterator[Breach]:
    """Cards are issued to a table before a shoe is loaded with them there, and stay to its end.

    New cards, delivered after all decks were destroyed, need an issue of their own. A shoe without
    an end on record ends with its last event. Where the clocks leave the order open, no breach is
    reported. A batch without any event of its own on record is not checked; M608
    reports it where the rule pack requires issues.
    """
    stays = view.batch.stays
    if not any(_at_table_of(view, shoe, stay) for stay in stays):
        there = [stay for stay in stays if time_of(stay.issued) <= shoe.begins]
        last = there[-1] if there else None
        yield Breach(
            f"shoe {shoe.name} was dealt at {shoe.table} with cards that were not issued there",
            f"cards issued to {shoe.table} from the loading of the shoe to its end",
            _whereabouts(last, shoe) if last else "not issued yet" if stays else "never issued",
            (*shoe.loading, *(_last_move(last, shoe) if last else [])),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


def _at_table_of(view: BatchView, shoe: ShoeSummary, stay: TableIssue) -> bool:
    """Return whether the cards may have been at the shoe's table from its loading to its end."""
    at = time_of(stay.issued)
    if stay.table != shoe.table or view.surely_before(shoe.begins, at):
        return False
    if view.surely_before(at, view.since(shoe)):
        return False
    return stay.returned is None or not view.surely_before(time_of(stay.returned), shoe.ends)


def _last_move(last: TableIssue, shoe: ShoeSummary) -> list[RecordedEvent]:
    """Return the last issue before a shoe, and the return that left the shoe without it."""
    returned = last.returned
    if returned is None or (last.table != shoe.table and time_of(returned) > shoe.begins):
        return [last.issued]
    return [last.issued, returned]


def _whereabouts(last: TableIssue, shoe: ShoeSummary) -> str:
    """Return where the cards were at the loading of a shoe, by the last issue before it."""
    if last.returned is None or time_of(last.returned) > shoe.begins:
        until = "" if last.table != shoe.table else ", and returned before the shoe ended"
        return f"issued to {last.table}{until}"
    return f"returned from {last.table} before"


RULES = (*CUSTODY.rules,)
"""Every rule of this module."""
