"""Wrong payments: their count, and the evidence if they favour one patron."""

import math
from fractions import Fraction
from itertools import combinations, product

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.observation.watcher import observe_shoe
from sabot.domain.protection.shoe_tests.payment_errors import (
    ODDS,
    Pair,
    Payments,
    count_payments,
    factors,
    favours_of,
    hit_count_chances,
    learn_from_coup,
    rate_payments,
)
from tests.support.coup_notation import Felt


def favours(felt):
    return [
        {patron: favour for patron, _, favour, _ in favours_of(felt.shoe, coup)}
        for coup in observe_shoe(felt.shoe).coups
    ]


def test_a_favour_is_what_a_patron_got_beyond_his_due():
    felt = Felt("classic-8").ready("Ac")
    felt.coup("p1 player 1000, p2 banker 1000 | P 4 5  B K 7 | P 9-7 | 2 take 1000, 1 pay 1500")
    felt.coup("p1 player 1000, p2 banker 1000 | P 4 5  B K 7 | P 9-7 | 2 push, 1 pay 1000")
    assert favours(felt) == [{"p1": 500, "p2": 0}, {"p1": 0, "p2": 1000}]


def test_a_coup_that_was_called_wrongly_is_one_error_and_left_out():
    felt = Felt("classic-8").ready("Ac")
    felt.coup("p1 player 1000, p2 banker 1000 | P 4 5  B K 7 | B 9-7 | 1 take 1000, 2 pay 950")
    assert favours(felt) == [{}]


def test_bets_of_a_voided_coup_are_owed_nothing():
    felt = Felt("classic-8").ready("Ac")
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 100), ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 7").put(ev.BetPushed(1, 1), ev.CoupVoided(1))
    assert favours_of(felt.shoe, observe_shoe(felt.shoe).coups[0]) == []


def of(**kinds):
    return {(on, "P"): Payments(*counts) for on, counts in kinds.items()}


def rated(*shoes):
    """Rate shoes one after the other. Each tells by dealer and patron what was settled."""
    pairs = {}
    for shoe in shoes:
        for key in shoe:
            pairs.setdefault(key, Pair())
        rate_payments(pairs, shoe)
    return pairs


def test_a_patron_with_all_of_a_dealers_errors_stands_out():
    shoe = {("d1", f"p{n}"): of(player=(20, 0)) for n in range(6)}
    shoe["d1", "friend"] = of(player=(20, 2))
    shoe["d2", "once"] = of(player=(20, 1))
    pairs = rated(shoe, shoe, shoe)
    # nobody else's bets were settled by d2, so there is nothing to hold them against
    assert pairs["d2", "once"].nth == 0
    # six errors among a seventh of the bets: (1/7)^6 at best; three odds share the evidence
    assert 1 / 7**6 < pairs["d1", "friend"].chance < 1 / 7**5
    assert pairs["d1", "p0"].chance == 1
    assert sorted(pair.nth for pair in pairs.values()) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_a_sloppy_dealer_is_no_accomplice():
    shoe = {("sloppy", f"p{n}"): of(player=(20, 2), tie=(4, 1)) for n in range(5)}
    shoe |= {("neat", f"p{n}"): of(player=(20, 0), tie=(4, 0)) for n in range(5)}
    pairs = rated(*[shoe] * 5)
    assert min(pair.chance for pair in pairs.values()) > 0.5
    assert {dealer for (dealer, _), pair in pairs.items() if pair.nth} == {"sloppy"}


KINDS = [(3, 6, 2), (2, 5, 1)]
"""Two kinds of bets: six with two errors, five with one; the patron made three and two."""


PAID = {"p": "1 pay 1500, 2 pay 1000", "q": "1 pay 1000, 2 pay 1500"}


@pytest.mark.parametrize("leaves", ["p", "q", ""])
def test_who_leaves_by_an_error_moves_no_mean(leaves):
    """Three coups; one error in each falls on either alike; after his own first one he is gone."""
    totals = [0.0] * len(ODDS)
    for struck in product("pq", repeat=3):
        felt = Felt("classic-8").ready("Ac")
        gone = False
        for one in struck:
            if gone:
                felt.coup(f"{other(leaves)} player 1000 | P 4 5  B K 7 | P 9-7 | 1 pay 1500")
                continue
            felt.coup(f"p player 1000, q player 1000 | P 4 5  B K 7 | P 9-7 | {PAID[one]}")
            gone = one == leaves
        pairs = {}
        count_payments(pairs, felt.shoe, named(felt))
        mine = pairs["d", leaves or "p"]
        totals = [total + math.exp(one) for total, one in zip(totals, mine.log_e, strict=True)]
    assert totals == pytest.approx([8] * len(ODDS))


def other(patron):
    return "q" if patron == "p" else "p"


def named(felt):
    """The coups, all under one dealer."""
    coups = observe_shoe(felt.shoe).coups
    for coup in coups:
        coup.dealer = "d"
    return coups


def every_fall():
    """Count his hits over every way in which the errors can fall."""
    ways = [
        [sum(bet < mine for bet in chosen) for chosen in combinations(range(every), errors)]
        for mine, every, errors in KINDS
    ]
    return [sum(many) for many in product(*ways)]


def draws():
    return [(mine, good, every) for mine, every, good in KINDS]


def test_the_chances_are_those_of_every_way_in_which_errors_can_fall():
    totals = every_fall()
    assert hit_count_chances(draws()) == [
        Fraction(totals.count(hits), len(totals)) for hits in range(4)
    ]


def test_what_a_shoe_says_has_a_mean_of_exactly_one_at_any_odds():
    totals = every_fall()
    for nth in range(len(ODDS)):
        assert sum(factors(hits, draws())[nth] for hits in totals) == len(totals)


def test_over_shoes_the_chance_is_never_reached_more_often_than_it_says():
    """Every way in which the errors of three shoes can fall, looked at after each."""
    share = Fraction(1, len(every_fall()) ** 3)
    reached = {}
    for hits in product(sorted(set(every_fall())), repeat=3):
        weight = share
        pair = Pair()
        for one in hits:
            weight *= every_fall().count(one)
            learn_from_coup(pair, factors(one, draws()))
        reached[pair.chance] = reached.get(pair.chance, 0) + weight
    assert sum(reached.values()) == 1
    for level in reached:
        ever = sum(weight for chance, weight in reached.items() if chance <= level)
        assert ever <= level * (1 + 1e-12)
