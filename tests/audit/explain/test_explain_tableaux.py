"""Explanations of baccarat banque: who goes bank, each hand, the cost of choices."""

import pytest

from sabot.domain.audit.explain.coup_reasons import explain
from tests.support.tableaux_coups import play, table
from tests.support.thorough import slow


def steps(*lines, pack="banque"):
    felt = table(pack)
    for line in lines:
        play(felt, line)
    return {step.what: step for step in explain(felt.shoe, len(lines)).steps}


@slow
def test_a_coup_by_the_book_differs_nowhere():
    told = steps("p7 right 500, p5 left 500, p8 cheval 1000 | 3 4; 2 3 +4; 6 A")
    assert not any(step.differs for step in told.values())
    assert told["p11's bank"].due == "200.00 EUR"
    assert (told["who plays the right"].due, told["who plays the left"].shown) == ("p7", "p5")
    assert told["the right"].why.endswith("= 7: the right ties")
    assert told["the left"].why.endswith("= 7: the left wins")


def test_a_free_choice_says_what_it_costs_and_never_differs():
    # a banker who draws on 7 against a tableau that stood gives most of it away
    told = steps("p7 right 500, p5 left 500 | 3 4; 2 4; 7 K +2")
    step = told["the banker's third card"]
    assert (step.kind, step.due, step.differs) == ("choice", "draw or stand", False)
    assert step.why.startswith("to draw costs ")
    assert "of all stakes" in step.why
    assert "1/2 of the stakes lies on the right" in step.why
    told = steps("p7 right 500, p5 left 500 | 3 4; 2 4; 7 K")
    assert told["the banker's third card"].why.startswith("to stand is best; to draw costs")


@slow
def test_the_stakes_on_both_tableaux_decide_what_a_choice_costs():
    # nothing lies on the left: the banker plays for the right alone, which drew an 8
    told = steps("p7 right 500 | K K +8; 2 4; 3 K =")
    assert "1 of the stakes lies on the right" in told["the banker's third card"].why
    # 1.03 % in chemin de fer, as docs/choices.md tells of Kemeny and Snell's game
    assert told["the banker's third card"].why.startswith("to stand is best; to draw costs 1.03 %")


@pytest.mark.parametrize(
    ("hands", "what", "why"),
    [
        ("9 K; 2 4; 7 K", "the right's third card", "a natural draws no card"),
        ("3 4; 2 4; 9 K", "the left's third card", "a natural of the banker's"),
        ("9 K; 8 K; 7 K", "the banker's third card", "or of both tableaux, ends the coup"),
        ("3 4; 2 4; 7 K", "the right's third card", "the right stands on 7"),
    ],
)
def test_what_must_be_done_says_so(hands, what, why):
    step = steps(f"p7 right 500, p5 left 500 | {hands}")[what]
    assert (step.due, step.differs) == ("stand", False)
    assert why in step.why


def test_a_natural_of_one_tableau_wins_at_once():
    told = steps("p7 right 500, p5 left 500 | 9 K; 2 4; 7 K")
    assert "wins at once, on its natural" in told["the right"].why


def test_who_goes_bank_and_what_stays():
    told = steps("banco p7, banco p5 | 3 4; 2 4; 9 K")
    assert told["p7 goes bank"].due == "100.00 EUR on the right tableau"
    assert told["p5 goes bank"].due == "100.00 EUR on the left tableau"
    told = steps("p7 cheval 1000 | 9 K; 2 4; 8 K", "p5 left 500 | 3 4; 2 4; 9 K")
    assert told["p7's frozen 10.00 EUR on both tableaux"].due == "stays for this coup"
    assert told["p7's 10.00 EUR on both tableaux"].due == "take 10.00 EUR"


def test_the_levy():
    told = steps("p7 right 5000 | 3 4; 2 4; 9 K", pack="deux-tableaux-france")
    # 2 % of 50.00, to whole ten cents
    assert (told["levy"].due, told["levy"].differs) == ("1.00 EUR", False)


def test_a_stake_that_went_back_beside_a_banco_says_so():
    told = steps("p8 right 500, banco p7 | 3 4; 2 4; 9 K")
    assert told["p8's 5.00 EUR on the right tableau"].why == "others went bank, and it was returned"
    told = steps("x right 500, p7 right 20000 | 3 4; 2 4; 9 K")
    assert (
        told["x's 5.00 EUR on the right tableau"].why == "it exceeded the bank, and it was returned"
    )


@pytest.mark.parametrize(
    ("hands", "why"),
    [
        ("3 4; 2 3 +4; 6 A", "the right tableau pushes, the left tableau pays 1 to 1"),
        ("2 3 +4; 3 4; 6 A", "the right tableau pays 1 to 1, the left tableau pushes"),
    ],
)
def test_a_bet_on_both_tableaux_wins_on_one_and_ties_on_the_other(hands, why):
    told = steps(f"p8 cheval 1000 | {hands}", pack="deux-tableaux-france")
    step = told["p8's 10.00 EUR on both tableaux"]
    assert (step.due, step.why) == ("pay 5.00 EUR", why)


def test_after_a_wrong_draw_of_a_tableau_the_cards_and_payments_due_are_told():
    """The right drew a 2 on 7. By its standing, the 2 was the left's, which draws on 4."""
    told = steps("p7 right 500, p5 left 500 | 3 4 +2; 2 2 +5; 7 K")
    each = {
        choice: f"the cards that were due, if the banker {choice}s" for choice in ("draw", "stand")
    }
    assert told[each["stand"]].due == (
        "the right 3 4 = 7, the left 2 2 2 = 6, the banker 7 K = 7: the right ties, the left loses"
    )
    assert "the banker 7 K 5 = 2: the right wins, the left wins" in told[each["draw"]].due
    assert told[f"p5's 5.00 EUR on the left tableau, by {each['stand']}"].due == "take 5.00 EUR"
    assert told[f"p5's 5.00 EUR on the left tableau, by {each['draw']}"].due == "pay 5.00 EUR"
