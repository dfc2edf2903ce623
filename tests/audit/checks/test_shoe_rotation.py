"""The chance that a shoe and a table meet so often, compared with all assignments."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.audit.checks.shoe_rotation import chance_of_meeting, chance_of_so_many


@pytest.mark.parametrize(
    ("tables", "shoes"), [("AB", "12"), ("AAB", "123"), ("AABC", "1123"), ("ABCD", "1223")]
)
def test_a_days_chance_is_the_share_of_the_assignments_in_which_they_meet(tables, shoes):
    every = list(permutations(shoes))
    meet = sum(1 for given in every if ("A", "1") in zip(tables, given, strict=True))
    chance = chance_of_meeting(len(tables), tables.count("A"), shoes.count("1"))
    assert chance == Fraction(meet, len(every))


CHANCES = st.lists(st.fractions(0, 1, max_denominator=12), max_size=6)


@given(CHANCES)
def test_the_chance_of_so_many_is_that_of_all_ways_to_have_them(chances):
    ways: Counter[int] = Counter()
    for hits in product((0, 1), repeat=len(chances)):
        share = Fraction(1)
        for hit, chance in zip(hits, chances, strict=True):
            share *= chance if hit else 1 - chance
        ways[sum(hits)] += share
    for least in range(len(chances) + 2):
        due = sum((share for hits, share in ways.items() if hits >= least), Fraction(0))
        assert chance_of_so_many(chances, least) == due
