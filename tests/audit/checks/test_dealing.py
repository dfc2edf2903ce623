"""The rules of `checks/dealing.py`: breaches, near misses, and legal cases."""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from tests.support.audited import codes_and_coups, finish, only
from tests.support.coup_notation import Felt, shoe_of
from tests.support.irregular_coups import undealt
from tests.support.one_fault import own_and_explained, two_bets
from tests.support.relieved_crew import RELIEF, drawn, opened, who
from tests.support.restored_cards import (
    RESTORE,
    TO_BANKER,
    sorted_codes,
)
from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "cards-out-of-order",
        1,
        "coup > P 4 5  B K 8",
        "coup P 4 5  B K 8",
    ),
    Case(
        "coup-short-of-cards",
        1,
        "coup | P 4 5  B K | -",
        "coup | P 4 5  B K 8 | -",
    ),
    # a card without a place has taken up one
    Case(
        find_rule("D103").code,
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
        card-drawn {"coup": 1, "hand": "banker", "card": "K"}
        card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 6}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 7}
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
        card-drawn {"coup": 1, "hand": "banker", "card": "K"}
        card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 6}
        due
        """,
    ),
    Case(
        "result-before-cards-exposed",
        2,
        """
        load france
        coup P 4 4  B K 9
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4 5  B K
        card-drawn {"coup": 2, "hand": "banker", "card": "8", "place": 10}
        card-turned {"coup": 2, "hand": "player", "nth": 1}
        card-turned {"coup": 2, "hand": "player", "nth": 2}
        card-turned {"coup": 2, "hand": "banker", "nth": 2}
        totals-called {"coup": 2, "player": 9, "banker": 8}
        card-turned {"coup": 2, "hand": "banker", "nth": 1}
        due
        """,
        """
        load france
        coup P 4 4  B K 9
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4 5  B K
        card-drawn {"coup": 2, "hand": "banker", "card": "8", "place": 10}
        card-turned {"coup": 2, "hand": "banker", "nth": 1}
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Cards and the cut card ------------------------------------------------------------------------


def test_cards_are_out_of_order_from_the_first_that_went_wrong() -> None:
    """Banker's third card comes before Player's: the fifth, drawn by zoe; ann draws again."""
    felt = drawn(opened("mini", ev.NoMoreBets(1)), "> P 2  B K  P 2  B 2").put(*RELIEF)
    wrong = drawn(felt, "> B 3").events[-1]
    felt = drawn(felt.put(ev.CrewChanged("dealer", "ann")), "> P 4")
    found = only(finish(felt), "cards-out-of-order")
    assert (found.at_us, who(found)) == (wrong.at_us, ("zoe", "sid"))


# -- Cards and beginnings that nobody recorded -----------------------------------------------------


def test_where_the_record_is_whole_a_coup_without_cards_is_found_and_its_call_is_not_judged():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    shoe = felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1)).shoe
    assert codes_and_coups(shoe) == [("coup-short-of-cards", 1)]


# -- A coup without cards --------------------------------------------------------------------------


def test_a_result_is_not_called_on_no_cards():
    said = codes_and_coups(undealt(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1)))
    assert said == [("coup-short-of-cards", 1)]


# -- What a wrong card explains --------------------------------------------------------------------


def test_cards_in_the_wrong_order_explain_the_calls_and_payments():
    """The first two cards go to the other hand each. Hands and bets are settled as due."""
    felt = two_bets(
        "> B 9  P 7  P K  B K",
        ev.ResultCalled(1, 9, 7, "P"),
        *(ev.BetTaken(1, 2, 500), ev.BetPaid(1, 1, 500), ev.CoupClosed(1)),
    )
    own, explained = own_and_explained(felt)
    assert own == ["cards-out-of-order"]
    assert {by for _, by in explained} == set(own)
    families = [find_rule(code).family for code, _ in explained]
    assert sorted(families) == ["payout", "payout", "totals", "totals"]


# -- A restored card that lay face down ------------------------------------------------------------


@pytest.mark.parametrize("turned", [True, False])
def test_a_restored_card_lies_face_down_where_it_was_put(turned):
    """France: the second card goes to Player first; the record turned cards of a coup before."""
    felt = Felt("france").ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 9 K  B 2 3")
    felt.put(ev.ResultCalled(1, 9, 5, "P"), ev.CardsCleared(1, covered=True), ev.CoupClosed(1))
    felt.put(ev.CoupOpened(2), ev.NoMoreBets(2))
    cards = [("player", "9"), ("player", "2"), ("player", "K"), ("banker", "3")]
    for n, (hand, card) in enumerate(cards):
        felt.put(ev.CardDrawn(2, hand, card, len(felt.shoe.left) + 1))
        if n == 1:
            felt.put(replace(RESTORE, coup=2), replace(TO_BANKER, coup=2))
    if turned:
        hands = [(hand, nth) for hand in ("player", "banker") for nth in (1, 2)]
        felt.put(*[ev.CardTurned(2, hand, nth) for hand, nth in hands])
    felt.put(ev.TotalsCalled(2, 9, 5), ev.ResultCalled(2, 9, 5, "P"))
    felt.put(ev.CardsCleared(2, covered=True), ev.CoupClosed(2))
    down = "result-before-cards-exposed"
    assert [code for code in sorted_codes(felt.shoe) if code == down] == [down] * (not turned)


# -- A coup decided without a card -----------------------------------------------------------------


def test_a_coup_decided_without_a_card_is_shown_by_the_call_that_decided_it() -> None:
    felt = Felt("classic-8").ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.ShoeEnded(left=415, reason="withdrawn"))
    called = next(event for event in felt.events if isinstance(event.payload, ev.ResultCalled))
    assert only(felt, "coup-short-of-cards").events == (called.index,)


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ((ev.BetTaken(1, 1, 500),), "the cards decide no bet"),
        ((), "a breach of procedure moves no money by itself"),
    ],
)
def test_chips_that_moved_in_a_coup_without_cards_have_an_unknown_amount(moves, why) -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1), *moves, ev.CoupClosed(1)).coup("P 4 5  B K 8")
    assert only(felt, find_rule("D102").code).money.unknown == why


# -- Places in the shoe ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ([3, 3, 5, 6], ["card 3 of the shoe came after card 3"]),
        ([3, 4, 9, 6], ["cards 5 to 8 of the shoe were skipped: card 9 came after card 4"]),
        ([3, 4, 1, 6], ["card 1 of the shoe came after card 4"]),
        # two misreadings, the cards after a gap, a gap and a misreading
        ([3, 3, 5, 5], [
            "card 3 of the shoe came after card 3", "card 5 of the shoe came after card 5",
        ]),
        ([3, 5, 6, 7], ["card 4 of the shoe was skipped: card 5 came after card 3"]),
        ([4, 9, 6, 7], [
            "card 3 of the shoe was skipped: card 4 came after card 2",
            "cards 5 to 8 of the shoe were skipped: card 9 came after card 4",
        ]),
        ([4, 3, 5, 6], ["cards 4, 3 of the shoe came after card 2"]),
    ],
)  # fmt: skip
def test_a_misread_place_is_one_finding(places, found):
    """Cards 1 and 2 are burned, and Player wins 9 to 8."""
    felt = Felt().ready().coup("P 4 5  B K 8")
    drawn = iter(places)
    told = [
        replace(each, place=next(drawn)) if isinstance(each, ev.CardDrawn) else each
        for each in felt.payloads
    ]
    said = [each.message for each in audit_shoe(shoe_of(told)).findings if each.number == "D103"]
    assert said == found
