"""Explanations of chemin de fer: the bank, the players, the cost of choices, the levy."""

from fractions import Fraction

import pytest

from sabot.domain import events as ev
from sabot.domain.audit.explain.bank_reasons import loss_of
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.rules.drawing_options import CHEMIN_DE_FER, position_of
from tests.support.bank_coups import table
from tests.support.coup_notation import shoe_of


def steps(line, pack="chemin-de-fer-france"):
    shoe = table(pack=pack).coup(line).shoe
    return {step.what: step for step in explain(shoe, 1).steps}


def test_a_free_choice_says_what_either_costs_and_never_differs():
    step = steps("p2 player 4000 | P 3 2 K  B K 3 4")["Player's third card"]
    assert (step.kind, step.due, step.differs) == ("choice", "draw or stand", False)
    assert step.shown.startswith("drew K")
    assert "may choose" in step.why
    assert "a whole shoe" in step.why


def test_what_must_be_done_says_so():
    told = steps("p2 player 4000 | P 2 2  B K 9")
    assert told["Player's third card"].differs is False  # a natural ended the coup
    told = steps("p2 player 4000 | P 2 2  B K 7")
    step = told["Player's third card"]
    assert (step.kind, step.due, step.shown, step.differs) == ("draw", "draw", "stood", True)


def test_the_bank_the_hand_and_the_levy():
    told = steps("p2 player 4000, p3 player 6000 | P 4 2  B K 9")
    assert (told["p1's bank"].due, told["p1's bank"].differs) == ("100.00 EUR", False)
    assert (told["who plays the hand"].due, told["who plays the hand"].shown) == ("p3", "p3")
    assert (told["levy"].due, told["levy"].shown, told["levy"].differs) == (
        "5.00 EUR",
        "5.00 EUR",
        False,
    )
    assert "1/20 of the 100.00 EUR" in told["levy"].why


def test_the_bank_and_the_hand_are_explained_where_no_card_is_on_record():
    dealt = table(pack="chemin-de-fer-france").coup("p2 player 4000, p3 player 6000 | P 4 2  B K 9")
    cards = (ev.CardDrawn, ev.CardTurned)
    kept = [each.payload for each in dealt.shoe.history if not isinstance(each.payload, cards)]
    told = explain(shoe_of(kept), 1).steps
    by_name = {step.what: step for step in told}
    bank, hand = by_name["p1's bank"], by_name["who plays the hand"]
    assert (bank.due, bank.shown, bank.differs) == ("100.00 EUR", "100.00 EUR", False)
    assert (hand.due, hand.shown, hand.differs) == ("p3", "p3", False)
    assert by_name["result"].shown == "Banker wins, Player 6, Banker 9"


@pytest.mark.parametrize(
    ("cards", "third", "best", "other"),
    [
        # what everybody knows to be right costs nothing, and the opposite costs something
        (("Kc", "7d"), "5c", "stand", "draw"),
        (("2c", "Kd"), None, "draw", "stand"),
        (("7c", "Kd"), None, "stand", "draw"),
    ],
)
def test_the_better_choice_costs_nothing(cards, third, best, other):
    position = position_of("banker", cards, third)
    assert loss_of(6, CHEMIN_DE_FER, position, best) == 0
    assert loss_of(6, CHEMIN_DE_FER, position, other) > Fraction(1, 100)


DUE = "the cards that were due"


def test_after_a_wrong_draw_each_choice_of_the_other_hand_is_told():
    """Player drew an A on 7. Banker, who took a 3 on 3, would have seen no third card."""
    told = steps("p2 player 4000 | P 4 3 A  B K 3 3 | P 8-6", pack="chemin-de-fer")
    draws, stands = (told[f"{DUE}, if Banker {choice}s"] for choice in ("draw", "stand"))
    assert draws.due == "Player 4 3 = 7, Banker K 3 A = 4: Player wins"
    assert stands.due == "Player 4 3 = 7, Banker K 3 = 3: Player wins"
    assert draws.why == "Player 7 stands: there is no choice; Banker 3 draws: its own choice"
    assert told[f"p2's 40.00 EUR on Player, by {draws.what}"].due == "pay 40.00 EUR"


def test_where_the_house_binds_the_banker_one_result_was_due():
    told = steps("p2 player 4000 | P 4 3 A  B K 6 | P 8-6", pack="chemin-de-fer-tableau")
    due = told[DUE]
    assert due.due == "Player 4 3 = 7, Banker K 6 = 6: Player wins"
    assert due.why.endswith("Banker 6 stands: there is no choice")
    assert told[f"p2's 40.00 EUR on Player, by {DUE}"].due == "pay 40.00 EUR"


def test_a_free_choice_on_record_stands_where_no_hand_before_it_was_wrong():
    """Player chose to stand on 5. Banker drew on 6, where the house lets it stand."""
    told = steps("p2 player 4000 | P 4 A  B K 6 2 | B 5-8", pack="chemin-de-fer-tableau")
    assert told[DUE].due == "Player 4 A = 5, Banker K 6 = 6: Banker wins"
    assert told[DUE].why.startswith("Player 5 stands: its own choice")
    told = steps("p2 player 4000 | P 4 A  B K 6", pack="chemin-de-fer-tableau")
    assert DUE not in told
