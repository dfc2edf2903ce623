"""Each swapped, missing, repeated or late step is found by the rule of its constraint.

The constraints are those of `sabot.domain.timeline.sequence`. Shoes are dealt as they should be, in
every game, and told otherwise.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from benchmarks.audit_houses import houses, strict
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.rule import Rule
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.pack_keys import pack_keys
from sabot.domain.rules.rule_pack import GameName, parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import fold
from sabot.domain.timeline.constraints import Constraint
from sabot.domain.timeline.sequence import CONSTRAINTS
from tests.faults.order_faults import MUTATIONS, Mutation, retold
from tests.support.for_each import for_each
from tests.support.rule_examples import deal
from tests.support.thorough import slow

HOUSES: Final = {house.name: house for house in houses()}
DEALT: Final = ("france", "chemin-de-fer-france", "victoria", "deux-tableaux-france")
"""The houses whose shoes are dealt here: one in each game, that asks for the steps of its game."""

BEYOND_A_SHOE: Final = {
    *("inspection-before-cards", "seal-opened-before-loading", "issue-before-loading"),
    *("return-within-hours", "reconciliation-within-hours", "stock-count-within-days"),
    *("report-within-minutes", "put-back-before-destruction", "adoption-before-loading"),
    "table-opened-before-cards",
}
"""Constraints of batches and tables: `tests.faults.floor_faults` and the examples break them."""
NO_RULE: Final = {
    "one-call-of-no-more-bets": "to call it again closes nothing, and opens nothing",
    "one-result": "to call the same result again changes nothing",
    "card-before-turning": "which card was turned the record does not say: other rules judge cards",
    "third-card-before-turning": "likewise",
    "totals-before-third-card": "the totals need not be called at all",
    "result-before-commission": "commission goes with a payment, whose order is judged",
    "losers-before-commission": "likewise",
}
"""Constraints that no rule keeps, with the reason. A coup by the book keeps them all the same."""

LEGAL: Final[dict[tuple[str, Mutation], str]] = {
    ("precedes", "repeated"): "what was done before may be done again, or another rule tells it",
    ("never-after", "omitted"): "what is not done is not late",
    ("answered", "repeated"): "one answer is enough",
}
"""By template: what breaks no constraint."""
OTHERWISE: Final[dict[tuple[str, Mutation], str]] = {
    ("burn-before-cards", "repeated"): "found: one card more is burned than is due",
    ("opening-before-bets", "repeated"): "found: a coup is opened once",
    (
        "no-first-card-after-totals",
        "omitted",
    ): "either: where a third card comes, it is the second then",
    ("no-bet-after-call", "repeated"): "legal: the same bet told twice is one; unmatched-event",
    ("no-turning-after-totals", "omitted"): "found",
    (
        "no-turning-after-result",
        "omitted",
    ): "either: omitted-coup-step tells it where a patron banks",
    ("no-turning-after-totals", "repeated"): "legal: the card was turned in time",
    ("no-turning-after-result", "repeated"): "legal: the card was turned in time",
    ("no-first-card-after-totals", "repeated"): "legal: a hand's next card is a third one",
    ("no-settlement-after-close", "repeated"): "legal: settled in time; the money is judged",
    ("cut-before-cut-card", "omitted"): "legal: missing-cut tells that nobody cut",
    ("result-before-settlement", "omitted"): "legal: result-not-called tells it",
    ("tickets-before-levy", "omitted"): "legal: levy-without-ticket tells it",
    ("no-coup-after-shoe-end", "repeated"): "legal: unmatched-event tells what is opened twice",
    ("no-coup-after-shoe-end", "delayed"): "either: a coup that was closed in time did not go on",
    ("bank-called-in-coup", "swapped"): "legal: the rule asks that it is called in the coup",
    ("bank-called-in-coup", "delayed"): "legal: the rule asks that it is called in the coup",
    ("hand-given-in-coup", "swapped"): "legal: the rule asks that it is given in the coup",
    ("hand-given-in-coup", "delayed"): "legal: the rule asks that it is given in the coup",
    ("card-after-request", "swapped"): "legal: the hand has the card; premature-call tells it",
    ("card-after-request", "delayed"): "legal: the hand has the card; premature-call tells it",
}
"""Pairs of a constraint and a mutation that go otherwise than their template, with the reason.

What is legal by one rule may be found by another, which is named.
"""


PAIRS: Final = [
    (name, mutation)
    for name, constraint in CONSTRAINTS.items()
    if name not in BEYOND_A_SHOE | NO_RULE.keys()
    for mutation in MUTATIONS
    # what comes once is told again; several burned cards do not change places with one
    if constraint.template != "once" or mutation == "repeated"
    if (name, mutation) != ("burn-before-cards", "swapped")
]


@cache
def _dealt(name: str) -> list[RecordedEvent]:
    """Deal a shoe as it should be. Its cut card shows after a few coups."""
    house = HOUSES[name]
    pack = parse_pack(house.pack)
    text = house.pack
    if pack.end.stop_card_least is not None:
        behind = 52 * house.decks - 24
        text = strict(text, f"[end]\nstop_card_least = {behind}\nstop_card_most = {behind}")
    # the banker of two tableaux thinks long
    coups = 3 if pack.tableaux else 6
    plan = ShoePlan(stream="shoe/S-1", pack=text, decks=house.decks, start_us=10**15, coups=coups)
    habits = "flat:side=player,flat:unit=5000,flat:unit=7500,trend,flat:unit=10000"
    patrons = parse_lineup(habits, min(5, pack.table.seats))
    return list(Dealer(plan, patrons, random.Random(name)).deal())


def _rules(constraint: Constraint) -> list[Rule]:
    return [rule for rule in RULES if constraint in rule.order]


def _shoes(constraint: Constraint) -> Iterator[list[RecordedEvent]]:
    """Yield shoes of the games in which a rule keeps a constraint, and its near misses."""
    every = tuple(map(_game, DEALT))
    kept_in = {game for rule in _rules(constraint) for game in rule.games or every}
    kept_in &= {*(constraint.games or every)}
    yield from (_dealt(name) for name in DEALT if _game(name) in kept_in)
    yield from (deal(rule.keeps).history for rule in _rules(constraint))


def _game(name: str) -> GameName:
    return parse_pack(HOUSES[name].pack).game


def _codes(history: Sequence[RecordedEvent]) -> set[str]:
    return {found.code for found in audit_shoe(fold("shoe/S-1", list(history))).findings}


def test_the_shoes_are_clean_before_anything_goes_wrong() -> None:
    assert [_codes(_dealt(name)) for name in DEALT] == [set()] * len(DEALT)


def test_every_constraint_is_kept_by_a_rule_or_says_why_by_none() -> None:
    assert {name for name, each in CONSTRAINTS.items() if not _rules(each)} == NO_RULE.keys()


def test_the_key_that_switches_a_constraint_on_is_one_of_a_rule_pack() -> None:
    keys = {each.key for each in pack_keys()}
    assert {each.key for each in CONSTRAINTS.values() if each.key} <= keys


@slow
@for_each(("name", "mutation"), PAIRS)
def test_a_step_out_of_order_is_found_unless_it_is_legal(name: str, mutation: Mutation) -> None:
    constraint = CONSTRAINTS[name]
    told = [retold(shoe, constraint, mutation) for shoe in _shoes(constraint)]
    found = [_codes(each.history) for each in told if each is not None]
    legal = LEGAL.get((constraint.template, mutation), "found")
    verdict = OTHERWISE.get((name, mutation), legal).partition(":")[0]
    expected = {"found": {True}, "either": {True, False}}.get(verdict, {False})
    codes = {rule.code for rule in _rules(constraint)}
    assert {bool(codes & each) for each in found} == expected, found
