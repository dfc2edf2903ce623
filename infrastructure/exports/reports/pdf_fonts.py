"""The fonts of a PDF, and text they can show."""

from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from reportlab import rl_config
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFError, TTFont

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.exports.html_page import Show
from sabot.infrastructure.files.text_input import check_regular

_BASIC_PLANE: Final = 0xFFFF
"""The last code point that is written with four digits."""

_PLAIN: Final = ("Vera.ttf", "VeraBd.ttf")
"""Fonts that come with reportlab."""
_SUITS: Final = {"♣": "\u2663", "♦": "\u2666", "♥": "\u2665", "♠": "\u2660"}
_DINGBATS: Final = "ZapfDingbats"
"""A standard font of PDF, which has the signs of the suits."""


class Fonts:
    """A regular and a bold font. ``show`` makes text of a record safe to display."""

    def __init__(self, show: Show, font: str | None = None) -> None:
        """Load the fonts that come with reportlab, or one TrueType font from a file.

        Raises:
            BadInput: the file is not a TrueType font.
        """
        self._show = show
        names = (font, font) if font is not None else _PLAIN
        loaded = [
            _load(name, f"report-{place}-{Path(name).stem}") for place, name in enumerate(names)
        ]
        self.regular, self.bold = (each.fontName for each in loaded)
        self._known = set.intersection(*(set(each.face.charToGlyph) for each in loaded))

    def plain(self, text: str) -> str:
        """Return a text without markup, with escapes for characters that the fonts lack."""
        return "".join(
            sign if sign in _SUITS or ord(sign) in self._known else _escaped(sign)
            for sign in self._show(text)
        )

    def markup(self, text: str) -> str:
        """Return a text as the markup of a paragraph, with its special characters escaped."""
        safe = escape(self.plain(text))
        for sign in _SUITS:
            if sign in safe:
                safe = safe.replace(sign, f'<font name="{_DINGBATS}">{sign}</font>')
        return safe

    def runs(self, text: str, *, bold: bool = False) -> list[tuple[str, str]]:
        """Return the pieces of a text, each with its font."""
        name = self.bold if bold else self.regular
        found: list[tuple[str, str]] = []
        for sign in self.plain(text):
            font = _DINGBATS if sign in _SUITS else name
            if found and found[-1][0] == font:
                found[-1] = (font, found[-1][1] + sign)
            else:
                found.append((font, sign))
        return found

    def width(self, text: str, size: float, *, bold: bool = False) -> float:
        """Return the width of a text in points."""
        return sum(stringWidth(part, font, size) for font, part in self.runs(text, bold=bold))

    def cut(self, text: str, size: float, width: float, *, bold: bool = False) -> str:
        """Return the part of a text that fits into a width, with an ellipsis if it was cut."""
        shown = self.plain(text)
        if self.width(shown, size, bold=bold) <= width:
            return shown
        while shown and self.width(f"{shown}…", size, bold=bold) > width:
            shown = shown[:-1]
        return f"{shown}…"


def _load(path: str, name: str) -> TTFont:
    folders = [str(each) for each in rl_config.TTFSearchPath]
    if Path(path).exists():  # otherwise a font in one of the folders has this name
        check_regular(path)
    try:
        font = TTFont(name, path)
    except (TTFError, OSError) as error:
        raise BadInput(
            f"--font {path}: no TrueType font can be read there ({error}); give the path of a .ttf "
            f"file (searched: {', '.join(folders)})"
        ) from error
    registerFont(font)
    return font


def _escaped(sign: str) -> str:
    code = ord(sign)
    return f"\\u{code:04x}" if code <= _BASIC_PLANE else f"\\U{code:08x}"
