"""Panels: each draws a moment by a view, in the room that it has."""

from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.widget import Widget

from cli.replay.keys import KEYS, PAIRS
from cli.replay.scene import FAINT, GOLD, TIE, Scene, View, fit, ink
from cli.replay.tempo import Tempo
from cli.replay.view_log import position_at, timeline

if TYPE_CHECKING:
    from textual.app import RenderResult


class Panel(Widget):
    """A view of the moment; ``title`` stands in its border."""

    def __init__(self, view: View, *, id: str, title: str = "") -> None:  # noqa: A002 - as Textual
        """Draw by a view."""
        super().__init__(id=id)
        self._view = view
        self._scene: Scene | None = None
        self._drawn = Text()
        self._drawn_for = Size(0, 0)
        self.border_title = title or None

    def show(self, scene: Scene) -> None:
        """Draw another moment; the screen is left alone where it shows the same."""
        self._scene = scene
        before = self._drawn
        self._draw()
        if self._drawn != before:
            self.refresh()

    def render(self) -> "RenderResult":
        """Draw the moment in the room there is."""
        if self._drawn_for != self.size:
            self._draw()
        return self._drawn

    def _draw(self) -> None:
        self._drawn_for = self.size
        width, height = self.size
        lines = self._view(self._scene, width, height) if self._scene is not None else []
        self._drawn = Text("\n").join(fit(lines, width, height))

    async def on_click(self, event: events.Click) -> None:
        """Go to the fact that a line speaks of."""
        position = event.style.meta.get("position")
        if isinstance(position, int):
            await self.app.run_action(f"seek({position})")


class TimeLine(Panel):
    """The whole shoe in a line; a click goes there."""

    def __init__(self) -> None:
        """Draw the time line."""
        super().__init__(timeline, id="timeline")

    async def on_click(self, event: events.Click) -> None:
        """Go where the line was clicked."""
        if self._scene is not None:
            position = position_at(self._scene.reel, event.x, self.size.width)
            await self.app.run_action(f"seek({position})")


class State(Widget):
    """Whether the reel runs, how fast and by what."""

    def __init__(self, tempo: Tempo) -> None:
        """Watch a tempo."""
        super().__init__(id="state")
        self._tempo = tempo

    def render(self) -> "RenderResult":
        """Say it in a few signs."""
        tempo = self._tempo
        text = ink(" ▶ " if tempo.playing else " ‖ ", f"bold {TIE if tempo.playing else FAINT}")
        text.append(f"{tempo.speed}x", style="bold" if tempo.playing else FAINT)
        text.append(" clock" if tempo.by_clock else " steady", style=FAINT)
        return text.append(" !" if tempo.stops else "  ", style=GOLD)


class Foot(Widget):
    """The keys that matter most, each to be clicked too; or a message in their place."""

    def __init__(self) -> None:
        """Show the keys."""
        super().__init__(id="foot")
        self._message = ""

    def say(self, message: str) -> None:
        """Show a message (or the keys again, where it is empty)."""
        self._message = message
        self.refresh()

    async def on_click(self, event: events.Click) -> None:
        """Do what the key under the pointer does."""
        action = event.style.meta.get("action")
        if isinstance(action, str):
            await self.app.run_action(action)

    def render(self) -> "RenderResult":
        """Draw as many keys as there is room for."""
        width = self.size.width
        if self._message:
            return fit([ink(f" {self._message}", f"bold {GOLD}")], width, 1)[0]
        parts = [(sign, word, rank, "") for sign, word, rank in PAIRS]
        parts += [(key.sign, key.brief, key.rank, key.action) for key in KEYS if key.brief]
        needed = sum(len(sign) + len(word) + 4 for sign, word, _rank, _action in parts)
        gap = " " if needed <= width else ""
        while parts and sum(len(s) + len(w) + 3 + len(gap) for s, w, _r, _a in parts) > width:
            parts.remove(max(reversed(parts), key=lambda part: part[2]))
        line = Text()
        for sign, word, _rank, action in parts:
            key = ink(f" {sign} ", "bold reverse").append(f"{gap}{word} ", style=FAINT)
            if action:
                key.apply_meta({"action": action})
            line.append_text(key)
        return line
