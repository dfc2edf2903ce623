"""Cards exposed before the bets raise no mean above 1, however recorded.

Exposed before a coup that comes to nothing, open in the shoe and burned, turned on record by
another device, restored to the shoe, turned over late: whoever bets by them has no mean above 1.
"""

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.e_process.coup_evidence import count_from
from tests.support.every_order import HANDS, HIGH, VALUE_OF, Deal, means, third_of, thirds
from tests.support.thorough import FULL, slow


def rest(deal, coup, values):
    """Deal a coup on from these values, and close it."""
    for hand in HANDS[len(values) :]:
        card = deal.draw()
        values.append(VALUE_OF[card])
        deal.tell(ev.CardDrawn(coup, hand, card))
    thirds(deal, coup, values)
    deal.tell(ev.CoupClosed(coup))
    return values


def by(card):
    return "player" if VALUE_OF[card] == 9 else "banker"


@pytest.mark.parametrize("noted", [1, None])
@pytest.mark.parametrize("when", ["between", "in the coup"])
@pytest.mark.parametrize("ends", [ev.CoupVoided(1), ev.CoupClosed(1)], ids=["void", "closed"])
def test_an_exposed_card_waits_through_coups_without_a_face(when, noted, ends):
    def script(deal):
        deal.open()
        note = ev.IrregularityNoted("card-exposed", "void", noted)
        if when == "between":
            deal.tell(note)
        deal.tell(ev.CoupOpened(1))
        if when != "between":
            deal.tell(note)
        card = deal.draw()
        deal.tell(ev.BetPlaced(1, 1, "p", "player", 100))
        deal.tell(ends)
        deal.tell(ev.CoupOpened(2))
        deal.tell(ev.BetPlaced(2, 1, "p", by(card), 100))
        deal.tell(ev.NoMoreBets(2))
        deal.tell(ev.CardDrawn(2, "player", card))
        rest(deal, 2, [VALUE_OF[card]])

    assert 0 < means(script, HIGH)["patron", "p"] <= 1


@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("bets", ["by it", "by it, or not at all", "as ever"])
def test_a_card_that_lay_open_in_the_shoe_and_was_burned_is_no_knowledge(bets, noted):
    def script(deal):
        deal.open()
        deal.tell(ev.PatronSeated(1, "p"))
        deal.tell(ev.CoupOpened(1))
        card = deal.draw()
        side = "banker" if bets == "as ever" else by(card)
        if bets != "by it, or not at all" or side == "player":
            deal.tell(ev.BetPlaced(1, 1, "p", side, 100))
        deal.tell(ev.NoMoreBets(1))
        if noted:
            deal.tell(ev.IrregularityNoted("card-face-up", "burn-card", 1))
        deal.tell(ev.CardBurned(card, reason="fault", coup=1))
        rest(deal, 1, [])

    assert 0 < means(script, HIGH)["patron", "p"] <= 1


@pytest.mark.parametrize("pack", ["uk", "mini", "france"])
@pytest.mark.parametrize("order", ["log", "clock"])
def test_a_card_turned_by_another_device_before_the_bet_is_no_knowledge(pack, order):
    """Its turning is told by the reader's clock four seconds before the bet, and comes later."""

    def script(deal):
        deal.open(pack=pack)
        deal.tell(ev.PatronSeated(1, "p"))
        deal.tell(ev.CoupOpened(1), second=1)
        cards = [deal.draw() for _ in HANDS]
        for hand, card in zip(HANDS, cards, strict=True):
            deal.tell(ev.CardDrawn(1, hand, card), device="reader", second=2)
        turn = ev.CardTurned(1, "player", 1)
        if order == "log":
            deal.tell(turn, device="reader", second=5)
        deal.tell(ev.BetPlaced(1, 1, "p", by(cards[0]), 100), device="chips", second=9)
        deal.later = 20
        deal.tell(ev.NoMoreBets(1))
        if order == "clock":
            deal.tell(turn, device="reader", second=5)
        for hand, nth in OTHERS:
            deal.tell(ev.CardTurned(1, hand, nth), device="reader")
        values = [VALUE_OF[card] for card in cards]
        thirds(deal, 1, values)
        deal.tell(ev.CoupClosed(1))

    assert 0 < means(script, HIGH)["patron", "p"] <= 1


def dealt_open(deal, turns, bet):
    """Four cards, face up but those of ``turns``, which are turned at the end; bets meanwhile."""
    deal.tell(ev.CoupOpened(1))
    values = []
    for place, hand in enumerate(HANDS):
        card = deal.draw()
        values.append(VALUE_OF[card])
        deal.tell(ev.CardDrawn(1, hand, card))
        if place == bet:
            deal.tell(ev.BetPlaced(1, 1, "p", by(card), 100))
    deal.tell(ev.NoMoreBets(1))
    for hand, nth in turns(values):
        deal.tell(ev.CardTurned(1, hand, nth))
    while (hand := next_third(values)) is not None:
        card = deal.draw()
        values.append(VALUE_OF[card])
        deal.tell(ev.CardDrawn(1, hand, card))
        deal.tell(ev.CardTurned(1, hand, 3))
    deal.tell(ev.CoupClosed(1))


def next_third(values):
    from sabot.domain.protection.e_process.next_card_chances import coup_totals  # noqa: PLC0415 - here alone

    return None if coup_totals(values) is not None else third_of(values)


OTHERS = [("banker", 1), ("player", 2), ("banker", 2)]
TURNED = {
    "thirds alone": lambda _values: [],
    "all but the first": lambda _values: OTHERS,
    "all but the first, where it is low": lambda values: (
        OTHERS if values[0] == 0 else [("player", 1), *OTHERS]
    ),
}


@pytest.mark.parametrize("turns", TURNED.values(), ids=TURNED.keys())
@pytest.mark.parametrize("bet", [0, 2])
def test_a_card_dealt_open_is_read_as_it_left_the_shoe_whatever_is_turned(turns, bet):
    """Where a pack deals face up, whoever bets once the first card lies there knows it."""

    def script(deal):
        deal.open()
        deal.tell(ev.PatronSeated(1, "p"))
        dealt_open(deal, turns, bet)

    for accounts in ("", "side bold size", "outcome streak"):
        assert 0 < means(script, "KKKKKK9999", accounts=accounts)["patron", "p"] <= 1


@slow
@pytest.mark.parametrize("told", ["ruling", "place"])
def test_a_card_that_went_back_into_the_shoe_ends_what_can_be_said(told):
    """A card too many is drawn, seen, and restored: it is the first card of the next coup."""

    def script(deal):
        deal.open(pack="uk")
        deal.tell(ev.CoupOpened(1))
        deal.tell(ev.BetPlaced(1, 1, "p", "player", 100))
        deal.tell(ev.NoMoreBets(1))
        values = []
        for hand in HANDS:
            card = deal.draw()
            values.append(VALUE_OF[card])
            deal.tell(ev.CardDrawn(1, hand, card))
        thirds(deal, 1, values)
        if len(values) == 6:
            deal.tell(ev.CoupClosed(1))
            return
        card = deal.draw()
        place = len(values) + 1 if told == "place" else None
        deal.tell(ev.CardDrawn(1, "banker", card, place=place))
        if told == "ruling":
            deal.tell(ev.IrregularityNoted("wrong-draw", "restore-card", 1))
        deal.tell(ev.CoupClosed(1))
        deal.tell(ev.CoupOpened(2))
        deal.tell(ev.BetPlaced(2, 1, "p", by(card), 100))
        deal.tell(ev.NoMoreBets(2))
        deal.tell(ev.CardDrawn(2, "player", card, place=place))
        if deal.has_more():
            rest(deal, 2, [VALUE_OF[card]])
        else:
            deal.tell(ev.CoupVoided(2))

    assert 0 < means(script, "KKKKK999996", accounts="side bold size")["patron", "p"] <= 1


@pytest.mark.parametrize("shoe", ["KKKK999999", "KKKKKK9999"])
def test_a_card_burned_by_a_ruling_that_looks_like_the_last_is_another_or_is_not(shoe):
    """It was shown, and he who counts knows it; the record does not say which card it was."""

    def script(deal):
        deal.open()
        deal.tell(ev.PatronSeated(1, "p"))
        deal.tell(ev.CoupOpened(1))
        deal.tell(ev.BetPlaced(1, 1, "q", "player", 100))
        deal.tell(ev.NoMoreBets(1))
        first, extra = deal.draw(), deal.draw()
        deal.tell(ev.CardDrawn(1, "player", first))
        deal.tell(ev.CardBurned(extra, reason="ruling", coup=1))
        deal.tell(ev.CoupVoided(1))
        deal.tell(ev.CoupOpened(2))
        high = sum(VALUE_OF[card] == 9 for card in (first, extra))
        deal.tell(ev.BetPlaced(2, 1, "p", "player" if high < 1 else "banker", 100))
        deal.tell(ev.NoMoreBets(2))
        rest(deal, 2, [])

    assert 0 < means(script, shoe, accounts="side bold size")["patron", "p"] <= 1


@slow
def test_cards_of_a_voided_coup_turned_before_a_late_change_are_known_to_all():
    """He moves by what they leave in the shoe: all could see that."""
    shoe = "KKK336688" if FULL else "KK336688"

    def script(deal: Deal):
        deal.open(pack="france")
        deal.tell(ev.PatronSeated(1, "p"))
        deal.tell(ev.CoupOpened(1))
        old = [deal.draw(), deal.draw()]
        for hand, card in zip(HANDS, old, strict=False):
            deal.tell(ev.CardDrawn(1, hand, card))
        deal.tell(ev.CoupVoided(1))
        deal.tell(ev.CoupOpened(2))
        deal.tell(ev.NoMoreBets(2))
        cards = [deal.draw() for _ in HANDS]
        for hand, card in zip(HANDS, cards, strict=True):
            deal.tell(ev.CardDrawn(2, hand, card))
        deal.tell(ev.CardTurned(2, "player", 1))
        for hand in HANDS[:2]:
            deal.tell(ev.CardTurned(1, hand, 1))
        known = {1: VALUE_OF[cards[0]]}
        blind = [sum(VALUE_OF[card] == value for card in shoe) for value in range(10)]
        blind[known[1]] -= 1
        seen = list(blind)
        for card in old:
            seen[VALUE_OF[card]] -= 1
        player, guess = (share(count_from(known, left, HANDS)) for left in (seen, blind))
        deal.tell(ev.BetPlaced(2, 1, "p", "player" if player >= guess else "banker", 100))
        for hand, nth in OTHERS:
            deal.tell(ev.CardTurned(2, hand, nth))
        thirds(deal, 2, [VALUE_OF[card] for card in cards])
        deal.tell(ev.CoupClosed(2))

    assert means(script, shoe, accounts="change")["patron", "p"] == 1


def share(ways):
    return ways[0] / max(1, ways[0] + ways[1])
