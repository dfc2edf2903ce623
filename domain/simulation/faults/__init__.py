"""Faults: what can go wrong at a table, made to go wrong on purpose.

Used to show what the audit finds, and to test that it does: each kind names the audit's family
and rules under which it is to be found, and a fault that happened knows its coup.
"""

from typing import Final

from domain.errors import NotFound
from domain.simulation.faults import (
    any_bank,
    bank_steps,
    banking,
    bending,
    betting,
    calling,
    choosing,
    conduct,
    counting,
    covering,
    devices,
    drawing,
    ending,
    misbetting,
    misdealing,
    mispaying,
    misreading,
    own_hands,
    paying,
    procedures,
    running,
    shuffling,
    taken_up,
    wing_banks,
    wings,
)
from domain.simulation.faults.base import Fault, FaultKind

FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for kind in (
        *drawing.KINDS,
        *calling.KINDS,
        *paying.KINDS,
        *counting.KINDS,
        *procedures.KINDS,
        *covering.KINDS,
        *betting.KINDS,
        *ending.KINDS,
        *devices.KINDS,
        *misreading.KINDS,
        *misdealing.KINDS,
        *mispaying.KINDS,
        *misbetting.KINDS,
        *bending.KINDS,
        *shuffling.KINDS,
        *conduct.KINDS,
        *running.KINDS,
        *taken_up.KINDS,
    )
}
"""Every kind of fault, by name."""

OWN_HAND_FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for kind in (
        *own_hands.KINDS,
        *any_bank.ANYWHERE,
        *bank_steps.KINDS,
        *bank_steps.HANDS,
    )
}
"""What can go wrong besides where each plays a hand of his own, by name."""

BANK_FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for kind in (
        *choosing.KINDS,
        *banking.KINDS,
        *any_bank.KINDS,
        *bank_steps.KINDS,
        *bank_steps.CALLS,
    )
}
"""What can go wrong besides where a patron's bank is played for at chemin de fer, by name."""

WING_FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for kind in (
        *choosing.KINDS,
        *wings.KINDS,
        *taken_up.KINDS,
        *wing_banks.KINDS,
        *banking.LEVIES,
        *any_bank.KINDS,
        *bank_steps.KINDS,
        *bank_steps.CALLS,
        *bank_steps.HANDS,
    )
}
"""What can go wrong besides where two wings play against a banker, by name."""

__all__ = ["BANK_FAULTS", "FAULTS", "OWN_HAND_FAULTS", "WING_FAULTS", "Fault", "FaultKind", "fault"]


def fault(name: str, not_before: int = 1) -> Fault:
    """Return a fault that happens at the first chance from a coup on.

    Raises:
        NotFound: there is no such kind.
    """
    kinds = FAULTS | OWN_HAND_FAULTS | BANK_FAULTS | WING_FAULTS
    if name not in kinds:
        raise NotFound(f"there is no fault {name!r}; there are {', '.join(kinds)}")
    return Fault(kinds[name], not_before)
