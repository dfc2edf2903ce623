"""Two tables at once, and cards face up, raise no mean above 1."""

from fractions import Fraction
from itertools import product

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.e_process.next_card_chances import coup_totals
from tests.support.every_order import HANDS, VALUE_OF, means, third_of
from tests.support.thorough import a_part, slow


def two_tables(names, bets):
    """Coups side by side at two tables, a card each in turn: the shorter one is over first."""

    def script(deal):
        for name in names:
            deal.open(name)
        for name in names:
            deal.tell(ev.CoupOpened(1), name)
            for bet, of in enumerate(bets[name], 1):
                deal.tell(ev.BetPlaced(1, bet, *of), name)
        dealt = {name: [] for name in names}
        playing = list(names)
        while playing:
            for name in list(playing):
                values = dealt[name]
                hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
                card = deal.draw(name)
                values.append(VALUE_OF[card])
                deal.tell(ev.CardDrawn(1, hand, card), name)
                if coup_totals(values) is not None:
                    deal.tell(ev.CoupClosed(1), name)
                    playing.remove(name)

    return script


@slow
def test_coups_at_two_tables_at_once_have_a_mean_of_one_whichever_is_over_first():
    bets = {"S": [("p", "player", 100)], "T": [("p", "banker", 300), ("q", "player", 10)]}
    plan = Plan(groups={"both": ("p", "q")})
    found = means(two_tables("ST", bets), "KKKK99", plan)
    assert {("patron", "p"), ("patron", "q"), ("group", "both")} <= set(found)
    assert set(found.values()) == {1}


def boxed(look, bets, coups=1):
    """One card of the shoe lies face up. Who looks at it sees it once it is next.

    ``look`` says what he does when he sees it: his bets then, in place of ``bets``.
    """

    def script(deal):
        deal.open()
        for seat, patron in enumerate("pq", 1):
            deal.tell(ev.PatronSeated(seat, patron))
        for coup in range(1, coups + 1):
            deal.tell(ev.CoupOpened(coup))
            # the card that is next is drawn already, and shown only where it lies face up
            card = deal.draw()
            for bet, of in enumerate(look(card) if card in "83" else bets, 1):
                deal.tell(ev.BetPlaced(coup, bet, *of))
            deal.tell(ev.NoMoreBets(coup))
            values = []
            while coup_totals(values) is None:
                hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
                if values:
                    card = deal.draw()
                values.append(VALUE_OF[card])
                deal.tell(ev.CardDrawn(coup, hand, card, face_up=card in "83"))
            deal.tell(ev.CoupClosed(coup))

    return script


SEES = {
    "bets on as before": lambda _card, bets: bets,
    "bets by it": lambda card, _bets: [("p", "player" if card == "8" else "banker", 900)],
    "sits out": lambda _card, _bets: [],
}


@pytest.mark.parametrize(
    ("sees", "side", "card"), a_part(product(SEES, ["player", "banker"], ["8", "3"]), of=5)
)
def test_a_card_that_lies_face_up_never_lifts_a_mean(sees, side, card):
    """Whichever card it is that came to lie so, and whatever is done by who sees it."""
    bets = [("p", side, 100), ("q", "banker", 50)]
    plan = Plan(groups={"both": ("p", "q")})
    script = boxed(lambda seen: SEES[sees](seen, bets), bets)
    shoe = "KKKKKK999" + card
    found = means(script, shoe, plan)
    assert {("patron", "p"), ("pair", "p", "q"), ("group", "both")} <= set(found)
    assert max(found.values()) <= 1
    assert min(found.values()) > Fraction(4, 5)
    assert max(means(script, shoe, plan, "side outcome tie streak").values()) <= 1


@pytest.mark.parametrize("card", ["8", "3"])
@pytest.mark.parametrize("leaves", ["player", "banker"])
def test_who_leaves_by_a_card_that_lies_face_up_is_held_to_the_least(leaves, card):
    """He sees the next card before the second coup, and goes where it is bad for his side."""
    shoe = "KKKKKKKKKK9" + card

    def script(deal):
        deal.open()
        deal.tell(ev.PatronSeated(1, "p"))
        left = False
        for coup in (1, 2):
            drawn = deal.draw()
            if drawn == card and (card == "8") == (leaves == "banker"):
                deal.tell(ev.PatronLeft("p"))
                left = True
            deal.tell(ev.CoupOpened(coup))
            if not left:
                deal.tell(ev.BetPlaced(coup, 1, "p", leaves, 100))
            deal.tell(ev.NoMoreBets(coup))
            values = []
            while coup_totals(values) is None:
                hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
                if values:
                    drawn = deal.draw()
                values.append(VALUE_OF[drawn])
                deal.tell(ev.CardDrawn(coup, hand, drawn, face_up=drawn == card))
            deal.tell(ev.CoupClosed(coup))

    found = means(script, shoe, accounts="side bold size")
    assert Fraction(1, 2) < found["patron", "p"] <= 1
