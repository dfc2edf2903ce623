"""Cards as people write them, and their values."""

from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.values.cards import (
    FULL_DECK,
    VALUE,
    Card,
    burn_value,
    format_card,
    parse_card,
    rank_of,
    suit_of,
    total,
    value,
)
from sabot.domain.values.errors import BadCard
from tests.support.for_each import for_each


@for_each(
    ("text", "card"),
    [
        ("Th", "Th"),
        ("10H", "Th"),
        ("10h", "Th"),
        ("th", "Th"),
        ("t♥", "Th"),
        ("10♥", "Th"),
        ("10♡", "Th"),
        ("A♠", "As"),
        ("a♤", "As"),
        ("1s", "As"),
        ("q♦", "Qd"),
        ("Q♢", "Qd"),
        ("7♣", "7c"),
        ("7♧", "7c"),
        (" Kc ", "Kc"),
        ("T", "T"),
        ("10", "T"),
        ("K", "K"),
        ("k", "K"),
        ("A", "A"),
        ("1", "A"),
        ("9", "9"),
        ("0", "0"),
    ],
)
def test_spellings(text, card):
    assert parse_card(text) == card


@for_each(
    "text",
    [
        "",
        " ",
        "11",
        "1O",
        "Tx",
        "hT",
        "0h",
        "10hh",
        "T h",
        "-1",
        "٣",
        "Ah\0",
        "🂡",
        "joker",
        "00",
        "\U0001d7d9",
    ],
)
def test_what_is_no_card(text):
    with pytest.raises(BadCard, match="is not a card; write rank and suit"):
        parse_card(text)


def test_a_long_text_is_cut_in_the_message():
    with pytest.raises(BadCard) as caught:
        parse_card("K" * 10_000)
    assert len(str(caught.value)) < 200


@given(st.text(max_size=12))
def test_any_text_is_a_card_or_no_card(text):
    try:
        card = parse_card(text)
    except BadCard:
        return
    assert card in get_args(Card)


@for_each("card", get_args(Card))
def test_each_card_reads_back(card):
    assert parse_card(card) == card
    if card != "T":
        assert parse_card(format_card(card)) == card


def test_a_deck_is_fifty_two_cards_and_sixteen_count_nothing():
    assert len(set(FULL_DECK)) == 52
    assert Counter(map(value, FULL_DECK)) == {0: 16} | dict.fromkeys(range(1, 10), 4)
    assert Counter(map(suit_of, FULL_DECK)) == dict.fromkeys("cdhs", 13)
    assert Counter(map(rank_of, FULL_DECK)) == dict.fromkeys("A23456789TJQK", 4)


def test_every_card_that_can_be_written_has_a_value():
    assert set(VALUE) == set(get_args(Card))


@pytest.mark.parametrize(
    ("cards", "points"),
    [("5 0 8", 3), ("9 9 9", 7), ("Th Kd", 0), ("Ac 8d", 9), ("K", 0), ("", 0), ("7 6 5", 8)],
)
def test_a_total_is_the_units_digit(cards, points):
    """5 + 0 + 8 counts 3 (ARRETE_2007_ART_55_14)."""
    assert total([parse_card(card) for card in cards.split()]) == points


@for_each(
    ("card", "burns"),
    [
        ("Ac", 1),
        ("2d", 2),
        ("9h", 9),
        ("Ts", 10),
        ("Jc", 10),
        ("Q", 10),
        ("K", 10),
        ("0", 10),
        ("A", 1),
    ],
)
def test_how_many_a_burn_card_asks_for(card, burns):
    """Ace one, ten and faces ten (ARRETE_2007_ART_55_14, WIKIPEDIA_BACCARAT_PUNTO_BANCO)."""
    assert burn_value(card) == burns


def test_the_mean_burn_of_a_shoe_is_7_54_cards():
    """The face-up card, and what it asks for."""
    mean = sum(1 + burn_value(card) for card in FULL_DECK) / 52
    assert f"{mean:.2f}" == "7.54"


def test_what_a_record_does_not_say_is_none():
    assert (rank_of("0"), suit_of("0")) == (None, None)
    assert (rank_of("K"), suit_of("K")) == ("K", None)
    assert (rank_of("Kd"), suit_of("Kd")) == ("K", "d")


@pytest.mark.parametrize(
    ("card", "shown"),
    [("Th", "10♥"), ("As", "A♠"), ("7c", "7♣"), ("Qd", "Q♦"), ("T", "10"), ("0", "0")],
)
def test_cards_for_people(card, shown):
    assert format_card(card) == shown
