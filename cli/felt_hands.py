"""Hands on the felt, drawn: two side by side, three with the banker between, or a line each."""

from typing import Final

from rich.align import Align
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from cli.felt_cards import draw_hand
from cli.output import printable
from domain.cards import pretty
from domain.felt import FeltCoup, FeltHand, FeltOther

SIDE_STYLE: Final = {"P": "blue", "B": "red", "T": "green", "V": "yellow"}
"""The colours in which roads are kept: Player blue, Banker red, tie green."""
_SIDE_BY_SIDE: Final = 56
_THREE_BESIDE: Final = 78


class Hands:
    """Both hands, side by side where there is room."""

    def __init__(self, coup: FeltCoup) -> None:
        self.coup = coup

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw them for the width there is."""
        if any(other.wing for other in self.coup.others) and options.max_width >= _THREE_BESIDE:
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
    """One hand: its name and total, its cards, what was called."""

    def __init__(self, name: str, hand: FeltHand, style: str) -> None:
        self.name, self.hand, self.style = name, hand, style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it in the middle of the width there is."""
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
    """Both wings as the croupier sees them, the banker between: his left is on the right."""
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
    """Name a hand: a wing by its side and who plays it, a patron's own by seat and name."""
    if other.wing is not None:
        return f"{other.wing.upper()} {printable(other.patron)}".rstrip()
    return f"{other.seat} {printable(other.patron)}"


def _own_hands(coup: FeltCoup) -> RenderableType:
    """Every hand in its turn, a line each; the banker's last."""
    grid = Table.grid(padding=(0, 2))
    for _ in ("name", "cards", "total"):
        grid.add_column(no_wrap=True)
    for other in coup.others:
        grid.add_row(*_own_hand(hand_name(other), "P", other.hand))
    grid.add_row(*_own_hand("BANKER", "B", coup.banker))
    return Align.center(grid)


def _own_hand(name: str, side: str, hand: FeltHand) -> tuple[Text, Text, Text]:
    cards = " ".join("▒▒" if card.card is None else pretty(card.card) for card in hand.cards)
    said = Text()
    if hand.total is not None:
        said.append("bust" if hand.bust else str(hand.total), style="bold")
    if hand.natural:
        said.append(" natural", style="bold yellow")
    if hand.called is not None and hand.called != hand.total:
        said.append(f" called {hand.called}", style="bold yellow")
    return Text(name, style=f"bold {SIDE_STYLE[side]}"), Text(cards), said


def wing_score(banker: FeltHand, wing: FeltHand) -> str:
    """Say the totals; a natural was judged before the banker drew: it has its own alone."""
    if banker.total is None:
        return ""
    if wing.natural and len(wing.cards) < len(banker.cards):
        return f"on a natural {wing.total}"
    return f"{wing.total} to {banker.total}"
