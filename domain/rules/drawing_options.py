"""The positions in which a third card can be drawn, with the permitted choices.

A position is the information of the person who chooses. Player knows the two cards of the Player
hand, or only their total. Banker knows the same of the Banker hand, and sees Player's third card
face up. A natural on either side ends the coup before any choice.

Sources: WIKIPEDIA_BACCARAT_CHEMIN_DE_FER and DJ_MCADAM_BACCARAT_CHEMIN_DE_FER. Player draws on 0 to
4, chooses on 5, and stands on 6 and 7. Banker chooses, or follows the drawing rules of the house if
the rule pack says so. For the positions as a game: Ethier and Gámez 2013, "A game-theoretic
analysis of baccara chemin de fer".
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.rules.third_card_table import BANKER_TABLE, NATURAL, PLAYER_TABLE
from sabot.domain.values.cards import FIRST_TWO, VALUE, Card
from sabot.domain.values.errors import BadInput
from sabot.domain.values.scalars import Hand

Choice = Literal["draw", "stand"]
"""A decision about a third card."""

Sight = Literal["total", "cards"]
"""What a position contains of the own two cards."""

TOTALS: Final = range(8)
"""Two-card totals with a choice or a mandatory action; 8 and 9 are naturals."""

THIRDS: Final[tuple[int | None, ...]] = (None, *range(10))
"""Point values of Player's third card; None if Player stood."""

_MEANING: Final[dict[str, tuple[Choice, ...]]] = {
    "D": ("draw",),
    "S": ("stand",),
    "*": ("draw", "stand"),
}


class Position(Struct, frozen=True, order=True, gc=False):
    """The information of the person who chooses.

    ``cards`` are the point values of that person's two cards, low first; None if only their
    ``total`` is known. ``third`` is the value of Player's third card. It is None if Player stood,
    and always None in a position of Player.
    """

    side: Hand
    total: int
    cards: tuple[int, int] | None = None
    third: int | None = None

    @property
    def hand(self) -> str:
        """The hand as text: its cards (``2+3``), or only its total (``5``)."""
        return str(self.total) if self.cards is None else f"{self.cards[0]}+{self.cards[1]}"


class DrawingTable(Struct, frozen=True):
    """Drawing rules: ``D`` must draw, ``S`` must stand, ``*`` is optional.

    ``player`` has a sign for each two-card total of Player, 0 to 7. ``banker`` has a row for each
    total of Banker, 0 to 7. Each row has a sign for no third card of Player, then for third cards 0
    to 9. `sabot.domain.rules.third_card_table` has the same shape.
    """

    name: str
    player: str
    banker: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the shape of the rows.

        Raises:
            BadInput: a row is missing, too long or too short, or has another sign.
        """
        rows = ((self.player, len(TOTALS)), *((row, len(THIRDS)) for row in self.banker))
        if len(self.banker) != len(TOTALS) or any(
            len(row) != length or set(row) - set(_MEANING) for row, length in rows
        ):
            raise BadInput(
                f"the drawing rules {self.name!r} do not fit; give 8 signs for Player and "
                "8 rows of 11 for Banker, each D, S or *"
            )

    def choices(self, position: Position) -> tuple[Choice, ...]:
        """Return the permitted choices: two if optional, one if mandatory.

        Raises:
            BadInput: the position has no decision: a natural, or no such card or total.
        """
        if position.total not in TOTALS or position.third not in THIRDS:
            raise BadInput(
                f"nobody chooses on {position.total} against {position.third}; "
                "give a total of 0 to 7 and a third card of 0 to 9, or none"
            )
        if position.side == "player":
            return _MEANING[self.player[position.total]]
        return _MEANING[self.banker[position.total][THIRDS.index(position.third)]]

    def is_free(self, position: Position) -> bool:
        """Return whether the choice is optional. If not, one action is mandatory."""
        return len(self.choices(position)) > 1


CHEMIN_DE_FER: Final = DrawingTable(
    name="chemin de fer",
    #      01234567
    player="DDDDD*SS",
    banker=("*" * len(THIRDS),) * len(TOTALS),
)
"""Optional for Player on 5, and for Banker in every position."""

HOUSE_TABLEAU: Final = DrawingTable(
    name="chemin de fer, Banker bound by the tableau",
    player="DDDDD*SS",
    banker=BANKER_TABLE,
)
"""Optional for Player on 5; Banker follows the drawing rules of punto banco."""

PUNTO_BANCO: Final = DrawingTable(
    name="punto banco", player=PLAYER_TABLE[: len(TOTALS)], banker=BANKER_TABLE
)
"""No optional draws."""


def two_cards() -> Iterator[tuple[int, int]]:
    """Yield the values of every two-card hand except naturals, low card first."""
    for low in range(10):
        for high in range(low, 10):
            if (low + high) % 10 not in NATURAL:
                yield low, high


def position_of(
    side: Hand, cards: Sequence[Card], third: Card | None = None, sees: Sight = "cards"
) -> Position:
    """Return the position of a hand with two cards.

    Args:
        side: the side of the hand.
        cards: its first two cards.
        third: Player's third card, for Banker's position; None if Player stood.
        sees: whether the position contains the cards or only their total.

    Raises:
        BadInput: there are not two cards, or a third card is given for Player.
    """
    if len(cards) != FIRST_TWO:
        raise BadInput(f"a choice is made on two cards, not {len(cards)}; give the first two")
    if side == "player" and third is not None:
        raise BadInput("Player chooses before any third card is drawn; give none")
    low, high = sorted(VALUE[card] for card in cards)
    own = (low, high) if sees == "cards" else None
    return Position(side, (low + high) % 10, own, None if third is None else VALUE[third])
