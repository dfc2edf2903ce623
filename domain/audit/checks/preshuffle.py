"""Rules on inspection and pre-shuffle of cards before they go to a table."""

from collections.abc import Iterator, Sequence

from sabot.domain.audit import floor_needs
from sabot.domain.audit.fingerprints import identity_of_event
from sabot.domain.audit.floor_view import (
    BatchView,
    ShoeSummary,
    of_one_kind_of_clock,
    time_of,
)
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    CardBurned,
    CardDrawn,
    CardsInspected,
    CrewChanged,
    ShoeLoaded,
    TableOpened,
)
from sabot.domain.events.card_batch import CardsPreshuffled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_40,
    CMR_205_146_50,
    NJAC_13_69E_1_18A,
    NSW_BACCARAT_RULE_3,
    NYCRR_9_5322_15,
    NYCRR_9_5322_16,
)
from sabot.domain.timeline.evidence import answered
from sabot.domain.timeline.sequence import INSPECTED_FIRST
from sabot.domain.values.names import plain_name

PREPARATION = RuleGroup(family="procedure", concerns="game")

# -- Inspection and machines ----------------------------------------------------------------------


@PREPARATION.rule(
    "M609",
    "uninspected-cards",
    order=(INSPECTED_FIRST,),
    sources=(
        NJAC_13_69E_1_18A,
        NYCRR_9_5322_15,
        NYCRR_9_5322_16,
        ARRETE_2007_ART_40,
        NSW_BACCARAT_RULE_3,
    ),
    looks_at="batch",
    needs=(
        floor_needs.clocks_comparable,
        floor_needs.custody_says(
            "that cards are inspected before they are dealt", lambda custody: custody.inspected
        ),
    ),
    each=floor_needs.shoes,
    breach_events=(CardBurned, CardDrawn),
    breaks="""
        with custody.inspected = true
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        shoe H-1 {"batch": "B-1"}
    """,
    keeps="""
        with custody.inspected = true
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-inspected {"by": "ann"}
        shoe H-1 {"batch": "B-1"}
    """,
)
def uninspected_cards(view: BatchView, shoe: ShoeSummary) -> Iterator[Breach]:
    """The cards of a shoe are inspected, faces and backs, before the first is dealt.

    A burned card was dealt too. One inspection of the batch is enough for all its shoes, whether
    the record of the batch or that of a shoe has it. If every earlier deck was destroyed, the
    inspection has to come after the next delivery. A delivery beside earlier decks needs no new
    inspection. A shoe from which no card was dealt keeps the rule. If the clocks leave the order
    open, no breach is reported. A shoe without such an inspection is not judged if the record holds
    only the coups of this shoe, or of another shoe of the batch.
    """
    inspections = [*view.batch.inspected, *(s.inspected for s in view.shoes if s.inspected)]
    if shoe.first is None or any(_is_in_time(view, shoe, each) for each in inspections):
        return
    lacking = any(each.coups_alone for each in view.shoes)
    answered("the record may lack an inspection of the cards" if lacking else None)
    yield Breach(
        f"shoe {shoe.name} was dealt with cards that were not inspected",
        "an inspection of the cards before the first is dealt",
        "none of these cards before the first" if inspections else "none at all",
        (shoe.first,),
        shoe=shoe.name,
        key=("shoe", shoe.name),
    )


def _is_in_time(view: BatchView, shoe: ShoeSummary, inspection: RecordedEvent) -> bool:
    """Return whether cards of a shoe were inspected, possibly before its first card."""
    at = time_of(inspection)
    return not view.surely_before(at, view.since(shoe)) and (
        shoe.first is None or not view.surely_before(time_of(shoe.first), at)
    )


_MachineRun = RecordedEvent[CardsPreshuffled | CardsInspected]
_OF_A_RECEIPT = {"model": "model", "serial": "serial number", "receipt": "receipt number"}
"""The fields that a machine prints on its receipt."""


@each("machine run", "no machine inspected or shuffled the cards", about="batch")
def _machine_runs(view: BatchView) -> Sequence[_MachineRun]:
    """Return the pre-shuffles, and the inspections that name a machine.

    Every pre-shuffle is taken as made by a machine. An inspection whose record names no model,
    serial or receipt number is taken as made by hand and is not checked. An inspection in the
    record of a shoe is not checked.
    """
    batch, parts = view.batch, len(_OF_A_RECEIPT)
    return [*batch.preshuffled, *(each for each in batch.inspected if len(_lacking(each)) < parts)]


@PREPARATION.rule(
    "M610",
    "missing-preshuffle-receipt",
    concerns="record",
    sources=(NJAC_13_69E_1_18A, NYCRR_9_5322_16),
    looks_at="batch",
    needs=(
        floor_needs.custody_says(
            "that a machine leaves a receipt", lambda custody: custody.receipt
        ),
    ),
    each=_machine_runs,
    breach_events=(CardsPreshuffled, CardsInspected),
    breaks="""
        with custody.receipt = true
        cards B-1 cards-preshuffled {"by": "dora", "model": "MD3", "serial": "0417"}
        shoe H-1 {"batch": "B-1"}
    """,
    keeps="""
        with custody.receipt = true
        cards B-1 cards-preshuffled {"by": "dora", "model": "MD3", "serial": "0417", "receipt": "9"}
        shoe H-1 {"batch": "B-1"}
    """,
)
def missing_preshuffle_receipt(view: BatchView, run: _MachineRun) -> Iterator[Breach]:
    """A run of a machine is recorded with the machine's model, serial number and receipt number.

    The machine prints its model, serial number and receipt number on the receipt. The finding names
    each of these that is missing.
    """
    lacking = _lacking(run)
    if lacking:
        yield Breach(
            f"the record of a machine's run lacks the {' and the '.join(lacking)}",
            "model, serial number and receipt number of the machine",
            f"no {', no '.join(lacking)}",
            (run,),
            key=identity_of_event(run, view.batch.history),
        )


def _lacking(run: _MachineRun) -> list[str]:
    """Return the names of the missing fields of a receipt."""
    return [name for key, name in _OF_A_RECEIPT.items() if getattr(run.payload, key) is None]


# -- Pre-shuffle ----------------------------------------------------------------------------------

_Preshuffle = RecordedEvent[CardsPreshuffled]
_NO_PRESHUFFLE = "no pre-shuffle was recorded"
_SUPERVISOR_FREE = floor_needs.custody_says(
    "that the supervisor has no open table", lambda custody: custody.free_supervisor
)


@each("pre-shuffle", _NO_PRESHUFFLE, "record-incomplete", "batch")
def _preshuffles(view: BatchView) -> Sequence[_Preshuffle]:
    """Return each pre-shuffle of the cards."""
    return view.batch.preshuffled


@need("batch", _NO_PRESHUFFLE)
def preshuffled(view: BatchView) -> bool:
    """The record holds a pre-shuffle of the cards."""
    return bool(view.batch.preshuffled)


@each("pre-shuffle", "no pre-shuffle names its supervisor", "record-incomplete", "batch")
def _supervised(view: BatchView) -> Sequence[_Preshuffle]:
    """Return each pre-shuffle whose record names the supervisor who watched it.

    M612 reports a pre-shuffle that names no supervisor.
    """
    return [each for each in view.batch.preshuffled if each.payload.supervisor is not None]


@PREPARATION.rule(
    "M611",
    "preshuffle-supervisor-not-free",
    sources=(NJAC_13_69E_1_18A, NYCRR_9_5322_16, CMR_205_146_50),
    looks_at="batch",
    needs=(floor_needs.clocks_comparable, _SUPERVISOR_FREE, preshuffled),
    each=_supervised,
    breach_events=(CardsPreshuffled, TableOpened, CrewChanged, ShoeLoaded),
    breaks="""
        with custody.free_supervisor = true
        table T1 table-opened {"inventory": 1000, "crew": [{"post": "supervisor", "person": "sue"}]}
        cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}
        shoe H-1 {"batch": "B-1"}
    """,
    keeps="""
        with custody.free_supervisor = true
        table T1 table-opened {"inventory": 1000, "crew": [{"post": "supervisor", "person": "sid"}]}
        cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}
        shoe H-1 {"batch": "B-1"}
    """,
)
def preshuffle_supervisor_not_free(view: BatchView, preshuffle: _Preshuffle) -> Iterator[Breach]:
    """A supervisor who watches a pre-shuffle has no open table at that time.

    A table is open to its supervisor while its record, or that of a shoe there, names that person
    at the post of supervisor. A post in the record of a table lasts until another event ends it. A
    post in the record of a shoe ends with the shoe at the latest, or with the last event of the
    shoe if its end is not on record. A breach is reported only if the clocks show that the table
    was open at the moment of the pre-shuffle. A post whose times are not of the same kind of clock
    is not judged. Each open table is a breach of its own.
    """
    supervisor = preshuffle.payload.supervisor or ""
    for table, since in _tables_of(view, supervisor, preshuffle):
        yield Breach(
            f"{supervisor} watched a pre-shuffle with table {table} open",
            "a supervisor who has no open table meanwhile",
            f"supervisor of {table}",
            (preshuffle, since),
            key=(*identity_of_event(preshuffle, view.batch.history), table),
        )


def _tables_of(
    view: BatchView, person: str, at: RecordedEvent
) -> Iterator[tuple[str, RecordedEvent]]:
    """Yield the tables that a person supervised at an event.

    Each comes with the event by which the person began to supervise it.

    Raises:
        Unknown: the clocks of one of the tables cannot be compared with that of the event.
    """
    seen = set()
    apart = False
    for table, post in view.floor.supervised.get(plain_name(person), []):
        if not of_one_kind_of_clock((at, post.since, post.until)):
            apart = True
            continue
        there = view.surely_before(time_of(post.since), time_of(at)) and (
            post.until is None or view.surely_before(time_of(at), time_of(post.until))
        )
        if there and table not in seen:
            seen.add(table)
            yield table, post.since
    if apart:
        raise floor_needs.clocks_apart()


@PREPARATION.rule(
    "M612",
    "unverified-preshuffle",
    sources=(NJAC_13_69E_1_18A, NYCRR_9_5322_16, CMR_205_146_50),
    looks_at="batch",
    needs=(_SUPERVISOR_FREE,),
    each=_preshuffles,
    breach_events=(CardsPreshuffled,),
    breaks="""
        with custody.free_supervisor = true
        cards B-1 cards-preshuffled {"by": "dora"}
        shoe H-1 {"batch": "B-1"}
    """,
    keeps="""
        with custody.free_supervisor = true
        cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}
        shoe H-1 {"batch": "B-1"}
    """,
)
def unverified_preshuffle(view: BatchView, preshuffle: _Preshuffle) -> Iterator[Breach]:
    """The record of each pre-shuffle names the supervisor who verified it.

    The rule does not check whether the named person is a supervisor.
    """
    if preshuffle.payload.supervisor is None:
        yield Breach(
            "a pre-shuffle names no supervisor",
            "a named supervisor who verifies it",
            "nobody",
            (preshuffle,),
            key=identity_of_event(preshuffle, view.batch.history),
        )


@PREPARATION.rule(
    "M613",
    "missing-preshuffle-recording",
    sources=(NJAC_13_69E_1_18A, CMR_205_146_50),
    concerns="record",
    looks_at="batch",
    needs=(
        floor_needs.custody_says(
            "how long the recording of a pre-shuffle is kept",
            lambda custody: custody.recording_days is not None,
        ),
    ),
    each=_preshuffles,
    breach_events=(CardsPreshuffled,),
    breaks="""
        with custody.recording_days = 7
        cards B-1 cards-preshuffled {"by": "dora", "recording": "cam-7", "kept_days": 3}
        shoe H-1 {"batch": "B-1"}
    """,
    keeps="""
        with custody.recording_days = 7
        cards B-1 cards-preshuffled {"by": "dora", "recording": "cam-7", "kept_days": 7}
        shoe H-1 {"batch": "B-1"}
    """,
)
def missing_preshuffle_recording(view: BatchView, preshuffle: _Preshuffle) -> Iterator[Breach]:
    """A pre-shuffle is filmed, and the recording kept for the days that the rule pack states.

    The record of the pre-shuffle itself has to name the recording and at least the required days.
    If the record names a recording without the days, the pre-shuffle is not judged.
    """
    recording, kept = preshuffle.payload.recording, preshuffle.payload.kept_days
    days = view.custody.recording_days or 0
    if recording is not None and (kept or 0) >= days:
        return
    untold = "the record does not say how long the recording of a pre-shuffle is kept"
    answered(untold if recording is not None and kept is None else None)
    yield Breach(
        "no video recording of a pre-shuffle is on record"
        if recording is None
        else f"the video recording of a pre-shuffle is kept for {kept} days, not {days}",
        f"a recording that is kept for {days} days",
        "no recording" if recording is None else f"kept for {kept} days",
        (preshuffle,),
        key=identity_of_event(preshuffle, view.batch.history),
    )


RULES = (*PREPARATION.rules,)
"""Every rule of this module."""
