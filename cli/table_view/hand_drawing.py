"""Drawing of cards and hands as text.

Two cards are drawn upright and the third across, as a dealer places it. Two hands are side by side,
three have the banker between; or each hand has a line.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from rich.align import Align
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from sabot.cli.output import printable
from sabot.domain.values.cards import FIRST_TWO, format_card, rank_of, suit_of
from sabot.domain.views.table_view import FeltCard, FeltCoup, FeltHand, FeltOther

HEIGHT: Final = 4
_SIGNS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_RED: Final = "dh"


class Paper(Struct, frozen=True):
    """The styles of cards: edges, black and red faces, backs, and marks."""

    edge: str = "dim"
    black: str = "bold"
    red: str = "bold red"
    back: str = "blue"
    mark: str = "bold yellow"


BARE: Final = Paper()
"""Cards drawn as lines on the terminal's own background."""


def draw_hand(cards: Sequence[FeltCard], width: int, paper: Paper = BARE) -> list[Text]:
    """Return a hand as lines of text, at most ``width`` cells wide.

    The third and later cards are drawn across, as at the table; cards that do not fit are counted.
    A turned back is marked ``↻``, a card that was face up in the shoe ``!``.
    """
    if not cards:
        # as tall as a hand with cards, so that nothing moves when the first card comes
        return [Text(" ") for _line in range(HEIGHT)]
    drawn: list[list[Text]] = []
    room = width
    for nth, card in enumerate(cards, 1):
        block = _upright(card, paper) if nth <= FIRST_TWO else _across(card, paper)
        more = len(cards) - nth
        reserve = len(f" +{more}") if more else 0
        if drawn and block[0].cell_len + 1 + reserve > room:
            drawn.append([Text(f"+{more + 1}", style="bold")])
            break
        drawn.append(block)
        room -= block[0].cell_len + 1
    # all cards share one bottom line
    columns = [[Text(" " * b[0].cell_len)] * (HEIGHT - len(b)) + b for b in drawn]
    return [Text(" ").join(row) for row in zip(*columns, strict=True)]


def face(card: FeltCard, paper: Paper = BARE) -> tuple[str, str, str]:
    """Return rank, suit sign and style of a visible card."""
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
    """Return the upper and lower edge of a card.

    Marks on the lower edge show a turned back and a card that was face up in the shoe.
    """
    mark = ("↻" if card.back == "turned" else "") + ("!" if card.face_up else "")
    top = Text.assemble(("╭" + "─" * wide + "╮", paper.edge))
    low = ("╰" + "─" * (wide - len(mark)), paper.edge), (mark, paper.mark), ("╯", paper.edge)
    return top, Text.assemble(*low)


SIDE_STYLE: Final = {"P": "blue", "B": "red", "T": "green", "V": "yellow"}
"""The colours used in roads: Player blue, Banker red, tie green."""
_SIDE_BY_SIDE: Final = 56
_THREE_BESIDE: Final = 78


class Hands:
    """Both hands, side by side if there is room."""

    def __init__(self, coup: FeltCoup) -> None:
        self.coup = coup

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the hands for the available width."""
        if any(other.tableau for other in self.coup.others) and options.max_width >= _THREE_BESIDE:
            yield _three_hands(self.coup)
            return
        if self.coup.others:
            yield _own_hands(self.coup)
            return
        player = _Hand("PLAYER", self.coup.player, SIDE_STYLE["P"])
        banker = _Hand("BANKER", self.coup.banker, SIDE_STYLE["B"])
        if options.max_width < _SIDE_BY_SIDE:
            yield player
            yield banker
            return
        grid = Table.grid(expand=True, padding=(0, 1))
        grid.add_column(ratio=1)
        grid.add_column(ratio=1)
        grid.add_row(player, banker)
        yield grid


class _Hand:
    """One hand: name, total, cards and call."""

    def __init__(self, name: str, hand: FeltHand, style: str) -> None:
        self.name, self.hand, self.style = name, hand, style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the hand in the middle of the available width."""
        hand = self.hand
        points = "" if hand.total is None else f" {hand.total} "
        head = Text.assemble((self.name, f"bold {self.style}"), " ", (points, "bold reverse"))
        if hand.natural:
            head.append(" natural", style="bold yellow")
        if hand.called is not None and hand.called != hand.total:
            head.append(f" called {hand.called}", style="bold yellow")
        yield Align.center(head)
        cards = draw_hand(hand.cards, options.max_width)
        yield Align.center(Text("\n", no_wrap=True, overflow="crop").join(cards))


def _three_hands(coup: FeltCoup) -> RenderableType:
    """Draw both tableaux with the banker between.

    The view is the croupier's, whose left is on the right.
    """
    right, left = coup.others
    grid = Table.grid(expand=True, padding=(0, 1))
    for _ in range(3):
        grid.add_column(ratio=1)
    grid.add_row(
        _Hand(hand_name(right), right.hand, SIDE_STYLE["P"]),
        _Hand("BANKER", coup.banker, SIDE_STYLE["B"]),
        _Hand(hand_name(left), left.hand, SIDE_STYLE["P"]),
    )
    return grid


def hand_name(other: FeltOther) -> str:
    """Return the name of a hand: a tableau with its player, or a patron's seat and name."""
    if other.tableau is not None:
        return f"{other.tableau.upper()} {printable(other.patron)}".rstrip()
    return f"{other.seat} {printable(other.patron)}"


def _own_hands(coup: FeltCoup) -> RenderableType:
    """Draw every hand in turn, one a line. The banker's is last."""
    grid = Table.grid(padding=(0, 2))
    for _ in ("name", "cards", "total"):
        grid.add_column(no_wrap=True)
    for other in coup.others:
        grid.add_row(*_own_hand(hand_name(other), "P", other.hand))
    grid.add_row(*_own_hand("BANKER", "B", coup.banker))
    return Align.center(grid)


def _own_hand(name: str, side: str, hand: FeltHand) -> tuple[Text, Text, Text]:
    cards = " ".join("▒▒" if card.card is None else format_card(card.card) for card in hand.cards)
    said = Text()
    if hand.total is not None:
        said.append("bust" if hand.bust else str(hand.total), style="bold")
    if hand.natural:
        said.append(" natural", style="bold yellow")
    if hand.called is not None and hand.called != hand.total:
        said.append(f" called {hand.called}", style="bold yellow")
    return Text(name, style=f"bold {SIDE_STYLE[side]}"), Text(cards), said


def tableau_score(banker: FeltHand, tableau: FeltHand) -> str:
    """Return the totals of a tableau as text.

    If a natural ended the hand before the banker drew, the totals of that moment are given.
    """
    if banker.total is None:
        return ""
    if tableau.natural and len(tableau.cards) < len(banker.cards):
        return f"on a natural {tableau.total}"
    return f"{tableau.total} to {banker.total}"
