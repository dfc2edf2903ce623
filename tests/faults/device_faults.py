"""Devices with a fault: a clock that jumps, or a number that never arrives."""

from typing import Final

from sabot.domain import events as ev
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind

_JUMPED: Final = ("R412",)
_TEN_MINUTES_US: Final = 600_000_000


def _clock_set(table: SimulatedTable, payload: ev.ShoeEvent, by_us: int) -> Events | None:
    """Set the clock after a coup. Only a pack with rules about clocks can show it."""
    if not isinstance(payload, ev.CoupClosed) or table.pack.clocks is None:
        return None
    table.clock.out_us += by_us
    return (payload,)


def _set_back(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return _clock_set(table, payload, -_TEN_MINUTES_US)


def _set_ahead(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return _clock_set(table, payload, _TEN_MINUTES_US)


def _number_lost(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupClosed):
        return None
    table.skip_number()
    return (payload,)


KINDS = (
    FaultKind(
        name="clock-set-back",
        family="integrity",
        what="the table's clock is set back by ten minutes",
        codes=_JUMPED,
        alters=_set_back,
    ),
    FaultKind(
        name="clock-set-ahead",
        family="integrity",
        what="the table's clock is set ten minutes ahead",
        codes=_JUMPED,
        alters=_set_ahead,
    ),
    FaultKind(
        name="number-lost",
        family="integrity",
        what="the device numbers an event that never reaches the log",
        codes=("R411",),
        alters=_number_lost,
    ),
)
