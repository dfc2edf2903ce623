"""Faults with two tableaux are found only on their coup."""

import random
from itertools import product

import pytest

from benchmarks.audit_mutation_counts import NO_FAULT
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.procedure.preconditions import violation
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, evolve
from sabot.infrastructure.rule_packs import of_game, pack_text
from tests.faults import ORDER_FAULTS, TABLEAU_FAULTS, fault
from tests.support.thorough import a_part, slow

PACKS = of_game("baccarat-banque")
LINEUP = "flat:5:unit=6000:bank=5:holds=0.7,trend:4:banco=0.2:retires=0.6"
BANCOS = "flat:9:banco=0.3:bankroll=90000000:retires=0:raises=1"


def deal(pack, seed, *faults, coups=None):
    text = pack_text(pack)
    decks = min(parse_pack(text).cards.decks)
    plan = ShoePlan(stream="shoe/S-1", pack=text, decks=decks, start_us=0, coups=coups)
    lineup = BANCOS if any(f.kind.name == RARE for f in faults) else LINEUP
    croupier = Dealer(plan, parse_lineup(lineup, 11), random.Random(seed), faults)
    list(croupier.deal())
    return croupier.shoe


RARE = "banco-a-fourth-time"  # many shoes are dealt until it happens


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=slow if name == RARE else ())
        for name in a_part(TABLEAU_FAULTS, of=3)
    ],
)
def happened(request):
    """A fault, and a shoe in which it found its occasion."""
    for seed, pack, coups in product(range(30), PACKS, (12, None)):
        planted = fault(request.param)
        shoe = deal(pack, seed, planted, coups=coups)
        if planted.happened:
            return planted, shoe
    raise AssertionError(f"{request.param} never happened")


def test_the_audit_finds_it_where_it_happened_and_nothing_else(happened):
    planted, shoe = happened
    findings = audit_shoe(shoe).findings
    found = {finding.code for finding in findings}
    assert planted.kind.codes[0] in found <= set(planted.kind.codes)
    assert planted.coup in {finding.coup for finding in findings} or planted.coup is None


def test_the_dealer_would_have_been_refused(happened):
    planted, dealt = happened
    if planted.kind.name == "ticket-detached-twice":
        return  # the house keeps its tickets, and nobody is refused one
    shoe, refused = Shoe("shoe/S-1"), []
    for event in dealt.history:
        refused += [violation(shoe, event.payload)]
        shoe = evolve(shoe, event)
    assert any(refused)


def test_every_rule_of_theirs_has_a_fault():
    theirs = [rule for rule in RULES if "baccarat-banque" in rule.games]
    rules = {rule.code: rule.family for rule in theirs if rule.code not in NO_FAULT}
    every_game = {rule.code for rule in RULES if not rule.games}
    codes = {kind.codes[0]: kind.family for kind in TABLEAU_FAULTS.values()}
    assert {code: codes[code] for code in codes if code not in every_game}.items() <= rules.items()
    codes |= {kind.codes[0]: kind.family for kind in ORDER_FAULTS.values()}
    assert codes.items() >= rules.items()
