"""The state of a batch of cards: place, seal and counts."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.events import card_batch as c
from sabot.domain.state.batch_state import Batch, evolve, fold
from tests.support import any_events
from tests.support.coup_notation import events_of
from tests.support.for_each import for_each

RECEIVED = c.CardsReceived("Gemaco", 8, "sam", ("purple",))
SEALED = c.CardsSealed("S-1", "sam")
ISSUED = c.CardsIssued("T1", "sam")
DESTROYED = c.CardsDestroyed("sam", "sue")


def batch_of(*payloads: ev.Event) -> Batch:
    return fold("cards/B-1", events_of(payloads, "cards/B-1"))


@for_each(
    ("payloads", "where"),
    [
        ([], "not received"),
        ([RECEIVED], "in the store"),
        ([RECEIVED, SEALED], "in the store"),
        ([RECEIVED, SEALED, ISSUED], "at table T1"),
        ([RECEIVED, ISSUED, c.CardsReturned("sam")], "in the store"),
        ([RECEIVED, c.CardsSealed("S-2", "sam", "destruction")], "sealed for destruction"),
        ([RECEIVED, c.CardsSealed("S-2", "sam", "evidence")], "sealed as evidence"),
        ([RECEIVED, c.CardsDestroyed("sam", decks=7)], "in the store"),
        ([RECEIVED, c.CardsDestroyed("sam", decks=7), c.CardsDestroyed("sam")], "destroyed"),
        ([RECEIVED, DESTROYED, RECEIVED], "in the store"),
    ],
)
def test_where_the_decks_are(payloads, where):
    assert batch_of(*payloads).where == where


def test_decks_are_those_received_and_not_destroyed():
    more = c.CardsReceived("Gemaco", 4, "sam", ("purple", "red"))
    batch = batch_of(RECEIVED, more, c.CardsDestroyed("sam", decks=3), c.CardsCounted(9, "sue"))
    assert (batch.decks, batch.backs) == (9, ("purple", "red"))
    assert [(tally.payload.decks, tally.due) for tally in batch.tallies] == [(9, 9)]


def test_a_seal_is_closed_until_it_is_opened_and_what_goes_through_it_is_noted():
    inspected = ev.CardsInspected("dora")
    batch = batch_of(SEALED, ISSUED, inspected, c.SealOpened("S-1", "dora"), inspected)
    (seal,) = batch.seals
    assert [event.version for event in seal.touched] == [3]
    assert seal.opened is not None
    assert batch.seal is None


def test_a_return_names_its_table_or_ends_the_last_stay():
    other = c.CardsIssued("T2", "sam")
    named = batch_of(ISSUED, other, c.CardsReturned("sam", "T1"))
    assert [stay.returned is not None for stay in named.stays] == [True, False]
    last = batch_of(ISSUED, other, c.CardsReturned("sam"))
    assert [stay.returned is not None for stay in last.stays] == [False, True]


def test_a_return_ends_every_issue_to_the_table():
    other = c.CardsIssued("T2", "sam")
    batch = batch_of(ISSUED, other, ISSUED, c.CardsReturned("sam"))
    assert [stay.returned is not None for stay in batch.stays] == [True, False, True]
    assert batch.where == "at table T2"


def test_a_report_is_of_every_defect_before_it():
    bad = c.CardsFoundBad("dora", missing=1)
    batch = batch_of(bad, bad, c.DefectReported("surveillance", "sue"), bad)
    assert [defect.reported is not None for defect in batch.defects] == [True, True, False]


@pytest.mark.parametrize(
    "payload",
    [c.SealOpened("S-1", "sam"), c.CardsReturned("sam"), c.DefectReported("x", "sam"),
     ev.NoMoreBets(1)],
)  # fmt: skip
def test_what_has_nothing_to_stand_on_is_a_stray(payload):
    assert len(batch_of(RECEIVED, payload).unmatched_events) == 1


def test_a_corrected_event_takes_effect_at_its_place():
    wrong = c.CardsReceived("Gemaco", 80, "sam")
    batch = batch_of(
        wrong, c.CardsCounted(8, "sue"), ev.EventCorrected(1, "misread", None, RECEIVED)
    )
    assert batch.decks == batch.tallies[0].due == 8


OF_CARDS = sorted(get_args(ev.CardBatchEvent), key=lambda kind: kind.__name__)


@given(st.lists(st.one_of(*(any_events.any_of(kind) for kind in OF_CARDS)), max_size=12))
def test_one_by_one_is_the_same_as_folded_whole(payloads):
    events = events_of(payloads, "cards/B-1")
    batch = Batch("cards/B-1")
    for event in events:
        batch = evolve(batch, event)
    assert batch == fold("cards/B-1", events)
