"""The tableau against the rule in prose, in every cell, and what it says for its reasons."""

import itertools

import pytest

from sabot.domain.rules import third_card_table
from tests.domain import prose

TOTALS = range(10)
THIRDS = (None, *TOTALS)
TWO_TOTALS = list(itertools.product(TOTALS, TOTALS))


def test_punto_does_as_the_prose_says_in_every_cell():
    assert [third_card_table.punto_draws(*cell) for cell in TWO_TOTALS] == [
        prose.punto_draws(*cell) for cell in TWO_TOTALS
    ]


@pytest.mark.parametrize("third", THIRDS)
@pytest.mark.parametrize("banco", TOTALS)
def test_banco_does_as_the_prose_says_in_every_cell(banco, third):
    """The Player hand's own total decides nothing but whether it is a natural."""
    assert [third_card_table.banco_draws(punto, banco, third) for punto in TOTALS] == [
        prose.banco_draws(punto, banco, third) for punto in TOTALS
    ]


def test_the_prose_tells_all_cells_apart():
    """Cells worked out by hand from field-facts.md 1.2, so that the prose itself is checked."""
    draws = {
        (banco, third)
        for banco in range(8)
        for third in TOTALS
        if prose.banco_draws(5, banco, third)
    }
    assert len(draws) == 3 * 10 + 9 + 6 + 4 + 2
    assert (3, 9) in draws
    assert (3, 8) not in draws
    assert {third for banco, third in draws if banco == 4} == {2, 3, 4, 5, 6, 7}
    assert {third for banco, third in draws if banco == 5} == {4, 5, 6, 7}
    assert {third for banco, third in draws if banco == 6} == {6, 7}
    assert not {third for banco, third in draws if banco == 7}


@pytest.mark.parametrize("total", TOTALS)
def test_a_natural_is_8_or_9(total):
    assert third_card_table.is_natural(total) is (total in (8, 9))


def test_the_reason_for_punto_says_what_it_does():
    for punto, banco in TWO_TOTALS:
        said = third_card_table.why_punto(punto, banco)
        if prose.natural(punto, banco):
            assert "natural" in said
            assert (f"punto {punto}" in said) is (punto >= 8)
            assert (f"banco {banco}" in said) is (banco >= 8)
        else:
            does = "draws" if prose.punto_draws(punto, banco) else "stands"
            assert said.startswith(f"punto {punto} {does}: ")


@pytest.mark.parametrize("third", THIRDS)
def test_the_reason_for_banco_says_what_it_does(third):
    for punto, banco in TWO_TOTALS:
        said = third_card_table.why_banco(punto, banco, third)
        if prose.natural(punto, banco):
            assert said == third_card_table.why_punto(punto, banco)
            continue
        does = "draws" if prose.banco_draws(punto, banco, third) else "stands"
        assert said.startswith(f"banco {banco} {does} ")
        assert ("no third card" in said) is (third is None)
        if third is not None:
            assert f"third card {third}:" in said


@pytest.mark.parametrize(
    ("banco", "rule"),
    [
        (0, "banco 0 to 2 always draws"),
        (1, "banco 0 to 2 always draws"),
        (2, "banco 0 to 2 always draws"),
        (3, "banco 3 draws unless the third card is 8"),
        (4, "banco 4 draws against 2 to 7"),
        (5, "banco 5 draws against 4 to 7"),
        (6, "banco 6 draws against 6 to 7"),
        (7, "banco 7 always stands"),
    ],
)
def test_the_row_that_applies_reads_as_people_say_it(banco, rule):
    assert third_card_table.why_banco(0, banco, 5).endswith(f": {rule}")
    whole = "when punto stands, banco draws on 0 to 5 and stands on 6 and 7"
    assert third_card_table.why_banco(6, banco, None).endswith(f": {whole}")
