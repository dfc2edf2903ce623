"""Roads, worked out by hand as displays show them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.views.roads import (
    ROWS,
    Score,
    bead_plate,
    big_road,
    derived_road,
    roads_of,
    rows_of,
    scores_of,
)


def sign(mark):
    if mark is None:
        return "."
    if hasattr(mark, "colour"):
        return mark.colour[0]
    return mark.outcome + (str(mark.ties) if mark.ties else "")


def grid(marks):
    """Write a road as text, a line a row, without what is empty at the end."""
    lines = [" ".join(map(sign, row)) for row in rows_of(marks)]
    return [line.rstrip(". ") for line in lines if line.strip(". ")]


def road(drawn):
    return [line.strip() for line in drawn.strip().splitlines()]


CHOPPY = "BB PPP B P BBB PP BB P".replace(" ", "")


def test_the_big_road_is_a_column_a_run():
    assert grid(big_road(scores_of(CHOPPY))) == road("""
        B P B P B P B P
        B P . . B P B
        . P . . B
    """)


def test_big_eye_boy_looks_back_one_column():
    """Column lengths 2 3 1 1 3 2 2 1, from the second entry of the second column on.

    P2 red: the cell to its left is taken and so is the one above. P3 blue: left is empty, above
    it taken. Then heads compare 3-2 blue, 1-3 blue, 1-1 red; B2 blue; B3 red, both empty; 3-1
    blue; P2 red; 2-3 blue; B2 red; 2-2 red.
    """
    assert grid(derived_road(scores_of(CHOPPY), 1)) == road("""
        r b r b r b r b r
        . b . . . . . . r
        . b
    """)


def test_the_small_road_looks_back_two_columns():
    """The third column has no second entry: the head of the fourth is first, 1-2 blue.

    1-3 blue; B2 blue; B3 red; 3-1 blue; P2 blue; 2-1 blue; B2 red; 2-3 blue.
    """
    assert grid(derived_road(scores_of(CHOPPY), 2)) == road("""
        b r b r b
        b . b
        b . b
    """)


def test_the_cockroach_road_looks_back_three_columns():
    """1-2 blue; B2 red, B3 red; 3-3 red; P2 blue; 2-1 blue; B2 blue; 2-1 blue."""
    assert grid(derived_road(scores_of(CHOPPY), 3)) == road("""
        b r b
        . r b
        . r b
        . . b
    """)


def test_a_road_begins_at_the_second_entry_of_its_column():
    """Big eye boy: nothing for the head of column 2, then its second entry."""
    assert derived_road(scores_of("BP"), 1) == ()
    (eye,) = derived_road(scores_of("BPP"), 1)
    assert (eye.colour, eye.coup, eye.column, eye.row) == ("blue", 2, 0, 0)
    (eye,) = derived_road(scores_of("BPB"), 1)
    assert (eye.colour, eye.coup) == ("red", 2)


def test_ties_do_not_disturb_the_derived_roads():
    tied = "T" + "T".join(CHOPPY) + "TT"
    for back in (1, 2, 3):
        assert grid(derived_road(scores_of(tied), back)) == grid(
            derived_road(scores_of(CHOPPY), back)
        )


def test_a_long_run_turns_right_at_the_sixth_row():
    assert grid(big_road(scores_of("B" * 8 + "PP"))) == road("""
        B P
        B P
        B
        B
        B
        B B B
    """)


def test_a_dragon_turns_above_the_tail_of_another():
    assert grid(big_road(scores_of("B" * 8 + "P" * 7 + "B" * 6 + "P"))) == road("""
        B P B P
        B P B
        B P B
        B P B B B
        B P P P
        B B B
    """)


def test_a_run_that_cannot_go_down_at_all_runs_along_the_top():
    """Six dragons of twelve: the sixth has one free cell and turns; the next begins beyond it."""
    shoe = "".join(side * 12 for side in "BPBPBP") + "BB"
    assert grid(big_road(scores_of(shoe))) == road("""
        B P B P B P P P P P P P P P P P P B
        B P B P B B B B B B B B B B B . . B
        B P B P P P P P P P P P P
        B P B B B B B B B B B
        B P P P P P P P P
        B B B B B B B
    """)


def test_derived_roads_have_dragons_too():
    """Alternating coups: every head repeats, ten reds in one run."""
    assert grid(derived_road(scores_of("BP" * 6), 1)) == road("""
        r
        r
        r
        r
        r
        r r r r r
    """)


def test_derived_roads_look_at_runs_and_not_at_tails():
    """The seventh and eighth P lie on a tail. Beside them seven B's were dealt, not eight."""
    eyes = derived_road(scores_of("B" * 7 + "P" * 8), 1)
    assert [eye.colour for eye in eyes] == ["red"] * 6 + ["blue"]


def test_a_tie_marks_the_result_before_it():
    assert grid(big_road(scores_of("TTPTBBT"))) == road("""
        P3 B
        . B1
    """)


def test_nothing_but_ties_wait_on_an_empty_road():
    (mark,) = big_road(scores_of("TTT"))
    assert (mark.outcome, mark.ties, mark.column, mark.row) == ("T", 3, 0, 0)
    assert grid(big_road(scores_of("TTTB"))) == ["B3"]


def test_the_bead_plate_has_every_coup_in_turn():
    assert grid(bead_plate(scores_of("BTPPBBTP"))) == road("""
        B T
        T P
        P
        P
        B
        B
    """)


def test_pairs_are_shown_where_they_were_dealt():
    scores = [Score("B", player_pair=True), Score("T", banker_pair=True), Score("B")]
    assert [(m.player_pair, m.banker_pair) for m in bead_plate(scores)] == [
        (True, False),
        (False, True),
        (False, False),
    ]
    assert [(m.player_pair, m.banker_pair, m.ties) for m in big_road(scores)] == [
        (True, False, 1),
        (False, False, 0),
    ]


def test_no_coup_is_no_road():
    roads = roads_of([])
    assert roads == roads_of(())
    assert not any(
        (
            roads.bead_plate,
            roads.big_road,
            roads.big_eye_boy,
            roads.small_road,
            roads.cockroach_road,
        )
    )
    assert rows_of(()) == [[]] * ROWS


@pytest.mark.parametrize("back", [1, 2, 3])
def test_roads_of_draws_each_road(back):
    roads = roads_of(scores_of(CHOPPY))
    derived = (roads.big_eye_boy, roads.small_road, roads.cockroach_road)[back - 1]
    assert derived == derived_road(scores_of(CHOPPY), back)
    assert roads.big_road == big_road(scores_of(CHOPPY))
    assert roads.bead_plate == bead_plate(scores_of(CHOPPY))


@given(st.text("PBT", max_size=120))
def test_any_shoe_can_be_drawn(outcomes):
    """Each coup has its cell, no two share one, none leaves the six rows; ties are all marked."""
    scores = scores_of(outcomes)
    roads = roads_of(scores)
    for marks in (roads.bead_plate, roads.big_road, roads.big_eye_boy, roads.small_road):
        cells = [(mark.column, mark.row) for mark in marks]
        assert len(set(cells)) == len(cells)
        assert all(0 <= row < ROWS for _, row in cells)
    decided = [place for place, outcome in enumerate(outcomes) if outcome != "T"]
    if decided:
        assert [mark.coup for mark in roads.big_road] == decided
    assert sum(mark.ties for mark in roads.big_road) == outcomes.count("T")


@given(st.text("PBT", max_size=60), st.sampled_from("PBT"))
def test_a_mark_once_made_stays(outcomes, following):
    """A board is only ever added to, but for the tie marked on its last result."""
    before, after = roads_of(scores_of(outcomes)), roads_of(scores_of(outcomes + following))
    assert after.bead_plate[:-1] == before.bead_plate
    for road_before, road_after in (
        (before.big_eye_boy, after.big_eye_boy),
        (before.small_road, after.small_road),
        (before.cockroach_road, after.cockroach_road),
    ):
        assert road_after[: len(road_before)] == road_before
