"""Handle coups of a patron at two tables at once.

Coups are processed in the order in which they end, and the length of a coup depends on its cards.
Suppose that a later coup were tested with what the earlier one taught. Then the cards would decide
which of the two coups is the later one, and the test would be biased. So each coup is tested with
the state from the time when its patrons entered it. That state is copied only if another coup
updates it in the meantime.
"""

from collections.abc import Iterable
from typing import TypeVar

from msgspec import Struct, msgpack

from sabot.domain.protection.detection.subjects import Held, Protection
from sabot.domain.protection.e_process.late_bets import LateBets
from sabot.domain.protection.e_process.test_martingale import start_bettor
from sabot.domain.protection.money.edge_interval import start_edge

Known = TypeVar("Known", bound=Struct)


def enter_coup(state: Protection, shoe: str, patrons: Iterable[str]) -> None:
    """Record that patrons take part in the current coup of a shoe."""
    if shoe not in state.held:
        state.held[shoe] = Held(named=frozenset(state.named))
    held = state.held[shoe]
    for patron in patrons:
        if patron not in held.present:
            held.present[patron] = None
            state.playing.setdefault(patron, []).append(shoe)


def leave_coup(state: Protection, shoe: str) -> None:
    """Delete the data kept for a coup that has ended."""
    held = state.held.pop(shoe, None)
    for patron in held.present if held is not None else ():
        elsewhere = [name for name in state.playing[patron] if name != shoe]
        if elsewhere:
            state.playing[patron] = elsewhere
        else:
            del state.playing[patron]


def hold_back(state: Protection, shoe: str, patrons: Iterable[str]) -> None:
    """Copy the state of patrons for coups at other tables.

    Called before a coup of this shoe updates their state.
    """
    taught = list(patrons)
    for patron in taught:
        for other in _elsewhere(state, shoe, patron):
            held = state.held[other]
            if patron not in held.patrons:
                bettor = state.patrons.get(patron)
                held.patrons[patron] = copy_of(bettor or start_bettor(float, patron))
                held.late[patron] = copy_of(state.late.get(patron) or LateBets())
                held.edges[patron] = copy_of(state.edges.get(patron) or start_edge())
    for name, group in state.groups.items():
        members = state.plan.groups[name]
        if not any(patron in taught for patron in members):
            continue
        for other in {table for one in members for table in _elsewhere(state, shoe, one)}:
            if name not in state.held[other].groups:
                state.held[other].groups[name] = copy_of(group)


def _elsewhere(state: Protection, shoe: str, patron: str) -> list[str]:
    return [name for name in state.playing.get(patron, ()) if name != shoe]


def copy_of(state: Known) -> Known:
    """Return a copy that shares nothing with the state.

    The round trip through MessagePack is that of a stored state, in a tenth of a deep copy's time.
    """
    return msgpack.decode(msgpack.encode(state), type=type(state))
