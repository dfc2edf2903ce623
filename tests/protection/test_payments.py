"""Wrong payments: what is counted, and the exact chance that they fall on one patron."""

from fractions import Fraction
from itertools import combinations, product

import pytest

from domain import facts as f
from domain.protection.payments import Pair, Payments, at_least, clustering, favours_of
from domain.protection.watching import see
from tests.notation import Felt


def favours(felt):
    return [
        {patron: favour for patron, _, favour, _ in favours_of(felt.shoe, coup)}
        for coup in see(felt.shoe).coups
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
    felt.put(f.CoupOpened(1), f.BetPlaced(1, 1, "p1", "player", 100), f.NoMoreBets(1))
    felt.cards("P 4 5  B K 7").put(f.BetPushed(1, 1), f.CoupVoided(1))
    assert favours_of(felt.shoe, see(felt.shoe).coups[0]) == []


def pair(**kinds):
    return Pair({(on, "P"): Payments(*counts) for on, counts in kinds.items()})


def test_a_patron_with_all_of_a_dealers_errors_stands_out():
    pairs = {("d1", f"p{n}"): pair(player=(200, 0)) for n in range(6)}
    pairs["d1", "friend"] = pair(player=(200, 6))
    pairs["d2", "once"] = pair(player=(200, 1))
    rated = dict(clustering(pairs))
    # nobody else's bets were settled by d2, so there is nothing to hold them against
    assert ("d2", "once") not in rated
    # six errors among a seventh of the bets: (1/7)^6, about
    assert float(rated["d1", "friend"]) == pytest.approx(1 / 7**6, rel=0.1)
    assert rated["d1", "p0"] == 1


def test_a_sloppy_dealer_is_no_accomplice():
    pairs = {("sloppy", f"p{n}"): pair(player=(100, 10), tie=(20, 3)) for n in range(5)}
    pairs |= {("neat", f"p{n}"): pair(player=(100, 0), tie=(20, 0)) for n in range(5)}
    assert min(chance for _, chance in clustering(pairs)) > Fraction(1, 2)


def test_the_chance_is_that_of_every_way_in_which_errors_can_fall():
    """Two kinds of bets: six with two errors, five with one; the patron made three and two."""
    kinds = [(3, 6, 2), (2, 5, 1)]
    falls = [
        [sum(bet < mine for bet in chosen) for chosen in combinations(range(every), errors)]
        for mine, every, errors in kinds
    ]
    totals = [sum(many) for many in product(*falls)]
    for hits in range(4):
        exact = Fraction(sum(total >= hits for total in totals), len(totals))
        assert at_least(hits, [(mine, good, every) for mine, every, good in kinds]) == exact
