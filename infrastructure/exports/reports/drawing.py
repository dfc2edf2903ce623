"""Charts and coups drawn as shapes, for HTML and PDF.

Coordinates are points; y grows downward.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from sabot.domain.rules.labels import wager_label
from sabot.domain.values.cards import FIRST_TWO, rank_of, suit_of
from sabot.domain.values.money import format_amount
from sabot.domain.views.coup_view import FeltCard, FeltCoup, FeltHand, FeltOther
from sabot.infrastructure.reports.model import Bar, Chart, Curve, Picture

Colour = Literal["ink", "quiet", "line", "felt", "band", "red", "blue", "paper"]
HEX: Final[dict[Colour, str]] = {
    "ink": "#1d2420",
    "quiet": "#667069",
    "line": "#dcd8cc",
    "felt": "#0f3d2e",
    "band": "#d9e4da",
    "red": "#a3211f",
    "blue": "#2f4b7c",
    "paper": "#ffffff",
}
"""The colours, as HTML and PDF write them."""
Anchor = Literal["start", "middle", "end"]


class Box(Struct, frozen=True):
    """A rectangle; ``line`` is the colour of its edge."""

    x: float
    y: float
    width: float
    height: float
    fill: Colour | None = None
    line: Colour | None = None
    radius: float = 0


class Stroke(Struct, frozen=True):
    """A line from one point to another."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: Colour = "line"
    width: float = 0.8


class Words(Struct, frozen=True):
    """A line of text; y is its base line. ``width`` is the largest width that it may have."""

    x: float
    y: float
    text: str
    size: float = 8
    colour: Colour = "ink"
    anchor: Anchor = "start"
    bold: bool = False
    width: float | None = None


class Path(Struct, frozen=True):
    """A line through several points."""

    points: tuple[tuple[float, float], ...]
    colour: Colour = "felt"
    width: float = 1.2


Shape: TypeAlias = Box | Stroke | Words | Path


class Drawing(Struct, frozen=True):
    """Shapes on an area of a given size. ``title`` describes what they show."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str


_ROW: Final = 16
_LABEL: Final = 120
_VALUE: Final = 95
_LEGEND: Final = 11
_LEGEND_WIDTH: Final = 115
_MIDDLE: Final = "theoretical win"
_LEGEND_OF: Final[tuple[tuple[str, Colour], ...]] = (
    ("win in its band", "felt"),
    ("win outside its band", "red"),
    ("95 % band", "band"),
    (_MIDDLE, "quiet"),
)
"""The legend of a chart of wins: names with their colours."""


def chart_drawing(chart: Chart, width: float) -> Drawing:
    """Draw the bars of a chart from a common zero, each with its band and value."""
    values = [
        number
        for bar in chart.bars
        for number in (0.0, bar.value, bar.low, bar.high)
        if number is not None
    ]
    least, most = min(values), max(values)
    span = most - least or 1.0
    left, right = _LABEL, width - _VALUE

    def x(value: float) -> float:
        return left + (right - left) * (value - least) / span

    shapes: list[Shape] = []
    for place, bar in enumerate(chart.bars):
        shapes += _bar(bar, place * _ROW, x(0.0), x(bar.value), width)
        if bar.low is not None and bar.high is not None:
            low, high = x(bar.low), x(bar.high)
            shapes.insert(0, Box(low, place * _ROW + 2, high - low, _ROW - 4, "band"))
            middle = (low + high) / 2
            shapes.append(
                Stroke(middle, place * _ROW + 1, middle, place * _ROW + _ROW - 1, "quiet", 1)
            )
    height = len(chart.bars) * _ROW
    shapes.append(Stroke(x(0.0), 0, x(0.0), height, "quiet"))
    if any(bar.low is not None for bar in chart.bars):
        shapes.append(Words(x(0.0), height + 8, "0", 7, "quiet", "middle"))
        shapes += _legend(height + 2 * _LEGEND)
        height += 2 * _LEGEND + 3
    return Drawing(width, height, tuple(shapes), chart.title)


def _legend(base: float) -> list[Shape]:
    """Return the legend of bars with bands, on a base line."""
    shapes: list[Shape] = []
    for place, (name, colour) in enumerate(_LEGEND_OF):
        left = place * _LEGEND_WIDTH
        text = Words(left + 16, base, name, 7, "quiet", width=_LEGEND_WIDTH - 20)
        if name == _MIDDLE:
            shapes.append(Stroke(left + 6, base - 7, left + 6, base + 2, colour, 1))
        else:
            shapes.append(Box(left, base - 6, 12, 6, colour))
        shapes.append(text)
    return shapes


def _bar(bar: Bar, top: float, zero: float, end: float, width: float) -> list[Shape]:
    outside = bar.low is not None and bar.high is not None and not bar.low <= bar.value <= bar.high
    return [
        Words(0, top + 11, bar.label, 7.5, width=_LABEL - 8),
        Box(min(zero, end), top + 5, abs(end - zero), _ROW - 10, "red" if outside else "felt"),
        Words(width, top + 11, bar.shown, 7.5, anchor="end", width=_VALUE - 8),
    ]


_CURVE_HEIGHT: Final = 130.0
_AXIS: Final = 34.0
_UNDER: Final = 14.0
_MOST_POINTS: Final = 600


def curve_drawing(curve: Curve, width: float) -> Drawing:
    """Draw a line over coups, with a level and the first coup at which the line reached it."""
    values = [0.0, *curve.values]
    least, most = min(0.0, *values), max(curve.level, *values)
    span = most - least or 1.0
    bottom = _CURVE_HEIGHT - _UNDER

    def x(place: float) -> float:
        return _AXIS + (width - _AXIS) * place / len(curve.values)

    def y(value: float) -> float:
        return 8 + (bottom - 8) * (most - value) / span

    shapes: list[Shape] = [
        Stroke(_AXIS, y(value), width, y(value)) for value in (least, (least + most) / 2, most)
    ]
    shapes += [
        Words(_AXIS - 5, y(value) + 2.5, f"{value:.1f}", 7, "quiet", "end")
        for value in (least, (least + most) / 2, most)
    ]
    shapes += [
        Stroke(_AXIS, y(curve.level), width, y(curve.level), "red", 0.6),
        Words(width, y(curve.level) - 2.5, curve.level_name, 7, "red", "end"),
        Path(tuple((x(place), y(values[place])) for place in _thinned(values))),
    ]
    if curve.alarm is not None:
        left, top = x(curve.alarm), y(values[curve.alarm])
        shapes.append(Box(left - 2.5, top - 2.5, 5, 5, "red"))
    last = f"coup {len(curve.values)}"
    shapes.append(Words(width, _CURVE_HEIGHT - 3, last, 7, "quiet", "end"))
    if curve.alarm is not None:
        text = f"first alarm: coup {curve.alarm} of these"
        shapes.append(Words(_AXIS, _CURVE_HEIGHT - 3, text, 7, "red"))
    return Drawing(width, _CURVE_HEIGHT, tuple(shapes), curve.title)


def _thinned(values: Sequence[float]) -> list[int]:
    """Return the places of at most 600 points: the lowest and the highest of each stretch."""
    size = max(1, -(-2 * len(values) // _MOST_POINTS))
    if size == 1:
        return list(range(len(values)))
    places = {0, len(values) - 1}
    for start in range(0, len(values), size):
        stretch = range(start, min(start + size, len(values)))
        places |= {min(stretch, key=values.__getitem__), max(stretch, key=values.__getitem__)}
    return sorted(places)


_CARD_WIDTH: Final = 19
_CARD_HEIGHT: Final = 27
_CARD_GAP: Final = 3
_HAND_TOP: Final = 13
_MOST_COLUMNS: Final = 3
_LEAST_SCALE: Final = 0.7
"""The least size of cards, before hands are put below each other."""
_SIGNS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_BETS: Final = 4
"""Bets that a picture lists."""
_LINE: Final = 10


def coup_drawing(picture: Picture, width: float) -> Drawing:
    """Draw a coup: its hands, and its first bets."""
    hands = _hands(picture.coup)
    needed = max(_cards_width(len(hand.cards)) for _name, hand in hands)
    columns = min(len(hands), _MOST_COLUMNS)
    while columns > 1 and width / columns < _LEAST_SCALE * needed:
        columns -= 1
    share = width / columns
    scale = min(1.0, (share - _CARD_GAP) / needed)
    shapes: list[Shape] = []
    bottom = 0.0
    for place, (name, hand) in enumerate(hands):
        left, top = share * (place % columns), (place // columns) * (_HAND_TOP + _CARD_HEIGHT + 6)
        shapes += _hand(name, hand, (left, top, share), scale)
        bottom = max(bottom, top + _HAND_TOP + _CARD_HEIGHT + 4)
    for text in _bets(picture):
        bottom += _LINE
        shapes.append(Words(0, bottom, text, 7, "quiet", width=width))
    return Drawing(width, bottom + 3, tuple(shapes), picture.title)


def _hands(coup: FeltCoup) -> list[tuple[str, FeltHand]]:
    if not coup.others:
        return [("Player", coup.player), ("Banker", coup.banker)]
    if any(other.tableau for other in coup.others):
        right, left = coup.others
        return [(_name(right), right.hand), ("Banker", coup.banker), (_name(left), left.hand)]
    return [*((_name(other), other.hand) for other in coup.others), ("Banker", coup.banker)]


def _name(other: FeltOther) -> str:
    return other.tableau.capitalize() if other.tableau else other.patron


def _cards_width(cards: int) -> float:
    """Return the width of a hand: two cards upright, any third card across."""
    upright = min(cards, FIRST_TWO)
    widths = upright * _CARD_WIDTH + (cards - upright) * _CARD_HEIGHT
    return widths + _CARD_GAP * max(0, cards - 1) or _CARD_WIDTH


def _hand(
    name: str, hand: FeltHand, place: tuple[float, float, float], scale: float
) -> list[Shape]:
    """Return the shapes of a hand at a left edge and a top, within a width.

    They show name, totals and every card.
    """
    left, top, width = place
    points = "" if hand.total is None else f" {hand.total}"
    called = (
        f", called {hand.called}" if hand.called is not None and hand.called != hand.total else ""
    )
    words = f"{name}{points}{called}"
    shapes: list[Shape] = [Words(left, top + 9, words, 8, bold=True, width=width - 6)]
    x, bottom = left, top + _HAND_TOP + _CARD_HEIGHT
    for nth, card in enumerate(hand.cards):
        wide, high = (_CARD_WIDTH, _CARD_HEIGHT) if nth < FIRST_TWO else (_CARD_HEIGHT, _CARD_WIDTH)
        shapes += _card(card, (x, bottom - high * scale), (wide * scale, high * scale), scale)
        x += (wide + _CARD_GAP) * scale
    return shapes


def _card(
    card: FeltCard, place: tuple[float, float], size: tuple[float, float], scale: float
) -> list[Shape]:
    (left, top), (width, height) = place, size
    shapes: list[Shape] = [Box(left, top, width, height, "paper", "quiet", 2 * scale)]
    if card.card is None:
        edge = 3 * scale
        return [*shapes, Box(left + edge, top + edge, width - 2 * edge, height - 2 * edge, "blue")]
    rank, suit = rank_of(card.card), suit_of(card.card)
    colour: Colour = "red" if suit is not None and suit in "dh" else "ink"
    shown = "0" if rank is None else "10" if rank == "T" else rank
    middle, font = left + width / 2, 9 * scale
    if width > height:
        text = shown + (_SIGNS[suit] if suit else "")
        base = top + height / 2 + 3.5 * scale
        return [*shapes, Words(middle, base, text, font, colour, "middle", bold=True)]
    shapes.append(Words(middle, top + 11 * scale, shown, font, colour, "middle", bold=True))
    if suit:
        shapes.append(Words(middle, top + 22.5 * scale, _SIGNS[suit], font, colour, "middle"))
    return shapes


def _bets(picture: Picture) -> Sequence[str]:
    def amount(minor: int) -> str:
        return format_amount(minor, picture.minor_units)

    lines = []
    for bet in picture.coup.bets[:_BETS]:
        settled = {
            "paid": f"paid {amount(bet.paid)}",
            "taken": "taken",
            "pushed": "pushed",
            "withdrawn": "withdrawn",
            "stands": "not settled",
        }[bet.state]
        lines.append(f"{bet.patron} {amount(bet.amount)} on {wager_label(bet.wager)}: {settled}")
    more = len(picture.coup.bets) - _BETS
    return [*lines, f"and {more} more {'bet' if more == 1 else 'bets'}"] if more > 0 else lines
