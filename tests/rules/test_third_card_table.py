"""The third-card table and its reasons, in every cell."""

import itertools

from sabot.domain.rules import third_card_table
from tests.support import third_card_rule
from tests.support.for_each import for_each

TOTALS = range(10)
THIRDS = (None, *TOTALS)
TWO_TOTALS = list(itertools.product(TOTALS, TOTALS))


def test_player_does_as_the_prose_says_in_every_cell():
    assert [third_card_table.player_draws(*cell) for cell in TWO_TOTALS] == [
        third_card_rule.player_draws(*cell) for cell in TWO_TOTALS
    ]


@for_each("third", THIRDS)
@for_each("banker_total", TOTALS)
def test_banker_does_as_the_prose_says_in_every_cell(banker_total, third):
    """The Player hand's own total decides nothing but whether it is a natural."""
    assert [
        third_card_table.banker_draws(player_total, banker_total, third) for player_total in TOTALS
    ] == [third_card_rule.banco_draws(player_total, banker_total, third) for player_total in TOTALS]


def test_the_prose_tells_all_cells_apart():
    """Cells worked out by hand from the rule in prose, so that the prose itself is checked."""
    draws = {
        (banker_total, third)
        for banker_total in range(8)
        for third in TOTALS
        if third_card_rule.banco_draws(5, banker_total, third)
    }
    assert len(draws) == 3 * 10 + 9 + 6 + 4 + 2
    assert (3, 9) in draws
    assert (3, 8) not in draws
    assert {third for banker_total, third in draws if banker_total == 4} == {2, 3, 4, 5, 6, 7}
    assert {third for banker_total, third in draws if banker_total == 5} == {4, 5, 6, 7}
    assert {third for banker_total, third in draws if banker_total == 6} == {6, 7}
    assert not {third for banker_total, third in draws if banker_total == 7}


@for_each("total", TOTALS)
def test_a_natural_is_8_or_9(total):
    assert third_card_table.is_natural(total) is (total in (8, 9))


def test_the_reason_for_player_says_what_it_does():
    for player_total, banker_total in TWO_TOTALS:
        said = third_card_table.why_player(player_total, banker_total)
        if third_card_rule.natural(player_total, banker_total):
            assert "natural" in said
            assert (f"Player {player_total}" in said) is (player_total >= 8)
            assert (f"Banker {banker_total}" in said) is (banker_total >= 8)
        else:
            does = "draws" if third_card_rule.player_draws(player_total, banker_total) else "stands"
            assert said.startswith(f"Player {player_total} {does}: ")


@for_each("third", THIRDS)
def test_the_reason_for_banker_says_what_it_does(third):
    for player_total, banker_total in TWO_TOTALS:
        said = third_card_table.why_banker(player_total, banker_total, third)
        if third_card_rule.natural(player_total, banker_total):
            assert said == third_card_table.why_player(player_total, banker_total)
            continue
        does = (
            "draws" if third_card_rule.banco_draws(player_total, banker_total, third) else "stands"
        )
        assert said.startswith(f"Banker {banker_total} {does} ")
        assert ("no third card" in said) is (third is None)
        if third is not None:
            assert f"third card {third}:" in said


@for_each(
    ("banker_total", "rule"),
    [
        (0, "Banker 0 to 2 always draws"),
        (1, "Banker 0 to 2 always draws"),
        (2, "Banker 0 to 2 always draws"),
        (3, "it draws unless that card is 8"),
        (4, "it draws against 2 to 7"),
        (5, "it draws against 4 to 7"),
        (6, "it draws against 6 to 7"),
        (7, "Banker 7 always stands"),
    ],
)
def test_the_row_that_applies_reads_as_people_say_it(banker_total, rule):
    assert third_card_table.why_banker(0, banker_total, 5).endswith(f": {rule}")
    whole = "when Player stands, Banker draws on 0 to 5 and stands on 6 and 7"
    assert third_card_table.why_banker(6, banker_total, None).endswith(f": {whole}")
