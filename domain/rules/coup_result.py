"""The result of a coup, with everything that a wager may depend on."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from sabot.domain.values.cards import FIRST_TWO, VALUE, Card, rank_of, suit_of
from sabot.domain.values.scalars import Outcome

_value_of: Final = VALUE.__getitem__


class Result(Struct, frozen=True, gc=False):
    """The result of a coup: final totals, numbers of cards, and pairs.

    A pair is None if the record does not determine it, because ranks or, for a perfect pair, suits
    are missing.
    """

    player: int
    banker: int
    player_cards: int
    banker_cards: int
    player_pair: bool | None = False
    banker_pair: bool | None = False
    player_perfect: bool | None = False
    banker_perfect: bool | None = False

    @property
    def outcome(self) -> Outcome:
        """The winning side: P, B, or T for a tie."""
        if self.player == self.banker:
            return "T"
        return "P" if self.player > self.banker else "B"


def result_of(player: Sequence[Card], banker: Sequence[Card]) -> Result:
    """Return the result of the cards that were dealt, whether or not they should have been."""
    player_pair, player_perfect = _pairs_of(player)
    banker_pair, banker_perfect = _pairs_of(banker)
    return Result(
        sum(map(_value_of, player)) % 10,
        sum(map(_value_of, banker)) % 10,
        len(player),
        len(banker),
        player_pair,
        banker_pair,
        player_perfect,
        banker_perfect,
    )


def is_pair(hand: Sequence[Card]) -> bool | None:
    """Return whether the first two cards have the same rank. Return None if unknown.

    A jack and a queen are not a pair, although both count ten (DICJ 56/2018).
    """
    return _pairs_of(hand)[0]


def is_perfect_pair(hand: Sequence[Card]) -> bool | None:
    """Return whether the first two cards have the same rank and suit.

    None if unknown.
    """
    return _pairs_of(hand)[1]


def _pairs_of(hand: Sequence[Card]) -> tuple[bool | None, bool | None]:
    """Return whether the first two cards are a pair, and whether they are a perfect one."""
    return _pairs(hand[0], hand[1]) if len(hand) >= FIRST_TWO else (False, False)


@cache
def _pairs(first: Card, second: Card) -> tuple[bool | None, bool | None]:
    if VALUE[first] != VALUE[second]:
        return False, False
    known = rank_of(first) is not None and rank_of(second) is not None
    pair = first[0] == second[0] if known else None
    if pair is False:
        return False, False
    suits = suit_of(first), suit_of(second)
    return pair, None if None in suits else pair and suits[0] == suits[1]
