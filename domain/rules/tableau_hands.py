"""The two tableaux of baccarat banque and their hands against the banker's.

Right and left are seen from the banker. A stake lies on one tableau, or à cheval: half on each. If
only one tableau has a natural, it is paid before the other plays on, so later cards do not change
its outcome. Sources: WIKIPEDIA_BACCARAT_BANQUE, ETHIER_LEE_2015_BACCARA_BANQUE_1,
REGOLE_DEL_GIOCO_BACCARA.
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
"""The tableaux of each wager, among which the stake is divided equally."""

Outcome = Literal["wins", "ties", "loses"]
"""The outcome of a tableau's hand against the banker's."""

CONDITIONS: Final[dict[str, Callable[[Outcome], bool | None]]] = {
    "wing-wins": lambda came: came == "wins",
    "wing-ties": lambda came: came == "ties",
}
"""Pay conditions of wagers on a tableau."""


def is_natural_hand(hand: Sequence[Card]) -> bool:
    """Return whether a hand is a natural on its first two cards."""
    return len(hand) > 1 and is_natural(total(hand[:2]))


def outcome_of(tableau: Sequence[Card], banker: Sequence[Card]) -> Outcome | None:
    """Return the outcome of a tableau's hand. Return None before both hands have two cards.

    If either hand is a natural, only the first two cards of each count.
    """
    if len(tableau) < FIRST_TWO or len(banker) < FIRST_TWO:
        return None
    if is_natural_hand(tableau) or is_natural_hand(banker):
        tableau, banker = tableau[:2], banker[:2]
    mine, his = total(tableau), total(banker)
    if mine == his:
        return "ties"
    return "wins" if mine > his else "loses"
