"""Corrections of the record that hide what happened at the table."""

from collections.abc import Callable

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.games import game_of
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
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


def _in_any_game(
    instead_of: Callable[[ev.BetPlaced, Coup], ev.BetPlaced | None],
) -> Callable[[SimulatedTable, ev.ShoeEvent], Events | None]:
    """Correct a bet that wins or loses as soon as the result was called, whoever banks."""

    def alters(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
        coup = table.shoe.current
        if (
            not isinstance(payload, ev.ResultCalled | bank_ev.HandsCalled)
            or coup is None
            or coup.free
        ):
            return None
        for bet, due in game_of(table.pack).due_bets(table.shoe, coup):
            placed = bet.placed.payload
            if isinstance(placed, ev.BetPlaced) and not bet.changes and due and due.net:
                instead = instead_of(placed, coup)
                if instead is not None:
                    version = bet.placed.position
                    return (payload, ev.EventCorrected(version, "misread", "sue", instead))
        return None

    return alters


def _halved(placed: ev.BetPlaced, _coup: Coup) -> ev.BetPlaced | None:
    return replace(placed, amount=placed.amount // 2) if placed.amount > 1 else None


def _given_to_another(placed: ev.BetPlaced, coup: Coup) -> ev.BetPlaced | None:
    others = {bet.patron: bet.placed.payload for bet in coup.bets.values()}
    others.pop(placed.patron)
    return next((replace(placed, patron=who, seat=bet.seat) for who, bet in others.items()), None)


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
    FaultKind(
        name="stake-corrected-after-result",
        family="integrity",
        what="a correction halves a stake once the result was called",
        codes=("breach-corrected-away", "bet-outside-limits"),
        alters=_in_any_game(_halved),
    ),
    FaultKind(
        name="bet-corrected-to-another-patron",
        family="integrity",
        what="a correction gives a bet to another patron once the result was called",
        codes=("breach-corrected-away",),
        alters=_in_any_game(_given_to_another),
    ),
)
