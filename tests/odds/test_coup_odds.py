"""Exact odds, compared with published counts and with dealing every order."""

import itertools
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.odds.coup_odds import full_decks, odds_of, of_values
from sabot.domain.values.cards import FULL_DECK
from sabot.domain.values.errors import BadInput
from tests.support import third_card_rule
from tests.support.thorough import slow, tries

EIGHT_DECKS = odds_of(full_decks(8))


def pair(hand):
    """Tell rank pair and perfect pair of a hand whose ranks and suits are known."""
    one, other = hand[:2]
    return one[0] == other[0], one == other


def deal_every_order(cards):
    """Deal every order of physical cards. It is None where one of them runs out."""
    counts = Counter()
    for order in itertools.permutations(cards, min(len(cards), 6)):
        hands = third_card_rule.deal(order)
        if hands is None:
            return None
        player_total, banker_total = hands
        totals = (
            third_card_rule.points(player_total),
            third_card_rule.points(banker_total),
            len(player_total),
            len(banker_total),
        )
        counts[(*totals, pair(player_total), pair(banker_total))] += 1
    return dict(counts)


def counted(cards):
    odds = odds_of(Counter(cards))
    return {
        (
            r.player,
            r.banker,
            r.player_cards,
            r.banker_cards,
            (r.player_pair, r.player_perfect),
            (r.banker_pair, r.banker_perfect),
        ): ways
        for r, ways in odds.results.items()
    }


def test_eight_decks_give_the_published_counts():
    """Published tables have them digit for digit."""
    assert EIGHT_DECKS.outcomes == {
        "B": 2292252566437888,
        "P": 2230518282592256,
        "T": 475627426473216,
    }
    assert EIGHT_DECKS.total == 4998398275503360 == 416 * 415 * 414 * 413 * 412 * 411


@pytest.mark.parametrize(
    "cards",
    [
        "Ah Ah 2c 7d Ks Qs",
        "9h 9h 9h 9c 9c 9d",
        "Th Th Ts Js Jh Kd 4c",
        "4h 4h 4s 4c 3d 3d 3h",
        "5c 5c 5c 5c 5c 5c 5c",
        "2h 3h 3h 8d 8d 6c 6s",
    ],
)
def test_every_order_of_a_few_cards_dealt_by_the_prose(cards):
    assert counted(cards.split()) == deal_every_order(cards.split())


@slow
@tries(15, 40)
@given(st.lists(st.sampled_from([c for c in FULL_DECK if c[1] in "hs"]), min_size=6, max_size=7))
def test_every_order_of_any_few_cards_dealt_by_the_prose(cards):
    assert counted(cards) == deal_every_order(cards)


@tries(15, 60)
@given(st.lists(st.sampled_from(FULL_DECK[::3]), max_size=5))
def test_a_shoe_too_short_for_some_coup_has_no_odds(cards):
    dealt = deal_every_order(cards)
    if dealt is None:
        with pytest.raises(BadInput, match="run out of cards"):
            odds_of(Counter(cards))
    else:
        assert counted(cards) == dealt


def test_four_cards_that_can_only_be_naturals_have_odds():
    """Four fours: 8 against 8, in each of the 24 orders."""
    odds = odds_of(of_values([0, 0, 0, 0, 4, 0, 0, 0, 0, 0]))
    assert odds.outcomes == {"B": 0, "P": 0, "T": 24}


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_values_alone_give_the_same_counts_as_cards(decks):
    by_value = odds_of(of_values([16 * decks] + [4 * decks] * 9))
    assert by_value.by_totals == odds_of(full_decks(decks)).by_totals


def chance(condition):
    ways = sum(ways for result, ways in EIGHT_DECKS.results.items() if condition(result))
    return Fraction(ways, EIGHT_DECKS.total)


def test_pairs_of_eight_decks_by_hand():
    """The second card: 31 of 415 share the first one's rank, 7 rank and suit."""
    assert chance(lambda r: r.player_pair) == Fraction(31, 415)
    assert chance(lambda r: r.banker_pair) == Fraction(31, 415)
    assert chance(lambda r: r.player_perfect) == Fraction(7, 415)
    # after a pair, its rank has 30 cards left and each other rank 32
    second = Fraction(30 * 29 + 12 * 32 * 31, 414 * 413)
    assert chance(lambda r: r.player_pair and r.banker_pair) == Fraction(31, 415) * second
    # after a perfect pair, its card has 6 copies left and each other card 8
    second = Fraction(6 * 5 + 51 * 8 * 7, 414 * 413)
    assert chance(lambda r: r.player_perfect and r.banker_perfect) == Fraction(7, 415) * second


def test_banker_wins_on_six_as_often_as_the_literature_says():
    """4.41 times in the 81.9 coups of a shoe cut at seven; publications say about five."""
    six = chance(lambda r: r.banker == 6 and r.player < 6)
    assert round(float(six) * 81.9, 2) == 4.41


def test_nobody_can_tell_pairs_of_tens_or_suits_by_values_alone():
    odds = odds_of(of_values([4, 2, 0, 0, 0, 0, 0, 0, 0, 2]))
    for result in odds.results:
        assert result.player_perfect in (None, False)
    kinds = {(r.player_pair, r.player_perfect) for r in odds.results}
    assert kinds == {(False, False), (True, None), (None, None)}


@pytest.mark.parametrize("decks", [0, -1, 10**9])
def test_a_shoe_of_so_many_decks_is_refused(decks):
    with pytest.raises(BadInput, match="decks make no shoe"):
        full_decks(decks)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([1] * 9, "9 counts are given"),
        ([1] * 11, "11 counts are given"),
        ([1, 1, 1, -1, 1, 1, 1, 1, 1, 1], "cannot be -1 cards of value 3"),
        ([10**9] * 10, "too many"),
    ],
)
def test_values_that_make_no_shoe_are_refused(counts, said):
    with pytest.raises(BadInput, match=said):
        of_values(counts)


@pytest.mark.parametrize("decks", [1, 2, 3, 7, 12, 1000])
def test_the_counts_come_to_every_sequence_of_six_cards(decks):
    cards = 52 * decks
    total = cards * (cards - 1) * (cards - 2) * (cards - 3) * (cards - 4) * (cards - 5)
    assert sum(odds_of(full_decks(decks)).outcomes.values()) == total
