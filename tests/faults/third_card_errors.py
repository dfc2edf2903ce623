"""Dealers who misread the third-card table, each in another way.

A misreading is a wrong version of the complete third-card rule. The dealer deals correctly until
the first coup in which the two rules differ, and deals that coup by the wrong one.
"""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.procedure.common import hand_due
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.rules.third_card_table import (
    BANKER_TABLE,
    NATURAL,
    PLAYER_TABLE,
    banker_draws,
    player_draws,
)
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import VALUE, total
from tests.faults.draw_faults import PASSED_OVER, result_call, two_each
from tests.faults.fault import Acts, Events, FaultKind

Departure = Literal["punto-drew", "punto-stood", "banco-drew", "banco-stood"]
_DEPARTURES: Final[dict[Departure, str]] = {
    "punto-drew": "Player drew",
    "punto-stood": "Player stood",
    "banco-drew": "Banker drew",
    "banco-stood": "Banker stood",
}
_CODES: Final = {
    "punto-drew": "T101",
    "punto-stood": "T102",
    "banco-drew": "T103",
    "banco-stood": "T104",
}


class Seen(Struct, frozen=True):
    """What a dealer may base Banker's decision on, rightly or wrongly.

    ``third`` is the value of Player's third card, or None if Player stood. ``stale`` is that of the
    last coup with a third card. ``player_now`` is Player's total with its third card.
    """

    player_total: int
    banker_total: int
    third: int | None
    stale: int | None
    player_now: int


class Misreading(Struct, frozen=True, kw_only=True):
    """A wrong third-card rule. Cells that it does not give are those of the table."""

    player: Callable[[int, int], bool] = player_draws
    banker: Callable[[Seen], bool] = lambda seen: banker_draws(
        seen.player_total, seen.banker_total, seen.third
    )

    def due(self, coup: Coup, stale: int | None) -> ev.Hand | None:
        """Return the hand to which this dealer gives the next card."""
        player, banker = coup.player, coup.banker
        player_total, banker_total = total(player[:2]), total(banker[:2])
        if len(player) == len(banker) == 2 and self.player(player_total, banker_total):
            return "player"
        third = VALUE[player[2]] if len(player) > 2 else None
        seen = Seen(player_total, banker_total, third, stale, total(player))
        return "banker" if len(banker) == 2 and self.banker(seen) else None


def misread(misreading: Misreading, departure: Departure) -> Acts:
    """Return the function that deals the first coup in which a misreading makes a difference."""

    def acts(table: SimulatedTable, _due: NextAction) -> Events | None:
        coup = two_each(table)
        if coup is None:
            return None
        stale = _stale(table, coup)
        wrong, right = misreading.due(coup, stale), hand_due(coup.player, coup.banker)
        if _departure(wrong, right) != departure:
            return None
        return _dealt(table, coup, misreading, stale)

    return acts


def _departure(wrong: ev.Hand | None, right: ev.Hand | None) -> Departure | None:
    if wrong == right:
        return None
    if "player" in (wrong, right):
        return "punto-drew" if wrong == "player" else "punto-stood"
    return "banco-drew" if wrong == "banker" else "banco-stood"


def _dealt(table: SimulatedTable, coup: Coup, misreading: Misreading, stale: int | None) -> Events:
    while (hand := misreading.due(coup, stale)) is not None:
        yield table.drawn(hand)
    yield result_call(coup)


def _stale(table: SimulatedTable, coup: Coup) -> int | None:
    before = (each for number, each in table.shoe.coups.items() if number < coup.number)
    thirds = [each.player[2] for each in before if len(each.player) > 2]
    return VALUE[thirds[-1]] if thirds else None


def _natural(total_of_two: int) -> bool:
    return total_of_two in NATURAL


def _swapped_player(player_total: int, banker_total: int) -> bool:
    return (
        not _natural(player_total)
        and not _natural(banker_total)
        and not player_draws(player_total, banker_total)
    )


def _swapped_banker(seen: Seen) -> bool:
    natural = _natural(seen.player_total) or _natural(seen.banker_total)
    return not natural and not banker_draws(seen.player_total, seen.banker_total, seen.third)


def _by(third: Callable[[Seen], int | None]) -> Callable[[Seen], bool]:
    """Read the row of Banker's total in another column."""
    return lambda seen: banker_draws(seen.player_total, seen.banker_total, third(seen))


def _three_stands_on_nine(seen: Seen) -> bool:
    right = banker_draws(seen.player_total, seen.banker_total, seen.third)
    return right and not (seen.banker_total == 3 and seen.third == 9)


def _six_never_draws(seen: Seen) -> bool:
    return banker_draws(seen.player_total, seen.banker_total, seen.third) and seen.banker_total != 6


def _draws_to_six(seen: Seen) -> bool:
    return not _natural(seen.player_total) and seen.banker_total <= 6


def _natural_of_banker_ignored(player_total: int, _banco: int) -> bool:
    return not _natural(player_total) and PLAYER_TABLE[player_total] == "D"


def _natural_of_player_ignored(seen: Seen) -> bool:
    if _natural(seen.player_total) and seen.third is None:
        return (
            BANKER_TABLE[seen.banker_total][0] == "D" if not _natural(seen.banker_total) else False
        )
    return banker_draws(seen.player_total, seen.banker_total, seen.third)


_SWAPPED: Final = Misreading(player=_swapped_player, banker=_swapped_banker)
_DEFECTS: Final[tuple[tuple[str, str, Misreading, tuple[Departure, ...]], ...]] = (
    (
        "swapped",
        "the dealer has hands draw that should stand, and stand that should draw",
        _SWAPPED,
        ("punto-drew", "punto-stood", "banco-drew", "banco-stood"),
    ),
    (
        "ten-for-none",
        "a ten-valued third card is taken for no third card",
        Misreading(banker=_by(lambda seen: seen.third or None)),
        ("banco-drew",),
    ),
    (
        "none-for-ten",
        "where Player stood, the dealer reads the column of a ten-valued third card",
        Misreading(banker=_by(lambda seen: seen.third or 0)),
        ("banco-stood",),
    ),
    (
        "three-stands-on-nine",
        "Banker 3 stands against a 9, as against an 8",
        Misreading(banker=_three_stands_on_nine),
        ("banco-stood",),
    ),
    (
        "six-never-draws",
        "Banker 6 stands against a 6 and a 7 too",
        Misreading(banker=_six_never_draws),
        ("banco-stood",),
    ),
    (
        "draws-to-six",
        "Banker draws on 6 or less, whatever Player took",
        Misreading(banker=_draws_to_six),
        ("banco-drew",),
    ),
    (
        "total-for-third",
        "Banker goes by Player's total in place of Player's third card",
        Misreading(banker=_by(lambda seen: None if seen.third is None else seen.player_now)),
        ("banco-drew", "banco-stood"),
    ),
    (
        "stale-third",
        "Banker goes by the third card of an earlier coup",
        Misreading(banker=_by(lambda seen: seen.third if seen.stale is None else seen.stale)),
        ("banco-drew", "banco-stood"),
    ),
    (
        "natural-of-banco-ignored",
        "Player draws against Banker's natural",
        Misreading(player=_natural_of_banker_ignored),
        ("punto-drew",),
    ),
    (
        "natural-of-punto-ignored",
        "Banker draws against Player's natural",
        Misreading(banker=_natural_of_player_ignored),
        ("banco-drew",),
    ),
)


def _codes(misreading: Misreading, departure: Departure) -> tuple[str, ...]:
    first = _CODES[departure]
    # the one who swaps everything errs again on the next hand of the coup
    others = [code for code in _CODES.values() if code != first] if misreading is _SWAPPED else []
    return (first, PASSED_OVER, *others)


KINDS: Final = tuple(
    FaultKind(
        name=f"{name}-{departure}" if len(departures) > 1 else name,
        family="tableau",
        what=what + (f": {_DEPARTURES[departure]}" if len(departures) > 1 else ""),
        codes=_codes(misreading, departure),
        acts=misread(misreading, departure),
    )
    for name, what, misreading, departures in _DEFECTS
    for departure in departures
)


def cells() -> tuple[FaultKind, ...]:
    """Return a kind of fault for each cell of the table: a dealer reverses that cell.

    They are named ``punto-5``, ``banco-3-8`` (Banker 3 against a third card 8) and ``banco-5--``
    (against none).
    """
    return (
        *(
            _player_cell(player_total)
            for player_total in range(len(PLAYER_TABLE))
            if not _natural(player_total)
        ),
        *(
            _banker_cell(banker_total, third)
            for banker_total in range(8)
            for third in (None, *range(10))
        ),
    )


def _player_cell(cell: int) -> FaultKind:
    def player_total(total_of_two: int, banker_total: int) -> bool:
        return player_draws(total_of_two, banker_total) != (
            total_of_two == cell and not _natural(banker_total)
        )

    departure: Departure = "punto-stood" if PLAYER_TABLE[cell] == "D" else "punto-drew"
    return _cell(f"punto-{cell}", Misreading(player=player_total), departure)


def _banker_cell(row: int, third: int | None) -> FaultKind:
    def banker_total(seen: Seen) -> bool:
        here = seen.banker_total == row and seen.third == third and not _natural(seen.player_total)
        return banker_draws(seen.player_total, seen.banker_total, seen.third) != here

    column = 0 if third is None else third + 1
    departure: Departure = "banco-stood" if BANKER_TABLE[row][column] == "D" else "banco-drew"
    return _cell(
        f"banco-{row}-{'-' if third is None else third}", Misreading(banker=banker_total), departure
    )


def _cell(name: str, misreading: Misreading, departure: Departure) -> FaultKind:
    return FaultKind(
        name=name,
        family="tableau",
        what=f"the cell {name} is read the other way",
        codes=(_CODES[departure], PASSED_OVER),
        acts=misread(misreading, departure),
    )
