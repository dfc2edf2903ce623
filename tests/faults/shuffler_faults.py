"""Faults of the shuffling machine that nobody handles, with a pack that says how to."""

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind


def _jam(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The machine jams when bets are closed, and nobody rules on it."""
    if not isinstance(payload, ev.NoMoreBets) or "shuffler-fault" not in table.pack.rulings:
        return None
    return (ev.ShufflerFailed("SM-1", "jam", payload.coup, disadvantage=False), payload)


def _worse_off(table: SimulatedTable, due: NextAction) -> Events | None:
    """Two cards come at once. This is noted, and the coup continues as if no card had been seen."""
    rulings = table.pack.rulings.get("shuffler-fault", ())
    coup = table.shoe.current
    if due.expects != "card" or coup is None or len(coup.cards) != 2 or not rulings:
        return None
    if all(bet.wager in ("player", "banker") for bet in coup.bets.values()):
        return None  # a tie would give all bets back, as the ruling does
    failed = ev.ShufflerFailed("SM-1", "two cards at once", coup.number, disadvantage=True)
    # the house rules as it may, and does otherwise
    return (failed, ev.IrregularityNoted("shuffler-fault", rulings[0], coup.number, table.floor))


KINDS = (
    FaultKind(
        name="shuffler-jam-passed-over",
        family="procedure",
        what="the shuffler jams, and nobody rules on it",
        codes=("I307",),
        alters=_jam,
    ),
    FaultKind(
        name="shuffler-fault-dealt-through",
        family="procedure",
        what="a fault of the shuffler puts somebody at a disadvantage, and the coup is dealt on",
        codes=("I308", "I304"),
        acts=_worse_off,
    ),
)
