"""Dealers who read the tableau wrong, each in a way of his own.

A misreading is the whole third-card rule as somebody believes it to be. He deals rightly until
the first coup in which his rule and the tableau differ, and then deals that coup by his.
"""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from sabot.domain import events as f
from sabot.domain.procedure.common import hand_due
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.rules.third_card_table import BANCO, NATURAL, PUNTO, banco_draws, punto_draws
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import VALUE, total
from tests.faults.draw_faults import PASSED_OVER, result_call, two_each
from tests.faults.fault import Acts, Events, FaultKind

Departure = Literal["punto-drew", "punto-stood", "banco-drew", "banco-stood"]
_CODES: Final = {
    "punto-drew": "player-drew-against-table",
    "punto-stood": "player-stood-against-table",
    "banco-drew": "banker-drew-against-table",
    "banco-stood": "banker-stood-against-table",
}


class Seen(Struct, frozen=True):
    """What a dealer may take banco's decision from, rightly or not.

    ``third`` is the value of punto's third card, None where it stood; ``stale`` that of the
    last coup that had one; ``punto_now`` is punto's total with its third card.
    """

    punto: int
    banco: int
    third: int | None
    stale: int | None
    punto_now: int


class Misreading(Struct, frozen=True, kw_only=True):
    """A rule of the third card as somebody believes it; what is not said is the tableau."""

    punto: Callable[[int, int], bool] = punto_draws
    banco: Callable[[Seen], bool] = lambda seen: banco_draws(seen.punto, seen.banco, seen.third)

    def due(self, coup: Coup, stale: int | None) -> f.Hand | None:
        """Return the hand that this dealer gives the next card."""
        player, banker = coup.player, coup.banker
        punto, banco = total(player[:2]), total(banker[:2])
        if len(player) == len(banker) == 2 and self.punto(punto, banco):
            return "player"
        third = VALUE[player[2]] if len(player) > 2 else None
        seen = Seen(punto, banco, third, stale, total(player))
        return "banker" if len(banker) == 2 and self.banco(seen) else None


def misread(misreading: Misreading, departure: Departure) -> Acts:
    """Return what makes a coup be dealt by a misreading, where it first departs in that way."""

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


def _departure(wrong: f.Hand | None, right: f.Hand | None) -> Departure | None:
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


def _swapped_punto(punto: int, banco: int) -> bool:
    return not _natural(punto) and not _natural(banco) and not punto_draws(punto, banco)


def _swapped_banco(seen: Seen) -> bool:
    natural = _natural(seen.punto) or _natural(seen.banco)
    return not natural and not banco_draws(seen.punto, seen.banco, seen.third)


def _by(third: Callable[[Seen], int | None]) -> Callable[[Seen], bool]:
    """Read the row of banco's total by another column."""
    return lambda seen: banco_draws(seen.punto, seen.banco, third(seen))


def _three_stands_on_nine(seen: Seen) -> bool:
    right = banco_draws(seen.punto, seen.banco, seen.third)
    return right and not (seen.banco == 3 and seen.third == 9)


def _six_never_draws(seen: Seen) -> bool:
    return banco_draws(seen.punto, seen.banco, seen.third) and seen.banco != 6


def _draws_to_six(seen: Seen) -> bool:
    return not _natural(seen.punto) and seen.banco <= 6


def _natural_of_banco_ignored(punto: int, _banco: int) -> bool:
    return not _natural(punto) and PUNTO[punto] == "D"


def _natural_of_punto_ignored(seen: Seen) -> bool:
    if _natural(seen.punto) and seen.third is None:
        return BANCO[seen.banco][0] == "D" if not _natural(seen.banco) else False
    return banco_draws(seen.punto, seen.banco, seen.third)


_SWAPPED: Final = Misreading(punto=_swapped_punto, banco=_swapped_banco)
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
        Misreading(banco=_by(lambda seen: seen.third or None)),
        ("banco-drew",),
    ),
    (
        "none-for-ten",
        "where punto stood, the dealer reads the column of a ten-valued third card",
        Misreading(banco=_by(lambda seen: seen.third or 0)),
        ("banco-stood",),
    ),
    (
        "three-stands-on-nine",
        "banco 3 stands against a 9, as against an 8",
        Misreading(banco=_three_stands_on_nine),
        ("banco-stood",),
    ),
    (
        "six-never-draws",
        "banco 6 stands against a 6 and a 7 too",
        Misreading(banco=_six_never_draws),
        ("banco-stood",),
    ),
    (
        "draws-to-six",
        "banco draws on 6 or less, whatever punto took",
        Misreading(banco=_draws_to_six),
        ("banco-drew",),
    ),
    (
        "total-for-third",
        "banco goes by punto's total in place of punto's third card",
        Misreading(banco=_by(lambda seen: None if seen.third is None else seen.punto_now)),
        ("banco-drew", "banco-stood"),
    ),
    (
        "stale-third",
        "banco goes by the third card of an earlier coup",
        Misreading(banco=_by(lambda seen: seen.third if seen.stale is None else seen.stale)),
        ("banco-drew", "banco-stood"),
    ),
    (
        "natural-of-banco-ignored",
        "punto draws against banco's natural",
        Misreading(punto=_natural_of_banco_ignored),
        ("punto-drew",),
    ),
    (
        "natural-of-punto-ignored",
        "banco draws against punto's natural",
        Misreading(banco=_natural_of_punto_ignored),
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
        what=what + (f": {departure.replace('-', ' ')}" if len(departures) > 1 else ""),
        codes=_codes(misreading, departure),
        acts=misread(misreading, departure),
    )
    for name, what, misreading, departures in _DEFECTS
    for departure in departures
)


def cells() -> tuple[FaultKind, ...]:
    """Return a kind for each cell of the tableau: whoever reads that one cell the other way.

    Named ``punto-5``, ``banco-3-8`` (banco 3 against a third card 8) and ``banco-5--`` (against
    none).
    """
    return (
        *(_punto_cell(punto) for punto in range(len(PUNTO)) if not _natural(punto)),
        *(_banco_cell(banco, third) for banco in range(8) for third in (None, *range(10))),
    )


def _punto_cell(cell: int) -> FaultKind:
    def punto(total_of_two: int, banco: int) -> bool:
        return punto_draws(total_of_two, banco) != (total_of_two == cell and not _natural(banco))

    departure: Departure = "punto-stood" if PUNTO[cell] == "D" else "punto-drew"
    return _cell(f"punto-{cell}", Misreading(punto=punto), departure)


def _banco_cell(row: int, third: int | None) -> FaultKind:
    def banco(seen: Seen) -> bool:
        here = seen.banco == row and seen.third == third and not _natural(seen.punto)
        return banco_draws(seen.punto, seen.banco, seen.third) != here

    column = 0 if third is None else third + 1
    departure: Departure = "banco-stood" if BANCO[row][column] == "D" else "banco-drew"
    return _cell(
        f"banco-{row}-{'-' if third is None else third}", Misreading(banco=banco), departure
    )


def _cell(name: str, misreading: Misreading, departure: Departure) -> FaultKind:
    return FaultKind(
        name=name,
        family="tableau",
        what=f"the cell {name} is read the other way",
        codes=(_CODES[departure], PASSED_OVER),
        acts=misread(misreading, departure),
    )
