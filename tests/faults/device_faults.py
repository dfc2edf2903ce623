"""Devices that cannot be believed: a clock that jumps, a number that never comes."""

from typing import Final

from sabot.domain import events as f
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Facts, FaultKind

_JUMPED: Final = ("clock-of-a-device-jumped",)
_TEN_MINUTES_US: Final = 600_000_000


def _clock_set(table: SimulatedTable, fact: f.ShoeFact, by_us: int) -> Facts | None:
    """Set the clock once a coup is over; only a pack that speaks of clocks can judge it."""
    if not isinstance(fact, f.CoupClosed) or table.pack.clocks is None:
        return None
    table.clock.out_us += by_us
    return (fact,)


def _set_back(table: SimulatedTable, fact: f.ShoeFact) -> Facts | None:
    return _clock_set(table, fact, -_TEN_MINUTES_US)


def _set_ahead(table: SimulatedTable, fact: f.ShoeFact) -> Facts | None:
    return _clock_set(table, fact, _TEN_MINUTES_US)


def _number_lost(table: SimulatedTable, fact: f.ShoeFact) -> Facts | None:
    if not isinstance(fact, f.CoupClosed):
        return None
    table.skip_number()
    return (fact,)


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
        what="the device numbers a fact that never reaches the log",
        codes=("sequence-of-a-device-has-a-gap",),
        alters=_number_lost,
    ),
)
