"""What is required of bets and of free hands, whoever asks: the dealer's side or the audit."""

from collections.abc import Iterable
from typing import Final

from sabot.domain.procedure.requirement import requirement
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    FR_55_14,
    MO_13,
    MO_PLAY,
    NSW_MINI_5,
    PA_629A_2,
    QLD_11A,
)
from sabot.domain.state.coup_state import Coup

WAGER_OFFERED: Final = requirement(
    "B204",
    "wager-not-offered",
    "A table takes the wagers of its rule pack and no others.",
    (FR_55_14, NSW_MINI_5, MO_13),
)
SEAT_EXISTS: Final = requirement(
    "B205",
    "unknown-seat",
    "A table has the seats of its rule pack and no more.",
    (FR_55_14, PA_629A_2),
)
FREE_HAND_WITHOUT_BETS: Final = requirement(
    "B206", "bet-on-free-hand", "A free hand is dealt without wagers.", (QLD_11A, MO_PLAY)
)
FREE_HANDS_LIMITED: Final = requirement(
    "B207",
    "excess-free-hands",
    "No more free hands are dealt from a shoe than the rule pack allows.",
    (MO_PLAY,),
)
FREE_HANDS_FIRST: Final = requirement(
    "B208",
    "late-free-hand",
    "Free hands are dealt at the start of a shoe, before the first coup with bets.",
    (MO_PLAY,),
)
FREE_HAND_REQUESTED: Final = requirement(
    "B209",
    "unrequested-free-hand",
    "Each free hand is one that a patron asked for, and that was granted.",
    (QLD_11A,),
)


def offers(pack: RulePack, wager: str) -> bool:
    """Tell whether a table offers a wager."""
    return pack.wager(wager) is not None


def has_seat(pack: RulePack, seat: int) -> bool:
    """Tell whether a table has a seat of that number."""
    return seat <= pack.table.seats


def within_free_hands(pack: RulePack, nth: int) -> bool:
    """Tell whether the rule pack allows so many free hands in a shoe; it may allow any number."""
    return pack.free_hands is None or nth <= pack.free_hands


def first_with_bets(coups: Iterable[Coup]) -> int | None:
    """Return the number of the first coup that was dealt with bets; None where none was."""
    return min((coup.number for coup in coups if coup.cards and not coup.free), default=None)
