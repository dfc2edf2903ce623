"""A stopped clock is reported, and makes the order of its device unknown from there on.

Whole shoes of shipped packs, dealt clean and told by three devices in their own time. The tolerance
is 250 ms.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.live import LiveAudit
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.timeline.ordering import by_device
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import START_US
from tests.support.for_each import for_each
from tests.support.thorough import FULL, a_part, each_once, slow, tries
from tests.support.three_devices import DEVICES, as_told

JUMPED = "clock-jump"
HOUSES = (("midi", 6), ("uk", 8), ("nsw", 8), ("ez-baccarat", 8), ("macau", 8), ("france", 6))
NAMES = [device.name for device in DEVICES]
SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
ALL = 10**6


@cache
def dealt(house: tuple[str, int], coups: int = 5) -> tuple[RecordedEvent, ...]:
    """The first coups of a clean shoe, as one who sees all would tell them."""
    pack, decks = house
    plan = ShoePlan(stream="shoe/S-1", pack=pack_text(pack), decks=decks, start_us=START_US)
    lineup = parse_lineup("flat:side=player,martingale,tie-lover,flat:unit=5000", 9)
    croupier = Dealer(plan, lineup, random.Random(7))
    list(croupier.deal())
    history = croupier.shoe.history
    closed = (n for n, event in enumerate(history, 1) if event.payload == ev.CoupClosed(coups))
    return tuple(history[: next(closed)])


@cache
def told(house: tuple[str, int], coups: int = 5) -> tuple[RecordedEvent, ...]:
    """The same, as three devices tell it."""
    return tuple(as_told(dealt(house, coups), random.Random(1)))


def frozen(
    events: Iterable[RecordedEvent], device: str, first: int, count: int, before: bool = False
) -> list[RecordedEvent]:
    """Have so many events of a device tell the time of the first of them.

    ``before``: the time at which the clock stopped, between that event and the one before.
    """
    events = list(events)
    own = by_device(events)[device]
    stopped = own[first % len(own) : first % len(own) + count]
    at = stopped[0].at_us or 0
    if before and stopped[0] is not own[0]:
        at = (at + (own[own.index(stopped[0]) - 1].at_us or 0)) // 2
    hit = {event.version for event in stopped}
    return [replace(event, at_us=at) if event.version in hit else event for event in events]


def codes(events: Iterable[RecordedEvent]) -> Counter[str]:
    return Counter(found.code for found in audit_shoe(fold("shoe/S-1", list(events))).findings)


def imported(events: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    """All of it came to the log at once, an hour later."""
    events = list(events)
    late = max(event.recorded_us for event in events) + 60 * MINUTE_US
    return [replace(event, recorded_us=late) for event in events]


@slow
@each_once
@pytest.mark.parametrize("house", HOUSES, ids=lambda house: house[0])
@pytest.mark.parametrize("device", NAMES)
@pytest.mark.parametrize("before", [False, True])
def test_a_clock_that_stood_still_speaks_against_nobody(house, device, before):
    own = by_device(told(house))[device]
    assert codes(told(house)) == {}
    for count in (2, 3, 5, 8, 20, ALL):
        for first in range(len(own) % 3, len(own) - 1, 5 if FULL else 23):
            events = frozen(told(house), device, first, count, before)
            assert codes(events).keys() <= {JUMPED}, (count, first)


@slow
@tries(15, 60)
@given(
    st.sampled_from(HOUSES),
    st.tuples(st.sampled_from(NAMES), st.integers(0, 200), st.integers(2, 40), st.booleans()),
    st.booleans(),
)
def test_any_events_of_any_clock_at_one_time(house, stop, late):
    events = frozen(told(house), *stop)
    assert codes(imported(events) if late else events).keys() <= {JUMPED}


@pytest.mark.parametrize("device", NAMES)
@pytest.mark.parametrize("count", [20, ALL])
def test_it_is_told_once_that_a_clock_stood_still_for_long(device, count):
    for first in range(2, 20, 5):
        assert codes(frozen(told(HOUSES[1]), device, first, count)) == {JUMPED: 1}


@pytest.mark.parametrize("count", [8, ALL])
def test_what_is_told_names_the_events_and_what_went_on(count):
    events = frozen(told(HOUSES[1]), "card-reader", 12, count)
    (found,) = audit_shoe(fold("shoe/S-1", events)).findings
    after, before, between = (events[place - 1] for place in found.events)
    assert (before.device, after.device) == ("card-reader", "card-reader")
    assert before.at_us == after.at_us
    assert between.device != "card-reader"
    assert (between.at_us or 0) > (before.at_us or 0) + 250_000
    assert found.message.startswith("the clock of card-reader stood still: ")


@slow
def test_who_follows_hears_of_the_clock_and_of_nothing_else():
    live = LiveAudit(Shoe("shoe/S-1"))
    heard = []
    for event in frozen(told(HOUSES[1]), "card-reader", 12, ALL):
        live.add(event)
        heard += [(each.told, each.finding.code) for each in live.changes()]
    assert heard[0] == ("found", JUMPED)
    assert {*heard[1:]} <= {("changed", JUMPED)}


def late_bet(coup: int) -> list[RecordedEvent]:
    """A shoe in which a bet is told two seconds behind the call of its coup."""
    true = list(dealt(HOUSES[1]))
    call = next(n for n, e in enumerate(true) if e.payload == ev.NoMoreBets(coup))
    bet = next(e for e in reversed(true[:call]) if isinstance(e.payload, ev.BetPlaced))
    cards = [e for e in true if isinstance(e.payload, ev.CardDrawn) and e.payload.coup == coup]
    # the cards come five seconds later, so that the bet is behind the call alone
    at = (true[call].at_us or 0) + 2 * SECOND_US
    moved = [
        replace(e, at_us=(e.at_us or 0) + 5 * SECOND_US) if e.version >= cards[0].version else e
        for e in true
        if e is not bet
    ]
    moved.insert(call, replace(bet, at_us=at))
    return as_told(moved, random.Random(1))


def test_a_late_bet_is_found_before_the_clock_stood_still_and_unknown_behind():
    """The clock of the chip reader stands still from the twentieth event before the end on."""
    events = late_bet(3)
    assert codes(events) == {"past-posted-bet": 1}
    own = by_device(events)["chip-reader"]
    assert codes(frozen(events, "chip-reader", len(own) - 20, ALL)) == {
        "past-posted-bet": 1,
        JUMPED: 1,
    }
    assert codes(frozen(events, "chip-reader", 5, ALL)) == {JUMPED: 1}


# -- Near misses ----------------------------------------------------------------------------------

_BETS = (ev.BetPlaced, ev.BetCarried)
_MOVES = (ev.BetTaken, ev.BetPaid, ev.BetPushed)


def in_one_scan(
    events: Iterable[RecordedEvent], coups: Callable[[int], bool]
) -> list[RecordedEvent]:
    """Have the chip reader tell the bets of a coup at one instant, and its payments too."""
    events = list(events)
    at: dict[int, int | None] = {}
    for before, after in pairwise(by_device(events)["chip-reader"]):
        for kind in (_BETS, _MOVES):
            if isinstance(before.payload, kind) and isinstance(after.payload, kind):
                one, other = before.payload.coup, after.payload.coup
                if one == other and coups(one):
                    at[after.version] = at.get(before.version, before.at_us)
    assert at
    return [replace(event, at_us=at.get(event.version, event.at_us)) for event in events]


def counting(
    events: Iterable[RecordedEvent], unit_us: int, device: str | None = None
) -> list[RecordedEvent]:
    """Have a clock, or all of them, count in larger units."""
    return [
        replace(event, at_us=(event.at_us or 0) // unit_us * unit_us)
        if device in (None, event.device)
        else event
        for event in events
    ]


def close_and_open(events: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    """Have the terminal tell the opening of a coup by the press that closes the one before."""
    events = list(events)
    at = {
        after.version: before.at_us
        for before, after in pairwise(by_device(events)["terminal"])
        if isinstance(before.payload, ev.CoupClosed) and isinstance(after.payload, ev.CoupOpened)
    }
    return [replace(event, at_us=at.get(event.version, event.at_us)) for event in events]


LAWFUL: dict[str, Callable[[list[RecordedEvent]], list[RecordedEvent]]] = {
    "one scan a coup": lambda events: in_one_scan(events, lambda _: True),
    "one scan now and then": lambda events: in_one_scan(events, lambda coup: coup % 9 == 1),
    "a close and the next opening by one press": close_and_open,
    "all at one time": lambda events: [replace(e, at_us=START_US) for e in events],
    "no clock but the log's": lambda events: [replace(e, at_us=None) for e in events],
    "recorded at once": imported,
    "whole seconds": lambda events: counting(events, SECOND_US),
    "whole minutes": lambda events: counting(events, MINUTE_US),
    **{
        f"whole {words} of the {device}": (
            lambda events, unit=unit, device=device: counting(events, unit, device)
        )
        for words, unit in (("seconds", SECOND_US), ("minutes", MINUTE_US))
        for device in NAMES
    },
}


@slow
@pytest.mark.parametrize("house", a_part(HOUSES, of=3), ids=lambda house: house[0])
@for_each("lawful", LAWFUL)
def test_events_that_are_lawfully_of_one_time_are_no_clock_that_stood_still(house, lawful):
    assert codes(LAWFUL[lawful](list(told(house, 12)))) == {}


def test_a_lawful_scan_leaves_its_verdicts():
    """Bets of one scan are judged, as those one by one are."""
    for lawful in ("one scan a coup", "one scan now and then"):
        audit = audit_shoe(fold("shoe/S-1", LAWFUL[lawful](list(told(HOUSES[1], 12)))))
        (late,) = [verdict for verdict in audit.verdicts if verdict.code == "past-posted-bet"]
        assert (late.checked, late.reasons) == (12, {})


def test_payments_of_one_scan_before_the_result_are_early():
    events = in_one_scan(told(HOUSES[1], 12), lambda _: True)
    coup = 4
    called = next(
        e for e in events if isinstance(e.payload, ev.ResultCalled) and e.payload.coup == coup
    )
    moves = [e for e in events if isinstance(e.payload, _MOVES) and e.payload.coup == coup]
    early = (called.at_us or 0) - SECOND_US
    hit = {event.version for event in moves}
    found = codes(replace(e, at_us=early) if e.version in hit else e for e in events)
    assert found == {"settlement-before-result": 1}


# -- One device -----------------------------------------------------------------------------------


def test_one_clock_that_told_all_stood_still_where_cards_of_two_coups_are_of_one_time():
    true = dealt(HOUSES[1])
    assert codes(true) == {}
    cards = [
        n for n, e in enumerate(true) if isinstance(e.payload, ev.CardDrawn) and e.payload.coup == 3
    ]
    within = frozen(true, true[0].device, cards[0], len(cards))
    assert codes(within) == {}
    shoe = fold("shoe/S-1", frozen(true, true[0].device, cards[0], cards[-1] - cards[0] + 20))
    assert at_the_table(shoe).order is None
    assert [found.code for found in audit_shoe(shoe).findings] == [JUMPED]
    # a record whose events are all of one time, and one of whole minutes, is none
    assert codes(frozen(true, true[0].device, 0, ALL)) == {}
    assert codes(counting(true, MINUTE_US)) == {}
