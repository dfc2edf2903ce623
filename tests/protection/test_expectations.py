"""Expectations of wagers, compared with an exact enumeration."""

from fractions import Fraction
from itertools import permutations

import pytest

from sabot.domain.odds.coup_odds import odds_of
from sabot.domain.odds.house_edge import pay_tables
from sabot.domain.protection.money.wager_values import (
    Valuer,
    by_value,
    looks_at_pairs,
    pair_expectation,
    pair_ways,
)
from sabot.infrastructure.rule_packs import shipped_packs

TABLES = list(pay_tables(shipped_packs()))
SOME = {
    "Ac": 3, "Ad": 1, "2h": 2, "3s": 4, "4c": 1, "5d": 5, "6h": 2, "6s": 2, "7c": 1,
    "8d": 3, "9h": 4, "Ts": 2, "Tc": 2, "Jd": 1, "Qh": 3, "Ks": 5,
}  # fmt: skip


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.wager.name}-{table.pays}")
def test_every_wager_of_every_pack_is_worth_what_the_odds_say(table):
    edge = -table.house_edge(odds_of(SOME))
    if looks_at_pairs(table.wager):
        assert pair_expectation(table.wager, SOME, table.commission) == edge
        return
    valuer = Valuer(table.wager, table.commission)
    assert valuer.exactly(by_value(SOME)) == edge
    assert abs(Fraction(valuer.expectation(by_value(SOME))) - edge) < Fraction(1, 10**12)


def test_pairs_of_a_few_cards_are_those_of_every_order():
    cards = ["Ac", "Ac", "Ac", "Ad", "2c", "2c", "3d"]
    found = {}
    for order in permutations(cards, 4):
        kinds = []
        for one, other in ((order[0], order[2]), (order[1], order[3])):
            kinds.append(2 if one == other else 1 if one[0] == other[0] else 0)
        found[tuple(kinds)] = found.get(tuple(kinds), 0) + 1
    counted = pair_ways({card: cards.count(card) for card in set(cards)})
    assert {kinds: ways for kinds, ways in counted.items() if ways} == found


def test_what_the_record_does_not_tell_has_no_expectation():
    pair, perfect = (
        next(t.wager for t in TABLES if t.wager.name == name)
        for name in ("player-pair", "perfect-pair")
    )
    ranks = dict.fromkeys(("A", "2", "3", "K"), 4)
    assert pair_expectation(pair, ranks) is not None
    assert pair_expectation(perfect, ranks) is None
    assert pair_expectation(pair, {"0": 8, "9": 8}) is None
    assert pair_expectation(pair, {"Ac": 4}) is None
