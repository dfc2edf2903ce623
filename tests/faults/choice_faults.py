"""Choices of hands that the rules forbid, in games in which a patron banks."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.patron_bank import drawing_of, position_in
from sabot.domain.procedure.two_tableaux.tableaux import tableau_position
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from tests.faults.fault import Events, FaultKind

_PASSED_OVER = "I301"


def must(table: SimulatedTable, coup: Coup, hand: ev.Hand) -> Choice | None:
    """Return what a hand must do. Return None if it has a choice or plays against two tableaux."""
    rules = drawing_of(table.shoe)
    if rules is None:
        return None
    if hand in ("right", "left"):
        allowed = rules.choices(tableau_position(coup, "right" if hand == "right" else "left"))
    elif hand in ("player", "banker") and not coup.others:
        allowed = rules.choices(position_in(coup, "player" if hand == "player" else "banker"))
    else:
        return None
    return allowed[0] if len(allowed) == 1 else None


def _against(table: SimulatedTable, payload: ev.ShoeEvent, due: Choice) -> Events | None:
    """Let a hand make a forbidden choice."""
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.ChoiceMade) or coup is None or payload.choice != due:
        return None
    if must(table, coup, payload.hand) != due:
        return None
    return (replace(payload, choice="draw" if due == "stand" else "stand"),)


KINDS = (
    FaultKind(
        name="drew-where-none-may",
        family="tableau",
        what="a hand draws that has no choice but to stand",
        codes=("T106", _PASSED_OVER),
        alters=lambda table, payload: _against(table, payload, "stand"),
    ),
    FaultKind(
        name="stood-where-none-may",
        family="tableau",
        what="a hand stands that has no choice but to draw",
        codes=("T107", _PASSED_OVER),
        alters=lambda table, payload: _against(table, payload, "draw"),
    ),
)
"""What goes wrong with choices, whatever game the bank is played for in."""
