"""Faults of the cut card, of the last coup and of the end of the shoe."""

from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import cards_before_cut_card
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind

_FAR: Final = 40
"""Cards before the cut card, where it shows in no coup that comes next."""


def _cut_card_early(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupClosed) or table.shoe.cut_card is not None:
        return None
    return (payload, ev.CutCardReached(len(table.shoe.left)))


def _cut_card_misreported(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CutCardReached) or not payload.drawn:
        return None
    return (replace(payload, drawn=payload.drawn - 3),)


def _one_too_many(table: SimulatedTable, due: NextAction) -> Events | None:
    if due.expects != "end" or table.order.left < 6:
        return None
    return (ev.CoupOpened(max(table.shoe.coups) + 1),)


def _last_called_falsely(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The next coup is called the last, although the cut card is far away."""
    if not isinstance(payload, ev.CoupClosed) or table.pack.game != "punto-banco":
        return None
    before = cards_before_cut_card(table.shoe)
    if before is not None and before - len(table.shoe.left) < _FAR:
        return None
    return (payload, ev.LastCoupCalled(payload.coup + 1))


def _ended_early(table: SimulatedTable, due: NextAction) -> Events | None:
    if due.expects != "coup" or table.shoe.cut_card is not None:
        return None
    left = table.order.left
    return (ev.ShoeEnded(left=left, counted=left + len(table.shoe.left)),)


def _ended_in_coup(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if due.expects != "card" or coup is None or len(coup.cards) != 3:
        return None
    left = table.order.left
    counted = left + len(table.shoe.left)
    return (ev.ShoeEnded(left=left, counted=counted, reason="withdrawn"),)


def _shoe_kept(table: SimulatedTable, due: NextAction) -> Events | None:
    lost = isinstance(due.payload, ev.ShoePassed) and due.payload.by in table.shoe.seats.values()
    return (ev.CoupOpened(max(table.shoe.coups) + 1),) if lost else None


def _stop_card(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.StopCardPlaced):
        return None
    return (replace(payload, behind=payload.behind + 26),)


KINDS = (
    FaultKind(
        name="shoe-kept",
        family="procedure",
        what="a patron keeps the shoe after the bank lost",
        codes=("H501",),
        of_coup=False,
        acts=_shoe_kept,
    ),
    FaultKind(
        name="ended-in-coup",
        family="procedure",
        what="the shoe is taken away in the middle of a coup",
        codes=("I306", "P206"),
        acts=_ended_in_coup,
    ),
    FaultKind(
        name="last-coup-called-falsely",
        family="procedure",
        what="the dealer calls the next coup the last, and the shoe goes on behind it",
        codes=("Z305", "Z303"),
        of_coup=False,
        alters=_last_called_falsely,
    ),
    FaultKind(
        name="ended-early",
        family="procedure",
        what="the shoe is ended as by its cut card, which has not come",
        codes=("Z304", "P206"),
        acts=_ended_early,
    ),
    FaultKind(
        name="stop-card-misplaced",
        family="procedure",
        what="the cut card goes in half a deck too early",
        codes=("S313",),
        alters=_stop_card,
    ),
    FaultKind(
        name="cut-card-early",
        family="procedure",
        what="the cut card shows before its place",
        codes=("Z302",),
        of_coup=False,
        alters=_cut_card_early,
    ),
    FaultKind(
        name="cut-card-misreported",
        family="procedure",
        what="the cut card's place is reported wrong",
        codes=("Z302",),
        of_coup=False,
        alters=_cut_card_misreported,
    ),
    FaultKind(
        name="one-coup-too-many",
        family="procedure",
        what="a coup is dealt after the last",
        codes=("Z301", "H501"),
        acts=_one_too_many,
    ),
)
