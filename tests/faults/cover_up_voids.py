"""Coups that are voided because of an irregularity that justifies no void."""

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind


def _voided(
    table: SimulatedTable, due: NextAction, kind: ev.Irregularity, ruling: ev.Ruling
) -> Events | None:
    coup = table.shoe.current
    if coup is None or type(due.payload) is not ev.ResultCalled:
        return None
    noted = ev.IrregularityNoted(kind, ruling, coup.number, table.floor)
    return (noted, ev.CoupVoided(coup.number, "ruled", table.floor))


def _under_cover(table: SimulatedTable, due: NextAction) -> Events | None:
    return _voided(table, due, "wrong-payment", "stand")


def _made_up(table: SimulatedTable, due: NextAction) -> Events | None:
    may = table.pack.rulings.get("wrong-draw", ("void",))
    return _voided(table, due, "wrong-draw", "void") if "void" in may else None


def _on_own_word(
    table: SimulatedTable, due: NextAction, supervisor: str | None = None
) -> Events | None:
    """The caller of the result voids the coup with a supervisor on duty."""
    noted = _voided(table, due, "misdeal", "void")
    coup, may = table.shoe.current, table.pack.rulings.get("misdeal", ("void",))
    if noted is None or coup is None or not coup.bets or "void" not in may:
        return None
    assert due.payload is not None
    return (ev.CrewChanged("supervisor", supervisor or "sue"), due.payload, *noted)


def _as_own_supervisor(table: SimulatedTable, due: NextAction) -> Events | None:
    """The dealer also takes the supervisor's post, and voids the coup after its result."""
    return _on_own_word(table, due, table.floor)


def _too_late(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The coup before is voided by a ruling made after the next one was opened."""
    may = table.pack.rulings.get("misdeal", ("void",))
    if not isinstance(payload, ev.CoupOpened) or "void" not in may:
        return None
    before = table.shoe.coups.get(payload.coup - 1)
    if before is None or before.voided is not None or not any(b.net for b in before.bets.values()):
        return None
    noted = ev.IrregularityNoted("misdeal", "void", before.number, "sue")
    return (payload, noted, ev.CoupVoided(before.number, "ruled", "sue"))


KINDS = (
    FaultKind(
        name="voided-under-cover",
        family="procedure",
        what="a coup is voided on a wrong payment that was ruled to stand",
        codes=("I305",),
        acts=_under_cover,
    ),
    FaultKind(
        name="wrong-draw-made-up",
        family="procedure",
        what="a coup is voided on a wrong draw, and every card of it was due",
        codes=("I305",),
        acts=_made_up,
    ),
    FaultKind(
        name="voided-on-own-word",
        family="procedure",
        what="a coup is voided after the result by its dealer, on what nobody else reports",
        codes=("I305",),
        acts=_on_own_word,
        games=("punto-banco",),
    ),
    FaultKind(
        name="voided-as-own-supervisor",
        family="procedure",
        what="the dealer takes the supervisor's post too, and voids a coup after the result",
        codes=("I305",),
        acts=_as_own_supervisor,
        games=("punto-banco",),
    ),
    FaultKind(
        name="voided-in-the-next-coup",
        family="procedure",
        what="a settled coup is voided once the next has been opened",
        codes=("I305", "E202"),
        of_coup=False,
        alters=_too_late,
        games=("punto-banco",),
    ),
)
