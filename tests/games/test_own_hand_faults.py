"""Faults at macao and victoria are found only on their coup."""

import random
from itertools import product

import pytest

from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.procedure.preconditions import violation
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, evolve
from sabot.infrastructure.rule_packs import of_game, pack_text
from tests.faults import ORDER_FAULTS, OWN_HAND_FAULTS, fault
from tests.support.thorough import a_part

PACKS = (*of_game("macao"), *of_game("victoria"))


def deal(pack, seed, *faults):
    plan = ShoePlan(stream="shoe/S-1", pack=pack_text(pack), decks=2, start_us=0)
    croupier = Dealer(plan, parse_lineup("flat:3,trend", 10), random.Random(seed), faults)
    list(croupier.deal())
    return croupier.shoe


@pytest.mark.parametrize(
    ("name", "pack", "not_before"), a_part(product(OWN_HAND_FAULTS, PACKS, [1, 3]), of=5)
)
def test_the_audit_finds_it_where_it_happened_and_nothing_else(name, pack, not_before):
    planted = fault(name, not_before)
    for seed in range(not_before, not_before + 6):
        shoe = deal(pack, seed, planted)
        findings = audit_shoe(shoe).findings
        if planted.happened:
            break
        assert findings == []
    # the first bank is taken and put up before the first coup
    once = name in ("bank-too-small", "bank-taken-unoffered", "staked-against-no-bank")
    assert planted.happened is not (once and not_before > 1)
    if planted.happened:
        found = {finding.code for finding in findings}
        assert planted.kind.codes[0] in found <= set(planted.kind.codes)
        assert planted.coup in {finding.coup for finding in findings} or planted.coup is None


@pytest.mark.parametrize("name", OWN_HAND_FAULTS)
def test_the_dealer_would_have_been_refused(name):
    shoes = ((planted := fault(name), deal("macao-old", seed, planted)) for seed in range(20))
    history = next(shoe.history for planted, shoe in shoes if planted.happened)
    shoe, refused = Shoe("shoe/S-1"), []
    for event in history:
        refused += [violation(shoe, event.payload)]
        shoe = evolve(shoe, event)
    assert any(refused)


def test_every_rule_of_theirs_has_a_fault():
    rules = {rule.code: rule.family for rule in RULES if "macao" in rule.games}
    of_punto_banco_too = {rule.code for rule in RULES if "punto-banco" in rule.games}
    every_game = {rule.code for rule in RULES if not rule.games}
    codes = {kind.codes[0]: kind.family for kind in OWN_HAND_FAULTS.values()}
    assert {code: codes[code] for code in codes if code not in every_game}.items() <= rules.items()
    codes |= {kind.codes[0]: kind.family for kind in ORDER_FAULTS.values()}
    assert codes.keys() >= rules.keys() - of_punto_banco_too
