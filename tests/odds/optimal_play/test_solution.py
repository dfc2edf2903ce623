"""Optimal play, compared with the literature, an independent dealer and simulation."""

import random
from fractions import Fraction
from itertools import product
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabot.domain.odds.coup_odds import full_decks, odds_of
from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED, Stock, decks, game_of
from sabot.domain.odds.optimal_play.chemin_de_fer_solution import Solution, solve
from sabot.domain.rules.drawing_options import (
    CHEMIN_DE_FER,
    HOUSE_TABLEAU,
    PUNTO_BANCO,
    DrawingTable,
    Position,
    position_of,
)
from sabot.domain.values.errors import BadInput
from tests.support import chemin_dealer
from tests.support.for_each import for_each
from tests.support.solution_play import plays
from tests.support.thorough import FULL, a_part, only_full, slow

VALUES_REPLACED = [4, 1, 1, 1, 1, 1, 1, 1, 1, 1]
FIVE = Position("player", 5)
SIX_NO_CARD = Position("banker", 6)
# hands of five, by values
FIVES = ((0, 5), (1, 4), (2, 3), (6, 9), (7, 8))


def solved(number=None, player="total", banker="total", drawing=CHEMIN_DE_FER):
    stock = REPLACED if number is None else decks(number)
    return solve(game_of(stock, drawing, player, banker))


def seen(number=6):
    return solved(number, "cards", "cards")


def test_the_solution_of_kemeny_and_snell():
    # Kemeny and Snell 1957; as fractions in Ethier and Gámez 2013
    solution = solved()
    mixed = {at: chance for at, chance in solution.draws.items() if chance not in (0, 1)}
    assert mixed == {FIVE: Fraction(9, 11), SIX_NO_CARD: Fraction(859, 2288)}
    assert solution.value == Fraction(-679568, 53094899)


# Kemeny and Snell 1957: Banker goes by what became the tableau of punto banco, but mixes (*) on 6
# where Player stood. A row per total, 0 to 7; a column for no card, then per third card, 0 to 9.
BANKER = """
DDDDDDDDDDD
DDDDDDDDDDD
DDDDDDDDDDD
DDDDDDDDDSD
DSSDDDDDDSS
DSSSSDDDDSS
*SSSSSSDDSS
SSSSSSSSSSS
"""


def test_bankers_table():
    draws = solved().draws
    sign = {Fraction(0): "S", Fraction(1): "D"}
    rows = [
        "".join(sign.get(draws[Position("banker", own, None, third)], "*") for third in thirds)
        for own in range(8)
        for thirds in [(None, *range(10))]
    ]
    assert rows == BANKER.split()


@only_full
def test_nine_elevenths_is_all_that_holds_the_value():
    """What Player assures himself of is concave in his chance, so a peak between two lower
    neighbours is the only one; Banker's answers here are counted by the second dealer.
    """
    best = Fraction(9, 11)
    step = Fraction(1, 10**9)
    at_peak, before, after = (assured(chance) for chance in (best, best - step, best + step))
    assert at_peak == solved().value
    assert max(before, after) < at_peak


def assured(chance):
    """Player's chance on 5 against Banker's best answer, choice by choice."""
    stands, draws = (banker_by_position(always) for always in (0, 1))
    least = Fraction(0)
    for at in stands:
        mixed = [
            chance * draw + (1 - chance) * stand
            for stand, draw in zip(stands[at], draws[at], strict=True)
        ]
        least += min(mixed)
    return least


_COUNTED = {}


def banker_by_position(always):
    """What Player, who draws on 5 always or never, wins by Banker's position and choice."""
    if always not in _COUNTED:
        won = {}
        for (a, b, c, d, e, f), ways, _ in chemin_dealer.orders([1] * 10, replaced=True, cards=6):
            weight = ways * 4 ** [a, b, c, d, e, f].count(0)
            own, his = (a + b) % 10, (c + d) % 10
            if {own, his} & {8, 9}:
                cell = won.setdefault("natural", [0, 0])
                result = chemin_dealer.winner(own, his)
                cell[0] += weight * result
                cell[1] += weight * result
                continue
            draws = own < 5 or (own == 5 and always)
            third, final, last = (e, (own + e) % 10, f) if draws else (None, own, e)
            cell = won.setdefault((his, third), [0, 0])
            cell[0] += weight * chemin_dealer.winner(final, his)
            cell[1] += weight * chemin_dealer.winner(final, (his + last) % 10)
        _COUNTED[always] = {
            at: [Fraction(n, 13**6) for n in cell] for at, cell in sorted(won.items(), key=str)
        }
    return _COUNTED[always]


@slow
@pytest.mark.parametrize(
    ("number", "sees"), a_part(product([None, 1, 6], ["total", "cards"]), of=5)
)
def test_the_second_dealer_finds_the_same_value(number, sees):
    solution = solved(number, sees, sees)
    left = VALUES_REPLACED if number is None else chemin_dealer.shoe(number)
    assert chemin_dealer.expected(left, number is None, *plays(solution)) == solution.value


@slow
def test_six_decks_by_simulation():
    solution, rng, coups = seen(), random.Random(20130), 150_000 if FULL else 40_000
    left = [value for value, many in enumerate(chemin_dealer.shoe(6)) for _ in range(many)]
    player, banker = plays(solution)
    won = []
    for _ in range(coups):
        cards = iter(rng.sample(left, 6))
        won.append(chemin_dealer.play_one(lambda: next(cards), player, banker, rng.random))  # noqa: B023
    mean = sum(won) / coups
    error = sqrt((sum(n * n for n in won) / coups - mean**2) / coups)
    assert error < (0.0026 if FULL else 0.005)
    assert abs(mean - solution.value) < 4 * error


def test_six_decks_where_both_see_their_cards():
    solution = seen()
    fives = [solution.draws[Position("player", 5, hand)] for hand in FIVES]
    # Player stands on 2+3, draws on 0+5, 6+9 and 7+8, and mixes on 1+4
    assert [fives[0], *fives[2:]] == [1, 0, 1, 1]
    assert 0 < fives[1] < 1
    mixed = [at for at, chance in solution.draws.items() if chance not in (0, 1)]
    assert mixed == [Position("player", 5, (1, 4)), Position("banker", 6, (0, 6))]
    for at, chance in solution.draws.items():
        free = at.side == "banker" or at.total == 5
        assert free or chance == (at.total < 5)


@pytest.mark.parametrize(
    ("number", "sees"),
    a_part(
        product([1, 2, 6, 8], [("total", "total"), ("total", "cards"), ("cards", "cards")]), of=5
    ),
)
def test_no_side_can_do_better(number, sees):
    solution = solved(number, *sees)
    assert solution.assured == solution.value == solution.conceded


@pytest.mark.parametrize("number", [1, 6, 8])
def test_seeing_ones_cards_never_hurts(number):
    blind, half, both = (
        solved(number, *sees).value
        for sees in (("total", "total"), ("total", "cards"), ("cards", "cards"))
    )
    assert half < blind
    assert half < both


def test_cards_that_come_back_tell_nothing():
    assert solved(None, "cards", "cards").value == solved().value


def test_many_decks_are_as_good_as_replacement():
    # what a card takes out of d decks is of the order 1/d
    far = [abs(solved(number).value - solved().value) for number in (100, 10_000, 1_000_000)]
    assert far[0] < Fraction(1, 10**4)
    assert far[2] < far[1] / 50 < far[0] / 2500


@pytest.mark.parametrize("number", [1, 6, 8])
@pytest.mark.parametrize("sees", ["total", "cards"])
def test_without_choices_it_is_punto_banco(number, sees):
    counted = odds_of(full_decks(number))
    player, banker = counted.outcomes["P"], counted.outcomes["B"]
    solution = solved(number, sees, sees, PUNTO_BANCO)
    assert solution.value == Fraction(player - banker, counted.total)
    assert all(solution.loss(at, "draw") is None for at in solution.draws)


def test_against_the_house_tableau_player_draws_on_five():
    # the tableau is Banker's answer to a Player who always draws on 5
    solution = solved(8, drawing=HOUSE_TABLEAU)
    assert solution.draws[FIVE] == 1
    # published counts: Banker 2292252566437888, Player 2230518282592256 of 4998398275503360
    assert solution.value == Fraction(2230518282592256 - 2292252566437888, 4998398275503360)


@slow
@pytest.mark.parametrize(
    ("at", "choice"),
    a_part(
        of=3,
        cases=[
            (Position("player", 5, (0, 5)), "stand"),
            (Position("player", 5, (2, 3)), "draw"),
            (Position("banker", 3, (1, 2), 9), "stand"),
            (Position("banker", 5, (0, 5), 4), "stand"),
            (Position("banker", 6, (0, 6), 6), "stand"),
            (Position("banker", 0, (0, 0)), "stand"),
            (Position("banker", 7, (8, 9)), "draw"),
        ],
    ),
)
def test_a_loss_is_what_the_value_moves_by(at, choice):
    """One choice made the other way, all else as it was, dealt by the second dealer."""
    solution = seen()
    changed = {at: Fraction(int(choice == "draw"))}
    value = chemin_dealer.expected(chemin_dealer.shoe(6), False, *plays(solution, changed))
    moved = (solution.value - value) * (1 if at.side == "player" else -1)
    loss = solution.loss(at, choice)
    assert loss > 0
    assert loss * solution.worth(at).reach == moved
    assert solution.loss(at, "draw" if choice == "stand" else "stand") == 0


@pytest.mark.parametrize("solution", [solved, seen], ids=["totals", "cards"])
def test_losses_of_every_position(solution):
    solution = solution()
    for at, chance in solution.draws.items():
        losses = solution.loss(at, "draw"), solution.loss(at, "stand")
        if at.side == "player" and at.total != 5:
            assert losses == (None, None)
            continue
        assert min(losses) == 0
        # what is done with some chance costs nothing
        assert losses[0] == 0 or chance == 0
        assert losses[1] == 0 or chance == 1


@pytest.mark.parametrize("number", [None, 1, 2, 6, 8])
def test_optimal_play_is_the_only_one(number):
    """Any two solutions of a zero-sum game can be interchanged, so another solution of one side
    must answer this one's other side as well as it can. Where every pure choice is the one best
    answer, it can differ in the one mixed position alone; and there it would have to leave the
    other side's mixed position indifferent, which one chance alone does.
    """
    solution = solved() if number is None else seen(number)
    free = [at for at in solution.draws if at.side == "banker" or at.total == 5]
    even = [at for at in free if solution.loss(at, "draw") == solution.loss(at, "stand") == 0]
    assert [at.side for at in even] == ["player", "banker"]
    assert all(0 < solution.draws[at] < 1 for at in even)
    game = solution.game
    for moved, other in (even, reversed(even)):
        chances = {**solution.draws, moved: solution.draws[moved] / 2}
        changed = Solution(
            game, [chances[at] for at in game.player], [chances[at] for at in game.banker]
        )
        assert changed.worth(other).draw != changed.worth(other).stand


@pytest.mark.parametrize(
    ("side", "cards", "third", "expected"),
    [
        ("player", ("Ah", "4s"), None, Position("player", 5, (1, 4))),
        ("player", ("4s", "A"), None, Position("player", 5, (1, 4))),
        ("banker", ("Kd", "6c"), None, Position("banker", 6, (0, 6))),
        ("banker", ("9", "0"), "Th", Position("banker", 9, (0, 9), 0)),
        ("banker", ("5h", "8h"), "9s", Position("banker", 3, (5, 8), 9)),
    ],
)
def test_a_hand_of_the_felt_has_its_position(side, cards, third, expected):
    assert position_of(side, cards, third) == expected
    blind = Position(expected.side, expected.total, None, expected.third)
    assert position_of(side, cards, third, sees="total") == blind


def test_reach_adds_up():
    """Each side is in one of its positions exactly where the coup has no natural."""
    solution = seen()
    naturals = sum(
        ways
        for (a, b, c, d), ways, _ in chemin_dealer.orders(
            chemin_dealer.shoe(6), replaced=False, cards=4
        )
        if not {(a + b) % 10, (c + d) % 10} & {8, 9}
    )
    size = 312 * 311 * 310 * 309
    for positions in (solution.game.player, solution.game.banker):
        assert sum(solution.worth(at).reach for at in positions) == Fraction(naturals, size)


@st.composite
def small_games(draw):
    """Stocks of two or three values, and rules that leave a few positions free."""
    values = draw(st.lists(st.integers(0, 9), min_size=2, max_size=3, unique=True))
    replaced = draw(st.booleans())
    left = [0] * 10
    for value in values:
        left[value] = draw(st.integers(1 if replaced else 4, 7))
    hands = sorted({(a + b) % 10 for a in values for b in values} - {8, 9})
    player_total = draw(st.lists(st.sampled_from("DS"), min_size=8, max_size=8))
    banker_total = [
        draw(st.lists(st.sampled_from("DS"), min_size=11, max_size=11)) for _ in range(8)
    ]
    for own in draw(st.lists(st.sampled_from(hands or [0]), max_size=2, unique=True)):
        player_total[own] = "*"
    seats = st.tuples(st.sampled_from(hands or [0]), st.sampled_from([0, *(v + 1 for v in values)]))
    for own, third in draw(st.lists(seats, max_size=4, unique=True)):
        banker_total[own][third] = "*"
    drawing = DrawingTable(
        "small", "".join(player_total), tuple("".join(row) for row in banker_total)
    )
    return Stock(tuple(left), replaced), drawing


@slow
@settings(max_examples=25)
@given(small_games())
def test_the_whole_matrix_of_pure_strategies(small):
    """Every pure strategy of one side, dealt against the other's solution by the second dealer:
    none of Banker's does better than the value, and none of Player's.
    """
    stock, drawing = small
    solution = solve(game_of(stock, drawing))
    free = {
        side: [at for at in solution.draws if at.side == side and drawing.is_free(at)]
        for side in ("player", "banker")
    }
    deal = (list(stock.left), stock.replaced)
    for side, better in (("player", 1), ("banker", -1)):
        values = [
            chemin_dealer.expected(
                *deal, *plays(solution, dict(zip(free[side], pure, strict=True)))
            )
            for pure in product((Fraction(0), Fraction(1)), repeat=len(free[side]))
        ]
        assert max(value * better for value in values) == solution.value * better


@for_each(
    ("ask", "said"),
    [
        (lambda: decks(0), "0 decks make no shoe"),
        (lambda: game_of(Stock((1, 1, 1, 1, 1, 0, 0, 0, 0, 0))), "a coup can take 6 cards"),
        (lambda: solved().worth(Position("player", 8)), "no position"),
        (lambda: solved().loss(Position("banker", 5, (2, 3)), "draw"), "no position"),
        (lambda: CHEMIN_DE_FER.choices(Position("banker", 9)), "nobody chooses"),
        (lambda: CHEMIN_DE_FER.choices(Position("banker", 3, None, 10)), "nobody chooses"),
        (lambda: position_of("player", ("A", "2", "3")), "not 3; give the first two"),
        (lambda: position_of("player", ("A", "2"), "3"), "before any third card"),
        (lambda: DrawingTable("x", "DDDDD*S", ("*" * 11,) * 8), "do not fit"),
        (lambda: DrawingTable("x", "DDDDD*SS", ("*" * 11,) * 7), "do not fit"),
        (lambda: DrawingTable("x", "DDDDD*S?", ("*" * 11,) * 8), "do not fit"),
        (
            lambda: solve(game_of(Stock((9, 9, 0, 0, 0, 0, 0, 0, 0, 0)))).worth(
                Position("player", 7)
            ),
            "no coup can come",
        ),
    ],
)
def test_what_cannot_be_asked(ask, said):
    with pytest.raises(BadInput, match=said):
        ask()
