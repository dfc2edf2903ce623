"""Each event has a meaning in its own streams and is unmatched elsewhere."""

from typing import get_args

import pytest

from sabot.domain import events as ev
from sabot.domain.state import batch_state, shoe, table_state


@pytest.mark.parametrize(
    ("room", "own"),
    [(shoe, ev.ShoeEvent), (table_state, ev.TableEvent), (batch_state, ev.CardBatchEvent)],
    ids=["shoe", "table", "cards"],
)
def test_a_stream_has_one_handler_for_each_kind_of_its_own_events(room, own):
    assert set(room._HANDLERS.by_kind) == set(get_args(own))


def test_a_event_of_another_stream_is_kept_where_the_auditor_sees_it():
    shoes, tables, cards = map(set, map(get_args, (ev.ShoeEvent, ev.TableEvent, ev.CardBatchEvent)))
    for kind in get_args(ev.Event):
        for room, own in ((shoe, shoes), (table_state, tables), (batch_state, cards)):
            known = kind in own
            assert (kind in room._HANDLERS.by_kind) is known
            assert kind in room._FOLDER._handlers
