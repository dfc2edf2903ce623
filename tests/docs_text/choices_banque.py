"""What may be chosen at baccarat banque, and what it costs, as text of docs/choices.md."""

from fractions import Fraction
from typing import Final

from sabot.domain.odds.optimal_play.banque_equilibrium import FIVES, BanqueSolution, Five
from sabot.domain.odds.optimal_play.banque_game import SHOWN, Place, Shown, banque_game
from sabot.domain.odds.optimal_play.banque_solver import solve_banque
from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED
from sabot.domain.rules.drawing_options import CHEMIN_DE_FER, TOTALS, DrawingTable, Position

_LEGAL: Final = """\
## Baccarat banque, à deux tableaux

Each tableau's hand follows Player's rule of chemin de fer. The right tableau plays first, and
Banker chooses last. A tableau with a natural is paid at once and draws no third card. A natural of
Banker, or of both tableaux, ends the coup.

In the second table a row is the right tableau's third card, a column the left one's. *none* means
that the tableau stood, *natural* that it was paid. Banker's choices are the same for each of
Banker's totals, 0 to 7.
"""

_COST: Final = """\
## What a choice costs in baccarat banque

Each cell has the choice in equilibrium, then the average cost of the other choice in per cent of
the chooser's stake. If both choices cost the same, the cell has the chance of drawing,
as `draw in 81.82 %`.

An equilibrium has three players: the two tableaux and the banker. None of the three gains by
changing their own play alone. Other equilibria may exist. The one shown here assumes equal stakes
on both tableaux, players who know totals only, and cards with the same chances whatever came
before.
`sabot odds banque --split N/D` computes it for other stakes.
"""


def banque_legal() -> str:
    """Return the section on who may choose what."""
    tableaux = [[str(own), _word(CHEMIN_DE_FER, Position("player", own))] for own in TOTALS]
    rows = [[_name(right), *(_free(right, left) for left in SHOWN)] for right in SHOWN]
    heads = ("right \\ left", *map(_name, SHOWN))
    return f"{_LEGAL}\n{_table(('each tableau', 'choice'), tableaux)}\n{_table(heads, rows)}"


def banque_costs() -> str:
    """Return the section on what a choice costs where both tableaux have as much at stake."""
    solution = solve_banque(banque_game(REPLACED), Fraction(1, 2))
    fives = [[_tableau(five), _cost(solution, five)] for five in FIVES]
    bank, right, left = (
        f"{100 * float(abs(each)):.4f}"
        for each in (solution.bank, solution.value("right"), solution.value("left"))
    )
    parts = [
        _COST,
        (
            f"On average the banker wins {bank} % of all stakes. Patrons on the right tableau\n"
            f"lose {right} % of their stakes, and patrons on the left {left} %.\n"
        ),
        _table(("on 5", "play"), fives),
    ]
    for total in TOTALS:
        rows = [
            [_name(right), *(_at(solution, total, right, left) for left in SHOWN)]
            for right in SHOWN
        ]
        heads = (f"Banker {total}: right \\ left", *map(_name, SHOWN))
        parts.append(_table(heads, rows))
    return "\n".join(parts)


def _word(drawing: DrawingTable, position: Position) -> str:
    choices = drawing.choices(position)
    return choices[0] if len(choices) == 1 else "**free**"


def _free(right: Shown, left: Shown) -> str:
    if right == left == "natural":
        return "the coup is over"
    return "**free**"


def _name(shown: Shown) -> str:
    return "none" if shown == "stood" else str(shown)


def _tableau(five: Five) -> str:
    if five.tableau == "right":
        return "right" if five.sees is None else "right, if the left has a natural"
    if five.sees == "natural":
        return "left, if the right has a natural"
    return f"left, if the right {'stood' if five.sees == 'stood' else f'drew {five.sees}'}"


def _at(solution: BanqueSolution, total: int, right: Shown, left: Shown) -> str:
    if right == left == "natural":
        return "-"
    return _cost(solution, Place((total,), right, left))


def _cost(solution: BanqueSolution, place: Place | Five) -> str:
    chance = solution.fives[place] if isinstance(place, Five) else solution.banker[place]
    if 0 < chance < 1:
        return f"draw in {100 * float(chance):.2f} %"
    best = "draw" if chance else "stand"
    loss = solution.loss(place, "stand" if chance else "draw")
    return f"{best} {100 * float(loss):.2f}"


def _table(heads: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [list(heads), ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
