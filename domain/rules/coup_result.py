"""The result of a coup, with everything that a wager may depend on."""

from collections.abc import Sequence

from msgspec import Struct

from sabot.domain.values.cards import FIRST_TWO, VALUE, Card, rank_of, suit_of
from sabot.domain.values.scalars import Outcome


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
    player_pair, banker_pair = is_pair(player), is_pair(banker)
    return Result(
        sum([VALUE[card] for card in player]) % 10,
        sum([VALUE[card] for card in banker]) % 10,
        len(player),
        len(banker),
        player_pair,
        banker_pair,
        # a perfect pair is also a pair, so skip the check if there is none, as in most coups
        False if player_pair is False else is_perfect_pair(player),
        False if banker_pair is False else is_perfect_pair(banker),
    )


def is_pair(hand: Sequence[Card]) -> bool | None:
    """Return whether the first two cards have the same rank; None if unknown.

    A jack and a queen are not a pair, although both count ten (DICJ 56/2018).
    """
    if len(hand) < FIRST_TWO:
        return False
    first, second = hand[0], hand[1]
    if VALUE[first] != VALUE[second]:
        return False
    if rank_of(first) is None or rank_of(second) is None:
        return None
    return first[0] == second[0]


def is_perfect_pair(hand: Sequence[Card]) -> bool | None:
    """Return whether the first two cards have the same rank and suit.

    None if unknown.
    """
    pair = is_pair(hand)
    if pair is False:
        return False
    first, second = suit_of(hand[0]), suit_of(hand[1])
    if first is not None and second is not None:
        return pair and first == second
    return None
