"""What may be chosen at macao and victoria, and what it costs, as text of docs/choices.md."""

from collections.abc import Iterable, Iterator
from typing import Final

from sabot.domain.odds.optimal_play.own_hand_play import (
    Banker,
    OwnHandSolution,
    Punter,
    solve_own_hand,
)
from sabot.domain.rules.rule_pack import RulePack

_INTRODUCTION: Final = """\
## Macao and victoria

Each patron decides for a separate hand, in turn, and the banker decides last. Nothing is mandatory.
"""

_SOLVED: Final = """\
Each cell has the optimal choice, then the average cost of the other choice in per cent of the
stake. *either* means that both choices are worth the same, with the chance of drawing in optimal
play. A dash marks a position that optimal play never reaches. In the banker's table a column is the
value of the card that the patron drew, and *none* means that the patron stood.

The solution is for one patron alone against the banker. It assumes that every card has the chances
of a full pack whatever came before, and that every drawn ten or face card is rejected.
"""

_UNSOLVED: Final = """\
No solution is published, and none is computed, because a hand may draw any number of cards.
"""


def own_hands_markdown(packs: Iterable[RulePack]) -> str:
    """Return the sections of docs/choices.md on hands of one's own, by the packs that have them."""
    own = [pack for pack in packs if pack.macao is not None]
    return "\n".join([_INTRODUCTION, *(part for pack in own for part in _sections(pack))])


def _sections(pack: RulePack) -> Iterator[str]:
    rules = pack.macao
    assert rules is not None
    yield f"### {pack.title}\n"
    over = "is bust and ends" if rules.over_nine == "bust" else "counts modulo ten"
    yield (
        "| the hand | choices |\n| --- | --- |\n"
        f"| any total on {rules.dealt} card{'s' * (rules.dealt > 1)} | **free**: draw, stand |\n"
        + _later(rules.most_cards, rules.dealt, reject=rules.reject)
        + f"| over nine | {over} |\n"
    )
    solution = solve_own_hand(rules, pack.wagers[0])
    yield _UNSOLVED if solution is None else f"{_SOLVED}\n{_costs(solution)}"


def _later(most: int | None, dealt: int, *, reject: bool) -> str:
    """Rows of the choices once a hand has drawn."""
    then = "**free**: draw, stand" if most is None else "stand"
    rows = f"| after a card drawn | {then} |\n"
    if reject:
        more = "draw, " if most is None else ""
        rows += (
            f"| a ten or face card just drawn | **free**: {more}stand, or reject it for another |\n"
        )
    if most is not None:
        rows += f"| {most} cards | the largest hand, with {most - dealt} drawn |\n"
    return rows


def _costs(solution: OwnHandSolution) -> str:
    value = 100 * float(solution.value)
    lines = [
        f"The patron wins {solution.value} of the stake on average, {value:.2f} per cent.\n",
        "| Patron | payment for a win | play |\n| --- | --- | --- |\n"
        + "".join(
            f"| {place.total} | {place.pays}:1 | {_cost(solution, place)} |\n"
            for place in sorted(solution.punter)
        ),
    ]
    drew = sorted({place.drew for place in solution.banker if place.drew is not None})
    heads = ["Banker", "none", *map(str, drew)]
    rows = [
        [str(total), *(_cost(solution, Banker(total, each)) for each in (None, *drew))]
        for total in sorted({place.total for place in solution.banker})
    ]
    lines.append(
        "".join(f"| {' | '.join(row)} |\n" for row in (heads, ["---"] * len(heads), *rows))
    )
    return "\n".join(lines)


def _cost(solution: OwnHandSolution, place: "Punter | Banker") -> str:
    draws, stands = solution.loss(place, "draw"), solution.loss(place, "stand")
    if draws is None or stands is None:
        return "-"
    if draws == stands:
        chance = solution.punter[place] if isinstance(place, Punter) else solution.banker[place]
        return f"either: {chance}"
    best = "draw" if draws < stands else "stand"
    return f"{best} {100 * float(max(draws, stands)):.2f}"
