"""Rules on the batch of cards that a shoe names: it is on record, and the shoe consists of it."""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from sabot.domain.audit import floor_needs
from sabot.domain.audit.floor_view import BatchView, Floor, ShoeSummary, time_of
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import ShoeLoaded
from sabot.domain.events import card_batch as c
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_39,
    ARRETE_2007_ART_55_14,
    NJAC_13_69E_1_18,
    NJAC_13_69E_1_18A,
)

BATCHES = RuleGroup(family="integrity", concerns="game")


@BATCHES.rule(
    "M603",
    "shoe-batch-mismatch",
    sources=(ARRETE_2007_ART_55_14, NJAC_13_69E_1_18A),
    family="composition",
    looks_at="batch",
    needs=(floor_needs.delivered,),
    each=floor_needs.shoes,
    breach_events=(ShoeLoaded, c.CardsReceived),
    breaks="""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam", "backs": ["purple"]}
        shoe H-1 {"batch": "B-1", "backs": ["red"]}
    """,
    keeps="""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam", "backs": ["red"]}
        shoe H-1 {"batch": "B-1", "backs": ["red"]}
    """,
)
def shoe_batch_mismatch(view: BatchView, shoe: ShoeSummary) -> Iterator[Breach]:
    """A shoe has no more decks than its batch has left, and the back colours of its delivery.

    The batch has the decks of the deliveries before the shoe, less the decks destroyed before it.
    The backs of a shoe have only colours of these deliveries. A shoe of all their decks has every
    one of these colours. New cards, delivered after all decks were destroyed, are compared alone.
    Backs are not compared where a delivery or the loading names none. A shoe before every delivery
    is not judged. If some decks were destroyed, and only some events of cards and shoes have times
    of the table's clock, the number of decks is judged only against all deliveries. If all decks
    were destroyed before the shoe, M601 reports it.
    """
    came = _deliveries(view, shoe)
    backs = sorted({back for event in came for back in event.payload.backs})
    shown = sorted(set(shoe.backs))
    is_known = shown and all(event.payload.backs for event in came)
    is_whole = shoe.decks >= sum(event.payload.decks for event in came)
    if came and is_known and (shown != backs if is_whole else not {*shown} <= {*backs}):
        yield _not_of_batch(view, shoe, f"backs {', '.join(backs)}", ", ".join(shown))
    decks = _decks_left(view, shoe)
    if decks and shoe.decks > decks:
        yield _not_of_batch(view, shoe, f"{decks} decks at most", f"{shoe.decks} decks")


def _deliveries(view: BatchView, shoe: ShoeSummary) -> list[RecordedEvent[c.CardsReceived]]:
    return view.deliveries(shoe) if view.order_known else view.batch.received


def _not_of_batch(view: BatchView, shoe: ShoeSummary, required: str, shown: str) -> Breach:
    return Breach(
        f"shoe {shoe.name} does not consist of the batch that it names",
        required,
        shown,
        (*shoe.loading, _deliveries(view, shoe)[0]),
        shoe=shoe.name,
        key=("shoe", shoe.name, required.rsplit(maxsplit=1)[-1]),
    )


def _decks_left(view: BatchView, shoe: ShoeSummary) -> int:
    """Return the highest possible number of decks in a shoe.

    It is the number of decks received, less those destroyed before the shoe. If the result is 0,
    destroyed cards were used again, and another rule reports that.

    Raises:
        Unknown: it is not known which decks were destroyed before the shoe.
    """
    batch, decks, delivered = view.batch, 0, 0
    moves: list[RecordedEvent[c.CardsReceived | c.CardsDestroyed]]
    moves = [*_deliveries(view, shoe), *batch.destroyed]
    for event in sorted(moves, key=attrgetter("position")):
        match event.payload:
            case c.CardsReceived(decks=more):
                decks += more
                delivered += more
            case c.CardsDestroyed(decks=less):
                if view.surely_before(time_of(event), shoe.begins):
                    decks -= min(decks, less or decks)
    if batch.destroyed and not view.order_known:
        if shoe.decks > delivered:
            return delivered
        raise floor_needs.clocks_apart()
    return decks


@need("rules", "no rule pack requires recorded issues of cards", "not-required")
def issues_asked_for(floor: Floor) -> bool:
    """The rule pack of a shoe requires that the issue of cards is recorded."""
    return any(shoe.custody.issued for shoe in floor.shoes)


@each(
    "shoe",
    "no shoe whose rule pack requires recorded issues names its batch",
    "record-incomplete",
    "shoe",
)
def _shoes_with_batches(floor: Floor) -> Sequence[ShoeSummary]:
    """Return each shoe that names its batch and whose rule pack requires recorded issues.

    A shoe is not checked if it names no batch, or if its rule pack requires no record of issues.
    """
    return [shoe for shoe in floor.shoes if shoe.custody.issued and shoe.batch is not None]


@BATCHES.rule(
    "M608",
    "unrecorded-batch",
    concerns="record",
    sources=(NJAC_13_69E_1_18, ARRETE_2007_ART_39),
    looks_at="floor",
    needs=(issues_asked_for,),
    each=_shoes_with_batches,
    breach_events=(ShoeLoaded,),
    live=False,
    breaks="""
        with custody.issued = true
        shoe H-1 {"table": "T1", "batch": "B-1"}
    """,
    keeps="""
        with custody.issued = true
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"}
    """,
)
def unrecorded_batch(floor: Floor, shoe: ShoeSummary) -> Iterator[Breach]:
    """The batch of cards in a shoe is on record.

    Any event of the batch is enough, even a later one; M607 checks the issue. A live audit does not
    report a breach, since the record of the batch may arrive later.
    """
    if shoe.batch not in floor.batches:
        yield Breach(
            f"shoe {shoe.name} was dealt with batch {shoe.batch}, which is not on record",
            "a batch that is on record",
            "no event of the batch",
            shoe.loading,
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


RULES = (*BATCHES.rules,)
"""Every rule of this module."""
