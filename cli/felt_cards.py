"""Cards drawn in text: two upright, the third lying across, as a dealer lays them."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from rich.text import Text

from domain.cards import rank_of, suit_of
from domain.felt import FeltCard

HEIGHT: Final = 4
_SIGNS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_RED: Final = "dh"


class Paper(Struct, frozen=True):
    """What cards are printed on: styles of edges, black and red faces, backs, and marks."""

    edge: str = "dim"
    black: str = "bold"
    red: str = "bold red"
    back: str = "blue"
    mark: str = "bold yellow"


BARE: Final = Paper()
"""Cards as lines on the terminal's own ground."""


def draw_hand(cards: Sequence[FeltCard], width: int, paper: Paper = BARE) -> list[Text]:
    """Draw a hand as lines of text, at most ``width`` cells wide.

    The third card and those after it lie across, as at the table; cards that do not fit are
    counted. A back that lay turned is marked ``↻``, a card that lay face up in the shoe ``!``.
    """
    if not cards:
        # as tall as a hand with cards, so that nothing jumps when the first one comes
        return [Text(" ") for _line in range(HEIGHT)]
    drawn: list[list[Text]] = []
    room = width
    for nth, card in enumerate(cards, 1):
        block = _upright(card, paper) if nth <= 2 else _across(card, paper)  # noqa: PLR2004 - the first two
        more = len(cards) - nth
        reserve = len(f" +{more}") if more else 0
        if drawn and block[0].cell_len + 1 + reserve > room:
            drawn.append([Text(f"+{more + 1}", style="bold")])
            break
        drawn.append(block)
        room -= block[0].cell_len + 1
    # cards lie on one line: the lower ones at the bottom
    columns = [[Text(" " * b[0].cell_len)] * (HEIGHT - len(b)) + b for b in drawn]
    return [Text(" ").join(row) for row in zip(*columns, strict=True)]


def face(card: FeltCard, paper: Paper = BARE) -> tuple[str, str, str]:
    """Return rank, suit sign and style of a card that is seen."""
    assert card.card is not None
    rank = rank_of(card.card)
    shown = "0" if rank is None else "10" if rank == "T" else rank
    suit = suit_of(card.card)
    style = paper.red if suit is not None and suit in _RED else paper.black
    return shown, _SIGNS[suit] if suit is not None else " ", style


def _upright(card: FeltCard, paper: Paper) -> list[Text]:
    top, bottom = _edges(card, 3, paper)
    if card.card is None:
        back = _row("░░░", paper.back, paper)
        return [top, back, back, bottom]
    rank, sign, style = face(card, paper)
    return [top, _row(f"{rank:<3}", style, paper), _row(f"{sign:>3}", style, paper), bottom]


def _across(card: FeltCard, paper: Paper) -> list[Text]:
    top, bottom = _edges(card, 5, paper)
    if card.card is None:
        return [top, _row("░░░░░", paper.back, paper), bottom]
    rank, sign, style = face(card, paper)
    return [top, _row(f"{rank:<3}{sign:>2}", style, paper), bottom]


def _row(inside: str, style: str, paper: Paper) -> Text:
    return Text.assemble(("│", paper.edge), (inside, style), ("│", paper.edge))


def _edges(card: FeltCard, wide: int, paper: Paper) -> tuple[Text, Text]:
    """The upper and lower edge; how the card left the shoe is marked on the lower one."""
    mark = ("↻" if card.back == "turned" else "") + ("!" if card.face_up else "")
    top = Text.assemble(("╭" + "─" * wide + "╮", paper.edge))
    low = ("╰" + "─" * (wide - len(mark)), paper.edge), (mark, paper.mark), ("╯", paper.edge)
    return top, Text.assemble(*low)
