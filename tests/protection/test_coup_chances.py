"""Chances of a coup from any composition, compared with plain dealing."""

from fractions import Fraction
from itertools import permutations
from math import perm

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabot.domain.odds.coup_odds import odds_of, of_values
from sabot.domain.protection.e_process.coup_evidence import chances_after, count_from
from sabot.domain.protection.e_process.next_card_chances import (
    coup_totals,
    lead_kernel,
    lead_totals,
    outcome_after,
    outcome_kernel,
    outcome_number,
)
from sabot.domain.protection.observation.observed_coup import Change
from tests.support import third_card_rule
from tests.support.small_shoes import sight
from tests.support.thorough import slow, tries

FRESH = (128, *[32] * 9)
compositions = st.lists(st.integers(0, 9), min_size=10, max_size=10).filter(lambda c: sum(c) > 5)


def test_eight_decks_are_counted_as_published():
    assert outcome_kernel().ways(FRESH) == [2230518282592256, 2292252566437888, 475627426473216]


@slow
@settings(max_examples=30)
@given(compositions)
def test_any_composition_is_counted_as_the_odds_module_counts_it(counts):
    outcomes = odds_of(of_values(counts)).outcomes
    assert outcome_kernel().ways(counts) == [outcomes["P"], outcomes["B"], outcomes["T"]]


@settings(max_examples=20)
@given(compositions)
def test_without_one_card_each_composition_is_counted_as_by_itself(counts):
    for kernel in (outcome_kernel(), lead_kernel()):
        each = [
            kernel.ways([many - (value == gone) for value, many in enumerate(counts)])
            for gone, left in enumerate(counts)
            if left
        ]
        assert kernel.ways_without_one(counts) == each


@settings(max_examples=20)
@given(compositions)
def test_outcomes_by_first_card_add_up_to_all(counts):
    found = [0, 0, 0]
    for value, many in enumerate(counts):
        if many:
            rest = list(counts)
            rest[value] -= 1
            after = outcome_after(value).ways(rest)
            found = [a + many * b for a, b in zip(found, after, strict=True)]
    assert found == outcome_kernel().ways(counts)


def test_leads_of_every_order_of_a_few_cards():
    cards = (0, 0, 4, 7, 7, 9)
    found = [0, 0, 0]
    for order in permutations(cards, 4):
        found[outcome_number(*lead_totals(order))] += 1
    counts = [cards.count(value) for value in range(10)]
    assert lead_kernel().ways(counts) == found


@tries(50, 200)
@given(st.lists(st.sampled_from("A23456789TJQK"), min_size=6, max_size=6))
def test_a_coup_is_dealt_as_the_rule_in_prose_deals_it(ranks):
    values = [third_card_rule.NUMBER[rank] for rank in ranks]
    player_total, banker_total = third_card_rule.deal(tuple(f"{rank}s" for rank in ranks))
    player, banker, used = coup_totals(values)
    assert used == len(player_total) + len(banker_total)
    totals = [
        sum(third_card_rule.NUMBER[card[0]] for card in hand) % 10
        for hand in (player_total, banker_total)
    ]
    assert [player, banker] == totals


def known_by_dealing(cards, known):
    """Deal every order of these cards that shows the known ones at their places."""
    found = [0, 0, 0]
    for order in permutations(cards, 6):
        if all(order[place - 1] == value for place, value in known.items()):
            found[outcome_number(*coup_totals(order)[:2])] += 1
    return found


@pytest.mark.parametrize("known", [{1: 9}, {1: 6, 2: 0}, {2: 4}, {1: 0, 3: 4}, {1: 4, 2: 4, 3: 0}])
def test_outcomes_after_some_faces_are_those_of_every_order_that_shows_them(known):
    cards = (0, 0, 4, 4, 6, 9, 9)
    counts = [cards.count(value) for value in range(10)]
    unseen = list(counts)
    for value in known.values():
        unseen[value] -= 1
    plain = known_by_dealing(cards, known)
    counted = count_from(known, unseen)
    assert [Fraction(a, sum(plain)) for a in plain] == [Fraction(a, sum(counted)) for a in counted]
    coup = sight(1, counts, (9, 0, 4, 4), {})
    change = Change("p", {}, {"player": 1}, tuple(known.items()), 1, tuple(unseen))
    (after,) = chances_after(coup, change)
    assert [Fraction(a, sum(after)) for a in after] == [Fraction(a, sum(plain)) for a in plain]


def test_ways_come_to_all_sequences():
    counts = (3, 0, 1, 2, 0, 1, 0, 0, 2, 1)
    assert sum(outcome_kernel().ways(counts)) == perm(10, 6)
