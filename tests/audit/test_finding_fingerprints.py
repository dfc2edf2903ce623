"""The fingerprint of a breach does not depend on other events of its streams.

Into the streams of each rule's example an event is put that no rule asks for, anywhere: every event
behind it has another version and another place in the log. What was found is found still, by the
same fingerprint.
"""

from collections.abc import Iterator
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.audit.checks import store_record
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.fingerprints import identity_of_event
from sabot.domain.audit.floor_view import floor_of, summary_of
from sabot.domain.audit.rulebook import EXAMPLES
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import fold as fold_shoe
from sabot.domain.state.table_state import fold as fold_table
from tests.audit.checks.test_floor_rules import BREAKS, played
from tests.support.for_each import for_each
from tests.support.rule_examples import deal
from tests.support.table_streams import recorded
from tests.support.thorough import slow, tries

BOUGHT = ev.ChipsBought("a stranger", 12_345)
"""Money for chips: in a table's stream it breaks no rule, in another it has no ground."""

Streams = dict[str, list[RecordedEvent]]
TEXTS = [
    (code, text.splitlines())
    for code, text in EXAMPLES.items()
    if find_rule(code).of_the_floor and code not in {each.code for each in store_record.RULES}
]
"""Those of the store's own clock and logins rest on no event of a stream."""


def names(streams: Streams) -> set[tuple[str, str]]:
    """An audit's findings of these streams, by fingerprint."""
    shoes = [fold_shoe(name, each) for name, each in streams.items() if name[:5] == "shoe/"]
    floor = floor_of(
        [fold_batch(name, each) for name, each in streams.items() if name[:6] == "cards/"],
        [fold_table(name, each) for name, each in streams.items() if name[:6] == "table/"],
        map(summary_of, shoes),
    )
    of_shoes = chain.from_iterable(audit_shoe(shoe).findings for shoe in shoes)
    return {(each.code, each.fingerprint) for each in (*of_shoes, *audit_floor(floor).findings)}


def with_more(streams: Streams, before: RecordedEvent) -> Streams:
    """The streams with an event more just before one, at the same time.

    Corrections name the same events as before.
    """
    more = replace(before, payload=BOUGHT, device="cage", seq=None)
    moved: Streams = {name: [] for name in streams}
    for event in sorted(chain.from_iterable(streams.values()), key=lambda event: event.index):
        payload = event.payload
        if isinstance(payload, ev.EventCorrected) and event.stream == before.stream:
            moves = before.version <= payload.version < event.version
            payload = replace(payload, version=payload.version + moves)
        same = replace(event, payload=payload)
        for each in (more, same) if event is before else (same,):
            mine = moved[each.stream]
            index = 1 + sum(map(len, moved.values()))
            mine.append(replace(each, index=index, version=len(mine) + 1, position=len(mine) + 1))
    return moved


@pytest.mark.parametrize(("code", "steps"), [*TEXTS, *BREAKS])
@tries(2, 100)
@given(st.data())
def test_a_breach_beyond_the_shoe_keeps_its_name_where_a_stream_tells_more(code, steps, data):
    streams = played(steps).streams
    found = names(streams)
    assert code in {name for name, _ in found}
    before = data.draw(st.sampled_from(list(chain.from_iterable(streams.values()))))
    assert found <= names(with_more(streams, before))


@slow
@for_each("code", [code for code in EXAMPLES if not find_rule(code).of_the_floor])
def test_a_breach_of_a_shoe_keeps_its_name_where_its_stream_tells_more(code):
    shoe = deal(EXAMPLES[code])
    streams = {shoe.stream: shoe.history}
    more = with_more(streams, shoe.history[:2][-1])
    assert {name for name in names(streams) if name[0] == code} <= names(more)


def test_events_that_say_the_same_are_told_apart_by_their_place_among_each_other():
    claim = 'table T1 abandoned-claimed {"slip": "A", "amount": 1000, "to": "p1"}'
    kept = (
        'table T1 abandoned-kept {"slip": "A", "amount": 1000, "shoe": "H-9", "coup": 1, "bet": 1}'
    )
    once, twice = names(played([claim]).streams), names(played([claim, claim]).streams)
    assert len(once) == 1
    assert len(twice) == 2
    assert once < twice
    # where the first was due, the second is the same as without that
    assert names(played([kept, claim, claim]).streams) == twice - once


class Watched(list[RecordedEvent]):
    """A history that counts how often it is read through."""

    read = 0

    def __iter__(self) -> Iterator[RecordedEvent]:
        self.read += 1
        return super().__iter__()


def test_equal_events_are_numbered_with_one_look_at_the_history() -> None:
    """A device that repeats a closing makes as many findings as events."""
    inventories = (1, 2, 1, 1, 2)
    events = recorded([ev.TableClosed(each) for each in inventories], stream="table/T1")
    history = Watched(events[:4])
    assert [identity_of_event(event, history)[2] for event in events[:4]] == [1, 1, 2, 3]
    assert history.read == 1
    history.append(events[4])
    assert [identity_of_event(event, history)[2] for event in events] == [1, 1, 2, 3, 2]
    assert [identity_of_event(event, Watched(events[::-1]))[2] for event in events] == [
        1, 1, 2, 3, 2,
    ]  # fmt: skip
