"""One event of a shoe comes from another device, near in time to the events beside it.

The audit may not know which of the two came first. It then leaves rules unjudged, and goes on. It
reports what was broken in either order, and nothing else.
"""

import random
from collections import Counter
from functools import cache

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.bank.banco import stake_beside_banco
from sabot.domain.audit.checks.bank.funds import miscalled_bank
from sabot.domain.audit.checks.bets import past_posted_bet
from sabot.domain.audit.rule import Rule
from sabot.domain.audit.rule_group import code_of
from sabot.domain.audit.rulebook import SHOE_RULES
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.state.shoe import fold
from tests.support.device_records import CLOCKS, device_shoe, verdict_on
from tests.support.for_each import for_each
from tests.support.rule_examples import deal
from tests.support.thorough import FULL, a_part, slow

APART_US = 120_000
LATE_US = 190_000
"""By this the clock of the other device is late: less than the tolerance of 250 ms."""

MOVES_OF_THE_BANK = (ev.ShoeOffered, ev.ShoeTaken, bank_ev.BankPosted)


A_SECOND = 1_000_000
BEFORE_THE_LAST = -1_100_000
"""By this the clock of the other device is early: 0.1 seconds before the event before it."""
SURELY_BEFORE = -1_500_000
"""Half a second before the event before it, which is more than the tolerance."""


@cache
def near_misses() -> list[tuple[Rule, list[RecordedEvent]]]:
    """The near miss of each rule on shoes that begins with the loading and has one device."""
    return of_one_device([(rule, deal(rule.keeps).history) for rule in SHOE_RULES])


@cache
def examples() -> list[tuple[Rule, list[RecordedEvent]]]:
    """The example of each rule on shoes that begins with the loading and has one device."""
    return of_one_device([(rule, deal(rule.breaks).history) for rule in SHOE_RULES])


def of_one_device(
    dealt: list[tuple[Rule, list[RecordedEvent]]],
) -> list[tuple[Rule, list[RecordedEvent]]]:
    return [
        (rule, history)
        for rule, history in dealt
        if isinstance(history[0].payload, ev.ShoeLoaded)
        and len({event.device for event in history}) == 1
        and not any(isinstance(event.payload, ev.EventCorrected) for event in history)
    ]


def of_two_devices(
    history: list[RecordedEvent], nth: int, apart_us: int = APART_US, late_us: int = LATE_US
) -> list[RecordedEvent]:
    """The record in which the nth event came from another device, whose clock is late."""
    loaded = history[0].payload
    assert isinstance(loaded, ev.ShoeLoaded)
    pack = loaded.pack if "[clocks]" in loaded.pack else loaded.pack + CLOCKS
    again = replace(loaded, pack=pack, pack_sha256=pack_sha256(pack))
    told = []
    for number, event in enumerate([replace(history[0], payload=again), *history[1:]]):
        late, device = (late_us, "other") if number == nth else (0, "first")
        told.append((number * apart_us + late, device, event))
    told.sort(key=lambda each: each[0])
    numbers: Counter[str] = Counter()
    record = []
    for place, (at, device, event) in enumerate(told, 1):
        numbers[device] += 1
        record.append(
            replace(
                event, index=place, version=place, position=place, device=device,
                seq=numbers[device], at_us=10**15 + at, recorded_us=2 * 10**15 + place,
            )
        )  # fmt: skip
    return record


def chosen(rule: Rule, history: list[RecordedEvent]) -> list[int]:
    """Which events come from another device: moves of the bank, and two others."""
    every = list(range(2, len(history)))
    if FULL:
        return every
    moves = [nth for nth in every if isinstance(history[nth].payload, MOVES_OF_THE_BANK)]
    return sorted({*moves, *random.Random(rule.code).sample(every, min(2, len(every)))})


def name_of(case: object) -> str:
    assert isinstance(case, tuple)
    return str(case[0].code)


@slow
@for_each("case", a_part(near_misses(), of=2), ids=name_of)
def test_an_audit_does_not_fail_on_a_doubtful_order(
    case: tuple[Rule, list[RecordedEvent]],
) -> None:
    rule, history = case
    for nth in chosen(rule, history):
        record = of_two_devices(history, nth)
        audit = audit_shoe(fold("shoe/S-1", record))
        assert {verdict.code for verdict in audit.verdicts} >= {rule.code}


def codes_of(record: list[RecordedEvent]) -> set[str]:
    return {found.code for found in audit_shoe(fold("shoe/S-1", record)).findings}


@slow
@for_each("case", a_part(near_misses(), of=5), ids=name_of)
def test_legal_play_is_not_accused_where_the_order_is_unknown(
    case: tuple[Rule, list[RecordedEvent]],
) -> None:
    rule, history = case
    certain = codes_of(of_two_devices(history, 0, A_SECOND))
    for nth in chosen(rule, history):
        assert codes_of(of_two_devices(history, nth, A_SECOND, BEFORE_THE_LAST)) <= certain


@slow
@for_each("case", a_part(examples(), of=5), ids=name_of)
def test_a_breach_is_reported_if_the_order_of_other_events_is_unknown(
    case: tuple[Rule, list[RecordedEvent]],
) -> None:
    rule, history = case
    every = range(2, len(history)) if FULL else range(2, len(history), 5)
    records = (of_two_devices(history, nth, A_SECOND, BEFORE_THE_LAST) for nth in every)
    reported = [rule.code in codes_of(record) for record in records]
    broken = rule.code in codes_of(of_two_devices(history, 0, A_SECOND))
    # an event that has to do with the breach may make it doubtful
    assert any(reported) or not reported or not broken


@slow
@for_each("case", a_part(examples() + near_misses(), of=5), ids=name_of)
def test_no_rule_is_passed_that_the_other_order_breaks(
    case: tuple[Rule, list[RecordedEvent]],
) -> None:
    """What is found if the two events surely changed places is found or left unjudged.

    One case is not covered: the return of an excess in a game that has no such event.
    """
    rule, history = case
    for nth in chosen(rule, history):
        if isinstance(history[nth - 1].payload, bank_ev.ExcessReturned):
            continue
        other = codes_of(of_two_devices(history, nth, A_SECOND, SURELY_BEFORE))
        record = of_two_devices(history, nth, A_SECOND, BEFORE_THE_LAST)
        for verdict in audit_shoe(fold("shoe/S-1", record)).verdicts:
            doubtful = any(why.kind == "order-unknown" for why in verdict.not_applicable)
            assert verdict.code not in other or verdict.result == "fail" or doubtful


def test_a_late_bet_is_reported_although_the_order_of_the_cards_is_unknown() -> None:
    shoe = device_shoe("""
        terminal -20000 open
        terminal 0 call
        chips 900 bet player 500
        reader 1000 P 4
        terminal 1100 B K
        reader 3000 P 5
        reader 4000 B 8
        terminal 5000 result P
        chips 6000 pay 500
        terminal 7000 close
    """)
    assert verdict_on(shoe, code_of(past_posted_bet)) == (1, {})


WON_THEN_CALLED = deal(
    "load chemin-de-fer\nseats p1 p2 p3\nbank p1 10000\n"
    "coup p2 player 6000 | P 4 2  B K 9\ncoup banco p2 | P 4 2  B K 9"
).history
"""The bank of 100.00 wins 60.00. p2 goes bank for 160.00."""


def test_a_bank_is_not_judged_if_its_last_winnings_may_have_come_after_the_next_opening() -> None:
    """The bet of coup 1 may have been taken when coup 2 was open: then the bank held 100.00."""
    taken = next(
        n for n, each in enumerate(WON_THEN_CALLED) if isinstance(each.payload, ev.BetTaken)
    )
    for nth, doubtful in ((0, 0), (taken, 1)):
        shoe = fold("shoe/S-1", of_two_devices(WON_THEN_CALLED, nth))
        for rule in (miscalled_bank, stake_beside_banco):
            found, reasons = verdict_on(shoe, code_of(rule))
            doubts = [count for text, count in reasons.items() if "doubtful" in text]
            assert (found, sum(doubts)) == (0, doubtful)


def test_a_wrong_call_of_a_bank_is_reported_in_a_doubtful_order_too() -> None:
    """The bank is called at 170.00. It held 160.00 or 100.00."""
    called = [
        replace(each, payload=replace(each.payload, amount=17_000))
        if isinstance(each.payload, bank_ev.BankCalled) and each.payload.coup == 2
        else each
        for each in WON_THEN_CALLED
    ]
    taken = next(n for n, each in enumerate(called) if isinstance(each.payload, ev.BetTaken))
    assert "miscalled-bank" in codes_of(of_two_devices(called, 0))
    assert "miscalled-bank" in codes_of(of_two_devices(called, taken))
