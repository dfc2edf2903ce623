"""Optimal play of macao and victoria, compared with plain enumeration."""

from fractions import Fraction
from itertools import product

import pytest
from msgspec.structs import replace

from sabot.domain.odds.optimal_play.own_hand_play import Banker, Punter, solve_own_hand
from sabot.domain.rules.rule_pack import parse_pack
from sabot.infrastructure.rule_packs import pack_text
from tests.support.thorough import slow

CHANCE = [Fraction(4, 13)] + [Fraction(1, 13)] * 9
NINTH = Fraction(1, 9)


def solved(name):
    pack = parse_pack(pack_text(name))
    return solve_own_hand(pack.macao, pack.wagers[0])


def brings(first, drew, banker, banker_drew):
    """What a unit brings, by the rules of WIKIPEDIA_BACCARAT_MACAO: drawn tens are rejected."""
    mine, his = (sum(first) + (drew or 0)) % 10, (sum(banker) + (banker_drew or 0)) % 10
    cards, others = drew is not None, banker_drew is not None
    if mine < his or (mine == his and cards >= others):
        return -1
    if drew is not None or (len(first) == 2 and first[0] == first[1]):
        return 1
    return {8: 2, 9: 3}.get(mine, 1)


def position(solution, first):
    """Where a punter is: of two places with his total, a pair has the one that pays less."""
    places = [each for each in solution.punter if each.total == sum(first) % 10]
    pair = len(first) == 2 and first[0] == first[1]
    return min(places, key=lambda each: each.pays if pair else -each.pays)


def value(solution, dealt, *, punter=None, banker=None):
    """What the punter wins on the average. A side may play another way in one position."""
    mine = {**solution.punter, **(punter or {})}
    his = {**solution.banker, **(banker or {})}
    won = Fraction(0)
    firsts = [(cards, weight(cards)) for cards in product(range(10), repeat=dealt)]
    totals = {}
    for cards, each in firsts:
        totals[sum(cards) % 10] = totals.get(sum(cards) % 10, 0) + each
    for cards, each in firsts:
        draws = mine[position(solution, cards)]
        for drew, part in [(None, 1 - draws), *((v, draws * NINTH) for v in range(1, 10))]:
            for total, often in totals.items() if part else ():
                again = his[Banker(total, drew)]
                for other, rest in [(None, 1 - again), *((v, again * NINTH) for v in range(1, 10))]:
                    if rest:
                        won += each * part * often * rest * brings(cards, drew, (total,), other)
    return won


def weight(cards):
    chance = Fraction(1)
    for card in cards:
        chance *= CHANCE[card]
    return chance


@slow
@pytest.mark.parametrize(("name", "dealt"), [("macao-later", 1), ("victoria", 2)])
def test_the_value_is_what_plain_enumeration_gives(name, dealt):
    solution = solved(name)
    assert value(solution, dealt) == solution.value


@slow
def test_nobody_does_better_by_another_choice_and_the_loss_is_what_it_costs():
    """Each choice of each side in macao, against the other side's optimal play."""
    solution = solved("macao-later")
    reach = {place: CHANCE[place.total] for place in solution.punter}
    for place in solution.punter:
        for chance, choice in ((0, "stand"), (1, "draw")):
            cost = solution.value - value(solution, 1, punter={place: Fraction(chance)})
            assert cost >= 0
            assert cost == reach[place] * solution.loss(place, choice)
    for place in list(solution.banker)[::7]:
        for chance, choice in ((0, "stand"), (1, "draw")):
            cost = value(solution, 1, banker={place: Fraction(chance)}) - solution.value
            assert cost >= 0
            assert (cost > 0) == (solution.loss(place, choice) > 0)


def test_the_figures():
    later, victoria = solved("macao-later"), solved("victoria")
    assert later.value == Fraction(1615, 13689)
    assert victoria.value == Fraction(114185, 771147)
    assert [later.punter[p] for p in sorted(later.punter)] == [1] * 5 + [0] * 5
    assert victoria.punter[Punter(5, Fraction(1))] == Fraction(3, 8)
    # a pair of fours is paid once, any other natural eight twice
    assert {p.pays for p in victoria.punter if p.total == 8} == {1, 2}


def test_other_rules_have_other_solutions_or_none():
    pack = parse_pack(pack_text("macao-later"))
    rules, wager = pack.macao, pack.wagers[0]
    assert solve_own_hand(replace(rules, most_cards=None), wager) is None
    assert solve_own_hand(replace(rules, most_cards=3), wager) is None
    assert solve_own_hand(replace(rules, most_cards=1), wager) is None
    bust = solve_own_hand(replace(rules, over_nine="bust"), wager)
    ten = solve_own_hand(replace(rules, reject=False), wager)
    assert len({each.value for each in (bust, ten, solve_own_hand(rules, wager))}) == 3
