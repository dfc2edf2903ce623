"""Limits, crew, patrons and a holder that cannot be as they are recorded."""

from sabot.domain import events as ev
from sabot.domain.procedure.common import bank_lost
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind


def _inverted(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Set a minimum above its maximum, and take it back before anybody bets."""
    if not isinstance(payload, ev.CoupOpened) or not table.shoe.limits:
        return None
    wrong = tuple(ev.Limit(each.maximum, each.minimum, each.wager) for each in table.shoe.limits)
    if any(each.minimum == each.maximum for each in wrong):
        return None
    right = table.shoe.limits
    return (
        ev.LimitsChanged(wrong, displayed=True),
        ev.LimitsChanged(right, displayed=True),
        payload,
    )


def _passed_as_lost(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A holder who won, or tied, gives the shoe up and says that the bank lost."""
    holder, coups = table.shoe.holder, table.shoe.coups
    chosen = isinstance(payload, ev.ShoePassed) and payload.reason == "chosen"
    kept = isinstance(payload, ev.CoupOpened) and table.shoe.bank is None
    if not (chosen or kept) or holder in (None, "house", *table.shoe.staff) or not coups:
        return None
    assert holder is not None
    last = coups[max(coups)]
    on_loss = table.pack.table.passes == "on-loss" and last.number > table.shoe.taken_after
    if not on_loss or last.voided is not None or len(last.player) < 2 or bank_lost(last):
        return None
    return (ev.ShoePassed(holder, "lost"),)


KINDS = (
    FaultKind(
        name="limits-inverted",
        family="procedure",
        what="a minimum is set above its maximum",
        codes=("minimum-above-maximum",),
        alters=_inverted,
        of_coup=False,
        games=("punto-banco",),
    ),
    FaultKind(
        name="passed-as-lost",
        family="procedure",
        what="a holder who did not lose passes the shoe as lost",
        codes=("shoe-passed-as-lost-after-win",),
        alters=_passed_as_lost,
        of_coup=False,
        games=("punto-banco", "chemin-de-fer"),
    ),
)
