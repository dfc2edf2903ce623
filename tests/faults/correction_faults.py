"""Corrections of the record that hide what happened at the table."""

from collections.abc import Callable

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind

_OTHER_SIDE = {"player": "banker", "banker": "player"}
_LOSES = {"P": "banker", "B": "player"}


def _after_result(
    instead_of: Callable[[ev.BetPlaced], ev.BetPlaced | None],
) -> Callable[[SimulatedTable, ev.ShoeEvent], Events | None]:
    """Correct a losing bet as soon as the result was called, before it is settled."""

    def alters(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
        coup = table.shoe.current
        if not isinstance(payload, ev.ResultCalled) or coup is None or coup.banked is not None:
            return None
        for bet in coup.bets.values():
            placed = bet.placed.payload
            if bet.wager == _LOSES.get(payload.outcome) and isinstance(placed, ev.BetPlaced):
                version = bet.placed.position
                instead = instead_of(placed)
                return (payload, ev.EventCorrected(version, "misread", "sue", instead))
        return None

    return alters


def _moved(placed: ev.BetPlaced) -> ev.BetPlaced:
    return replace(placed, wager=_OTHER_SIDE[placed.wager])


KINDS = (
    FaultKind(
        name="losing-bet-corrected-to-winner",
        family="integrity",
        what="a correction moves a losing bet to the winning side once the result was called",
        codes=("breach-corrected-away",),
        alters=_after_result(_moved),
        games=("punto-banco",),
    ),
    FaultKind(
        name="losing-bet-corrected-away",
        family="integrity",
        what="a correction removes a losing bet once the result was called",
        codes=("breach-corrected-away",),
        alters=_after_result(lambda _: None),
        games=("punto-banco",),
    ),
)
