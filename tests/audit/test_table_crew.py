"""The crew recorded at a table answers for its shoes."""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.state.table_context import crew_when
from tests.support.floor_notation import Pit
from tests.support.table_streams import (
    CREW,
    LAWFUL,
    OVERPAID,
    WRONG,
    before_coup,
    coups,
    opened,
    recorded,
    shoe_of,
)


def blamed(shoe):
    """The dealer and supervisor of a wrong payment."""
    found = (each for each in audit_shoe(shoe).findings if each.code == WRONG)
    return [(each.dealer, each.supervisor) for each in found]


def test_who_stood_at_the_table_answers_where_the_shoe_names_nobody():
    shoe = shoe_of(recorded(coups(OVERPAID), [(0, opened(crew=CREW))]))
    assert blamed(shoe) == [("zoe", "max")]
    assert blamed(shoe_of(recorded(coups(OVERPAID)))) == [(None, None)]


def test_who_is_relieved_at_the_table_between_two_coups_answers_for_the_first_alone():
    payloads = coups(OVERPAID, OVERPAID, OVERPAID)
    table = [
        (0, opened(crew=CREW)),
        (before_coup(payloads, 2), ev.CrewChanged("dealer", "yan")),
        (before_coup(payloads, 3), ev.CrewChanged("supervisor", None)),
    ]
    assert blamed(shoe_of(recorded(payloads, table))) == [
        ("zoe", "max"),
        ("yan", "max"),
        ("yan", None),
    ]


def test_who_was_relieved_before_the_shoe_or_came_after_it_answers_for_nothing():
    payloads = coups(OVERPAID)
    table = [
        (0, opened(crew=CREW)),
        (0, ev.CrewChanged("dealer", "yan")),
        (len(payloads), ev.CrewChanged("dealer", "xia")),
    ]
    assert blamed(shoe_of(recorded(payloads, table))) == [("yan", "max")]


def deserted(table, **more):
    """The coups in which a shoe's cards are dealt while nobody is at a post."""
    found = audit_shoe(shoe_of(recorded(coups(LAWFUL, LAWFUL, **more), table))).findings
    return [each.coup for each in found if each.number == "H508"]


LEFT = ev.CrewChanged("dealer", None)


def test_cards_are_dealt_without_crew_where_the_table_emptied_its_last_post():
    alone = (ev.Crew("dealer", "zoe"),)
    second = before_coup(coups(LAWFUL, LAWFUL), 2)
    assert deserted([(0, opened(crew=alone)), (0, LEFT)]) == [1]
    assert deserted([(0, opened(crew=alone)), (second, LEFT)]) == [2]
    back = ev.CrewChanged("dealer", "yan")
    assert deserted([(0, opened(crew=alone)), (0, LEFT), (0, back)]) == []
    assert deserted([(0, opened(crew=CREW)), (0, LEFT)]) == []
    assert deserted([(0, opened(crew=alone)), (0, LEFT)], crew=(ev.Crew("caller", "carl"),)) == []


def test_a_table_whose_record_names_no_crew_is_not_deserted():
    assert deserted([(0, opened())]) == []
    assert deserted([(0, opened(crew=CREW)), (0, ev.TableClosed(9))]) == []


def test_nobody_stands_at_a_table_that_was_closed():
    table = [(0, opened(crew=CREW)), (0, ev.TableClosed(1))]
    assert blamed(shoe_of(recorded(coups(OVERPAID), table))) == [(None, None)]


def test_whom_the_shoes_own_record_names_comes_first_post_by_post():
    own = (ev.Crew("caller", "ann"),)
    shoe = shoe_of(recorded(coups(OVERPAID, crew=own), [(0, opened(crew=CREW))]))
    # who calls deals at a big table: the dealer of the table's record is not asked
    assert blamed(shoe) == [("ann", "max")]


def test_a_post_that_the_shoe_says_is_empty_is_not_filled_by_the_table():
    payloads = coups(OVERPAID, OVERPAID, crew=(ev.Crew("dealer", "ann"),))
    payloads.insert(before_coup(payloads, 2), ev.CrewChanged("dealer", None))
    shoe = shoe_of(recorded(payloads, [(0, opened(crew=CREW))]))
    assert blamed(shoe) == [("ann", "max"), (None, "max")]


def test_where_nobody_knows_who_had_been_relieved_nobody_is_named():
    payloads = coups(OVERPAID, rules="midi")
    paid = next(n for n, each in enumerate(payloads) if isinstance(each, ev.BetPaid))
    table = [(0, opened(crew=CREW)), (paid, ev.CrewChanged("dealer", "yan"))]
    events = recorded(payloads, table)
    assert blamed(shoe_of(events)) == [("yan", "max")]
    (move,) = (each for each in events if isinstance(each.payload, ev.BetPaid))
    (change,) = (each for each in events if isinstance(each.payload, ev.CrewChanged))
    events[change.index - 1] = replace(change, at_us=move.at_us - 100_000)
    assert blamed(shoe_of(events)) == [(None, "max")]


def test_a_event_of_the_table_itself_is_answered_for_by_who_stood_there_then():
    payloads = coups(LAWFUL, LAWFUL, rules="france")
    table = [
        (0, opened((ev.Limit(100, 5000),), CREW)),
        (before_coup(payloads, 2), ev.LimitsChanged((ev.Limit(100, 10_000),), displayed=False)),
        (before_coup(payloads, 2), ev.CrewChanged("supervisor", "pia")),
    ]
    shoe = shoe_of(recorded(payloads, table))
    code = "limit-change-not-displayed"
    (found,) = (each for each in audit_shoe(shoe).findings if each.code == code)
    assert (found.dealer, found.supervisor) == ("zoe", "max")
    assert crew_when(shoe, shoe.history[-1], ("supervisor",)) == "pia"


@pytest.mark.parametrize(("own", "dealer"), [([], "zoe"), ([ev.Crew("dealer", "ann")], "ann")])
def test_beyond_one_shoe_who_stood_at_the_table_answers_too(own, dealer):
    pit = Pit()
    pit.put("table/T1", opened(crew=CREW))
    pit.step('cards B-1 cards-issued {"table": "T1", "by": "sam"}')
    pit.step('cards B-1 cards-returned {"by": "sam"}')
    pit.shoe("H-1", table="T1", batch="B-1", crew=own)
    pit.put("table/T1", ev.CrewChanged("supervisor", "pia"))
    (found,) = audit_floor(pit.floor()).findings
    assert found.code == "cards-not-issued-to-table"
    assert (found.dealer, found.supervisor) == (dealer, "max")
