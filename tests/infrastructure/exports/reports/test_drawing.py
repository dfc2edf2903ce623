"""Drawings of coups show every card inside the picture."""

import pytest

from sabot.domain.values.cards import format_card
from sabot.domain.views.coup_view import FeltCard, FeltCoup, FeltHand, FeltOther
from sabot.domain.views.table_view import felt_of
from sabot.infrastructure.exports.reports.drawing import Box, Words, chart_drawing, coup_drawing
from sabot.infrastructure.reports.model import Bar, Chart, Picture
from tests.support.report_records import PACKS, dealt, records_of

THREE = FeltHand((FeltCard("Kh"), FeltCard("2s"), FeltCard("Td")), 2)
SIX = FeltHand(tuple(map(FeltCard, ("Kh", "2s", "Ad", "Ac", "2d", "Qh"))), 6)


def cards_of(drawing):
    """The faces of a drawing: the texts on its cards, from left to right on each."""
    boxes = [shape for shape in drawing.shapes if isinstance(shape, Box) and shape.fill == "paper"]
    texts = [shape for shape in drawing.shapes if isinstance(shape, Words)]
    return [
        "".join(
            each.text
            for each in texts
            if box.x <= each.x <= box.x + box.width and box.y < each.y < box.y + box.height
        )
        for box in boxes
    ]


def assert_all_cards(coup, width=170):
    drawing = coup_drawing(Picture("a coup", coup, ""), width)
    hands = [*(other.hand for other in coup.others)]
    tableaux = len(hands) == 2 and hands and coup.others[0].tableau
    hands = [hands[0], coup.banker, hands[1]] if tableaux else [*hands, coup.banker]
    hands = hands if coup.others else [coup.player, coup.banker]
    faces = [format_card(card.card) for hand in hands for card in hand.cards]
    assert cards_of(drawing) == faces
    for shape in drawing.shapes:
        if isinstance(shape, Box):
            assert 0 <= shape.x <= shape.x + shape.width <= width
            assert 0 <= shape.y <= shape.y + shape.height <= drawing.height


@pytest.mark.parametrize("pack", PACKS, ids=[name for name, _ in PACKS])
def test_every_card_of_a_coup_is_drawn(pack):
    (shoe,) = records_of(dealt(pack)).shoes
    for number in shoe.coups:
        assert_all_cards(felt_of(shoe, number).coup)


def test_three_cards_in_three_hands_and_six_cards_in_one_are_drawn():
    tableaux = (FeltOther("ann", 1, THREE, "right"), FeltOther("bob", 9, THREE, "left"))
    assert_all_cards(FeltCoup(1, banker=THREE, others=tableaux))
    assert_all_cards(FeltCoup(1, banker=SIX, others=(FeltOther("ann", 1, SIX),)))


def test_a_chart_with_bands_names_its_zero_and_its_theoretical_win():
    bars = (Bar("T1", 5, "5.00 EUR", -10, 30), Bar("T2", 40, "40.00 EUR", -10, 30))
    drawing = chart_drawing(Chart("win-EUR", "Win", bars), 480)
    words = {shape.text: shape for shape in drawing.shapes if isinstance(shape, Words)}
    assert {"0", "theoretical win", "95 % band", "win outside its band"} <= set(words)
    zero = 120 + (480 - 120 - 95) * 10 / 50
    assert words["0"].x == pytest.approx(zero)
    assert max(shape.y for shape in words.values()) < drawing.height
    without = chart_drawing(Chart("rules", "Findings", (Bar("T101", 2, "2"),)), 480)
    assert {shape.text for shape in without.shapes if isinstance(shape, Words)} == {"T101", "2"}
