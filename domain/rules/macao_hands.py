"""Hands at macao and victoria: their rules, scores and comparison.

Each punter plays a separate hand against the banker's. A hand starts with one card (macao) or two
(victoria). Tens and face cards count zero, and a hand may draw repeatedly. Source:
WIKIPEDIA_BACCARAT_MACAO. A key of the rule pack covers each point that the source leaves open.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from sabot.domain.rules.coup_result import is_pair
from sabot.domain.values.cards import FIRST_TWO, VALUE, Card
from sabot.domain.values.scalars import Amount

MOST_POINTS: Final = 9


class MacaoRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The section ``[macao]`` of a rule pack. The pay lines decide what equal hands pay."""

    dealt: Annotated[Literal[1, 2], Meta(description="cards dealt to each hand at first")]
    over_nine: Annotated[
        Literal["bust", "modulo-ten"],
        Meta(description="a total over nine is `bust`, or counted `modulo-ten`"),
    ]
    most_cards: Annotated[
        Annotated[int, Meta(ge=1, le=52)] | None,
        Meta(
            description="the largest number of cards in a hand. Without the key, any number is "
            "allowed"
        ),
    ] = None
    reject: Annotated[
        bool, Meta(description="whether a drawn ten or face may be rejected for another card")
    ] = True
    fewer_cards_win: Annotated[
        bool,
        Meta(
            description="whether the hand with fewer cards wins if the totals are equal. Hands "
            "that are still equal are settled by the wager's lines"
        ),
    ] = True
    reserve: Annotated[
        int,
        Meta(
            ge=2,
            le=52,
            description="the number of cards that must be left for each hand, or no further coup "
            "is dealt",
        ),
    ] = 3
    bank_least: Annotated[Amount, Meta(description="the smallest bank, in minor units")] = 0


class Score(Struct, frozen=True, gc=False):
    """The score of a hand.

    ``total`` exceeds nine only if that is a ``bust``. A ``natural`` is 8 or 9 on the first cards. A
    ``pair`` is a hand of two cards of the same rank; None if the ranks are not recorded.
    """

    total: int
    cards: int
    natural: bool
    pair: bool | None
    bust: bool


def score_of(rules: MacaoRules, cards: Sequence[Card]) -> Score:
    """Return the score of a hand. Whether its cards were drawn rightly does not matter."""
    whole = sum([VALUE[card] for card in cards])
    bust = rules.over_nine == "bust" and whole > MOST_POINTS
    total = whole if rules.over_nine == "bust" else whole % 10
    natural = len(cards) == rules.dealt and total in (8, 9)
    pair = is_pair(cards) if len(cards) == FIRST_TWO else False
    return Score(total, len(cards), natural, pair, bust)


class Showdown(Struct, frozen=True, gc=False):
    """A punter's hand compared with the banker's, and which of them is better."""

    punter: Score
    banker: Score
    better: Literal["punter", "banker", "neither"]


def compare_hands(rules: MacaoRules, punter: Score, banker: Score) -> Showdown:
    """Compare a punter's hand with the banker's.

    A bust hand loses, and a bust punter loses even if the banker is bust too. Otherwise the higher
    total wins. Of equal totals, the hand with fewer cards wins if the pack says so.
    """
    if punter.bust or banker.bust:
        return Showdown(punter, banker, "banker" if punter.bust else "punter")
    mine, his = punter.total, banker.total
    if mine == his and rules.fewer_cards_win:
        mine, his = banker.cards, punter.cards
    if mine == his:
        return Showdown(punter, banker, "neither")
    return Showdown(punter, banker, "punter" if mine > his else "banker")


def _wins(shown: Showdown) -> bool:
    return shown.better == "punter"


def _wins_with_pair(shown: Showdown) -> bool | None:
    return shown.punter.pair if _wins(shown) else False


def _wins_on_natural(total: int) -> Callable[[Showdown], bool]:
    return lambda shown: _wins(shown) and shown.punter.natural and shown.punter.total == total


CONDITIONS: Final[dict[str, Callable[[Showdown], bool | None]]] = {
    "hand-wins": _wins,
    "hand-wins-with-pair": _wins_with_pair,
    "hand-wins-on-natural-9": _wins_on_natural(9),
    "hand-wins-on-natural-8": _wins_on_natural(8),
    "hand-ties": lambda shown: shown.better == "neither",
}
"""Pay conditions of wagers on separate hands. None if the record does not decide."""
