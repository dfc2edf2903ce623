"""What of a shoe and of a coup the rules see where the coup was dealt and settled by the book.

A rule says with ``clean_when`` what it needs to see of these two to be sure that nobody broke it.
"""

from typing import Literal, NamedTuple

from msgspec import Struct


class CoupProfile(Struct, frozen=True, gc=False):
    """What the rules see of a coup that went by the book.

    ``kinds`` are those of its events, ``due`` those of settlement that were due to its bets;
    ``free`` tells whether it was a free hand, ``late`` whether it came after the last coup,
    ``within`` whether every bet was made on record, has a limit and keeps it, with what else its
    patron has on the wager where limits are a patron's. ``held`` tells whether the pack may
    hold bets that a tie left in the coup before, or there are none in this one.

    ``balanced`` tells whether Player and Banker bets differ by no more than the pack lets them,
    ``seated`` whether the bets name their seats, and no more patrons bet on one than the pack
    lets them; both hold where it says nothing of it. ``winners`` says whether they were paid
    plainly in their turn: empty where the pack asks none of them. ``shown`` tells whether the cards
    that are dealt face down were turned before they were called.
    """

    kinds: frozenset[type]
    due: frozenset[str]
    free: bool
    late: bool
    within: bool
    held: bool
    balanced: bool
    seated: bool
    winners: Literal["", "few", "in-turn", "closely"]
    shown: bool


class ShoeProfile(NamedTuple):
    """What of a shoe the rules see beside a coup that has a profile.

    ``named`` tells whether the record names the pack; ``ended`` and ``cut_card`` whether the shoe
    ended, and the cut card showed; ``ruled`` whether irregularities were noted of no coup by name.
    """

    pack_text: str
    named: bool
    ended: bool
    cut_card: bool
    ruled: bool


def by_the_book(_coup: CoupProfile, _shoe: ShoeProfile) -> bool:
    """Tell that no coup breaks a rule that was dealt and settled by the book."""
    return True
