"""Calls that differ from the cards. Bets are still settled by the cards."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.values.cards import total
from tests.faults.fault import Events, FaultKind

_OTHER: dict[ev.Outcome, ev.Outcome] = {"P": "B", "B": "P", "T": "B"}


def _two_card_totals(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.TotalsCalled):
        return None
    return (replace(payload, banker=(payload.banker + 1) % 10),)


def _final_totals(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A total is called wrongly in a way that still fits the called outcome."""
    if not isinstance(payload, ev.ResultCalled) or payload.player is None or payload.banker is None:
        return None
    player, banker = payload.player, payload.banker
    if player == banker:
        other = (player + 1) % 10
        return (replace(payload, player=other, banker=other),)
    if min(player, banker) > 0:
        lower = "player" if player < banker else "banker"
        return (replace(payload, **{lower: min(player, banker) - 1}),)
    return None


def _outcome(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ResultCalled) or payload.outcome is None:
        return None
    return (replace(payload, outcome=_OTHER[payload.outcome]),)


def _face_down(table: SimulatedTable, due: NextAction) -> Events | None:
    """The totals are called although no card was turned."""
    coup = table.shoe.current
    if not isinstance(due.payload, ev.CardTurned) or coup is None or coup.turned:
        return None
    first = coup.number == 1  # of later ones nobody can say that none is ever turned
    if table.pack.game != "punto-banco" or first:
        return None
    return (ev.TotalsCalled(coup.number, total(coup.player), total(coup.banker)),)


KINDS = (
    FaultKind(
        name="cards-never-turned",
        family="procedure",
        what="a coup is called and paid on cards that nobody turns",
        codes=("D105",),
        acts=_face_down,
    ),
    FaultKind(
        name="two-card-totals-miscalled",
        family="totals",
        what="the dealer miscounts the Banker hand's first two cards",
        codes=("C101",),
        alters=_two_card_totals,
    ),
    FaultKind(
        name="final-totals-miscalled",
        family="totals",
        what="the dealer calls a final total that is not the cards'",
        codes=("C102",),
        alters=_final_totals,
    ),
    FaultKind(
        name="outcome-miscalled",
        family="totals",
        what="the dealer announces the wrong side",
        codes=("C103",),
        alters=_outcome,
    ),
)
