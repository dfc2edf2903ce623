"""Faults: errors of dealing that tests and benchmarks make happen on purpose.

They show what the audit finds. Each kind names the family of rules and the rules that must report
it, and a fault that happened knows its coup.
"""

from typing import Final

from sabot.domain.values.errors import NotFound
from tests.faults import (
    any_bank,
    attendance_faults,
    bank_faults,
    bank_steps,
    bet_errors,
    bet_faults,
    call_faults,
    card_count_faults,
    ceased_bet_faults,
    choice_faults,
    conduct_faults,
    correction_faults,
    coup_sequence_faults,
    cover_up_voids,
    dealing_errors,
    device_faults,
    draw_faults,
    end_of_shoe_faults,
    foreign_faults,
    order_faults,
    own_hand_faults,
    pack_deviations,
    payment_errors,
    payment_faults,
    procedure_faults,
    shuffler_faults,
    tableaux_bank_faults,
    tableaux_faults,
    third_card_errors,
)
from tests.faults.fault import Fault, FaultKind

FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for kind in (
        *draw_faults.KINDS,
        *call_faults.KINDS,
        *payment_faults.KINDS,
        *card_count_faults.KINDS,
        *procedure_faults.KINDS,
        *cover_up_voids.KINDS,
        *bet_faults.KINDS,
        *end_of_shoe_faults.KINDS,
        *device_faults.KINDS,
        *third_card_errors.KINDS,
        *dealing_errors.KINDS,
        *payment_errors.KINDS,
        *bet_errors.KINDS,
        *pack_deviations.KINDS,
        *shuffler_faults.KINDS,
        *conduct_faults.KINDS,
        *coup_sequence_faults.KINDS,
        *ceased_bet_faults.KINDS,
        *foreign_faults.KINDS,
        *attendance_faults.KINDS,
    )
}
"""Every kind of fault, by name."""

OWN_HAND_FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for kind in (
        *own_hand_faults.KINDS,
        *any_bank.ANYWHERE,
        *bank_steps.KINDS,
        bank_faults.HALF_A_BANK_TAKEN,
    )
}
"""What can go wrong besides where each plays a hand of his own, by name."""

BANK_FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for kind in (
        *choice_faults.KINDS,
        *bank_faults.KINDS,
        *any_bank.KINDS,
        *bank_steps.KINDS,
    )
}
"""What can go wrong besides where a patron's bank is played for at chemin de fer, by name."""

TABLEAU_FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for kind in (
        *choice_faults.KINDS,
        *tableaux_faults.KINDS,
        *(
            kind
            for kind in ceased_bet_faults.KINDS
            if not kind.games or "baccarat-banque" in kind.games
        ),
        *tableaux_bank_faults.KINDS,
        *bank_faults.LEVIES,
        *any_bank.KINDS,
        *bank_steps.KINDS,
    )
}
"""What can go wrong besides where two tableaux play against a banker, by name."""

ORDER_FAULTS: Final[dict[str, FaultKind]] = {kind.name: kind for kind in order_faults.KINDS}
"""Steps of a shoe that are told out of their order, by name."""

CORRECTION_FAULTS: Final[dict[str, FaultKind]] = {
    kind.name: kind for kind in correction_faults.KINDS
}
"""Corrections of the record that hide a breach, by name."""

__all__ = [
    "BANK_FAULTS",
    "CORRECTION_FAULTS",
    "FAULTS",
    "ORDER_FAULTS",
    "OWN_HAND_FAULTS",
    "TABLEAU_FAULTS",
    "Fault",
    "FaultKind",
    "fault",
]


def fault(name: str, not_before: int = 1) -> Fault:
    """Return a fault that happens at the first occasion from a coup on.

    Raises:
        NotFound: there is no such kind.
    """
    kinds = FAULTS | OWN_HAND_FAULTS | BANK_FAULTS | TABLEAU_FAULTS
    if name not in kinds:
        raise NotFound(f"there is no fault {name!r}; there are {', '.join(kinds)}")
    return Fault(kinds[name], not_before)
