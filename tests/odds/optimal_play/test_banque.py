"""The equilibrium of baccarat banque, compared with an independent dealer.

He deals every coup that can come, card by card, and keeps for each player and each thing that a
player can see what standing and what drawing won him. Nobody gains by another play of his own
where, in each of his places, he does only what wins him most there.
"""

import json
from collections import defaultdict
from fractions import Fraction

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.odds.optimal_play.banque_equilibrium import (
    FIVES,
    LEFT_ALONE,
    RIGHT,
    RIGHT_ALONE,
    Five,
)
from sabot.domain.odds.optimal_play.banque_game import SHOWN, THIRDS, Place, banque_game
from sabot.domain.odds.optimal_play.banque_solver import solve_banque
from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED, Stock, game_of
from sabot.domain.odds.optimal_play.chemin_de_fer_solution import solve
from sabot.domain.rules.drawing_options import Position
from sabot.domain.values.errors import BadInput
from tests.support.thorough import FULL, slow

HALF = Fraction(1, 2)
KEMENY_SNELL = Fraction(-679568, 53094899)  # Kemeny and Snell 1957; Ethier and Gámez 2013


class Dealer:
    """Deals all of it: two cards each, then right, left and the banker in turn."""

    def __init__(self, left, replaced, solution):
        self.replaced, self.solution, self.share = replaced, solution, solution.split
        self.won = {"right": Fraction(0), "left": Fraction(0)}
        # what each player wins by standing and by drawing, by what he sees
        self.gains = defaultdict(lambda: [Fraction(0), Fraction(0)])
        self._hands([], list(left), Fraction(1))

    def _draw(self, stock):
        size = sum(stock)
        for value, many in enumerate(stock):
            if many:
                rest = list(stock)
                rest[value] -= not self.replaced
                yield value, rest, Fraction(many, size)

    def _hands(self, totals, stock, chance):
        if len(totals) == 3:
            self._coup(*totals, stock, chance)
            return
        pairs = defaultdict(Fraction)
        for a, rest, p in self._draw(stock):
            for b, last, q in self._draw(rest):
                key = ((a + b) % 10, None if self.replaced else tuple(last))
                pairs[key] += p * q
        for (total, last), p in pairs.items():
            self._hands([*totals, total], stock if self.replaced else list(last), chance * p)

    def _coup(self, right, left, banker, stock, chance):
        naturals = [total in (8, 9) for total in (right, left)]
        if banker in (8, 9) or all(naturals):
            self._pay(chance, (right, left), banker, naturals)
            return
        for r, r_shown, s, p, r_five in self._wing("right", right, naturals, None, stock):
            for m, m_shown, t, q, m_five in self._wing("left", left, naturals, r_shown, s):
                fives = (r_five and (r_five, chance * q), m_five and (m_five, chance * p))
                shown = (r_shown, m_shown)
                self._banker((chance * p * q, banker, t), (r, m), shown, fives)

    def _wing(self, side, total, naturals, seen, stock):
        """Yield final total, what is shown, the stock, the chance, and the place of a choice."""
        mine, other = naturals if side == "right" else reversed(naturals)
        if mine:
            yield total, "natural", stock, Fraction(1), None
            return
        place, draws = None, Fraction(total < 5)
        if total == 5:
            place = Five(side, ("natural" if other else None) if side == "right" else seen)
            draws = self.solution.fives[place]
        yield total, "stood", stock, 1 - draws, place and (place, 0, Fraction(1))
        if total <= 5:
            for card, rest, p in self._draw(stock):
                yield (total + card) % 10, card, rest, draws * p, place and (place, 1, p)

    def _banker(self, his, tableaux, shown, fives):
        chance, total, stock = his
        place = Place((total,), *shown)
        draws = self.solution.banker[place]
        ends = [(0, total, Fraction(1))]
        ends += [(1, (total + card) % 10, p) for card, _, p in self._draw(stock)]
        for choice, final, p in ends:
            mine = (draws if choice else 1 - draws) * p
            paid = [
                1 if s == "natural" else (w > final) - (w < final)
                for w, s in zip(tableaux, shown, strict=True)
            ]
            bank = -(self.share * paid[0] + (1 - self.share) * paid[1])
            self.gains[place][choice] += chance * p * bank
            for side, five, won in zip(("right", "left"), fives, paid, strict=True):
                self.won[side] += chance * mine * won
                if five:
                    (at, did, card), others = five
                    self.gains[at][did] += others * card * mine * won

    def _pay(self, chance, tableaux, banker, naturals):
        for side, total in zip(("right", "left"), tableaux, strict=True):
            self.won[side] += chance * ((total > banker) - (total < banker))

    def regret(self):
        """What each player would gain by his best answer."""
        regret = defaultdict(Fraction)
        for place, (stand, draw) in self.gains.items():
            five = isinstance(place, Five)
            chance = self.solution.fives[place] if five else self.solution.banker[place]
            # the banker's gains have the chance of coming here in them, and so have a tableau's
            regret[place.tableau if five else "banker"] += max(stand, draw) - (
                (1 - chance) * stand + chance * draw
            )
        return dict(regret)


def dealt(stock, split):
    solution = solve_banque(banque_game(stock), split)
    return solution, Dealer(stock.left, stock.replaced, solution)


@slow
def test_nobody_gains_by_another_play_of_his_own():
    """With cards of all values in the full run, else of 0, 4, 5 and 8 alone."""
    stock = REPLACED if FULL else Stock((4, 0, 0, 0, 1, 1, 0, 0, 1, 0), replaced=True)
    solution, dealer = dealt(stock, HALF)
    assert {tableau: solution.value(tableau) for tableau in ("right", "left")} == dealer.won
    assert dealer.regret() == solution.regret == {"right": 0, "left": 0, "banker": 0}


@slow
@pytest.mark.parametrize("parts", [3, 5, 8] if FULL else [4])
def test_there_is_one_for_every_split(parts):
    """Where right's chance is the root of a quadratic equation, it is told to 10**-30."""
    for part in range(parts + 1):
        solution = solve_banque(banque_game(REPLACED), Fraction(part, parts))
        assert 0 <= max(solution.regret.values()) < Fraction(1, 10**30)
        assert all(
            0 <= chance <= 1 for chance in (*solution.fives.values(), *solution.banker.values())
        )


def small(**counts):
    left = [0] * 10
    for value, many in counts.items():
        left[int(value[1:])] = many
    return Stock(tuple(left))


@slow
@pytest.mark.parametrize(
    "stock",
    [small(v0=4, v2=4, v3=4), small(v1=4, v4=5, v7=4), small(v5=6, v9=6)],
)
def test_cards_that_do_not_come_back(stock):
    solution, dealer = dealt(stock, HALF)
    assert {tableau: solution.value(tableau) for tableau in ("right", "left")} == dealer.won
    assert dealer.regret() == {
        who: each for who, each in solution.regret.items() if who in dealer.regret()
    }
    assert max(solution.regret.values()) <= Fraction(1, 10**20)


@slow
def test_where_one_tableau_alone_has_stakes_it_is_chemin_de_fer():
    alone = solve(game_of(REPLACED))
    for split, tableau in ((Fraction(1), "right"), (Fraction(0), "left")):
        solution = solve_banque(banque_game(REPLACED), split)
        assert solution.value(tableau) == KEMENY_SNELL == -solution.bank
        fives = [five for five in FIVES if five.tableau == tableau]
        assert {solution.fives[five] for five in fives} == {Fraction(9, 11)}
        for place, chance in solution.banker.items():
            shown = place.right if tableau == "right" else place.left
            if shown != "natural":
                third = None if shown == "stood" else shown
                assert chance == alone.draws[Position("banker", place.total, None, third)]


def test_a_tableau_left_alone_by_the_others_natural_plays_chemin_de_fer():
    solution = solve_banque(banque_game(REPLACED), HALF)
    assert solution.fives[RIGHT_ALONE] == solution.fives[LEFT_ALONE] == Fraction(9, 11)
    assert solution.banker[Place((6,), "natural", "stood")] == Fraction(859, 2288)


def test_the_equilibrium_of_equal_stakes():
    """Verified by the dealer above. Right's chance is where the banker's 4 against 0 and 2 turns.

    Then the left draws on 5 for certain (the dealer says so), and the banker, with 4, faces right's
    totals 0 to 4 (25, 16, 16, 16, 16 of 169) and 5 (16 p), each with a 0, and left's with a 2: 2 to
    6, and 7. Standing beats 0 to 3 and loses to 5 to 7; his drawing 4 + e is as good.
    """
    solution = solve_banque(banque_game(REPLACED), HALF)
    right = solution.fives[RIGHT]
    assert solution.fives[Five("left", 0)] == 1

    def worth(totals, finals):
        weight = sum(totals.values())
        return sum(
            often * ((banker > tableau) - (banker < tableau))
            for tableau, often in totals.items()
            for banker in finals
        ) / (weight * len(finals))

    drew_0 = {0: 25, 1: 16, 2: 16, 3: 16, 4: 16, 5: 16 * right}
    drew_2 = {2: 25, 3: 16, 4: 16, 5: 16, 6: 16, 7: 16}
    cards = [0, 0, 0, *range(10)]
    gain = sum(
        worth(totals, [(4 + card) % 10 for card in cards]) - worth(totals, [4])
        for totals in (drew_0, drew_2)
    )
    assert gain == 0
    assert right == Fraction(1591, 1696)
    assert (
        solution.loss(Place((4,), 0, 2), "draw") == solution.loss(Place((4,), 0, 2), "stand") == 0
    )


def test_a_banker_who_plays_for_one_tableau_alone_loses_what_he_loses_in_chemin_de_fer():
    solution = solve_banque(banque_game(REPLACED), Fraction(0))
    alone = solve(game_of(REPLACED))
    for total in range(8):
        for shown in range(10):
            place = Place((total,), 3, shown)
            at = Position("banker", total, None, shown)
            assert solution.loss(place, "draw") == alone.loss(at, "draw")
            assert solution.loss(place, "stand") == alone.loss(at, "stand")


def test_what_cannot_be_asked():
    game = banque_game(REPLACED)
    with pytest.raises(BadInput, match="between 0 and 1"):
        solve_banque(game, Fraction(3, 2))
    with pytest.raises(BadInput, match="a coup can take 9 cards"):
        banque_game(Stock((1, 1, 1, 1, 1, 1, 1, 1, 0, 0)))
    with pytest.raises(BadInput, match="nobody chooses"):
        solve_banque(game, HALF).worth(Place((5,), "natural", "natural"))
    with pytest.raises(BadInput, match="nothing to choose"):
        solve_banque(game, HALF).loss(Five("right", 3), "draw")


# -- sabot odds banque ------------------------------------------------------------------------


def told(capsys, *arguments):
    assert guard(build(), ["odds", "banque", *arguments]) == 0
    return capsys.readouterr().out


def test_the_document(capsys):
    got = json.loads(told(capsys, "--split", "1/2", "--format", "json"))
    assert got["split"] == "1/2"
    assert got["right_draws_on_5"] == "1591/1696"
    assert got["right_draws_on_5_left_natural"] == "9/11"
    assert list(got["left_draws_on_5"]) == ["no_card", *map(str, range(10))]
    assert got["regret"] == {"right": "0/1", "left": "0/1", "banker": "0/1"}
    assert list(got["banker_draws"]) == [str(total) for total in range(8)]
    assert sum(len(row) for hand in got["banker_draws"].values() for row in hand.values()) == 1144
    bank, right, left = (Fraction(got[f"value_{who}"]) for who in ("bank", "right", "left"))
    assert bank == -(right + left) / 2


@slow
def test_the_share_is_a_half_unless_said(capsys):
    assert told(capsys, "--format", "json") == told(capsys, "--split", "0.5", "--format", "json")
    alone = json.loads(told(capsys, "--split", "0", "--format", "json"))
    assert Fraction(alone["value_left"]) == KEMENY_SNELL


@slow
def test_the_table(capsys):
    lines = told(capsys, "--format", "table").splitlines()
    assert "the bank wins 0.8739 % of them" in lines[0]
    rows = [line.split() for line in lines if line.strip().startswith(("right", "left", "banker"))]
    assert len(rows) == 2 + len(THIRDS) + 1 + 8 * len(SHOWN)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["banque", "--split", "3/2"], "is not a share"),
        (["banque", "--split", "1/0"], "is not a share"),
        (["banque", "--split", "half"], "is not a share"),
        (["chemin-de-fer", "--split", "1/2"], "--split applies to banque only"),
        (["banque", "--rules", "uk"], "takes --decks only"),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, said, capsys):
    assert guard(build(), ["odds", *arguments]) == 2
    got = capsys.readouterr()
    assert said in got.err
    assert "Traceback" not in got.err
