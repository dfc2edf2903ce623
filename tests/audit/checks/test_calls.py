"""The rules of `checks/calls.py`: breaches, near misses, and legal cases."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.audit.checks.calls import premature_call
from sabot.domain.audit.rule_group import code_of
from tests.support.audited import codes_and_coups, skipped
from tests.support.coup_notation import Felt, loaded, shoe_of
from tests.support.device_records import (
    device_shoe,
    verdict_on,
)
from tests.support.money_of_findings import money
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal
from tests.support.told_shoes import dealt

OPENED = """
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "5", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
"""

CALLED = """
        hands-called
        {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
"""  # noqa: E501 - an event is a line
CASES = (
    Case(
        "miscalled-final-totals",
        1,
        "coup | P 4 5  B K 8 | P 9-7",
        "coup P 4 5  B K 8",
    ),
    Case(
        "miscalled-result",
        1,
        "coup | P 4 5  B K 9 | P 9-9",
        "coup P 4 5  B K 9",
    ),
    # each call is judged, not the last alone
    Case(
        "miscalled-result",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "B"}
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        due
        """,
    ),
    Case(
        "miscalled-result",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "B"}
        due
        """,
        "coup P 4 5  B K 8",
    ),
    Case(
        "result-not-called",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "6", "place": 1, "seat": 1}
        deal B 8
        choice-made {"coup": 1, "hand": "patron", "choice": "stand", "seat": 1}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        card-turned {"coup": 1, "hand": "patron", "nth": 1, "seat": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        bet-taken {"coup": 1, "bet": 1, "amount": 500}
        coup-closed {"coup": 1}
        hands 1 500 | 1: 6; B: 8
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        hands 1 500 | 1: 6; B: 8
        """,
    ),
    Case(
        "result-not-called",
        1,
        """
        coup | P 2 4  B K 5 2 | -
        result-called {"coup": 1, "player": 6, "banker": 7, "outcome": "B"}
        """,
        "coup P 2 4  B K 5 2",
    ),
    # the call of a void coup shows that the record has calls
    Case(
        "result-not-called",
        2,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        coup | P 4 5  B K 8 | -
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        coup P 4 5  B K 8
        """,
    ),
    # hands that were called twice are one breach
    Case(
        find_rule("C106").code,
        1,
        f"""
        {OPENED}
        choice-made {{"coup": 1, "hand": "banker", "choice": "draw"}}
        {CALLED}
        {CALLED}
        card-drawn {{"coup": 1, "hand": "banker", "card": "3", "place": 3}}
        due
        """,
        f"""
        {OPENED}
        choice-made {{"coup": 1, "hand": "banker", "choice": "draw"}}
        card-drawn {{"coup": 1, "hand": "banker", "card": "3", "place": 3}}
        choice-made {{"coup": 1, "hand": "banker", "choice": "stand"}}
        {CALLED}
        {CALLED}
        due
        """,
    ),
    Case(
        "premature-call",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 4  B K 5
        result-called {"coup": 1, "player": 6, "banker": 7, "outcome": "B"}
        deal B 2
        due
        """,
        "coup P 2 4  B K 5 2",
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A wrong call that was settled -----------------------------------------------------------------


def test_settlements_by_a_wrong_call_are_explained_by_the_call():
    """Banker won 9 to 8, and Player was called. P3's win is overpaid as well.

    P1's 5.00 were paid, not taken; p2's 2.00 on Banker were taken, not paid 1.90; p3 got 3.00 for
    2.00 on Banker, of which 0.10 are commission.
    """
    felt = Felt("classic-8").ready()
    felt.coup(
        "p1 player 500, p2 banker 200, p3 banker 200 | P 4 4  B K 9 | P 8-9"
        " | 1 pay 500, 2 take 200, 3 pay 300"
    )
    found = audit_shoe(felt.shoe).findings
    (call,) = [each for each in found if each.code == "miscalled-result"]
    assert call.explained_by is None
    by_call = {each.patron: each.explained_by == call.fingerprint for each in found}
    money = {each.patron: each.money.house for each in found if each.money.house is not None}
    assert by_call | {call.patron: None} == {None: None, "p1": True, "p2": True, "p3": False}
    assert (money["p1"], money["p2"]) == (-1000, 390)


def test_a_premature_call_of_two_cards_names_a_card_that_it_counts():
    """After the call Player gets a third card, and Banker the second."""
    shoe = deal(
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B K  P 2
        totals-called {"coup": 1, "player": 4, "banker": 8}
        deal > P 4  B 8
        due
        """.replace("        ", "").strip()
    )
    (found,) = [each for each in audit_shoe(shoe).findings if each.code == "premature-call"]
    assert found.observed == "a card was drawn after the call: 8 to Banker"


# -- Calls and bets that nobody told ---------------------------------------------------------------


def test_without_calls_the_tableau_is_judged_and_the_calls_are_not():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    for hand, card in (("player", "2"), ("banker", "K"), ("player", "3"), ("banker", "3")):
        felt.put(ev.CardDrawn(1, hand, card, len(felt.shoe.left) + 1))
    shoe = felt.put(ev.CardDrawn(1, "player", "9", 7), ev.CoupClosed(1)).shoe
    assert codes_and_coups(shoe) == [("banker-stood-against-table", 1)]
    for code, why in (
        ("miscalled-two-card-totals", "the two-card totals were not called"),
        ("miscalled-final-totals", "the final totals were not called"),
        ("miscalled-result", "the outcome was not called"),
    ):
        assert skipped(shoe, code) == {why: 1}


def test_a_call_of_the_outcome_alone_is_judged_for_what_it_says():
    shoe = Felt().ready().coup("| P 4 5  B K 8 | B").shoe
    assert codes_and_coups(shoe) == [("miscalled-result", 1)]
    assert skipped(shoe, "miscalled-final-totals") == {"the final totals were not called": 1}


# -- Cards and beginnings that nobody recorded -----------------------------------------------------


CALLS = ("miscalled-final-totals", "miscalled-result")


@pytest.mark.parametrize("cards", ["", "4", "4K", "4K5"])
def test_a_call_is_not_held_against_cards_that_nobody_recorded(cards):
    hands = ("player", "banker", "player")
    drawn = [ev.CardDrawn(1, hand, card) for hand, card in zip(hands, cards, strict=False)]
    call = ev.ResultCalled(1, 9, 8, "P")
    shoe = shoe_of([loaded(coverage="coups"), ev.CoupOpened(1), *drawn, call, ev.CoupClosed(1)])
    assert codes_and_coups(shoe) == []
    reason = "a hand has fewer than two cards" if cards else "no card is on record"
    for code in CALLS:
        assert skipped(shoe, code) == {reason: 1}
    few = "coup-short-of-cards"
    assert skipped(shoe, few) == {"the record may lack cards": 1}


def test_a_call_of_four_cards_is_judged_in_a_record_of_coups():
    hands = ("player", "banker", "player", "banker")
    drawn = [ev.CardDrawn(1, hand, card) for hand, card in zip(hands, "4K58", strict=True)]
    call = ev.ResultCalled(1, 8, 8, "B")
    shoe = shoe_of([loaded(coverage="coups"), ev.CoupOpened(1), *drawn, call, ev.CoupClosed(1)])
    assert codes_and_coups(shoe) == [(code, 1) for code in CALLS]


# -- Events of several devices ---------------------------------------------------------------------


SET_BACK = """
    terminal -1000 open
    chips 0 bet player 500
    terminal 500 call
    reader 1000 P 4
    terminal 1500 limits 800
    reader 2000 B K
    terminal 2500 limits 900
    reader 3000 P 5
    terminal 3600 limits 700
    terminal 600 limits 800
    terminal 2000 limits 900
    reader {last} B 8
    terminal {called} result P
    chips 16000 pay 500
    terminal 17000 close
"""


@pytest.mark.parametrize(("last", "called"), [(5000, 4000), (9000, 7000)])
def test_a_clock_that_was_set_back_orders_nothing_for_the_rest_of_the_shoe(last, called):
    """Set back by 3 seconds at 3600, it passes what it said before, or leaps forward again."""
    found, doubts = verdict_on(
        device_shoe(SET_BACK.format(last=last, called=called)), "premature-call"
    )
    assert found == 0
    assert "no usable clock" in next(iter(doubts))


# -- The amount ------------------------------------------------------------------------------------


def test_a_wrong_call_that_nobody_paid_by() -> None:
    line = "p1 player 500, p2 tie 100 | P 4 5  B K 9 | P 9-9 | 1 push, 2 pay 800"
    assert money(line, "miscalled-result") == {}


# -- A wrong call that was corrected ---------------------------------------------------------------


@pytest.mark.parametrize(("noted_after", "told"), [(True, []), (False, ["miscalled-result"])])
def test_only_a_note_after_a_wrong_call_excuses_it(noted_after: bool, told: list[str]) -> None:
    wrong = ev.ResultCalled(1, 9, 8, "B")
    noted = ev.IrregularityNoted("wrong-call", "none", 1)
    felt = Felt("classic-8").ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    felt.cards("P 4  B K  P 5  B 8").put(*((wrong, noted) if noted_after else (noted, wrong)))
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    assert [code for code, _ in codes_and_coups(felt.shoe)] == told


@pytest.mark.parametrize(
    ("pack", "cards", "surplus"),
    [
        ("classic-8", "deal > P 4  B K  P 5  B 8", "player"),
        ("classic-8", "deal > P 3  B K  P 4  B 7", "banker"),
    ],
)
def test_a_surplus_card_after_a_timely_call_explains_the_call(pack, cards, surplus):
    shoe = dealt(
        f"""
        load {pack}
        coup-opened {{"coup": 1}}
        no-more-bets {{"coup": 1}}
        {cards}
        result-called {{"coup": 1}}
        card-drawn {{"coup": 1, "hand": "{surplus}", "card": "2", "place": 7}}
        coup-closed {{"coup": 1}}
        """
    )
    (cause,) = [each for each in audit_shoe(shoe).findings if each.explained_by is None]
    (early,) = [each for each in audit_shoe(shoe).findings if each.explained_by is not None]
    assert cause.code == find_rule("T101" if surplus == "player" else "T103").code
    assert (early.code, early.explained_by) == (code_of(premature_call), cause.fingerprint)
