"""One event of a shoe comes from another device, near in time to the events beside it.

The audit may not know which of the two came first. It then leaves rules unjudged, and goes on.
"""

import random
from collections import Counter

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.rule import Rule
from sabot.domain.audit.rulebook import SHOE_RULES
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.state.shoe import fold
from tests.support.device_records import CLOCKS
from tests.support.for_each import for_each
from tests.support.rule_examples import deal
from tests.support.thorough import FULL

APART_US = 120_000
LATE_US = 190_000
"""By this the clock of the other device is late: less than the tolerance of 250 ms."""

MOVES_OF_THE_BANK = (ev.ShoeOffered, ev.ShoeTaken, bank_ev.BankPosted)


def near_misses() -> list[tuple[Rule, list[RecordedEvent]]]:
    """The near miss of each rule on shoes that begins with the loading and has one device."""
    dealt = [(rule, deal(rule.keeps).history) for rule in SHOE_RULES]
    return [
        (rule, history)
        for rule, history in dealt
        if isinstance(history[0].payload, ev.ShoeLoaded)
        and len({event.device for event in history}) == 1
        and not any(isinstance(event.payload, ev.EventCorrected) for event in history)
    ]


def of_two_devices(history: list[RecordedEvent], nth: int) -> list[RecordedEvent]:
    """The record in which the nth event came from another device, whose clock is late."""
    loaded = history[0].payload
    assert isinstance(loaded, ev.ShoeLoaded)
    pack = loaded.pack if "[clocks]" in loaded.pack else loaded.pack + CLOCKS
    again = replace(loaded, pack=pack, pack_sha256=pack_sha256(pack))
    told = []
    for number, event in enumerate([replace(history[0], payload=again), *history[1:]]):
        late, device = (LATE_US, "other") if number == nth else (0, "first")
        told.append((number * APART_US + late, device, event))
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


@for_each("case", near_misses())
def test_an_audit_does_not_fail_on_a_doubtful_order(
    case: tuple[Rule, list[RecordedEvent]],
) -> None:
    rule, history = case
    for nth in chosen(rule, history):
        record = of_two_devices(history, nth)
        audit = audit_shoe(fold("shoe/S-1", record))
        assert {verdict.code for verdict in audit.verdicts} >= {rule.code}
