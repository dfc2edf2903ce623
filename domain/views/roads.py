"""The roads: the five score boards of a baccarat table.

They record outcomes and predict nothing. Patrons bet by them, so surveillance needs to see them
too. Each is a grid of six rows, read column by column.

* **Bead plate**: every coup in order, ties included, down each column and then the next.
* **Big road**: one column for each run. The same side continues down; the other side begins a new
  column. A tie is a mark on the last result; ties before any result are marked on the first. A run
  that reaches the sixth row, or an occupied cell, turns right and continues in its row: a dragon
  tail.
* **Big eye boy**, **small road**, **cockroach road**: a mark for each entry of the big road, red if
  the road repeats itself and blue if it does not. They look back one, two and three columns. They
  begin at the second row of the column after those (or, if there is none, at the head of the next
  column). For an entry that

  - *heads a column*: red if the column before it and the column that many columns further back have
    the same length;
  - *continues down*: red if the cell that many columns to the left and the cell above that one are
    both occupied or both empty.

The derived roads compare runs, not the cells of dragon tails, and are drawn like the big road.

Source: the score-board rules as casinos' displays and their published guides have them (bead plate,
big road, "evenness", "gap" and "straight drop"); no law prescribes them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.events import Outcome
from sabot.domain.values.errors import BadInput

ROWS: Final = 6

Colour = Literal["red", "blue"]

BIG_EYE_BOY: Final = 1
SMALL: Final = 2
COCKROACH: Final = 3
"""Number of columns that each derived road looks back."""


class Score(Struct, frozen=True):
    """A coup's outcome and pairs, as the roads record them."""

    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False


class Mark(Struct, frozen=True):
    """A mark of the bead plate or the big road.

    Column and row count from 0. ``coup`` is the marked coup's place in the sequence, from 0.
    ``ties`` is the number of ties marked on it (big road only). If there are only ties, the big
    road has one mark "T", which belongs to no coup. Pairs of a tied coup show on the bead plate
    only.
    """

    column: int
    row: int
    outcome: Outcome
    coup: int
    player_pair: bool = False
    banker_pair: bool = False
    ties: int = 0


class Eye(Struct, frozen=True):
    """A mark of a derived road. ``coup`` is as in `Mark`."""

    column: int
    row: int
    colour: Colour
    coup: int


class Roads(Struct, frozen=True):
    """The five roads of one shoe."""

    bead_plate: tuple[Mark, ...]
    big_road: tuple[Mark, ...]
    big_eye_boy: tuple[Eye, ...]
    small_road: tuple[Eye, ...]
    cockroach_road: tuple[Eye, ...]


def roads(outcomes: Iterable[str]) -> Roads:
    """Draw the five roads of a sequence of outcomes.

    The outcomes are in the order of the coups.

    Args:
        outcomes: ``B`` (Banker), ``P`` (Player) or ``T`` (tie) for each coup, as a string or other
        iterable.

    Raises:
        BadInput: another letter.
    """
    return roads_of([Score(_outcome(place, text)) for place, text in enumerate(outcomes, 1)])


def _outcome(place: int, text: str) -> Outcome:
    match text:
        case "B" | "P" | "T":
            return text
        case _:
            raise BadInput(f"outcome {place} is {text!r}; write B, P or T for each coup")


def roads_of(scores: Sequence[Score]) -> Roads:
    """Draw the five roads of a shoe's coups."""
    return Roads(
        bead_plate=bead_plate(scores),
        big_road=big_road(scores),
        big_eye_boy=derived_road(scores, BIG_EYE_BOY),
        small_road=derived_road(scores, SMALL),
        cockroach_road=derived_road(scores, COCKROACH),
    )


def scores_of(outcomes: Iterable[Outcome]) -> list[Score]:
    """Return a score for each outcome, without pairs."""
    return [Score(outcome) for outcome in outcomes]


def bead_plate(scores: Sequence[Score]) -> tuple[Mark, ...]:
    """Draw the bead plate: every coup, down each column and then the next."""
    return tuple(
        Mark(coup // ROWS, coup % ROWS, score.outcome, coup, score.player_pair, score.banker_pair)
        for coup, score in enumerate(scores)
    )


def big_road(scores: Sequence[Score]) -> tuple[Mark, ...]:
    """Draw the big road.

    A tie is marked on the result before it.
    """
    runs, ties = _runs(scores)
    if not runs:
        return (Mark(0, 0, "T", 0, ties=ties[-1]),) if ties else ()
    marks = []
    for run, cells in zip(runs, _lay_on_grid(len(run) for run in runs), strict=True):
        for coup, (column, row) in zip(run, cells, strict=True):
            score = scores[coup]
            marks.append(
                Mark(
                    column,
                    row,
                    score.outcome,
                    coup,
                    score.player_pair,
                    score.banker_pair,
                    ties.get(coup, 0),
                )
            )
    return tuple(marks)


def derived_road(scores: Sequence[Score], back: int) -> tuple[Eye, ...]:
    """Draw the derived road that compares with this number of columns before.

    The number is 1 for big eye boy, 2 for small road, 3 for cockroach road.
    """
    runs, _ = _runs(scores)
    colours: list[tuple[int, Colour]] = [
        (coup, "red" if _repeats(runs, number, depth, back) else "blue")
        for number, run in enumerate(runs)
        for depth, coup in enumerate(run)
        if number > back or (number == back and depth)
    ]
    groups: list[list[tuple[int, Colour]]] = []
    for coup, colour in colours:
        if not groups or groups[-1][-1][1] != colour:
            groups.append([])
        groups[-1].append((coup, colour))
    return tuple(
        Eye(column, row, colour, coup)
        for group, cells in zip(groups, _lay_on_grid(map(len, groups)), strict=True)
        for (coup, colour), (column, row) in zip(group, cells, strict=True)
    )


def rows_of(marks: Sequence[Mark] | Sequence[Eye]) -> list[list[Mark | Eye | None]]:
    """Return a road as six rows of cells. An empty cell is None."""
    width = 1 + max((mark.column for mark in marks), default=-1)
    rows: list[list[Mark | Eye | None]] = [[None] * width for _ in range(ROWS)]
    for mark in marks:
        rows[mark.row][mark.column] = mark
    return rows


def _runs(scores: Sequence[Score]) -> tuple[list[list[int]], dict[int, int]]:
    """Return the runs of equal outcomes, and the ties after each coup.

    A run is a list of the places of its coups. Ties before the first result count with it, or under
    -1 if there is no result.
    """
    runs: list[list[int]] = []
    ties: dict[int, int] = {}
    waiting = 0
    for coup, score in enumerate(scores):
        if score.outcome == "T":
            if runs:
                ties[runs[-1][-1]] = ties.get(runs[-1][-1], 0) + 1
            else:
                waiting += 1
            continue
        if not runs and waiting:
            ties[coup] = waiting
        if not runs or scores[runs[-1][-1]].outcome != score.outcome:
            runs.append([])
        runs[-1].append(coup)
    if not runs and waiting:
        ties[-1] = waiting
    return runs, ties


def _repeats(runs: list[list[int]], number: int, depth: int, back: int) -> bool:
    """Return whether an entry of the big road repeats the pattern ``back`` columns to the left."""
    if depth == 0:
        return len(runs[number - 1]) == len(runs[number - 1 - back])
    # only just below a run's end is the cell to the left empty and the one above it occupied
    return len(runs[number - back]) != depth


def _lay_on_grid(lengths: Iterable[int]) -> Iterator[list[tuple[int, int]]]:
    """Lay runs on a grid of six rows.

    Each run begins a column; cells are (column, row). Long runs turn right.
    """
    taken: set[tuple[int, int]] = set()
    head = 0
    for length in lengths:
        while (head, 0) in taken:
            head += 1
        cells: list[tuple[int, int]] = []
        column, row, turned = head, 0, False
        for _ in range(length):
            cells.append((column, row))
            taken.add((column, row))
            turned = turned or row == ROWS - 1 or (column, row + 1) in taken
            if turned:
                column += 1
            else:
                row += 1
        yield cells
