"""Explanations know the rulings on a coup and claim no more than the audit."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks import payments, unsettled_bets
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.audit.explain.steps import Step
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.audit.test_legal_shoes import PACKS
from tests.faults import FAULTS, fault
from tests.support.coup_notation import Felt, shoe_of
from tests.support.legal_dealer import LegalDealer
from tests.support.thorough import a_part, every_third

OF_A_BET = {rule.code for rule in (*payments.RULES, *unsettled_bets.RULES)}


def agrees(shoe: Shoe) -> int:
    """Hold the explanation of every coup against the audit. Return how many steps differ."""
    found, differing = audit_shoe(shoe).findings, 0
    for number in shoe.coups:
        wrong = [step for step in explain(shoe, number).steps if step.differs]
        mine = [each for each in found if each.coup == number]
        differing += len(wrong)
        assert mine or not wrong, wrong
        for step in wrong:
            if step.kind in ("draw", "stand"):
                assert {each.family for each in mine} & {"tableau", "procedure"}, step
            if step.kind == "payment":
                patron = step.what.split("'s ")[0]
                assert any(
                    set(step.events) & set(each.events) or each.money.patrons.get(patron)
                    for each in mine
                ), step
        paid = {event for step in wrong if step.kind == "payment" for event in step.events[:1]}
        assert all(paid.intersection(each.events) for each in mine if each.code in OF_A_BET)
    return differing


# -- Whatever the rules leave open, and whatever goes wrong ---------------------------------------


@every_third
@pytest.mark.parametrize("name", a_part(PACKS, of=3))
def test_nothing_differs_in_a_legal_shoe(name):
    """Coups voided, cards burned, wrong calls noted and payments put right are among it."""
    shoe = shoe_of(LegalDealer(PACKS[name], f"{name} 1").deal(40))
    assert audit_shoe(shoe).findings == []
    shown = [step for coup in shoe.coups for step in explain(shoe, coup).steps if step.shown]
    assert len(shown) > 40
    assert [step for step in shown if step.differs is not False] == []


@pytest.mark.parametrize("name", a_part(FAULTS, of=13))
def test_where_a_fault_happens_what_differs_is_what_the_audit_finds(name):
    lineup = parse_lineup("flat:side=player,flat:unit=5000,flat,tie-lover", 9)
    for coups in (12, None):
        plan = ShoePlan(stream="shoe/S-1", pack=pack_text("midi"), decks=6, start_us=0, coups=coups)
        planted = fault(name, 2)
        croupier = Dealer(plan, lineup, random.Random(1), (planted,))
        list(croupier.deal())
        if planted.happened:
            break
    agrees(croupier.shoe)


BETS = (("p1", "player", 1000), ("p2", "banker", 2000), ("p3", "player", 500))
KINDS = ("wrong-draw", "card-exposed", "misdeal", "late-bet", "other")
RULINGS = ("none", "void", "return-bets", "no-bet-hand", "burn-card", "card-to-banker", "stand")


def ruled(kind, ruling, by, moves, *, late, third, ends, burned, given_over) -> Shoe:
    """Coup 1, Player 4 v Banker 5: bets on it, a ruling, and what was done with bets and cards."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    felt.put(*[ev.BetPlaced(1, n, *bet) for n, bet in enumerate(BETS, 1)], ev.NoMoreBets(1))
    felt.cards("> P 2  B 2  P 2  B 3").put(ev.TotalsCalled(1, 4, 5))
    if late:
        felt.put(ev.BetPlaced(1, 4, "p1", "player", 700))
    if third:
        felt.cards("> P 3")
    if burned and third:
        felt.put(ev.CardBurned("3", felt.shoe.coups[1].cards[-1].payload.place, "ruling", 1))
        felt.cards("> P 4")
    if given_over and third:
        felt.put(ev.CardReassigned(1, "player", "banker"))
    if kind is not None:
        felt.put(ev.IrregularityNoted(kind, ruling, 1, by=by))
    if ends == "voided":
        felt.put(ev.CoupVoided(1, by=by))
    for number, move in enumerate(moves[: 3 + late], 1):
        stake = (*BETS, ("p1", "player", 700))[number - 1][2]
        payload = {
            "push": ev.BetPushed(1, number),
            "take": ev.BetTaken(1, number, stake),
            "pay": ev.BetPaid(1, number, stake),
            "withdraw": ev.BetWithdrawn(1, number),
        }.get(move)
        felt.put(*[payload] if payload else [])
    felt.put(*[ev.CoupClosed(1)] if ends == "closed" else [])
    return felt.coup("p1 player 500 | P 4 5  B K 8", 2).shoe


@given(
    kind=st.none() | st.sampled_from(KINDS),
    ruling=st.sampled_from(RULINGS),
    by=st.none() | st.just("sue"),
    moves=st.lists(
        st.sampled_from(["push", "take", "pay", "withdraw", ""]), min_size=4, max_size=4
    ),
    late=st.booleans(),
    third=st.booleans(),
    ends=st.sampled_from(["closed", "voided", "left"]),
    burned=st.booleans(),
    given_over=st.booleans(),
)
def test_whatever_is_ruled_what_differs_is_what_the_audit_finds(kind, ruling, by, moves, **rest):
    agrees(ruled(kind, ruling, by, moves, **rest))


# -- Each ruling in words -------------------------------------------------------------------------


def steps(shoe: Shoe) -> dict[str, Step]:
    """The steps of coup 1, by what they are of; nothing in the coup may be found."""
    assert [each for each in audit_shoe(shoe).findings if each.coup == 1] == []
    told = explain(shoe, 1).steps
    assert not any(step.differs for step in told)
    return {step.what: step for step in told}


def dealt(cards: str, *behind: ev.Event, rules: str = "classic-8") -> Felt:
    """Coup 1 with the three bets; the cards so far, and what was done then."""
    felt = Felt(rules).ready().put(ev.CoupOpened(1))
    felt.put(*[ev.BetPlaced(1, n, *bet) for n, bet in enumerate(BETS, 1)], ev.NoMoreBets(1))
    return felt.cards(cards).put(*behind)


def noted(kind, ruling) -> ev.Event:
    return ev.IrregularityNoted(kind, ruling, 1, by="sue")


def test_a_coup_that_is_void_says_what_was_ruled_and_by_whom():
    """Player 6 stands, and drew a 3."""
    felt = dealt("> P 2  B K  P 4  B 7  P 3", noted("wrong-draw", "void"), ev.CoupVoided(1))
    told = {step.what: step for step in explain(felt.shoe, 1).steps}
    assert told["a wrong draw"].shown == "ruling by sue: void the coup"
    assert told["voided"].why == "a wrong draw, ruling by sue: void the coup"
    assert told["voided"].differs is None
    third = told["Player's third card"]
    assert (third.due, third.shown, third.differs) == ("stand", "drew 3", None)
    assert third.why.endswith("; the coup was voided")
    felt = dealt("> P 2  B K", ev.ShufflerFailed("X", "jam", 1, True), ev.CoupVoided(1, by="sue"))
    voided = next(step for step in explain(felt.shoe, 1).steps if step.what == "voided")
    assert voided.why.startswith("called off by sue; the shuffler failed: jam")


def test_a_coup_that_is_void_for_no_reason_says_so():
    felt = dealt("> P 4  B K  P 5  B 8", ev.ResultCalled(1, 9, 8, "P"), ev.CoupVoided(1))
    (voided,) = [step for step in explain(felt.shoe, 1).steps if step.differs]
    assert (voided.what, voided.shown is not None) == ("voided", True)
    (found,) = [each for each in audit_shoe(felt.shoe).findings if each.coup == 1]
    assert voided.why == found.message


def test_a_card_that_was_given_over_says_on_which_ruling():
    """Player 6 stands, and was given a 5: it is the third card of Banker 5."""
    felt = dealt("> P 2  B K  P 4  B 5  P 5", noted("wrong-draw", "card-to-banker"))
    felt.put(ev.CardReassigned(1, "player", "banker"), ev.ResultCalled(1, 6, 0, "P"))
    felt.put(
        ev.BetTaken(1, 2, 2000), ev.BetPaid(1, 1, 1000), ev.BetPaid(1, 3, 500), ev.CoupClosed(1)
    )
    told = {step.what: step for step in explain(felt.shoe, 1).steps}
    ruled = "a wrong draw, ruling by sue: give the card to Banker"
    assert (told["player's card"].why, told["player's card"].differs) == (ruled, False)
    third = told["Banker's third card"]
    assert third.why.endswith(f"; player's card, given over: {ruled}")
    assert third.differs is False
    assert len(third.events) == 1


@pytest.mark.parametrize(
    ("rulings", "differs"), [([("wrong-draw", "burn-card")], False), ([], True)]
)
def test_a_card_that_was_burned_says_on_which_ruling_or_that_there_was_none(rulings, differs):
    """Player 6 stands, and drew a 3: it is burned, and Banker 7 wins."""
    felt = dealt("> P 2  B K  P 4  B 7  P 3", *[noted(*each) for each in rulings])
    felt.put(ev.CardBurned("3", felt.shoe.coups[1].cards[-1].payload.place, "ruling", 1))
    felt.put(ev.ResultCalled(1, 6, 7, "B"), ev.BetTaken(1, 1, 1000), ev.BetTaken(1, 3, 500))
    felt.put(ev.BetPaid(1, 2, 2000), ev.CommissionCollected("p2", 100, 1, 2), ev.CoupClosed(1))
    (step,) = [step for step in explain(felt.shoe, 1).steps if step.what == "player's 3"]
    assert (step.shown, step.differs) == ("drawn, and burned", differs)
    if rulings:
        assert step.why == "a wrong draw, ruling by sue: burn a card"
    else:
        found = {each.code: each.message for each in audit_shoe(felt.shoe).findings}
        assert step.why == found["dealt-card-burned-without-ruling"]


def test_bets_that_went_back_as_ruled_are_right_for_that_reason():
    back = [ev.BetPushed(1, 1), ev.BetWithdrawn(1, 2), ev.BetPushed(1, 3)]
    felt = dealt("> P 4  B K  P 5  B 8", noted("other", "return-bets"), *back)
    told = steps(felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1)).shoe)
    for what, shown in (
        ("p1's 10.00 EUR on Player", "pushed"),
        ("p2's 20.00 EUR on Banker", "withdrawn"),
    ):
        assert (told[what].due, told[what].shown, told[what].differs) == ("nothing", shown, False)
        assert (
            told[what].why
            == "the bet goes back: another irregularity, ruling by sue: return the bets"
        )


def test_who_was_settled_against_the_ruling_alone_differs():
    back = [ev.BetPushed(1, 1), ev.BetTaken(1, 2, 2000), ev.BetPushed(1, 3)]
    felt = dealt("> P 4  B K  P 5  B 8", noted("other", "return-bets"), *back)
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    wrong = [step.what for step in explain(felt.shoe, 1).steps if step.differs]
    assert wrong == ["another irregularity", "p2's 20.00 EUR on Banker"]


def test_bets_of_several_patrons_settled_in_a_void_coup_all_differ():
    """They are one finding. The cards of the next coup tell its amount, which the void has."""
    felt = dealt("> P 2  B 2  P 2  B 3", ev.CoupVoided(1), ev.BetPushed(1, 1))
    felt.put(ev.BetTaken(1, 2, 2000), ev.BetPaid(1, 3, 500)).coup("P 4 5  B K 8", 2)
    assert agrees(felt.shoe)
    told = {step.what: step for step in explain(felt.shoe, 1).steps if step.kind == "payment"}
    assert [step.differs for step in told.values()] == [False, True, True]
    settled = [step for step in told.values() if step.differs]
    assert [step.findings for step in settled] == [("voided-bet-settled",)] * 2


def test_a_wrong_call_that_was_noted_and_put_right_does_not_differ():
    felt = dealt("> P 4  B K  P 5  B 8", ev.ResultCalled(1, 9, 8, "B"), noted("wrong-call", "none"))
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetTaken(1, 2, 2000), ev.BetPaid(1, 1, 1000))
    felt.put(ev.BetPaid(1, 3, 500), ev.CoupClosed(1))
    assert [each for each in audit_shoe(felt.shoe).findings if each.coup == 1] == []
    calls = [step for step in explain(felt.shoe, 1).steps if step.kind == "result"]
    assert [step.differs for step in calls] == [False, False]
    assert calls[0].why == "the higher total wins; called again: a wrong call, noted by sue"
