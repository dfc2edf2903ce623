"""Choices made after faces were seen raise no mean above 1.

What is chosen by faces that were seen: to void, to turn or to call, to burn.
"""

from itertools import product

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.subjects import Plan
from tests.support.every_order import (
    CARDS,
    HANDS,
    HIGH,
    VALUE_OF,
    face_down,
    face_up,
    means,
    thirds,
)
from tests.support.thorough import a_part, slow

VOIDS = {
    "a high first card": lambda shown, _card: "void" if shown == [9] else None,
    "a low first card": lambda shown, _card: "void" if shown == [0] else None,
    "a low second card": lambda shown, _card: "void" if shown[1:] == [0] else None,
    "two alike": lambda shown, _card: "void" if len(shown) == 2 and len(set(shown)) == 1 else None,
    "a high third card": lambda shown, _card: "void" if shown[2:] == [9] else None,
}


@pytest.mark.parametrize(
    ("void", "pack", "bet"),
    a_part(product(VOIDS, ["classic-8", "france"], ["player", "banker"]), of=3),
)
def test_whoever_voids_a_coup_by_its_faces_moves_no_mean_of_a_card(void, pack, bet):
    def script(deal):
        deal.open(pack=pack)
        face_down(deal, 1, bet, VOIDS[void])

    found = means(script, HIGH, accounts=CARDS)["patron", "p"]
    # where cards are dealt face up, those that nobody turned may have lain open all the time
    assert found == 1 if pack == "france" else 0 < found <= 1
    assert means(script, HIGH)["patron", "p"] <= 1


@pytest.mark.parametrize("first", [0, 9])
def test_whether_cards_are_turned_or_only_called_moves_no_mean(first):
    """After a bad face the dealer calls the totals at once, after a good one he turns them all."""

    def script(deal):
        deal.open(pack="france")
        deal.tell(ev.CoupOpened(1))
        cards = [deal.draw() for _ in HANDS]
        for hand, card in zip(HANDS, cards, strict=True):
            deal.tell(ev.CardDrawn(1, hand, card))
        deal.tell(ev.BetPlaced(1, 1, "p", "player", 100))
        deal.tell(ev.CardTurned(1, "player", 1))
        values = [VALUE_OF[card] for card in cards]
        if values[0] != first:
            for hand, nth in (("banker", 1), ("player", 2), ("banker", 2)):
                deal.tell(ev.CardTurned(1, hand, nth))
        deal.tell(ev.TotalsCalled(1, (values[0] + values[2]) % 10, (values[1] + values[3]) % 10))
        thirds(deal, 1, values)
        deal.tell(ev.ResultCalled(1))
        deal.tell(ev.CoupClosed(1))

    assert means(script, HIGH) == {("patron", "p"): 1}


@pytest.mark.parametrize("called", [True, False])
def test_a_bet_moved_after_an_unrecorded_turning_is_no_knowledge(called):
    """Cards face down that nobody turned on record: he bets by them once bets are closed."""

    def script(deal):
        deal.open(pack="france")
        deal.tell(ev.CoupOpened(1))
        deal.tell(ev.BetPlaced(1, 1, "p", "player", 100))
        deal.tell(ev.NoMoreBets(1))
        values = []
        for hand in HANDS:
            card = deal.draw()
            deal.tell(ev.CardDrawn(1, hand, card))
            values.append(VALUE_OF[card])
        if values[0] == 0:
            deal.tell(ev.BetWithdrawn(1, 1))
            deal.tell(ev.BetPlaced(1, 2, "p", "banker", 100))
        if called:
            deal.tell(ev.TotalsCalled(1, 0, 0))
        thirds(deal, 1, values)
        deal.tell(ev.CoupClosed(1))

    assert means(script, HIGH, accounts="side bold size outcome") == {("patron", "p"): 1}


@slow
def test_a_card_that_nobody_saw_is_unseen_and_has_told_nothing():
    """A coup is voided with cards face down; the next bets are against what they were."""

    def script(deal):
        deal.open(pack="france")
        face_down(deal, 1, "player", lambda shown, _card: "void" if len(shown) == 2 else None)
        deal.tell(ev.CoupOpened(2))
        deal.tell(ev.BetPlaced(2, 1, "p", "banker", 100))
        values = []
        for hand in HANDS:
            values.append(VALUE_OF[card := deal.draw()])
            deal.tell(ev.CardDrawn(2, hand, card))
            deal.tell(ev.CardTurned(2, hand, 1 + (len(values) - 1) // 2))
        thirds(deal, 2, values)
        deal.tell(ev.CoupClosed(2))

    # a card of the second coup may be one of the first that was recorded again
    assert 0 < means(script, HIGH, accounts=CARDS)["patron", "p"] <= 1
    assert means(script, HIGH, accounts="side outcome streak")["patron", "p"] <= 1


def test_cards_of_a_voided_coup_that_are_turned_afterwards_are_seen():
    """What is turned over once the coup is void is seen, and counted, by everybody."""

    def script(deal):
        deal.open(pack="france")
        face_down(deal, 1, "player", lambda shown, _card: "void" if len(shown) == 1 else None)
        for hand, nth in (("banker", 1), ("player", 2), ("banker", 2)):
            deal.tell(ev.CardTurned(1, hand, nth))
        high = sum(
            VALUE_OF[e.payload.card] == 9
            for e in deal.events
            if isinstance(e.payload, ev.CardDrawn)
        )
        face_down(deal, 2, "player" if high < 2 else "banker")

    assert 0 < means(script, HIGH, accounts=CARDS)["patron", "p"] <= 1


def test_which_of_two_burned_cards_counts_is_settled_before_the_first():
    """The dealer burns a second card after a low first one.

    A card that is burned after the bets may have lain face up before them: it counts at the least.
    """

    def script(deal):
        deal.open()
        deal.tell(ev.CoupOpened(1))
        deal.tell(ev.BetPlaced(1, 1, "p", "player", 100))
        for _ in range(2):
            card = deal.draw()
            deal.tell(ev.CardBurned(card, reason="ruling", coup=1))
            if VALUE_OF[card] == 9:
                break
        deal.tell(ev.CoupVoided(1))

    assert 0 < means(script, HIGH, accounts=CARDS)["patron", "p"] <= 1


def test_late_changes_in_coups_that_are_voided_have_no_mean_above_one():
    """His late bets have nothing to do with the cards; that the coup is voided has."""

    def script(deal):
        deal.open()

        def late(values, _told):
            if len(values) == 1:
                deal.tell(ev.BetPlaced(1, 2, "p", "banker", 500))

        values, _ = face_up(
            deal, 1, [("p", "player", 100)], between=late, void=lambda v: v[2:] == [9]
        )
        if values is not None:
            face_up(deal, 2, [("p", "player", 100)])

    found = means(script, HIGH)
    assert set(found) == {("patron", "p"), ("late", "p")}
    assert max(found.values()) <= 1


@pytest.mark.parametrize("bad", [0, 9])
def test_an_irregularity_that_is_taken_back_by_the_cards_lifts_nothing(bad):
    """An exposed card is noted before the cards, and struck from the record after a good one."""

    def script(deal):
        deal.open()
        noted = deal.tell(ev.IrregularityNoted("card-exposed", coup=1))

        def strike(values, _told):
            if values == [bad]:
                deal.tell(ev.EventCorrected(noted, "no such thing", "boss", None))

        face_up(deal, 1, [("p", "player", 100)], between=strike)

    assert max(means(script, HIGH, Plan(), "side bold size outcome").values()) <= 1
