"""Explanations of chemin de fer: the bank, the players, the cost of choices, the levy."""

from fractions import Fraction

import pytest

from sabot.domain.audit.explain.bank_reasons import loss_of
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.rules.drawing_options import CHEMIN_DE_FER, position_of
from tests.support.bank_coups import table


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
