"""Words that sentences about several kinds of facts share."""

from collections.abc import Callable

from domain.facts import Hand

Money = Callable[[int], str]
"""Writes an amount in minor units, in the money of a pack."""


def by(person: str | None) -> str:
    """Say by whom; nothing where nobody is named."""
    return f" by {person}" if person else ""


def in_coup(coup: int | None) -> str:
    """Say in which coup; nothing where none is named."""
    return f", in coup {coup}" if coup is not None else ""


def hand_of(hand: Hand, seat: int | None) -> str:
    """Name a hand, by its seat where it is one's own."""
    return hand if seat is None else f"{hand} at seat {seat}"
