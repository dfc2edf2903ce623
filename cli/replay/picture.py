"""A picture of the replay at one moment: an SVG without external resources."""

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Final

from textual.pilot import Pilot

from sabot.cli.replay.playback import Playback
from sabot.cli.replay.replay_app import Replay

_TAKEN_OUT: Final = re.compile(
    r"\s*@font-face\s*\{[^}]*\}"  # fonts from elsewhere
    r"|\s*<!--.*?-->"
    r"|\s*font-variant-east-asian:[^;]*;"
    r'|<clipPath id="[^"]*-line-[0-9]+">.*?</clipPath>\s*'  # no line is wider than the screen
    r'| clip-path="url\(#[^"]*-line-[0-9]+\)"',
    re.DOTALL,
)
_FAMILY: Final = re.compile(r"font-family:\s*Fira Code[^;]*;")
_PREFIX: Final = re.compile(r"terminal-[0-9]+-")
_GROUND: Final = re.compile(
    r'<rect fill="([^"]+)" x="([^"]+)" y="([^"]+)" width="([^"]+)" height="([^"]+)" '
    r'shape-rendering="crispEdges"/>'
)
_GROUNDS: Final = re.compile(f"(?:{_GROUND.pattern})+")
_MONOSPACE: Final = (
    "font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, 'Cascadia Mono', Consolas, monospace;"
)


def picture(reel: Playback, columns: int, rows: int) -> str:
    """Return the current screen as an SVG. The same moment always gives the same bytes.

    It uses the reader's own monospaced fonts and stretches lines to the width of a cell.
    """
    taken: list[str] = []

    async def take(pilot: Pilot[object]) -> None:
        await pilot.pause()
        taken.append(pilot.app.export_screenshot(simplify=True))
        pilot.app.exit()

    with _colours():
        Replay(reel).run(headless=True, size=(columns, rows), auto_pilot=take)
    if not taken:
        raise RuntimeError("the replay ended before its picture was taken")
    return _by_itself(taken[0])


def _by_itself(svg: str) -> str:
    """Make the picture self-contained: remove external resources, and shorten class names."""
    svg = _TAKEN_OUT.sub("", svg)
    svg = _PREFIX.sub("t-", _FAMILY.sub(_MONOSPACE, svg))
    svg = _GROUNDS.sub(lambda found: _merged(found[0]), svg)
    svg = svg.replace(" textLength=", ' lengthAdjust="spacingAndGlyphs" textLength=')
    return svg.replace("&#160;", "\u00a0").rstrip() + "\n"


def _merged(grounds: str) -> str:
    """Join the backgrounds of neighbouring cells of the same colour."""
    joined: list[list[str]] = []
    for fill, x, y, width, height in _GROUND.findall(grounds):
        last = joined[-1] if joined else None
        if last and [last[0], last[2], last[4]] == [fill, y, height]:
            last[3] = f"{float(x) + float(width) - float(last[1]):.1f}"
        else:
            joined.append([fill, x, y, width, height])
    return "".join(
        f'<rect fill="{fill}" x="{x}" y="{y}" width="{width}" height="{height}" '
        'shape-rendering="crispEdges"/>'
        for fill, x, y, width, height in joined
    )


@contextlib.contextmanager
def _colours() -> Iterator[None]:
    """Give the picture its colours: NO_COLOR applies to terminals only."""
    unwanted = os.environ.pop("NO_COLOR", None)
    try:
        yield
    finally:
        if unwanted is not None:
            os.environ["NO_COLOR"] = unwanted
