"""The rulebook: every rule, in the order of reports."""

import hashlib
from typing import Final

import msgspec

from domain.audit import (
    abandoning,
    adopting,
    banking,
    betting,
    calling,
    carrying,
    choosing,
    counting,
    custody,
    drawing,
    ending,
    handling,
    handover,
    holding,
    limits,
    own_hands,
    pack_bank,
    paying,
    preparing,
    preshuffling,
    rotating,
    ruling,
    running,
    settling,
    shuffling,
    stocktaking,
    timing,
    trusting,
)
from domain.audit.rule import Rule
from domain.errors import NotFound

RULES: Final[tuple[Rule, ...]] = (
    *drawing.RULES,
    *choosing.RULES,
    *calling.RULES,
    *own_hands.RULES,
    *pack_bank.RULES,
    *paying.RULES,
    *settling.RULES,
    *counting.RULES,
    *preparing.RULES,
    *betting.RULES,
    *limits.RULES,
    *carrying.RULES,
    *handling.RULES,
    *holding.RULES,
    *banking.RULES,
    *handover.RULES,
    *ruling.RULES,
    *running.RULES,
    *ending.RULES,
    *trusting.RULES,
    *timing.RULES,
    *shuffling.RULES,
    *custody.RULES,
    *preshuffling.RULES,
    *stocktaking.RULES,
    *abandoning.RULES,
    *adopting.RULES,
    *rotating.RULES,
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
