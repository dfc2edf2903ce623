"""Each kind of fact has a meaning in the streams that it is a fact of, and elsewhere is a stray."""

from typing import get_args

import pytest

from sabot.domain import events as f
from sabot.domain.state import batch_state, shoe, table_state


@pytest.mark.parametrize(
    ("room", "own"),
    [(shoe, f.ShoeFact), (table_state, f.TableFact), (batch_state, f.CardsFact)],
    ids=["shoe", "table", "cards"],
)
def test_a_stream_has_one_handler_for_each_kind_of_its_own_facts(room, own):
    assert set(room._HANDLERS) == set(get_args(own))


def test_a_fact_of_another_stream_is_kept_where_the_auditor_sees_it():
    shoes, tables, cards = map(set, map(get_args, (f.ShoeFact, f.TableFact, f.CardsFact)))
    for kind in get_args(f.Fact):
        for room, own in ((shoe, shoes), (table_state, tables), (batch_state, cards)):
            known = kind in own
            assert (kind in room._HANDLERS) is known
            assert kind in room._FOLDER._handlers
