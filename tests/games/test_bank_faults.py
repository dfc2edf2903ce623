"""Faults with a bank at chemin de fer are found only on their coup."""

import random
from itertools import product

import pytest

from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.procedure.preconditions import violation
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, evolve
from sabot.infrastructure.rule_packs import of_game, pack_text
from tests.faults import BANK_FAULTS, ORDER_FAULTS, fault
from tests.support.thorough import FULL, a_part

LINEUP = "flat:side=player,flat:unit=5000,flat:unit=7500,trend,flat:unit=10000"


def deal(pack, seed, *faults):
    plan = ShoePlan(stream="shoe/S-1", pack=pack_text(pack), decks=6, start_us=0)
    patrons = parse_lineup(LINEUP, parse_pack(pack_text(pack)).table.seats)
    croupier = Dealer(plan, patrons, random.Random(seed), faults)
    list(croupier.deal())
    return croupier.shoe


@pytest.mark.parametrize("name", a_part(BANK_FAULTS, of=2))
def test_the_audit_finds_it_where_it_happened_and_nothing_else(name):
    """In the full run under every pack, early and late; else once, each kind under its pack."""
    happened = 0
    tried = list(product(of_game("chemin-de-fer"), (1, 6)))
    turn = list(BANK_FAULTS).index(name) % len(tried)
    for pack, not_before in tried[turn:] + tried[:turn]:
        if happened and not FULL:
            break
        planted = fault(name, not_before)
        findings = audit_shoe(deal(pack, not_before, planted)).findings
        if not planted.happened:
            assert findings == []
            continue
        happened += 1
        found = {finding.code for finding in findings}
        assert planted.kind.codes[0] in found <= set(planted.kind.codes)
        assert planted.coup in {finding.coup for finding in findings} or planted.coup is None
    assert happened


# a card may be exposed at any time, and the house keeps its tickets: neither is refused
_NOT_REFUSED = {"banker-card-shown-early", "ticket-detached-twice"}
_REFUSED = [name for name in BANK_FAULTS if name not in _NOT_REFUSED]


@pytest.mark.parametrize("name", a_part(_REFUSED, 3))
def test_the_dealer_would_have_been_refused(name):
    shoes = (
        (planted := fault(name), deal(pack, seed, planted))
        for seed in range(3)
        for pack in of_game("chemin-de-fer")
    )
    history = next(shoe.history for planted, shoe in shoes if planted.happened)
    shoe, refused = Shoe("shoe/S-1"), []
    for event in history:
        refused += [violation(shoe, event.payload)]
        shoe = evolve(shoe, event)
    assert any(refused)


def test_every_rule_of_chemin_de_fer_alone_has_a_fault():
    rules = {rule.code: rule.family for rule in RULES if rule.games == ("chemin-de-fer",)}
    codes = {kind.codes[0]: kind.family for kind in (BANK_FAULTS | ORDER_FAULTS).values()}
    assert codes.items() >= rules.items()


def test_a_card_that_was_given_over_to_the_bank_was_drawn_by_nobody():
    """Banker then has three cards, of which two were drawn for him."""
    planted = fault("card-given-over")
    findings = audit_shoe(deal("chemin-de-fer", 1, planted)).findings
    assert planted.kind.codes[0] in {found.code for found in findings}
