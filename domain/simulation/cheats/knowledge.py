"""The channels through which a simulated cheat knows hidden cards.

A channel is the only way in which a habit learns about a card still in the shoe. It limits the
information and its accuracy. Everything else that a cheat sees is what honest patrons see too.

Source: the public cases that docs/protection.md lists.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import ClassVar, Final, Protocol

from msgspec import Struct

from sabot.domain.procedure.common import hand_due
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.rules.wagers import WAGER_ON
from sabot.domain.values.cards import VALUE, Card

SORTED: Final = frozenset((6, 7, 8, 9))
"""The optimal class of the first card: Player if inside, else Banker."""
COUP_CARDS: Final = 6
_FOUR: Final = 4
_SHARES: Final = (4 / 13, *(1 / 13 for _ in range(9)))
"""Shares of cards that count 0 to 9 in full decks."""


class Ahead(Struct, frozen=True):
    """The cards that a simulation can show to a channel.

    They are the next cards of the shoe and the coup's own cards. ``place`` is the place in the shoe
    of the first of ``cards``, from 1. ``player`` and ``banker`` are the coup's cards so far, face
    down or up. ``known`` are the first and last place of the cards in known order; 0 and 0 if there
    are none.
    """

    cards: Sequence[Card]
    place: int = 1
    player: Sequence[Card] = ()
    banker: Sequence[Card] = ()
    known: tuple[int, int] = (0, 0)


class Channel(Protocol):
    """A source of information about coming cards."""

    @property
    def looks(self) -> int:
        """The number of coming cards that the channel can read."""
        ...

    def read(self, ahead: Ahead, rng: random.Random) -> object:
        """Return what the cheat believes, or None without information."""
        ...


class FirstCard(Struct, frozen=True):
    """A channel that reveals whether the next card's value is in a class.

    The answer is right with probability ``accuracy``.
    """

    values: frozenset[int] = SORTED
    accuracy: float = 1.0

    looks: ClassVar[int] = 1

    def read(self, ahead: Ahead, rng: random.Random) -> bool | None:
        """Return the belief about the class. None if no card is left."""
        if not ahead.cards:
            return None
        truth = VALUE[ahead.cards[0]] in self.values
        return truth if rng.random() < self.accuracy else not truth


class FirstFour(Struct, frozen=True):
    """A channel that reveals the class of each of the first four cards.

    The four cards are dealt before the bets close. Each class is right with probability
    ``accuracy``. The result is the side, Player or Banker, on which a bet is worth more given these
    classes.
    """

    values: frozenset[int] = SORTED
    accuracy: float = 1.0

    looks: ClassVar[int] = 0

    def read(self, ahead: Ahead, rng: random.Random) -> str | None:
        """Return the side on which a bet is worth more, by the classes that the cheat sees.

        None unless exactly four cards were dealt.
        """
        if len(ahead.player) + len(ahead.banker) != _FOUR:
            return None
        seen = tuple(self._sees(card, rng) for card in (*ahead.player, *ahead.banker))
        return "player" if worth_more(self.values)[seen] > 0 else "banker"

    def _sees(self, card: Card, rng: random.Random) -> bool:
        truth = VALUE[card] in self.values
        return truth if rng.random() < self.accuracy else not truth


@lru_cache(maxsize=16)
def worth_more(values: frozenset[int]) -> dict[tuple[bool, ...], float]:
    """Return how much more a bet on Player is worth than one on Banker, given four classes.

    The classes are those of Player's two cards and Banker's two cards. The value is computed with
    replacement, which changes the values in the third decimal and no side for the class 6 to 9.
    """
    found: dict[tuple[bool, ...], float] = defaultdict(float)
    after = {
        totals: _worth_more_after(*totals) for totals in product(range(len(_SHARES)), repeat=2)
    }
    for cards in product(range(len(_SHARES)), repeat=_FOUR):
        a, b, c, d = cards
        weight = _SHARES[a] * _SHARES[b] * _SHARES[c] * _SHARES[d]
        totals = (a + b) % 10, (c + d) % 10
        found[tuple(card in values for card in cards)] += weight * after[totals]
    return found


def _worth_more_after(player: int, banker: int) -> float:
    """Return how much more Player is worth than Banker after two cards each."""
    if not player_draws(player, banker):
        return _banker_plays(player, player, banker, None)
    return sum(
        share * _banker_plays((player + third) % 10, player, banker, third)
        for third, share in enumerate(_SHARES)
    )


def _banker_plays(final: int, player: int, banker: int, third: int | None) -> float:
    drawn = enumerate(_SHARES) if banker_draws(player, banker, third) else ((0, 1.0),)
    return sum(share * _paid(final, (banker + card) % 10) for card, share in drawn)


def _paid(player: int, banker: int) -> float:
    """Return the net win per unit on Player less that on Banker."""
    return 2.0 if player > banker else -1.95 if banker > player else 0.0


class Outcome(Struct, frozen=True):
    """A channel that reveals the outcome of the coup if the order of the cards is known.

    With ``everywhere``, the order is known in the whole shoe, as with signals by a dealer or an
    image of the shoe. The answer is right with probability ``accuracy``, else one of the other two
    outcomes.
    """

    accuracy: float = 1.0
    everywhere: bool = False

    looks: ClassVar[int] = COUP_CARDS

    def read(self, ahead: Ahead, rng: random.Random) -> str | None:
        """Return the wager believed to win."""
        ends = _ending(ahead)
        if ends is None:
            return None
        outcome, used = ends
        first, last = ahead.known
        if not self.everywhere and not (first <= ahead.place and ahead.place + used - 1 <= last):
            return None
        if rng.random() >= self.accuracy:
            return rng.choice([wager for wager in WAGER_ON.values() if wager != outcome])
        return outcome


def _ending(ahead: Ahead) -> tuple[str, int] | None:
    """Return the winning wager of the coup dealt to its end, and the number of further cards."""
    player, banker = list(ahead.player), list(ahead.banker)
    for used in range(len(ahead.cards) + 1):
        hand = hand_due(player, banker)
        if hand is None:
            return WAGER_ON[result_of(player, banker).outcome], used
        if used < len(ahead.cards):
            (player if hand == "player" else banker).append(ahead.cards[used])
    return None
