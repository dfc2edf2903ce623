"""Drawings as parts of a PDF page."""

from typing import Final

from reportlab.lib.colors import Color, HexColor
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable

from sabot.infrastructure.exports.reports.drawing import HEX, Box, Drawing, Path, Stroke, Words
from sabot.infrastructure.exports.reports.pdf_fonts import Fonts

COLOURS: Final[dict[str, Color]] = {name: HexColor(code) for name, code in HEX.items()}


class Drawn(Flowable):
    """A drawing as a part of the page."""

    def __init__(self, drawing: Drawing, fonts: Fonts) -> None:
        """Take the drawing, and the fonts for its text."""
        super().__init__()
        self.drawing, self.fonts = drawing, fonts
        self.width, self.height = drawing.width, drawing.height

    def draw(self) -> None:
        """Draw the shapes. Y is turned, because it grows upward in PDF."""
        for shape in self.drawing.shapes:
            match shape:
                case Box():
                    self._box(shape)
                case Stroke():
                    self.canv.setStrokeColor(COLOURS[shape.colour])
                    self.canv.setLineWidth(shape.width)
                    top = self.height
                    self.canv.line(shape.x1, top - shape.y1, shape.x2, top - shape.y2)
                case Path():
                    self._path(shape)
                case Words():
                    write_words(self.canv, self.fonts, shape, self.height - shape.y)

    def _path(self, path: Path) -> None:
        self.canv.setStrokeColor(COLOURS[path.colour])
        self.canv.setLineWidth(path.width)
        line = self.canv.beginPath()
        (x, y), *rest = path.points
        line.moveTo(x, self.height - y)
        for x, y in rest:
            line.lineTo(x, self.height - y)
        self.canv.drawPath(line)

    def _box(self, box: Box) -> None:
        if box.fill is not None:
            self.canv.setFillColor(COLOURS[box.fill])
        if box.line is not None:
            self.canv.setStrokeColor(COLOURS[box.line])
            self.canv.setLineWidth(0.6)
        self.canv.roundRect(
            box.x,
            self.height - box.y - box.height,
            box.width,
            box.height,
            box.radius,
            stroke=int(box.line is not None),
            fill=int(box.fill is not None),
        )


def write_words(canvas: Canvas, fonts: Fonts, words: Words, y: float) -> None:
    """Write a line of text, cut to its width."""
    text = words.text
    if words.width is not None:
        text = fonts.cut(text, words.size, words.width, bold=words.bold)
    wide = fonts.width(text, words.size, bold=words.bold)
    x = words.x - {"start": 0.0, "middle": wide / 2, "end": wide}[words.anchor]
    canvas.setFillColor(COLOURS[words.colour])
    for font, part in fonts.runs(text, bold=words.bold):
        canvas.setFont(font, words.size)
        canvas.drawString(x, y, part)
        x += canvas.stringWidth(part, font, words.size)
