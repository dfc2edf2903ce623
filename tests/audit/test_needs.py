"""No rule counts as checked if the record lacks what it needs.

Clean coups of several games and the examples of each rule, told by records without a card, a bet, a
call or a seat. Each rule is listed by what it rests on: without it, it does not apply and says why,
or finds that it is missing; never does it pass.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe, find_rule
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.rule import Rule
from sabot.domain.audit.verdicts import RuleResult
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.rule_pack import pack_sha256, parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, fold
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import START_US, shoe_of
from tests.support.floor_notation import Pit
from tests.support.for_each import for_each
from tests.support.rule_cases import Case, every_case
from tests.support.rule_examples import with_key
from tests.support.thorough import FULL, slow

KINDS: dict[str, tuple[type, ...]] = {
    "cards": (ev.CardDrawn, ev.CardBurned, ev.CardTurned, ev.CutCardReached, bank_ev.CardRejected),
    "bets": (
        ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn, ev.BetTaken, ev.BetPaid,
        ev.BetPushed, ev.CommissionMarked, ev.CommissionCollected,
    ),
    "calls": (
        ev.NoMoreBets, ev.TotalsCalled, ev.ResultCalled, ev.LastCoupCalled, bank_ev.HandsCalled,
    ),
    "seats": (ev.PatronSeated, ev.PatronMoved, ev.PatronLeft),
}  # fmt: skip
NEEDS = {rule.code: KINDS.keys() & rule.rests_on for rule in RULES}
SOMETIMES = {find_rule("R413").code, find_rule("I306").code}
"""Rules that need a part in their examples alone: the corrected event, or a card without a bet."""
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
    return audit_shoe(shoe_of(lacking(events_of(pack), lacks))).verdicts


def lacking(payloads: Iterable[ev.Event], lacks: tuple[type, ...]) -> Iterator[ev.Event]:
    """Yield the events of a record that lacks some kinds, and the seats in others with these."""
    for payload in payloads:
        if ev.PatronSeated in lacks and isinstance(payload, ev.ShoeLoaded):
            yield replace(payload, seats=())
        elif ev.PatronSeated in lacks and isinstance(payload, ev.BetPlaced | ev.BetCarried):
            yield replace(payload, seat=None)
        elif not isinstance(payload, lacks):
            yield payload


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
    shoe = shoe_of(events_of(pack))
    assert {code for code in passed if rests_there(find_rule(code), kind, shoe)} == set()
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


# -- The examples of the rules -------------------------------------------------------------------


def verdict_of(case: Case, shoe: Shoe) -> RuleResult:
    (verdict,) = [each for each in audit_shoe(shoe).verdicts if each.code == case.code]
    return verdict


def without(shoe: Shoe, kind: str) -> Shoe:
    """Return a shoe whose record lacks a part."""
    return shoe_of(lacking((event.payload for event in shoe.history), KINDS[kind]))


def rests_there(rule: Rule, kind: str, shoe: Shoe) -> bool:
    """Return whether a rule rests on a part of the record in the game of a shoe."""
    if kind not in NEEDS[rule.code]:
        return False
    asked = [need.games for need in rule.needs if need.about == kind]
    of_subjects = rule.each is not None and rule.each.about == kind
    game = game_of(shoe.pack).name
    return of_subjects or any(not games or game in games for games in asked)


@slow
@for_each("kind", KINDS)
def test_no_rule_passes_its_example_without_what_it_rests_on(kind):
    passed = {
        case.code
        for case in every_case()
        if rests_there(find_rule(case.code), kind, case.broken())
        and verdict_of(case, without(case.broken(), kind)).result == "pass"
    }
    assert passed == set()


@slow
@for_each("kind", KINDS)
def test_a_rule_that_is_never_judged_without_a_part_is_listed_with_it(kind):
    """It is judged in its near misses and in clean coups, and in none of them without that part."""
    judged = {each.code for pack in PACKS for each in verdicts(pack, *KINDS[kind]) if each.checked}
    never: set[str] = set()
    for case in every_case():
        if kind in NEEDS[case.code] or case.code in judged:
            continue
        if verdict_of(case, without(case.kept(), kind)).checked:
            judged.add(case.code)
        elif verdict_of(case, case.kept()).checked:
            never.add(case.code)
    assert never - judged <= SOMETIMES


def in_doubt(shoe: Shoe) -> Shoe:
    """Return a shoe whose events come from a device each, all at the same time."""
    first, told = shoe.history[0], []
    for place, event in enumerate(shoe.history):
        payload = event.payload
        if isinstance(payload, ev.ShoeLoaded):
            pack = with_key(with_key(payload.pack, "clocks.tolerance_ms = 250"), _JUMP)
            payload = replace(payload, pack=pack, pack_sha256=pack_sha256(pack))
        at = first.at_us or first.recorded_us
        late = shoe.history[-1].recorded_us
        told.append(
            replace(event, payload=payload, device=f"d{place}", seq=1, at_us=at, recorded_us=late)
        )
    return fold(shoe.stream, told)


_JUMP = "clocks.jump_ms = 2000"


@slow
def test_a_rule_that_rests_on_the_order_is_not_judged_where_it_is_unknown():
    unjudged: Counter[str] = Counter()
    for case in every_case():
        if "order" not in find_rule(case.code).rests_on:
            continue
        for shoe in (case.broken, case.kept):
            # one shoe of each rule is enough by default
            if FULL or not unjudged[case.code]:
                verdict = verdict_of(case, in_doubt(shoe()))
                unjudged[case.code] += bool(verdict.reasons)
    one_card_each = {find_rule("O507").code}
    assert {code for code, count in unjudged.items() if not count} == one_card_each


@for_each("rule", [pytest.param(r, id=r.code) for r in RULES if r.of_the_floor])
def test_a_rule_of_the_floor_that_rests_on_the_order_says_nothing_without_clocks(rule):
    pit = Pit.of(rule.breaks)
    for stream in pit.streams.values():
        stream[:] = [replace(e, at_us=None if e.index % 2 else e.at_us) for e in stream]
    found = {each.code for each in audit_floor(pit.floor()).findings}
    assert "order" not in rule.rests_on or rule.code not in found
