"""The two tableaux of baccarat banque, and how each one's hand is held against the banker's.

The right and the left are the banker's own. A stake lies on one tableau, or à cheval: half of it on
each. A tableau that alone has a natural is paid before the other is played on, so that no card
drawn later changes what it came to. Sources: WIKIPEDIA_BANQUE, ETHIER_LEE_2015, REGOLE_DEL_GIOCO.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal

from sabot.domain.rules.third_card_table import is_natural
from sabot.domain.values.cards import FIRST_TWO, Card, total

Tableau = Literal["right", "left"]
TABLEAUX: Final[tuple[Tableau, Tableau]] = ("right", "left")

A_CHEVAL: Final = "cheval"
PARTS: Final[dict[str, tuple[Tableau, ...]]] = {
    "right": ("right",),
    "left": ("left",),
    A_CHEVAL: TABLEAUX,
}
"""The tableaux that a stake on each wager lies on, in equal parts."""

Outcome = Literal["wins", "ties", "loses"]
"""What became of a tableau's hand against the banker's."""

CONDITIONS: Final[dict[str, Callable[[Outcome], bool | None]]] = {
    "wing-wins": lambda came: came == "wins",
    "wing-ties": lambda came: came == "ties",
}
"""What a line of a wager on a tableau can be paid for."""


def is_natural_hand(hand: Sequence[Card]) -> bool:
    """Tell whether a hand is a natural on its first two cards."""
    return len(hand) > 1 and is_natural(total(hand[:2]))


def outcome_of(tableau: Sequence[Card], banker: Sequence[Card]) -> Outcome | None:
    """Return what became of a tableau's hand; None before both have two cards.

    Where either is a natural, the first two cards of each decide.
    """
    if len(tableau) < FIRST_TWO or len(banker) < FIRST_TWO:
        return None
    if is_natural_hand(tableau) or is_natural_hand(banker):
        tableau, banker = tableau[:2], banker[:2]
    mine, his = total(tableau), total(banker)
    if mine == his:
        return "ties"
    return "wins" if mine > his else "loses"
