"""The rulebook: every rule, in the order of reports."""

import hashlib
from typing import Final

import msgspec

from domain.audit import (
    abandoning,
    accepting,
    adopting,
    announcing,
    approving,
    asking,
    at_tables,
    bank_moves,
    banking,
    betting,
    broken_banks,
    burning,
    calling,
    carrying,
    charging,
    choosing,
    counting,
    custody,
    cutting,
    drawing,
    ending,
    false_drawing,
    free_hands,
    going_on,
    handling,
    handover,
    holding,
    issuing,
    left_out,
    left_unsettled,
    levying,
    limited_banks,
    limits,
    own_hand_turns,
    own_hands,
    pack_bank,
    passing_over,
    paying,
    paying_order,
    pinning,
    playing_out,
    preparing,
    preshuffling,
    putting_back,
    reassigning,
    relieving,
    reshuffling,
    returning,
    rotating,
    ruling,
    running,
    sealing,
    seating,
    sessions,
    settling,
    shuffling,
    staking,
    stocktaking,
    taking_off,
    timing,
    trusting,
    turning,
    voiding,
    wing_bank,
    wing_stakes,
    wings,
)
from domain.audit.rule import Rule
from domain.errors import NotFound

RULES: Final[tuple[Rule, ...]] = (
    *drawing.RULES,
    *choosing.RULES,
    *asking.RULES,
    *calling.RULES,
    *turning.RULES,
    *own_hands.RULES,
    *own_hand_turns.RULES,
    *pack_bank.RULES,
    *wings.RULES,
    *wing_stakes.RULES,
    *wing_bank.RULES,
    *accepting.RULES,
    *broken_banks.RULES,
    *limited_banks.RULES,
    *paying.RULES,
    *left_unsettled.RULES,
    *charging.RULES,
    *settling.RULES,
    *paying_order.RULES,
    *counting.RULES,
    *preparing.RULES,
    *cutting.RULES,
    *reshuffling.RULES,
    *relieving.RULES,
    *burning.RULES,
    *betting.RULES,
    *limits.RULES,
    *staking.RULES,
    *free_hands.RULES,
    *seating.RULES,
    *carrying.RULES,
    *handling.RULES,
    *holding.RULES,
    *false_drawing.RULES,
    *banking.RULES,
    *bank_moves.RULES,
    *left_out.RULES,
    *returning.RULES,
    *levying.RULES,
    *handover.RULES,
    *passing_over.RULES,
    *ruling.RULES,
    *taking_off.RULES,
    *voiding.RULES,
    *playing_out.RULES,
    *reassigning.RULES,
    *running.RULES,
    *ending.RULES,
    *announcing.RULES,
    *trusting.RULES,
    *pinning.RULES,
    *timing.RULES,
    *shuffling.RULES,
    *custody.RULES,
    *sealing.RULES,
    *issuing.RULES,
    *preshuffling.RULES,
    *stocktaking.RULES,
    *putting_back.RULES,
    *abandoning.RULES,
    *adopting.RULES,
    *approving.RULES,
    *rotating.RULES,
    *going_on.RULES,
    *sessions.RULES,
    *at_tables.RULES,
)

SHOE_RULES: Final = tuple(each for each in RULES if not each.of_the_floor)
"""The rules that a shoe is judged by alone."""

FLOOR_RULES: Final = tuple(each for each in RULES if each.of_the_floor)
"""The rules that look beyond one shoe: at batches of cards, at tables, at the whole floor."""


def rule(code: str) -> Rule:
    """Return the rule of that code.

    Raises:
        NotFound: no rule has that code.
    """
    for candidate in RULES:
        if candidate.code == code:
            return candidate
    raise NotFound(f"there is no rule {code!r}; `sabot rules` lists them")


def rulebook_sha256() -> str:
    """Return the hash by which the rulebook is known: SHA-256, in hex, of what its rules say.

    Code, family, severity, reason and sources of every rule, as canonical JSON in their order.
    """
    said = [[each.code, each.family, each.severity, each.why, each.cites] for each in RULES]
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()
