"""Who may choose what: every position in which a third card can be drawn.

A position is what the one who chooses can see. Player decides by his own two cards (or their
total); Banker by his own two cards (or their total) and by Player's third card, which lies
face up. A natural on either side ends the coup before anybody chooses.

Source: WIKIPEDIA_CHEMIN_DE_FER and DJ_MCADAM (Player draws on 0 to 4, is free on 5, stands on 6
and 7; Banker is free, or bound by the house tableau where the rule pack says so); for the
positions as a game, Ethier and Gámez 2013, "A game-theoretic analysis of baccara chemin de fer".
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.rules.third_card_table import BANKER_TABLE, NATURAL, PLAYER_TABLE
from sabot.domain.values.cards import FIRST_TWO, VALUE, Card
from sabot.domain.values.errors import BadInput
from sabot.domain.values.scalars import Hand

Choice = Literal["draw", "stand"]
"""What is done about a third card."""

Sight = Literal["total", "cards"]
"""What one goes by of one's own two cards."""

TOTALS: Final = range(8)
"""The two-card totals on which there is something to choose or to obey; 8 and 9 are naturals."""

THIRDS: Final[tuple[int | None, ...]] = (None, *range(10))
"""Player's third card by its point value; None where he stood."""

_MEANING: Final[dict[str, tuple[Choice, ...]]] = {
    "D": ("draw",),
    "S": ("stand",),
    "*": ("draw", "stand"),
}


class Position(Struct, frozen=True, order=True, gc=False):
    """What the one who chooses can see.

    ``cards`` are the point values of his own two cards, low first; None where only their
    ``total`` is known. ``third`` is the value of Player's third card: None where he stood, and
    always None in a position of Player's.
    """

    side: Hand
    total: int
    cards: tuple[int, int] | None = None
    third: int | None = None

    @property
    def hand(self) -> str:
        """The hand as people write it: its cards (``2+3``), or its total alone (``5``)."""
        return str(self.total) if self.cards is None else f"{self.cards[0]}+{self.cards[1]}"


class DrawingTable(Struct, frozen=True):
    """What the rules leave open: ``D`` must draw, ``S`` must stand, ``*`` is free.

    ``player`` has a sign per Player's two-card total, 0 to 7. ``banker`` has a row per Banker's
    total, 0 to 7, each with a sign per third card of Player's: none, then 0 to 9; the same
    shape as ``sabot.domain.rules.third_card_table``.
    """

    name: str
    player: str
    banker: tuple[str, ...]

    def __post_init__(self) -> None:
        """Hold the rows to their shape.

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
        """Return what may be chosen: two choices where it is free, one where it is not.

        Raises:
            BadInput: nobody decides anything there: a natural, or no such card or total.
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
        """Tell whether there is anything to choose; where not, what is due is mandatory."""
        return len(self.choices(position)) > 1


CHEMIN_DE_FER: Final = DrawingTable(
    name="chemin de fer",
    #      01234567
    player="DDDDD*SS",
    banker=("*" * len(THIRDS),) * len(TOTALS),
)
"""Player free on 5, Banker free in every position."""

HOUSE_TABLEAU: Final = DrawingTable(
    name="chemin de fer, Banker bound by the tableau",
    player="DDDDD*SS",
    banker=BANKER_TABLE,
)
"""Player free on 5, Banker bound by the tableau of punto banco."""

PUNTO_BANCO: Final = DrawingTable(
    name="punto banco", player=PLAYER_TABLE[: len(TOTALS)], banker=BANKER_TABLE
)
"""Nobody chooses anything."""


def two_cards() -> Iterator[tuple[int, int]]:
    """Every two-card hand by its values, low first, on which the coup goes on."""
    for low in range(10):
        for high in range(low, 10):
            if (low + high) % 10 not in NATURAL:
                yield low, high


def position_of(
    side: Hand, cards: Sequence[Card], third: Card | None = None, sees: Sight = "cards"
) -> Position:
    """Return where a hand of the felt is once its two cards are dealt.

    Args:
        side: whose hand it is.
        cards: its first two cards.
        third: Player's third card, for Banker's position; None where Player stood.
        sees: whether the position tells its cards or their total alone.

    Raises:
        BadInput: there are not two cards, or Player is said to have chosen by a third.
    """
    if len(cards) != FIRST_TWO:
        raise BadInput(f"a choice is made on two cards, not {len(cards)}; give the first two")
    if side == "player" and third is not None:
        raise BadInput("Player chooses before any third card is drawn; give none")
    low, high = sorted(VALUE[card] for card in cards)
    own = (low, high) if sees == "cards" else None
    return Position(side, (low + high) % 10, own, None if third is None else VALUE[third])
