"""A subject's evidence coup by coup, as an SVG chart without script."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from markupsafe import Markup, escape

from sabot.domain.protection.reporting.case_file import Case, Step
from sabot.infrastructure.exports.html_page import Show

_MOST_LINES: Final = 8
"""Grid lines of a chart."""

WIDTH: Final = 960
HEIGHT: Final = 300
LEFT: Final = 56
RIGHT: Final = 14
TOP: Final = 16
BOTTOM: Final = 40
POINTS: Final = 1200
"""Maximum number of points of a line; with more coups the extremes are kept."""
_LABELS: Final = 12


def evidence_chart(case: Case, show: Show) -> Markup:
    """Draw a case's evidence.

    The chart has the line, the alarm level, the shoes and the first alarm.
    """
    if not case.steps:
        return Markup("")
    return Markup(_svg(_Frame(case), show))  # noqa: S704 - made here, names are escaped


class _Frame:
    """Maps coups and evidence to coordinates of the chart."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.needed = -math.log10(case.alpha)
        values = [0.0, self.needed, *(step.log10_e for step in case.steps)]
        self.least, self.most = min(values), max(values)
        room = 0.06 * (self.most - self.least)
        self.least, self.most = self.least - room, self.most + room

    def x(self, place: float) -> float:
        """Return the x coordinate of a coup by place. Place 0 is before the first."""
        return LEFT + (WIDTH - LEFT - RIGHT) * place / len(self.case.steps)

    def y(self, log10_e: float) -> float:
        """Return the y coordinate of evidence. More evidence is higher up."""
        share = (log10_e - self.least) / (self.most - self.least)
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def _svg(frame: _Frame, show: Show) -> str:
    steps = frame.case.steps
    line = " ".join(f"{frame.x(place):.1f},{frame.y(value):.1f}" for place, value in thinned(steps))
    title = f"Evidence over {len(steps)} coups, now 10^{steps[-1].log10_e:.1f}"
    last = f"coup {len(steps)}"
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{title}</title>",
        *_powers(frame),
        *_shoes(frame, show),
        _level(frame),
        f'<polyline class="line" points="{line}"/>',
        *_alarm(frame),
        f'<text class="axis" x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">{last}</text>',
        "</svg>",
    ]
    return "".join(parts)


def thinned(steps: Sequence[Step]) -> list[tuple[int, float]]:
    """Return fewer points of the line, beginning with 0.

    For each stretch of coups the minimum and the maximum are kept.
    """
    points = [(0, 0.0), *((place, step.log10_e) for place, step in enumerate(steps, 1))]
    if len(points) <= POINTS:
        return points
    size = math.ceil(2 * len(points) / POINTS)
    selected = {points[0], points[-1]}
    for start in range(0, len(points), size):
        stretch = points[start : start + size]
        selected |= {min(stretch, key=_value), max(stretch, key=_value)}
    return sorted(selected)


def _value(point: tuple[int, float]) -> float:
    return point[1]


def _powers(frame: _Frame) -> list[str]:
    """Draw grid lines at powers of ten."""
    span = frame.most - frame.least
    step = max(1, 10 ** math.floor(math.log10(span / 3)))
    step *= next(many for many in (1, 2, 5, 10) if span / (step * many) <= _MOST_LINES)
    first = math.ceil(frame.least / step)
    found = []
    for power in (step * many for many in range(first, math.floor(frame.most / step) + 1)):
        y = frame.y(power)
        found.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="axis" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
            f'10<tspan dy="-5" class="power">{power}</tspan></text>'
        )
    return found


def _shoes(frame: _Frame, show: Show) -> list[str]:
    """Draw the beginning of each shoe. Names are shown if there are few."""
    steps = frame.case.steps
    starts = [0, *(n for n, (one, two) in enumerate(pairwise(steps), 1) if one.shoe != two.shoe)]
    found = []
    for place in starts:
        x = frame.x(place)
        found.append(
            f'<line class="shoe" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        )
        if len(starts) <= _LABELS:
            name = escape(show(steps[place].shoe))
            found.append(
                f'<text class="axis" x="{x + 4:.1f}" y="{HEIGHT - BOTTOM + 16}">{name}</text>'
            )
    return found


def _level(frame: _Frame) -> str:
    y = frame.y(frame.needed)
    return (
        f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text class="level-name" x="{LEFT + 6}" y="{y - 5:.1f}">1/alpha = '
        f"{1 / frame.case.alpha:g}</text>"
    )


def _alarm(frame: _Frame) -> list[str]:
    case = frame.case
    if case.alarm is None:
        return []
    place = case.steps.index(case.alarm) + 1
    x, y = frame.x(place), frame.y(case.alarm.log10_e)
    label = f"first alarm: coup {place} of these"
    return [
        f'<circle class="alarm" cx="{x:.1f}" cy="{y:.1f}" r="5"/>',
        f'<text class="alarm-name" x="{x + 9:.1f}" y="{y + 14:.1f}">{label}</text>',
    ]
