"""The test of order: its mean is 1 over every order, and known orders are found."""

import random
from fractions import Fraction
from itertools import pairwise, permutations
from math import log10

import pytest

from sabot.domain.protection.shoe_tests.card_order import (
    FACTORY_ORDERS,
    KnownOrder,
    Orders,
    copies_of,
    known_orders,
    level_of,
    named,
)
from sabot.domain.protection.shoe_tests.order_evidence import OrderProcess, evidence_of_order
from sabot.domain.values.cards import FULL_DECK
from tests.support.shuffles import cut, riffled, slugged
from tests.support.thorough import FULL, a_part, every_third, slow

ORDERS = {
    "the same cards": [KnownOrder("old", tuple("aabbcd")), KnownOrder("old back", tuple("dcbbaa"))],
    "some of the cards": [KnownOrder("old", tuple("abca"))],
    "new packs": [KnownOrder("new", tuple("abcd"), True), KnownOrder("down", tuple("dcba"), True)],
    "none": [],
}
SHOES = {"aabbcd": {"a": 2, "b": 2, "c": 1, "d": 1}, "aaabcc": {"a": 3, "b": 1, "c": 2}}


@every_third
@pytest.mark.parametrize(
    ("orders", "shoe"), a_part([(orders, shoe) for orders in ORDERS for shoe in SHOES], of=1)
)
@pytest.mark.parametrize("shown", [6, 4])
def test_the_mean_over_every_order_is_exactly_1(orders, shoe, shown):
    """Four cards shown are the first that were not burned face down: the others stay unseen."""
    copies = {name: SHOES[shoe].get(name, 0) for name in "abcd"}
    total = highest = Fraction(0)
    dealt = list(permutations(shoe))
    known = {}
    for order in dealt:
        seen = order[6 - shown :]
        if seen not in known:
            process = OrderProcess(Fraction, ORDERS[orders], copies)
            known[seen] = Fraction(1)
            for card in seen:
                known[seen] *= process.take(card)
        total += known[seen]
        highest = max(highest, known[seen])
    assert total / len(dealt) == 1
    assert (highest > 1) is (orders != "none")


def test_a_card_too_many_ends_the_test():
    process = OrderProcess(float, [], {"a": 1, "b": 2})
    assert process.take("a") == 1
    assert process.take("a") is None


def fresh(rng, decks=8):
    cards = list(FULL_DECK) * decks
    rng.shuffle(cards)
    return cards


def evidence(new, earlier=(), factory=tuple(FACTORY_ORDERS), decks=8):
    """Deal to the cut card, with one card and seven face down burned first."""
    level = level_of(new)
    shown = [named(card, level) for card in (new[0], *new[8:402])]
    before = [Orders(f"S-{n}", tuple(order), ()) for n, order in enumerate(earlier, 1)]
    known = known_orders(before, factory, level)
    return evidence_of_order(shown, known, copies_of(level, decks))


@pytest.mark.parametrize(("riffles", "digits"), [(2, 100), (3, 50), (4, 20)])
def test_an_earlier_order_is_found_after_riffles(riffles, digits):
    rng = random.Random(riffles)
    old = fresh(rng)
    found = evidence(cut(rng, riffled(rng, old, riffles)), [fresh(rng), old])
    assert found.log10_e > digits
    assert found.source == "the cards of shoe S-2, as dealt"
    assert found.cards > 300
    early = evidence_of_order(
        riffled(rng, old, riffles)[:150],
        known_orders([Orders("S-1", tuple(old), ())], (), "suits"),
        copies_of("suits", 8),
    )
    assert early.log10_e > 3


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("order", FACTORY_ORDERS)
def test_new_packs_are_found_after_four_riffles(order, backwards):
    rng = random.Random(f"{order}{backwards}")
    packs = list(FACTORY_ORDERS[order]) * 8
    new = cut(rng, riffled(rng, packs[::-1] if backwards else packs, 4))
    found = evidence(new)
    assert found.log10_e > 20
    assert "new packs" in found.source


def test_unshuffled_packs_leave_no_doubt():
    found = evidence(list(FACTORY_ORDERS["american"]) * 8)
    assert found.log10_e > 450
    assert found.source == "new packs in the order american"
    # an order that the pack does not list is not tested
    assert evidence(list(FACTORY_ORDERS["american"]) * 8, factory=()).log10_e == 0


@pytest.mark.parametrize("level", ["suits", "ranks", "values"])
def test_a_slug_is_found_forwards_and_backwards_as_far_as_cards_are_recorded(level):
    rng = random.Random(2)
    old, new = fresh(rng), fresh(rng)
    recorded = {"suits": str, "ranks": lambda c: c[0], "values": lambda c: value(c[0])}[level]
    cards = 30 if level == "values" else 20
    for backwards in (False, True):
        dealt = slugged(rng, old, new, cards, backwards=backwards)
        found = evidence([recorded(c) for c in dealt], [[recorded(c) for c in old]])
        assert found.log10_e > 8
        assert ("backwards" in found.source) is backwards
        assert len(found.predicted) > cards / 3


def value(rank):
    return "0" if rank in "TJQK" else rank


@slow
def test_uniform_shoes_are_let_alone():
    rng = random.Random(3)
    shoes = [fresh(rng) for _ in range(60 if FULL else 12)]
    for earlier, new in pairwise(shoes):
        assert evidence(new, [earlier]).log10_e < log10(1000)
