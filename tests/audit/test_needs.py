"""No rule counts as checked if the record lacks what it needs.

Clean coups of several games, told by records without a card, without a bet, or without a call. Each
rule is listed by what it rests on: without it, it does not apply and says why, or finds that it is
missing; never does it pass.
"""

import random
from functools import cache

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.verdicts import RuleResult
from sabot.domain.events import bank as bank_ev
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import START_US, shoe_of
from tests.support.for_each import for_each

KINDS: dict[str, tuple[type, ...]] = {
    "cards": (ev.CardDrawn, ev.CardBurned, ev.CardTurned, ev.CutCardReached, bank_ev.CardRejected),
    "bets": (
        ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn, ev.BetTaken, ev.BetPaid,
        ev.BetPushed, ev.CommissionMarked, ev.CommissionCollected,
    ),
    "calls": (
        ev.NoMoreBets, ev.TotalsCalled, ev.ResultCalled, ev.LastCoupCalled, bank_ev.HandsCalled,
    ),
}  # fmt: skip
NEEDS = {rule.code: rule.rests_on & KINDS.keys() for rule in RULES}
PACKS = (
    "uk", "midi", "france", "nsw", "chemin-de-fer", "banque", "deux-tableaux-france", "macao-old",
)  # fmt: skip


@cache
def events_of(pack: str) -> tuple[ev.Event, ...]:
    """Four clean coups, and all that comes before them."""
    text = pack_text(pack)
    decks = parse_pack(text).cards.decks[-1]
    plan = ShoePlan(stream="shoe/S", pack=text, decks=decks, start_us=START_US)
    lineup = parse_lineup("flat:side=player,martingale,tie-lover,flat:unit=5000", 5)
    croupier = Dealer(plan, lineup, random.Random(3))
    list(croupier.deal())
    payloads = [event.payload for event in croupier.shoe.history]
    return tuple(payloads[: payloads.index(ev.CoupClosed(4)) + 1])


def verdicts(pack: str, *lacks: type) -> list[RuleResult]:
    return audit_shoe(shoe_of(x for x in events_of(pack) if not isinstance(x, lacks))).verdicts


def test_every_rule_that_looks_is_listed_by_what_it_rests_on():
    for pack in PACKS:
        told = verdicts(pack)
        assert {each.result for each in told} <= {"pass", "not-applicable"}
        assert {each.code for each in told if each.checked} <= NEEDS.keys()


@for_each("pack", PACKS)
@for_each("kind", KINDS)
def test_a_rule_does_not_pass_on_what_the_record_lacks(pack, kind):
    told = verdicts(pack, *KINDS[kind])
    passed = {each.code for each in told if each.result == "pass"}
    assert {code for code in passed if kind in NEEDS[code]} == set()
    for each in told:
        assert each.checked or each.reasons, each.code


def test_a_record_without_a_card_says_so():
    for code in (
        "fourth-card-drawn",
        "cards-out-of-order",
        "excess-cards-dealt",
    ):
        (verdict,) = [each for each in verdicts("uk", *KINDS["cards"]) if each.code == code]
        assert verdict.result == "not-applicable"
        assert list(verdict.reasons) == ["no card is on record"]
        (verdict,) = [each for each in verdicts("uk") if each.code == code]
        assert verdict.result == "pass"
