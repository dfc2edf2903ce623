"""Drawings as SVG, without script, style or links."""

from markupsafe import Markup, escape

from sabot.infrastructure.exports.html_page import Show
from sabot.infrastructure.exports.reports.drawing import (
    HEX,
    Box,
    Drawing,
    Path,
    Shape,
    Stroke,
    Words,
)


def svg(drawing: Drawing, show: Show) -> Markup:
    """Return a drawing as SVG."""
    size = f"0 0 {drawing.width:g} {drawing.height:g}"
    title = escape(show(drawing.title))
    shapes = "".join(_shape(shape, show) for shape in drawing.shapes)
    text = (
        f'<svg viewBox="{size}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{title}</title>{shapes}</svg>"
    )
    return Markup(text)  # noqa: S704 - made here, texts are escaped


def _shape(shape: Shape, show: Show) -> str:
    match shape:
        case Box(x=x, y=y, width=width, height=height, fill=fill, line=line, radius=radius):
            paint = f'fill="{HEX[fill] if fill else "none"}"'
            paint += f' stroke="{HEX[line]}" stroke-width="0.6"' if line else ""
            return (
                f'<rect {paint} x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                f'height="{height:.1f}" rx="{radius:g}"/>'
            )
        case Stroke(x1=x1, y1=y1, x2=x2, y2=y2, colour=colour, width=width):
            return (
                f'<line stroke="{HEX[colour]}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" '
                f'y2="{y2:.1f}" stroke-width="{width:g}"/>'
            )
        case Path(points=points, colour=colour, width=width):
            places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            return (
                f'<polyline fill="none" stroke="{HEX[colour]}" stroke-width="{width:g}" '
                f'points="{places}"/>'
            )
        case Words():
            bold = ' font-weight="600"' if shape.bold else ""
            return (
                f'<text fill="{HEX[shape.colour]}"{bold} x="{shape.x:.1f}" y="{shape.y:.1f}" '
                f'font-size="{shape.size:g}" text-anchor="{shape.anchor}">'
                f"{escape(show(_cut(shape)))}</text>"
            )


_GLYPH = 0.56
"""The width of a character as a share of its size, on average."""


def _cut(words: Words) -> str:
    """Return the text, cut with an ellipsis if it is too long."""
    if words.width is None:
        return words.text
    most = int(words.width / (words.size * _GLYPH))
    return words.text if len(words.text) <= most else words.text[: max(1, most - 1)] + "…"
