"""What may be chosen where, and what it costs, as the text of docs/choices.md."""

from collections.abc import Iterable, Sequence
from typing import Final

from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED, game_of
from sabot.domain.odds.optimal_play.chemin_de_fer_solution import Solution, solve
from sabot.domain.rules.drawing_options import (
    CHEMIN_DE_FER,
    HOUSE_TABLEAU,
    PUNTO_BANCO,
    THIRDS,
    TOTALS,
    Choice,
    DrawingTable,
    Position,
)
from sabot.domain.rules.macao_hands import MacaoRules
from sabot.domain.rules.rule_pack import RulePack
from tests.docs_text.choices_banque import banque_costs, banque_legal
from tests.docs_text.choices_own_hand import own_hands_markdown

_WORDS: Final[dict[tuple[Choice, ...], str]] = {
    ("draw",): "draw",
    ("stand",): "stand",
    ("draw", "stand"): "**free**",
}
_AGAINST: Final = tuple("none" if third is None else str(third) for third in THIRDS)

_INTRODUCTION: Final = """\
# Who may choose what

This page lists every position in which a hand may take a third card, and the cost of optional
choices. It is generated from the rules of the program by
`python -m tests.docs_text.write_choices > docs/choices.md`.

- *draw* and *stand* are mandatory. A breach is a finding.
- **free** means that the hand may choose. A free choice is never a finding. `sabot explain` reports
  its average cost.
- A natural (8 or 9 on two cards) is shown at once and ends the coup. Nobody chooses then.
- In Banker's tables a row is Banker's total. A column is the value of Player's third card, and
  *none* means that Player stood.
"""

_PACKS: Final = """\
## What each pack leaves open

This table lists the shipped rule packs. A pack binds its banker to the third-card table with
`drawing.banco = "tableau"`, or with rows of its own. `drawing.punto` does the same for the hand
against the bank.
"""

_COST: Final = """\
## What a choice costs in chemin de fer

Each cell has the optimal choice, then the average cost of the other choice in per cent of the
stake. If both choices cost the same, the cell has the chance of drawing in optimal play,
as `draw in 81.82 %`. `sabot odds chemin-de-fer` prints the exact fraction.

The solution assumes that every card has the same chances whatever came before. Both sides know
totals only, and the other side plays optimally (Kemeny and Snell 1957).
"""


def choices_markdown(packs: Sequence[RulePack] = ()) -> str:
    """Return docs/choices.md whole; ``packs`` are those that it tells of by name."""
    parts = [_INTRODUCTION]
    if packs:
        parts.append(_PACKS + "\n" + _by_pack(packs))
    for title, drawing in (
        ("Chemin de fer", CHEMIN_DE_FER),
        ("Chemin de fer, Banker bound by the house tableau", HOUSE_TABLEAU),
    ):
        parts.append(f"## {title}\n\n{_legal(drawing)}")
    parts.append(banque_legal())
    parts.append(f"## Punto banco\n\n{_legal(PUNTO_BANCO)}")
    parts.append(f"{_COST}\n{_costs(solve(game_of(REPLACED)))}")
    parts.append(banque_costs())
    if packs:
        parts.append(own_hands_markdown(packs))
    return "\n".join(parts)


def _by_pack(packs: Sequence[RulePack]) -> str:
    """One table: what each pack leaves to each hand, totals by what is done on them."""
    rows = []
    for pack in packs:
        if pack.game == "punto-banco":
            rows.append([f"`{pack.name}`", pack.game, "no choice", "no choice: third-card table"])
        elif pack.drawing is not None:
            rules = pack.drawing.rules(pack.title)
            player = [(own, Position("player", own)) for own in TOTALS]
            rows.append([f"`{pack.name}`", pack.game, _in_words(rules, player), _banker(rules)])
        elif pack.macao is not None:
            rows.append([f"`{pack.name}`", pack.game, _own_hand(pack.macao), "as each patron"])
    return _table(("pack", "game", "Player", "Banker"), rows)


def _in_words(rules: DrawingTable, positions: Sequence[tuple[int, Position]]) -> str:
    said = []
    for choices, word in _WORDS.items():
        totals = [str(own) for own, position in positions if rules.choices(position) == choices]
        if totals:
            said.append(f"{word} on {', '.join(totals)}")
    return "; ".join(said)


def _own_hand(rules: MacaoRules) -> str:
    """Say what a hand of one's own may do."""
    said = ["**free** on every total"]
    if rules.over_nine == "bust":
        said.append("until it is over nine")
    if rules.most_cards is not None:
        said.append(f"up to {rules.most_cards} cards")
    if rules.reject:
        said.append("a drawn ten or face card may be rejected")
    return ", ".join(said)


def _banker(rules: DrawingTable) -> str:
    if rules.banker == CHEMIN_DE_FER.banker:
        return "**free** in every position"
    if rules.banker == HOUSE_TABLEAU.banker:
        return "no choice: third-card table"
    free = sum(row.count("*") for row in rules.banker)
    return f"**free** in {free} of {len(TOTALS) * len(THIRDS)} positions: see the pack"


def _legal(drawing: DrawingTable) -> str:
    """Two tables: Player's choices by his total, Banker's by his total and the third card."""
    player = [[str(own), _WORDS[drawing.choices(Position("player", own))]] for own in TOTALS]
    banker = [
        [
            str(own),
            *(_WORDS[drawing.choices(Position("banker", own, None, third))] for third in THIRDS),
        ]
        for own in TOTALS
    ]
    return _table(("Player", "choice"), player) + "\n" + _table(("Banker", *_AGAINST), banker)


def _costs(solution: Solution) -> str:
    """One table: Player's free total, and Banker's by the third card."""
    free = [own for own in TOTALS if solution.game.drawing.is_free(Position("player", own))]
    player = [[str(own), _cost(solution, Position("player", own))] for own in free]
    banker = [
        [
            str(own),
            *(_cost(solution, Position("banker", own, None, third)) for third in THIRDS),
        ]
        for own in TOTALS
    ]
    return _table(("Player", "play"), player) + "\n" + _table(("Banker", *_AGAINST), banker)


def _cost(solution: Solution, position: Position) -> str:
    chance = solution.draws[position]
    if 0 < chance < 1:
        return f"draw in {100 * float(chance):.2f} %"
    best: Choice = "draw" if chance else "stand"
    loss = solution.loss(position, "stand" if chance else "draw") or 0
    return f"{best} {100 * float(loss):.2f}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
