"""Limits and crew that its table's own record tells of: a shoe that tells of none is judged by it.

The amounts are set by hand: a table of 1.00 to 10.00 (100 to 1000 in cents), bets of 5.00 that keep
it and of 500.00 that do not.
"""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain import facts as f
from domain.at_table import crew_when, limits_when
from domain.audit import answering, audit_shoe
from domain.audit.by_the_book import Shapes
from domain.audit.rule import cashier_of
from domain.event import Draft, Event
from domain.shoe import fold
from domain.table import fold as fold_table
from infrastructure.auditing import audit_streams, load_floor, load_shoe, shoe_streams
from infrastructure.log import EventLog
from infrastructure.rulepacks import pack_text
from infrastructure.tables import Tables
from infrastructure.watching import Watch
from tests.examples import with_key
from tests.notation import START_US, Felt

NARROW, WIDE = (f.Limit(100, 1000),), (f.Limit(100, 100_000),)
OUTSIDE = "bet-was-outside-the-limits"
WRONG = "winning-bet-was-paid-wrong"
SECOND_US = 1_000_000

LAWFUL = "p1 player 500 | P 4 5  B K 8"
LARGE = "p1 player 50000 | P 4 5  B K 8"
OVERPAID = "p1 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 600"
CREW = (f.Crew("dealer", "zoe"), f.Crew("supervisor", "max"))


def opened(limits=(), crew=()):
    return f.TableOpened(1_000_000, limits=limits, crew=crew)


def coups(*lines, rules="classic-8", stream="shoe/H-1", **more):
    """The facts of a shoe at T1, coup after coup."""
    felt = Felt(rules, stream=stream, table="T1", **more).ready()
    for line in lines:
        felt.coup(line)
    return felt.facts


def before_coup(facts, number):
    """Where a coup begins among the facts of a shoe."""
    return facts.index(f.CoupOpened(number))


def recorded(facts, table=(), stream="shoe/H-1"):
    """Events of a log: a shoe's facts a second apart, the table's put in before the n-th of them.

    ``table`` are pairs of a place and a fact of the table.
    """
    events = []

    def put(stream, fact):
        index = len(events) + 1
        version = 1 + sum(each.stream == stream for each in events)
        at = START_US + index * SECOND_US
        events.append(Event(index, stream, version, at, at, "", stream, version, fact))

    for place, fact in enumerate(facts):
        for _, told in (each for each in table if each[0] == place):
            put("table/T1", told)
        put(stream, fact)
    for _, told in (each for each in table if each[0] >= len(facts)):
        put("table/T1", told)
    return events


def shoe_of(events):
    """The shoe of a record, with the table's."""
    shoe = fold("shoe/H-1", [each for each in events if each.stream == "shoe/H-1"])
    theirs = [each for each in events if each.stream == "table/T1"]
    if theirs:
        shoe.at_table = fold_table("table/T1", theirs)
    return shoe


def outside(shoe):
    """The coups in which a bet is found outside the limits."""
    return [each.coup for each in audit_shoe(shoe).findings if each.code == OUTSIDE]


def skipped(shoe, code=OUTSIDE):
    (verdict,) = (each for each in audit_shoe(shoe).verdicts if each.code == code)
    return verdict.skipped


# -- Limits ---------------------------------------------------------------------------------------


def test_a_bet_is_held_against_the_limits_of_its_table():
    facts = coups(LARGE, LAWFUL, LARGE)
    shoe = shoe_of(recorded(facts, [(0, opened(NARROW))]))
    found = [each for each in audit_shoe(shoe).findings if each.code == OUTSIDE]
    assert [(each.coup, each.required, each.shown) for each in found] == [
        (1, "1.00 EUR to 10.00 EUR", "500.00 EUR"),
        (3, "1.00 EUR to 10.00 EUR", "500.00 EUR"),
    ]
    assert skipped(shoe) == {}


def test_without_a_record_of_the_table_nothing_is_otherwise():
    shoe = shoe_of(recorded(coups(LARGE, LAWFUL)))
    assert outside(shoe) == []
    assert skipped(shoe) == {"the record gives no limits": 2}


def test_a_table_that_tells_of_no_limits_gives_none():
    shoe = shoe_of(recorded(coups(LARGE), [(0, opened(crew=CREW))]))
    assert outside(shoe) == []
    assert skipped(shoe) == {"the record gives no limits": 1}


@pytest.mark.parametrize(("own", "found"), [(NARROW, [1]), (WIDE, [])])
def test_the_limits_of_the_shoes_own_record_come_first(own, found):
    table = WIDE if own is NARROW else NARROW
    shoe = shoe_of(recorded(coups(LARGE, limits=own), [(0, opened(table))]))
    assert outside(shoe) == found


def test_the_shoes_own_limits_hold_from_where_it_tells_of_them():
    facts = coups(LARGE, LARGE)
    facts.insert(before_coup(facts, 2), f.LimitsChanged(WIDE))
    assert outside(shoe_of(recorded(facts, [(0, opened(NARROW))]))) == [1]


def test_limits_that_the_shoe_takes_away_are_not_those_of_the_table():
    facts = coups(LARGE, LARGE)
    facts.insert(before_coup(facts, 2), f.LimitsChanged(()))
    assert outside(shoe_of(recorded(facts, [(0, opened(NARROW))]))) == [1]


@pytest.mark.parametrize(("first", "then", "found"), [(NARROW, WIDE, [1]), (WIDE, NARROW, [2])])
def test_limits_that_the_table_changes_hold_from_then_on(first, then, found):
    facts = coups(LARGE, LARGE)
    change = (before_coup(facts, 2), f.LimitsChanged(then))
    assert outside(shoe_of(recorded(facts, [(0, opened(first)), change]))) == found


def test_of_limits_before_the_shoe_the_last_hold_and_of_those_after_it_none():
    facts = coups(LARGE)
    table = [(0, opened(NARROW)), (0, f.LimitsChanged(WIDE)), (len(facts), f.LimitsChanged(NARROW))]
    assert outside(shoe_of(recorded(facts, table))) == []


def test_limits_that_the_table_tells_of_only_later_hold_for_no_bet_before():
    facts = coups(LARGE, LARGE)
    shoe = shoe_of(recorded(facts, [(before_coup(facts, 2), f.LimitsChanged(NARROW))]))
    assert outside(shoe) == [2]
    assert skipped(shoe) == {"the record gives no limits for that time": 1}


def test_limits_hang_at_the_table_over_an_opening_that_states_none():
    table = [(0, opened(NARROW)), (0, f.TableClosed(1)), (0, opened())]
    assert outside(shoe_of(recorded(coups(LARGE), table))) == [1]


def test_a_correction_at_the_table_counts():
    table = [(0, opened(NARROW)), (0, f.FactCorrected(1, "misread", instead=opened(WIDE)))]
    assert outside(shoe_of(recorded(coups(LARGE), table))) == []


def test_a_bet_that_a_tie_left_is_judged_by_the_limits_when_it_was_made():
    facts = coups("p1 player 5000 | P 4 5  B K 9", "+p1 player 5000 | P 4 5  B K 8")
    change = (before_coup(facts, 2), f.LimitsChanged(NARROW))
    assert outside(shoe_of(recorded(facts, [(0, opened(WIDE)), change]))) == []


def test_the_limits_of_the_table_come_before_those_of_the_pack():
    text = with_key(pack_text("classic-8"), "limits.minimum = 100")
    text = with_key(text, "limits.maximum = 1000")
    assert outside(shoe_of(recorded(coups(LARGE, rules=text)))) == [1]
    shoe = shoe_of(recorded(coups(LARGE, rules=text), [(0, opened(WIDE))]))
    assert outside(shoe) == []


def test_several_bets_of_a_patron_are_held_together_against_the_limits_of_the_table():
    text = with_key(pack_text("classic-8"), 'limits.per = "patron"')
    facts = coups("p1 player 600, p1 player 700 | P 4 5  B K 8", rules=text)
    code = "patrons-bets-together-were-above-the-limit"
    found = audit_shoe(shoe_of(recorded(facts, [(0, opened(NARROW))]))).findings
    assert [(each.code, each.shown) for each in found] == [(code, "13.00 EUR")]
    assert audit_shoe(shoe_of(recorded(facts, [(0, opened(WIDE))]))).findings == []
    assert skipped(shoe_of(recorded(facts)), code) == {"the record gives no limits": 1}


def test_what_lies_above_the_maximum_of_the_table_goes_back():
    text = with_key(pack_text("classic-8"), 'limits.accepted = "capped"')
    facts = coups("p1 player 1500 | P 4 5  B K 8", rules=text)
    found = audit_shoe(shoe_of(recorded(facts, [(0, opened(NARROW))]))).findings
    # 15.00 were paid where 10.00 could be won
    (capped,) = [each for each in found if each.code == "excess-over-the-limit-was-not-returned"]
    assert capped.money.patrons == {"p1": 500}
    assert audit_shoe(shoe_of(recorded(facts, [(0, opened(WIDE))]))).findings == []


def test_limits_of_the_table_keep_the_proportion_that_the_pack_asks_for():
    facts = coups("p1 player 500 | P 4 5  B K 8", rules="france")
    code = "limits-are-out-of-proportion"
    near = shoe_of(recorded(facts, [(0, opened((f.Limit(100, 5000),)))]))
    assert code not in {each.code for each in audit_shoe(near).findings}
    assert skipped(near, code) == {}
    before = [(0, opened((f.Limit(100, 700),))), (0, f.LimitsChanged((f.Limit(100, 900),)))]
    found = audit_shoe(shoe_of(recorded(facts, before))).findings
    # what was replaced before the shoe is none of it
    assert [each.shown for each in found if each.code == code] == ["1.00 EUR to 9.00 EUR"]


@pytest.mark.parametrize(("displayed", "found"), [(False, 1), (True, 0), (None, 0)])
def test_a_change_at_the_table_is_displayed(displayed, found):
    facts = coups(LAWFUL, LAWFUL, rules="france")
    change = f.LimitsChanged((f.Limit(100, 10_000),), displayed=displayed)
    table = [(0, opened((f.Limit(100, 5000),))), (before_coup(facts, 2), change)]
    codes = [each.code for each in audit_shoe(shoe_of(recorded(facts, table))).findings]
    assert codes.count("change-of-limits-was-not-displayed") == found


# -- Which came first -----------------------------------------------------------------------------


def near_the_bet(rules, ms, lines=(LARGE, LARGE), then=WIDE):
    """A shoe whose table changes its limits so many milliseconds after the second coup's bet."""
    facts = coups(*lines, rules=rules)
    bets = (n for n, each in enumerate(facts) if isinstance(each, f.BetPlaced) and each.coup == 2)
    place = next(bets)
    events = recorded(facts, [(0, opened(NARROW)), (place + 1, f.LimitsChanged(then))])
    (bet,) = (each for each in events if each.fact == facts[place])
    (change,) = (each for each in events if isinstance(each.fact, f.LimitsChanged))
    at = bet.at_us + 1000 * ms
    events[change.index - 1] = replace(change, at_us=at, recorded_us=max(at, bet.at_us + 1))
    return shoe_of(events)


def test_within_the_tolerance_of_the_clocks_nobody_knows_which_limits_stood():
    shoe = near_the_bet("midi", 200)
    assert outside(shoe) == [1]
    (reason,) = skipped(shoe)
    assert "doubtful" in reason


@pytest.mark.parametrize(("ms", "found"), [(900, [1, 2]), (-900, [1])])
def test_beyond_the_tolerance_the_clocks_tell(ms, found):
    shoe = near_the_bet("midi", ms)
    assert outside(shoe) == found
    assert skipped(shoe) == {}


@pytest.mark.parametrize(("line", "found"), [(LARGE, [1, 2]), (LAWFUL, [])])
def test_a_doubt_between_limits_that_say_the_same_is_none(line, found):
    shoe = near_the_bet("midi", 200, (line, line), (f.Limit(200, 2000),))
    assert outside(shoe) == found
    assert skipped(shoe) == {}


def test_where_the_pack_states_no_tolerance_clocks_and_log_have_to_agree():
    shoe = near_the_bet("classic-8", -100)
    assert outside(shoe) == [1]
    (reason,) = skipped(shoe)
    assert "doubtful" in reason
    assert outside(near_the_bet("classic-8", 100)) == [1, 2]


def imported(rules, *, clocks=True):
    """A shoe whose table was recorded behind it, though it had opened an hour before."""
    facts = coups(LARGE, rules=rules)
    events = recorded(facts, [(len(facts), opened(NARROW))])
    events[-1] = replace(events[-1], at_us=START_US - 3600 * SECOND_US if clocks else None)
    return events


def test_a_table_that_was_recorded_afterwards_is_read_by_its_clock():
    assert outside(shoe_of(imported("midi"))) == [1]


def test_facts_without_a_clock_stand_as_the_log_has_them():
    after = [replace(each, at_us=None) for each in imported("midi", clocks=False)]
    assert outside(shoe_of(after)) == []
    before = [replace(each, at_us=None) for each in recorded(coups(LARGE), [(0, opened(NARROW))])]
    assert outside(shoe_of(before)) == [1]


def test_where_one_record_has_no_clock_the_logs_own_has_to_settle_it():
    events = recorded(coups(LARGE), [(0, opened(NARROW))])
    events[0] = replace(events[0], at_us=None)
    assert outside(shoe_of(events)) == [1]
    # the same, of a log that got all of it at once, years later
    later = [replace(each, recorded_us=each.recorded_us + 10**14) for each in events]
    assert outside(shoe_of(later)) == []
    (reason,) = skipped(shoe_of(later))
    assert "doubtful" in reason


def test_one_device_numbers_its_facts_in_both_records():
    shoe_facts = recorded(coups(LARGE), [(0, opened(NARROW))])
    same = [replace(each, device="d", seq=each.index, at_us=START_US) for each in shoe_facts]
    assert outside(shoe_of(same)) == [1]


class Reference:
    """What may have stood at a moment, found by looking at all that the table's record has.

    For facts with clocks that the log never caught ahead, of two devices.
    """

    def __init__(self, told, tolerance_us):
        self.told, self.tolerance_us = told, tolerance_us

    def came_first(self, told, event):
        apart = event.at_us - told.at_us
        if self.tolerance_us is None:
            by_clock = apart > 0 or (apart == 0 and told.index < event.index)
            return by_clock if by_clock == (told.index < event.index) or apart == 0 else None
        if abs(apart) <= self.tolerance_us:
            return None
        return apart > 0

    def when(self, event):
        stood = [()]
        for told in self.told:
            first = self.came_first(told, event)
            if first:
                stood = []
            if first is not False:
                stood.append(told.fact.limits)
        return set(stood)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12),
    st.sampled_from(["midi", "classic-8"]),
    st.integers(0, 2),
)
def test_what_stood_is_what_a_look_at_the_whole_record_tells(told, rules, late):
    """Clocks in any disorder, a quarter of a second apart; the log has them 60 s later, or at once.

    The tolerance of midi is 250 ms, so that clocks one step apart are doubtful there.
    """
    quarter, delay = 250_000, (0, 60 * SECOND_US, 10**12)[late]
    facts = coups(LAWFUL, rules=rules)
    shoe_events, table_events = [], []
    index = 0
    for place, fact in enumerate(facts):
        for n, (where, clock) in enumerate(told):
            if where == place:
                index += 1
                at = START_US + clock * quarter
                change = f.LimitsChanged((f.Limit(n, 1000 + n),))
                table_events.append(
                    Event(index, "table/T1", len(table_events) + 1, at,
                          START_US + 10 * SECOND_US + delay + index, "", "pit", None, change)
                )  # fmt: skip
        index += 1
        at = START_US + place * quarter
        shoe_events.append(
            Event(index, "shoe/H-1", place + 1, at, START_US + 10 * SECOND_US + delay + index, "",
                  "felt", None, fact)
        )  # fmt: skip
    shoe = fold("shoe/H-1", shoe_events)
    shoe.at_table = fold_table("table/T1", table_events)
    tolerance = quarter if rules == "midi" else None
    reference = Reference(table_events, tolerance)
    for event in shoe.history:
        assert set(limits_when(shoe, event)) == reference.when(event)


# -- The crew -------------------------------------------------------------------------------------


def blamed(shoe):
    """Who dealt and who supervised where a bet was paid wrong."""
    found = (each for each in audit_shoe(shoe).findings if each.code == WRONG)
    return [(each.dealer, each.supervisor) for each in found]


def test_who_stood_at_the_table_answers_where_the_shoe_names_nobody():
    shoe = shoe_of(recorded(coups(OVERPAID), [(0, opened(crew=CREW))]))
    assert blamed(shoe) == [("zoe", "max")]
    assert blamed(shoe_of(recorded(coups(OVERPAID)))) == [(None, None)]


def test_who_is_relieved_at_the_table_between_two_coups_answers_for_the_first_alone():
    facts = coups(OVERPAID, OVERPAID, OVERPAID)
    table = [
        (0, opened(crew=CREW)),
        (before_coup(facts, 2), f.CrewChanged("dealer", "yan")),
        (before_coup(facts, 3), f.CrewChanged("supervisor", None)),
    ]
    assert blamed(shoe_of(recorded(facts, table))) == [
        ("zoe", "max"),
        ("yan", "max"),
        ("yan", None),
    ]


def test_who_was_relieved_before_the_shoe_or_came_after_it_answers_for_nothing():
    facts = coups(OVERPAID)
    table = [
        (0, opened(crew=CREW)),
        (0, f.CrewChanged("dealer", "yan")),
        (len(facts), f.CrewChanged("dealer", "xia")),
    ]
    assert blamed(shoe_of(recorded(facts, table))) == [("yan", "max")]


def test_nobody_stands_at_a_table_that_was_closed():
    table = [(0, opened(crew=CREW)), (0, f.TableClosed(1))]
    assert blamed(shoe_of(recorded(coups(OVERPAID), table))) == [(None, None)]


def test_whom_the_shoes_own_record_names_comes_first_post_by_post():
    own = (f.Crew("caller", "ann"),)
    shoe = shoe_of(recorded(coups(OVERPAID, crew=own), [(0, opened(crew=CREW))]))
    # who calls deals at a big table: the dealer of the table's record is not asked
    assert blamed(shoe) == [("ann", "max")]


def test_a_post_that_the_shoe_says_is_empty_is_not_filled_by_the_table():
    facts = coups(OVERPAID, OVERPAID, crew=(f.Crew("dealer", "ann"),))
    facts.insert(before_coup(facts, 2), f.CrewChanged("dealer", None))
    shoe = shoe_of(recorded(facts, [(0, opened(crew=CREW))]))
    assert blamed(shoe) == [("ann", "max"), (None, "max")]


def test_where_nobody_knows_who_had_been_relieved_nobody_is_named():
    facts = coups(OVERPAID, rules="midi")
    paid = next(n for n, each in enumerate(facts) if isinstance(each, f.BetPaid))
    table = [(0, opened(crew=CREW)), (paid, f.CrewChanged("dealer", "yan"))]
    events = recorded(facts, table)
    assert blamed(shoe_of(events)) == [("yan", "max")]
    (move,) = (each for each in events if isinstance(each.fact, f.BetPaid))
    (change,) = (each for each in events if isinstance(each.fact, f.CrewChanged))
    events[change.index - 1] = replace(change, at_us=move.at_us - 100_000)
    assert blamed(shoe_of(events)) == [(None, "max")]


def test_a_fact_of_the_table_itself_is_answered_for_by_who_stood_there_then():
    facts = coups(LAWFUL, LAWFUL, rules="france")
    table = [
        (0, opened((f.Limit(100, 5000),), CREW)),
        (before_coup(facts, 2), f.LimitsChanged((f.Limit(100, 10_000),), displayed=False)),
        (before_coup(facts, 2), f.CrewChanged("supervisor", "pia")),
    ]
    shoe = shoe_of(recorded(facts, table))
    code = "change-of-limits-was-not-displayed"
    (found,) = (each for each in audit_shoe(shoe).findings if each.code == code)
    assert (found.dealer, found.supervisor) == ("zoe", "max")
    assert crew_when(shoe, shoe.history[-1], ("supervisor",)) == "pia"


# -- By the shapes of coups -----------------------------------------------------------------------

_CHANGES = st.lists(st.tuples(st.integers(0, 60), st.sampled_from([NARROW, WIDE, ()])), max_size=4)


@given(_CHANGES, st.sampled_from([None, 10, 30]), st.sampled_from([(), NARROW]), st.booleans())
def test_coups_are_answered_alike_by_their_shapes_and_closely(table, own, loaded, clocks):
    facts = coups(LARGE, LAWFUL, LAWFUL, LARGE, limits=loaded)
    if own is not None:
        facts.insert(own, f.LimitsChanged(WIDE))
    events = recorded(facts, [(place, f.LimitsChanged(limits)) for place, limits in table])
    if not clocks:
        events = [replace(each, at_us=None) for each in events]
    shoe = shoe_of(events)
    quick = audit_shoe(shoe)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answering, "by_shape", lambda _shoe: frozenset())
        closely = audit_shoe(shoe)
    assert (quick.findings, quick.verdicts) == (closely.findings, closely.verdicts)


def test_a_coup_within_the_limits_of_its_table_is_answered_by_its_shape():
    facts = coups(LAWFUL, LARGE)
    shapes = {}
    for limits in (NARROW, WIDE):
        shoe = shoe_of(recorded(facts, [(0, opened(limits))]))
        told = Shapes(shoe, cashier_of(shoe))
        shapes[limits] = [told.of(coup).shape.within for coup in shoe.coups.values()]
    assert shapes == {NARROW: [True, False], WIDE: [True, True]}


# -- In a log -------------------------------------------------------------------------------------


def drafts(events):
    return [Draft(each.stream, each.fact, each.at_us, "ann", each.device) for each in events]


def two_shoes():
    """Two shoes at T1 with a bet of 500.00 each; before the second the table changes its limits."""
    first = recorded(coups(LARGE, OVERPAID), [(0, opened(NARROW, CREW))])
    second = coups(LARGE, OVERPAID, stream="shoe/H-2")
    facts = [
        Draft("table/T1", f.LimitsChanged(WIDE)),
        Draft("table/T1", f.CrewChanged("dealer", "yan")),
    ]
    facts += [Draft("shoe/H-2", fact) for fact in second]
    # somewhere else nobody bets more than 10.00
    other = Draft("table/T2", opened(NARROW, (f.Crew("dealer", "eve"),)))
    begun = [*drafts(first), other, *facts]
    return [
        replace(each, at_us=START_US + n * SECOND_US, device=each.stream)
        for n, each in enumerate(begun, 1)
    ]


FOUND = [
    ("H-1", OUTSIDE, 1, "zoe"),
    ("H-1", WRONG, 2, "zoe"),
    ("H-2", WRONG, 2, "yan"),
]


def told(audits):
    return [
        (each.shoe, each.code, each.coup, each.dealer) for one in audits for each in one.findings
    ]


def test_shoes_are_judged_by_the_record_of_their_table_one_or_all(log):
    log.append(two_shoes())
    everything = list(audit_streams(log, shoe_streams(log)))
    assert told(everything) == FOUND
    one = list(audit_streams(log, shoe_streams(log, ["H-2"])))
    assert one[0].findings == everything[1].findings
    assert audit_shoe(load_shoe(log, "shoe/H-1")).findings == everything[0].findings


def test_many_processes_find_the_same(database_url):
    with EventLog.open(database_url) as log:
        log.append(two_shoes())
        alone = list(audit_streams(log, shoe_streams(log)))
        shared = list(audit_streams(log, shoe_streams(log), workers=2))
    assert [each.findings for each in shared] == [each.findings for each in alone]
    assert told(shared) == FOUND


def test_the_record_of_the_table_is_read_up_to_the_index_asked_for(log):
    facts = coups(LARGE)
    log.append(drafts(recorded(facts, [(0, opened(WIDE)), (len(facts), f.TableClosed(1))])))
    until = log.head()
    log.append([Draft("table/T1", f.FactCorrected(1, "misread", instead=opened(NARROW)), START_US)])
    streams = shoe_streams(log)
    assert told(audit_streams(log, streams, until=until)) == []
    assert [code for _, code, _, _ in told(audit_streams(log, streams))] == [OUTSIDE]


def test_the_record_of_a_table_is_read_once(log, monkeypatch):
    log.append(two_shoes())
    read, times = log.read, []
    monkeypatch.setattr(log, "read", lambda stream: times.append(stream) or read(stream))
    tables = Tables(log, log.head())
    streams = shoe_streams(log)
    traces = [each.trace for each in audit_streams(log, streams, until=log.head(), tables=tables)]
    assert sorted(times) == ["shoe/H-1", "shoe/H-2", "table/T1"]
    load_floor(log, traces, until=log.head(), tables=tables)
    assert sorted(times) == ["shoe/H-1", "shoe/H-2", "table/T1", "table/T2"]


# -- While the log grows --------------------------------------------------------------------------


def followed(log, batch):
    """What stands of all that is told of a log, so many facts at a time."""
    watch, stand = Watch(log, 0), {}
    for events in log.scan(batch=batch):
        for each in watch.take(events):
            if each.told == "withdrawn":
                del stand[each.finding.fingerprint]
            else:
                stand[each.finding.fingerprint] = each.finding
    return stand


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_a_shoe_that_is_followed_is_judged_by_the_record_of_its_table(sqlite_url, batch):
    with EventLog.open(sqlite_url) as log:
        log.append(two_shoes())
        due = {one.fingerprint: one for each in audit_streams(log, shoe_streams(log))
               for one in each.findings}  # fmt: skip
        assert followed(log, batch) == due


def test_what_the_table_corrects_while_a_shoe_is_dealt_is_judged_anew(sqlite_url):
    facts = coups(LARGE, LARGE)
    events = recorded(
        facts,
        [(0, opened(NARROW)), (len(facts), f.FactCorrected(1, "misread", instead=opened(WIDE)))],
    )
    with EventLog.open(sqlite_url) as log:
        log.append(drafts(events))
        watch = Watch(log, 0)
        news = [each for batch in log.scan(batch=1) for each in watch.take(batch)]
    assert [(each.told, each.finding.coup) for each in news] == [
        ("found", 1), ("found", 2), ("withdrawn", 1), ("withdrawn", 2),
    ]  # fmt: skip


def test_a_correction_in_the_shoe_leaves_it_at_its_table(sqlite_url):
    facts = coups(LARGE, LARGE)
    facts.append(f.FactCorrected(len(facts), "not yet"))
    facts += [f.CoupClosed(2), f.CoupOpened(3), f.BetPlaced(3, 1, "p1", "player", 50_000)]
    facts.append(f.NoMoreBets(3))
    with EventLog.open(sqlite_url) as log:
        log.append(drafts(recorded(facts, [(0, opened(NARROW))])))
        stand = followed(log, 1)
    assert sorted(each.coup for each in stand.values() if each.code == OUTSIDE) == [1, 2, 3]


def test_the_facts_of_the_log_are_in_the_order_of_their_clocks():
    """What these tests rest on: a second between any two facts that follow one another."""
    clocks = [each.at_us for each in recorded(coups(LAWFUL), [(3, opened(NARROW))])]
    assert all(after - before == SECOND_US for before, after in pairwise(clocks))
