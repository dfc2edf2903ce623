"""Faces that reach the log late raise no mean above 1.

Who bets, takes back or hedges by a face that lies open has done so before it, by the log. Which
coups are in doubt then hangs on their faces: no mean is above 1, for him or who is tested with him.
"""

from itertools import product

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.e_process.next_card_chances import coup_totals
from tests.support.every_order import HANDS, HIGH, VALUE_OF, means, third_of
from tests.support.thorough import FULL, a_part, slow


def late_faces(first, then, pack, coups=2):
    """Bets at once; the face 4 seconds later; what it moves 4 seconds after it, and told first.

    ``first`` are the bets before the face, ``then`` the events that follow a bad one.
    """

    def script(deal):
        deal.open(pack=pack)
        deal.tell(ev.CrewChanged("dealer", "dora"))
        deal.tell(ev.PatronSeated(1, "p"))
        now = 10
        for coup in range(1, coups + 1):
            if not deal.has_more():
                break
            deal.tell(ev.CoupOpened(coup), device="chips", second=now)
            for bet, of in enumerate(first, 1):
                bet_made = ev.BetPlaced(coup, bet, *of)
                deal.tell(bet_made, device="chips", second=now + 1)
            card = deal.draw()
            if VALUE_OF[card] == 0:
                for payload in then(coup):
                    deal.tell(payload, device="chips", second=now + 9)
            deal.tell(ev.CardDrawn(coup, "player", card), device="reader", second=now + 5)
            values = [VALUE_OF[card]]
            while coup_totals(values) is None:
                hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
                card = deal.draw()
                values.append(VALUE_OF[card])
                deal.tell(ev.CardDrawn(coup, hand, card), device="reader", second=now + 12)
            deal.tell(ev.CoupClosed(coup), device="reader", second=now + 20)
            now += 30

    return script


ONE = [("q", "player", 100)]
MOVES = {
    "takes back": lambda coup: [ev.BetWithdrawn(coup, 1)],
    "hedges": lambda coup: [ev.BetPlaced(coup, 2, "q", "banker", 100)],
    "makes it less": lambda coup: [ev.BetChanged(coup, 1, 10)],
    "another bets": lambda coup: [ev.BetPlaced(coup, 2, "p", "banker", 100)],
    "a third comes": lambda coup: [ev.BetPlaced(coup, 2, "z", "banker", 100)],
}


@slow
@pytest.mark.parametrize(("then", "pack"), a_part(product(MOVES, ["uk", "classic-8"]), of=3))
def test_who_moves_by_a_face_that_is_told_late_has_no_mean_above_one(then, pack):
    plan = Plan(groups={"both": ("p", "q")})
    both = ("side bold size", "") if FULL else ("side bold size",)
    for accounts in both if pack == "uk" else ("side",):
        found = means(late_faces(ONE, MOVES[then], pack), HIGH, plan, accounts)
        assert {("patron", "q"), ("group", "both"), ("dealer", "dora")} <= set(found)
        assert max(found.values()) <= 1
        assert min(found.values()) > 0


@slow
def test_bets_that_surely_came_before_the_face_have_a_mean_of_one():
    script = late_faces([*ONE, ("p", "banker", 300)], lambda _coup: [], "uk")
    assert set(means(script, HIGH, accounts="side bold size").values()) == {1}
