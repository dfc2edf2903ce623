"""The roads on display at a moment."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from sabot.cli.replay.scene import BANKER, FAINT, PLAYER, SIDE, TIE, Scene, fit, ink
from sabot.domain.procedure.two_tableaux.tableaux import side_won
from sabot.domain.rules.coup_result import is_pair
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau
from sabot.domain.state.shoe import Shoe
from sabot.domain.views.roads import ROWS, Mark, Roads, Score, roads_of
from sabot.domain.views.table_view import called_outcome, dealt_outcome

# Filled is Banker and red, hollow is Player and blue: they differ even without colours.
_RING: Final = {"P": "○", "B": "●", "T": "/"}
_EYE: Final = {"red": ("●", BANKER), "blue": ("○", PLAYER)}
_NARROW: Final = 30
"""The width in columns below which only the big road is drawn."""


def scores(shoe: Shoe, tableau: Tableau | None = None) -> list[Score]:
    """Return the outcomes of the coups for the roads, as called or else by the cards.

    A coup that was voided or has no outcome yet is left out. At two tableaux each ``tableau`` has
    its own roads, on which its hand takes the place of Player.
    """
    found = []
    for coup in shoe.coups.values():
        if tableau is not None:
            won = side_won(coup, tableau)
            over = coup.result_called is not None or coup.closed is not None
            if coup.voided is None and over and won is not None:
                found.append(Score(won))
            continue
        outcome = called_outcome(coup) or (dealt_outcome(coup) if coup.closed is not None else None)
        if coup.voided is None and outcome is not None:
            pairs = is_pair(coup.player) or False, is_pair(coup.banker) or False
            found.append(Score(outcome, *pairs))
    return found


def roads(scene: Scene, width: int, height: int) -> list[Text]:
    """Draw the bead plate and the big road, and below them the three derived roads.

    At two tableaux the bead plate and big road of the right tableau are above those of the left.
    """
    if scene.shoe.pack is not None and scene.shoe.pack.tableaux is not None:
        return fit(_of_tableaux(scene.shoe, width, height), width, height)
    if scene.shoe.pack is not None and scene.shoe.pack.macao is not None:
        said = ["each hand stands for itself:", "no coup is Player's or the bank's,", "and no road"]
        return fit([ink(line, FAINT) for line in said], width, height)
    known = scores(scene.shoe)
    if not known:
        return fit([ink("no coup has come out yet", FAINT)], width, height)
    drawn = roads_of(known)
    lines = _upper(drawn, len(known), width, height)
    if height - len(lines) > ROWS // 2:
        lines += _lower(drawn, width, height - len(lines))
    return fit(lines, width, height)


def _of_tableaux(shoe: Shoe, width: int, height: int) -> list[Text]:
    """Draw bead plate and big road of each tableau."""
    lines = []
    for tableau in TABLEAUX:
        known = scores(shoe, tableau)
        if not known:
            return [ink("no coup has come out yet", FAINT)]
        lines.append(ink(f"on the {tableau}", FAINT))
        lines += _upper(roads_of(known), len(known), width, max(2, height // 2 - 1))
    return lines


def _upper(drawn: Roads, coups: int, width: int, height: int) -> list[Text]:
    """Draw the bead plate and the big road; only the latter if narrow."""
    rows = max(1, min(ROWS, height - 1))
    last = coups - 1
    big = [(m.column, m.row, _ring(m, m.coup == last)) for m in drawn.big_road]
    if width < _NARROW:
        return [_head("big road", width), *_grid(big, 2, width, rows)]
    plate = max(11, min(2 * -(-coups // ROWS), width * 2 // 5))
    room = width - plate - 2
    beads = [(m.column, m.row, _bead(m, m.coup == last)) for m in drawn.bead_plate]
    left, right = _grid(beads, 2, plate, rows), _grid(big, 2, room, rows)
    heads = _head("bead plate", plate) + Text("  ") + _head("big road", room)
    return [heads, *(a + Text("  ") + b for a, b in zip(left, right, strict=True))]


def _lower(drawn: Roads, width: int, height: int) -> list[Text]:
    """Draw the three derived roads side by side."""
    rows = max(1, min(ROWS, height - 1))
    room = max(1, (width - 4) // 3)
    named = (
        ("big eye boy", drawn.big_eye_boy),
        ("small road", drawn.small_road),
        ("cockroach road", drawn.cockroach_road),
    )
    cells = [[(m.column, m.row, (_EYE[m.colour],)) for m in road] for _name, road in named]
    grids = [_grid(road, 1, room, rows) for road in cells]
    gap = Text("  ")
    heads = gap.join([_head(name, room) for name, _road in named])
    return [heads, *(gap.join(row) for row in zip(*grids, strict=True))]


def _head(name: str, width: int) -> Text:
    head = ink(name, FAINT)
    head.truncate(width, overflow="ellipsis", pad=True)
    return head


_Cell = tuple[tuple[str, str], ...]
"""The content of a cell: words and their styles."""
_Placed = tuple[int, int, _Cell]
"""A cell with its column and row."""


def _grid(cells: Sequence[_Placed], wide: int, width: int, rows: int) -> list[Text]:
    """Draw cells on lines, keeping the last columns that fit."""
    room = max(1, width // wide)
    last = max((column for column, _row, _cell in cells), default=0)
    first = max(0, last - room + 1)
    at = {(column, row): cell for column, row, cell in cells}
    blank: _Cell = ((" " * wide, ""),)
    lines = []
    for row in range(rows):
        line = Text()
        for column in range(first, first + room):
            for words, style in at.get((column, row), blank):
                line.append(words, style=style)
        line.truncate(width, overflow="crop", pad=True)
        lines.append(line)
    return lines


def _bead(mark: Mark, newest: bool) -> _Cell:
    """Return a coup of the bead plate with its pairs. The newest is reversed."""
    style = f"bold {SIDE[mark.outcome]}" + (" reverse" if newest else "")
    return ((mark.outcome, style), (_pairs(mark), FAINT))


def _pairs(mark: Mark) -> str:
    """Return the mark for pairs beside a bead."""
    if mark.player_pair:
        return ":" if mark.banker_pair else "'"
    return "." if mark.banker_pair else " "


def _ring(mark: Mark, newest: bool) -> _Cell:
    """Return a coup of the big road with its ties. The newest is reversed."""
    style = f"bold {SIDE[mark.outcome]}" + (" reverse" if newest else "")
    ties = " " if not mark.ties else "/" if mark.ties == 1 else str(min(mark.ties, 9))
    return ((_RING[mark.outcome], style), (ties, f"bold {TIE}"))
